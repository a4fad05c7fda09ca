#include "pintle/stack/tick.h"

#include <algorithm>
#include <cmath>

#include "pintle/stack/gate.h"

namespace pintle::stack {
namespace {

// a propulsor that gives a smaller share than this is not asked any more
constexpr double kWorthUsing = 0.25;

/// One tick under way: the steps are methods so that each reads on its own.
struct Tick {
  const Model& model;
  State& state;
  const Inputs& in;
  Outputs& out;
  Time now{};
  double dt_s = 0;
  estimation::Estimate odometry{};
  bool fresh = false;

  void say(EventCode code, std::int32_t subject = -1, double value = 0) noexcept {
    if (!out.events.push_back({now, code, subject, value})) ++out.events_lost;
  }
  void say(EventCode code, InputCode input, double value = 0) noexcept {
    say(code, static_cast<std::int32_t>(input), value);
  }

  void take_time() noexcept;
  void take_health() noexcept;
  void take_bus_voltage() noexcept;
  void estimate() noexcept;
  void take_commands(mission::EngineInput& mission) noexcept;
  void watch_state(mission::EngineInput& mission) noexcept;
  void find_failures() noexcept;
  void cap_power() noexcept;
  bool trust(std::int32_t propulsor) noexcept;
  void arm() noexcept;
  void choose_setpoint(mission::EngineInput& mission) noexcept;
  void follow_planner() noexcept;
  void control() noexcept;
  void allocate() noexcept;
  void send() noexcept;
  void report() noexcept;
};

void Tick::take_time() noexcept {
  out.events.clear();
  out.events_lost = 0;
  out.tick = state.ticks;
  const bool first = state.ticks == 0;
  now = in.now;
  if (!first && in.now <= state.last_now) {
    // never back: this tick happens at the instant of the last one
    now = state.last_now;
    say(EventCode::kTimeReversed, InputCode::kClock, (in.now - state.last_now).seconds());
  }
  dt_s = first ? model.period.seconds() : (now - state.last_now).seconds();
  out.now = now;
  if (state.generation != model.generation) {
    say(EventCode::kParametersChanged, static_cast<std::int32_t>(model.generation));
    adopt(model, state);
  }
}

void Tick::take_health() noexcept {
  for (const HealthReport& r : in.health) {
    const double e = r.health.efficiency;
    if (r.propulsor >= state.health.size() || !(e >= 0 && e <= 1) ||
        !std::isfinite(r.health.stuck_effort)) {
      say(EventCode::kInputRejected, InputCode::kHealth, r.propulsor);
      continue;
    }
    // what is announced goes before what was found out
    const auto found = static_cast<std::int32_t>(r.propulsor);
    estimation::forget(model.detector, model.body, state.detector, found);
    const bool bad = r.health.health != Health::kGood;
    if (r.health.health != state.health[r.propulsor].health)
      say(bad ? EventCode::kPropulsorFailed : EventCode::kPropulsorRecovered, found,
          static_cast<double>(r.health.health));
    state.announced[r.propulsor] = state.health[r.propulsor] = r.health;
  }
}

void Tick::take_bus_voltage() noexcept {
  if (!in.has_bus_voltage) return;
  if (in.bus_V > 0 && in.bus_V < 1e4)
    state.bus_V = in.bus_V;
  else
    say(EventCode::kInputRejected, InputCode::kBusVoltage);
}

void Tick::estimate() noexcept {
  using estimation::MeasurementVerdict;
  const auto judge = [this](const estimation::Estimate& e, InputCode code) noexcept {
    if (e.verdict == MeasurementVerdict::kTimeReversed ||
        e.verdict == MeasurementVerdict::kFromFuture)
      say(EventCode::kTimeReversed, code);
    else if (e.verdict == MeasurementVerdict::kNotFinite ||
             e.verdict == MeasurementVerdict::kBadQuaternion)
      say(EventCode::kInputRejected, code);
  };

  odometry = estimation::estimate(model.estimation, state.odometry,
                                  in.has_odometry ? &in.odometry : nullptr, now);
  judge(odometry, InputCode::kOdometry);
  out.used = odometry.state;
  fresh = odometry.fresh;

  // a transform, once there is one, has the say over the pose, and must be fresh too
  if (!in.has_transform && !state.transform.has_measurement) return;
  const estimation::Estimate transform = estimation::estimate(
      model.estimation, state.transform, in.has_transform ? &in.transform : nullptr, now);
  judge(transform, InputCode::kTransform);
  if (!state.transform.has_measurement) return;
  out.used.X_WB = transform.state.X_WB;
  out.used.validity = std::min(odometry.state.validity, transform.state.validity);
  fresh = fresh && out.used.validity == Validity::kValid;
}

void Tick::take_commands(mission::EngineInput& to_mission) noexcept {
  for (const OperatorCommand& c : in.commands) {
    // the mission takes one command a tick; an abort always gets through
    bool refused = to_mission.command != mission::Command::kNone &&
                   c.code >= CommandCode::kMissionStart && c.code <= CommandCode::kMissionJump &&
                   c.code != CommandCode::kMissionAbort;
    if (refused) {
      say(EventCode::kCommandRefused, static_cast<std::int32_t>(c.code));
      continue;
    }
    switch (c.code) {
      case CommandCode::kNone: break;
      case CommandCode::kArm:
        if (state.arm == ArmState::kDisarmed && out.used.validity == Validity::kValid)
          arm();
        else
          refused = state.arm != ArmState::kArmed;
        break;
      case CommandCode::kDisarm:
        if (state.arm == ArmState::kArmed) {
          state.arm = ArmState::kDisarmed;
          say(EventCode::kDisarmed);
        }
        break;
      case CommandCode::kResetLatch:
        refused = state.arm != ArmState::kLatchedSafe;
        if (!refused) {
          state.arm = ArmState::kDisarmed;
          say(EventCode::kLatchReset);
        }
        break;
      case CommandCode::kMissionStart: to_mission.command = mission::Command::kStart; break;
      case CommandCode::kMissionPause: to_mission.command = mission::Command::kPause; break;
      case CommandCode::kMissionResume: to_mission.command = mission::Command::kResume; break;
      case CommandCode::kMissionAbort: to_mission.command = mission::Command::kAbort; break;
      case CommandCode::kMissionJump:
        to_mission.command = mission::Command::kJump;
        to_mission.jump_to = c.argument;
        break;
      case CommandCode::kResetControl: control::reset(model.control, state.control); break;
      case CommandCode::kTrustPropulsor: refused = !trust(c.argument); break;
      default: refused = true; break;
    }
    const bool for_mission =
        c.code >= CommandCode::kMissionStart && c.code <= CommandCode::kMissionJump;
    if (refused || (for_mission && !model.has_mission))
      say(EventCode::kCommandRefused, static_cast<std::int32_t>(c.code));
  }
}

void Tick::arm() noexcept {
  state.arm = ArmState::kArmed;
  state.lost = false;
  say(EventCode::kArmed);
  // the loops have run without effect until now: begin from rest
  if (model.control.behaviour == control::Behaviour::kSafe)
    control::reset(model.control, state.control);
}

/// Staleness and the latch.
void Tick::watch_state(mission::EngineInput& to_mission) noexcept {
  const Validity validity = out.used.validity;
  if (validity != state.last_validity) {
    if (validity != Validity::kValid) {
      say(EventCode::kInputStale, InputCode::kOdometry);
    } else if (state.last_validity == Validity::kStale) {
      say(EventCode::kInputRecovered, InputCode::kOdometry);
      // the loops must not integrate over the time they did not see
      if (model.control.behaviour == control::Behaviour::kSafe)
        control::reset(model.control, state.control);
    }
    state.last_validity = validity;
  }
  if (state.arm != ArmState::kArmed || validity == Validity::kValid) {
    state.lost = false;
    return;
  }
  if (!state.lost) {
    state.lost = true;
    state.lost_at = now;
    state.ramp_from = state.last_effort;
  }
  if ((now - state.lost_at).seconds() >= model.safety.latch_after_s) {
    state.arm = ArmState::kLatchedSafe;
    state.lost = false;
    to_mission.abort = true;
    say(EventCode::kLatchedSafe);
  }
}

/// Takes back what was found out; false when there is nothing to take back.
bool Tick::trust(std::int32_t propulsor) noexcept {
  bool any = false;
  for (std::size_t i = 0; i < state.health.size(); ++i) {
    const bool found = (state.detector.found >> i & 1U) != 0;
    if (!found || (propulsor >= 0 && static_cast<std::size_t>(propulsor) != i)) continue;
    any = true;
    state.health[i] = state.announced[i];
    say(EventCode::kPropulsorRecovered, static_cast<std::int32_t>(i),
        static_cast<double>(state.health[i].health));
  }
  estimation::forget(model.detector, model.body, state.detector, propulsor);
  return any;
}

/// A propulsor that fails without a word.
void Tick::find_failures() noexcept {
  if (!model.detector.enable) return;
  estimation::DetectorInput input;
  input.now = now;
  input.active =
      state.arm == ArmState::kArmed && !state.lost && out.used.validity == Validity::kValid;
  input.measurement = odometry.fresh ? &state.odometry.last : nullptr;
  input.sent = &state.last_effort;
  input.health = state.announced.data();
  const estimation::Detection d =
      estimation::detect(model.detector, model.body, state.detector, input);
  if (!d.declared) return;
  say(EventCode::kFailureSuspected, d.propulsor, d.efficiency);
  if (model.detector.on_detection != estimation::OnDetection::kDrop) return;
  PropulsorHealth& h = state.health[static_cast<std::size_t>(d.propulsor)];
  if (d.is_loss() && d.efficiency > kWorthUsing)
    h = {Health::kWeak, std::min(d.efficiency, 1.0), 0};
  else if (d.is_loss())
    h = {Health::kOut, 1, 0};
  else
    h = {Health::kStuck, 1, d.delivered};
}

void Tick::choose_setpoint(mission::EngineInput& to_mission) noexcept {
  if (!model.has_mission) {
    out.mission = {};
    follow_planner();
    return;
  }
  to_mission.disarmed = state.arm != ArmState::kArmed;
  mission::EngineOutput answer;
  const std::size_t before = out.events.size();
  mission::step(model.mission, state.mission, to_mission, answer, out.events);
  if (out.events.size() < before) out.events.resize(before);
  out.mission = answer.status;
  out.setpoint = answer.setpoint;
  // without a pose there is nothing to hold: stay on what the loops had
  if (!answer.pose_known) out.setpoint = state.control.setpoint;
  out.authority = Authority::kMission;
  if (answer.refused) say(EventCode::kCommandRefused);
  if (answer.reset_control) control::reset(model.control, state.control);
}

void Tick::follow_planner() noexcept {
  if (in.has_setpoint) {
    int axis = -1;
    const control::SetpointRefusal why =
        control::set_setpoint(model.control, state.control, in.setpoint, &axis);
    if (why == control::SetpointRefusal::kNone) {
      state.has_planner_setpoint = true;
      state.planner_stale = false;
      state.planner_setpoint_at = now;
      state.planner_setpoint = in.setpoint;
    } else {
      say(EventCode::kSetpointRejected, axis, static_cast<double>(why));
    }
  }
  const double limit = model.safety.setpoint_stale_s;
  if (state.has_planner_setpoint && !state.planner_stale && limit > 0 &&
      (now - state.planner_setpoint_at).seconds() > limit) {
    // nothing is followed for ever: hold where the vehicle is now
    state.planner_stale = true;
    state.planner_setpoint = {};
    state.planner_setpoint.X_WD = out.used.X_WB;
    say(EventCode::kInputStale, InputCode::kSetpoint);
  }
  if (!state.has_planner_setpoint && model.control.behaviour == control::Behaviour::kSafe)
    // nobody has asked for anything: stay
    state.planner_setpoint.X_WD = state.ticks == 0 || state.arm != ArmState::kArmed
                                      ? out.used.X_WB
                                      : state.planner_setpoint.X_WD;
  out.setpoint = state.planner_setpoint;
  out.authority = Authority::kPlanner;
}

void Tick::control() noexcept {
  int axis = -1;
  const control::SetpointRefusal why =
      control::set_setpoint(model.control, state.control, out.setpoint, &axis);
  if (why != control::SetpointRefusal::kNone) {
    say(EventCode::kSetpointRejected, axis, static_cast<double>(why));
    out.setpoint = state.control.setpoint;
  }
  // once per fresh measurement, with that measurement's dt; efforts hold in between
  if (fresh) {
    const control::SixAxisInput input{out.used.X_WB, state.odometry.last.X_WB.q, out.used.V_WB_B};
    if (!control::update(model.control, state.control, input, odometry.dt_s, out.control) &&
        odometry.dt_s > 0)
      say(EventCode::kInputRejected, InputCode::kOdometry);
  }
  out.demand = control::demand(model.control, state.control, out.control);
}

void Tick::allocate() noexcept {
  const std::size_t n = model.vehicle.propulsors.size();
  propulsion::Ambient ambient;
  ambient.bus_V = state.bus_V;
  for (std::size_t i = 0; i < n; ++i) {
    const propulsion::ThrusterBox box = std::visit(
        [&](const auto& thruster) noexcept {
          return linearise(thruster, std::get<propulsion::ThrusterState>(state.propulsors[i]),
                           ambient, model.period.seconds());
        },
        model.vehicle.propulsors[i].model);
    state.effectiveness.lower[i] = box.lower;
    state.effectiveness.upper[i] = box.upper;
    state.effectiveness.preferred[i] = box.preferred;
  }
  if (!is_finite(out.demand.F_Bo_B)) {
    say(EventCode::kDemandNotFinite);
    out.demand.F_Bo_B = {};
  }
  if (model.power.is_modelled())
    cap_power();
  else
    allocation::allocate(state.allocation, model.allocation, state.effectiveness, out.demand,
                         state.health.data(), out.allocation);
  out.limits =
      limits_of(model.vehicle.propulsors, state.effectiveness, state.health.data(), out.allocation);
  out.limits.by_power = model.power.is_modelled() && state.power_capped;
  out.proposed.assign(out.allocation.effort);
}

/// Allocates inside the caps on power and current.
void Tick::cap_power() noexcept {
  const double allowed = allocation::allowed_power(model.power.params, state.bus_V);
  const bool capped = allocation::allocate_within(model.power, allowed, state.allocation,
                                                  model.allocation, state.effectiveness, out.demand,
                                                  state.health.data(), out.allocation);
  if (state.arm == ArmState::kArmed && capped != state.power_capped)
    say(capped ? EventCode::kPowerCapped : EventCode::kPowerFree, -1, allowed);
  state.power_capped = capped;
}

/// Arm state and ramp decide what is sent; the gate has the last word.
void Tick::send() noexcept {
  const std::size_t n = model.vehicle.propulsors.size();
  const bool live = state.arm == ArmState::kArmed && !state.lost;
  if (!live) out.authority = Authority::kSafe;
  double keep = 0;
  if (state.arm == ArmState::kArmed && state.lost && model.safety.ramp_to_safe_s > 0)
    keep = std::max(0.0, 1.0 - (now - state.lost_at).seconds() / model.safety.ramp_to_safe_s);

  out.actuation.command.resize(n);
  out.actuation.effort.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double effort = live                         ? out.allocation.effort[i]
                          : i < state.ramp_from.size() ? keep * state.ramp_from[i]
                                                       : 0;
    const GateResult sent =
        gate(model.vehicle.propulsors[i].model, state.propulsors[i], effort,
             live ? state.effectiveness.lower[i] : std::min(effort, 0.0),
             live ? state.effectiveness.upper[i] : std::max(effort, 0.0), state.bus_V, dt_s);
    if (sent.changed) say(EventCode::kGateChanged, static_cast<std::int32_t>(i), effort);
    out.actuation.command[i] = sent.command;
    out.actuation.effort[i] = sent.effort;
  }
  state.last_effort.assign(out.actuation.effort);

  // the original's loops see what allocation gave, sent or not; ours see what is really done
  const Vec6 demanded = to_vec6(out.demand.F_Bo_B);
  if (model.control.behaviour == control::Behaviour::kReference)
    control::note_achieved(model.control, state.control, demanded, to_vec6(out.allocation.achieved),
                           dt_s);
  allocation::set_sent(state.effectiveness, out.demand, state.health.data(), out.actuation.effort,
                       out.allocation);
  if (model.control.behaviour == control::Behaviour::kSafe)
    control::note_achieved(model.control, state.control, demanded, to_vec6(out.allocation.achieved),
                           live ? dt_s : 0.0);
}

void Tick::report() noexcept {
  const bool saturated = out.allocation.grade != AllocationGrade::kExact;
  if (state.arm == ArmState::kArmed && saturated != state.saturated) {
    say(saturated ? EventCode::kSaturated : EventCode::kUnsaturated, -1,
        norm(to_vec6(out.allocation.residual)));
    state.saturated = saturated;
  }
  const AxisMask changed = static_cast<AxisMask>(out.allocation.reachable ^ state.reachable);
  for (std::size_t a = 0; a < kAxes; ++a) {
    if ((changed & axis_bit(a)) == 0) continue;
    const bool lost = (out.allocation.reachable & axis_bit(a)) == 0;
    say(lost ? EventCode::kAxisLost : EventCode::kAxisRegained, static_cast<std::int32_t>(a));
  }
  state.reachable = out.allocation.reachable;
  out.arm = state.arm;
}

}  // namespace

State initial_state(const Model& model) noexcept {
  State s;
  s.generation = model.generation;
  s.effectiveness = model.effectiveness;
  s.bus_V = model.nominal_bus_V;
  const std::size_t n = model.vehicle.propulsors.size();
  s.propulsors.resize(n);
  for (std::size_t i = 0; i < n; ++i)
    s.propulsors[i] = propulsion::initial_state(model.vehicle.propulsors[i].model);
  s.announced.resize(n);
  s.health.resize(n);
  s.last_effort.resize(n);
  s.ramp_from.resize(n);
  s.reachable = allocation::reachable_axes(s.effectiveness, s.health.data());
  return s;
}

void adopt(const Model& model, State& state) noexcept {
  state.generation = model.generation;
  state.effectiveness = model.effectiveness;
  state.detector.has_kept = false;
}

void tick(const Model& model, State& state, const Inputs& inputs, Outputs& outputs) noexcept {
  Tick t{model, state, inputs, outputs};
  t.take_time();
  t.take_health();
  t.take_bus_voltage();
  t.estimate();

  mission::EngineInput to_mission;
  to_mission.now = t.now;
  to_mission.vehicle = outputs.used;
  t.take_commands(to_mission);
  t.watch_state(to_mission);
  t.find_failures();
  t.choose_setpoint(to_mission);

  t.control();
  t.allocate();
  t.send();
  t.report();

  state.last_now = t.now;
  ++state.ticks;
}

}  // namespace pintle::stack
