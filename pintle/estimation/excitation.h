/// Efforts that cancel each other, so that no propulsor is used too little to be judged.
///
/// A propulsor that dies while hardly anything is asked of it changes nothing that could be
/// measured. With x_i = u_i / largest_i and B the columns times largest_i, the patterns v_k span
/// what the propulsors can do without a wrench, B v_k = 0, the largest part of each 1. Added is
///
///   e = effort sum_k a_k v_k,   a_k = -1, -1/2, 0, 1/2 or 1, all of it smaller where |e_i| > effort
///
/// with each a_k such that the propulsor of its pattern that is asked for least is asked for as
/// much as can be: 0 where all of them are used by themselves, as the two sides of a turn are. It
/// changes for what is clearly better, never while one is suspected and once in kStays_s, and e
/// moves by effort in kRise_s. Given to the allocation as preferred efforts it takes nothing from
/// the wrench, and bounds and slew hold as for any other.
/// What it costs is the power of small efforts. Propulsors without freedom (all of a quadrotor's)
/// are in no pattern. Of more than kPatterns patterns the others are not used.
#pragma once
#include <array>
#include <cstdint>

#include "pintle/base/fields.h"
#include "pintle/base/signals.h"
#include "pintle/estimation/model_error.h"

namespace pintle::estimation {

enum class ExciteWhen : std::uint8_t {
  kSuspicious,  ///< One propulsor gives what a healthy one would not, and for a while after.
  kAlways,      ///< As long as none is found.
};

struct ExcitationParams {
  double effort = 0;  ///< As a share of each propulsor's largest; 0: none.
  ExciteWhen when = ExciteWhen::kSuspicious;
};

inline constexpr std::size_t kPatterns = 16;

/// The patterns of a body; made off the tick.
struct Freedom {
  std::uint32_t n = 0;  ///< Propulsors; 0: nothing can be excited.
  std::uint32_t patterns = 0;
  std::array<std::array<double, kMaxChannels>, kPatterns> v{};
};
[[nodiscard]] Freedom freedom_of(const BodyModel& body) noexcept;

struct ExcitationState {
  double left_s = 0;                           ///< Of an excitation, after its reason has gone.
  std::array<double, kMaxChannels> e{};        ///< Shares of the largest effort.
  std::array<std::int8_t, kPatterns> level{};  ///< Of each pattern, in halves of the effort …
  std::array<float, kPatterns> stays_s{};      ///< … and for how long it stays as it is.
};

/// One tick of `dt_s`; `wanted`: now; `suspicious`: somebody is suspected. `sent`: efforts of the
/// last tick, e among them.
void excite(const ExcitationParams& params, const Freedom& freedom, const BodyModel& body,
            const ChannelVector& sent, bool wanted, bool suspicious, double dt_s,
            ExcitationState& state) noexcept;

}  // namespace pintle::estimation

namespace pintle {
template <>
const EnumTable& enum_table<estimation::ExciteWhen>();
template <>
const Table& table_of<estimation::ExcitationParams>();
}  // namespace pintle
