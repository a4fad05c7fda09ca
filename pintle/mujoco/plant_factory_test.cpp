#include "pintle/mujoco/plant_factory.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pintle/world/world.h"

namespace pintle::mujoco {
namespace {

using world::World;
using world::WorldParams;

constexpr std::uint64_t kLit = ~std::uint64_t{0};

// 40 kg dry and 20 kg in a tall tank above it; an engine below that is turned as it burns
vehicle::Vehicle rocket() {
  vehicle::Vehicle v;
  v.name = "rocket";
  v.body.mass_kg = 40;
  v.body.inertia_kgm2 = {50, 60, 7};
  v.body.center_of_mass_m = {0.01, 0, 0.2};
  v.body.feet_m = {{1, 0, -1}, {-1, 0, -1}, {0, 1, -1}, {0, -1, -1}};
  propulsion::BoosterParams booster;
  booster.min_thrust_N = 200;
  booster.max_thrust_N = 1500;
  booster.max_fuel_rate_kg_s = 2;
  booster.tau_s = 0.1;
  propulsion::GimbalParams gimbal;
  gimbal.range_deg = {5, 5};
  vehicle::Propulsor engine;
  engine.name = "engine";
  engine.mount.position_m = {0, 0, -0.8};
  engine.model = propulsion::EngineParams{booster, gimbal};
  engine.tank = 0;
  v.propulsors.push_back(engine);
  vehicle::Tank tank{"fuel", {}, 1};
  tank.params.capacity_kg = 20;
  tank.params.shape = propulsion::TankShape::kCylinder;
  tank.params.position_m = {0, 0, 0.5};
  tank.params.radius_m = 0.2;
  tank.params.height_m = 1;
  v.tanks.push_back(tank);
  return v;
}

WorldParams field(world::PlantKind plant, double step_s) {
  WorldParams p;
  p.water.density_kg_m3 = 0;
  p.gravity_m_s2 = 9.80665;
  p.plant = plant;
  p.step_s = step_s;
  p.start_position_m = {0, 0, 300};
  p.start_rpy_deg = {3, -2, 10};
  p.start_velocity_m_s = {1, 0, -20};
  return p;
}

world::Truth flown(world::PlantKind plant, double step_s) {
  World w(rocket(), field(plant, step_s), 1, {plant_factory()});
  for (int k = 0; k < 100; ++k) {
    ChannelVector c;
    for (const double x : {0.6, 0.1 * std::sin(0.1 * k), 0.1 * std::cos(0.07 * k)}) c.push_back(x);
    w.advance(c, kLit, Time::from_seconds((k + 1) * 0.05));
  }
  return w.truth();
}

double apart(const world::Truth& a, const world::Truth& b) {
  return norm(a.X_WB.p - b.X_WB.p) + norm(a.V_WB_B.v - b.V_WB_B.v) + norm(a.V_WB_B.w - b.V_WB_B.w);
}

TEST(PlantFactory, BothPlantsFlyABurningRocketAlikeToTheIntegratorsOrder) {
  const world::Truth rigid = flown(world::PlantKind::kRigid, 0.001);
  EXPECT_LT(rigid.fuel_kg, 14);
  EXPECT_GT(norm(rigid.X_WB.p - Vec3{0, 0, 300}), 10);
  const double coarse = apart(rigid, flown(world::PlantKind::kMujoco, 0.001));
  const double fine =
      apart(flown(world::PlantKind::kRigid, 0.0005), flown(world::PlantKind::kMujoco, 0.0005));
  EXPECT_LT(coarse, 0.05);
  // wrenches turned once a step: first order
  EXPECT_LT(fine, 0.6 * coarse);
}

TEST(PlantFactory, ACraftStandsOnItsFeetOnMujocosGround) {
  WorldParams p = field(world::PlantKind::kMujoco, 0.001);
  p.ground = world::GroundParams{};
  p.start_position_m = {0, 0, 1.05};
  p.start_rpy_deg = p.start_velocity_m_s = {};
  World w(rocket(), p, 1, {plant_factory()});
  w.advance({}, 0, Time::from_seconds(3));
  const world::Truth t = w.truth();
  EXPECT_NEAR(t.X_WB.p.z, 1, 0.01);
  EXPECT_NEAR(t.contact_W.z, 60 * 9.80665, 2);
  EXPECT_LT(norm(t.V_WB_B.v), 1e-3);
}

}  // namespace
}  // namespace pintle::mujoco
