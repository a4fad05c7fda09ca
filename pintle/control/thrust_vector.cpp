#include "pintle/control/thrust_vector.h"

#include <algorithm>
#include <cmath>

namespace pintle::control {
namespace {

bool is_plausible(const CraftNow& craft) noexcept {
  double sum = 0;
  for (const double x : craft.inertia_kgm2.m) sum += std::abs(x);
  const Mat3& J = craft.inertia_kgm2;
  return craft.mass_kg > 0 && is_usable(craft.mass_kg) && sum <= kLargest && J(0, 0) > 0 &&
         J(1, 1) > 0 && J(2, 2) > 0 && is_usable(craft.p_BoBcm_B) &&
         is_usable(craft.known_force_W) && craft.gravity_m_s2 > 0 &&
         is_usable(craft.gravity_m_s2) && is_usable(craft.min_thrust_N) &&
         is_usable(craft.max_thrust_N) && craft.min_thrust_N <= craft.max_thrust_N;
}

AxisMode mode_of(const Setpoint& setpoint, Axis axis) noexcept {
  return setpoint.mode[static_cast<std::size_t>(axis)];
}

double heading_of(Quat q_WB) noexcept {
  const Vec3 x = rotate(q_WB, {1, 0, 0});
  const Vec3 z = rotate(q_WB, {0, 0, 1});
  // nose straight up or down: the heading is where the craft's back, or belly, looks
  if (std::abs(x.z) < 0.999999) return std::atan2(x.y, x.x);
  return x.z > 0 ? std::atan2(-z.y, -z.x) : std::atan2(z.y, z.x);
}

/// The same direction, length at most `most`.
void shorten(double& x, double& y, double most) noexcept {
  const double length = std::hypot(x, y);
  if (!(length > most)) return;
  const double part = most / length;
  x *= part;
  y *= part;
}

Vec3 wanted_velocity(const ThrustVectorParams& params, const Setpoint& setpoint,
                     const Pose& X_WB) noexcept {
  // ahead, left and up: the body's frame without its tilt. A desired velocity is flown level.
  const double yaw = heading_of(X_WB.q), c = std::cos(yaw), s = std::sin(yaw);
  const Vec3 error = setpoint.X_WD.p - X_WB.p;
  const Vec3 error_H{c * error.x + s * error.y, c * error.y - s * error.x, error.z};
  Vec3 v_H = setpoint.V_WD_B.v;
  for (std::size_t i = 0; i < 3; ++i)
    if (setpoint.mode[i] == AxisMode::kPosition) v_H[i] = params.position_gain[i] * error_H[i];
  if (setpoint.mode[0] == AxisMode::kPosition && setpoint.mode[1] == AxisMode::kPosition)
    shorten(v_H.x, v_H.y, params.max_speed_m_s);
  else
    for (std::size_t i = 0; i < 2; ++i)
      if (setpoint.mode[i] == AxisMode::kPosition)
        v_H[i] = std::clamp(v_H[i], -params.max_speed_m_s, params.max_speed_m_s);
  if (setpoint.mode[2] == AxisMode::kPosition)
    v_H.z = std::clamp(v_H.z, -params.max_descent_m_s, params.max_climb_m_s);
  const Vec3 v{c * v_H.x - s * v_H.y, s * v_H.x + c * v_H.y, v_H.z};
  return v;
}

/// The integral grows only where the propulsors still follow.
void integrate(const ThrustVectorParams& params, ThrustVectorState& state, Vec3 error,
               double dt_s) noexcept {
  for (std::size_t i = 0; i < 3; ++i) {
    if (state.setpoint.mode[i] == AxisMode::kWrench) continue;
    const double growth = params.velocity_integral[i] * error[i] * dt_s;
    if (state.held && growth * state.cut_along[i] > 0) continue;
    state.integral[i] = std::clamp(state.integral[i] + growth, -params.integral_limit_m_s2,
                                   params.integral_limit_m_s2);
  }
}

struct Cut {
  Vec3 force;
  bool tilt_limited = false, thrust_limited = false;
};

/// The force that can be had in place of the one that is wanted; its upwards part is never zero.
Cut cut(const ThrustVectorParams& params, const CraftNow& craft, Vec3 wanted) noexcept {
  Cut out;
  const double weight = craft.mass_kg * craft.gravity_m_s2;
  const double floor = params.min_lift * weight;
  const double most = std::max(craft.max_thrust_N, floor);
  const double up = std::clamp(wanted.z, floor, most);
  out.thrust_limited = wanted.z > most || craft.max_thrust_N < floor;
  out.force = {wanted.x, wanted.y, up};

  const double sideways = std::hypot(wanted.x, wanted.y);
  const double by_tilt = up * std::tan(params.max_tilt_rad);
  const double by_thrust = std::sqrt(std::max(most * most - up * up, 0.0));
  out.tilt_limited = sideways > by_tilt;
  out.thrust_limited = out.thrust_limited || sideways > by_thrust;
  shorten(out.force.x, out.force.y, std::min(by_tilt, by_thrust));
  return out;
}

Vec3 torque_for(const CraftNow& craft, Vec3 angular_acceleration, Vec3 w, Vec3 force_B) noexcept {
  const Mat3& J = craft.inertia_kgm2;
  return J * angular_acceleration + cross(w, J * w) + cross(craft.p_BoBcm_B, force_B);
}

}  // namespace

Quat attitude_of(Vec3 up_W, double yaw_rad) noexcept {
  const Vec3 z = up_W / norm(up_W);
  const Vec3 ahead{std::cos(yaw_rad), std::sin(yaw_rad), 0};
  // square to z inside the vertical plane of the heading
  Vec3 x = z.z * ahead - Vec3{0, 0, dot(z, ahead)};
  const double length = norm(x);
  x = length > 1e-9 ? x / length : ahead;
  const Vec3 y = cross(z, x);
  return to_quaternion(Mat3{{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}});
}

Vec3 tilt_and_heading(Quat q_WB, Quat q_WD) noexcept {
  const Quat q_BD = normalized(conjugate(q_WB) * q_WD);
  const Vec3 z_D = rotate(q_BD, {0, 0, 1});  // wanted z axis, seen from the body
  const double sine = std::hypot(z_D.x, z_D.y);
  const double angle = std::atan2(sine, z_D.z);
  // z_B x z_D is level in the body; upside down it has no direction left
  Vec3 tilt{angle, 0, 0};
  if (sine > 1e-12)
    tilt = {-angle * z_D.y / sine, angle * z_D.x / sine, 0};
  else if (z_D.z > 0)
    tilt = {};
  const Quat rest = conjugate(from_rotation_vector(tilt)) * q_BD;  // about z only
  return {tilt.x, tilt.y, wrap_angle(2 * std::atan2(rest.z, rest.w))};
}

SetpointRefusal accept(const ThrustVectorParams&, ThrustVectorState& state,
                       const Setpoint& setpoint, int* axis, bool) noexcept {
  if (axis != nullptr) *axis = -1;
  for (const AxisMode mode : setpoint.mode)
    if (static_cast<unsigned>(mode) > static_cast<unsigned>(AxisMode::kWrench))
      return SetpointRefusal::kBadMode;
  if (!is_usable(setpoint.X_WD) || !is_usable(setpoint.V_WD_B.v) || !is_usable(setpoint.V_WD_B.w) ||
      !is_usable(setpoint.F_Bo_B.force) || !is_usable(setpoint.F_Bo_B.torque))
    return SetpointRefusal::kNotFinite;
  if (!(std::abs(std::sqrt(squared_norm(setpoint.X_WD.q)) - 1) < 1e-6))
    return SetpointRefusal::kQuaternionNotUnit;
  state.setpoint = setpoint;
  return SetpointRefusal::kNone;
}

namespace {

/// Velocity error to the force wanted in the world, integral included.
Vec3 wanted_force(const ThrustVectorParams& params, ThrustVectorState& state, const CraftNow& craft,
                  Vec3 velocity_error, double dt_s, ThrustVectorTrace& trace) noexcept {
  integrate(params, state, velocity_error, dt_s);
  Vec3 a = state.integral;
  for (std::size_t i = 0; i < 3; ++i) {
    a[i] += params.velocity_gain[i] * velocity_error[i];
    if (state.setpoint.mode[i] == AxisMode::kWrench) a[i] = 0;
  }
  shorten(a.x, a.y, params.max_acceleration_m_s2);
  trace.wanted_acceleration_W = a;
  return craft.mass_kg * (a + Vec3{0, 0, craft.gravity_m_s2}) - craft.known_force_W;
}

/// What turns about one axis may ask for.
struct Turning {
  double attitude_gain, max_rate, rate_gain, most;
};

Turning turning(const ThrustVectorParams& p, const CraftNow& craft, std::size_t i,
                double turn) noexcept {
  Turning t{p.attitude_gain[i], p.max_rate_rad_s[i], p.rate_gain[i], kLargest};
  if (!(p.torque_share > 0) || !(craft.max_torque_Nm[i] > 0)) return t;
  t.most = p.torque_share * craft.max_torque_Nm[i] / craft.inertia_kgm2(i, i);
  t.rate_gain = std::min(t.rate_gain, t.most / p.full_torque_rad_s);
  t.attitude_gain = std::min(t.attitude_gain, 0.25 * t.rate_gain);
  t.max_rate = std::min(t.max_rate, std::sqrt(t.most * std::abs(turn)));
  return t;
}

double wanted_rate(const Turning& t, const Setpoint& setpoint, std::size_t i,
                   double turn) noexcept {
  if (setpoint.mode[3 + i] == AxisMode::kVelocity) return setpoint.V_WD_B.w[i];
  return std::clamp(t.attitude_gain * turn, -t.max_rate, t.max_rate);
}

}  // namespace

bool point(const ThrustVectorParams& params, const Setpoint& setpoint, const CraftNow& craft,
           const Pose& X_WB, const Twist& V_WB_B, const Pointing& wanted, WrenchDemand& demand,
           ThrustVectorTrace& trace) noexcept {
  const double length = norm(wanted.up_W);
  if (!is_usable(X_WB) || !is_usable(V_WB_B.v) || !is_usable(V_WB_B.w) || !is_plausible(craft) ||
      !is_usable(wanted.up_W) || !(length > 1e-12) || !is_usable(wanted.along_N))
    return false;
  const Quat q_WB = normalized(X_WB.q);
  const bool steer_heading = mode_of(setpoint, Axis::kYaw) == AxisMode::kPosition;
  trace.q_WD = attitude_of(wanted.up_W, heading_of(steer_heading ? setpoint.X_WD.q : q_WB));
  trace.turn_B = tilt_and_heading(q_WB, trace.q_WD);

  const Vec3 force_B{0, 0, std::clamp(wanted.along_N, craft.min_thrust_N, craft.max_thrust_N)};
  Vec3 acceleration;
  for (std::size_t i = 0; i < 3; ++i) {
    const Turning t = turning(params, craft, i, trace.turn_B[i]);
    trace.wanted_rate_B[i] = wanted_rate(t, setpoint, i, trace.turn_B[i]);
    acceleration[i] =
        std::clamp(t.rate_gain * (trace.wanted_rate_B[i] - V_WB_B.w[i]), -t.most, t.most);
  }
  Vec3 torque = torque_for(craft, acceleration, V_WB_B.w, force_B);
  for (std::size_t i = 0; i < 3; ++i)
    if (setpoint.mode[3 + i] == AxisMode::kWrench) torque[i] = setpoint.F_Bo_B.torque[i];

  const Wrench wrench{force_B, torque};
  if (!is_finite(wrench)) return false;
  demand.F_Bo_B = wrench;
  demand.group = params.group;
  for (std::size_t i = 0; i < kAxes; ++i)
    demand.weight[i] = i >= 2 && (craft.reachable & axis_bit(i)) != 0 ? params.weight[i] : 0;
  return true;
}

bool step(const ThrustVectorParams& params, ThrustVectorState& state, const CraftNow& craft,
          const Pose& X_WB, const Twist& V_WB_B, double dt_s, WrenchDemand& demand,
          ThrustVectorTrace& trace) noexcept {
  if (!is_usable(X_WB) || !is_usable(V_WB_B.v) || !is_usable(V_WB_B.w) || !is_plausible(craft) ||
      !(dt_s >= 0 && is_usable(dt_s)))
    return false;
  const Setpoint& setpoint = state.setpoint;
  const Pose X{X_WB.p, normalized(X_WB.q)};

  trace.wanted_velocity_W = wanted_velocity(params, setpoint, X);
  const Vec3 velocity_error = trace.wanted_velocity_W - rotate(X.q, V_WB_B.v);
  trace.wanted_force_W = wanted_force(params, state, craft, velocity_error, dt_s, trace);
  const Cut given = cut(params, craft, trace.wanted_force_W);
  trace.force_W = given.force;
  trace.tilt_limited = given.tilt_limited;
  trace.thrust_limited = given.thrust_limited;
  state.cut_along = trace.wanted_force_W - given.force;
  state.held = given.tilt_limited || given.thrust_limited || state.cut_along.z != 0;

  // only as much as points the right way now: a craft on its side does not push
  double along = std::max(dot(given.force, rotate(X.q, {0, 0, 1})), 0.0);
  if (mode_of(setpoint, Axis::kZ) == AxisMode::kWrench) along = setpoint.F_Bo_B.force.z;
  return point(params, setpoint, craft, X, V_WB_B, {given.force, along}, demand, trace);
}

namespace {

/// What the state's noise makes of turns is not for servos; a torque that was asked for by itself is,
/// and one of before it was armed, or of before the first measurement, is no memory.
void smooth(const ThrustVectorParams& params, const Setpoint& setpoint, Vec3 before,
            const LawInput& in, WrenchDemand& demand) noexcept {
  if (!(params.torque_time_s > 0) || !in.live || (in.measured && !(in.measured_dt_s > 0))) return;
  const double share = -std::expm1(-std::max(in.measured_dt_s, 0.0) / params.torque_time_s);
  Vec3& torque = demand.F_Bo_B.torque;
  for (std::size_t i = 0; i < 3; ++i)
    if (setpoint.mode[3 + i] != AxisMode::kWrench)
      torque[i] = before[i] + share * (torque[i] - before[i]);
}

}  // namespace

bool measure(const ThrustVectorParams& params, ThrustVectorState& state, const LawInput& in,
             ThrustVectorTrace& trace) noexcept {
  if (!in.whole || !in.measured || in.craft == nullptr) return true;
  // the first measurement has no time step, but a demand all the same
  const double dt_s = in.live && in.measured_dt_s > 0 ? in.measured_dt_s : 0;
  const Vec3 before = state.demand.F_Bo_B.torque;
  const bool usable = step(params, state, *in.craft, in.X_WB, in.V_WB_B, dt_s, state.demand, trace);
  if (usable) smooth(params, state.setpoint, before, in, state.demand);
  state.wanted_up_m_s = trace.wanted_velocity_W.z;
  return usable;
}

bool point(const ThrustVectorParams& params, ThrustVectorState& state, const Setpoint& setpoint,
           const LawInput& in, const Pointing& wanted, ThrustVectorTrace& trace) noexcept {
  const Vec3 before = state.demand.F_Bo_B.torque;
  if (in.craft == nullptr ||
      !point(params, setpoint, *in.craft, in.X_WB, in.V_WB_B, wanted, state.demand, trace))
    return false;
  smooth(params, setpoint, before, in, state.demand);
  return true;
}

WrenchDemand demand(const ThrustVectorParams&, const ThrustVectorState& state,
                    const ThrustVectorTrace&) noexcept {
  return state.demand;
}

void reset(const ThrustVectorParams&, ThrustVectorState& state, ResetCause cause) noexcept {
  if (cause != ResetCause::kNewGoal) reset(state);
}

void reset(ThrustVectorState& state) noexcept {
  state.integral = {};
  state.held = false;
  state.cut_along = {};
}

}  // namespace pintle::control
