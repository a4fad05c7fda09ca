// Faults, noise and errors of the file as jets, boosters, engines, propellers and fins feel them.
#include "pintle/world/model_drives.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pintle/world/craft_for_test.h"

namespace pintle::world {
namespace {

using propulsion::BoosterParams;
using propulsion::FinParams;
using propulsion::JetParams;
using propulsion::PropellerParams;

JetParams jet() {
  JetParams p;
  p.max_thrust_N = 200;
  p.tau_s = 0.5;
  p.idle_thrust_N = 10;
  p.fuel_idle_l_min = 0.1;
  p.fuel_max_l_min = 0.6;
  return p;
}

PropellerParams propeller() {
  PropellerParams p;
  p.max_rpm = 100;
  p.thrust_coef = 1e-3;
  p.behaviour = propulsion::Behaviour::kPhysical;
  return p;
}

FinParams fin() {
  FinParams p;
  p.chord_m = 0.4;
  p.span_m = 1;
  p.deflection_limit_deg = 10;
  return p;
}

vehicle::Vehicle with(propulsion::Propulsor model) {
  vehicle::Vehicle v = bare_craft();
  v.propulsors.push_back(mounted("it", std::move(model)));
  return v;
}

// one fault of a craft with one propulsor, from 1 s to 2 s
World faulty(propulsion::Propulsor model, FaultKind kind, double value) {
  WorldParams p = space();
  p.faults = {{"it", kind, 1, 2, value, false}};
  return World(with(std::move(model)), p, 1);
}

// thrust at 1.5 s, and at 2.5 s when all is well again, of one that is always told the same
std::pair<double, double> thrusts(const propulsion::Propulsor& model, FaultKind kind, double value,
                                  double command) {
  World w = faulty(model, kind, value);
  w.advance(numbers({command}), kLit, at(1.5));
  const double then = w.truth().thrust_N[0];
  w.advance(numbers({command}), kLit, at(2.5));
  return {then, w.truth().thrust_N[0]};
}

TEST(ModelDrives, ADeadBoosterGivesNothingAndKeepsItsFuel) {
  World w = faulty(booster(), FaultKind::kDead, 0);
  w.advance(numbers({1}), kLit, at(1));
  const double before = w.truth().fuel_kg;
  w.advance(numbers({1}), kLit, at(1.9));
  EXPECT_EQ(w.truth().thrust_N[0], 0);
  EXPECT_EQ(w.truth().fuel_kg, before);
  w.advance(numbers({1}), kLit, at(2.001));
  EXPECT_EQ(w.truth().thrust_N[0], 1000);
}

TEST(ModelDrives, ADeadJetGoesOut) {
  const auto [dead, well] = thrusts(jet(), FaultKind::kDead, 0, 100);
  EXPECT_EQ(dead, 0);
  EXPECT_NEAR(well, 100 * (1 - std::exp(-1)), 1e-9);
}

TEST(ModelDrives, ADeadPropellerRunsDown) {
  PropellerParams p = propeller();
  p.tau_s = 0.5;
  const auto [dead, well] = thrusts(p, FaultKind::kDead, 0, 1);
  // throttle 1 - exp(-2) at 1 s, and half a second of decay
  EXPECT_NEAR(dead, 10 * std::pow((1 - std::exp(-2)) * std::exp(-1), 2), 1e-9);
  EXPECT_GT(well, dead);
}

TEST(ModelDrives, AWeakOneGivesAPart) {
  EXPECT_NEAR(thrusts(booster(), FaultKind::kWeak, 0.3, 1).first, 300, 1e-9);
  EXPECT_NEAR(thrusts(propeller(), FaultKind::kWeak, 0.3, 0.5).first, 0.75, 1e-12);
  JetParams direct = jet();
  direct.model = propulsion::JetModel::kDirect;
  EXPECT_NEAR(thrusts(direct, FaultKind::kWeak, 0.3, 150).first, 45, 1e-12);
}

TEST(ModelDrives, AReversedPropellerPullsTheOtherWay) {
  const auto [reversed, well] = thrusts(propeller(), FaultKind::kReversed, 0, 0.5);
  EXPECT_NEAR(reversed, -2.5, 1e-12);
  EXPECT_NEAR(well, 2.5, 1e-12);
}

TEST(ModelDrives, AStuckOneStaysAtItsEffort) {
  EXPECT_NEAR(thrusts(booster(), FaultKind::kStuck, 400, 1).first, 400, 1e-9);
  EXPECT_NEAR(thrusts(booster(), FaultKind::kStuck, 1e6, 0).first, 1000, 1e-9);
  EXPECT_EQ(thrusts(booster(), FaultKind::kStuck, 0, 1).first, 0);
  EXPECT_NEAR(thrusts(propeller(), FaultKind::kStuck, -3, 1).first, -3, 1e-12);
  JetParams quick = jet();
  quick.tau_s = 0.05;
  EXPECT_NEAR(thrusts(quick, FaultKind::kStuck, 150, 0).first, 150, 1e-9);
}

TEST(ModelDrives, AnEngineThatIsStuckStillTurns) {
  propulsion::GimbalParams gimbal;
  gimbal.range_deg = {10, 10};
  World w = faulty(propulsion::EngineParams{booster(), gimbal}, FaultKind::kStuck, 500);
  w.advance(numbers({1, 0, 1}), kLit, at(1.5));
  EXPECT_NEAR(w.truth().propulsion.force.x, 500 * std::sin(radians(10)), 1e-9);
}

TEST(ModelDrives, ASlowOneTakesLongerButBurnsWhatItsThrustCosts) {
  BoosterParams p = booster();
  p.tau_s = 0.2;
  WorldParams world = space();
  world.faults = {{"it", FaultKind::kSlow, 0, 1e9, 3, false}};
  World w(with(p), world, 1);
  w.advance(numbers({1}), kLit, at(0.6));
  EXPECT_NEAR(w.truth().thrust_N[0], 1000 * (1 - std::exp(-1)), 1);
  // 0.5 kg/s at full: integral of the rise of 0.6 s
  EXPECT_NEAR(60 - w.truth().fuel_kg, 0.5 * (0.6 - 0.6 * (1 - std::exp(-1))), 1e-9);
}

TEST(ModelDrives, ADelayedOneHearsCommandsAndIgnitionLate) {
  WorldParams p = space();
  p.faults = {{"it", FaultKind::kDelayed, 0, 1e9, 0.25, false}};
  World w(with(booster()), p, 1);
  w.advance(numbers({1}), kLit, at(0.25));
  EXPECT_EQ(w.truth().thrust_N[0], 0);
  w.advance(numbers({0}), kLit, at(0.251));
  EXPECT_EQ(w.truth().thrust_N[0], 1000);
  w.advance(numbers({0}), 0, at(0.5));
  EXPECT_EQ(w.truth().thrust_N[0], 1000);
  w.advance(numbers({0}), 0, at(0.501));
  EXPECT_NEAR(w.truth().thrust_N[0], 100, 1e-9);
  w.advance(numbers({0}), 0, at(0.75));
  EXPECT_EQ(w.truth().thrust_N[0], 0);
}

TEST(ModelDrives, AFinFeelsTheAirThatPassesItsMount) {
  // a mount 2 m ahead, lift to the left; body turning at 1 rad/s about z in still air at 20 m/s
  vehicle::Vehicle v = bare_craft();
  FinParams p = fin();
  p.lift_unit = {0, 1, 0};
  v.propulsors.push_back(mounted("it", p, {2, 0, 0}));
  WorldParams world = calm();
  world.gravity_m_s2 = 0;
  world.start_velocity_m_s = {20, 0, 0};
  world.start_rate_deg_s = {0, 0, degrees(1.0)};
  World w(v, world, 1);
  w.advance(numbers({0}), 0, at(0.001));
  propulsion::Ambient air;
  air.flow_P = {-20, -2, 0};
  const Wrench expected = propulsion::wrench_of(p, {}, air);
  EXPECT_LT(expected.force.y, -5);
  EXPECT_NEAR(w.truth().propulsion.force.y, expected.force.y, 1e-9);
  EXPECT_NEAR(w.truth().propulsion.torque.z, 2 * expected.force.y + expected.torque.z, 1e-9);

  // reversed, a deflection acts the other way
  const auto side = [&](FaultKind kind, double value, double command) {
    WorldParams faulty = world;
    faulty.start_rate_deg_s = {};
    faulty.faults = {{"it", kind, 0, 1e9, value, false}};
    World one(v, faulty, 1);
    one.advance(numbers({command}), 0, at(0.001));
    return one.truth().propulsion.force.y;
  };
  EXPECT_NEAR(side(FaultKind::kReversed, 0, 0.5), side(FaultKind::kWeak, 1, -0.5), 1e-12);
  EXPECT_NEAR(side(FaultKind::kDead, 0, 0.5), 0, 1e-12);
  EXPECT_NEAR(side(FaultKind::kStuck, 0.5, -1), side(FaultKind::kWeak, 1, 0.5), 1e-12);
  EXPECT_NEAR(side(FaultKind::kWeak, 0.5, 1), side(FaultKind::kWeak, 1, 0.5), 1e-12);
}

TEST(ModelDrives, CommandsThatAreMissingOrNotFiniteAreNeutralAndIgnitionIsOff) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  World w(with(booster()), space(), 1);
  w.advance(numbers({nan}), kLit, at(0.1));
  EXPECT_EQ(w.truth().thrust_N[0], 100);
  w.advance({}, kLit, at(0.2));
  EXPECT_EQ(w.truth().thrust_N[0], 100);
  w.advance(numbers({1}), 0, at(0.3));
  EXPECT_EQ(w.truth().thrust_N[0], 0);
  World quiet(with(propeller()), space(), 1);
  quiet.advance(numbers({nan}), kLit, at(0.1));
  EXPECT_EQ(quiet.truth().thrust_N[0], 0);
}

TEST(ModelDrives, ChannelsFollowEachOtherInFileOrder) {
  vehicle::Vehicle v = bare_craft();
  propulsion::ThrusterParams t;
  t.min_effort = -50;
  t.max_effort = 50;
  v.propulsors.push_back(mounted("engine", propulsion::EngineParams{booster(), {}}));
  v.propulsors.push_back(mounted("thruster", propulsion::Thruster(t)));
  v.propulsors.push_back(mounted("propeller", propeller()));
  World w(v, space(), 1);
  w.advance(numbers({1, 0, 0, 0.4, 0.5}), kLit, at(0.001));
  EXPECT_EQ(w.truth().thrust_N, numbers({1000, 20, 2.5}));
}

TEST(ModelDrives, JetsDrainTheirTank) {
  vehicle::Vehicle v = bare_craft();
  v.propulsors.push_back(mounted("jet", jet(), {}, 0));
  v.tanks.push_back({"fuel", {}, 1});
  v.tanks[0].params.capacity_kg = 0.02;
  World w(v, space(), 1);
  w.advance(numbers({200}), 0, at(1));
  EXPECT_GT(w.truth().thrust_N[0], 150);
  EXPECT_LT(w.truth().fuel_kg, 0.02);
  // 0.6 l/min of 0.8 kg/l are 8 g/s
  w.advance(numbers({200}), 0, at(10));
  EXPECT_EQ(w.truth().fuel_kg, 0);
  EXPECT_EQ(w.truth().thrust_N[0], 0);
}

TEST(ModelDrives, NoiseIsDrawnOnlyByThoseThatHaveSome) {
  vehicle::Vehicle v = bare_craft();
  BoosterParams noisy = booster();
  noisy.noise_ratio = 0.1;
  v.propulsors.push_back(mounted("noisy", noisy));
  v.propulsors.push_back(mounted("quiet", booster()));
  World w(v, space(), 1);
  double sum = 0, squares = 0;
  constexpr int kSteps = 4000;
  for (int k = 1; k <= kSteps; ++k) {
    w.advance(numbers({0.5, 0.5}), kLit, at(k * 0.001));
    const double off = w.truth().thrust_N[0] / 550 - 1;
    EXPECT_EQ(w.truth().thrust_N[1], 550);
    sum += off / kSteps;
    squares += off * off / kSteps;
  }
  EXPECT_NEAR(sum, 0, 0.005);
  EXPECT_NEAR(std::sqrt(squares), 0.1, 0.005);
}

TEST(ModelDrives, TheTruthIsWrongAboutEveryKind) {
  vehicle::Vehicle v = with(booster());
  v.drag_bodies.push_back({"hull", {}, {{1, 1, 1}, {1, 1, 1}, 1.225}});
  TruthParams spread;
  spread.mass = spread.thrust = spread.drag = 0.05;
  spread.mount_angle_deg = 2;
  const TruthVehicle truth = perturbed(v, spread, 4);
  EXPECT_NE(truth.vehicle.drag_bodies[0].params.drag_coef.z, 1);
  EXPECT_NE(truth.vehicle.propulsors[0].mount.R_BP(0, 2), 0);
  EXPECT_EQ(truth.vehicle.propulsors[0].mount.direction, (Vec3{1, 0, 0}));
  // fuel is weighed: only the dry body is wrong
  EXPECT_EQ(vehicle::fuel_kg(truth.vehicle, vehicle::starting_states(truth.vehicle), {}), 60);
  EXPECT_NE(truth.vehicle.body.mass_kg, 40);

  WorldParams p = space();
  p.truth.thrust = 0.05;
  World w(v, p, 4);
  w.advance(numbers({1}), kLit, at(0.1));
  EXPECT_EQ(w.truth().thrust_N[0], 1000 * truth.thrust_factor[0]);
}

TEST(ModelDrives, FaultsThatCannotActAreRefused) {
  WorldParams p = space();
  p.faults = {{"it", FaultKind::kReversed, 0, 1, 0, false},
              {"it", FaultKind::kStuck, 0, 1, -5, false},
              {"it", FaultKind::kSlow, 0, 1, 2, false}};
  const Findings found = check(p, with(booster()));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].path, "faults[0].kind");
  EXPECT_TRUE(found[0].is_error);
  EXPECT_EQ(found[1].path, "faults[1].value");
  EXPECT_FALSE(found[2].is_error);
  p.faults.pop_back();
  EXPECT_TRUE(check(p, with(propeller())).empty());
}

}  // namespace
}  // namespace pintle::world
