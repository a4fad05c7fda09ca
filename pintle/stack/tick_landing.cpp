#include <algorithm>
#include <cmath>

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

}  // namespace

Airframe airframe_of(const vehicle::Vehicle& vehicle) noexcept {
  Airframe a;
  bool engine = false;
  for (const vehicle::Propulsor& p : vehicle.propulsors)
    engine = engine || engine_of(p.model) != nullptr;
  for (const Vec3& foot : vehicle.body.feet_m) {
    a.stands_at_m = std::max(a.stands_at_m, -foot.z);
    a.foot_radius_m = std::max(a.foot_radius_m, std::hypot(foot.x, foot.y));
  }
  for (const vehicle::DragBody& body : vehicle.drag_bodies) {
    const Vec3 cd = body.params.drag_coef, area = body.params.area_m2;
    a.axial_drag_m2 += cd.z * area.z;
    a.side_drag_m2 += 0.5 * (cd.x * area.x + cd.y * area.y);
  }
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
  c.stands_at_m = a.stands_at_m;
  c.foot_radius_m = a.foot_radius_m;
  c.density_kg_m3 = model.surroundings.air_density_kg_m3;
  c.gravity_m_s2 = model.surroundings.gravity_m_s2;
  c.p_WL = out.setpoint.X_WD.p - Vec3{0, 0, a.stands_at_m};
  return c;
}

/// In a state that lands: when to burn. Before the propulsors are made linear, which need to know.
void Tick::guide_landing() noexcept {
  const MissionPhase phase = out.mission.phase;
  const auto at = static_cast<std::size_t>(std::max(out.mission.state, 0));
  const bool land = model.has_mission && out.mission.state >= 0 &&
                    at < model.mission.states.size() && model.mission.states[at].land &&
                    (phase == MissionPhase::kRunning || phase == MissionPhase::kAborting) &&
                    model.law == Law::kThrustVector && model.airframe.can_land;
  bool refused = false;
  if (!land) {
    // what it has lit must not burn on
    if (state.is_landing) ignite(-1, false, refused);
    state.is_landing = false;
    out.landing = {};
    return;
  }
  if (!state.is_landing) state.landing = {};
  state.is_landing = true;
  if (fresh) {
    const control::LandingPhase before = state.landing.phase;
    const double step_s = odometry.dt_s > 0 ? odometry.dt_s : 0;
    if (!control::step(model.landing, state.landing, landing_craft(), out.used.X_WB,
                       out.used.V_WB_B, step_s, out.landing))
      say(EventCode::kInputRejected, InputCode::kOdometry);
    if (state.landing.phase != before)
      say(EventCode::kLandingPhase, static_cast<std::int32_t>(state.landing.phase),
          static_cast<double>(state.landing.reason));
  }
  if (live()) ignite(-1, out.landing.ignition, refused);
}

/// Axis and thrust of the guidance to a demand: the attitude half of the law.
void Tick::follow_landing() noexcept {
  if (fresh) {
    control::CraftNow now_ = craft();
    // fins brake as they steer: the guidance speaks of the engine alone
    now_.min_thrust_N = std::min(now_.min_thrust_N, out.landing.thrust_N);
    now_.max_thrust_N = std::max(now_.max_thrust_N, out.landing.thrust_N);
    // an axis that is weak for a moment, between two burns or at low speed, stays demanded
    now_.reachable = kAllAxes;
    if (!out.landing.ignition) now_.reachable &= static_cast<AxisMask>(~axis_bit(2));
    if (!control::point(model.vector, out.setpoint, now_, out.used.X_WB, out.used.V_WB_B,
                        {out.landing.up_W, out.landing.thrust_N}, state.vector_demand, out.vector))
      say(EventCode::kInputRejected, InputCode::kOdometry);
  }
  out.demand = state.vector_demand;
}

}  // namespace pintle::stack
