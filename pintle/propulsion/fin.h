/// A control surface in the wind: one channel, the deflection as a share of its limit.
///
///   actuation' = (command - actuation) / tau,   deflection = actuation limit
///   alpha = atan2(-v.lift, v.forward),   v = velocity of the mount relative to the air
///
/// Coefficients of lift, drag and moment after Khan and Nahon: a lifting line with a flap below the
/// stall, a flat plate beyond it, the induced angle falling in a straight line between the two;
/// valid all round (+-180 deg). Q = density/2 |v|^2 area with the whole speed:
///
///   force = lift (L cos alpha + D sin alpha) + forward (L sin alpha - D cos alpha)
///   torque = Q Cm chord (lift x forward)
///
/// `reference` (default, as published): Euler's lag and 1.225 kg/m^3, as PyFlyt's LiftingSurface.
/// `physical`: exact lag and the density of the surroundings.
///
/// Does not model: dynamic stall, slipstream, force along the span, Mach number.
/// Sources: Khan and Nahon, "Real-time modeling of agile fixed-wing UAV aerodynamics", ICUAS 2015;
/// PyFlyt's LiftingSurfaces component.
#pragma once
#include "pintle/propulsion/model.h"

namespace pintle::propulsion {

struct FinParams {
  Vec3 lift_unit{0, 0, 1}, forward_unit{1, 0, 0};  ///< Mount coordinates, at right angles.
  double cl_alpha_2d = 6.283;
  double chord_m = 0, span_m = 0;
  double flap_to_chord = 1;  ///< Share of the chord that moves.
  double eta = 0.65;         ///< Flap efficiency.
  double alpha_0_deg = 0;    ///< Angle of no lift.
  double stall_positive_deg = 20, stall_negative_deg = -20;
  double cd_0 = 0.01;
  double deflection_limit_deg = 45;
  double tau_s = 0;
  Behaviour behaviour = Behaviour::kReference;
  double max_rate_deg_s = 0;  ///< Commands go no faster: its servo's; 0: no limit.
};

[[nodiscard]] Findings check(const FinParams& params);

struct FinState {
  double actuation = 0;
  double commanded = 0;  ///< Last command: the next one is near it. Of one that stands: actuation.
};

/// Wrench at the end of the step; the air is that of `ambient` (flow_P is minus the velocity of
/// the mount relative to it). `command` in [-1, 1]; beyond is cut.
[[nodiscard]] Wrench step(const FinParams&, FinState&, double command, const Ambient&,
                          double dt_s) noexcept;
/// The same for a deflection that stands still.
[[nodiscard]] Wrench wrench_of(const FinParams&, const FinState&, const Ambient&) noexcept;

/// Effort is the command, for what is reached by the horizon; slope by differences about the present
/// actuation. Bounds: what the servo's rate lets a command be one period after the last one.
[[nodiscard]] Linearised linearise(const FinParams&, const FinState&, const Ambient&,
                                   double horizon_s, double period_s) noexcept;
/// The effort, cut to [-1, 1] and to what the servo follows in dt_s; notes it in the state.
[[nodiscard]] double invert(const FinParams&, FinState&, double effort, double dt_s) noexcept;

}  // namespace pintle::propulsion

namespace pintle {
template <>
const Table& table_of<propulsion::FinParams>();
template <>
const Table& table_of<propulsion::FinState>();
}  // namespace pintle
