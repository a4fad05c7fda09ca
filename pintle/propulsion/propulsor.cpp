#include "pintle/propulsion/propulsor.h"

#include <algorithm>
#include <cmath>

#include "pintle/propulsion/arithmetic.h"

namespace pintle::propulsion {
namespace {

/// Calls with the parameters and the state that belongs to them; `otherwise` for another's state.
template <class Answer, class State, class Visitor>
Answer with_state(const Propulsor& propulsor, State& state, Answer otherwise,
                  const Visitor& visitor) noexcept {
  return std::visit(
      [&](const auto& p, auto& s) noexcept -> Answer {
        if constexpr (requires { visitor(p, s); })
          return visitor(p, s);
        else
          return otherwise;
      },
      propulsor, state);
}

BoosterInput booster_input(const PropulsorInput& in) noexcept {
  return {in.ignition ? 1.0 : 0.0, in.command[0], in.noise, Mat3::identity()};
}
EngineInput engine_input(const PropulsorInput& in) noexcept {
  return {in.ignition ? 1.0 : 0.0, in.command[0], in.noise, {in.command[1], in.command[2]}};
}

PropulsorStep of(const BoosterStep& s) noexcept { return {s.wrench_P, s.thrust_N, s.demand, 0}; }

/// What one answers that is to burn, but has not been lit yet, or is not to burn.
BoosterState as_told(const BoosterParams& p, BoosterState s, bool ignition) noexcept {
  if (ignition)
    s.lit = 1;
  else if (p.reignitable)
    s.lit = 0;
  return s;
}

/// Nothing can be had of it; what it still gives is bias.
void close(Linearised& l) noexcept {
  for (std::size_t i = 0; i < l.n; ++i) l.lower[i] = l.upper[i] = l.preferred[i] = 0;
}

/// Pwm of a burning engine.
double pwm_for(const BoosterParams& p, double thrust_N) noexcept {
  const double range = p.max_thrust_N - p.min_thrust_N;
  return range > 0 ? clip((tame(thrust_N) - p.min_thrust_N) / range, 0, 1) : 0;
}

struct Linearise {
  const Ambient& ambient;
  double period_s;
  bool ignition;

  Linearised operator()(const Thruster& p, const ThrusterState& s) const noexcept {
    const ThrusterBox box = linearise(p, s, ambient, period_s);
    Linearised out;
    out.n = 1;
    out.column_P[0].force.x = 1;
    out.lower[0] = box.lower;
    out.upper[0] = box.upper;
    out.preferred[0] = box.preferred;
    return out;
  }
  Linearised operator()(const JetParams& p, const JetState& s) const noexcept {
    // a thrust law does not bring the thrust to what is asked within one tick
    const bool law = p.model == JetModel::kNonlinear && p.thrust_gain_per_s > 0;
    return linearise(p, s, ambient, law ? std::max(period_s, 1 / p.thrust_gain_per_s) : period_s);
  }
  Linearised operator()(const BoosterParams& p, const BoosterState& s) const noexcept {
    const BoosterState told = as_told(p, s, ignition);
    Linearised out = linearise(p, told, ambient, period_s);
    if (!(told.lit > 0.5)) close(out);
    return out;
  }
  Linearised operator()(const EngineParams& p, const EngineState& s) const noexcept {
    const EngineState told{as_told(p.booster, s.booster, ignition), s.gimbal};
    Linearised out = linearise(p, told, ambient, period_s);
    if (!(told.booster.lit > 0.5)) close(out);
    return out;
  }
  Linearised operator()(const PropellerParams& p, const PropellerState& s) const noexcept {
    return linearise(p, s, ambient, period_s);
  }
  Linearised operator()(const FinParams& p, const FinState& s) const noexcept {
    // what is to be there before the servo can be is asked for many times over
    return linearise(p, s, ambient, std::max(period_s, p.tau_s), period_s);
  }
  Linearised operator()(const AzimuthParams& p, const AzimuthState& s) const noexcept {
    return linearise(p, s, period_s);
  }
};

struct Invert {
  const ChannelNumbers& effort;
  const Ambient& ambient;
  double dt_s;
  bool ignition;

  PropulsorCommand operator()(const Thruster& p, ThrusterState& s) const noexcept {
    const ThrusterCommand sent = invert(p, s, effort[0], ambient, dt_s);
    return {{sent.command}, {sent.effort}};
  }
  PropulsorCommand operator()(const JetParams& p, JetState& s) const noexcept {
    return {{invert(p, s, effort[0], dt_s).value}, {clip(tame(effort[0]), 0, p.max_thrust_N)}};
  }
  PropulsorCommand operator()(const BoosterParams& p, BoosterState& s) const noexcept {
    if (!(as_told(p, s, ignition).lit > 0.5)) return {};
    const double pwm = pwm_for(p, effort[0]);
    return {{pwm}, {p.min_thrust_N + pwm * (p.max_thrust_N - p.min_thrust_N)}};
  }
  PropulsorCommand operator()(const EngineParams& p, EngineState& s) const noexcept {
    // one that is out goes back to straight as fast as its gimbal can
    if (!(as_told(p.booster, s.booster, ignition).lit > 0.5)) {
      const GimbalInput straight = slewed(p.gimbal, s.gimbal, {}, dt_s);
      return {{0, straight.command_1, straight.command_2}, {}};
    }
    const ChannelNumbers wanted{tame(effort[0]), tame(effort[1]), tame(effort[2])};
    // the bounds were made for the thrust of the last tick
    const GimbalInput turn = slewed(p.gimbal, s.gimbal, invert(p, s, wanted).gimbal, dt_s);
    // the throttle follows the length of the force; lit is decided elsewhere
    const double length =
        std::sqrt(wanted[0] * wanted[0] + wanted[1] * wanted[1] + wanted[2] * wanted[2]);
    const double pwm = pwm_for(p.booster, wanted[0] > 0 ? length : 0);
    const double thrust =
        p.booster.min_thrust_N + pwm * (p.booster.max_thrust_N - p.booster.min_thrust_N);
    const double scale = length > 0 && wanted[0] > 0 ? thrust / length : 0;
    PropulsorCommand out{{pwm, turn.command_1, turn.command_2}, {thrust, 0, 0}};
    if (scale > 0) out.effort = {scale * wanted[0], scale * wanted[1], scale * wanted[2]};
    return out;
  }
  PropulsorCommand operator()(const PropellerParams& p, PropellerState&) const noexcept {
    const PropellerInput in = invert(p, effort[0], ambient);
    const double full = linearise(p, {}, ambient, 0).upper[0];
    return {{in.pwm}, {full * in.pwm * std::fabs(in.pwm)}};
  }
  PropulsorCommand operator()(const FinParams& p, FinState& s) const noexcept {
    const double command = invert(p, s, effort[0], dt_s);
    return {{command}, {command}};
  }
  PropulsorCommand operator()(const AzimuthParams& p, AzimuthState& s) const noexcept {
    PropulsorCommand out;
    out.effort = {effort[0], effort[1]};
    const AzimuthCommand c = invert(p, s, out.effort[0], out.effort[1], dt_s);
    out.command = {c.thrust_N, c.angle_rad};
    return out;
  }
};

struct Step {
  const PropulsorInput& in;
  const Ambient& ambient;
  const Grant& grant;
  double dt_s;

  PropulsorStep operator()(const Thruster& p, ThrusterState& s) const noexcept {
    const ThrusterStep t = step(p, s, in.command[0], ambient, grant, dt_s);
    return {t.wrench_P, t.wrench_P.force.x, t.demand, 0};
  }
  PropulsorStep operator()(const JetParams& p, JetState& s) const noexcept {
    const JetStep t = step(p, s, {in.command[0], in.ignition}, ambient, grant, dt_s);
    return {t.wrench_P, t.thrust_N, t.demand, t.rate_N_s};
  }
  PropulsorStep operator()(const BoosterParams& p, BoosterState& s) const noexcept {
    return of(step(p, s, booster_input(in), ambient, grant, dt_s));
  }
  PropulsorStep operator()(const EngineParams& p, EngineState& s) const noexcept {
    return of(step(p, s, engine_input(in), ambient, grant, dt_s));
  }
  PropulsorStep operator()(const PropellerParams& p, PropellerState& s) const noexcept {
    const PropellerStep t = step(p, s, {in.command[0], in.noise}, ambient, grant, dt_s);
    return {t.wrench_P, std::copysign(norm(t.wrench_P.force), t.rpm), {}, 0};
  }
  PropulsorStep operator()(const FinParams& p, FinState& s) const noexcept {
    const Wrench w = step(p, s, in.command[0], ambient, dt_s);
    return {w, norm(w.force), {}, 0};
  }
  PropulsorStep operator()(const AzimuthParams& p, AzimuthState& s) const noexcept {
    const Wrench w = step(p, s, {in.command[0], in.command[1]}, dt_s);
    return {w, s.thrust_N, {}, 0};
  }
};

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace

std::string_view kind_of(const Propulsor& p) noexcept {
  static constexpr std::array<std::string_view, 7> kNames{"thruster",  "jet", "booster", "engine",
                                                          "propeller", "fin", "azimuth"};
  static_assert(kNames.size() == std::variant_size_v<Propulsor>);
  return kNames[p.index()];
}

bool needs_ignition(const Propulsor& p) noexcept {
  const auto* jet = std::get_if<JetParams>(&p);
  return std::holds_alternative<BoosterParams>(p) || std::holds_alternative<EngineParams>(p) ||
         (jet != nullptr && jet->start_up_s > 0);
}

PropulsorState initial_state(const Propulsor& propulsor, double fuel_ratio) noexcept {
  return std::visit(
      Overloaded{
          [](const Thruster&) noexcept -> PropulsorState { return ThrusterState{}; },
          [](const JetParams& p) noexcept -> PropulsorState { return initial_state(p); },
          [&](const BoosterParams&) noexcept -> PropulsorState {
            return BoosterState{0, fuel_ratio, 0};
          },
          [&](const EngineParams&) noexcept -> PropulsorState {
            return EngineState{{0, fuel_ratio, 0}, {}};
          },
          [](const PropellerParams&) noexcept -> PropulsorState { return PropellerState{}; },
          [](const FinParams&) noexcept -> PropulsorState { return FinState{}; },
          [](const AzimuthParams&) noexcept -> PropulsorState { return AzimuthState{}; },
      },
      propulsor);
}

SupplyDemand demand(const Propulsor& propulsor, const PropulsorState& state,
                    const PropulsorInput& input, double dt_s) noexcept {
  return with_state(propulsor, state, SupplyDemand{},
                    Overloaded{
                        [&](const JetParams& p, const JetState& s) noexcept {
                          // the flow follows the thrust, which a step of the plant's size hardly
                          // changes
                          return SupplyDemand{0, fuel_flow_kg_s(p, s.thrust_N)};
                        },
                        [&](const BoosterParams& p, const BoosterState& s) noexcept {
                          return demand(p, s, booster_input(input), dt_s);
                        },
                        [&](const EngineParams& p, const EngineState& s) noexcept {
                          return demand(p.booster, s.booster, booster_input(input), dt_s);
                        },
                    });
}

PropulsorStep step(const Propulsor& propulsor, PropulsorState& state, const PropulsorInput& input,
                   const Ambient& ambient, const Grant& grant, double dt_s) noexcept {
  return with_state(propulsor, state, PropulsorStep{}, Step{input, ambient, grant, dt_s});
}

Linearised linearise(const Propulsor& propulsor, const PropulsorState& state,
                     const Ambient& ambient, double period_s, bool ignition) noexcept {
  Linearised none;
  none.n = static_cast<std::uint32_t>(channels(propulsor));
  return with_state(propulsor, state, none, Linearise{ambient, period_s, ignition});
}

Linearised full_range(const Propulsor& propulsor, const Ambient& ambient) noexcept {
  constexpr double kLong_s = 1e6;
  if (const auto* thruster = std::get_if<Thruster>(&propulsor)) {
    Linearised out = Linearise{ambient, 0, true}(*thruster, ThrusterState{});
    out.lower[0] = thruster->lower();
    out.upper[0] = thruster->upper();
    return out;
  }
  if (const auto* jet = std::get_if<JetParams>(&propulsor)) {
    Linearised out;
    out.n = 1;
    out.column_P[0].force = jet->jet_axis;
    out.upper[0] = jet->max_thrust_N;
    return out;
  }
  PropulsorState state = initial_state(propulsor);
  if (auto* engine = std::get_if<EngineState>(&state)) {
    // side force at full thrust, gimbal straight
    engine->booster.lit = engine->booster.throttle = 1;
  }
  // the head turns anywhere at full thrust
  if (auto* head = std::get_if<AzimuthState>(&state))
    head->thrust_N = std::get<AzimuthParams>(propulsor).max_thrust_N;
  return linearise(propulsor, state, ambient, kLong_s, true);
}

PropulsorCommand invert(const Propulsor& propulsor, PropulsorState& state,
                        const ChannelNumbers& effort, const Ambient& ambient, double dt_s,
                        bool ignition) noexcept {
  return with_state(propulsor, state, PropulsorCommand{}, Invert{effort, ambient, dt_s, ignition});
}

ChannelNumbers neutral_command(const Propulsor& propulsor, double bus_V) noexcept {
  const auto* thruster = std::get_if<Thruster>(&propulsor);
  return {thruster != nullptr ? thruster->neutral_command(bus_V) : 0};
}

double thrust_of(const Propulsor& propulsor, const PropulsorState& state) noexcept {
  return with_state(
      propulsor, state, 0.0,
      Overloaded{
          [](const Thruster&, const ThrusterState& s) noexcept { return s.effort; },
          [](const JetParams&, const JetState& s) noexcept { return s.thrust_N; },
          [](const BoosterParams& p, const BoosterState& s) noexcept {
            return s.throttle * p.max_thrust_N;
          },
          [](const EngineParams& p, const EngineState& s) noexcept {
            return s.booster.throttle * p.booster.max_thrust_N;
          },
          [](const PropellerParams& p, const PropellerState& s) noexcept {
            return p.thrust_coef * p.max_rpm * p.max_rpm * s.throttle * std::fabs(s.throttle);
          },
          [](const AzimuthParams&, const AzimuthState& s) noexcept { return s.thrust_N; },
      });
}

}  // namespace pintle::propulsion
