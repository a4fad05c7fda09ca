#include <algorithm>
#include <cmath>

#include "pintle/stack/tick_steps.h"

namespace pintle::stack {
namespace {

bool is_for_mission(CommandCode code) noexcept {
  return (code >= CommandCode::kMissionStart && code <= CommandCode::kMissionJump) ||
         (code >= CommandCode::kMissionStep && code <= CommandCode::kMissionCutoff);
}

}  // namespace

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

  odometry = estimation::estimate(model.estimation, state.odometry, plausible_odometry(), now);
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
    bool refused = to_mission.command != mission::Command::kNone && is_for_mission(c.code) &&
                   c.code != CommandCode::kMissionAbort;
    if (refused) {
      say(EventCode::kCommandRefused, static_cast<std::int32_t>(c.code));
      continue;
    }
    switch (c.code) {
      case CommandCode::kNone: break;
      case CommandCode::kArm:
        if (state.arm == ArmState::kDisarmed && model.law == Law::kVelocity) {
          refused = obstacle() != ArmObstacle::kNone;
          if (refused)
            say(EventCode::kArmingRefused, static_cast<std::int32_t>(obstacle()));
          else
            arm();
        } else if (state.arm == ArmState::kDisarmed && out.used.validity == Validity::kValid)
          arm();
        else
          refused = state.arm != ArmState::kArmed;
        break;
      case CommandCode::kDisarm:
        if (state.arm == ArmState::kArmed) {
          state.arm = ArmState::kDisarmed;
          state.ignition = 0;
          say(EventCode::kDisarmed);
          // hands off: what was under way does not go on by itself
          if (model.law == Law::kVelocity) to_mission.command = mission::Command::kCutOff;
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
      case CommandCode::kMissionStep:
        to_mission.command = mission::Command::kStep;
        to_mission.jump_to = c.argument;
        break;
      case CommandCode::kMissionSelect:
        to_mission.command = mission::Command::kSelect;
        to_mission.jump_to = c.argument;
        break;
      case CommandCode::kMissionCutoff: to_mission.command = mission::Command::kCutOff; break;
      case CommandCode::kResetControl:
        control::reset(model.control, state.control);
        // the proof of the frame is begun anew too
        if (model.law == Law::kVelocity && state.arm != ArmState::kArmed)
          prepare_aircraft(model, state.aircraft);
        break;
      case CommandCode::kTrustPropulsor: refused = !trust(c.argument); break;
      case CommandCode::kIgnite: ignite(c.argument, true, refused); break;
      case CommandCode::kShutDown: ignite(c.argument, false, refused); break;
      default: refused = true; break;
    }
    if (refused || (is_for_mission(c.code) && !model.has_mission))
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
  control::reset(state.vector);
  // turbines run while armed; boosters wait to be told
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
      // the loops must not integrate over the time they did not see
      if (model.control.behaviour == control::Behaviour::kSafe)
        control::reset(model.control, state.control);
      control::reset(state.vector);
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
    state.ignition = 0;
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

}  // namespace pintle::stack
