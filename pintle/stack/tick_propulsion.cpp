#include <algorithm>
#include <cmath>

#include "pintle/stack/gate.h"
#include "pintle/stack/tick_steps.h"

namespace pintle::stack {
namespace {

/// What comes and goes is over, or back, when it has stayed away, or there, this long.
constexpr double kBack_s = 0.5;

/// Of a size that can be added and multiplied: no propulsor pushes with a million tonnes.
bool is_small(const Wrench& w) noexcept {
  constexpr double kLargest = 1e10;
  return norm(w.force) < kLargest && norm(w.torque) < kLargest;
}

}  // namespace

/// What the propulsors can do in this tick.
void Tick::linearise() noexcept {
  if (model.fixed_boxes) return;
  Effectiveness& e = work.effectiveness;
  const std::size_t n = model.vehicle.propulsors.size();
  if (!model.thrusters_only) e.bias = {};
  std::size_t channel = 0;
  const Vec3 flow = flow_B();
  for (std::size_t i = 0; i < n; ++i) {
    const vehicle::Propulsor& p = model.vehicle.propulsors[i];
    if (const auto* thruster = std::get_if<propulsion::Thruster>(&p.model)) {
      propulsion::Ambient ambient;
      ambient.bus_V = state.bus_V;
      const propulsion::ThrusterBox box =
          propulsion::linearise(*thruster, std::get<propulsion::ThrusterState>(state.propulsors[i]),
                                ambient, model.period.seconds());
      e.lower[channel] = box.lower;
      e.upper[channel] = box.upper;
      e.preferred[channel] = box.preferred;
      ++channel;
      continue;
    }
    const propulsion::Ambient ambient = vehicle::ambient_at(
        p.mount, out.used.V_WB_B, flow, model.surroundings.air_density_kg_m3, state.bus_V);
    const propulsion::Linearised l = propulsion::linearise(
        p.model, state.propulsors[i], ambient, model.period.seconds(), (burning() >> i & 1U) != 0);
    // an airspeed beyond all sense makes forces beyond all numbers: then it counts for nothing
    const Wrench bias = vehicle::at_origin(p.mount, l.bias_P);
    bool usable = is_finite(bias) && is_small(bias);
    std::array<Wrench, propulsion::kChannelsEach> columns{};
    for (std::size_t k = 0; k < l.n; ++k) {
      columns[k] = vehicle::at_origin(p.mount, l.column_P[k]);
      usable = usable && is_finite(columns[k]) && is_small(columns[k]);
    }
    const bool works =
        usable && vehicle::has_fuel(model.vehicle, state.tank_kg, i, state.propulsors[i]);
    if (usable) e.bias = e.bias + bias;
    for (std::size_t k = 0; k < l.n; ++k, ++channel) {
      e.column[channel] = usable ? to_vec6(columns[k]) : Vec6{};
      e.lower[channel] = works ? l.lower[k] : 0;
      e.upper[channel] = works ? l.upper[k] : 0;
      e.preferred[channel] = works ? l.preferred[k] : 0;
    }
  }
}

/// One a channel; null when all are good. Stuck is the first channel of an engine; its gimbal still
/// turns.
const PropulsorHealth* Tick::channel_health() const noexcept {
  if (state.bad == 0) return nullptr;
  if (model.single_channels) return state.health.data();
  work.channel_health.resize(model.owner.size());
  for (std::size_t c = 0; c < model.owner.size(); ++c) {
    work.channel_health[c] = state.health[model.owner[c]];
    const bool first = c == 0 || model.owner[c - 1] != model.owner[c];
    if (!first && work.channel_health[c].health == Health::kStuck) work.channel_health[c] = {};
  }
  return work.channel_health.data();
}

void Tick::allocate() noexcept {
  if (!is_finite(out.demand.F_Bo_B)) {
    say(EventCode::kDemandNotFinite);
    out.demand.F_Bo_B = {};
  }
  const PropulsorHealth* health = channel_health();
  if (allocation::has_smoothing(model.allocation.objective, model.dead_bands)) {
    // what is not sent has moved nothing: start from rest
    if (!live()) state.smoothing = {};
    allocation::Smoothed smooth;
    allocation::smooth(model.allocation, model.dead_bands, work.effectiveness, out.demand, health,
                       dt_s, state.smoothing, smooth);
    allocate_in(smooth.box);
    allocation::restore(smooth, work.effectiveness, out.allocation);
  } else {
    allocate_in(work.effectiveness);
  }
  out.limits = limits_of(model.effectiveness, work.effectiveness, health, out.allocation);
  for (std::size_t c = 0; state.telemetry.derated != 0 && c < model.owner.size(); ++c) {
    const ChannelMask bit = ChannelMask{1} << c & out.limits.by_slew;
    if ((state.telemetry.derated >> model.owner[c] & 1U) == 0) continue;
    out.limits.by_derating |= bit;
    out.limits.by_slew &= ~bit;
  }
  out.limits.by_power = model.caps_power && state.power_capped;
  out.proposed.assign(out.allocation.effort);
  out.proposed_B = out.allocation.achieved;
}

/// Inside the caps on power and current, where there are any.
void Tick::allocate_in(const Effectiveness& effectiveness) noexcept {
  if (!model.caps_power) {
    allocation::allocate(work.allocation, model.allocation, effectiveness, out.demand,
                         channel_health(), out.allocation);
    return;
  }
  const double allowed =
      allocation::allowed_power(model.power.params, state.bus_V) / state.telemetry.power_ratio;
  const bool capped =
      allocation::allocate_within(model.power, allowed, work.allocation, model.allocation,
                                  effectiveness, out.demand, channel_health(), out.allocation);
  if (state.arm == ArmState::kArmed && capped != state.power_capped)
    say(capped ? EventCode::kPowerCapped : EventCode::kPowerFree, -1, allowed);
  state.power_capped = capped;
}

/// Arm state and ramp decide what is sent.
Tick::Bounded Tick::wanted(std::size_t channel, bool is_live, double keep) const noexcept {
  if (is_live)
    return {out.allocation.effort[channel], work.effectiveness.lower[channel],
            work.effectiveness.upper[channel]};
  const double effort = channel < state.ramp_from.size() ? keep * state.ramp_from[channel] : 0;
  return {effort, std::min(effort, 0.0), std::max(effort, 0.0)};
}

[[gnu::flatten]] void Tick::send_thruster(const propulsion::Thruster& thruster, std::size_t i,
                                          std::size_t channel, bool is_live, double keep) noexcept {
  auto& driven = *std::get_if<propulsion::ThrusterState>(&state.propulsors[i]);
  const Bounded w = wanted(channel, is_live, keep);
  const ThrusterGate sent = gate(thruster, driven, w.effort, w.lower, w.upper, state.bus_V, dt_s);
  if (sent.changed) say(EventCode::kGateChanged, static_cast<std::int32_t>(i), w.effort);
  out.actuation.command[channel] = sent.command;
  out.actuation.effort[channel] = sent.effort;
  if (!model.sends_efforts) return;
  // inside bounds and slew, before the curve
  const double effort =
      effort_sent(driven.commanded, w.lower, w.upper, model.least_effort, model.single_precision);
  out.actuation.command[channel] = out.actuation.effort[channel] = effort;
}

void Tick::send_other(std::size_t i, std::size_t first, bool is_live, double keep) noexcept {
  const vehicle::Propulsor& p = model.vehicle.propulsors[i];
  const std::size_t n = propulsion::channels(p.model);
  GateInput input;
  for (std::size_t k = 0; k < n; ++k) {
    const Bounded w = wanted(first + k, is_live, keep);
    input.effort[k] = w.effort;
    input.lower[k] = w.lower;
    input.upper[k] = w.upper;
  }
  // told to burn without fuel it gives nothing, and that is what is reported
  input.ignition = (out.actuation.ignition >> i & 1U) != 0 &&
                   vehicle::has_fuel(model.vehicle, state.tank_kg, i, state.propulsors[i]);
  input.ambient = vehicle::ambient_at(p.mount, out.used.V_WB_B, flow_B(),
                                      model.surroundings.air_density_kg_m3, state.bus_V);
  const GateResult sent = gate(p.model, state.propulsors[i], input, dt_s);
  if (sent.changed) say(EventCode::kGateChanged, static_cast<std::int32_t>(i), input.effort[0]);
  for (std::size_t k = 0; k < n; ++k) {
    out.actuation.command[first + k] = sent.command[k];
    out.actuation.effort[first + k] = sent.effort[k];
  }
}

/// The gate has the last word.
void Tick::send() noexcept {
  const bool is_live = live();
  if (!is_live || state.copes) out.authority = Authority::kSafe;
  double keep = 0;
  if (state.arm == ArmState::kArmed && state.lost && model.safety.ramp_to_safe_s > 0)
    keep = std::max(0.0, 1.0 - (now - state.ramp_at).seconds() / model.safety.ramp_to_safe_s);

  out.actuation.command.resize(work.effectiveness.n);
  out.actuation.effort.resize(work.effectiveness.n);
  out.actuation.ignition = burning();
  std::size_t channel = 0;
  for (std::size_t i = 0; i < model.vehicle.propulsors.size(); ++i) {
    const propulsion::Propulsor& p = model.vehicle.propulsors[i].model;
    if (const auto* thruster = std::get_if<propulsion::Thruster>(&p)) {
      send_thruster(*thruster, i, channel++, is_live, keep);
    } else {
      send_other(i, channel, is_live, keep);
      channel += propulsion::channels(p);
    }
  }
  state.last_effort.assign(out.actuation.effort);
  state.last_command.assign(out.actuation.command);
  state.last_ignition = out.actuation.ignition;

  const Vec6 allocated = to_vec6(out.allocation.achieved);
  allocation::set_sent(work.effectiveness, out.demand, channel_health(), out.actuation.effort,
                       out.allocation);
  control::achieved(model.law, state.law, to_vec6(out.demand.F_Bo_B), allocated,
                    to_vec6(out.allocation.achieved), dt_s, is_live);
}

/// Of a craft whose propulsors are a flight controller's: nothing is asked of them.
void Tick::allocate_nothing() noexcept {
  const std::size_t n = model.effectiveness.n;
  out.allocation = {};
  out.allocation.grade = AllocationGrade::kExact;
  out.demand = {};
  out.limits = {};
  for (ChannelVector* v :
       {&out.allocation.effort, &out.proposed, &out.actuation.command, &out.actuation.effort}) {
    v->resize(n);
    for (double& x : *v) x = 0;
  }
  out.actuation.ignition = 0;
}

void Tick::report_allocation() noexcept {
  // a box of one tick's reach is left and entered all the time: it is over when it stays away
  const bool saturated = out.allocation.grade != AllocationGrade::kExact;
  if (saturated || state.acts == 0) state.saturated_at = now;
  const auto over = [&] { return (now - state.saturated_at).seconds() >= kBack_s; };
  if (state.arm == ArmState::kArmed && (state.saturated ? !saturated && over() : saturated)) {
    say(saturated ? EventCode::kSaturated : EventCode::kUnsaturated, -1,
        norm(to_vec6(out.allocation.residual)));
    state.saturated = saturated;
  }
  // an axis at the edge comes and goes: it is back when it has stayed
  const bool any_lost = (kAllAxes & ~out.allocation.reachable) != 0 || state.told_lost != 0;
  for (std::size_t a = 0; any_lost && a < kAxes; ++a) {
    const auto bit = static_cast<AxisMask>(axis_bit(a));
    const bool lost = (out.allocation.reachable & bit) == 0;
    if (lost) state.unreachable_at[a] = now;
    if (lost && (state.told_lost & bit) == 0) {
      say(EventCode::kAxisLost, static_cast<std::int32_t>(a),
          static_cast<double>(
              why_lost(model.effectiveness, work.effectiveness, channel_health(), a)));
      state.told_lost = static_cast<AxisMask>(state.told_lost | bit);
    } else if (!lost && (state.told_lost & bit) != 0 &&
               (now - state.unreachable_at[a]).seconds() >= kBack_s) {
      say(EventCode::kAxisRegained, static_cast<std::int32_t>(a));
      state.told_lost = static_cast<AxisMask>(state.told_lost & ~bit);
    }
  }
  state.reachable = out.allocation.reachable;
  const bool no_fuel = model.thrusters_only && state.tank_kg.empty();
  out.fuel_kg = no_fuel ? 0 : vehicle::fuel_kg(model.vehicle, state.propulsors, state.tank_kg);
}

void Tick::report() noexcept {
  out.arm = state.arm;
  out.aloft = is_aloft();
  out.obstacles = state.arm == ArmState::kArmed ? 0 : obstacles();
  out.commander = state.commander;
}

}  // namespace pintle::stack
