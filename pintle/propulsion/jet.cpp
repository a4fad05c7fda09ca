#include "pintle/propulsion/jet.h"

#include <algorithm>
#include <cmath>

#include "pintle/propulsion/internal/numbers.h"
#include "pintle/propulsion/jet_kernel.h"

namespace pintle::propulsion {
namespace {

bool has_sequence(const JetParams& p) noexcept { return p.start_up_s > 0; }
bool has_lag(const JetParams& p) noexcept {
  return p.model == JetModel::kFirstOrder && p.tau_s > 0;
}

JetThrust run(const JetParams& p, const JetConsts& c, JetLane& lane, double value) noexcept {
  switch (p.model) {
    case JetModel::kNonlinear: return JetNonlinearKernel::update(c, lane, {value});
    case JetModel::kDirect: return JetDirectKernel::update(c, lane, {value});
    case JetModel::kFirstOrder: break;
  }
  return has_lag(p) ? JetLagKernel::update(c, lane, {value})
                    : JetFirstOrderKernel::update(c, lane, {value});
}

void enter(JetState& s, JetPhase phase) noexcept {
  s.phase = phase;
  s.phase_s = 0;
}

/// Where the sequence stands after dt; true while the throttle is taken.
bool advance(const JetParams& p, JetState& s, bool wanted, double dt) noexcept {
  s.phase_s = clip(tame(s.phase_s), 0, 1e9) + dt;
  if (!wanted && s.phase == JetPhase::kRunning) enter(s, JetPhase::kRunningDown);
  if (!wanted && (s.phase == JetPhase::kStarting || s.phase == JetPhase::kStabilising))
    enter(s, JetPhase::kRunningDown);
  if (wanted && s.phase == JetPhase::kOff) enter(s, JetPhase::kStarting);
  if (s.phase == JetPhase::kStarting && s.phase_s >= p.start_up_s) enter(s, JetPhase::kStabilising);
  if (s.phase == JetPhase::kStabilising && s.phase_s >= p.stabilise_s) enter(s, JetPhase::kRunning);
  if (s.phase == JetPhase::kRunningDown && s.phase_s >= p.run_down_s) enter(s, JetPhase::kOff);
  return s.phase == JetPhase::kRunning;
}

/// Thrust while the throttle is not taken.
double idle_thrust(const JetParams& p, const JetState& s, double dt) noexcept {
  if (s.phase == JetPhase::kStabilising) return p.idle_thrust_N;
  if (s.phase != JetPhase::kRunningDown) return 0;
  const double left = p.run_down_s - s.phase_s + dt;
  return left > dt ? s.thrust_N * (1 - dt / left) : 0;
}

/// Thrust after the horizon with one input all the while.
double reach(const JetParams& p, const JetState& s, double value, double horizon) noexcept {
  // a model that is not exact over a long step takes short ones
  const bool exact = p.model == JetModel::kDirect || has_lag(p) ||
                     (p.model == JetModel::kFirstOrder && p.inverse_time_constant_per_s == 0);
  const int n = exact ? 1 : static_cast<int>(clip(std::ceil(horizon / 0.02), 1, 100));
  const JetConsts c = prepare(p, horizon / n);
  JetLane lane{s.thrust_N, s.rate_N_s};
  for (int i = 0; i < n; ++i) run(p, c, lane, value);
  return lane.thrust;
}

/// Throttle for a thrust rate: feedback linearisation.
double throttle_for(const JetParams& p, const JetState& s, double wanted_rate, double dt) noexcept {
  const JetConsts c = prepare(p, dt);
  const double T = limited(s.thrust_N, p.max_thrust_N), D = clip(tame(s.rate_N_s), -1e9, 1e9);
  const double f = JetNonlinearKernel::acceleration(c, T, D, 0);
  const double g = c.b_u + c.b_t * T + c.b_d * D;
  // in discrete time a gain beyond 1/dt would overshoot
  const double gain = dt > 0 ? std::min(p.rate_gain_per_s, 1 / dt) : p.rate_gain_per_s;
  const double asked = -gain * (D - wanted_rate) - f;
  const auto bent = [&c](double u) { return u + c.b_uu * u * u; };
  // throttle that does next to nothing, or the wrong way: the end that was meant
  if (!(g > 1e-9)) return asked > 0 ? p.max_throttle : p.min_throttle;
  const double v = clip(asked / g, bent(p.min_throttle), bent(p.max_throttle));
  if (magnitude(c.b_uu) < 1e-12) return v;
  return (std::sqrt(std::max(1 + 4 * c.b_uu * v, 0.0)) - 1) / (2 * c.b_uu);
}

}  // namespace

JetConsts prepare(const JetParams& p, double dt_s) noexcept {
  const double dt = usable(dt_s);
  const JetCoefficients& k = p.jet_coefficients;
  JetConsts c{};
  c.dt = dt;
  c.max_thrust = p.max_thrust_N;
  c.inverse = p.inverse_time_constant_per_s;
  c.end = lag_gain(Behaviour::kPhysical, dt, p.tau_s).end;
  c.per_tau = p.tau_s > 0 ? 1 / p.tau_s : 0;
  c.k_t = k[0], c.k_tt = k[1], c.k_d = k[2], c.k_dd = k[3], c.k_td = k[4];
  c.b_u = k[5], c.b_t = k[6], c.b_d = k[7], c.b_uu = k[8], c.c = k[9];
  return c;
}

JetState initial_state(const JetParams& p) noexcept {
  JetState s;
  if (has_sequence(p)) s.phase = JetPhase::kOff;
  return s;
}

JetStep step(const JetParams& p, JetState& state, const JetInput& input, const Ambient&,
             const Grant& grant, double dt_s) noexcept {
  const double dt = usable(dt_s);
  const double share = clip(tame(grant.share), 0, 1);
  JetLane lane{state.thrust_N, state.rate_N_s};
  JetThrust t{};
  if (has_sequence(p) && !advance(p, state, input.run, dt)) {
    t.thrust = lane.thrust = limited(idle_thrust(p, state, dt), p.max_thrust_N);
    lane.rate = 0;
  } else {
    t = run(p, prepare(p, dt), lane, input.value);
  }
  if (!(share > 0)) {
    t = {};
    lane = {};
    if (has_sequence(p)) enter(state, JetPhase::kOff);
  }
  state.thrust_N = lane.thrust;
  state.rate_N_s = lane.rate;
  const double thrust = t.thrust * share;
  const Vec3 force = thrust * p.jet_axis;
  return {{is_finite(force) ? force : Vec3{}, {}}, thrust, t.rate, {0, fuel_flow_kg_s(p, thrust)}};
}

Linearised linearise(const JetParams& p, const JetState& state, const Ambient&,
                     double horizon_s) noexcept {
  const double horizon = usable(horizon_s);
  Linearised out;
  out.n = 1;
  out.column_P[0].force = p.jet_axis;
  if (has_sequence(p) && state.phase != JetPhase::kRunning) {
    out.lower[0] = out.upper[0] = out.preferred[0] = limited(state.thrust_N, p.max_thrust_N);
    return out;
  }
  double low = 0, high = p.max_thrust_N;
  if (p.model == JetModel::kNonlinear) {
    low = p.min_throttle;
    high = p.max_throttle;
  } else if (p.model == JetModel::kFirstOrder && !has_lag(p)) {
    low = -p.max_rate_N_s;
    high = p.max_rate_N_s;
  }
  out.lower[0] = reach(p, state, low, horizon);
  out.upper[0] = std::max(out.lower[0], reach(p, state, high, horizon));
  out.preferred[0] = out.lower[0];
  return out;
}

JetInput invert(const JetParams& p, const JetState& state, double effort_N, double dt_s) noexcept {
  const double dt = usable(dt_s);
  const double T = limited(state.thrust_N, p.max_thrust_N);
  // what is not a number asks for nothing
  const double wanted = limited(tame(effort_N), p.max_thrust_N);
  switch (p.model) {
    case JetModel::kDirect: return {wanted};
    case JetModel::kNonlinear: {
      const double rate = clip(p.thrust_gain_per_s * (wanted - T), -p.max_rate_N_s, p.max_rate_N_s);
      return {throttle_for(p, state, rate, dt)};
    }
    case JetModel::kFirstOrder: break;
  }
  if (has_lag(p)) {
    const double end = lag_gain(Behaviour::kPhysical, dt, p.tau_s).end;
    return {end > 0 ? clip(T + (wanted - T) / end, 0, p.max_thrust_N) : wanted};
  }
  if (!(dt > 0)) return {0};
  const double u = (wanted * (1 - p.inverse_time_constant_per_s * dt) - T) / dt;
  return {clip(u, -p.max_rate_N_s, p.max_rate_N_s)};
}

double fuel_flow_kg_s(const JetParams& p, double thrust_N) noexcept {
  const double T = limited(thrust_N, p.max_thrust_N);
  double l_min = p.fuel_idle_l_min;
  if (T < p.idle_thrust_N)
    l_min *= T / p.idle_thrust_N;
  else if (p.max_thrust_N > p.idle_thrust_N)
    l_min += (p.fuel_max_l_min - p.fuel_idle_l_min) * (T - p.idle_thrust_N) /
             (p.max_thrust_N - p.idle_thrust_N);
  return l_min / 60 * p.fuel_density_kg_l;
}

}  // namespace pintle::propulsion
