/// A rocket with an engine in a gimbal, four fins, a tank whose fuel sinks, and a hull that the air
/// brakes, for tests and benchmarks. Numbers of PyFlyt's rocket, its fins where they belong.
#pragma once
#include <string>

#include "pintle/vehicle/structure.h"
#include "pintle/vehicle/vehicle.h"

namespace pintle::world {

inline vehicle::Vehicle testing_rocket() {
  // base, engine and four fins as one
  vehicle::MassProperties dry{91, {}, Mat3::diagonal({372.6, 372.6, 1.55})};
  dry = combined(dry, {47, {0, 0, -2}, Mat3::diagonal({192.43, 192.43, 0.81})});
  for (const Vec3 fin :
       {Vec3{0.35, 0, 2.051}, {-0.35, 0, 2.051}, {0, 0.35, 2.051}, {0, -0.35, 2.051}})
    dry = combined(dry, {0.05, fin, {}});

  vehicle::Vehicle v;
  v.name = "rocket";
  v.body.mass_kg = dry.mass_kg;
  v.body.center_of_mass_m = dry.center_of_mass_m;
  const Mat3& i = dry.inertia_kgm2;
  v.body.inertia_kgm2 = {i(0, 0), i(1, 1), i(2, 2)};
  v.body.inertia_products_kgm2 = {i(0, 1), i(0, 2), i(1, 2)};

  vehicle::Tank tank;
  tank.name = "fuel";
  tank.params.capacity_kg = 410.9;
  tank.params.shape = propulsion::TankShape::kCylinder;
  tank.params.radius_m = 0.185;
  tank.params.height_m = 3.8;
  v.tanks.push_back(tank);

  propulsion::EngineParams engine;
  engine.booster.tau_s = 0.01;
  engine.booster.max_fuel_rate_kg_s = 1.451;
  engine.booster.min_thrust_N = 2966.7;
  engine.booster.max_thrust_N = 7607;
  engine.booster.noise_ratio = 0.01;
  engine.gimbal.tau_s = 0.01;
  engine.gimbal.range_deg = {5, 5};
  v.propulsors.push_back({"engine", {{0, 0, -2}, {}, Mat3::identity()}, engine, 0, 1});

  propulsion::FinParams fin;
  fin.forward_unit = {0, 0, -1};
  fin.chord_m = fin.span_m = 0.5;
  fin.tau_s = 0.05;
  fin.behaviour = propulsion::Behaviour::kPhysical;
  for (int k = 0; k < 4; ++k) {
    // two fins push along y, two along x
    fin.lift_unit = k < 2 ? Vec3{0, 1, 0} : Vec3{1, 0, 0};
    const double side = k % 2 == 0 ? 0.35 : -0.35;
    const Vec3 at = k < 2 ? Vec3{side, 0, 2.051} : Vec3{0, side, 2.051};
    v.propulsors.push_back(
        {"fin" + std::to_string(k), {at, {}, Mat3::identity()}, fin, vehicle::kNoTank, 1});
  }

  vehicle::DragBody hull;
  hull.name = "hull";
  hull.params = {{1.16, 1.16, 2.0}, {1.7649, 1.7649, 0.1075}, 0};
  v.drag_bodies.push_back(hull);
  return v;
}

}  // namespace pintle::world
