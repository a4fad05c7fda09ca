#include "pintle/control/velocity_law.h"

#include <algorithm>
#include <cmath>

#include "pintle/base/rotation.h"

namespace pintle::control {
namespace {

/// Turned about z by -angle: world to heading.
Vec3 turned_back(Vec3 v, double angle) noexcept {
  const double c = std::cos(angle), s = std::sin(angle);
  return {c * v.x + s * v.y, c * v.y - s * v.x, v.z};
}

bool all_usable(const Setpoint& s, const Pose& X) noexcept {
  const double n = squared_norm(X.q), m = squared_norm(s.X_WD.q);
  return is_finite(X) && is_finite(s.X_WD) && is_finite(s.V_WD_B) && n > 0.5 && n < 2 && m > 0.5 &&
         m < 2;
}

}  // namespace

void reset(VelocityLawState& state) noexcept { state.loops = {}; }

bool step(const VelocityLawParams& p, VelocityLawState& state, const Setpoint& setpoint,
          const Pose& X_WB, double dt_s, bool world_axes, MotionCommand& out,
          VelocityLawTrace& trace) noexcept {
  out = {};
  trace = {};
  if (!all_usable(setpoint, X_WB)) {
    reset(state);
    return false;
  }
  const double heading = yaw_of(normalized(X_WB.q));
  const Vec3 way_W = setpoint.X_WD.p - X_WB.p;
  const Vec3 way_H = turned_back(way_W, heading);
  const double turn = wrap_angle(yaw_of(normalized(setpoint.X_WD.q)) - heading);
  trace.error = {way_H.x, way_H.y, way_H.z, turn};

  if (world_axes != state.world_axes) {
    state.loops[0] = state.loops[1] = {};
    state.world_axes = world_axes;
  }
  const Vec3 way = world_axes ? way_W : way_H;
  const std::array<double, 4> error{way.x, way.y, way.z, turn};
  const std::array<AxisMode, 4> mode{setpoint.mode[0], setpoint.mode[1], setpoint.mode[2],
                                     setpoint.mode[5]};
  const std::array<const DeadbandPidParams*, 4> params{&p.xy, &p.xy, &p.z, &p.yaw};
  std::array<double, 4> v{};
  for (std::size_t i = 0; i < 4; ++i) {
    // what a loop learnt under another mode says nothing here
    if (mode[i] != state.mode[i]) state.loops[i] = {};
    state.mode[i] = mode[i];
    if (mode[i] != AxisMode::kPosition) continue;
    const DeadbandPidTerms terms = p.form == VelocityForm::kPerTick
                                       ? step_per_tick(*params[i], state.loops[i], error[i])
                                       : step_timed(*params[i], state.loops[i], error[i], dt_s);
    v[i] = terms.output;
    trace.inside[i] = terms.inside;
  }
  Vec3 v_H{v[0], v[1], v[2]};
  if (world_axes) v_H = turned_back(v_H, heading);
  double rate = v[3];
  // what the goal itself moves by
  if (mode[0] == AxisMode::kPosition) v_H.x += setpoint.V_WD_B.v.x;
  if (mode[1] == AxisMode::kPosition) v_H.y += setpoint.V_WD_B.v.y;
  if (mode[2] == AxisMode::kPosition) v_H.z += setpoint.V_WD_B.v.z;
  if (mode[0] == AxisMode::kVelocity) v_H.x = setpoint.V_WD_B.v.x;
  if (mode[1] == AxisMode::kVelocity) v_H.y = setpoint.V_WD_B.v.y;
  if (mode[2] == AxisMode::kVelocity) v_H.z = setpoint.V_WD_B.v.z;
  if (mode[3] == AxisMode::kVelocity) rate = setpoint.V_WD_B.w.z;

  const double speed = std::hypot(v_H.x, v_H.y);
  if (speed > p.max_speed_m_s) {
    v_H.x *= p.max_speed_m_s / speed;
    v_H.y *= p.max_speed_m_s / speed;
  }
  v_H.z = std::clamp(v_H.z, -p.max_descent_m_s, p.max_climb_m_s);
  out.v_H = v_H;
  out.yaw_rate_rad_s = std::clamp(rate, -p.max_yaw_rate_rad_s, p.max_yaw_rate_rad_s);
  return true;
}

SetpointRefusal accept(const VelocityLawParams&, VelocityLawState& state, const Setpoint& setpoint,
                       int* axis, bool) noexcept {
  if (axis != nullptr) *axis = -1;
  if (!is_finite(setpoint.X_WD) || !is_finite(setpoint.V_WD_B)) return SetpointRefusal::kNotFinite;
  state.setpoint = setpoint;
  return SetpointRefusal::kNone;
}

bool measure(const VelocityLawParams& p, VelocityLawState& state, const LawInput& in,
             VelocityLawTrace& trace) noexcept {
  if (in.stays) {
    reset(state);
    state.motion = {};
    trace = {};
    return true;
  }
  if (!in.fresh && !in.new_goal && p.form != VelocityForm::kPerTick) return true;
  const double step_s = in.fresh && in.dt_s > 0 && in.dt_s < 1 ? in.dt_s : in.period_s;
  return step(p, state, state.setpoint, in.X_WB, step_s, !in.servo, state.motion, trace);
}

void reset(const VelocityLawParams&, VelocityLawState& state, ResetCause) noexcept { reset(state); }

Findings check(const VelocityLawParams& p) {
  Findings out;
  for (const auto& [name, loop] :
       {std::pair{"xy", &p.xy}, std::pair{"z", &p.z}, std::pair{"yaw", &p.yaw}})
    for (Finding f : check(*loop)) {
      f.path = std::string(name) + "." + f.path;
      out.push_back(std::move(f));
    }
  return out;
}

}  // namespace pintle::control

namespace pintle {

template <>
const EnumTable& enum_table<control::VelocityForm>() {
  using control::VelocityForm;
  static constexpr std::array values{
      enum_value(VelocityForm::kTimed, "timed", "ki per second, kd in seconds."),
      enum_value(VelocityForm::kPerTick, "per_tick", "Gains per step of the loop, at 50 Hz.")};
  static constexpr EnumTable table{"VelocityForm", values};
  return table;
}

template <>
const Table& table_of<control::VelocityLawParams>() {
  using P = control::VelocityLawParams;
  static const Table table =
      TableBuilder<P>("VelocityLawParams", "From a pose to the velocity that leads there.")
          .field("form", &P::form, "", "What the gains of the loops are per.")
          .field("xy", &P::xy, "", "The loops across, one each.")
          .field("z", &P::z, "", "The loop of the height.")
          .field("yaw", &P::yaw, "", "The loop of the heading.")
          .field("max_speed_m_s", &P::max_speed_m_s, "m/s", "Across, whatever the loops ask for.")
          .range(0, 100)
          .field("max_climb_m_s", &P::max_climb_m_s, "m/s", "Up.")
          .range(0, 100)
          .field("max_descent_m_s", &P::max_descent_m_s, "m/s", "Down.")
          .range(0, 100)
          .field("max_yaw_rate_rad_s", &P::max_yaw_rate_rad_s, "rad/s", "Either way.")
          .range(0, 100)
          .build();
  return table;
}

template <>
const Table& table_of<control::VelocityLawTrace>() {
  using T = control::VelocityLawTrace;
  static const Table table =
      TableBuilder<T>("VelocityLawTrace", "What the loops of the velocity law saw.")
          .field("error", &T::error, "", "Ahead, to the left, up, turn to make; m and rad.")
          .field("inside", &T::inside, "", "Within the dead band.")
          .build();
  return table;
}

}  // namespace pintle
