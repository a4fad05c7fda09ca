/// The `thrust_vector` law: a craft that pushes along its own z axis tilts to go sideways.
///
///   v*     = cut(k_p (p_D - p), max_velocity)          axis in position mode, else the desired
///                                                      one; axes ahead, left (level) and up
///   a*     = cut(k_v (v* - v) + I, max_acceleration),  dI/dt = k_i (v* - v)            world
///   f*     = m (a* + g) - f_known                      what the propulsors must give, world
///   f      = f* inside the thrust there is and the tilt allowed, height before the rest
///   R_D    : its z axis along f, heading of the desired pose
///   turn   = tilt error and heading error of R_WB^T R_D, body;   w* = cut(k_R turn, max_rate)
///   force  = f . z_B along z;   torque = J k_w (w* - w) + w x J w + c x force      about Bo
///
/// With `torque_share` s the turn keeps to the torque T that there is about each axis now (fins fade
/// with air speed, a gimbal comes with thrust):
///
///   a = s T / J,  k_w' = min(k_w, a / full_torque),  k_R' = min(k_R, k_w' / 4)
///   |w*| <= sqrt(a |turn|)  (it can be stopped at half of a),   |k_w' (w* - w)| <= a
///
/// f is cut in this order: upwards part at least `min_lift` of the weight, tilt at most `max_tilt`,
/// length at most what is there, at the cost of the sideways part first. The present z axis, not
/// the wanted one, decides how much force is asked: a craft on its side does not push.
///
/// Tilt comes before heading: the two errors are separate turns (the shortest turn of the z axis,
/// then about it), so that a large heading error never tips the craft (Brescianini, Hehn and
/// D'Andrea, 2013, on reduced attitude; the cascade is the one common in multirotors).
///
/// Axes that the craft cannot produce are not demanded: weight 0 on x and y, and on any angular
/// axis that `reachable` does not have. Roll and pitch of the setpoint are not used, except in
/// velocity or wrench mode (a body rate or a torque, for tests and for pilots).
///
/// Not modelled: the difference between acceleration of Bo and of the centre of mass while the
/// craft turns, flexible structure, and what the propulsors' lag does to the phase.
#pragma once
#include "pintle/base/signals.h"
#include "pintle/control/law_interface.h"
#include "pintle/control/pid.h"

namespace pintle::control {

struct ThrustVectorParams {
  Vec3 position_gain{1, 1, 1};       ///< k_p: m/s per m; ahead, left, up.
  Vec3 velocity_gain{2, 2, 2};       ///< k_v: m/s^2 per m/s.
  Vec3 velocity_integral{0, 0, 0};   ///< k_i: m/s^2 per m/s and second.
  double integral_limit_m_s2 = 2;    ///< Of each component of I.
  double max_speed_m_s = 5;          ///< Horizontal; of v* in position mode.
  double max_climb_m_s = 3;          ///< Upwards; of v* in position mode.
  double max_descent_m_s = 2;        ///< Downwards, positive.
  double max_acceleration_m_s2 = 5;  ///< Horizontal, of a*.
  double max_tilt_rad = 0.6;         ///< Of the wanted z axis from up; below a quarter turn.
  double min_lift = 0.2;             ///< Upwards part of f over the weight, at least.
  Vec3 attitude_gain{6, 6, 2};       ///< k_R: rad/s per rad.
  Vec3 max_rate_rad_s{3, 3, 1};      ///< Of w*.
  Vec3 rate_gain{20, 20, 8};         ///< k_w: rad/s^2 per rad/s.
  double torque_share = 0;           ///< Of what torque there is, that turns use; 0: no account.
  double full_torque_rad_s = 0.25;   ///< Rate missing that is worth that share: k_w is no more.
  double torque_time_s = 0;          ///< Smooths torque, against noise of the state; 0: none.
  /// Priority of each axis in the allocation; attitude before height before heading, usually.
  std::array<double, kAxes> weight{1, 1, 1, 1, 1, 1};
  std::array<std::uint8_t, kAxes> group{0, 0, 1, 0, 0, 2};
};

[[nodiscard]] Findings check(const ThrustVectorParams& params);

inline constexpr LawTraits kThrustVectorTraits{
    static_cast<AxisMask>(axis_bit(2) | axis_bit(3) | axis_bit(4) | axis_bit(5)),
    false,
    true,
    true,
    true,
    true};

struct ThrustVectorState {
  Vec3 integral;             ///< I, world, m/s^2.
  Setpoint setpoint;         ///< The last one accepted.
  bool held = false;         ///< The last force was cut: the integral only shrinks.
  Vec3 cut_along;            ///< Wanted minus given force, world; zero where not cut.
  WrenchDemand demand;       ///< Of the last fresh measurement; held in between.
  double wanted_up_m_s = 0;  ///< Of v*.
};

/// How a demand came about, for tuning.
struct ThrustVectorTrace {
  Vec3 wanted_velocity_W, wanted_acceleration_W;
  Vec3 wanted_force_W;  ///< f*, before it is cut.
  Vec3 force_W;         ///< f.
  Quat q_WD;            ///< The attitude that gives f.
  Vec3 turn_B;          ///< Tilt and heading error, rad.
  Vec3 wanted_rate_B;
  bool tilt_limited = false, thrust_limited = false;
};

/// Takes a setpoint over if its modes exist, it is finite and its quaternion has length one within
/// 1e-6; otherwise the old one stays whole. `axis`: always -1.
[[nodiscard]] SetpointRefusal accept(const ThrustVectorParams&, ThrustVectorState& state,
                                     const Setpoint& setpoint, int* axis = nullptr,
                                     bool wrench_is_new = false) noexcept;

/// One step on a fresh state. Not finite, mass or inertia not positive, or dt_s < 0: false, nothing
/// changes and nothing may be sent. dt_s = 0: as any other, but nothing is integrated.
[[nodiscard]] bool step(const ThrustVectorParams& params, ThrustVectorState& state,
                        const CraftNow& craft, const Pose& X_WB, const Twist& V_WB_B, double dt_s,
                        WrenchDemand& demand, ThrustVectorTrace& trace) noexcept;

/// The attitude half by itself: `up_W` and the heading of `setpoint` to torque. Its angular modes
/// count as in `step`; nothing is remembered. Refuses what `step` refuses, and an `up_W` that is
/// none. Fills what the trace says about attitude.
[[nodiscard]] bool point(const ThrustVectorParams& params, const Setpoint& setpoint,
                         const CraftNow& craft, const Pose& X_WB, const Twist& V_WB_B,
                         const Pointing& wanted, WrenchDemand& demand,
                         ThrustVectorTrace& trace) noexcept;

/// Attitude whose z axis is along `up_W` (not zero) and whose heading is `yaw_rad`: the body x axis
/// lies in the vertical plane of that heading.
[[nodiscard]] Quat attitude_of(Vec3 up_W, double yaw_rad) noexcept;

/// Turn from one attitude to another as tilt (x, y) and heading (z) parts, body coordinates, rad.
/// Exactly upside down the turn is about body x.
[[nodiscard]] Vec3 tilt_and_heading(Quat q_WB, Quat q_WD) noexcept;

/// `step` in a tick that acts, over all that was measured since the last one; without effect nothing
/// is integrated.
[[nodiscard]] bool measure(const ThrustVectorParams& params, ThrustVectorState& state,
                           const LawInput& input, ThrustVectorTrace& trace) noexcept;
[[nodiscard]] bool point(const ThrustVectorParams& params, ThrustVectorState& state,
                         const Setpoint& setpoint, const LawInput& input, const Pointing& wanted,
                         ThrustVectorTrace& trace) noexcept;
[[nodiscard]] WrenchDemand demand(const ThrustVectorParams& params, const ThrustVectorState& state,
                                  const ThrustVectorTrace& trace) noexcept;

/// Forgets the integral; the setpoint stays.
void reset(ThrustVectorState& state) noexcept;
/// The same for every cause but a new goal.
void reset(const ThrustVectorParams&, ThrustVectorState& state, ResetCause cause) noexcept;

}  // namespace pintle::control

namespace pintle {
template <>
const Table& table_of<control::ThrustVectorParams>();
template <>
const Table& table_of<control::ThrustVectorState>();
template <>
const Table& table_of<control::ThrustVectorTrace>();
}  // namespace pintle
