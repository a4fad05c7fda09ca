#include "pintle/propulsion/booster.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "pintle/base/random.h"
#include "pintle/propulsion/engine.h"

namespace pintle::propulsion {
namespace {

BoosterParams rocket(Behaviour behaviour) {
  BoosterParams p;
  p.tau_s = 0.01;
  p.total_fuel_mass_kg = 410.9;
  p.max_fuel_rate_kg_s = 1.451;
  p.max_inertia_kgm2 = {1678, 1678, 7.01};
  p.min_thrust_N = 2966.7;
  p.max_thrust_N = 7607;
  p.noise_ratio = 0.01;
  p.behaviour = behaviour;
  return p;
}

constexpr double kDt = 1.0 / 240;

TEST(Booster, ReferenceFollowsThePublishedUpdateOverALongRun) {
  for (const bool reignitable : {true, false}) {
    BoosterParams p = rocket(Behaviour::kReference);
    p.reignitable = reignitable;
    BoosterState state{0, 0.2, 0};
    // the same equations, written once more
    bool lit = false;
    double f = 0.2, y = 0;
    RandomStream random(11, "booster");
    for (int i = 0; i < 40000; ++i) {
      const double ignition = random.uniform(0, 1) < 0.7 ? 1 : 0.5;
      const double pwm = random.uniform(0, 1), z = 1 + random.normal();
      const BoosterStep out = step(p, state, {ignition, pwm, z}, {}, {}, kDt);
      lit = (!reignitable && lit) || ignition > 0.5;
      const double r = 2966.7 / 7607;
      const double target = lit ? pwm * (1 - r) + r : 0;
      y += kDt / 0.01 * (target - y);
      y += z * y * 0.01;
      if (!(f > 0)) y = 0;
      f = std::min(std::max(f - y * (1.451 / 410.9) * kDt, 0.0), 1.0);
      ASSERT_EQ(state.lit, lit ? 1 : 0);
      ASSERT_NEAR(state.fuel_ratio, f, 1e-12) << i;
      ASSERT_NEAR(state.throttle, y, 1e-12) << i;
      ASSERT_NEAR(out.thrust_N, y * 7607, 1e-12 * 7607);
      ASSERT_NEAR(fuel_of(p, state).mass_kg, f * 410.9, 1e-12 * 410.9);
      ASSERT_NEAR(fuel_of(p, state).inertia_kgm2.x, f * 1678, 1e-12 * 1678);
    }
    EXPECT_EQ(state.fuel_ratio, 0) << "the run is long enough to burn out";
  }
}

TEST(Booster, ReferenceKeepsTheBiasOfTheOriginalsNoise) {
  // a draw that is always its mean, 1: y = k a / (1 - k (1 - a)) with a = dt/tau, k = 1.01
  const BoosterParams p = rocket(Behaviour::kReference);
  BoosterState state;
  for (int i = 0; i < 500; ++i) (void)step(p, state, {1, 1, 1}, {}, {}, kDt);
  const double a = kDt / 0.01, k = 1.01;
  EXPECT_NEAR(state.throttle, k * a / (1 - k * (1 - a)), 1e-12);
  EXPECT_NEAR(state.throttle, 1.0243, 1e-4);
}

TEST(Booster, LightsAboveAHalfAndLatchesUnlessItCanBeShutDown) {
  BoosterParams p = rocket(Behaviour::kPhysical);
  BoosterState state;
  (void)step(p, state, {0.5, 1}, {}, {}, kDt);
  EXPECT_EQ(state.lit, 0);
  (void)step(p, state, {0.51, 1}, {}, {}, kDt);
  EXPECT_EQ(state.lit, 1);
  (void)step(p, state, {0, 1}, {}, {}, kDt);
  EXPECT_EQ(state.lit, 0);
  p.reignitable = false;
  (void)step(p, state, {1, 1}, {}, {}, kDt);
  (void)step(p, state, {0, 1}, {}, {}, kDt);
  EXPECT_EQ(state.lit, 1);
}

TEST(Booster, ThrottlesBetweenItsFloorAndFullThrust) {
  const BoosterParams p = rocket(Behaviour::kPhysical);
  for (const double pwm : {0.0, 0.25, 1.0}) {
    BoosterState state;
    BoosterStep out;
    for (int i = 0; i < 200; ++i) out = step(p, state, {1, pwm}, {}, {}, kDt);
    EXPECT_NEAR(out.thrust_N, 2966.7 + pwm * (7607 - 2966.7), 1e-6) << pwm;
    EXPECT_NEAR(out.wrench_P.force.z, out.thrust_N, 1e-9);
  }
}

TEST(Booster, PhysicalLagIsExactForAnyStep) {
  const BoosterParams p = rocket(Behaviour::kPhysical);
  for (const int steps : {1, 3, 100}) {
    BoosterState state;
    double impulse = 0;
    const double dt = 0.03 / steps;
    for (int i = 0; i < steps; ++i) impulse += step(p, state, {1, 1}, {}, {}, dt).thrust_N * dt;
    EXPECT_NEAR(state.throttle, 1 - std::exp(-3.0), 1e-12);
    // the integral of 1 - exp(-t/tau)
    EXPECT_NEAR(impulse, 7607 * (0.03 - 0.01 * (1 - std::exp(-3.0))), 1e-9) << steps;
  }
}

TEST(Booster, BurnsOutWithTheVelocityOfTheRocketEquation) {
  BoosterParams p = rocket(Behaviour::kPhysical);
  p.specific_impulse_s = 282;
  p.max_fuel_rate_kg_s = 0;
  BoosterState state{0, 0.05, 0};
  const double dry = 138.2, start = dry + 0.05 * 410.9;
  double mass = start, speed = 0;
  const double dt = 1e-4;
  for (int i = 0; i < 200000 && (state.fuel_ratio > 0 || i == 0); ++i) {
    const BoosterStep out = step(p, state, {1, 1}, {}, {}, dt);
    const double after = mass - out.demand.mass_flow_kg_s * dt;
    speed += out.thrust_N * dt / (0.5 * (mass + after));
    mass = after;
  }
  EXPECT_NEAR(mass, dry, 1e-9);
  EXPECT_NEAR(speed, 282 * 9.80665 * std::log(start / dry), 1e-6);
  // nothing is left to push with
  EXPECT_EQ(step(p, state, {1, 1}, {}, {}, dt).thrust_N, 0);
}

TEST(Booster, TheLastStepGivesOnlyTheImpulseThatThereIsFuelFor) {
  BoosterParams p = rocket(Behaviour::kPhysical);
  p.tau_s = 0;
  BoosterState state{1, 0.1 * 1.451 / 410.9, 1};  // a tenth of a second
  const BoosterStep out = step(p, state, {1, 1}, {}, {}, 1.0);
  EXPECT_NEAR(out.thrust_N, 760.7, 1e-9);
  EXPECT_NEAR(out.demand.mass_flow_kg_s, 0.1451, 1e-12);
  EXPECT_EQ(state.fuel_ratio, 0);
  EXPECT_EQ(state.throttle, 0);
  // the original delivers the whole step
  BoosterParams original = rocket(Behaviour::kReference);
  original.tau_s = 1;
  BoosterState other{1, 0.1 * 1.451 / 410.9, 1};
  EXPECT_NEAR(step(original, other, {1, 1, 0}, {}, {}, 1.0).thrust_N, 7607, 1e-9);
}

TEST(Booster, NoiseActsOnTheThrustAndHasNoMeanAndNoMemory) {
  const BoosterParams p = rocket(Behaviour::kPhysical);
  BoosterState noisy, quiet;
  RandomStream random(5, "noise");
  double sum = 0, squares = 0;
  const int n = 20000;
  for (int i = 0; i < 100; ++i) {
    (void)step(p, noisy, {1, 1, random.normal()}, {}, {}, kDt);
    (void)step(p, quiet, {1, 1, 0}, {}, {}, kDt);
  }
  for (int i = 0; i < n; ++i) {
    const double share = step(p, noisy, {1, 1, random.normal()}, {}, {}, kDt).thrust_N / 7607 - 1;
    (void)step(p, quiet, {1, 1, 0}, {}, {}, kDt);
    sum += share;
    squares += share * share;
    ASSERT_EQ(noisy.throttle, quiet.throttle);
  }
  EXPECT_NEAR(sum / n, 0, 4 * 0.01 / std::sqrt(n));
  EXPECT_NEAR(std::sqrt(squares / n), 0.01, 3e-4);
}

TEST(Boosters, ThreeWithDifferentNumbersAreStepedEachByItself) {
  // what the original cannot do: n > 1
  std::vector<BoosterParams> params(3, rocket(Behaviour::kPhysical));
  params[1].max_thrust_N = 9000;
  params[2].reignitable = false;
  params[2].thrust_unit = {0, 3, 4};
  std::vector<BoosterState> together(3), alone(3);
  reset(together, std::vector<double>{1, 0.5, 0.001});
  alone = together;
  const std::vector<std::int32_t> own(3, kOwnFuel);
  std::vector<BoosterStep> out(3);
  RandomStream random(8, "three");
  for (int i = 0; i < 2000; ++i) {
    std::vector<BoosterInput> in(3);
    for (auto& u : in) u = {random.uniform(0, 1), random.uniform(0, 1), random.normal()};
    step_all(params, own, together, {}, {}, in, {}, kDt, out);
    for (std::size_t k = 0; k < 3; ++k) {
      const BoosterStep one = step(params[k], alone[k], in[k], {}, {}, kDt);
      ASSERT_EQ(one.wrench_P, out[k].wrench_P);
      ASSERT_EQ(alone[k].throttle, together[k].throttle);
    }
  }
  EXPECT_EQ(together[2].lit, 1) << "not reignitable among others";
  EXPECT_EQ(together[2].fuel_ratio, 0);
  std::vector<double> states(9);
  get_states(together, states);
  EXPECT_EQ(states[2], together[2].lit);
  EXPECT_EQ(states[4], together[1].fuel_ratio);
  EXPECT_EQ(states[6], together[0].throttle);
  reset(together, 0.25);
  get_states(together, states);
  EXPECT_EQ(states, (std::vector<double>{0, 0, 0, 0.25, 0.25, 0.25, 0, 0, 0}));
}

TEST(Boosters, ReferenceNeverSharesFuel) {
  const std::vector<BoosterParams> params(2, rocket(Behaviour::kReference));
  std::vector<BoosterState> states(2);
  TankParams tank;
  tank.capacity_kg = 410.9;
  TankState full{410.9};
  const std::vector<std::int32_t> feeds{0, 0};
  const std::vector<BoosterInput> in{{1, 1, 0}, {0, 0, 0}};
  std::vector<BoosterStep> out(2);
  for (int i = 0; i < 240; ++i)
    step_all(params, feeds, states, {&tank, 1}, {&full, 1}, in, {}, kDt, out);
  EXPECT_LT(states[0].fuel_ratio, 1);
  EXPECT_EQ(states[1].fuel_ratio, 1);
  EXPECT_EQ(full.mass_kg, 410.9);
}

TEST(Boosters, TwoOnOneTankShareItsFuelAndMassIsConserved) {
  std::vector<BoosterParams> params(2, rocket(Behaviour::kPhysical));
  params[1].max_fuel_rate_kg_s = 4;
  params[1].reignitable = false;
  TankParams tank;
  tank.capacity_kg = 30;
  TankState fuel{20};
  std::vector<BoosterState> states(2);
  reset(states, 1);
  const std::vector<std::int32_t> feeds{0, 0};
  std::vector<BoosterStep> out(2);
  RandomStream random(3, "tank");
  double burnt = 0, impulse = 0, expected = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::vector<BoosterInput> in{{1, random.uniform(0, 1), random.normal()}, {1, 1, 0}};
    step_all(params, feeds, states, {&tank, 1}, {&fuel, 1}, in, {}, kDt, out);
    for (std::size_t k = 0; k < 2; ++k) {
      burnt += out[k].demand.mass_flow_kg_s * kDt;
      impulse += out[k].thrust_N * kDt;
      expected += out[k].demand.mass_flow_kg_s * kDt * 7607 / params[k].max_fuel_rate_kg_s;
    }
    ASSERT_NEAR(fuel.mass_kg + burnt, 20, 20e-12);
    ASSERT_EQ(states[0].fuel_ratio, states[1].fuel_ratio);
  }
  EXPECT_EQ(fuel.mass_kg, 0);
  EXPECT_NEAR(impulse, expected, 1e-9 * expected);
  EXPECT_EQ(out[0].thrust_N, 0);
  EXPECT_EQ(out[1].thrust_N, 0);
}

TEST(Tank, SettledLiquidSinksAndKeepsTheInertiaOfItsCylinder) {
  TankParams p;
  p.capacity_kg = 100;
  p.shape = TankShape::kCylinder;
  p.radius_m = 0.3;
  p.height_m = 2;
  p.position_m = {0, 0, 1};
  // a quarter full: 0.5 m deep, its middle 0.25 m above the bottom at z = 0
  const MassProperties m = contents(p, {25});
  EXPECT_DOUBLE_EQ(m.mass_kg, 25);
  EXPECT_NEAR(m.center_P_m.z, 0.25, 1e-15);
  EXPECT_NEAR(m.inertia_kgm2.x, 25 * (3 * 0.09 + 0.25) / 12, 1e-12);
  EXPECT_NEAR(m.inertia_kgm2.z, 25 * 0.09 / 2, 1e-12);
  // full: the centre is where the tank's is
  EXPECT_EQ(contents(p, {100}).center_P_m, p.position_m);
  EXPECT_EQ(contents(p, {0}).mass_kg, 0);
  // a tank that lies down fills from its low end
  p.axis = {1, 0, 0};
  EXPECT_NEAR(contents(p, {25}).center_P_m.x, -0.75, 1e-15);
  EXPECT_NEAR(contents(p, {25}).inertia_kgm2.x, 25 * 0.09 / 2, 1e-12);
}

TEST(Battery, GivesChargeUntilItIsEmptyAndSagsUnderLoad) {
  BatteryParams p;
  p.capacity_Ah = 1;
  p.resistance_ohm = 0.05;
  p.max_current_A = 20;
  BatteryState s;
  EXPECT_DOUBLE_EQ(voltage(p, s, 10), 16.3);
  EXPECT_DOUBLE_EQ(grant(p, s, 40, 1).share, 0.5);
  drain(p, s, 10, 180);
  EXPECT_DOUBLE_EQ(s.charge_ratio, 0.5);
  EXPECT_DOUBLE_EQ(voltage(p, s, 0), 15);
  EXPECT_DOUBLE_EQ(grant(p, s, 10, 360).share, 0.5);
  drain(p, s, 10, 1000);
  EXPECT_EQ(s.charge_ratio, 0);
  EXPECT_EQ(grant(p, s, 10, 1).share, 0);
}

TEST(Engine, IsItsGimbalThenItsBooster) {
  for (const Behaviour behaviour : {Behaviour::kReference, Behaviour::kPhysical}) {
    EngineParams p;
    p.booster = rocket(behaviour);
    p.gimbal = {{1, 0, 0}, {0, 1, 0}, 0.01, {5, 5}, behaviour};
    EngineState whole;
    BoosterState booster;
    GimbalState gimbal;
    RandomStream random(4, "engine");
    for (int i = 0; i < 2000; ++i) {
      const GimbalInput aim{random.uniform(-1, 1), random.uniform(-1, 1)};
      BoosterInput in{1, random.uniform(0, 1), random.normal()};
      const BoosterStep a = step(p, whole, {1, in.pwm, in.noise, aim}, {}, {}, kDt);
      in.rotation = step(p.gimbal, gimbal, aim, kDt);
      const BoosterStep b = step(p.booster, booster, in, {}, {}, kDt);
      ASSERT_NEAR(norm(a.wrench_P.force - b.wrench_P.force), 0, 1e-12 * 7607);
      ASSERT_EQ(a.thrust_N, b.thrust_N);
    }
  }
}

TEST(BoosterCheck, SaysWhatIsWrongWithEachNumber) {
  const auto refused = [](const BoosterParams& p, std::string_view path) {
    for (const Finding& f : check(p))
      if (f.is_error && f.path == path) return true;
    return false;
  };
  EXPECT_TRUE(check(rocket(Behaviour::kPhysical)).empty());
  BoosterParams p = rocket(Behaviour::kPhysical);
  p.min_thrust_N = 8000;
  EXPECT_TRUE(refused(p, "min_thrust_N"));
  p = rocket(Behaviour::kPhysical);
  p.thrust_unit = {0, 0, 0};
  EXPECT_TRUE(refused(p, "thrust_unit"));
  p = rocket(Behaviour::kReference);
  p.total_fuel_mass_kg = 0;
  EXPECT_TRUE(refused(p, "total_fuel_mass_kg"));
  p.tau_s = std::nan("");
  EXPECT_TRUE(refused(p, "tau_s"));
}

}  // namespace
}  // namespace pintle::propulsion
