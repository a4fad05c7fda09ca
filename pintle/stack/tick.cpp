#include "pintle/stack/tick.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pintle/stack/tick_steps.h"

namespace pintle::stack {
namespace {

// a propulsor that gives a smaller share than this is not asked any more
constexpr double kWorthUsing = 0.25;
constexpr double kPredictionStep_s = 0.005, kLongestPrediction_s = 1;
// a measured thrust: its age, what a turbine may give beyond its box, what is on its way at the
// fastest rate, noise
constexpr double kThrustStale_s = 0.5, kThrustSlack = 0.2, kUnderWay_s = 0.1, kThrustNoise = 0.02;
constexpr double kThrustFilter_s = 0.5;

}  // namespace

void Tick::take_time(ClockStep clock) noexcept {
  out.events.clear();
  out.events_lost = 0;
  out.tick = state.ticks;
  now = state.time.now;
  if (clock.verdict == ClockVerdict::kStood || clock.verdict == ClockVerdict::kBack)
    say(EventCode::kTimeReversed, InputCode::kClock, clock.off.seconds());
  if (clock.verdict == ClockVerdict::kLeapt)
    say(EventCode::kInputRejected, InputCode::kClock, clock.off.seconds());
  dt_s = state.acts == 0 ? model.period.seconds() : (now - state.last_act).seconds();
  out.now = now;
  if (state.generation != model.generation) {
    say(EventCode::kParametersChanged, static_cast<std::int32_t>(model.generation));
    adopt(model, state);
  }
  if (work.generation == model.generation) return;
  // a change of parameters may change the propulsors' too, but not which there are
  work.generation = model.generation;
  work.effectiveness = model.effectiveness;
  work.detector.has_kept = false;
}

/// Where the propulsors that have a state of their own are now, after what was sent last.
void Tick::predict() noexcept {
  if (!model.traits.allocates || model.thrusters_only || state.acts == 0 || !(dt_s > 0)) return;
  // a gap in the ticks is not made up for
  const double span_s = std::min(dt_s, kLongestPrediction_s);
  const int steps = static_cast<int>(std::ceil(span_s / kPredictionStep_s - 1e-9));
  const double step_s = span_s / steps;
  vehicle::PropulsorInputs inputs;
  std::size_t channel = 0;
  for (std::size_t i = 0; i < model.vehicle.propulsors.size(); ++i) {
    propulsion::PropulsorInput input;
    input.ignition = (state.last_ignition >> i & 1U) != 0;
    for (std::size_t k = 0; k < propulsion::channels(model.vehicle.propulsors[i].model); ++k)
      input.command[k] = channel < state.last_command.size() ? state.last_command[channel++] : 0;
    inputs.push_back(input);
  }
  vehicle::Grants grants;
  const Vec3 flow = flow_B();
  for (int s = 0; s < steps; ++s) {
    vehicle::grant_all(model.vehicle, state.propulsors, inputs, state.tank_kg, step_s, grants);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const vehicle::Propulsor& p = model.vehicle.propulsors[i];
      if (std::holds_alternative<propulsion::Thruster>(p.model)) continue;
      const propulsion::Ambient ambient = vehicle::ambient_at(
          p.mount, out.used.V_WB_B, flow, model.surroundings.air_density_kg_m3, state.bus_V);
      const propulsion::PropulsorStep stepped =
          propulsion::step(p.model, state.propulsors[i], inputs[i], ambient, grants[i], step_s);
      vehicle::draw(model.vehicle, state.tank_kg, i, stepped.demand, step_s);
      pushed_B += (1.0 / steps) * vehicle::at_origin(p.mount, stepped.wrench_P).force;
    }
  }
}

/// Turbines as they were measured. The prediction leads the measurement by what is under way; more
/// than that means that a command was lost, or another's: then the measurement counts alone.
/// Where measurements stop, nobody knows what a disarmed turbine still gives: it is run down.
void Tick::take_thrust() noexcept {
  if (!in.has_thrust) {
    const bool unknown = state.thrust_at && (now - *state.thrust_at).seconds() > kThrustStale_s;
    for (std::size_t i = 0; unknown && state.arm != ArmState::kArmed && i < state.propulsors.size();
         ++i)
      if (const auto* jet = std::get_if<propulsion::JetParams>(&model.vehicle.propulsors[i].model))
        std::get<propulsion::JetState>(state.propulsors[i]).thrust_N = jet->max_thrust_N;
    return;
  }
  const auto& thrust_N = in.thrust.thrust_N;
  bool good = thrust_N.size() == state.propulsors.size() &&
              std::abs((now - in.thrust.stamp).seconds()) < kThrustStale_s;
  for (std::size_t i = 0; good && i < thrust_N.size(); ++i)
    if (const auto* jet = std::get_if<propulsion::JetParams>(&model.vehicle.propulsors[i].model))
      good = thrust_N[i] >= -kThrustSlack * jet->max_thrust_N &&
             thrust_N[i] <= (1 + kThrustSlack) * jet->max_thrust_N;
  if (!good) {
    if (!std::exchange(state.refuses_thrust, true))
      say(EventCode::kInputRejected, InputCode::kThrust);
    return;
  }
  state.refuses_thrust = false;
  state.thrust_at = now;
  for (std::size_t i = 0; i < thrust_N.size(); ++i) {
    const auto* params = std::get_if<propulsion::JetParams>(&model.vehicle.propulsors[i].model);
    if (params == nullptr) continue;
    auto& jet = std::get<propulsion::JetState>(state.propulsors[i]);
    const double off_N = thrust_N[i] - jet.thrust_N;
    const double under_way_N =
        params->max_rate_N_s * kUnderWay_s + kThrustNoise * params->max_thrust_N;
    if (std::abs(off_N) > under_way_N)
      jet.thrust_N = thrust_N[i], jet.rate_N_s = 0;
    else
      jet.thrust_N += (1 - std::exp(-dt_s / kThrustFilter_s)) * off_N;
  }
}

/// A propulsor that fails without a word.
void Tick::find_failures() noexcept {
  if (!model.detector.enable || !model.traits.allocates) return;
  if (goes_by_findings() != state.found_counts) {
    state.found_counts = !state.found_counts;
    for (std::size_t i = 0; i < state.found.size(); ++i)
      if (state.found[i].health != Health::kGood) believe(i);
  }
  estimation::DetectorInput input;
  input.now = now;
  // what stands on the ground is held up by it
  input.active = state.arm == ArmState::kArmed && !state.lost &&
                 out.used.validity == Validity::kValid && (!model.traits.flies || state.aloft);
  input.measurement = state.measured ? &state.odometry.last : nullptr;
  input.sent = &state.last_effort;
  input.health = state.known.data();
  input.vouched = vouched();
  const estimation::Detection d =
      estimation::detect(model.detector, model.body, work.detector, input);
  if (!d.declared) return;
  say(EventCode::kFailureSuspected, d.propulsor, d.efficiency);
  const auto i = static_cast<std::size_t>(d.propulsor);
  PropulsorHealth& h = state.found[i];
  const Range box = box_of(i);
  if (d.is_loss() && d.efficiency > kWorthUsing)
    h = {Health::kWeak, std::min(d.efficiency, 1.0), 0};
  else if (d.is_loss())
    h = {Health::kOut, 1, 0};
  else
    h = {Health::kStuck, 1, std::clamp(d.delivered, box.lower, box.upper)};
  believe(i);
  // told by the event above
  if (state.found_counts) state.told_health[i] = state.health[i].health;
}

/// What shows a failure is what the allocation falls back to where the demand leaves freedom.
void Tick::excite() noexcept {
  const estimation::ExcitationParams& p = model.detector.excitation;
  if (model.freedom.n == 0) return;
  const estimation::DetectorState& d = work.detector;
  if (live() && state.bad == 0) {
    const bool suspicious = d.fast.suspicious || d.slow.suspicious;
    const bool wanted = d.found == 0 && (p.when == estimation::ExciteWhen::kAlways || suspicious);
    estimation::excite(p, model.freedom, model.body, state.last_effort, wanted, suspicious, dt_s,
                       state.excitation);
  } else {
    state.excitation = {};
  }
  Effectiveness& e = work.effectiveness;
  for (std::size_t i = 0; i < model.freedom.n; ++i) {
    const double preferred = model.fixed_boxes ? model.effectiveness.preferred[i] : e.preferred[i];
    const double added = state.excitation.e[i] * model.body.largest[i];
    e.preferred[i] = std::clamp(preferred + added, e.lower[i], e.upper[i]);
  }
}

State initial_state(const Model& model) noexcept {
  State s;
  s.generation = model.generation;
  s.law = control::initial_state(model.law);
  s.bus_V = model.nominal_bus_V;
  const std::size_t n = model.vehicle.propulsors.size();
  s.propulsors = vehicle::starting_states(model.vehicle);
  s.tank_kg = vehicle::starting_fill(model.vehicle);
  s.announced.resize(n);
  s.known.resize(n);
  s.found.resize(n);
  s.health.resize(n);
  s.told_health.resize(n);
  s.telemetry.bus = {model.alarms.bus_voltage.value_or(estimation::VoltageSettings{}), n};
  s.telemetry.heat = {model.alarms.temperature, n};
  s.last_effort.resize(model.effectiveness.n);
  s.ramp_from.resize(model.effectiveness.n);
  // what has never been there is said to be lost in the first tick
  s.reachable = model.effectiveness.controlled;
  prepare_aircraft(model, s.aircraft);
  // what the law never asks for is no loss
  s.told_lost = static_cast<AxisMask>(kAllAxes & ~model.effectiveness.controlled);
  return s;
}

void adopt(const Model& model, State& state) noexcept {
  state.generation = model.generation;
  state.telemetry.bus.set(model.alarms.bus_voltage.value_or(estimation::VoltageSettings{}));
  state.telemetry.heat.set(model.alarms.temperature);
  if (state.law.index() != model.law.index()) state.law = control::initial_state(model.law);
}

/// What has come, and nothing else.
void Tick::take() noexcept {
  take_kill();
  take_health();
  (void)hear_propulsors();
  tell_health();
  take_bus_voltage();
  take_housekeeping();
  estimate();
  mission::EngineInput to_mission;
  obey_kill(to_mission);
  take_commands(to_mission);
  watch_state(to_mission);
  state.abort_asked = state.abort_asked || to_mission.abort;
  take_planner();
  if (!state.is_landing) measure(false);
  out.arm = state.arm;
  out.commander = state.commander;
}

void Tick::act() noexcept {
  take_kill();
  take_health();
  const std::uint64_t spoke = hear_propulsors();
  tell_health();
  take_bus_voltage();
  if (model.supervised) take_reports();
  take_housekeeping();
  estimate();
  if (model.supervised) locate();
  predict();
  take_thrust();

  mission::EngineInput to_mission{.now = now,
                                  .vehicle = out.used,
                                  .abort = state.abort_asked,
                                  .aloft = state.aloft,
                                  .aircraft = {}};
  obey_kill(to_mission);
  take_commands(to_mission);
  watch_state(to_mission);
  watch_ground(to_mission);
  watch_failsafes(to_mission);
  if (model.supervised) {
    land_what_is_struck(to_mission);
    land_what_is_off(to_mission);
  }
  find_failures();
  if (model.supervised) navigate(to_mission);
  choose_setpoint(to_mission);
  guide_landing();
  if (!model.failsafes.empty()) {
    note_home();
    note_height();
  }

  if (model.traits.allocates) {
    linearise();
    derate();
    excite();
    measure_power(spoke);
    control();
    allocate();
    send();
    report_allocation();
  } else {
    steer();
    allocate_nothing();
  }
  if (model.supervised) rest_on_ground();
  report();
  raise_alarms(spoke);
  if (model.supervised) report_aircraft();

  state.abort_asked = state.measured = false;
  state.measured_dt_s = 0;
}

namespace {

void run(const Model& model, State& state, Workspace& work, const Inputs& inputs, Outputs& outputs,
         ClockStep clock, bool is_whole) noexcept {
  Tick t{model, state, work, inputs, outputs};
  t.take_time(clock);
  if (is_whole)
    t.act();
  else
    t.take();
  ++state.ticks;
  if (!is_whole) return;
  state.last_act = t.now;
  ++state.acts;
}

/// A clock stands when two acts see the same time; what is taken in between has none of its own.
ClockStep count(State& state, Time clock, Duration period, bool is_whole) noexcept {
  const bool same = state.time.begun && clock == state.time.clock;
  const bool has_moved =
      std::exchange(state.clock_moved, !is_whole && (state.clock_moved || !same));
  if (same && (!is_whole || has_moved)) return {};
  return advance(state.time, clock, period);
}

}  // namespace

void tick(const Model& model, State& state, Workspace& work, const Inputs& inputs,
          Outputs& outputs) noexcept {
  const bool is_whole = model.supervised || inputs.phase != Phase::kTake;
  const Duration before = state.time.shift;
  const ClockStep clock = count(state, inputs.now, model.period, is_whole);
  const Duration shift = state.time.shift;
  if (clock.verdict == ClockVerdict::kGood && shift != before) {
    // a clock that has stood makes no step of the loops longer, and nothing younger than now
    for (Time* stamp : {&state.odometry.last.stamp, &state.odometry.last_stamp,
                        &state.inertial.last.stamp, &state.inertial.aid.stamp})
      *stamp = std::min(*stamp + (shift - before), state.time.now);
  }
  if (shift == Duration{}) {
    run(model, state, work, inputs, outputs, clock, is_whole);
    return;
  }
  Inputs moved = inputs;
  for (PropulsorReport& r : moved.reports) r.stamp = r.stamp + shift;
  for (Time* stamp : {&moved.odometry.stamp, &moved.imu.stamp, &moved.thrust.stamp,
                      &moved.flight.stamp, &moved.gripper.stamp, &moved.housekeeping.stamp})
    *stamp = *stamp + shift;
  for (TargetSighting& s : moved.targets) s.stamp = s.stamp + shift;
  run(model, state, work, moved, outputs, clock, is_whole);
}

}  // namespace pintle::stack
