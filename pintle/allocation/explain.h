/// Why an allocation is what it is, and a proof that nothing better exists. Not for the tick.
///
///   f(u) = | Wv (B u + bias - w) |^2 + r | Wu (u - u_preferred) |^2,     g = df/du
///
/// price      -g_i: what one more unit of effort on channel i would take off f, were its bound not
///            there. In the answer it is zero for a channel between its bounds, pushes outwards for
///            one on a bound.
/// gap        sum_i max( g_i (u_i - lower_i), g_i (u_i - upper_i) ). f is convex, so every effort
///            inside the bounds has f >= f(u) - gap (Frank and Wolfe 1956): whatever found u, no
///            other effort is better by more than the gap. Summed in long double.
///
/// With r = 0 the least effort among equally good ones is not part of the proof. With several
/// groups it is made for the first one, and for none with r > 0; where a direction is kept, no least
/// squares are solved and none is made.
#pragma once
#include "pintle/allocation/allocator.h"

namespace pintle::allocation {

/// What keeps a channel where it is.
enum class Hold : std::uint8_t { kFree, kLower, kUpper, kNoRoom, kStuck, kOut };

struct ChannelExplanation {
  double effort = 0, lower = 0, upper = 0;
  Wrench share;          ///< What it delivers, with health applied.
  double price = 0;      ///< -g_i.
  double per_error = 0;  ///< By how much |missing| falls for one unit more; 0 where nothing misses.
  Hold hold = Hold::kFree;
};

/// Why an axis is not counted on.
enum class AxisLoss : std::uint8_t {
  kNone,       ///< It is there.
  kNoPush,     ///< Nothing pushes along it alone.
  kOneWay,     ///< Only one direction.
  kNearlyNone  ///< A trace only, from imperfect geometry or a weak rest.
};

struct Explanation {
  FixedVector<ChannelExplanation, kMaxChannels> channels;
  std::array<double, kAxes> most{}, least{};  ///< Along each axis, the other demanded ones zero.
  std::array<AxisLoss, kAxes> axis{};
  double scale = 0;  ///< How many times the demand is within reach, exactly; at most 1000.
  double cost = 0;   ///< f of the answer; of the first group alone where there are several.
  double gap = 0;    ///< No effort inside the bounds has less than cost - gap.
  /// False where a direction is kept, the answer is graded kRejected, or with several groups and r
  /// above 0.
  bool proof = true;
  bool several_groups = false;
};

[[nodiscard]] Explanation explain(const Settings& settings, const Effectiveness& effectiveness,
                                  const WrenchDemand& demand, const PropulsorHealth* health,
                                  const Allocation& answer) noexcept;

}  // namespace pintle::allocation

namespace pintle {
template <>
const EnumTable& enum_table<allocation::Hold>();
template <>
const EnumTable& enum_table<allocation::AxisLoss>();
}  // namespace pintle
