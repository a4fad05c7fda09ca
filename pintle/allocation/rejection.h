/// Why allocate() refused: the first thing wrong with what it was given.
///
/// For the words told to people, not for the tick: it looks at everything again.
#pragma once
#include "pintle/allocation/allocator.h"
#include "pintle/base/fields.h"

namespace pintle::allocation {

enum class RejectionReason : std::uint8_t {
  kNone,                  ///< It did not refuse.
  kTooManyChannels,       ///< More than kMaxChannels.
  kTradeNotSound,         ///< k2 / k1 is negative or not finite.
  kDemandNotFinite,       ///< A component of the wrench.
  kWeightNotFinite,       ///< Of an axis.
  kWeightsTooFarApart,    ///< Of two axes of one group: see weights_are_near.
  kBiasNotFinite,         ///< What is there without any effort.
  kColumnNotFinite,       ///< Effectiveness of a channel.
  kBoundNotFinite,        ///< Lower or upper.
  kBoundsCrossed,         ///< Lower above upper.
  kPreferredNotFinite,    ///< Preferred effort of a channel.
  kEffortWeightNotSound,  ///< Of a channel: not a finite number above 0.
  kHealthNotSound,        ///< Efficiency outside 0 to 1, or a stuck effort that is not finite.
  kBeyondRange,           ///< All finite, but products and sums of them are not.
};

struct Rejection {
  RejectionReason reason = RejectionReason::kNone;
  std::uint32_t channel = 0;  ///< Where the reason is one of a channel.
};

/// kNone exactly where allocate() does not answer kRejected.
[[nodiscard]] Rejection why_rejected(const Settings& settings, const Effectiveness& effectiveness,
                                     const WrenchDemand& demand,
                                     const PropulsorHealth* health) noexcept;

/// Weights of axes further apart leave nothing of the smaller one beside the rounding of the
/// larger.
inline constexpr double kMostWeights = 1e12;

/// None is more than so many times another, zeros aside.
[[nodiscard]] bool weights_are_near(const std::array<double, kAxes>& weight, double most) noexcept;

/// Whether of each two of one group either the weights are within kMostWeights, or what the channels
/// move along the axes times these: that is what counts where axes are in units far apart.
[[nodiscard]] bool weights_are_near(const Effectiveness& effectiveness,
                                    const WrenchDemand& demand) noexcept;

}  // namespace pintle::allocation

namespace pintle {
template <>
const EnumTable& enum_table<allocation::RejectionReason>();
}
