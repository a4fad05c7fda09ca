#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "pintle/stack/tick_steps.h"

namespace pintle::stack {
namespace {

/// What an engine that burns can do; null for what is none.
const propulsion::BoosterParams* engine_of(const propulsion::Propulsor& p) noexcept {
  if (const auto* booster = std::get_if<propulsion::BoosterParams>(&p)) return booster;
  if (const auto* engine = std::get_if<propulsion::EngineParams>(&p)) return &engine->booster;
  return nullptr;
}

double exhaust_speed(const propulsion::BoosterParams& p) noexcept {
  if (p.specific_impulse_s > 0) return p.specific_impulse_s * propulsion::kStandardGravity;
  return p.max_fuel_rate_kg_s > 0 ? p.max_thrust_N / p.max_fuel_rate_kg_s : 0;
}

/// How far the feet reach in a direction, from the middle to the edge of what they span.
double reach(const std::vector<Vec3>& feet, double angle) noexcept {
  const double c = std::cos(angle), s = std::sin(angle);
  // the lines through two feet that have all others on one side are the edges
  double least = 1e9;
  for (const Vec3& a : feet)
    for (const Vec3& b : feet) {
      const Vec3 out{b.y - a.y, a.x - b.x, 0};
      const double size = norm(out);
      if (!(size > 1e-9)) continue;
      const double edge = (out.x * a.x + out.y * a.y) / size,
                   along = (out.x * c + out.y * s) / size;
      bool outer = along > 1e-9;
      for (const Vec3& f : feet) outer = outer && (out.x * f.x + out.y * f.y) / size < edge + 1e-6;
      if (outer) least = std::min(least, edge / along);
    }
  return least < 1e9 ? std::max(least, 0.0) : 0;
}

/// Where `reach` is greatest, if it makes a difference.
FixedVector<double, 8> stable_headings(const std::vector<Vec3>& feet) noexcept {
  constexpr std::size_t kDirections = 120;
  FixedVector<double, 8> out;
  std::array<double, kDirections> r{};
  double most = 0, least = 1e9;
  for (std::size_t i = 0; i < kDirections; ++i) {
    r[i] = reach(feet, 2 * kPi * static_cast<double>(i) / kDirections);
    most = std::max(most, r[i]);
    least = std::min(least, r[i]);
  }
  if (!(least < 0.9 * most)) return out;
  // a stretch near the top counts as one direction, its middle
  const auto high = [&](std::size_t i) { return r[i % kDirections] > 0.9 * most; };
  for (std::size_t i = 0; i < kDirections; ++i) {
    if (!high(i) || high(i + kDirections - 1)) continue;
    std::size_t end = i;
    while (high(end + 1) && end < i + kDirections) ++end;
    out.push_back(kPi * static_cast<double>(i + end) / kDirections);
  }
  return out;
}

}  // namespace

Airframe airframe_of(const vehicle::Vehicle& vehicle) noexcept {
  Airframe a;
  bool engine = false;
  for (const vehicle::Propulsor& p : vehicle.propulsors)
    engine = engine || engine_of(p.model) != nullptr;
  for (const Vec3& foot : vehicle.body.feet_m) {
    a.stands_at_m = std::max(a.stands_at_m, -foot.z);
  }
  for (const vehicle::DragBody& body : vehicle.drag_bodies) {
    const Vec3 cd = body.params.drag_coef, area = body.params.area_m2;
    a.axial_drag_m2 += cd.z * area.z;
    a.side_drag_m2 += 0.5 * (cd.x * area.x + cd.y * area.y);
  }
  a.stable_headings_rad = stable_headings(vehicle.body.feet_m);
  a.can_land = engine && !vehicle.body.feet_m.empty();
  return a;
}

/// All engines as one, pushing along body z.
control::LandingCraft Tick::landing_craft() const noexcept {
  control::LandingCraft c;
  c.mass_kg = vehicle::mass_of(model.vehicle, state.propulsors, state.tank_kg).mass_kg;
  c.fuel_kg = vehicle::fuel_kg(model.vehicle, state.propulsors, state.tank_kg);
  double flow = 0;
  for (std::size_t i = 0; i < model.vehicle.propulsors.size(); ++i) {
    const propulsion::Propulsor& p = model.vehicle.propulsors[i].model;
    const propulsion::BoosterParams* engine = engine_of(p);
    if (engine == nullptr || state.health[i].health == Health::kOut) continue;
    c.min_thrust_N += engine->min_thrust_N;
    c.max_thrust_N += engine->max_thrust_N;
    c.thrust_N += propulsion::thrust_of(p, state.propulsors[i]);
    c.lag_s = std::max(c.lag_s, engine->tau_s);
    c.reignitable = c.reignitable && engine->reignitable;
    const double speed = exhaust_speed(*engine);
    if (speed > 0) flow += engine->max_thrust_N / speed;
  }
  if (flow > 0) c.exhaust_speed_m_s = c.max_thrust_N / flow;
  const Airframe& a = model.airframe;
  c.axial_drag_m2 = a.axial_drag_m2;
  c.side_drag_m2 = a.side_drag_m2;
  c.feet_below_m = -1e9;
  for (const Vec3& foot : model.vehicle.body.feet_m)
    c.feet_below_m = std::max(c.feet_below_m, -rotate(out.used.X_WB.q, foot).z);
  c.density_kg_m3 = model.surroundings.air_density_kg_m3;
  c.gravity_m_s2 = model.surroundings.gravity_m_s2;
  c.wind_W = estimation::wind_of(state.wind);
  c.p_WL = out.setpoint.X_WD.p - Vec3{0, 0, a.stands_at_m};
  return c;
}

/// Of the air past the craft, as far as it is known: only a landing asks.
Vec3 Tick::flow_B() const noexcept {
  if (!state.is_landing || !state.wind.has_velocity) return {};
  return rotate(conjugate(out.used.X_WB.q), estimation::wind_of(state.wind));
}

/// What thrust and air do not explain of the change of velocity is wind.
void Tick::feel_wind() noexcept {
  const double density = model.surroundings.air_density_kg_m3;
  const Quat q = out.used.X_WB.q;
  const Twist& V = out.used.V_WB_B;
  const Vec3 wind_W = estimation::wind_of(state.wind);
  const auto air = [&](Vec3 w_W) {
    const Vec3 flow = rotate(conjugate(q), w_W);
    Vec3 sum = vehicle::air_drag(model.vehicle, V, flow, density).force;
    for (std::size_t i = 0; i < model.vehicle.propulsors.size(); ++i) {
      const vehicle::Propulsor& p = model.vehicle.propulsors[i];
      const auto* fin = std::get_if<propulsion::FinParams>(&p.model);
      if (fin == nullptr) continue;
      const propulsion::Ambient ambient =
          vehicle::ambient_at(p.mount, V, flow, density, state.bus_V);
      const auto& now_ = std::get<propulsion::FinState>(state.propulsors[i]);
      sum += vehicle::at_origin(p.mount, propulsion::wrench_of(*fin, now_, ambient)).force;
    }
    return rotate(q, sum);
  };
  constexpr double kStep_m_s = 0.5;
  const Vec3 here = air(wind_W);
  estimation::WindModel m;
  m.mass_kg = state.landing.mass_scale *
              vehicle::mass_of(model.vehicle, state.propulsors, state.tank_kg).mass_kg;
  m.force_N = rotate(q, pushed_B + vehicle::air_drag(model.vehicle, V, flow_B(), density).force);
  m.per_east = (air(wind_W + Vec3{kStep_m_s, 0, 0}) - here) / kStep_m_s;
  m.per_north = (air(wind_W + Vec3{0, kStep_m_s, 0}) - here) / kStep_m_s;
  m.thrust_N = std::abs(pushed_B.z);
  // on its feet it is held by more than air
  if (state.landing.phase <= control::LandingPhase::kBurn)
    estimation::update(model.wind, state.wind, m, rotate(q, V.v), state.measured_dt_s);
}

/// In a state that lands: when to burn. Before the propulsors are made linear, which need to know.
void Tick::guide_landing() noexcept {
  const MissionPhase phase = out.mission.phase;
  const bool land = model.airframe.can_land && model.has_mission &&
                    mission::lands(model.mission, out.mission.state) &&
                    (phase == MissionPhase::kRunning || phase == MissionPhase::kAborting);
  bool refused = false;
  if (!land) {
    // what it has lit must not burn on
    if (state.is_landing) ignite(-1, false, refused);
    state.is_landing = false;
    // a copy: clearing it by hand takes longer
    static constexpr decltype(out.landing) kNone{};
    out.landing = kNone;
    return;
  }
  if (!state.is_landing) {
    state.landing = {};
    state.wind = {};
    state.stable_heading = -1;
  }
  state.is_landing = true;
  if (state.measured) {
    feel_wind();
    const control::LandingPhase before = state.landing.phase;
    const control::LandingCraft now_ = landing_craft();
    if (!control::step(model.landing, state.landing, now_, out.used.X_WB, out.used.V_WB_B,
                       std::max(state.measured_dt_s, 0.0), out.landing))
      say(EventCode::kInputRejected, InputCode::kOdometry);
    state.mass_kg = state.landing.mass_scale * now_.mass_kg;
    if (state.landing.phase != before)
      say(EventCode::kLandingPhase, static_cast<std::int32_t>(state.landing.phase),
          static_cast<double>(state.landing.reason));
  }
  if (live()) ignite(-1, out.landing.ignition, refused);
}

/// Where the mission leaves the heading free, the feet that hold best are turned downwind.
Setpoint Tick::landing_setpoint() noexcept {
  constexpr double kBreeze_m_s = 1.5, kAnother_rad = 0.35;
  Setpoint setpoint = out.setpoint;
  const Vec3 wind = estimation::wind_of(state.wind);
  const auto& stable = model.airframe.stable_headings_rad;
  const bool is_free = setpoint.mode[5] == AxisMode::kVelocity && setpoint.V_WD_B.w.z == 0;
  if (!is_free || stable.empty() || !(norm(wind) > kBreeze_m_s)) return setpoint;
  const Vec3 ahead = rotate(out.used.X_WB.q, {1, 0, 0});
  const double heading = std::atan2(ahead.y, ahead.x), downwind = std::atan2(wind.y, wind.x);
  const auto turn = [&](std::size_t i) { return wrap_angle(downwind - stable[i] - heading); };
  std::size_t best = 0;
  for (std::size_t i = 1; i < stable.size(); ++i)
    if (std::abs(turn(i)) < std::abs(turn(best))) best = i;
  // not to and fro between two that are as good
  const auto chosen = static_cast<std::size_t>(std::max(state.stable_heading, 0));
  if (state.stable_heading < 0 || chosen >= stable.size() ||
      std::abs(turn(chosen)) > std::abs(turn(best)) + kAnother_rad)
    state.stable_heading = static_cast<std::int32_t>(best);
  const double yaw = downwind - stable[static_cast<std::size_t>(state.stable_heading)];
  setpoint.X_WD.q = from_rpy({0, 0, yaw});
  setpoint.mode[5] = AxisMode::kPosition;
  return setpoint;
}

/// Axis and thrust of the guidance to a demand: the attitude half of the law.
void Tick::follow_landing() noexcept {
  if (state.measured) {
    control::CraftNow now_ = craft();
    // fins brake as they steer: the guidance speaks of the engine alone
    now_.min_thrust_N = std::min(now_.min_thrust_N, out.landing.thrust_N);
    now_.max_thrust_N = std::max(now_.max_thrust_N, out.landing.thrust_N);
    // an axis that is weak for a moment, between two burns or at low speed, stays demanded
    now_.reachable = kAllAxes;
    if (!out.landing.ignition) now_.reachable &= static_cast<AxisMask>(~axis_bit(2));
    // what a burn wants is short of torque for moments only: then all of it
    if (out.landing.ignition) now_.max_torque_Nm = {};
    control::LawInput input = law_input();
    input.craft = &now_;
    if (!control::point(model.law, state.law, landing_setpoint(), input,
                        {out.landing.up_W, out.landing.thrust_N}, out.law))
      say(EventCode::kInputRejected, InputCode::kOdometry);
  }
  control::demand(model.law, state.law, out.law, out.demand);
  // on its feet what fins still can goes against tipping over
  if (out.landing.phase >= control::LandingPhase::kTouchDown)
    out.demand.weight[2] = out.demand.weight[5] = 0;
}

}  // namespace pintle::stack
