#include "pintle/propulsion/propulsor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pintle/base/rotation.h"

namespace pintle::propulsion {
namespace {

const Ambient kAir{{0, 0, 0}, 1.225, 16};
constexpr double kPeriod_s = 0.02;

Propulsor a_thruster() {
  ThrusterParams p;
  p.min_effort = -10;
  p.max_effort = 20;
  return Thruster(p);
}
Propulsor a_jet() {
  JetParams p;
  p.max_thrust_N = 220;
  p.jet_axis = {0, 0, -1};
  return p;
}
BoosterParams booster() {
  BoosterParams p;
  p.tau_s = 0.01;
  p.total_fuel_mass_kg = 100;
  p.max_fuel_rate_kg_s = 1;
  p.min_thrust_N = 300;
  p.max_thrust_N = 1000;
  return p;
}
Propulsor an_engine() {
  GimbalParams g;
  g.tau_s = 0.01;
  g.range_deg = {5, 5};
  g.behaviour = Behaviour::kPhysical;
  return EngineParams{booster(), g};
}
Propulsor a_propeller() {
  PropellerParams p;
  p.tau_s = 0.03;
  p.max_rpm = 8000;
  p.thrust_coef = 2e-7;
  p.torque_coef = 4e-9;
  p.behaviour = Behaviour::kPhysical;
  return p;
}
Propulsor a_fin() {
  FinParams p;
  p.lift_unit = {0, 1, 0};
  p.forward_unit = {0, 0, -1};
  p.chord_m = p.span_m = 0.5;
  p.tau_s = 0.05;
  p.behaviour = Behaviour::kPhysical;
  return p;
}
std::vector<Propulsor> all() {
  return {a_thruster(), a_jet(), booster(), an_engine(), a_propeller(), a_fin()};
}

TEST(Propulsor, OffersThreeChannelsOnAGimbalAndOneElsewhere) {
  for (const Propulsor& p : all()) EXPECT_EQ(channels(p), kind_of(p) == "engine" ? 3U : 1U);
}

TEST(Propulsor, AThrusterIsWhatItIsAlone) {
  const Propulsor any = a_thruster();
  const Thruster& alone = std::get<Thruster>(any);
  PropulsorState state = initial_state(any);
  ThrusterState same;
  const PropulsorCommand c = invert(any, state, {7}, kAir, kPeriod_s);
  EXPECT_EQ(c.command[0], invert(alone, same, 7, kAir, kPeriod_s).command);
  const PropulsorStep s = step(any, state, {c.command}, kAir, {}, kPeriod_s);
  EXPECT_EQ(s.wrench_P.force.x,
            step(alone, same, c.command[0], kAir, {}, kPeriod_s).wrench_P.force.x);
  EXPECT_EQ(linearise(any, state, kAir, kPeriod_s).upper[0], 20);
}

/// Settled at an effort in the middle of the bounds, what `invert` sends and `linearise` promises
/// is what `step` gives.
TEST(Propulsor, GivesAtTheEffortInsideItsBoundsWhatItsLinearPictureSays) {
  Ambient wind = kAir;
  wind.flow_P = {0, 0.5, 30};  // falls along its z axis
  for (const Propulsor& p : all()) {
    SCOPED_TRACE(kind_of(p));
    PropulsorState state = initial_state(p);
    const Linearised range = full_range(p, wind);
    ChannelNumbers effort{};
    effort[0] = range.lower[0] + 0.6 * (range.upper[0] - range.lower[0]);
    PropulsorStep out;
    for (int k = 0; k < 2000; ++k) {
      const PropulsorCommand c = invert(p, state, effort, wind, kPeriod_s);
      EXPECT_NEAR(c.effort[0], effort[0], 1e-9 * (1 + std::abs(effort[0])));
      out = step(p, state, {c.command}, wind, {}, kPeriod_s);
    }
    const Linearised l = linearise(p, state, wind, kPeriod_s);
    ASSERT_LE(l.lower[0], effort[0] + 1e-9);
    ASSERT_GE(l.upper[0], effort[0] - 1e-9);
    Wrench said = l.bias_P;
    for (std::size_t i = 0; i < l.n; ++i) said = said + effort[i] * l.column_P[i];
    EXPECT_NEAR(norm(said.force - out.wrench_P.force), 0, 1e-6 * (1 + norm(out.wrench_P.force)));
    EXPECT_NEAR(norm(said.torque - out.wrench_P.torque), 0, 1e-6 * (1 + norm(said.torque)));
  }
}

TEST(Propulsor, AnEngineTurnsItsThrustWhereItIsAsked) {
  const Propulsor p = an_engine();
  PropulsorState state = initial_state(p);
  // thrust along z; the axes x and y push it along x cross z = -y and y cross z = x
  const ChannelNumbers wanted{800, 20, -35};
  PropulsorStep out;
  for (int k = 0; k < 200; ++k) {
    const PropulsorCommand c = invert(p, state, wanted, kAir, kPeriod_s);
    out = step(p, state, {c.command}, kAir, {}, kPeriod_s);
  }
  EXPECT_NEAR(out.wrench_P.force.z, 800, 0.5);
  EXPECT_NEAR(out.wrench_P.force.y, -20, 0.5);
  EXPECT_NEAR(out.wrench_P.force.x, -35, 0.5);
}

// 45 degrees either way at 300 deg/s: 2/15 of it in a period of 0.02 s, whatever is asked for
TEST(Propulsor, AFinIsToldNothingThatItsServoCannotFollow) {
  FinParams p = std::get<FinParams>(a_fin());
  p.max_rate_deg_s = 300;
  const Propulsor fin = p;
  PropulsorState state = FinState{0.2, 0.5};
  const Linearised l = linearise(fin, state, kAir, kPeriod_s);
  EXPECT_NEAR(l.lower[0], 0.5 - 2.0 / 15, 1e-12);
  EXPECT_NEAR(l.upper[0], 0.5 + 2.0 / 15, 1e-12);
  EXPECT_EQ(full_range(fin, kAir).lower[0], -1);
  EXPECT_EQ(full_range(fin, kAir).upper[0], 1);

  // from one end to the other at that rate, nor does the surface turn any faster
  state = FinState{};
  double last = 0, stood = 0, most = 0, fastest = 0;
  for (int k = 0; k < 300; ++k) {
    const double asked = k % 50 < 25 ? 1e300 : -2;
    const PropulsorCommand c = invert(fin, state, {asked}, kAir, 0.01);
    EXPECT_EQ(c.effort[0], c.command[0]);
    EXPECT_LE(std::abs(c.command[0]), 1);
    most = std::fmax(most, std::abs(c.command[0] - last));
    last = c.command[0];
    (void)step(fin, state, {c.command}, kAir, {}, 0.01);
    const double now = std::get<FinState>(state).actuation;
    fastest = std::fmax(fastest, std::abs(now - stood));
    stood = now;
  }
  EXPECT_NEAR(45 * most / 0.01, 300, 1e-9);
  EXPECT_LE(45 * fastest / 0.01, 300);
  EXPECT_GT(45 * fastest / 0.01, 290);
  // what is not a number turns it to the middle, and time that is none nowhere
  const double nan = std::nan("");
  EXPECT_NEAR(invert(fin, state, {nan}, kAir, 0.01).command[0], last + 1.0 / 15, 1e-9) << last;
  EXPECT_NEAR(invert(fin, state, {1}, kAir, nan).command[0], last + 1.0 / 15, 1e-9);
  // one that nobody limits goes at once, as the original
  p.max_rate_deg_s = 0;
  EXPECT_EQ(invert(Propulsor(p), state, {1}, kAir, 0.001).command[0], 1);
  EXPECT_EQ(linearise(Propulsor(p), state, kAir, 0.001).lower[0], -1);
}

// 5 degrees either way at 100 deg/s: a fifth of it in 0.01 s, at whatever thrust is asked for
TEST(Propulsor, AGimbalIsToldNothingThatItCannotFollow) {
  EngineParams p = std::get<EngineParams>(an_engine());
  p.gimbal.max_rate_deg_s = 100;
  const Propulsor engine = p;
  EngineState burning;
  burning.booster.lit = 1;
  burning.booster.throttle = 0.8;
  burning.gimbal = {0.1, 0.3, 0.5, 0};
  const PropulsorState begin = burning;
  const Linearised l = linearise(engine, begin, kAir, 0.01);
  EXPECT_NEAR(l.lower[1], 800 * std::sin(0.3 * radians(5)), 1e-9);
  EXPECT_NEAR(l.upper[1], 800 * std::sin(0.7 * radians(5)), 1e-9);
  EXPECT_NEAR(l.upper[2], 800 * std::sin(0.2 * radians(5)), 1e-9);
  for (const double thrust : {300.0, 1000.0})
    for (const double aside : {-1000.0, 1000.0}) {
      PropulsorState state = begin;
      const ChannelNumbers wanted{thrust, aside, aside};
      const PropulsorCommand c = invert(engine, state, wanted, kAir, 0.01);
      EXPECT_NEAR(c.command[1], aside > 0 ? 0.7 : 0.3, 1e-9);
      EXPECT_NEAR(c.command[2], aside > 0 ? 0.2 : -0.2, 1e-9);
      // the next from there
      EXPECT_NEAR(invert(engine, state, wanted, kAir, 0.005).command[2], aside > 0 ? 0.3 : -0.3,
                  1e-9);
    }
  // cut off, it turns back no faster
  PropulsorState out = begin;
  const PropulsorCommand c = invert(engine, out, {800, 0, 0}, kAir, 0.01, false);
  EXPECT_EQ(c.command[0], 0);
  EXPECT_NEAR(c.command[1], 0.3, 1e-12);
  EXPECT_EQ(c.effort, ChannelNumbers{});
  EXPECT_NEAR(full_range(engine, kAir).upper[1], 1000 * std::sin(radians(5)), 1e-9);
}

TEST(Propulsor, WhatIsNotToBurnOffersNothingAndIsSentNothing) {
  for (const Propulsor& p : {Propulsor(booster()), an_engine()}) {
    PropulsorState state = initial_state(p);
    const Linearised l = linearise(p, state, kAir, kPeriod_s, false);
    for (std::size_t i = 0; i < channels(p); ++i) {
      EXPECT_EQ(l.lower[i], 0);
      EXPECT_EQ(l.upper[i], 0);
    }
    const PropulsorCommand c = invert(p, state, {800, 10, 10}, kAir, kPeriod_s, false);
    EXPECT_EQ(c.effort[0], 0);
    const PropulsorStep s = step(p, state, {c.command, false}, kAir, {}, kPeriod_s);
    EXPECT_EQ(s.thrust_N, 0);
    // told to burn, its box begins at the throttle floor though it is not lit yet
    EXPECT_EQ(linearise(p, state, kAir, kPeriod_s, true).lower[0], 300);
  }
}

TEST(Propulsor, OneThatCannotBeShutDownGoesOnAndSaysSo) {
  BoosterParams once = booster();
  once.reignitable = false;
  const Propulsor p = once;
  PropulsorState state = initial_state(p);
  (void)step(p, state, {{0.5}, true}, kAir, {}, 1);
  const Linearised l = linearise(p, state, kAir, kPeriod_s, false);
  EXPECT_EQ(l.lower[0], 300);
  EXPECT_EQ(l.upper[0], 1000);
  EXPECT_GT(step(p, state, {{0}, false}, kAir, {}, kPeriod_s).thrust_N, 290);
}

TEST(Propulsor, AStateOfAnotherKindGivesNothing) {
  for (const Propulsor& p : all()) {
    PropulsorState other = initial_state(kind_of(p) == "fin" ? a_jet() : a_fin());
    EXPECT_EQ(step(p, other, {{1}}, kAir, {}, 0.1).wrench_P, Wrench{});
    const Linearised l = linearise(p, other, kAir, 0.1);
    EXPECT_EQ(l.n, channels(p));
    EXPECT_EQ(l.upper[0], 0);
    EXPECT_EQ(invert(p, other, {1}, kAir, 0.1).command, ChannelNumbers{});
  }
}

TEST(Propulsor, AnswersWithNumbersWhateverComes) {
  const double nan = std::nan(""), inf = INFINITY;
  for (const Propulsor& p : all())
    for (const double bad : {nan, inf, -inf, 1e308}) {
      PropulsorState state = initial_state(p);
      const PropulsorCommand c = invert(p, state, {bad, bad, bad}, kAir, kPeriod_s);
      for (std::size_t i = 0; i < channels(p); ++i) {
        EXPECT_TRUE(std::isfinite(c.command[i])) << kind_of(p) << " " << bad;
        EXPECT_TRUE(std::isfinite(c.effort[i])) << kind_of(p) << " " << bad;
      }
      const PropulsorStep s = step(p, state, {{bad, bad, bad}}, kAir, {}, kPeriod_s);
      EXPECT_TRUE(is_finite(s.wrench_P)) << kind_of(p) << " " << bad;
    }
}

TEST(Propulsor, AnswersOfAOneSidedPropellerNeverGoBelowZero) {
  PropellerParams p = std::get<PropellerParams>(a_propeller());
  p.reversible = false;
  const Propulsor any = p;
  PropulsorState state = initial_state(any);
  EXPECT_EQ(linearise(any, state, kAir, kPeriod_s).lower[0], 0);
  EXPECT_EQ(invert(any, state, {-5}, kAir, kPeriod_s).command[0], 0);
}

}  // namespace
}  // namespace pintle::propulsion
