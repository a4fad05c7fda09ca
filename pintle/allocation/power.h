/// What all propulsors may draw together: caps on power and on current.
///
///   P(u) = sum_i [ idle_i + full_i (|u_i| / largest_i)^1.5 ],      I = P / bus voltage
///
/// The exponent is that of a propeller in its own wake: thrust goes with the square of the speed,
/// power with the cube (ITTC open-water coefficients; constant advance ratio). One that is out
/// draws nothing, a stuck one what its stuck effort costs.
///
/// An allocation that would draw more gives up demand, the least important group first and each
/// group in its own direction, until what is left fits: never a part of every axis at random. If
/// nothing is asked any more and it still draws too much (slew limits, preferred efforts), efforts
/// go towards zero together as far as their bounds let them. What draws less than the caps is
/// answered exactly as without them.
///
/// The caps hold for the efforts asked for; a driver that counts in steps may round one up.
/// Not modelled: losses of the wiring, current limits of single drivers (bounds do that), inflow.
#pragma once
#include <algorithm>

#include "pintle/allocation/allocator.h"

namespace pintle::allocation {

struct PowerParams {
  /// Above idle_power_W. 0 with a cap: as each thruster's own `electrical` figures say, idle too.
  double full_power_W =
      0;  ///< One propulsor at its largest effort, on top of idle; 0: not modelled.
  double idle_power_W = 0;   ///< One propulsor at rest, driver included.
  double max_power_W = 0;    ///< Of all together; 0: no cap.
  double max_current_A = 0;  ///< Of all together, at the present bus voltage; 0: no cap.
};

[[nodiscard]] Findings check(const PowerParams& params);

struct PowerModel {
  PowerParams params;
  std::uint32_t n = 0;
  std::array<double, kMaxChannels> largest{};  ///< Effort, either way, without slew limits.
  /// Of each channel, at rest and above that at its largest effort.
  std::array<double, kMaxChannels> idle_W{}, full_W{};

  [[nodiscard]] bool is_modelled() const noexcept {
    return std::any_of(full_W.begin(), full_W.begin() + n, [](double w) { return w > 0; });
  }
};

/// Largest efforts are those of the bounds of `effectiveness`; all draw what `params` say.
[[nodiscard]] PowerModel power_model(const PowerParams& params,
                                     const Effectiveness& effectiveness) noexcept;

/// P(u). Efforts that are not finite count as the largest.
[[nodiscard]] double power_of(const PowerModel& model, const PropulsorHealth* health,
                              const ChannelVector& effort) noexcept;

/// What may be drawn now: the smaller of both caps; infinity without any. A bus voltage that is not
/// above 0 leaves the current cap out.
[[nodiscard]] double allowed_power(const PowerParams& params, double bus_V) noexcept;

/// allocate() inside `allowed_W`. `out` speaks of the demand as it was given; where demand had to
/// be given up its grade is kBounded and its margin 0. Answers whether that was so. At most about
/// 30 allocations a group, and one where nothing has to be given up.
bool allocate_within(const PowerModel& model, double allowed_W, Prepared& prepared,
                     const Settings& settings, const Effectiveness& effectiveness,
                     const WrenchDemand& demand, const PropulsorHealth* health,
                     Allocation& out) noexcept;

}  // namespace pintle::allocation

namespace pintle {
template <>
const Table& table_of<allocation::PowerParams>();
}
