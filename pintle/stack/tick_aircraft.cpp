// Supervision of a craft whose flight controller reports, under whatever law: where the flight counts
// from, whether odometry is in the frame that it is said to be in, who flies, goals from outside.

#include <algorithm>
#include <cmath>
#include <utility>

#include "pintle/stack/tick_steps.h"

namespace pintle::stack {
namespace {

constexpr double kMostAhead_s = 0.1;     // of a stamp
constexpr double kJumpPersists_s = 0.5;  // then it is no single bad sample
constexpr double kRepeats_s = 1;         // nothing in the air gives the same numbers for so long
constexpr double kSurprise_m_s2 = 2;     // what a prediction may be off by, besides the jump
constexpr double kFastest_m_s = 100;
constexpr double kDeadReckoningGap_s =
    0.3;                          // over which the flight controller's velocity is summed up
constexpr double kHeld_m = 0.05;  // standing still higher than where it stood: in a hand
constexpr double kDown_s = 3;     // no report that is wrong for a moment, nor a bounce
constexpr double kAlarmOver_s = 1;

bool is_sane(const FlightReport& r) noexcept {
  return static_cast<std::uint8_t>(r.phase) <= 5 && norm(r.v_W) <= kFastest_m_s &&
         std::isfinite(r.yaw_rad) && (!r.has_battery || (r.battery >= 0 && r.battery <= 1)) &&
         static_cast<std::uint8_t>(r.outcome) <= 4;
}

bool is_sane(const GripperReport& r) noexcept {
  return static_cast<std::uint8_t>(r.hold) <= 2 && static_cast<std::uint8_t>(r.outcome) <= 4;
}

/// Nothing has been shown yet.
estimation::FrameCheck new_proof(const mission::AircraftSpec& spec) noexcept {
  estimation::FrameCheckParams frames;
  frames.odometry_gap_s = spec.state_lost_s;
  return {estimation::OdometryFrame::kEnu, frames};
}

}  // namespace

void prepare_aircraft(const Model& model, AircraftState& s) noexcept {
  const mission::AircraftSpec& spec = model.mission.aircraft;
  estimation::OriginParams origin;
  origin.window_s = spec.origin_window_s;
  origin.radius_m = spec.origin_radius_m;
  origin.held_m = kHeld_m;
  s.origin = estimation::Origin(origin);
  s.has_origin = !(spec.origin_window_s > 0);
  s.frames = new_proof(spec);
  s.mount = {};
  s.way = estimation::DeadReckoning(kDeadReckoningGap_s);
  s.watch = estimation::MotionWatch{};
  s.watched = s.frame_refuted = false;
  mission::NavigationParams navigation;
  navigation.tolerance_m = spec.navigation_tolerance_m;
  navigation.tolerance_rad = radians(spec.navigation_tolerance_deg);
  navigation.timeout_s = spec.navigation_timeout_s;
  navigation.stale_s = std::min(navigation.stale_s, spec.state_lost_s);
  s.navigation = mission::Navigation(navigation);
}

/// On the ground as far as is known; what has never been heard of has not taken off.
bool Tick::stands() const noexcept {
  const AircraftState& a = state.aircraft;
  return a.has_flight ? on_ground(a.flight.phase) : true;
}

void Tick::take_reports() noexcept {
  AircraftState& a = state.aircraft;
  out.navigation = {};
  const mission::AircraftSpec& spec = model.mission.aircraft;
  if (state.ticks == 0) a.begun = now;
  const auto usable = [this](Time stamp, Time before, bool has_before) {
    return (!has_before || stamp > before) && (stamp - now).seconds() <= kMostAhead_s;
  };
  if (in.has_flight) {
    if (is_sane(in.flight) && usable(in.flight.stamp, a.flight.stamp, a.has_flight)) {
      const FlightReport before = std::exchange(a.flight, in.flight);
      if (std::exchange(a.has_flight, true)) feel_flight(before);
      a.refuses_flight = false;
      if (std::exchange(a.battery_known, a.flight.has_battery) && !a.battery_known)
        say(EventCode::kInputStale, InputCode::kBattery);
      if (state.arm != ArmState::kArmed) a.frames.witnessed(a.flight.v_W, a.flight.stamp);
      a.way.take(a.flight.v_W, a.flight.stamp);
    } else if (!(in.flight.stamp == a.flight.stamp) && !std::exchange(a.refuses_flight, true)) {
      say(EventCode::kInputRejected, InputCode::kFlight);
    }
  }
  if (in.has_gripper) {
    if (is_sane(in.gripper) && usable(in.gripper.stamp, a.gripper.stamp, a.has_gripper)) {
      a.gripper = in.gripper;
      a.has_gripper = true;
      a.refuses_gripper = false;
    } else if (!(in.gripper.stamp == a.gripper.stamp) && !std::exchange(a.refuses_gripper, true)) {
      say(EventCode::kInputRejected, InputCode::kGripper);
    }
  }
  const auto watch = [this](bool& was, bool is, InputCode code) {
    if (was != is) say(is ? EventCode::kInputRecovered : EventCode::kInputStale, code);
    was = is;
  };
  watch(a.flight_fresh, a.has_flight && (now - a.flight.stamp).seconds() <= spec.flight_stale_s,
        InputCode::kFlight);
  watch(a.gripper_fresh, a.has_gripper && (now - a.gripper.stamp).seconds() <= spec.gripper_stale_s,
        InputCode::kGripper);
}

/// In the air: the same numbers again and again, under new stamps. A source that hangs.
bool Tick::repeats(const estimation::Measurement& next) const noexcept {
  const estimation::Measurement& last = state.odometry.last;
  return state.aircraft.flight.phase == FlightPhase::kAirborne && next.X_WB == last.X_WB &&
         next.V_WB_B == last.V_WB_B;
}

/// The odometry of this tick, if it can be what follows the last; null: nothing to go by.
const estimation::Measurement* Tick::plausible_odometry() noexcept {
  if (!in.has_odometry) return nullptr;
  if (!model.supervised) return &in.odometry;
  AircraftState& a = state.aircraft;
  const estimation::Measurement& next = in.odometry;
  const estimation::Measurement& last = state.odometry.last;
  const double step_s = (next.stamp - last.stamp).seconds();
  // the estimator has its own word on what is not finite or not newer
  if (!state.odometry.has_measurement || !is_finite(next.X_WB.p) || !(step_s > 0)) return &next;
  if (stands()) {
    // carried, or begun anew: the origin will be found again
    a.origin_lost = a.refusing = a.repeats = false;
    return &next;
  }
  const bool same = repeats(next);
  if (same && (next.stamp - a.differed_at).seconds() > kRepeats_s) {
    if (!std::exchange(a.repeats, true)) say(EventCode::kInputRejected, InputCode::kOdometry);
    return nullptr;
  }
  if (!a.origin_lost) {
    const Vec3 v_W = rotate(last.X_WB.q, last.V_WB_B.v);
    const double off = norm(next.X_WB.p - last.X_WB.p - step_s * v_W);
    if (off <= model.mission.aircraft.jump_m + 0.5 * kSurprise_m_s2 * step_s * step_s) {
      a.refusing = a.repeats = false;
      if (!same) a.differed_at = std::min(next.stamp, now);
      return &next;
    }
    if (!a.refusing) {
      a.refusing_since = now;
      say(EventCode::kInputRejected, InputCode::kOdometry, off);
    }
    a.refusing = true;
    if ((now - a.refusing_since).seconds() > kJumpPersists_s) {
      a.origin_lost = true;
      say(EventCode::kOriginCleared, -1, off);
    }
  }
  return nullptr;
}

/// Origin of the flight, and whether odometry moves as the flight controller does; on the ground
/// only. Positions count from the origin from here on.
void Tick::find_origin() noexcept {
  AircraftState& a = state.aircraft;
  const mission::AircraftSpec& spec = model.mission.aircraft;
  if (a.flight_fresh && !stands()) a.flew = true;
  if (fresh && stands()) {
    const Vec3 p = state.odometry.last.X_WB.p;
    if (spec.origin_window_s > 0) {
      if (a.flew) {
        // what was touched down on is the next origin
        a.flew = a.has_origin = false;
        a.origin.touched_down(p.z);
        a.mount = {};
        say(EventCode::kOriginCleared);
      }
      // one sample that is off is not yet a hand
      const bool was_off = std::exchange(a.off_its_place, is_off_its_place(p));
      if (was_off && a.off_its_place && state.arm == ArmState::kArmed) {
        // in somebody's hands: neither is it where it was armed, nor may it take off there
        state.arm = ArmState::kDisarmed;
        say(EventCode::kDisarmed);
        cut_off = true;
      }
      const bool away = a.has_origin && !(norm(p - a.origin_m) <= 2 * spec.origin_radius_m);
      if (state.arm != ArmState::kArmed && (away || a.origin.has_jumped())) {
        if (a.has_origin) say(EventCode::kOriginCleared, -1, norm(p - a.origin_m));
        a.has_origin = false;
        a.origin.restart();
        a.mount = {};
      }
      const std::uint32_t grounds = a.origin.grounds();
      (void)a.origin.update(p, state.odometry.last.stamp);
      // a lift counts from where it stands
      if (a.origin.grounds() != grounds) {
        a.frames = new_proof(spec);
        a.mount = {};
      }
      if (const auto from = a.origin.relative(p); from && !a.has_origin) {
        say(EventCode::kOriginSet, -1, norm(p - *from - a.origin_m));
        a.origin_m = p - *from;
        a.has_origin = true;
      }
    }
    if (state.arm != ArmState::kArmed && a.flight_fresh) {
      const estimation::Measurement& m = state.odometry.last;
      std::optional<double> yaw;
      if (a.flight.has_yaw) yaw = a.flight.yaw_rad;
      a.frames.observe({m.X_WB.p, rotate(m.X_WB.q, m.V_WB_B.v), yaw_of(m.X_WB.q)}, yaw, m.stamp);
      look_at_pad();
    }
  }
  out.used.X_WB.p = out.used.X_WB.p - a.origin_m;
}

/// While it is carried: what stands still must be seen to stand still.
void Tick::look_at_pad() noexcept {
  for (const TargetSighting& seen : in.targets) {
    Pose X_WB;
    if (seen.kind != TargetKind::kPad || !mission::can_be_seen(seen) || seen.stamp > now ||
        !state.mission.poses.find(seen.stamp, X_WB))
      continue;
    // by odometry: the origin may be found meanwhile
    const Vec3 p = state.mission.origin + X_WB.p;
    state.aircraft.mount.observe(p, p + rotate(X_WB.q, seen.p_BT_B));
  }
}

/// Taken away from where it rested, and not by itself: nothing has been asked to take off.
bool Tick::is_off_its_place(Vec3 p) const noexcept {
  const AircraftState& a = state.aircraft;
  return a.flight_fresh && state.mission.requests.flight.kind != FlightRequestKind::kTakeOff &&
         !(a.origin.from_rest_m(p) <= 2 * model.mission.aircraft.origin_radius_m);
}

/// In flight odometry must go where the flight controller says it goes; else nothing is known.
void Tick::watch_motion() noexcept {
  AircraftState& a = state.aircraft;
  const bool flies = a.has_flight && !stands();
  if (flies != a.watched) a.watch.restart(flies);
  a.watched = flies;
  if (!flies || !fresh || a.origin_lost) return;
  const estimation::Measurement& m = state.odometry.last;
  const bool taking_off = a.flight.phase == FlightPhase::kTakingOff;
  if (a.watch.agrees(m.X_WB.p, a.way, m.stamp, taking_off)) return;
  a.origin_lost = true;
  a.frame_refuted = a.frame_refuted || taking_off;
  say(EventCode::kMotionDisagrees, -1, a.watch.off_m());
}

ArmObstacles Tick::aircraft_obstacles() const noexcept {
  const AircraftState& a = state.aircraft;
  const mission::AircraftSpec& spec = model.mission.aircraft;
  using estimation::FrameVerdict;
  ArmObstacles all = 0;
  const auto add = [&all](bool stands, ArmObstacle o) { all |= stands ? obstacle_bit(o) : 0; };
  const bool disagrees = a.frame_refuted || a.frames.up() == FrameVerdict::kDisagrees ||
                         a.frames.horizontal() == FrameVerdict::kDisagrees;
  const bool proves = spec.frame_proof == mission::FrameProof::kCarry;
  add(!a.flight_fresh, ArmObstacle::kNoFlightReport);
  add(out.used.validity != Validity::kValid, ArmObstacle::kNoState);
  add(disagrees, ArmObstacle::kFrameDisagrees);
  add(!disagrees && proves && !a.frames.may_arm(), ArmObstacle::kFrameUndecided);
  add(a.mount.disagrees(), ArmObstacle::kMountDisagrees);
  add(!a.has_origin, a.origin.is_held() ? ArmObstacle::kHeld : ArmObstacle::kNoOrigin);
  add(spec.battery_min > 0 && !a.battery_known, ArmObstacle::kBatteryUnknown);
  add(a.battery_known && a.flight.battery < spec.battery_min, ArmObstacle::kBatteryLow);
  return all;
}

bool Tick::site_may_ask(CommandCode code) const noexcept {
  if (!model.supervised) return false;
  if (code == CommandCode::kArm) return state.commander == mission::Operator::kNobody;
  return code == CommandCode::kMissionStart && state.aircraft.may_be_charged &&
         state.aircraft.flight_fresh && stands();
}

/// What has been armed for one flight does not stay armed after it.
void Tick::rest_on_ground() noexcept {
  AircraftState& a = state.aircraft;
  const bool rests = !mission::is_under_way(out.mission.phase);
  if (state.arm != ArmState::kArmed || !rests) a.may_be_charged = false;
  const bool stepped = out.mission.phase == MissionPhase::kPaused && state.mission.selected;
  const bool down = a.flight_fresh && stands();
  if (a.flight_fresh && !down) a.has_flown = true;
  if (finished) a.has_ended = true;
  if (!down) a.down_at = now;
  // what was cut off in the air, too, once it has been down for a while
  const bool is_over = a.has_ended || (a.has_flown && (now - a.down_at).seconds() >= kDown_s);
  // nor is a pause an end, but for the one after a single step
  if (state.arm != ArmState::kArmed || !(rests || stepped) || !is_over || !down) return;
  if (state.mission.requests.rising) return;
  a.has_flown = a.has_ended = false;
  state.arm = ArmState::kDisarmed;
  say(EventCode::kDisarmed);
}

/// What is an alarm for as long as it is: over when it is known to have been so for a while.
void Tick::note_alarms(const mission::AircraftInput& told) noexcept {
  AircraftState& a = state.aircraft;
  const auto is_over = [this](Time since) { return (now - since).seconds() >= kAlarmOver_s; };
  if (a.has_flight && !a.flight_fresh) {
    a.is_silent = true;
    a.silent_at = now;
  } else if (a.is_silent && is_over(a.silent_at)) {
    a.is_silent = false;
  }
  const bool placed = out.used.validity == Validity::kValid;
  const mission::LimitsPassed is =
      mission::limits_passed(model.mission.aircraft, told, placed ? &out.used.X_WB.p : nullptr);
  if (state.arm != ArmState::kArmed || !is.in_flight) a.limits_passed = 0;
  for (std::size_t i = 0; state.arm == ArmState::kArmed && i < mission::kMissionLimits; ++i) {
    const unsigned bit = 1U << i;
    a.limits_passed = static_cast<std::uint8_t>(a.limits_passed | (is.passed & bit));
    if ((is.passed & bit) != 0 || (is.known & bit) == 0) a.passed_at[i] = now;
    if (is_over(a.passed_at[i]))
      a.limits_passed = static_cast<std::uint8_t>(a.limits_passed & ~bit);
  }
}

/// What the mission is told of the craft; lost odometry holds at once and flees after its bound.
void Tick::watch_aircraft(mission::EngineInput& to_mission) noexcept {
  AircraftState& a = state.aircraft;
  const mission::AircraftSpec& spec = model.mission.aircraft;
  if (cut_off) {
    to_mission.command = mission::Command::kCutOff;
    asked = {};
  }
  const Validity validity = out.used.validity;
  const bool lost = validity != Validity::kValid && state.arm == ArmState::kArmed;
  if (lost && !state.lost) state.lost_at = now;
  state.lost = lost;

  mission::AircraftInput& told = to_mission.aircraft;
  told.present = true;
  told.flight = a.flight;
  told.flight_fresh = a.flight_fresh;
  const Time heard = a.has_flight ? a.flight.stamp : a.begun;
  told.flight_lost = (now - heard).seconds() > spec.flight_lost_s;
  told.gripper = a.gripper;
  told.gripper_fresh = a.gripper_fresh;
  told.state_lost = lost && (now - state.lost_at).seconds() > spec.state_lost_s;
  told.sightings = &in.targets;
  told.origin_W = a.origin_m;
  note_alarms(told);

  // nobody flies a craft that is not armed, nor one whose origin is not known; on the ground it may
  // be handed back all the same
  using mission::Command;
  const Command c = to_mission.command;
  const auto at = static_cast<std::size_t>(std::max(to_mission.jump_to, 0));
  const bool lets_go = c == Command::kStep && stands() && at < model.mission.states.size() &&
                       model.mission.states[at].request == mission::Request::kReleaseControl;
  const bool flies = c == Command::kStart || c == Command::kStep || c == Command::kResume;
  if (flies && !lets_go && (state.arm != ArmState::kArmed || !a.has_origin || a.frame_refuted)) {
    to_mission.command = Command::kNone;
    answered(asked, true);
    asked = {};
  }
}

void Tick::end_navigation(mission::NavigationEnd end) noexcept {
  if (end.outcome == mission::NavigationOutcome::kNone) return;
  out.navigation.ended_id = end.id;
  out.navigation.ended_as = static_cast<std::uint8_t>(end.outcome);
  say(EventCode::kNavigationEnded, static_cast<std::int32_t>(end.outcome),
      static_cast<double>(end.id));
}

/// Goals from outside, while the mission rests.
void Tick::navigate(mission::EngineInput& to_mission) noexcept {
  using mission::NavigationOutcome;
  AircraftState& a = state.aircraft;
  mission::Navigation& nav = a.navigation;
  const bool airborne = a.flight_fresh && a.flight.phase == FlightPhase::kAirborne &&
                        a.flight.has_control && state.arm == ArmState::kArmed;
  const bool operator_first = to_mission.command != mission::Command::kNone;
  const bool valid = out.used.validity == Validity::kValid;
  to_mission.follow_vehicle = nav.is_active();
  if (in.has_navigation && in.navigation.ask == NavigationAsk::kCancel) {
    end_navigation(nav.cancel(in.navigation.id));
  } else if (in.has_navigation && in.navigation.ask == NavigationAsk::kGoal) {
    const mission::NavigationPose goal{in.navigation.p_WB, in.navigation.yaw_rad};
    const bool within =
        mission::beyond(model.mission.aircraft, goal.position_m) == mission::Beyond::kNothing &&
        !beyond(model.failsafe, goal.position_m);
    const bool held = state.failsafe.action > FailsafeAction::kWarn;
    if (!operator_first && within && !held &&
        mission::may_navigate(state.mission.phase, airborne, valid)) {
      const mission::NavigationEnd end = nav.start(in.navigation.id, goal, now);
      end_navigation(end);
      if (end.outcome != NavigationOutcome::kRefused) {
        a.navigation_goal = {goal.position_m, from_rpy({0, 0, goal.yaw_rad})};
        reset(control::ResetCause::kNewGoal);
      }
    } else {
      end_navigation({in.navigation.id, NavigationOutcome::kRefused});
    }
  }
  if (nav.is_active() && (operator_first || !airborne)) {
    // a report that is late for a moment is no landing
    if (operator_first || state.arm != ArmState::kArmed || a.flight_fresh) {
      mission::NavigationEnd end = nav.cancel(nav.id());
      end.outcome = NavigationOutcome::kPreempted;
      if (out.navigation.ended_as == 0) end_navigation(end);
    }
  }
  if (nav.is_active() && out.navigation.ended_as == 0) {
    std::optional<mission::NavigationPose> pose;
    if (valid) pose = mission::NavigationPose{out.used.X_WB.p, yaw_of(out.used.X_WB.q)};
    end_navigation(nav.update(pose, now));
  }
  to_mission.follow_vehicle = to_mission.follow_vehicle || nav.is_active();
}

/// With nobody to obey, nowhere to go, or nothing to go by: to stay.
bool Tick::has_to_stay() const noexcept {
  const AircraftState& a = state.aircraft;
  const FlightPhase phase = a.flight.phase;
  const bool moving = mission::is_moving(out.mission.phase);
  return !live() || out.used.validity != Validity::kValid ||
         (a.flight_fresh
              ? !a.flight.has_control || on_ground(phase) || phase == FlightPhase::kTouchingDown
              : !moving);
}

/// Odometry that can be believed, counted from the origin.
void Tick::locate() noexcept {
  watch_motion();
  if (state.aircraft.origin_lost) out.used.validity = std::min(out.used.validity, Validity::kStale);
  find_origin();
}

/// Who flies: the mission, a goal from outside, an operator's single step.
void Tick::arbitrate(mission::EngineOutput& answer) noexcept {
  AircraftState& a = state.aircraft;
  out.flight_request = answer.flight_request;
  out.gripper_request = answer.gripper_request;
  if (a.navigation.is_active() && mission::is_moving(out.mission.phase)) {
    // the abort path comes first
    mission::NavigationEnd end = a.navigation.cancel(a.navigation.id());
    end.outcome = mission::NavigationOutcome::kPreempted;
    end_navigation(end);
  }
  if (a.navigation.is_active()) {
    out.setpoint = {};
    out.setpoint.X_WD = a.navigation_goal;
    out.authority = Authority::kPlanner;
    answer.changed = false;
  }
  const mission::Owner owner =
      mission::owner_of(out.mission.phase, answer.single, a.navigation.is_active());
  if (owner == a.owner) return;
  say(EventCode::kOwnerChanged, static_cast<std::int32_t>(owner));
  reset(control::ResetCause::kNewGoal);
  a.owner = owner;
}

void Tick::report_aircraft() noexcept {
  const AircraftState& a = state.aircraft;
  out.owner = a.owner;
  out.navigation.active = a.navigation.is_active();
  out.navigation.id = a.navigation.id();
  out.navigation.progress = a.navigation.progress();
  AircraftStatus& s = out.aircraft;
  s = {};
  s.has_origin = a.has_origin;
  s.origin_m = a.origin_m;
  s.up = a.frames.up();
  s.horizontal = a.frames.horizontal();
  s.flight_fresh = a.flight_fresh;
  s.gripper_fresh = a.gripper_fresh;
  s.in_flight = (a.has_flight && !stands()) || state.mission.requests.rising ||
                (state.arm == ArmState::kArmed && mission::is_moving(out.mission.phase));
  s.may_be_charged = a.may_be_charged;
  for (std::size_t i = 0; i < 2; ++i) {
    const mission::TargetTrack& t = state.mission.targets[i];
    s.target_found[i] = t.found;
    s.target_age_s[i] = t.found ? (now - t.seen_at).seconds() : 0;
    s.target_W[i] = t.found ? t.position(now) : Vec3{};
    s.target_sigma_m[i] = t.found ? t.sigma_m() : 0;
  }
  const mission::Approach& approach = state.mission.approach;
  s.target_losses = approach.losses;
  s.sightings = state.mission.fates;
  s.approach = approach.phase;
  s.approach_height_m = approach.height_m;
  s.approach_aside_m = approach.aside_m;
  s.approach_allowed_m = approach.allowed_m;
}

}  // namespace pintle::stack
