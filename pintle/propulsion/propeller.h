/// A motor with a propeller: one channel.
///
///   throttle' = (pwm - throttle) / tau,   rpm = throttle max_rpm,   q = rpm |rpm|
///   force = thrust_coef q unit,   torque = (torque_coef q + spin J w') unit
///
/// torque_coef carries the sign of the reaction: positive turns the vehicle about +unit for
/// positive rpm. J w' is the reaction of a rotor that speeds up (w = 2 pi rpm / 60, along the same
/// sign); rotor_inertia 0 leaves it out. Thrust scales with air density where density_kg_m3 is
/// given. The unit vector is used as given; check() wants it of length 1.
///
/// `reference` (default, as published): Euler's lag and noise that multiplies the throttle and is
/// fed back, as PyFlyt's Motors with its raw draw. `physical`: exact lag; noise acts on force and
/// torque.
///
/// Does not model: inflow, ground effect (the world does, by radius_m), gyroscopic torque (it needs
/// the body's rate), stall of the motor, current drawn. Source: PyFlyt's Motors component.
#pragma once
#include "pintle/propulsion/model.h"

namespace pintle::propulsion {

struct PropellerParams {
  double tau_s = 0;
  double max_rpm = 0;
  double thrust_coef = 0;  ///< N / rpm^2.
  double torque_coef = 0;  ///< N m / rpm^2, signed.
  Vec3 thrust_unit{0, 0, 1};
  double noise_ratio = 0;
  double rotor_inertia_kgm2 = 0;  ///< Physical only.
  double density_kg_m3 = 0;       ///< At which the coefficients hold; 0: at any.
  Behaviour behaviour = Behaviour::kReference;
  bool reversible = true;  ///< False: its driver is never asked for pwm below 0.
  double radius_m = 0;     ///< Of the disc, for the world's ground effect; 0: none.
};

[[nodiscard]] Findings check(const PropellerParams& params);

struct PropellerState {
  double throttle = 0;  ///< Share of max_rpm, signed.
};

struct PropellerInput {
  double pwm = 0;    ///< In [-1, 1]; beyond is cut.
  double noise = 0;  ///< A normal draw of this step.
};

struct PropellerStep {
  Wrench wrench_P;
  double rpm = 0;
};

/// Wrench at the end of the step.
[[nodiscard]] PropellerStep step(const PropellerParams&, PropellerState&, const PropellerInput&,
                                 const Ambient&, const Grant&, double dt_s) noexcept;

/// Effort is steady thrust in N (the length of the force), linear about the present one.
[[nodiscard]] Linearised linearise(const PropellerParams&, const PropellerState&, const Ambient&,
                                   double horizon_s) noexcept;

/// Power that the shaft takes while the propeller gives this thrust: |torque| times the speed of
/// turning. Losses of motor and driver are not in it.
[[nodiscard]] double shaft_power_W(const PropellerParams&, double thrust_N,
                                   const Ambient&) noexcept;

[[nodiscard]] PropellerInput invert(const PropellerParams&, double effort_N,
                                    const Ambient&) noexcept;

}  // namespace pintle::propulsion

namespace pintle {
template <>
const Table& table_of<propulsion::PropellerParams>();
template <>
const Table& table_of<propulsion::PropellerState>();
}  // namespace pintle
