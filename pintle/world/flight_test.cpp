// Closed forms flown through the whole world: fuel, moving mass, hover, drag, starts.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <stdexcept>

#include "pintle/base/random.h"
#include "pintle/testing/heap_counter.h"
#include "pintle/world/craft_for_test.h"

namespace pintle::world {
namespace {

constexpr double kGravity = 9.80665;

// ---- rockets

TEST(Flight, ARocketGainsTheSpeedOfTheRocketEquation) {
  World w(rocket(), space(0.01), 1);
  // 2000 m/s of exhaust, 60 of 100 kg burnt in 120 s
  w.advance(numbers({1}), kLit, at(130));
  const double expected = 2000 * std::log(100.0 / 40.0);
  EXPECT_NEAR(w.truth().V_WB_B.v.z, expected, 1e-7 * expected);
  EXPECT_EQ(w.truth().fuel_kg, 0);
  EXPECT_EQ(w.truth().thrust_N, numbers({0}));
}

TEST(Flight, TheErrorOfABurnIsOfSecondOrder) {
  const double expected = 2000 * std::log(100.0 / 40.0);
  const auto error = [&](double step_s) {
    World w(rocket(), space(step_s), 1);
    w.advance(numbers({1}), kLit, at(130));
    return std::abs(w.truth().V_WB_B.v.z - expected);
  };
  EXPECT_NEAR(error(0.01) / error(0.005), 4, 0.4);
}

TEST(Flight, FuelIsWhatThrustHasTaken) {
  vehicle::Vehicle v = rocket();
  std::get<propulsion::BoosterParams>(v.propulsors[0].model).tau_s = 0.3;
  World w(v, space(), 1);
  double impulse = 0;
  for (int k = 1; k <= 5000; ++k) {
    w.advance(numbers({k < 2500 ? 0.8 : 0.1}), k < 4000 ? kLit : 0, at(k * 0.001));
    impulse += w.truth().thrust_N[0] * 0.001;
  }
  // 2000 m/s of exhaust
  EXPECT_NEAR(60 - w.truth().fuel_kg, impulse / 2000, 1e-9);
  EXPECT_GT(impulse, 1000);
}

TEST(Flight, BoostersThatShareATankEmptyItTogether) {
  vehicle::Vehicle v = bare_craft();
  propulsion::BoosterParams p = booster();
  p.total_fuel_mass_kg = 0;
  for (const char* name : {"a", "b", "c"}) v.propulsors.push_back(mounted(name, p, {}, 0));
  v.tanks.push_back({"fuel", {}, 0.5});
  v.tanks[0].params.capacity_kg = 12;
  World w(v, space(), 1);
  EXPECT_EQ(w.truth().fuel_kg, 6);
  w.advance(numbers({1, 1, 0.5}), kLit, at(2));
  // 0.5 + 0.5 + 0.275 kg/s for 2 s
  EXPECT_NEAR(w.truth().fuel_kg, 6 - 2 * 1.275, 1e-9);
  EXPECT_EQ(w.truth().tank_kg.size(), 1U);
  EXPECT_EQ(w.truth().tank_kg[0], w.truth().fuel_kg);
  const double mass_now = 40 + w.truth().fuel_kg;
  EXPECT_NEAR(w.truth().V_WB_B.v.z, 2000 * std::log(46 / mass_now), 1e-6);
  w.advance(numbers({1, 1, 0.5}), kLit, at(6));
  EXPECT_EQ(w.truth().fuel_kg, 0);
  EXPECT_EQ(w.truth().thrust_N, numbers({0, 0, 0}));
  EXPECT_NEAR(w.truth().V_WB_B.v.z, 2000 * std::log(46.0 / 40), 1e-5);
}

TEST(Flight, OfAPairThatCannotBeShutDownTheLitOneBurnsOn) {
  vehicle::Vehicle v = bare_craft();
  propulsion::BoosterParams p = booster();
  p.reignitable = false;
  p.total_fuel_mass_kg = 1;
  v.propulsors.push_back(mounted("a", p, {0.5, 0, 0}));
  v.propulsors.push_back(mounted("b", p, {-0.5, 0, 0}));
  World w(v, space(), 1);
  w.advance(numbers({1, 1}), 0b01, at(0.5));
  EXPECT_EQ(w.truth().thrust_N, numbers({1000, 0}));
  // no ignition any more: the first goes on at the throttle asked, the second was never lit
  w.advance(numbers({0, 1}), 0, at(0.6));
  EXPECT_EQ(w.truth().thrust_N, numbers({100, 0}));
  w.advance(numbers({0, 1}), 0b10, at(1));
  EXPECT_EQ(w.truth().thrust_N, numbers({100, 1000}));
  // 0.25 kg and then 0.05 kg/s: 15 s more
  w.advance(numbers({0, 0}), 0, at(15.4));
  EXPECT_EQ(w.truth().thrust_N[0], 100);
  w.advance(numbers({0, 0}), 0, at(40));
  EXPECT_EQ(w.truth().thrust_N, numbers({0, 0}));
  EXPECT_EQ(w.truth().fuel_kg, 0);
}

TEST(Flight, ATankThatDrainsMovesTheCentreThatAForceTurnsAbout) {
  // dry: 10 kg at the origin; an upright cylinder of 10 kg, radius 0.2, height 1, centre at z = 1,
  // half full: 5 kg of depth 0.5 with its centre at 0.75
  vehicle::Vehicle v = bare_craft();
  v.body.mass_kg = 10;
  v.body.inertia_kgm2 = {1, 1, 1};
  vehicle::Tank tank{"fuel", {}, 0.5};
  tank.params.capacity_kg = 10;
  tank.params.shape = propulsion::TankShape::kCylinder;
  tank.params.position_m = {0, 0, 1};
  tank.params.radius_m = 0.2;
  tank.params.height_m = 1;
  v.tanks.push_back(tank);
  propulsion::BoosterParams p = booster();
  p.min_thrust_N = p.max_thrust_N = 10;
  p.max_fuel_rate_kg_s = 1e-6;
  p.total_fuel_mass_kg = 0;
  p.thrust_unit = {1, 0, 0};
  v.propulsors.push_back(mounted("side", p, {}, 0));
  World w(v, space(), 1);
  w.advance(numbers({0}), kLit, at(0.001));

  // centre of the whole 5 * 0.75 / 15 = 0.25 above the force; about it
  // 1 + 10 * 0.25^2 + 5 (3 * 0.04 + 0.25) / 12 + 5 * 0.5^2
  const double inertia = 1 + 0.625 + 5 * (0.12 + 0.25) / 12 + 1.25;
  EXPECT_NEAR(w.truth().V_WB_B.w.y, -10 * 0.25 / inertia * 0.001, 1e-9);
  // the origin moves off with the centre, and turns back about it
  EXPECT_NEAR(w.truth().V_WB_B.v.x, (10 / 15.0 + 10 * 0.25 * 0.25 / inertia) * 0.001, 1e-9);
}

TEST(Flight, AnEngineThatTurnsPushesSideways) {
  vehicle::Vehicle v = bare_craft();
  propulsion::GimbalParams gimbal;
  gimbal.range_deg = {10, 10};
  v.propulsors.push_back(
      mounted("engine", propulsion::EngineParams{booster(), gimbal}, {0, 0, -2}));
  World w(v, space(), 1);
  // three channels: half throttle is 550 N; about y by 5 degrees
  w.advance(numbers({0.5, 0, 0.5}), kLit, at(0.001));
  const double a = radians(5);
  EXPECT_NEAR(w.truth().propulsion.force.x, 550 * std::sin(a), 1e-9);
  EXPECT_NEAR(w.truth().propulsion.force.z, 550 * std::cos(a), 1e-9);
  EXPECT_NEAR(w.truth().propulsion.torque.y, -2 * 550 * std::sin(a), 1e-9);
}

// ---- air

vehicle::Vehicle quad() {
  vehicle::Vehicle v = bare_craft();
  v.body.mass_kg = 1.6;
  v.body.inertia_kgm2 = {0.02, 0.02, 0.03};
  propulsion::PropellerParams p;
  p.max_rpm = 10000;
  p.thrust_coef = 8e-8;
  p.torque_coef = 1e-9;
  const double d = 0.2;
  int k = 0;
  for (const Vec3 at_m : {Vec3{d, d, 0.05}, {-d, d, 0.05}, {-d, -d, 0.05}, {d, -d, 0.05}}) {
    p.torque_coef = -p.torque_coef;
    v.propulsors.push_back(mounted(std::string(1, static_cast<char>('a' + k++)), p, at_m));
  }
  return v;
}

TEST(Flight, PropellersHoverAtTheThrottleComputedByHand) {
  WorldParams p = calm();
  p.start_position_m = {0, 0, 20};
  World w(quad(), p, 1);
  // four times 8 N at full: sqrt(1.6 g / 32)
  const double pwm = std::sqrt(1.6 * kGravity / 32);
  w.advance(numbers({pwm, pwm, pwm, pwm}), 0, at(5));
  EXPECT_NEAR(w.truth().X_WB.p.z, 20, 1e-9);
  EXPECT_NEAR(norm(w.truth().V_WB_B.w), 0, 1e-12);
  EXPECT_EQ(w.truth().fuel_kg, 0);
}

TEST(Flight, NearTheGroundPropellersThatHaveARadiusPushMore) {
  vehicle::Vehicle v = quad();
  v.body.mass_kg = 1000;
  for (vehicle::Propulsor& p : v.propulsors)
    std::get<propulsion::PropellerParams>(p.model).radius_m = 0.2;
  WorldParams p = calm();
  p.ground = GroundParams{};
  p.pads = {{"pad", {0, 0, 0.1}, 5}};
  p.start_position_m = {0, 0, 0.25};
  const auto push = [&](bool effect) {
    p.ground_effect = effect;
    World w(v, p, 1);
    w.advance(numbers({1, 1, 1, 1}), 0, at(0.001));
    return w.truth().thrust_N[2];
  };
  EXPECT_EQ(push(false), 8);
  // discs 0.2 m above the pad: 1 / (1 - (0.2 / 0.8)^2)
  EXPECT_NEAR(push(true), 8 * 16 / 15.0, 1e-12);
}

TEST(Flight, ABodyThatFallsReachesItsTerminalVelocity) {
  vehicle::Vehicle v = bare_craft();
  vehicle::DragBody hull{"hull", {}, {}};
  hull.params.drag_coef = {1, 1, 0.8};
  hull.params.area_m2 = {1, 1, 0.5};
  v.drag_bodies.push_back(hull);
  WorldParams p = calm();
  p.start_position_m = {0, 0, 5000};
  p.air->wind_m_s = {3, 0, 0};
  World w(v, p, 1);
  w.advance({}, 0, at(60));
  const double terminal = std::sqrt(2 * 40 * kGravity / (1.225 * 0.8 * 0.5));
  EXPECT_NEAR(w.truth().V_WB_B.v.z, -terminal, 1e-6 * terminal);
  // each axis by itself, the wind carries it along: 3 - 3 / (1 + 3 k t), k = rho Cd A / 2 m
  EXPECT_NEAR(w.truth().V_WB_B.v.x, 3 - 3 / (1 + 3 * (0.5 * 1.225 / 40) * 60), 1e-4);
}

TEST(Flight, WithoutAirNothingBrakes) {
  vehicle::Vehicle v = bare_craft();
  v.drag_bodies.push_back({"hull", {}, {{1, 1, 1}, {1, 1, 1}, 1.225}});
  WorldParams p = space();
  p.start_velocity_m_s = {0, 0, -30};
  World w(v, p, 1);
  w.advance({}, 0, at(1));
  EXPECT_EQ(w.truth().V_WB_B.v.z, -30);
}

TEST(Flight, TheTouchIsTheMomentBeforeTheGroundPushes) {
  vehicle::Vehicle v = bare_craft();
  v.body.feet_m = {{0.3, 0.3, -0.5}, {-0.3, 0.3, -0.5}, {0, -0.3, -0.5}};
  WorldParams p = space();
  p.gravity_m_s2 = kGravity;
  p.ground.emplace();
  p.start_position_m = {0, 0, 2.5};
  World w(v, p, 1);
  const double fall = std::sqrt(2 * 2 / kGravity);
  w.advance({}, 0, at(fall - 0.01));
  EXPECT_FALSE(w.touch().has_value());
  w.advance({}, 0, at(fall + 0.5));
  ASSERT_TRUE(w.touch().has_value());
  // two metres of free fall, to the step
  EXPECT_NEAR(w.touch()->V_WB_B.v.z, -std::sqrt(2 * kGravity * 2), 0.02);
  EXPECT_NEAR(w.touch()->X_WB.p.z, 0.5, 0.02);
  EXPECT_NEAR(w.touch()->time.seconds(), fall, 0.003);
  // one that stands from the beginning has not touched
  p.start_position_m = {0, 0, 0.499};
  World standing(v, p, 1);
  standing.advance({}, 0, at(0.5));
  EXPECT_FALSE(standing.touch().has_value());
}

// ---- starts

TEST(Flight, StartsAtTheVelocityAndRateItIsTold) {
  WorldParams p = space();
  p.start_rpy_deg = {0, 0, 90};
  p.start_velocity_m_s = {0, 5, -2};
  p.start_rate_deg_s = {0, 0, 180};
  const Truth t = World(rocket(), p, 1).truth();
  EXPECT_NEAR(t.V_WB_B.v.x, 5, 1e-12);
  EXPECT_NEAR(t.V_WB_B.v.y, 0, 1e-12);
  EXPECT_EQ(t.V_WB_B.v.z, -2);
  EXPECT_NEAR(t.V_WB_B.w.z, kPi, 1e-12);
}

TEST(Flight, StartsSpreadEvenlyWithinTheirWidths) {
  WorldParams p = space();
  p.start_position_m = {0, 0, 425};
  p.start_velocity_m_s = {0, 0, -30};
  p.start_spread = StartSpread{{20, 20, 25}, {17, 17, 17}, {0, 0, 30}};
  Vec3 low{1e9, 1e9, 1e9}, high = -low;
  double slowest = -1e9, fastest = 1e9, sum = 0;
  constexpr int kSeeds = 400;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    const Truth t = World(rocket(), p, static_cast<std::uint64_t>(seed)).truth();
    for (std::size_t i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], t.X_WB.p[i]);
      high[i] = std::max(high[i], t.X_WB.p[i]);
    }
    const double climb = rotate(t.X_WB.q, t.V_WB_B.v).z;
    slowest = std::max(slowest, climb);
    fastest = std::min(fastest, climb);
    sum += t.X_WB.p.x / kSeeds;
  }
  EXPECT_GE(low.x, -20);
  EXPECT_LE(high.x, 20);
  EXPECT_LT(low.x, -19);
  EXPECT_GT(high.x, 19);
  EXPECT_GE(low.z, 400);
  EXPECT_LE(high.z, 450);
  EXPECT_LE(slowest, 1e-9);
  EXPECT_GE(fastest, -60 - 1e-9);
  EXPECT_LT(fastest, -55);
  // the mean of 400 even draws has a deviation of 20 / sqrt(3) / 20
  EXPECT_NEAR(sum, 0, 3);
}

TEST(Flight, ANewSpreadDoesNotMoveTheOthers) {
  WorldParams p = space();
  p.start_spread = StartSpread{{20, 20, 25}, {}, {}};
  const Pose before = World(rocket(), p, 3).truth().X_WB;
  p.start_spread->velocity_m_s = {1, 1, 1};
  EXPECT_EQ(World(rocket(), p, 3).truth().X_WB, before);
}

// ---- plants

TEST(Flight, MujocoIsAskedForWhereItIsMissing) {
  WorldParams p = space();
  p.plant = PlantKind::kMujoco;
  try {
    World(rocket(), p, 1);
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("libmujoco-dev"), std::string::npos);
  }
}

TEST(Flight, MujocoIsRefusedInWater) {
  WorldParams p;
  p.plant = PlantKind::kMujoco;
  const Findings found = check(p);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].path, "plant");
  EXPECT_TRUE(found[0].is_error);
}

// ---- sameness

TEST(Flight, AdvancingWithFuelUsesNoHeap) {
  vehicle::Vehicle v = rocket();
  std::get<propulsion::BoosterParams>(v.propulsors[0].model).noise_ratio = 0.02;
  v.drag_bodies.push_back({"hull", {}, {{1, 1, 1}, {1, 1, 1}, 1.225}});
  WorldParams p = calm();
  p.faults = {{"main", FaultKind::kDelayed, 0.1, 0.3, 0.05, false},
              {"main", FaultKind::kSlow, 0.2, 0.4, 3, false},
              {"main", FaultKind::kStuck, 0.5, 0.6, 400, false}};
  World w(v, p, 3);
  const auto before = testing::heap_allocations();
  w.advance(numbers({0.7}), kLit, at(1));
  (void)w.truth();
  EXPECT_EQ(testing::heap_allocations(), before);
}

TEST(Flight, TheSameSeedBurnsTheSameFuelAndAnotherDoesNot) {
  vehicle::Vehicle v = rocket();
  std::get<propulsion::BoosterParams>(v.propulsors[0].model).noise_ratio = 0.05;
  WorldParams p = calm();
  p.truth = {0.03, 0.1, 0.2, 0.2, 0.01, 0.05, 0.005, 1.3, 0.003};
  const auto fly = [&](std::uint64_t seed, double slice) {
    World w(v, p, seed);
    for (int k = 1; k * slice <= 2.0001; ++k) w.advance(numbers({0.7}), kLit, at(k * slice));
    return w.truth();
  };
  const Truth a = fly(5, 0.02), b = fly(5, 0.1), c = fly(6, 0.02);
  EXPECT_EQ(std::memcmp(&a.X_WB, &b.X_WB, sizeof a.X_WB), 0);
  EXPECT_EQ(a.fuel_kg, b.fuel_kg);
  EXPECT_NE(a.fuel_kg, c.fuel_kg);
}

}  // namespace
}  // namespace pintle::world
