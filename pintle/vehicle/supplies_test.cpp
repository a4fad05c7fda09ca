#include "pintle/vehicle/supplies.h"

#include <gtest/gtest.h>

namespace pintle::vehicle {
namespace {

propulsion::BoosterParams booster(double max_thrust_N = 1000) {
  propulsion::BoosterParams p;
  p.max_thrust_N = max_thrust_N;
  p.min_thrust_N = 0.3 * max_thrust_N;
  p.max_fuel_rate_kg_s = 2;
  return p;
}

/// Two boosters, a metre aside each, on one upright cylinder of 10 kg; dry mass 90 kg at the
/// origin.
VehicleSpec twin() {
  VehicleSpec spec;
  spec.name = "twin";
  spec.body.mass_kg = 90;
  spec.body.inertia_kgm2 = {30, 30, 10};
  for (const double side : {1.0, -1.0}) {
    PropulsorSpec p;
    p.name = side > 0 ? "left" : "right";
    p.type = "booster";
    p.position_m = {0, side, -2};
    p.booster = booster();
    p.tank = "main";
    spec.propulsors.push_back(p);
  }
  TankSpec tank;
  tank.name = "main";
  tank.params.capacity_kg = 10;
  tank.params.shape = propulsion::TankShape::kCylinder;
  tank.params.radius_m = 0.1;
  tank.params.height_m = 1;
  tank.params.position_m = {0, 0, 1};
  spec.tanks.push_back(tank);
  return spec;
}

TEST(Supplies, ATankIsSharedInEqualShares) {
  const Vehicle v = build(twin());
  PropulsorStates states = starting_states(v);
  TankFill fill = starting_fill(v);
  ASSERT_EQ(fill.size(), 1U);
  EXPECT_EQ(fill[0], 10);
  PropulsorInputs inputs;
  inputs.push_back({{1}, true});
  inputs.push_back({{1}, true});
  Grants grants;

  // 4 kg/s for 2.5 s is what there is
  double burnt = 0;
  for (int k = 0; k < 25; ++k) {
    grant_all(v, states, inputs, fill, 0.1, grants);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(grants[i].share, 1);
      const auto s =
          propulsion::step(v.propulsors[i].model, states[i], inputs[i], {}, grants[i], 0.1);
      EXPECT_NEAR(s.thrust_N, 1000, 1e-9);
      draw(v, fill, i, s.demand, 0.1);
      burnt += s.demand.mass_flow_kg_s * 0.1;
    }
  }
  EXPECT_NEAR(burnt, 10, 1e-12);
  EXPECT_NEAR(fill[0], 0, 1e-12);
  fill[0] = 0;
  EXPECT_FALSE(has_fuel(v, fill, 0, states[0]));
  grant_all(v, states, inputs, fill, 0.1, grants);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(
        propulsion::step(v.propulsors[i].model, states[i], inputs[i], {}, grants[i], 0.1).thrust_N,
        0);
}

TEST(Supplies, TheLastStepGivesBothTheSamePart) {
  const Vehicle v = build(twin());
  PropulsorStates states = starting_states(v);
  TankFill fill;
  fill.push_back(0.1);
  PropulsorInputs inputs;
  inputs.push_back({{1}, true});
  inputs.push_back({{1}, true});
  Grants grants;
  grant_all(v, states, inputs, fill, 0.1, grants);
  // 0.4 kg are asked for
  EXPECT_NEAR(grants[0].share, 0.25, 1e-12);
  EXPECT_EQ(grants[0].share, grants[1].share);
}

TEST(Supplies, MassAndItsCentreFollowTheLiquid) {
  const Vehicle v = build(twin());
  const PropulsorStates states = starting_states(v);
  // half full: 5 kg whose middle is a quarter metre above the bottom at 0.5 m
  TankFill fill;
  fill.push_back(5);
  const MassProperties m = mass_of(v, states, fill);
  EXPECT_NEAR(m.mass_kg, 95, 1e-12);
  EXPECT_NEAR(m.center_of_mass_m.z, 5 * 0.75 / 95, 1e-12);
  // Steiner, by hand: 30 + m (3 r^2 + h^2) / 12 + 90 * 5 / 95 * 0.75^2
  const double own = 5 * (3 * 0.01 + 0.25) / 12;
  EXPECT_NEAR(m.inertia_kgm2(0, 0), 30 + own + 90.0 * 5 / 95 * 0.75 * 0.75, 1e-12);
  EXPECT_NEAR(m.inertia_kgm2(2, 2), 10 + 5 * 0.01 / 2, 1e-12);
  EXPECT_NEAR(fuel_kg(v, states, fill), 5, 1e-12);
}

TEST(Supplies, FuelOfItsOwnLiesAtTheMount) {
  VehicleSpec spec = twin();
  spec.tanks.clear();
  for (PropulsorSpec& p : spec.propulsors) {
    p.tank.reset();
    p.booster.total_fuel_mass_kg = 20;
    p.starting_fuel_ratio = 0.5;
  }
  const Vehicle v = build(spec);
  const PropulsorStates states = starting_states(v);
  const MassProperties m = mass_of(v, states, starting_fill(v));
  EXPECT_NEAR(m.mass_kg, 110, 1e-12);
  EXPECT_NEAR(m.center_of_mass_m.z, -2 * 20.0 / 110, 1e-12);
  EXPECT_NEAR(m.center_of_mass_m.y, 0, 1e-12);
  EXPECT_TRUE(has_fuel(v, {}, 0, states[0]));
  EXPECT_FALSE(has_fuel(v, {}, 0, propulsion::PropulsorState(propulsion::BoosterState{0, 0, 0})));
}

TEST(Supplies, FuelOfItsOwnLiesWhereItSaysAlsoOfATurnedEngine) {
  VehicleSpec spec = twin();
  spec.tanks.clear();
  spec.propulsors.resize(1);
  PropulsorSpec& p = spec.propulsors[0];
  p.tank.reset();
  p.position_m = {0, 0, -2};
  p.rpy_deg = {0, 90, 0};  // its x axis looks down, its z axis forward
  p.booster.total_fuel_mass_kg = 10;
  p.booster.max_inertia_kgm2 = {1, 2, 3};
  p.booster.fuel_position_m = {-2, 0, 0.5};  // in the body: half a metre ahead of the origin
  const Vehicle v = build(spec);
  const MassProperties m = mass_of(v, starting_states(v), {});
  EXPECT_NEAR(m.mass_kg, 100, 1e-12);
  EXPECT_NEAR(m.center_of_mass_m.x, 10 * 0.5 / 100, 1e-12);
  EXPECT_NEAR(m.center_of_mass_m.z, 0, 1e-12);
  // Steiner, by hand: body, fuel whose axes are the engine's, and 90 kg and 10 kg half a metre apart
  EXPECT_NEAR(m.inertia_kgm2(0, 0), 30 + 3, 1e-12);
  EXPECT_NEAR(m.inertia_kgm2(1, 1), 30 + 2 + 90.0 * 10 / 100 * 0.25, 1e-12);
  EXPECT_NEAR(m.inertia_kgm2(2, 2), 10 + 1 + 90.0 * 10 / 100 * 0.25, 1e-12);
}

TEST(Supplies, AirBrakesTheHullWhereItIs) {
  VehicleSpec spec = twin();
  DragBodySpec d;
  d.name = "hull";
  d.position_m = {0, 0, 1};
  d.params.drag_coef = {1, 1, 1};
  d.params.area_m2 = {2, 1, 1};
  d.params.density_kg_m3 = 0;
  spec.drag_bodies.push_back(d);
  const Vehicle v = build(spec);
  // 10 m/s forwards against a head wind of 5: 15 m/s; half rho A v^2 = 0.5 * 1.2 * 2 * 225
  const Wrench w = air_drag(v, {{10, 0, 0}, {}}, {-5, 0, 0}, 1.2);
  EXPECT_NEAR(w.force.x, -270, 1e-9);
  EXPECT_NEAR(w.torque.y, -270, 1e-9);  // above the origin: the bow is lifted
}

}  // namespace
}  // namespace pintle::vehicle
