/// What all propulsor models share: the two behaviours, the linear picture that an allocator gets,
/// and the first-order lag.
///
/// Every model is three functions over plain parameters and a plain state:
///
///   step(params, state, input, ambient, grant, dt_s)   forward over a step
///   linearise(params, state, …, horizon_s)             what step(horizon) gives, linear in effort
///   invert(params, state, effort, …)                   effort to the input of step
///
/// None throws, allocates or reads a clock; all structs are trivially copyable. Input that is not
/// finite counts as 0, dt that is not above 0 as no time at all; answers are always finite.
#pragma once
#include <array>
#include <cstdint>

#include "pintle/base/fields.h"
#include "pintle/base/finding.h"
#include "pintle/base/geometry.h"
#include "pintle/propulsion/ambient.h"

namespace pintle::propulsion {

/// Whose numbers a model gives.
enum class Behaviour : std::uint8_t {
  kReference,  ///< The original simulator's update, step by step, its quirks included.
  kPhysical,   ///< Exact lag, noise on the output only, mass flow from the thrust delivered.
};

inline constexpr std::size_t kChannelsEach = 3;
/// Standard gravity: specific impulse in seconds times this is exhaust speed in m/s.
inline constexpr double kStandardGravity = 9.80665;

/// The wrench that a step over the horizon returns, made linear about the present state:
/// wrench_P = bias_P + sum_i column_P[i] * effort[i], for lower[i] <= effort[i] <= upper[i].
struct Linearised {
  std::uint32_t n = 0;  ///< Channels in use.
  Wrench bias_P;
  std::array<Wrench, kChannelsEach> column_P{};
  std::array<double, kChannelsEach> lower{}, upper{}, preferred{};
};

/// How far a first-order lag y' = (target - y) / tau comes in a step:
/// y_end = y + end (target - y); mean over the step = y + mean (target - y).
struct LagGain {
  double end = 1, mean = 1;
};
/// Exact for a constant target (physical) or one step of Euler's rule (reference: dt / tau, which
/// overshoots when dt > tau; `mean` is the end value too, for that is what it applies). tau 0 is no
/// lag.
[[nodiscard]] LagGain lag_gain(Behaviour behaviour, double dt_s, double tau_s) noexcept;

/// Mass with its place and inertia, as a body takes it.
struct MassProperties {
  double mass_kg = 0;
  Vec3 center_P_m{};    ///< Centre of mass, mount coordinates.
  Vec3 inertia_kgm2{};  ///< Diagonal, about that centre.
};

/// The same direction with length 1; x where the length is 0 or not finite.
[[nodiscard]] Vec3 unit_or_x(Vec3 v) noexcept;

}  // namespace pintle::propulsion

namespace pintle {
template <>
const EnumTable& enum_table<propulsion::Behaviour>();
}
