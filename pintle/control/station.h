/// The `station` law: a ship that holds place and heading against current, wind and waves by its
/// thrusters (dynamic positioning). Surge, sway and yaw are demanded; heave, roll and pitch float.
///
/// Position and heading alone are measured, y = (x, y, yaw). What they show is the ship's slow
/// motion and the orbit that each wave carries it round; only the first can and should be fought. A
/// passive observer tells them apart, R = R(yaw measured), all hats estimates, e = y - eta^ - w^:
///
///   xi1'  = xi2 + k1 e,   xi2' = -wo^2 xi1 - 2 l wo xi2 + k2 e,   w^ = xi2       wave, each axis
///           k1 = -2 (1 - l) wc / wo,  k2 = 2 wo (1 - l)
///   eta^' = R nu^ + wc e                                          wc: observer_rad_s
///   M nu^' = -D nu^ + R' b^ + tau + M wm^2 R' e                   wm: motion_rad_s
///   b^'   = R M wm^2 wb R' e                                      wb: bias_rad_s;   wb < wo < wc
///
/// tau is what the thrusters have really given (`achieved`), so that a thruster at its bounds, one
/// that still turns and a disarmed ship wind nothing up. b^ is all that nothing explains, in world
/// axes: the integral of this law. The demand, with the reference of setpoint_shaping.h:
///
///   tau_d = D nu^ - M (wn^2 R' (eta^ - eta_r) + 2 z wn (nu^ - nu_r) - nu_r') - R' b^
///
/// so that with a true model the error obeys e'' + 2 z wn e' + wn^2 e = 0 exactly. Axes in velocity
/// mode leave out the wn^2 part; those in wrench mode take the desired wrench, body axes.
///
/// Source: Fossen and Strand, "Passive nonlinear observer design for ships using Lyapunov methods",
/// Automatica 35, 1999; Fossen, "Handbook of Marine Craft Hydrodynamics and Motion Control", 2011,
/// chapters 11.4 and 12. Not modelled: M off the diagonal, damping that grows with speed, a sea whose
/// period changes (the filter stays where it is tuned).
#pragma once
#include "pintle/base/signals.h"
#include "pintle/control/law_interface.h"
#include "pintle/control/setpoint_shaping.h"

namespace pintle::control {

struct StationParams {
  /// Of the ship at low speed: surge, sway, yaw.
  Vec3 mass{1000, 1500, 1000};  ///< kg, kg, kg m^2, with the water that moves along.
  Vec3 damping{50, 100, 100};   ///< N s/m, N s/m, N m s/rad.
  Vec3 natural_frequency_rad_s{0.25, 0.25, 0.3};  ///< wn.
  Vec3 damping_ratio{0.9, 0.9, 0.9};              ///< z.
  double wave_frequency_rad_s = 1;  ///< wo, of the waves with most in them; 0: no wave is filtered.
  double wave_damping = 0.1;        ///< l: how broad the sea is about that.
  double observer_rad_s = 1.2;      ///< wc.
  double motion_rad_s = 0.4;        ///< wm.
  double bias_rad_s = 0.05;         ///< wb.
  MotionLimits motion_limits{};     ///< Of the reference: x, y and yaw count.
  std::array<double, kAxes> weight{1, 1, 0, 0, 0, 1};  ///< z, roll and pitch are not demanded.
  std::array<std::uint8_t, kAxes> group{};
};

[[nodiscard]] Findings check(const StationParams& params);

inline constexpr LawTraits kStationTraits{
    static_cast<AxisMask>(axis_bit(0) | axis_bit(1) | axis_bit(5)),
    false,
    false,
    true,
    false,
    false};

struct StationState {
  bool begun = false;
  Vec3 pose;                 ///< eta^: x, y, m; yaw, rad, not wrapped.
  Vec3 velocity;             ///< nu^, body axes.
  Vec3 bias;                 ///< b^, world axes, N and N m.
  Vec3 wave, wave_integral;  ///< xi2, xi1.
  Vec3 measured;             ///< y, the last one.
  Vec3 sent;                 ///< tau: surge, sway and yaw, as really given.
  Vec6 demand;               ///< Of the last measurement; held in between.
  ShapingState shaping;
  Setpoint setpoint;  ///< The last one accepted.
};

struct StationTrace {
  Vec3 pose, velocity, bias, wave;  ///< As estimated; see StationState.
  Pose reference;
  Vec6 reference_velocity;
  Vec3 error;  ///< Estimate minus reference, body axes: m, m, rad.
  Vec6 demand;
};

/// Takes a setpoint over if it is finite and its modes exist; otherwise the old one stays whole.
/// `axis` gets the first offending axis, -1 for none.
[[nodiscard]] SetpointRefusal accept(const StationParams&, StationState&, const Setpoint&,
                                     int* axis = nullptr, bool wrench_is_new = false) noexcept;
/// Observer and demand, on a fresh measurement. The first one, one after a gap or after more than a
/// second sets the estimate down where the ship is; the bias stays. False: not finite, nothing
/// changes.
[[nodiscard]] bool measure(const StationParams&, StationState&, const LawInput&,
                           StationTrace&) noexcept;
[[nodiscard]] WrenchDemand demand(const StationParams&, const StationState&,
                                  const StationTrace&) noexcept;
/// Notes what is sent, live or not.
void achieved(const StationParams&, StationState&, const Vec6& demanded, const Vec6& allocated,
              const Vec6& sent, double dt_s, bool live) noexcept;
/// Asked for: all estimates are begun anew. Armed: the reference sets out from the ship. A gap, a new
/// goal: nothing more than `measure` does.
void reset(const StationParams&, StationState&, ResetCause) noexcept;

}  // namespace pintle::control

namespace pintle {
template <>
const Table& table_of<control::StationParams>();
template <>
const Table& table_of<control::StationState>();
template <>
const Table& table_of<control::StationTrace>();
}  // namespace pintle
