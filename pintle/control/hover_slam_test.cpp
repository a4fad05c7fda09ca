#include "pintle/control/hover_slam.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "pintle/base/random.h"
#include "pintle/testing/heap_counter.h"

namespace pintle::control {
namespace {

constexpr double kG = 9.80665;

/// In vacuum, and no mass is burnt.
LandingCraft lander() {
  LandingCraft c;
  c.mass_kg = 160;
  c.fuel_kg = 20;
  c.min_thrust_N = 3000;
  c.max_thrust_N = 7600;
  c.feet_below_m = 2;
  c.density_kg_m3 = 0;
  return c;
}

TEST(Stop, InVacuumAtConstantMassItIsVSquaredOverTwoA) {
  const LandingCraft c = lander();
  const double a = 5000.0 / 160 - kG;
  const Stop s = stop(c, 500, 80, 5000, 0, 0);
  EXPECT_TRUE(s.possible);
  EXPECT_NEAR(s.height_m, 80 * 80 / (2 * a), 1e-9);
  EXPECT_NEAR(s.time_s, 80 / a, 1e-12);
  EXPECT_EQ(s.fuel_kg, 0);
  EXPECT_NEAR(stop(c, 500, 80, 5000, 10, 0).height_m, (6400 - 100) / (2 * a), 1e-9);
}

TEST(Stop, WithMassBurntItIsTheIntegralOfTheRocketEquation) {
  LandingCraft c = lander();
  c.exhaust_speed_m_s = 2500;
  // v(t) = v0 + g t + c ln(m / m0), m = m0 - q t; the time from Newton's rule, then the way
  const double q = 5000 / 2500.0, m0 = 160, v0 = 80;
  double t = 3;
  for (int i = 0; i < 50; ++i) {
    const double m = m0 - q * t;
    t -= (v0 + kG * t + 2500 * std::log(m / m0)) / (kG - 2500 * q / m);
  }
  const double m = m0 - q * t;
  const double way = v0 * t + 0.5 * kG * t * t + 2500 / q * (-m * std::log(m / m0) - (m0 - m));
  const Stop s = stop(c, 500, v0, 5000, 0, 0);
  EXPECT_NEAR(s.time_s, t, 1e-7);
  EXPECT_NEAR(s.height_m, way, 1e-5);
  EXPECT_NEAR(s.fuel_kg, q * t, 1e-7);
}

TEST(Stop, WithDragOnlyItIsTheLogarithm) {
  LandingCraft c = lander();
  c.density_kg_m3 = 1.2;
  c.scale_height_m = 0;
  c.axial_drag_m2 = 0.5;
  // m v dv/dh = -(F + k v^2): h = m / 2k ln(1 + k v^2 / F), F = thrust - weight
  const double k = 0.5 * 1.2 * 0.5, F = 5000 - 160 * kG;
  EXPECT_NEAR(stop(c, 500, 80, 5000, 0, 0).height_m, 160 / (2 * k) * std::log(1 + k * 6400 / F),
              1e-5);
}

TEST(Stop, ADeadTimeIsAFallBefore) {
  const LandingCraft c = lander();
  const double a = 5000.0 / 160 - kG, v = 80 + 0.3 * kG;
  EXPECT_NEAR(stop(c, 500, 80, 5000, 0, 0.3).height_m, 80 * 0.3 + 0.5 * kG * 0.09 + v * v / (2 * a),
              1e-9);
}

TEST(Stop, ThrustThatDoesNotHoldTheWeightDoesNotStop) {
  EXPECT_FALSE(stop(lander(), 500, 80, 1500, 0, 0).possible);
}

TEST(HoverSlam, AnEngineWithOneTryKeepsClearOfBothEnds) {
  HoverSlamParams p;
  p.throttle_reserve = 0.9;
  LandingCraft c = lander();
  EXPECT_DOUBLE_EQ(nominal_thrust_N(p, c), 7600 - 0.9 * 4600);
  c.reignitable = false;
  EXPECT_DOUBLE_EQ(nominal_thrust_N(p, c), 7600 - 0.5 * 4600);
  c.min_thrust_N = 1000;  // this one can hover
  EXPECT_DOUBLE_EQ(nominal_thrust_N(p, c), 7600 - 0.9 * 6600);
}

/// Straight down, with the lag of the engine and steps as large as the law's period.
struct Drop {
  HoverSlamParams params;
  HoverSlamState state;
  LandingCraft craft = lander();
  LandingCommand command;
  double height = 400, speed = 0, mass = 160, most_thrust = 0, lit_at = 0;
  bool fails_to_light = false;
  std::set<LandingReason> reasons;

  bool step_law() {
    const Pose X{{0, 0, height + craft.feet_below_m}, {0, 0, 0, 1}};
    const bool good = step(params, state, craft, X, {{0, 0, -speed}, {}}, 0.01, command);
    reasons.insert(state.reason);
    return good;
  }
  /// Until the ground, rest, or the time is over.
  void fall(double most_s = 60) {
    for (int i = 0; i < static_cast<int>(most_s / 0.01); ++i) {
      craft.contact = height <= 0;
      ASSERT_TRUE(step_law());
      if (state.phase >= LandingPhase::kTouchDown) return;
      if (command.ignition && lit_at == 0) lit_at = height;
      if (state.phase == LandingPhase::kBurn && command.thrust_N > most_thrust)
        most_thrust = command.thrust_N;
      for (int k = 0; k < 10; ++k) {
        const double wanted = command.ignition && !fails_to_light && craft.fuel_kg > 0
                                  ? std::max(command.thrust_N, craft.min_thrust_N)
                                  : 0;
        craft.thrust_N += (wanted - craft.thrust_N) * (1 - std::exp(-0.001 / craft.lag_s));
        if (wanted == 0 && craft.fuel_kg <= 0) craft.thrust_N = 0;
        const double a = craft.thrust_N / mass - kG;
        if (height <= 0) break;
        height -= 0.001 * (speed - 0.0005 * a);
        speed -= 0.001 * a;
        const double burnt =
            craft.exhaust_speed_m_s > 0 ? 0.001 * craft.thrust_N / craft.exhaust_speed_m_s : 0;
        craft.fuel_kg -= burnt;
        craft.mass_kg -= burnt;
        mass -= burnt;
      }
    }
  }
};

TEST(HoverSlam, NeverLightsTooLateForItsReserve) {
  RandomStream random(3, "drops");
  for (int i = 0; i < 200; ++i) {
    Drop d;
    d.craft.lag_s = random.uniform(0.005, 0.05);
    d.params.throttle_reserve = random.uniform(0.2, 0.95);
    d.params.delay_s = 0;
    d.height = random.uniform(250, 800);
    d.speed = random.uniform(0, 60);
    d.craft.exhaust_speed_m_s = random.uniform(2000, 5000);
    d.fall();
    ASSERT_GT(d.lit_at, 0);
    ASSERT_LE(d.most_thrust, 7600 - 0.5 * d.params.throttle_reserve * 4600)
        << "half of the reserve is left; lag " << d.craft.lag_s;
    ASSERT_LT(d.speed, 1.5) << "lag " << d.craft.lag_s << " reserve " << d.params.throttle_reserve;
    ASSERT_EQ(d.state.reason, LandingReason::kNone);
  }
}

TEST(HoverSlam, LearnsAMassThatIsTenPercentOffAndLandsAsSoftly) {
  for (const double scale : {0.9, 1.1}) {
    Drop d;
    d.craft.lag_s = 0.01;
    d.mass = scale * 160;
    d.fall();
    EXPECT_NEAR(d.state.mass_scale, scale, 0.01);
    EXPECT_LT(d.speed, 1);
  }
}

TEST(HoverSlam, AnEngineThatIsTooStrongIsCutAndLitAgain) {
  Drop d;
  d.craft.lag_s = 0.01;
  d.params.estimate_time_s = 0;
  d.mass = 110;  // least thrust decelerates at 17 m/s^2, planned were 11
  d.fall();
  EXPECT_GT(d.state.burns, 1U);
  EXPECT_LT(d.speed, 1.5);
}

// the same engine with a cartridge for one ignition: it burns on to its stop, and falls from there
TEST(HoverSlam, AnEngineIsLitNoOftenerThanItCanBe) {
  for (const double most : {1.0, 1.5}) {
    Drop d;
    d.craft.lag_s = 0.01;
    d.params.estimate_time_s = 0;
    d.params.most_burns = most;
    d.mass = 110;
    d.fall();
    EXPECT_EQ(d.state.burns, 1U) << most;
    EXPECT_GE(d.state.phase, LandingPhase::kTouchDown);
  }
}

TEST(HoverSlam, ABurnThatSteersLastsAsLongAsItMust) {
  Drop d;
  d.craft.lag_s = 0.01;
  d.craft.thrust_N = 3000;
  d.params.min_burn_s = 0.3;
  d.params.steer_burns = 1;
  const auto at = [&](double away) {
    const Pose X{{away, 0, 402}, {0, 0, 0, 1}};
    ASSERT_TRUE(step(d.params, d.state, d.craft, X, {{0, 0, -60}, {}}, 0.01, d.command));
  };
  for (int k = 0; k < 200 && !d.command.ignition; ++k) at(40);
  ASSERT_TRUE(d.command.ignition);
  // nothing is missing any more
  int ticks = 0;
  for (; ticks < 100 && d.command.ignition; ++ticks) at(0);
  EXPECT_NEAR(ticks * 0.01, 0.3, 0.011);
}

// speed summed up keeps the noise of the place out; a jump is followed
TEST(HoverSlam, ItsHeightIsThatOfThePlaceWithoutItsNoise) {
  RandomStream random(5, "height");
  Drop d;
  d.params.height_time_s = 0.1;
  double square = 0;
  constexpr int kTicks = 2000;
  const auto at = [&](double height) {
    const Pose X{{0, 0, height + 2}, {0, 0, 0, 1}};
    ASSERT_TRUE(step(d.params, d.state, d.craft, X, {{0, 0, -1}, {}}, 0.01, d.command));
  };
  for (int k = 0; k < kTicks; ++k) {
    const double height = 100 - 0.01 * k;
    at(height + 0.01 * random.normal());
    const double off = d.command.height_m - height;
    square += off * off / kTicks;
  }
  // a share K of 1/11 leaves K / (2 - K) of the variance
  EXPECT_NEAR(std::sqrt(square), 0.01 * std::sqrt((1.0 / 11) / (2 - 1.0 / 11)), 0.0004);
  at(50);
  EXPECT_EQ(d.command.height_m, 50) << "another place is no noise";
}

TEST(HoverSlam, AnEngineThatCanHoverIsNeverCutInTheAir) {
  Drop d;
  d.craft.lag_s = 0.05;
  d.craft.min_thrust_N = 800;
  d.fall();
  EXPECT_EQ(d.state.burns, 1U);
  EXPECT_LT(d.speed, 1);
}

TEST(HoverSlam, SaysWhyItFails) {
  Drop dark;
  dark.craft.lag_s = 0.01;
  dark.fails_to_light = true;
  dark.fall();
  EXPECT_EQ(dark.state.reason, LandingReason::kNotLit);
  EXPECT_EQ(dark.state.phase, LandingPhase::kFailed);

  Drop late;
  late.craft.lag_s = 0.01;
  late.height = 50;
  late.speed = 90;
  late.fall();
  EXPECT_EQ(late.state.phase, LandingPhase::kFailed);
  EXPECT_EQ(late.state.reason, LandingReason::kHardContact);
  EXPECT_TRUE(late.reasons.contains(LandingReason::kTooLate));

  Drop dry;
  dry.craft.lag_s = 0.01;
  dry.craft.exhaust_speed_m_s = 2500;
  dry.craft.fuel_kg = 3;
  ASSERT_TRUE(dry.step_law());
  EXPECT_LT(dry.command.spare_m_s, 60) << "fuel for 47 m/s at most";
  dry.fall();
  EXPECT_EQ(dry.state.reason, LandingReason::kHardContact);
  EXPECT_TRUE(dry.reasons.contains(LandingReason::kFuelShort));
  EXPECT_TRUE(dry.reasons.contains(LandingReason::kBurntOut));
  EXPECT_FALSE(dry.reasons.contains(LandingReason::kTooLate));
}

TEST(HoverSlam, SidewaysItAsksForWhatEndsWithoutErrorSpeedAndLean) {
  // the law's own world: e'' = -12 e / s^2 - 6 v / s
  double e = 30, v = -2, s = 8, a = 0;
  const double dt = 1e-4;
  while (s > 0.01) {
    a = -12 * e / (s * s) - 6 * v / s;
    e += dt * (v + 0.5 * dt * a);
    v += dt * a;
    s -= dt;
  }
  EXPECT_NEAR(e, 0, 1e-3);
  EXPECT_NEAR(v, 0, 1e-2);
  EXPECT_NEAR(a, 0, 0.1);

  Drop d;
  d.height = 100;
  d.speed = 40;
  d.state.phase = LandingPhase::kBurn;
  d.craft.thrust_N = 4000;
  const Pose X{{3, 0, 102}, {0, 0, 0, 1}};
  ASSERT_TRUE(step(d.params, d.state, d.craft, X, {{1, 0, -40}, {}}, 0.01, d.command));
  const double to_go = d.command.time_to_go_s;
  EXPECT_NEAR(to_go, 2 * 100 / 40.3, 1e-9);
  EXPECT_NEAR(d.command.acceleration_W.x, -36 / (to_go * to_go) - 6 / to_go, 1e-9);
  EXPECT_NEAR(d.command.up_W.y, 0, 1e-12);
  EXPECT_LT(d.command.up_W.x, 0);
}

TEST(HoverSlam, WhatIsNotFiniteOrNoCraftIsRefusedAndNothingChanges) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Drop d;
  const auto refused = [&](const LandingCraft& craft, const Pose& X, const Twist& V, double dt) {
    HoverSlamState state;
    LandingCommand out;
    return !step(d.params, state, craft, X, V, dt, out) && !state.has_velocity && !out.ignition;
  };
  const Pose X{{0, 0, 100}, {0, 0, 0, 1}};
  EXPECT_TRUE(refused(lander(), {{nan, 0, 0}, {0, 0, 0, 1}}, {}, 0.01));
  EXPECT_TRUE(refused(lander(), {{}, {0, 0, 0, 0}}, {}, 0.01));
  EXPECT_TRUE(refused(lander(), X, {{0, nan, 0}, {}}, 0.01));
  EXPECT_TRUE(refused(lander(), X, {}, nan));
  EXPECT_TRUE(refused(lander(), X, {}, -1));
  LandingCraft c = lander();
  c.mass_kg = 0;
  EXPECT_TRUE(refused(c, X, {}, 0.01));
  c = lander();
  c.min_thrust_N = 8000;
  EXPECT_TRUE(refused(c, X, {}, 0.01));
  c = lander();
  c.fuel_kg = nan;
  EXPECT_TRUE(refused(c, X, {}, 0.01));
}

TEST(HoverSlam, AnswersFiniteForAnyFiniteInputAndNeverUsesTheHeap) {
  RandomStream random(12, "wild");
  Drop d;
  const std::size_t before = testing::heap_allocations();
  for (int i = 0; i < 20'000; ++i) {
    const auto wild = [&] { return random.uniform(-1, 1) * std::pow(10, random.uniform(-9, 9)); };
    LandingCraft c;
    c.mass_kg = std::abs(wild()) + 1e-5;
    c.fuel_kg = wild();
    c.min_thrust_N = std::abs(wild());
    c.max_thrust_N = c.min_thrust_N + std::abs(wild());
    c.exhaust_speed_m_s = wild();
    c.lag_s = std::abs(wild());
    c.thrust_N = wild();
    c.reignitable = wild() > 0;
    c.axial_drag_m2 = std::abs(wild());
    c.side_drag_m2 = std::abs(wild());
    c.wind_W = {wild(), wild(), wild()};
    c.contact = wild() > 1e6;
    if (i % 50 == 0) d.state = {};
    const Pose X{{wild(), wild(), wild()}, {wild(), wild(), wild(), wild()}};
    const Twist V{{wild(), wild(), wild()}, {wild(), wild(), wild()}};
    if (!step(d.params, d.state, c, X, V, std::abs(wild()), d.command)) continue;
    ASSERT_TRUE(is_finite(d.command.up_W));
    ASSERT_NEAR(norm(d.command.up_W), 1, 1e-9);
    ASSERT_TRUE(d.command.thrust_N == 0 ||
                (d.command.thrust_N >= c.min_thrust_N && d.command.thrust_N <= c.max_thrust_N));
    ASSERT_TRUE(std::isfinite(d.state.mass_scale) && is_finite(d.state.push_W));
    ASSERT_TRUE(std::isfinite(d.command.time_to_go_s) && is_finite(d.command.acceleration_W));
  }
  EXPECT_EQ(testing::heap_allocations(), before);
}

TEST(HoverSlam, ItsParametersAreCheckedByName) {
  EXPECT_TRUE(check(HoverSlamParams{}).empty());
  HoverSlamParams p;
  p.throttle_reserve = 1.5;
  p.touch_tilt_rad = 0.5;
  const Findings found = check(p);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].path, "throttle_reserve");
  EXPECT_EQ(found[1].path, "touch_tilt_rad");
}

}  // namespace
}  // namespace pintle::control
