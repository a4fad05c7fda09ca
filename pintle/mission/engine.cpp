#include "pintle/mission/engine.h"

#include <type_traits>

#include "pintle/mission/engine_aircraft.h"
#include "pintle/mission/evidence.h"
#include "pintle/mission/goal.h"

namespace pintle::mission {

static_assert(std::is_trivially_copyable_v<EngineState>);

namespace {

/// One tick adds no more to the engine's clock, so that it cannot overflow whatever `now` says.
constexpr std::int64_t kMostPerTick_ns = 10'000'000'000'000;
constexpr double kFarthest = 1e7;

/// `later - earlier` when that is positive and representable, else 0.
Duration forward(Time earlier, Time later) noexcept {
  if (!(later > earlier)) return {};
  const auto d = static_cast<std::uint64_t>(later.ns) - static_cast<std::uint64_t>(earlier.ns);
  const auto most = static_cast<std::uint64_t>(kMostPerTick_ns);
  return {static_cast<std::int64_t>(d < most ? d : most)};
}

bool moderate(Vec3 v) noexcept {
  return std::abs(v.x) <= kFarthest && std::abs(v.y) <= kFarthest && std::abs(v.z) <= kFarthest;
}

bool usable(const VehicleState& v) noexcept {
  const double n2 = squared_norm(v.X_WB.q);
  return v.validity == Validity::kValid && moderate(v.X_WB.p) && moderate(v.V_WB_B.v) &&
         moderate(v.V_WB_B.w) && n2 >= 0.98 && n2 <= 1.02;
}

/// One call of `step`, cut into its parts.
class Step {
 public:
  Step(const Mission& mission, EngineState& state, const EngineInput& input, EngineOutput& output,
       EventList& events) noexcept
      : mission_(mission), s_(state), in_(input), out_(output), events_(events) {}

  void run() noexcept {
    take_time();
    take_vehicle();
    observe(mission_.aircraft, state_or_none(), s_, in_, usable_, events_);
    if (!obey(in_.command)) out_.refused = true;
    take_axes();
    take_goal();
    if (active() && pilot_took_over(state_or_none(), s_, in_, events_))
      finish(MissionPhase::kFailed);
    if (may_flee() && (in_.abort || out_of_time() || too_few_axes() || in_danger())) abort();
    if (active() && in_.failed) finish(MissionPhase::kFailed);
    if (moving() && !entered_) judge();
    command();
    report();
  }

 private:
  [[nodiscard]] bool moving() const noexcept {
    return s_.phase == MissionPhase::kRunning || s_.phase == MissionPhase::kAborting;
  }
  [[nodiscard]] bool active() const noexcept {
    return moving() || s_.phase == MissionPhase::kPaused;
  }
  [[nodiscard]] bool can_abort() const noexcept { return active() && !s_.aborting; }
  /// In the air the abort path is open to a mission at rest too: by itself once, to an operator
  /// again and again.
  [[nodiscard]] bool may_flee() const noexcept {
    return can_abort() || (s_.phase != MissionPhase::kAborted && can_abort_at_rest());
  }
  [[nodiscard]] bool can_abort_at_rest() const noexcept {
    const bool controlled = may_fly(s_, in_) && in_.aircraft.flight.has_control;
    return !active() && (in_.aloft || controlled) && exists(mission_.abort);
  }
  [[nodiscard]] bool in_danger() noexcept {
    return endangered(mission_.aircraft, s_, in_, usable_, events_);
  }
  [[nodiscard]] const State* state_or_none() const noexcept {
    return exists(s_.state) ? &state() : nullptr;
  }
  [[nodiscard]] bool out_of_time() const noexcept {
    return active() && s_.clock - s_.mission_started >= mission_.time_limit;
  }
  /// Of a landing, what its goal does not name: it takes them as they come.
  [[nodiscard]] AxisMask free_axes() const noexcept {
    AxisMask out = 0;
    if (!lands(mission_, s_.state)) return out;
    for (std::size_t i = 3; i < kAxes; ++i)
      if (!state().goal.given[i]) out = static_cast<AxisMask>(out | axis_bit(i));
    return out;
  }
  [[nodiscard]] bool too_few_axes() const noexcept {
    return s_.axes_lost != 0 && mission_.on_axis_lost == OnAxisLost::kAbort;
  }
  [[nodiscard]] bool exists(std::int32_t i) const noexcept {
    return i >= 0 && static_cast<std::size_t>(i) < mission_.states.size();
  }
  [[nodiscard]] const State& state() const noexcept {
    return mission_.states[static_cast<std::size_t>(s_.state)];
  }
  [[nodiscard]] Pose desired() const noexcept {
    return {{s_.goal_pose[0], s_.goal_pose[1], s_.goal_pose[2]}, s_.q_WD};
  }
  [[nodiscard]] Duration in_state() const noexcept {
    const Time until = s_.phase == MissionPhase::kPaused ? s_.paused_at : s_.clock;
    return until - s_.state_entered - s_.time_paused;
  }
  void say(EventCode code, std::int32_t subject, double value = 0) noexcept {
    events_.push_back({in_.now, code, subject, value});
  }

  // -------------------------------------------------------------------------------------------
  // what comes in

  void take_time() noexcept {
    const Duration dt = s_.has_ticked ? forward(s_.last_tick, in_.now) : Duration{};
    if (active()) s_.clock = s_.clock + dt;
    dt_ = dt;
    // nothing is known of a long gap: what held before it need not have held in it
    if (dt > kLongestGap) s_.settled = false;
    s_.last_tick = in_.now;
    s_.has_ticked = true;
  }

  void take_vehicle() noexcept {
    usable_ = usable(in_.vehicle);
    if (!usable_) return;
    X_WB_ = {in_.vehicle.X_WB.p, normalized(in_.vehicle.X_WB.q)};
    // rates between two valid states, also over a short drop-out, add up to the turn
    if (s_.has_pose && moving()) {
      const Duration since = forward(s_.last_valid, in_.now);
      if (since <= kLongestGap) s_.turned += since.seconds() * in_.vehicle.V_WB_B.w;
    }
    s_.last_pose = X_WB_;
    s_.last_valid = in_.now;
    s_.has_pose = true;
  }

  void take_axes() noexcept {
    if (!active()) return;
    const auto gone = static_cast<AxisMask>(s_.axes_at_start & ~in_.reachable);
    if (gone == 0 && s_.axes_lost == 0) return;
    const AxisMask free = free_axes();
    const auto missing = static_cast<AxisMask>(gone & ~free);
    // an axis at the edge comes and goes: it is back when it has stayed
    auto lost = static_cast<AxisMask>(s_.axes_lost & ~free);
    for (std::size_t i = 0; i < kAxes; ++i) {
      const auto bit = static_cast<AxisMask>(axis_bit(i));
      if ((missing & bit) != 0) {
        s_.axis_missing_at[i] = s_.clock;
        lost = static_cast<AxisMask>(lost | bit);
      } else if (s_.clock - s_.axis_missing_at[i] >= kAxisBack) {
        lost = static_cast<AxisMask>(lost & ~bit);
      }
    }
    if (lost == s_.axes_lost) return;
    s_.axes_lost = lost;
    say(EventCode::kMissionImpaired, s_.state, lost);
  }

  /// Parameters that were changed under way: the goal goes where the state now wants it.
  void take_goal() noexcept {
    if (!active() || entered_ || !exists(s_.state)) return;
    const Goal& goal = state().goal;
    const Vec6 before = s_.goal_pose;
    bool moved = false;
    for (std::size_t i = 0; i < kAxes; ++i) {
      if (!goal.given[i] || goal.pose[i] == s_.goal_asked[i]) continue;
      s_.goal_asked[i] = s_.goal_pose[i] = goal.pose[i];
      moved = true;
    }
    if (!moved) return;
    s_.q_WD = attitude_of(s_.goal_pose);
    s_.settled = false;
    const Vec3 by{s_.goal_pose[0] - before[0], s_.goal_pose[1] - before[1],
                  s_.goal_pose[2] - before[2]};
    say(EventCode::kGoalMoved, s_.state, norm(by));
  }

  /// Without its engine it would fall: a landing on it is left for another one, by its end, by an abort,
  /// or not at all.
  [[nodiscard]] bool cuts_landing_short(Command command) const noexcept {
    if (command == Command::kNone || s_.phase != MissionPhase::kRunning) return false;
    if (!lands(mission_, s_.state)) return false;
    if (command == Command::kJump) return !lands(mission_, in_.jump_to);
    return command == Command::kPause || command == Command::kSelect || command == Command::kCutOff;
  }

  /// False: the command does not apply now.
  bool obey(Command command) noexcept {
    if (cuts_landing_short(command)) return false;
    switch (command) {
      case Command::kNone: return true;
      case Command::kStart: return start();
      case Command::kPause: return pause();
      case Command::kResume: return resume();
      case Command::kAbort:
        if (!can_abort() && !can_abort_at_rest()) return false;
        abort();
        return true;
      case Command::kJump: return jump(in_.jump_to);
      case Command::kStep: return single_step(in_.jump_to);
      case Command::kSelect: return select(in_.jump_to);
      case Command::kCutOff: return cut_off();
      case Command::kLand: return land_now();
    }
    return false;
  }

  bool start() noexcept {
    if (active() || !usable_ || !exists(mission_.start)) return false;
    begin(mission_.start);
    enter(mission_.start, 0, true);
    return true;
  }

  void begin(std::int32_t at) noexcept {
    s_.phase = MissionPhase::kRunning;
    s_.aborting = s_.single = s_.selected = s_.had_control = false;
    s_.clock = s_.mission_started = {};
    s_.axes_at_start = in_.reachable;
    s_.axes_lost = 0;
    s_.requests.gripper.kind = GripperRequestKind::kNone;
    say(EventCode::kMissionStarted, at);
  }

  bool single_step(std::int32_t at) noexcept {
    if (moving() || !usable_ || !exists(at)) return false;
    if (!active()) begin(at);
    s_.phase = MissionPhase::kRunning;
    s_.single = true;
    s_.selected = false;
    enter(at, 0, true);
    return true;
  }

  bool select(std::int32_t at) noexcept {
    if (s_.aborting && active()) return false;
    if (!usable_ || !exists(at)) return false;
    if (!active()) begin(at);
    enter(at, 0, true);
    rest_at_state();
    return true;
  }

  /// A pause from which resume enters the state afresh.
  void rest_at_state() noexcept {
    s_.phase = MissionPhase::kPaused;
    s_.paused_at = s_.clock;
    s_.settled = s_.single = false;
    s_.selected = true;
    hold();
    say(EventCode::kMissionPaused, s_.state);
  }

  bool cut_off() noexcept {
    if (!can_abort()) return false;
    say(EventCode::kMissionCutOff, s_.state);
    s_.phase = MissionPhase::kIdle;
    s_.state = -1;
    s_.attempt = 0;
    s_.settled = s_.single = s_.selected = false;
    hold();
    return true;
  }

  bool land_now() noexcept {
    if (!exists(mission_.landing) || !(active() || can_abort_at_rest())) return false;
    if (!s_.aborting || !active() || s_.state != mission_.landing) flee(mission_.landing);
    return true;
  }

  bool pause() noexcept {
    if (s_.phase != MissionPhase::kRunning) return false;
    s_.phase = MissionPhase::kPaused;
    s_.paused_at = s_.clock;
    s_.settled = false;
    // a single step that is paused is over
    if (s_.single) s_.selected = true;
    s_.single = false;
    hold();
    say(EventCode::kMissionPaused, s_.state);
    return true;
  }

  bool resume() noexcept {
    if (s_.phase != MissionPhase::kPaused) return false;
    s_.time_paused = s_.time_paused + (s_.clock - s_.paused_at);
    s_.phase = MissionPhase::kRunning;
    say(EventCode::kMissionResumed, s_.state);
    if (s_.selected && exists(s_.state)) enter(s_.state, 0, true);
    s_.selected = false;
    out_.changed = true;
    return true;
  }

  bool jump(std::int32_t to) noexcept {
    if (!can_abort() || !exists(to)) return false;
    enter(to, 0, true);
    s_.paused_at = s_.clock;
    s_.single = false;
    return true;
  }

  // -------------------------------------------------------------------------------------------
  // what follows

  /// Nothing of the state before is left but, unless `afresh`, its goal.
  void enter(std::int32_t to, std::uint32_t attempt, bool afresh) noexcept {
    s_.state = to;
    s_.attempt = attempt;
    s_.state_entered = s_.settled_since = s_.clock;
    s_.settled = false;
    s_.time_paused = {};
    s_.turned = {};
    entered_ = true;
    if ((afresh || state().hold_here) && s_.has_pose) s_.goal_pose = goal_from(s_.last_pose);
    const Goal& goal = state().goal;
    for (std::size_t i = 0; i < kAxes; ++i)
      if (goal.given[i]) s_.goal_pose[i] = goal.pose[i];
    s_.goal_asked = s_.goal_pose;
    s_.q_WD = attitude_of(s_.goal_pose);
    if (usable_) slide(s_.goal_pose, s_.q_WD, goal.mode, X_WB_);
    begin_attempt(state(), s_);
    out_.changed = true;
    out_.reset_control = out_.reset_control || state().reset_control;
    say(EventCode::kStateEntered, to, attempt);
  }

  void follow(std::int32_t to) noexcept {
    if (exists(to))
      enter(to, 0, false);
    else if (to == kEndPass)
      finish(s_.aborting ? MissionPhase::kAborted : MissionPhase::kPassed);
    else if (to == kEndFail)
      finish(s_.aborting ? MissionPhase::kAborted : MissionPhase::kFailed);
    else if (s_.aborting)
      finish(MissionPhase::kAborted);
    else
      abort();
  }

  void abort() noexcept {
    // from the ground there is nothing to climb from
    if (s_.requests.rising && exists(mission_.landing)) return flee(mission_.landing);
    flee(exists(s_.state) ? state().on_abort : mission_.abort);
  }

  void flee(std::int32_t to) noexcept {
    say(EventCode::kMissionAborted, s_.state, s_.clock.seconds());
    if (!active()) s_.clock = s_.mission_started = {};
    s_.aborting = true;
    s_.single = s_.selected = false;
    s_.phase = MissionPhase::kAborting;
    if (exists(to))
      enter(to, 0, true);
    else
      finish(MissionPhase::kAborted);
  }

  void finish(MissionPhase phase) noexcept {
    say(EventCode::kMissionFinished, s_.state, static_cast<double>(phase));
    s_.phase = phase;
    s_.state = -1;
    s_.attempt = 0;
    s_.settled = s_.single = s_.selected = false;
    out_.finished = true;
    hold();
  }

  /// Success, timeout.
  void judge() noexcept {
    // a model with fewer states may have come since: what is not there cannot go on
    if (!exists(s_.state)) return s_.aborting ? finish(MissionPhase::kAborted) : abort();
    send_request(state(), s_, in_, events_);
    lead(state(), s_, in_.now, dt_, usable_, X_WB_, events_);
    if (usable_) slide(s_.goal_pose, s_.q_WD, state().goal.mode, X_WB_);
    if (succeeded()) {
      say(EventCode::kStateSucceeded, s_.state, in_state().seconds());
      if (s_.single) return rest_at_state();
      return follow(state().on_success);
    }
    const bool lost = has_lost_its_way();
    if (in_state() < state().timeout && !s_.approach.given_up && !lost &&
        !attempt_failed(state(), s_, in_, events_))
      return;
    say(EventCode::kStateTimedOut, s_.state, in_state().seconds());
    if (lost || s_.attempt >= state().retries)
      return s_.single ? rest_at_state() : follow(state().on_failure);
    say(EventCode::kStateRetried, s_.state, s_.attempt + 1);
    enter(s_.state, s_.attempt + 1, false);
  }

  /// On the abort path what goes somewhere does not wait for a pose that is lost, where it leads to
  /// something else. A landing goes on without one.
  [[nodiscard]] bool has_lost_its_way() const noexcept {
    if (!s_.aborting || !in_.aircraft.present || !in_.aircraft.state_lost) return false;
    if (state().request == Request::kLand || !exists(state().on_failure)) return false;
    bool goes = state().servo.target != TargetChoice::kNone ||
                state().search.pattern != SearchPattern::kNone;
    for (std::size_t i = 0; i < 3; ++i)
      goes = goes || state().goal.given[i] || state().goal.mode[i] == AxisMode::kVelocity;
    return goes && forward(s_.last_valid, in_.now) >= kLostOnTheWayHome;
  }

  [[nodiscard]] bool succeeded() noexcept {
    const Seen seen{desired(), X_WB_, in_.vehicle.V_WB_B, s_.turned, in_state()};
    const SuccessSpec& wanted = state().success;
    const bool blind = speaks_of_aircraft(wanted) && !needs_pose(wanted);
    const bool told = aircraft_holds(mission_.aircraft, state(), s_, in_);
    // a short gap of the pose is evidence neither against what held before it nor for it
    if (!usable_ && !blind && told && s_.settled &&
        forward(s_.last_valid, in_.now) <= kLongestGap) {
      s_.settled_since = s_.settled_since + dt_;
      return false;
    }
    if (!(usable_ || blind) || !told || !holds(wanted, state().goal, seen)) {
      s_.settled = false;
      return false;
    }
    if (!s_.settled) {
      s_.settled = true;
      s_.settled_since = s_.clock;
    }
    return s_.clock - s_.settled_since >=
           Duration::from_seconds(state().success.settle_s) + state().dwell;
  }

  // -------------------------------------------------------------------------------------------
  // what goes out

  void hold() noexcept {
    s_.setpoint = {};
    if (s_.has_pose) s_.setpoint.X_WD = s_.last_pose;
    s_.has_setpoint = s_.has_pose;
    out_.changed = true;
  }

  void command() noexcept {
    if (!moving()) {
      if (!s_.has_setpoint || ((in_.disarmed || in_.follow_vehicle) && usable_)) hold();
      return;
    }
    const Goal& goal = state().goal;
    s_.setpoint.X_WD = desired();
    s_.setpoint.V_WD_B = to_twist(goal.velocity);
    // with what it is above, if that moves
    if (s_.approach.has_aim && s_.has_pose)
      s_.setpoint.V_WD_B.v += rotate(from_rpy({0, 0, -yaw_of(s_.last_pose.q)}), s_.approach.v_aim);
    s_.setpoint.F_Bo_B = to_wrench(goal.wrench);
    s_.setpoint.mode = goal.mode;
    s_.has_setpoint = true;
  }

  void report() noexcept {
    out_.setpoint = s_.setpoint;
    out_.pose_known = s_.has_pose;
    out_.flight_request = s_.requests.flight;
    out_.gripper_request = s_.requests.gripper;
    out_.single = s_.single;
    out_.servo = moving() && exists(s_.state) && state().servo.target != TargetChoice::kNone;
    out_.status.phase = s_.phase;
    out_.status.state = s_.state;
    out_.status.attempt = s_.attempt;
    if (!active()) return;
    out_.status.axes_lost = s_.axes_lost;
    out_.status.time_in_state_s = in_state().seconds();
    out_.status.settled_s = s_.settled ? (s_.clock - s_.settled_since).seconds() : 0;
  }

  const Mission& mission_;
  EngineState& s_;
  const EngineInput& in_;
  EngineOutput& out_;
  EventList& events_;
  Duration dt_{};
  bool usable_ = false;
  bool entered_ = false;  ///< In this tick: nothing of it is judged yet.
  Pose X_WB_{};
};

}  // namespace

EngineOutput step(const Mission& mission, EngineState& state, const EngineInput& input,
                  EventList& events) noexcept {
  EngineOutput output;
  Step(mission, state, input, output, events).run();
  return output;
}

}  // namespace pintle::mission
