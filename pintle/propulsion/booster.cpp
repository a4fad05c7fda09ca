#include "pintle/propulsion/booster.h"

#include <algorithm>
#include <cmath>

#include "pintle/propulsion/booster_kernel.h"
#include "pintle/propulsion/internal/numbers.h"

namespace pintle::propulsion {
namespace {

/// Mass burnt per newton and second.
double flow_per_newton(const BoosterParams& p) noexcept {
  if (p.specific_impulse_s > 0) return 1.0 / (p.specific_impulse_s * kStandardGravity);
  return p.max_thrust_N > 0 ? p.max_fuel_rate_kg_s / p.max_thrust_N : 0;
}

BoosterThrust update(const BoosterParams& p, BoosterState& state, const BoosterCommand& command,
                     double dt_s) noexcept {
  const BoosterConsts consts = prepare(p, dt_s);
  return p.behaviour == Behaviour::kReference
             ? BoosterReferenceKernel::update(consts, state, command)
             : BoosterPhysicalKernel::update(consts, state, command);
}

bool has_own_fuel(const BoosterParams& p) noexcept {
  return p.behaviour == Behaviour::kReference || p.total_fuel_mass_kg > 0;
}

}  // namespace

BoosterConsts prepare(const BoosterParams& p, double dt_s) noexcept {
  const double dt = usable(dt_s);
  const LagGain gain = lag_gain(p.behaviour, dt, p.tau_s);
  BoosterConsts c{};
  c.end = gain.end;
  c.mean = gain.mean;
  c.floor = p.max_thrust_N > 0 ? p.min_thrust_N / p.max_thrust_N : 0;
  c.latch = p.reignitable ? 0 : 1;
  c.noise_ratio = p.noise_ratio;
  c.max_thrust = p.max_thrust_N;
  c.burn = p.total_fuel_mass_kg > 0 ? p.max_fuel_rate_kg_s / p.total_fuel_mass_kg : 0;
  c.kg_per_newton = flow_per_newton(p) * dt;
  c.fuel_mass = p.total_fuel_mass_kg;
  c.own_fuel = has_own_fuel(p) ? 1 : 0;
  c.dt = dt;
  return c;
}

SupplyDemand demand(const BoosterParams& p, const BoosterState& state, const BoosterInput& input,
                    double dt_s) noexcept {
  BoosterState copy = state;
  const BoosterThrust t = update(p, copy, {input.ignition, input.pwm, input.noise, 1}, dt_s);
  const double dt = usable(dt_s);
  return {0, dt > 0 ? t.burnt / dt : 0};
}

BoosterStep step(const BoosterParams& p, BoosterState& state, const BoosterInput& input,
                 const Ambient&, const Grant& grant, double dt_s) noexcept {
  const BoosterThrust t =
      update(p, state, {input.ignition, input.pwm, input.noise, grant.share}, dt_s);
  const double dt = usable(dt_s);
  const Vec3 direction = input.rotation * unit_or_x(p.thrust_unit);
  const Vec3 force = t.thrust * direction;
  return {{is_finite(force) ? force : Vec3{}, {}}, t.thrust, {0, dt > 0 ? t.burnt / dt : 0}};
}

Linearised linearise(const BoosterParams& p, const BoosterState& state, const Ambient&,
                     double horizon_s) noexcept {
  const LagGain gain = lag_gain(p.behaviour, horizon_s, p.tau_s);
  const double reach = std::min(gain.mean, 1.0);
  const Vec3 direction = unit_or_x(p.thrust_unit);
  const bool fuelled = !has_own_fuel(p) || state.fuel_ratio > 0;
  Linearised out;
  out.n = 1;
  if (!fuelled) return out;
  out.column_P[0].force = reach * direction;
  out.bias_P.force = (1 - reach) * tame(state.throttle) * p.max_thrust_N * direction;
  out.lower[0] = state.lit > 0.5 ? p.min_thrust_N : 0;
  out.upper[0] = p.max_thrust_N;
  out.preferred[0] = out.lower[0];
  return out;
}

BoosterInput invert(const BoosterParams& p, const BoosterState& state, double effort_N) noexcept {
  BoosterInput input;
  const bool latched = !p.reignitable && state.lit > 0.5;
  if (!std::isfinite(effort_N) || !(effort_N > 0.5 * p.min_thrust_N) || !(effort_N > 0)) {
    input.ignition = latched ? 1 : 0;
    return input;
  }
  const double range = p.max_thrust_N - p.min_thrust_N;
  input.ignition = 1;
  input.pwm = range > 0 ? clip((effort_N - p.min_thrust_N) / range, 0, 1) : 0;
  return input;
}

MassProperties fuel_of(const BoosterParams& p, const BoosterState& state) noexcept {
  const double ratio = tame(state.fuel_ratio);
  return {ratio * p.total_fuel_mass_kg, p.fuel_position_m, ratio * p.max_inertia_kgm2};
}

void step_all(std::span<const BoosterParams> params, std::span<const std::int32_t> tank,
              std::span<BoosterState> states, std::span<const TankParams> tanks,
              std::span<TankState> tank_states, std::span<const BoosterInput> inputs,
              const Ambient& ambient, double dt_s, std::span<BoosterStep> out) noexcept {
  const auto feeds = [&](std::size_t i, std::size_t k) {
    return params[i].behaviour == Behaviour::kPhysical && tank[i] == static_cast<std::int32_t>(k);
  };
  const auto run = [&](std::size_t i, BoosterParams p, Grant share) {
    out[i] = step(p, states[i], inputs[i], ambient, share, dt_s);
  };
  for (std::size_t i = 0; i < params.size(); ++i) {
    const bool shared = params[i].behaviour == Behaviour::kPhysical && tank[i] >= 0 &&
                        static_cast<std::size_t>(tank[i]) < tanks.size();
    if (!shared) run(i, params[i], {});
  }
  for (std::size_t k = 0; k < tanks.size(); ++k) {
    // a booster on a tank has no fuel of its own
    const auto fed = [&](std::size_t i) {
      BoosterParams p = params[i];
      p.total_fuel_mass_kg = 0;
      return p;
    };
    double flow = 0, taken = 0;
    for (std::size_t i = 0; i < params.size(); ++i)
      if (feeds(i, k)) flow += demand(fed(i), states[i], inputs[i], dt_s).mass_flow_kg_s;
    Grant share = grant(tanks[k], tank_states[k], flow, dt_s);
    if (!(tank_states[k].mass_kg > 0)) share.share = 0;
    for (std::size_t i = 0; i < params.size(); ++i) {
      if (!feeds(i, k)) continue;
      run(i, fed(i), share);
      taken += out[i].demand.mass_flow_kg_s * usable(dt_s);
    }
    drain(tanks[k], tank_states[k], taken);
    for (std::size_t i = 0; i < params.size(); ++i)
      if (feeds(i, k)) states[i].fuel_ratio = fuel_ratio(tanks[k], tank_states[k]);
  }
}

void reset(std::span<BoosterState> states, double starting_fuel_ratio) noexcept {
  for (BoosterState& s : states) s = {0, tame(starting_fuel_ratio), 0};
}

void reset(std::span<BoosterState> states, std::span<const double> starting_fuel_ratio) noexcept {
  for (std::size_t i = 0; i < states.size(); ++i)
    states[i] = {0, i < starting_fuel_ratio.size() ? tame(starting_fuel_ratio[i]) : 1, 0};
}

void get_states(std::span<const BoosterState> states, std::span<double> out) noexcept {
  const std::size_t n = states.size();
  for (std::size_t i = 0; i < n && 2 * n + i < out.size(); ++i) {
    out[i] = states[i].lit;
    out[n + i] = states[i].fuel_ratio;
    out[2 * n + i] = states[i].throttle;
  }
}

}  // namespace pintle::propulsion
