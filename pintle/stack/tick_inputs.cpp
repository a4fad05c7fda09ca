#include <algorithm>
#include <cmath>
#include <utility>

#include "pintle/stack/tick_steps.h"

namespace pintle::stack {
namespace {

// what noise, and a change of speed between two messages, may make of a place
constexpr double kLeap_m = 1, kHardest_m_s2 = 20;

bool is_for_mission(CommandCode code) noexcept {
  return (code >= CommandCode::kMissionStart && code <= CommandCode::kMissionJump) ||
         (code >= CommandCode::kMissionStep && code <= CommandCode::kMissionCutoff) ||
         code == CommandCode::kMissionLand;
}

/// Makes it come down: not refused because of another command in the same tick.
bool is_flight_from_danger(CommandCode code) noexcept {
  return code == CommandCode::kMissionAbort || code == CommandCode::kMissionLand;
}

/// Taken from everybody, and nobody commands by it.
bool is_urgent(CommandCode code) noexcept {
  return is_flight_from_danger(code) || code == CommandCode::kMissionPause ||
         code == CommandCode::kTakeOver || code == CommandCode::kHeartbeat ||
         code == CommandCode::kLeak || code == CommandCode::kTerminate;
}

}  // namespace

/// What the first channel of a propulsor can give at all, whatever it does now.
Range Tick::box_of(std::size_t propulsor) const noexcept {
  const auto at = std::find(model.owner.begin(), model.owner.end(), propulsor);
  if (at == model.owner.end()) return {0, 0};
  const auto channel = static_cast<std::size_t>(at - model.owner.begin());
  return {std::min(model.effectiveness.lower[channel], 0.0),
          std::max(model.effectiveness.upper[channel], 0.0)};
}

void Tick::take_health() noexcept {
  for (const HealthReport& r : in.health) {
    const double e = r.health.efficiency, stuck = r.health.stuck_effort;
    bool good = r.propulsor < state.health.size() && r.health.health <= Health::kOut && e >= 0 &&
                e <= 1 && std::isfinite(stuck);
    if (good && r.health.health == Health::kStuck) {
      const Range box = box_of(r.propulsor);
      const double rounding = 1e-9 * (box.upper - box.lower);
      good = stuck >= box.lower - rounding && stuck <= box.upper + rounding;
    }
    if (!good) {
      say(EventCode::kInputRejected, InputCode::kHealth, r.propulsor);
      continue;
    }
    // what is announced goes before what was found out
    const auto found = static_cast<std::int32_t>(r.propulsor);
    estimation::forget(model.detector, model.body, work.detector, found);
    state.found[r.propulsor] = {};
    state.telemetry.of[r.propulsor].verdict = estimation::ReportVerdict::kNone;
    state.announced[r.propulsor] = r.health;
    believe(r.propulsor);
  }
}

void Tick::take_bus_voltage() noexcept {
  if (!in.has_bus_voltage) return;
  if (in.bus_V > 0 && in.bus_V < 1e4)
    state.bus_V = in.bus_V;
  else
    say(EventCode::kInputRejected, InputCode::kBusVoltage);
}

/// While the switch is pulled the power may be cut: silence and low voltage say nothing.
void Tick::take_kill() noexcept {
  Telemetry& t = state.telemetry;
  if (!in.has_kill || in.killed == t.killed) return;
  t.killed = in.killed;
  t.excused = t.killed ? ~t.no_contact : 0;
  t.bus.ignore(t.killed);
  for (std::size_t i = 0; i < state.health.size(); ++i) believe(i);
}

/// Off at once, also in the air. What comes afterwards begins disarmed, which is neutral.
void Tick::obey_kill(mission::EngineInput& to_mission) noexcept {
  if (state.telemetry.killed) disarm(to_mission);
}

void Tick::disarm(mission::EngineInput& to_mission) noexcept {
  state.wants_arm = false;
  if (state.arm != ArmState::kArmed) return;
  state.arm = ArmState::kDisarmed;
  say(EventCode::kDisarmed);
  // hands off: what was under way does not go on by itself
  if (!model.supervised) return;
  instead(to_mission, mission::Command::kCutOff);
}

void Tick::estimate() noexcept {
  using estimation::MeasurementVerdict;
  // said once, until one is good again
  const auto judge = [this](const estimation::Estimate& e, InputCode code, bool& refuses) noexcept {
    const bool by_time = e.verdict == MeasurementVerdict::kTimeReversed ||
                         e.verdict == MeasurementVerdict::kFromFuture;
    const bool by_numbers = e.verdict == MeasurementVerdict::kNotFinite ||
                            e.verdict == MeasurementVerdict::kBadQuaternion;
    if (e.fresh) refuses = false;
    if (!(by_time || by_numbers) || std::exchange(refuses, true)) return;
    say(by_time ? EventCode::kTimeReversed : EventCode::kInputRejected, code);
  };

  const estimation::Measurement* newest = plausible_odometry();
  std::optional<estimation::Measurement> without;
  if (newest != nullptr && in.has_attitude && !is_finite(in.attitude)) {
    without = *newest;
    without->has_pose = false;
    newest = &*without;
    say(EventCode::kInputRejected, InputCode::kOdometry);
  }
  const estimation::Measurement& last = state.odometry.last;
  const bool had_pose = last.has_pose;
  const Pose X_before = last.X_WB;
  const Vec3 v_before = last.V_WB_B.v;
  const estimation::Estimate odometry =
      estimation::estimate(model.estimation, state.odometry, newest, now);
  judge(odometry, InputCode::kOdometry, state.refuses_odometry);
  out.used = odometry.state;
  out.measured = odometry.verdict;
  out.measured_dt_s = odometry.dt_s;
  fresh = odometry.fresh;
  begins = odometry.begins;
  odometry_dt_s = odometry.dt_s;
  if (fresh || begins) state.static_attitude = in.has_attitude ? in.attitude : newest->X_WB.q;
  if (fresh) state.heard_at = now;
  if (out.used.validity == Validity::kValid &&
      (now - state.heard_at).seconds() > model.estimation.stale_after_s)
    out.used.validity = Validity::kStale;
  if (fresh) {
    state.measured = true;
    state.measured_dt_s += odometry.dt_s;
  }
  if (fresh && had_pose && !model.supervised) tell_leap(X_before, v_before);
  if (model.traits.carries_itself()) carry_on();
}

/// A place that its own speed does not explain. It is gone by: odometry under water is set right in
/// leaps. Behind a flight controller it is refused, see plausible_odometry.
void Tick::tell_leap(const Pose& X_WB, const Vec3& v_B) noexcept {
  const bool goes_on = odometry_dt_s > 0 && odometry_dt_s <= model.estimation.stale_after_s;
  if (model.estimation.method == estimation::Method::kAsSent || !goes_on) return;
  const Vec3 moved_W = state.odometry.last.X_WB.p - X_WB.p;
  // nearly always: so far it need not be asked which way
  if (norm(moved_W) + odometry_dt_s * norm(v_B) <= kLeap_m) return;
  const Vec3 off = moved_W - odometry_dt_s * rotate(X_WB.q, v_B);
  const double explained_m = kLeap_m + 0.5 * kHardest_m_s2 * odometry_dt_s * odometry_dt_s;
  if (norm(off) <= explained_m) return;
  // noise is one leap after another: told until a second without
  if (!state.leapt_at || (now - *state.leapt_at).seconds() > 1)
    say(EventCode::kMotionDisagrees, -1, norm(off));
  state.leapt_at = now;
}

void Tick::take_commands(mission::EngineInput& to_engine) noexcept {
  for (const OperatorCommand& c : in.commands) {
    const bool may_ask = c.from == mission::Operator::kSite
                             ? site_may_ask(c.code)
                             : mission::may_ask(state.commander, c.from, is_urgent(c.code));
    if (mission::is_operator(c.from)) {
      for (const auto who : {mission::Operator::kNobody, c.from}) {
        std::optional<Time>& heard = state.failsafe.heartbeat_at[static_cast<std::size_t>(who)];
        if (heard || c.code == CommandCode::kHeartbeat) heard = now;
      }
    }
    if (!may_ask) {
      say(EventCode::kCommandRefused, static_cast<std::int32_t>(c.code),
          static_cast<double>(state.commander));
      continue;
    }
    // the mission takes one command a tick; an abort always gets through
    const bool by_itself = c.code == CommandCode::kMissionLand && lands_by_itself();
    const bool for_mission = is_for_mission(c.code) && !by_itself;
    const bool late = for_mission && to_engine.command != mission::Command::kNone &&
                      !is_flight_from_danger(c.code);
    const bool nobody = for_mission && (!model.has_mission || in.phase == Phase::kTake);
    // without a mission a hold, too, ends by an operator's word
    const bool lifts = nobody && !model.has_mission && c.code == CommandCode::kMissionResume &&
                       state.failsafe.action == FailsafeAction::kHold;
    if (lifts) state.failsafe.action = FailsafeAction::kWarn;
    const bool refused = !lifts && (late || nobody || !take_command(c, to_engine));
    // the mission gives its answer later in the tick
    if (for_mission && !refused && !lifts)
      asked = c;
    else
      answered(c, refused);
  }
}

/// False: it does not apply now.
bool Tick::take_command(const OperatorCommand& c, mission::EngineInput& to_engine) noexcept {
  using mission::Command;
  const auto ask = [&](Command command, bool with_state = false) {
    to_engine.command = command;
    if (with_state) to_engine.jump_to = c.argument;
    return true;
  };
  bool refused = false;
  switch (c.code) {
    case CommandCode::kNone: return true;
    case CommandCode::kArm: return take_arm();
    case CommandCode::kDisarm:
      if (is_aloft()) return false;
      [[fallthrough]];
    case CommandCode::kDisarmForce: disarm(to_engine); return true;
    case CommandCode::kResetLatch:
      if (state.arm != ArmState::kLatchedSafe) return false;
      state.arm = ArmState::kDisarmed;
      state.terminated = false;
      say(EventCode::kLatchReset);
      return true;
    case CommandCode::kMissionStart: return ask(Command::kStart);
    case CommandCode::kMissionPause: return ask(Command::kPause);
    case CommandCode::kMissionResume: return ask(Command::kResume);
    case CommandCode::kMissionAbort: return ask(Command::kAbort);
    case CommandCode::kMissionJump: return ask(Command::kJump, true);
    case CommandCode::kMissionStep: return ask(Command::kStep, true);
    case CommandCode::kMissionSelect: return ask(Command::kSelect, true);
    case CommandCode::kMissionCutoff: return ask(Command::kCutOff);
    case CommandCode::kMissionLand:
      if (!lands_by_itself()) return ask(Command::kLand);
      if (state.failsafe.action < FailsafeAction::kLand && !state.is_landing) {
        begin_failsafe(FailsafeAction::kLand, FailsafeCondition::kOperator);
        come_down(to_engine);
      }
      return true;
    case CommandCode::kResetControl:
      reset(control::ResetCause::kAsked);
      // the proof of the frame is begun anew too
      if (model.supervised && state.arm != ArmState::kArmed)
        prepare_aircraft(model, state.aircraft);
      return true;
    case CommandCode::kTrustPropulsor: return trust(c.argument);
    case CommandCode::kFailPropulsor: return set_out(c.argument, true);
    case CommandCode::kRestorePropulsor: return set_out(c.argument, false);
    case CommandCode::kReadyIgnition:
      if (state.arm != ArmState::kArmed) return false;
      state.failsafe.ready_at = now;
      return true;
    case CommandCode::kIgnite: {
      std::optional<Time>& ready = state.failsafe.ready_at;
      if (!ready || (now - *ready).seconds() > kReadyFor_s) return false;
      ignite(c.argument, true, refused);
      if (!refused) ready.reset();
      return !refused;
    }
    case CommandCode::kShutDown:
      state.failsafe.ready_at.reset();
      ignite(c.argument, false, refused);
      return !refused;
    case CommandCode::kHeartbeat: return true;
    case CommandCode::kLeak: state.failsafe.said_leak = c.argument != 0; return true;
    case CommandCode::kTerminate:
      state.terminated = true;
      be_off(to_engine);
      return true;
    case CommandCode::kTakeOver: command_by(c.from); return true;
    case CommandCode::kHandOver:
      if (state.commander == mission::Operator::kNobody) return false;
      command_by(mission::Operator::kNobody, c.argument > 0);
      return true;
    case CommandCode::kEnable:
      // what is supervised is armed when somebody says so, not some time after
      if (model.supervised || state.telemetry.killed || state.terminated) return false;
      if (state.arm == ArmState::kLatchedSafe) {
        state.arm = ArmState::kDisarmed;
        say(EventCode::kLatchReset);
      }
      // a loss from before is not counted against the new attempt
      state.lost = false;
      state.lost_for = {};
      state.wants_arm = true;
      return true;
  }
  return false;
}

/// A vehicle that only does as it is told, by a planner, needs to know nothing of itself.
bool Tick::needs_state() const noexcept {
  return model.has_mission || control::needs_state(model.law, state.law);
}

/// Everything that stands against being armed now.
ArmObstacles Tick::obstacles() const noexcept {
  ArmObstacles all = 0;
  const auto add = [&all](bool stands, ArmObstacle o) { all |= stands ? obstacle_bit(o) : 0; };
  add(state.arm == ArmState::kLatchedSafe, ArmObstacle::kLatched);
  add(state.telemetry.killed, ArmObstacle::kKilled);
  add(reaches_nobody(), ArmObstacle::kNoPropulsor);
  add(model.traits.carries_itself() && lacks_axis(), ArmObstacle::kAxisLost);
  if (model.supervised)
    all |= aircraft_obstacles();
  else
    add(out.used.validity != Validity::kValid && needs_state(), ArmObstacle::kNoState);
  for (const FailsafeRow& row : model.failsafes)
    if (const auto& w = state.failsafe.watch[static_cast<std::size_t>(row.condition)];
        row.action > FailsafeAction::kWarn)
      add(w.past || w.on, ArmObstacle::kFailsafe);
  return all;
}

bool Tick::take_arm() noexcept {
  if (state.arm == ArmState::kArmed) return true;
  if (const ArmObstacles all = obstacles(); all != 0) {
    say(EventCode::kArmingRefused, static_cast<std::int32_t>(first_obstacle(all)), all);
    return false;
  }
  arm();
  return true;
}

/// Whose command is obeyed while nobody commands commands from then on.
void Tick::answered(const OperatorCommand& c, bool refused) noexcept {
  if (refused)
    say(EventCode::kCommandRefused, static_cast<std::int32_t>(c.code));
  else if (c.code != CommandCode::kNone && mission::is_operator(c.from) && !is_urgent(c.code) &&
           c.code != CommandCode::kHandOver)
    command_by(c.from);
}

void Tick::command_by(mission::Operator commander, bool lost) noexcept {
  if (commander == state.commander) return;
  const auto who = static_cast<double>(std::exchange(state.commander, commander));
  say(EventCode::kCommanderChanged, static_cast<std::int32_t>(commander), lost ? who : 0);
}

void Tick::arm() noexcept {
  state.arm = ArmState::kArmed;
  state.aircraft.may_be_charged = true;
  state.aircraft.has_flown = state.aircraft.has_ended = false;
  state.lost = false;
  state.lost_for = {};
  state.fell = false;
  state.failsafe.action = FailsafeAction::kWarn;
  state.failsafe.struck_m_s = 0;
  state.failsafe.armed_at = now;
  state.failsafe.first_at.reset();
  say(EventCode::kArmed);
  reset(control::ResetCause::kArmed);
  // turbines run while armed; boosters wait to be told, whatever was said before
  state.ignition = 0;
  state.failsafe.ready_at.reset();
  for (std::size_t i = 0; i < model.vehicle.propulsors.size(); ++i)
    if (std::holds_alternative<propulsion::JetParams>(model.vehicle.propulsors[i].model))
      state.ignition |= std::uint64_t{1} << i;
}

/// One engine, or all of them, to burn or not.
void Tick::ignite(std::int32_t propulsor, bool on, bool& refused) noexcept {
  refused = true;
  for (std::size_t i = 0; i < model.vehicle.propulsors.size(); ++i) {
    if (propulsor >= 0 && static_cast<std::size_t>(propulsor) != i) continue;
    if (!propulsion::needs_ignition(model.vehicle.propulsors[i].model)) continue;
    if (on && state.arm != ArmState::kArmed) continue;
    refused = false;
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (((state.ignition & bit) != 0) == on) continue;
    state.ignition ^= bit;
    say(on ? EventCode::kIgnited : EventCode::kShutDown, static_cast<std::int32_t>(i));
  }
}

/// Staleness and the latch.
void Tick::watch_state(mission::EngineInput& to_mission) noexcept {
  const Validity validity = out.used.validity;
  if (validity != state.last_validity) {
    if (validity != Validity::kValid) {
      say(EventCode::kInputStale, InputCode::kOdometry);
    } else if (state.last_validity == Validity::kStale) {
      say(EventCode::kInputRecovered, InputCode::kOdometry);
      if (!state.copes) reset(control::ResetCause::kGap);
    }
    state.last_validity = validity;
  }
  if (model.supervised) {
    watch_aircraft(to_mission);
    return;
  }
  if (state.wants_arm && state.arm == ArmState::kDisarmed && obstacles() == 0) arm();
  // who waits to be armed and has lost the state does not wait for ever either
  const bool is_on = state.arm == ArmState::kArmed || state.wants_arm;
  if (!is_on || validity == Validity::kValid || !needs_state()) {
    if (state.lost) {
      state.lost_for = now - state.lost_at;
      state.found_at = now;
    }
    state.lost = state.copes = false;
    // what it has hit meanwhile nobody need have felt
    to_mission.failed = std::exchange(state.fell, false) || to_mission.failed;
    return;
  }
  // switched off while it lifts off it would hop, and fall over
  if (!state.lost && state.arm == ArmState::kArmed && lifts()) state.aloft = true;
  const OnStateLost wanted = model.safety.on_state_lost.value_or(OnStateLost::kOff);
  const bool copes = wanted != OnStateLost::kOff && state.carried && state.aloft;
  if (state.arm == ArmState::kArmed && (!state.lost || copes != state.copes))
    say(EventCode::kStateLost, static_cast<std::int32_t>(copes ? wanted : OnStateLost::kOff));
  if (!state.lost) {
    // a message now and then is no state: what was lost before is made up for as slowly
    const Duration left = state.lost_for - (now - state.found_at);
    state.lost_at = now - std::max(left, Duration{});
    state.lost_for = {};
  }
  if (!state.lost || state.copes) {
    state.ramp_at = now;
    state.ramp_from = state.last_effort;
  }
  state.lost = true;
  state.copes = copes;
  state.fell = state.fell || (!copes && state.aloft && state.arm == ArmState::kArmed &&
                              (now - state.ramp_at).seconds() > model.safety.ramp_to_safe_s);
  if (validity == Validity::kStale && (now - state.lost_at).seconds() >= model.safety.latch_after_s)
    latch(to_mission);
}

void Tick::latch(mission::EngineInput& to_mission) noexcept {
  state.arm = ArmState::kLatchedSafe;
  state.wants_arm = false;
  state.lost = state.copes = false;
  state.lost_for = {};
  to_mission.abort = true;
  say(EventCode::kLatchedSafe);
}

/// Takes back what was found out; false when there is nothing to take back.
bool Tick::trust(std::int32_t propulsor) noexcept {
  bool any = false;
  for (std::size_t i = 0; i < state.health.size(); ++i) {
    estimation::ReportVerdict& verdict = state.telemetry.of[i].verdict;
    const bool found =
        (work.detector.found >> i & 1U) != 0 || verdict != estimation::ReportVerdict::kNone;
    if (!found || (propulsor >= 0 && static_cast<std::size_t>(propulsor) != i)) continue;
    any = true;
    verdict = estimation::ReportVerdict::kNone;
    state.found[i] = {};
    believe(i);
    state.told_health[i] = state.health[i].health;
    say(EventCode::kPropulsorRecovered, static_cast<std::int32_t>(i),
        static_cast<double>(state.health[i].health));
  }
  estimation::forget(model.detector, model.body, work.detector, propulsor);
  return any;
}

}  // namespace pintle::stack
