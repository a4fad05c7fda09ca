#include <algorithm>
#include <cmath>

#include "pintle/stack/tick_steps.h"

namespace pintle::stack {
void Tick::choose_setpoint(mission::EngineInput& to_mission) noexcept {
  if (!model.has_mission) {
    out.mission = {};
    follow_planner();
    return;
  }
  to_mission.disarmed = state.arm != ArmState::kArmed;
  to_mission.reachable = state.reachable;
  mission::EngineOutput answer;
  const std::size_t before = out.events.size();
  mission::step(model.mission, state.mission, to_mission, answer, out.events);
  if (out.events.size() < before) out.events.resize(before);
  out.mission = answer.status;
  out.setpoint = answer.setpoint;
  // without a pose there is nothing to hold: stay on what the loops had
  if (!answer.pose_known)
    out.setpoint = model.law == Law::kThrustVector ? state.vector.setpoint : state.control.setpoint;
  out.authority = Authority::kMission;
  if (asked.code != CommandCode::kNone) answered(asked, answer.refused);
  if (answer.reset_control) {
    control::reset(model.control, state.control);
    control::reset(state.vector);
  }
}

/// What the planner gives is judged at once, whole with what it gave before.
void Tick::take_planner() noexcept {
  out.setpoint_answer = {};
  if (!in.has_setpoint || model.has_mission) return;
  const std::uint8_t parts = in.setpoint_parts;
  Setpoint wanted = state.planner_setpoint;
  if ((parts & kPosePart) != 0) wanted.X_WD = in.setpoint.X_WD;
  if ((parts & kVelocityPart) != 0) wanted.V_WD_B = in.setpoint.V_WD_B;
  if ((parts & kWrenchPart) != 0) wanted.F_Bo_B = in.setpoint.F_Bo_B;
  if ((parts & kModePart) != 0) wanted.mode = in.setpoint.mode;
  int axis = -1;
  const bool wrench_alone = (parts & (kWrenchPart | kModePart)) == kWrenchPart;
  out.setpoint_answer.refusal = accept(wanted, axis, wrench_alone);
  out.setpoint_answer.axis = axis;
  if (out.setpoint_answer.refusal != control::SetpointRefusal::kNone) {
    say(EventCode::kSetpointRejected, axis, static_cast<double>(out.setpoint_answer.refusal));
    return;
  }
  state.planner_parts = static_cast<std::uint8_t>(state.planner_parts | parts);
  state.has_planner_setpoint = true;
  state.planner_stale = state.planner_outlived = false;
  state.planner_setpoint_at = now;
  state.planner_setpoint = wanted;
}

void Tick::follow_planner() noexcept {
  take_planner();
  // nothing is followed for ever
  const bool valid = out.used.validity == Validity::kValid;
  if (!valid && !model.safety.resume_pose) state.planner_outlived = true;
  const bool forever = model.control.behaviour == control::Behaviour::kReference;
  const double limit = model.safety.setpoint_stale_s.value_or(forever ? 0 : kSetpointStale_s);
  if (state.has_planner_setpoint && (valid || !needs_state()) && limit > 0 &&
      (now - state.planner_setpoint_at).seconds() > limit)
    let_go_of_planner();
  if ((state.planner_parts & kPosePart) == 0 &&
      model.control.behaviour == control::Behaviour::kSafe)
    // nobody has asked for a pose: stay
    state.planner_setpoint.X_WD = state.acts == 0 || state.arm != ArmState::kArmed
                                      ? out.used.X_WB
                                      : state.planner_setpoint.X_WD;
  out.setpoint = state.planner_setpoint;
  out.authority = Authority::kPlanner;
}

/// Of a setpoint that is too old: what pushes or moves becomes a hold here and now.
void Tick::let_go_of_planner() noexcept {
  Setpoint& s = state.planner_setpoint;
  const bool floats = model.law == Law::kSixAxis;
  const auto holds = [&](std::size_t axis) {
    const AxisMode mode = s.mode[axis];
    if (mode == AxisMode::kPosition) return state.planner_outlived;
    return mode == AxisMode::kVelocity || !floats;
  };
  if (state.planner_stale && !state.planner_outlived) return;
  // along the axes as the law has them: of the body, or level
  const Pose& X = out.used.X_WB;
  const Quat q_WF = floats ? X.q : from_rpy({0, 0, yaw_of(X.q)});
  Vec3 ahead = rotate(conjugate(q_WF), s.X_WD.p - X.p);
  Vec3 turn = to_rotation_vector(conjugate(X.q) * s.X_WD.q);
  Vec6 wrench = to_vec6(s.F_Bo_B);
  bool told = false;
  for (std::size_t i = 0; i < kAxes; ++i) {
    const bool pushes = s.mode[i] == AxisMode::kWrench;
    told = told || holds(i) || (pushes && wrench[i] != 0);
    wrench[i] = 0;
    if (!holds(i)) continue;
    (i < 3 ? ahead[i] : turn[i - 3]) = 0;
    s.mode[i] = AxisMode::kPosition;
  }
  s.X_WD = {X.p + rotate(q_WF, ahead), normalized(X.q * from_rotation_vector(turn))};
  s.V_WD_B = {};
  s.F_Bo_B = to_wrench(wrench);
  state.planner_stale = true;
  state.planner_outlived = false;
  if (told) say(EventCode::kInputStale, InputCode::kSetpoint);
}

/// Takes a setpoint over; why not, and of which axis, if it is not acceptable.
control::SetpointRefusal Tick::accept(const Setpoint& setpoint, int& axis,
                                      bool wrench_is_new) noexcept {
  control::SetpointRefusal refusal = control::SetpointRefusal::kNone;
  if (model.law == Law::kVelocity) {
    if (!is_finite(setpoint.X_WD) || !is_finite(setpoint.V_WD_B))
      refusal = control::SetpointRefusal::kNotFinite;
  } else if (model.law == Law::kThrustVector) {
    if (!control::set_setpoint(state.vector, setpoint))
      refusal = control::SetpointRefusal::kNotFinite;
  } else {
    refusal = control::set_setpoint(model.control, state.control, setpoint, &axis, wrench_is_new);
  }
  return refusal;
}

void Tick::control() noexcept {
  if (state.copes && !state.is_landing) out.setpoint = blind_setpoint();
  int axis = -1;
  const control::SetpointRefusal why = accept(out.setpoint, axis);
  if (why != control::SetpointRefusal::kNone) {
    say(EventCode::kSetpointRejected, axis, static_cast<double>(why));
    out.setpoint = model.law == Law::kThrustVector ? state.vector.setpoint : state.control.setpoint;
  }
  if (state.is_landing)
    follow_landing();
  else if (model.law == Law::kThrustVector)
    follow_thrust_vector();
  else
    follow_six_axis();
}

/// Once per fresh measurement, with that measurement's dt; efforts hold in between.
void Tick::measure_six_axis() noexcept {
  const control::SixAxisInput input{out.used.X_WB, state.static_attitude, out.used.V_WB_B};
  // what was before the gap is no history; before the first there is none
  if (odometry.begins && state.odometry.was_valid)
    (void)control::refresh(model.control, state.control, input);
  if (out.measured == estimation::MeasurementVerdict::kFirst ||
      out.measured == estimation::MeasurementVerdict::kNoPose)
    out.control.delta_time_s = odometry.dt_s;
  if (!fresh) return;
  if (!control::update(model.control, state.control, input, odometry.dt_s, out.control, live()) &&
      odometry.dt_s > 0)
    say(EventCode::kInputRejected, InputCode::kOdometry);
}

void Tick::follow_six_axis() noexcept {
  measure_six_axis();
  out.demand = control::demand(model.control, state.control, out.control);
}

/// The craft as it is now, for the law: mass with the fuel that is left, thrust within reach.
control::CraftNow Tick::craft() const noexcept {
  const vehicle::MassProperties mass =
      vehicle::mass_of(model.vehicle, state.propulsors, state.tank_kg);
  control::CraftNow now_;
  now_.mass_kg = mass.mass_kg;
  now_.inertia_kgm2 = mass.inertia_kgm2;
  now_.p_BoBcm_B = mass.center_of_mass_m;
  now_.gravity_m_s2 = model.surroundings.gravity_m_s2;
  const Wrench drag =
      vehicle::air_drag(model.vehicle, out.used.V_WB_B, {}, model.surroundings.air_density_kg_m3);
  now_.known_force_W = rotate(out.used.X_WB.q, drag.force);
  const Effectiveness& e = state.effectiveness;
  double low = e.bias.force.z, high = e.bias.force.z;
  for (std::size_t i = 0; i < e.n; ++i) {
    const PropulsorHealth& h = state.health[model.owner[i]];
    if (h.health == Health::kOut) continue;
    const double per = (h.health == Health::kWeak ? h.efficiency : 1.0) * e.column[i][2];
    low += std::min(per * e.lower[i], per * e.upper[i]);
    high += std::max(per * e.lower[i], per * e.upper[i]);
  }
  now_.min_thrust_N = low;
  now_.max_thrust_N = std::max(low, high);
  now_.reachable = state.reachable;
  return now_;
}

void Tick::follow_thrust_vector() noexcept {
  if (state.measured) {
    // the first measurement has no time step, but a demand all the same
    const double dt = live() && state.measured_dt_s > 0 ? state.measured_dt_s : 0;
    const control::CraftNow now_ = craft();
    if (!control::step(model.vector, state.vector, now_, out.used.X_WB, out.used.V_WB_B, dt,
                       state.vector_demand, out.vector))
      say(EventCode::kInputRejected, InputCode::kOdometry);
    state.mass_kg = now_.mass_kg;
    state.wanted_up_m_s = out.vector.wanted_velocity_W.z;
  }
  out.demand = state.vector_demand;
}

}  // namespace pintle::stack
