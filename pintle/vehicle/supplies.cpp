#include "pintle/vehicle/supplies.h"

#include <algorithm>

namespace pintle::vehicle {
namespace {

bool on_tank(const Vehicle& vehicle, std::size_t propulsor, const TankFill& fill) noexcept {
  const std::int32_t tank = vehicle.propulsors[propulsor].tank;
  return tank >= 0 && static_cast<std::size_t>(tank) < fill.size();
}

/// The booster of a propulsor that has fuel of its own, null where there is none.
const propulsion::BoosterParams* own_fuel_of(const Propulsor& p) noexcept {
  const auto* engine = std::get_if<propulsion::EngineParams>(&p.model);
  const auto* booster =
      engine != nullptr ? &engine->booster : std::get_if<propulsion::BoosterParams>(&p.model);
  return booster != nullptr && p.tank == kNoTank && booster->total_fuel_mass_kg > 0 ? booster
                                                                                    : nullptr;
}

const propulsion::BoosterState* booster_of(const propulsion::PropulsorState& state) noexcept {
  if (const auto* engine = std::get_if<propulsion::EngineState>(&state)) return &engine->booster;
  return std::get_if<propulsion::BoosterState>(&state);
}

/// Fuel as a mass in body coordinates.
MassProperties in_body(const propulsion::MassProperties& fuel, const Mount& mount) noexcept {
  const Mat3 inertia = mount.R_BP * Mat3::diagonal(fuel.inertia_kgm2) * transpose(mount.R_BP);
  return {fuel.mass_kg, mount.position_m + mount.R_BP * fuel.center_P_m, inertia};
}

MassProperties body_of(const Body& body) noexcept {
  const Vec3 d = body.inertia_kgm2, o = body.inertia_products_kgm2;
  return {body.mass_kg, body.center_of_mass_m, Mat3{{d.x, o.x, o.y, o.x, d.y, o.z, o.y, o.z, d.z}}};
}

}  // namespace

TankFill starting_fill(const Vehicle& vehicle) noexcept {
  TankFill fill;
  for (const Tank& t : vehicle.tanks)
    if (!fill.push_back(t.starting_fuel_ratio * t.params.capacity_kg)) break;
  return fill;
}

PropulsorStates starting_states(const Vehicle& vehicle) noexcept {
  PropulsorStates states;
  for (const Propulsor& p : vehicle.propulsors)
    if (!states.push_back(propulsion::initial_state(p.model, p.starting_fuel_ratio))) break;
  return states;
}

bool has_fuel(const Vehicle& vehicle, const TankFill& fill, std::size_t propulsor,
              const propulsion::PropulsorState& state) noexcept {
  const Propulsor& p = vehicle.propulsors[propulsor];
  if (on_tank(vehicle, propulsor, fill)) return fill[static_cast<std::size_t>(p.tank)] > 0;
  const propulsion::BoosterState* booster = booster_of(state);
  return own_fuel_of(p) == nullptr || booster == nullptr || booster->fuel_ratio > 0;
}

void grant_all(const Vehicle& vehicle, const PropulsorStates& states, const PropulsorInputs& inputs,
               const TankFill& fill, double dt_s, Grants& grants) noexcept {
  const std::size_t n = std::min({vehicle.propulsors.size(), states.size(), inputs.size()});
  grants.resize(n);
  for (propulsion::Grant& g : grants) g = {};
  for (std::size_t k = 0; k < fill.size(); ++k) {
    double flow = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (vehicle.propulsors[i].tank == static_cast<std::int32_t>(k))
        flow += propulsion::demand(vehicle.propulsors[i].model, states[i], inputs[i], dt_s)
                    .mass_flow_kg_s;
    propulsion::Grant share =
        propulsion::grant(vehicle.tanks[k].params, propulsion::TankState{fill[k]}, flow, dt_s);
    if (!(fill[k] > 0)) share.share = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (vehicle.propulsors[i].tank == static_cast<std::int32_t>(k)) grants[i] = share;
  }
}

void draw(const Vehicle& vehicle, TankFill& fill, std::size_t propulsor,
          const propulsion::SupplyDemand& taken, double dt_s) noexcept {
  if (!on_tank(vehicle, propulsor, fill)) return;
  const auto k = static_cast<std::size_t>(vehicle.propulsors[propulsor].tank);
  propulsion::TankState tank{fill[k]};
  propulsion::drain(vehicle.tanks[k].params, tank, taken.mass_flow_kg_s * dt_s);
  fill[k] = tank.mass_kg;
}

MassProperties mass_of(const Vehicle& vehicle, const PropulsorStates& states,
                       const TankFill& fill) noexcept {
  MassProperties whole = body_of(vehicle.body);
  for (std::size_t k = 0; k < fill.size(); ++k) {
    const propulsion::TankParams& tank = vehicle.tanks[k].params;
    whole =
        combined(whole, in_body(propulsion::contents(tank, propulsion::TankState{fill[k]}), {}));
  }
  for (std::size_t i = 0; i < states.size() && i < vehicle.propulsors.size(); ++i) {
    const Propulsor& p = vehicle.propulsors[i];
    const propulsion::BoosterParams* booster = own_fuel_of(p);
    const propulsion::BoosterState* state = booster_of(states[i]);
    if (booster != nullptr && state != nullptr)
      whole = combined(whole, in_body(propulsion::fuel_of(*booster, *state), p.mount));
  }
  return whole;
}

double fuel_kg(const Vehicle& vehicle, const PropulsorStates& states,
               const TankFill& fill) noexcept {
  double sum = 0;
  for (const double kg : fill) sum += kg;
  for (std::size_t i = 0; i < states.size() && i < vehicle.propulsors.size(); ++i) {
    const propulsion::BoosterParams* booster = own_fuel_of(vehicle.propulsors[i]);
    const propulsion::BoosterState* state = booster_of(states[i]);
    if (booster != nullptr && state != nullptr)
      sum += propulsion::fuel_of(*booster, *state).mass_kg;
  }
  return sum;
}

Wrench air_drag(const Vehicle& vehicle, const Twist& V_WB_B, Vec3 wind_B,
                double density_kg_m3) noexcept {
  Wrench sum;
  for (const DragBody& d : vehicle.drag_bodies) {
    Mount mount;
    mount.position_m = d.position_m;
    const propulsion::Ambient air = ambient_at(mount, V_WB_B, wind_B, density_kg_m3, 0);
    sum = sum + at_origin(mount, propulsion::step(d.params, air));
  }
  return sum;
}

}  // namespace pintle::vehicle
