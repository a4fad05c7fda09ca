/// What an electric thruster turns, draws and heats, against its thrust and the voltage of its bus:
/// the one model for the simulated world, emulated thrusters, the power cap and the watch for
/// failures.
///
///   x = |thrust| / full_effort,   n = full_rpm sign(thrust) sqrt(x),   P = idle_W + full_W x^1.5
///   I = P / bus_V,   dC/dt = (C_water + heating P - C) / heating_tau
///   most x at a voltage: min(1, (bus_V / rated_V)^1.2)
///
/// A propeller that stands in its own wake: thrust goes with the square of the speed, power with
/// the cube (ITTC open-water coefficients at constant advance ratio). The exponent of the voltage
/// is that of Blue Robotics' published T200 data between 12 V (36.4 N) and 16 V (51.4 N).
///
/// Without its propeller a motor turns at least as fast and draws little more than at rest; fouled,
/// it draws more than its thrust costs. Not modelled: the poorer efficiency of reverse thrust,
/// inflow, regeneration, what the motor's own resistance costs at low voltage.
#pragma once
#include <string_view>

#include "pintle/base/fields.h"
#include "pintle/base/finding.h"
#include "pintle/base/propulsor_report.h"

namespace pintle::propulsion {

struct ElectricalParams {
  double full_effort = 1;    ///< Thrust of the figures below, unit of the channel.
  double full_rpm = 3000;    ///< There.
  double full_power_W = 0;   ///< There, above `idle_power_W`.
  double idle_power_W = 0;   ///< At rest, driver included.
  double rated_V = 16;       ///< From here on up it reaches its bounds.
  double heating_C_W = 0.1;  ///< Above the water, at rest, for each watt drawn.
  double heating_tau_s = 60;
  double warm_C = kWarm_C;  ///< Up to here all of its thrust may be used …
  double hot_C = kHot_C;    ///< … and from here on `hot_share` of it.
  double hot_share = 0.3;
};

[[nodiscard]] Findings check(const ElectricalParams& params);

/// Signed like the thrust.
[[nodiscard]] double rpm_of(const ElectricalParams& params, double thrust) noexcept;
[[nodiscard]] double power_W(const ElectricalParams& params, double thrust) noexcept;
/// Of a bus without voltage: 0.
[[nodiscard]] double current_A(const ElectricalParams& params, double thrust,
                               double bus_V) noexcept;

/// The share of its bounds that it may be asked for, 0 to 1. A number that is none limits nothing.
[[nodiscard]] double share_at_voltage(const ElectricalParams& params, double bus_V) noexcept;
[[nodiscard]] double share_at_temperature(const ElectricalParams& params,
                                          double temperature_C) noexcept;

/// Its temperature after dt, from the one before: exact for a constant power.
[[nodiscard]] double heated_C(const ElectricalParams& params, double temperature_C, double power_W,
                              double water_C, double dt_s) noexcept;

/// The figures of a thruster whose curve ships with Pintle, for one curve unit of 1; nullptr where
/// nobody has published any.
[[nodiscard]] const ElectricalParams* library_electrical(std::string_view curve) noexcept;

}  // namespace pintle::propulsion

namespace pintle {
template <>
const Table& table_of<propulsion::ElectricalParams>();
}
