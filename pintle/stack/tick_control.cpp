#include <algorithm>
#include <cmath>
#include <optional>

#include "pintle/stack/tick_steps.h"

namespace pintle::stack {
void Tick::choose_setpoint(mission::EngineInput& to_mission) noexcept {
  if (!model.has_mission) {
    out.mission = {};
    follow_planner();
    mission::EngineOutput none;
    if (model.supervised) arbitrate(none);
    if (state.failsafe.action != FailsafeAction::kWarn) follow_failsafe();
    return;
  }
  to_mission.disarmed = state.arm != ArmState::kArmed;
  if (model.traits.allocates) to_mission.reachable = state.reachable;
  const std::size_t before = out.events.size();
  mission::EngineOutput answer =
      mission::step(model.mission, state.mission, to_mission, out.events);
  if (out.events.size() < before) out.events.resize(before);
  out.mission = answer.status;
  out.setpoint = answer.setpoint;
  // without a pose there is nothing to hold: stay on what the loops had
  if (!answer.pose_known) out.setpoint = control::accepted(state.law);
  out.authority = Authority::kMission;
  if (asked.code != CommandCode::kNone) {
    answered(asked, answer.refused);
    // an operator has the last word
    if (!answer.refused) state.failsafe.action = FailsafeAction::kWarn;
  }
  if (answer.reset_control) reset(control::ResetCause::kAsked);
  if (model.supervised) arbitrate(answer);
  if (answer.changed) reset(control::ResetCause::kNewGoal);
  new_goal = answer.changed || answer.reset_control;
  servo = answer.servo;
  finished = answer.finished;
  if (state.failsafe.action != FailsafeAction::kWarn) follow_failsafe();
}

void Tick::reset(control::ResetCause cause) noexcept {
  control::reset(model.law, state.law, cause);
}

/// Its place, as far as an axis of it is followed: past which limit.
std::optional<FailsafeCondition> Tick::is_beyond(const Setpoint& s) const noexcept {
  Vec3 p = out.used.X_WB.p;
  for (std::size_t i = 0; i < 3; ++i)
    if (s.mode[i] == AxisMode::kPosition) p[i] = s.X_WD.p[i];
  return beyond(model.failsafe, p);
}

/// A place that was given while nobody followed it; not where the craft itself is past that limit: its
/// row holds it.
bool Tick::begins_to_follow(const Setpoint& s) const noexcept {
  const Setpoint& before = state.planner_setpoint;
  for (std::size_t i = 0; i < 3; ++i)
    if (s.mode[i] == AxisMode::kPosition && before.mode[i] != AxisMode::kPosition)
      return beyond(model.failsafe, out.used.X_WB.p) != is_beyond(s);
  return false;
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
  // a place that the craft may not go to is refused before the law has heard of it
  if (is_beyond(wanted) && ((parts & kPosePart) != 0 || begins_to_follow(wanted)))
    out.setpoint_answer.refusal = control::SetpointRefusal::kBeyond;
  else
    out.setpoint_answer.refusal = control::accept(model.law, state.law, wanted, axis, wrench_alone);
  out.setpoint_answer.axis = axis;
  if (out.setpoint_answer.refusal != control::SetpointRefusal::kNone) {
    say(EventCode::kSetpointRejected, axis, static_cast<double>(out.setpoint_answer.refusal));
    return;
  }
  state.planner_parts = static_cast<std::uint8_t>(state.planner_parts | parts);
  state.has_planner_setpoint = true;
  state.planner_stale = state.planner_outlived = false;
  state.planner_setpoint_at = now;
  if ((parts & kPosePart) != 0) state.planner_pose_at = now;
  const bool new_modes = wanted.mode != state.planner_setpoint.mode;
  if (new_modes || (parts & kWrenchPart) != 0) state.planner_wrench_at = now;
  if (new_modes || (parts & kVelocityPart) != 0) state.planner_velocity_at = now;
  state.planner_setpoint = wanted;
}

void Tick::follow_planner() noexcept {
  take_planner();
  // nothing is followed for ever
  const bool valid = out.used.validity == Validity::kValid;
  if (!valid && !model.safety.resume_pose) state.planner_outlived = true;
  const bool safe = control::behaviour(model.law) == control::Behaviour::kSafe;
  const double limit = model.safety.setpoint_stale_s.value_or(safe ? kSetpointStale_s : 0);
  const auto is_old = [&](Time at) { return (now - at).seconds() > limit; };
  if (state.has_planner_setpoint && (valid || !needs_state()) && limit > 0)
    let_go_of_planner(is_old(state.planner_wrench_at), is_old(state.planner_velocity_at),
                      is_old(state.planner_setpoint_at));
  if ((state.planner_parts & kPosePart) == 0 && safe)
    // nobody has asked for a pose: stay
    state.planner_setpoint.X_WD = state.acts == 0 || state.arm != ArmState::kArmed
                                      ? out.used.X_WB
                                      : state.planner_setpoint.X_WD;
  out.setpoint = state.planner_setpoint;
  out.authority = Authority::kPlanner;
}

/// Of the parts of a setpoint that are too old: what pushes or moves becomes a hold here and now.
/// Somebody else who goes on saying another part keeps none of them alive.
void Tick::let_go_of_planner(bool wrench, bool velocity, bool pose) noexcept {
  if (!wrench && !velocity && !pose) return;
  Setpoint& s = state.planner_setpoint;
  const bool floats = !model.traits.flies;
  const bool outlived = pose && state.planner_outlived;
  if (pose) state.planner_outlived = false;
  state.planner_stale = pose;
  const auto holds = [&](std::size_t axis) {
    switch (s.mode[axis]) {
      case AxisMode::kWrench: return wrench && !floats;
      case AxisMode::kVelocity: return velocity;
      default: return outlived;
    }
  };
  const Vec6 pushed = to_vec6(s.F_Bo_B);
  AxisMask held = 0;
  bool told = false;
  for (std::size_t i = 0; i < kAxes; ++i) {
    told = told || (wrench && s.mode[i] == AxisMode::kWrench && pushed[i] != 0);
    if (holds(i)) held |= static_cast<AxisMask>(1U << i);
  }
  if (held != 0) {
    // along the axes as the law has them: of the body, or level
    const Pose& X = out.used.X_WB;
    const Quat q_WF = model.traits.each_axis ? X.q : from_rpy({0, 0, yaw_of(X.q)});
    Vec3 ahead = rotate(conjugate(q_WF), s.X_WD.p - X.p);
    Vec3 turn = to_rotation_vector(conjugate(X.q) * s.X_WD.q);
    for (std::size_t i = 0; i < kAxes; ++i) {
      if ((held >> i & 1) == 0) continue;
      (i < 3 ? ahead[i] : turn[i - 3]) = 0;
      s.mode[i] = AxisMode::kPosition;
    }
    s.X_WD = {X.p + rotate(q_WF, ahead), normalized(X.q * from_rotation_vector(turn))};
    told = true;
  }
  if (velocity) s.V_WD_B = {};
  if (wrench) s.F_Bo_B = {};
  if (told) say(EventCode::kInputStale, InputCode::kSetpoint);
}

void Tick::control() noexcept {
  if (state.copes && !state.is_landing) out.setpoint = blind_setpoint();
  int axis = -1;
  const control::SetpointRefusal why = control::accept(model.law, state.law, out.setpoint, axis);
  if (why != control::SetpointRefusal::kNone) {
    say(EventCode::kSetpointRejected, axis, static_cast<double>(why));
    out.setpoint = control::accepted(state.law);
  }
  if (state.is_landing) {
    follow_landing();
    return;
  }
  measure(true);
  control::demand(model.law, state.law, out.law, out.demand);
}

control::LawInput Tick::law_input() const noexcept {
  using estimation::MeasurementVerdict;
  control::LawInput input{out.used.X_WB, out.used.V_WB_B, state.static_attitude};
  input.fresh = fresh;
  input.dt_s = odometry_dt_s;
  // before the first measurement there was nothing to forget
  input.begins = begins && state.odometry.was_valid;
  input.untimed =
      out.measured == MeasurementVerdict::kFirst || out.measured == MeasurementVerdict::kNoPose;
  input.measured = state.measured;
  input.measured_dt_s = state.measured_dt_s;
  input.live = live();
  input.period_s = model.period.seconds();
  input.new_goal = new_goal;
  input.servo = servo;
  return input;
}

/// The loops, on what was measured; efforts hold in between.
void Tick::measure(bool whole) noexcept {
  control::LawInput input = law_input();
  input.whole = whole;
  input.stays = !model.traits.allocates && has_to_stay();
  std::optional<control::CraftNow> now_;
  if (whole && model.traits.needs_craft && state.measured) {
    now_ = craft();
    input.craft = &*now_;
    state.mass_kg = now_->mass_kg;
  }
  if (!control::measure(model.law, state.law, input, out.law))
    say(EventCode::kInputRejected, InputCode::kOdometry);
}

/// The velocity for a flight controller.
void Tick::steer() noexcept {
  control();
  if (!live()) out.authority = Authority::kSafe;
  out.motion = control::motion(state.law);
  // the flight controller itself goes up and down
  const AircraftState& a = state.aircraft;
  if (a.flight_fresh && a.flight.phase != FlightPhase::kAirborne) out.motion.v_H.z = 0;
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
  const Effectiveness& e = work.effectiveness;
  double low = e.bias.force.z, high = e.bias.force.z;
  for (std::size_t i = 0; i < e.n; ++i) {
    const PropulsorHealth& h = state.health[model.owner[i]];
    if (h.health == Health::kOut) continue;
    const double is_there = h.health == Health::kWeak ? h.efficiency : 1.0;
    const double per = is_there * e.column[i][2];
    low += std::min(per * e.lower[i], per * e.upper[i]);
    high += std::max(per * e.lower[i], per * e.upper[i]);
    // a fin gets to all of its travel, if not at once
    const bool fin = std::holds_alternative<propulsion::FinParams>(
        model.vehicle.propulsors[model.owner[i]].model);
    const double half = is_there * (fin ? 1 : 0.5 * (e.upper[i] - e.lower[i]));
    for (std::size_t a = 0; a < 3; ++a)
      now_.max_torque_Nm[a] += half * std::abs(e.column[i][3 + a]);
  }
  now_.min_thrust_N = low;
  now_.max_thrust_N = std::max(low, high);
  now_.reachable = state.reachable;
  return now_;
}

}  // namespace pintle::stack
