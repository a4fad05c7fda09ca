#include "pintle/propulsion/thruster.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "pintle/base/random.h"
#include "pintle/propulsion/propulsor.h"
#include "pintle/testing/heap_counter.h"

namespace pintle::propulsion {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

ThrusterParams from_library(std::string_view name) {
  const ThrusterParams* curve = library_curve(name);
  ThrusterParams p;
  p.library = name;
  p.min_effort = curve->min_effort;
  p.max_effort = curve->max_effort;
  p.command_margin = curve->command_margin;
  return p;
}

ThrusterParams t200_in_newtons() {
  ThrusterParams p = from_library("t200");
  p.curve_unit = 34.5;
  p.min_effort = -34.5;
  p.max_effort = 34.5;
  return p;
}

ThrusterParams lively() {
  ThrusterParams p;
  p.tau_s = 0.15;
  p.slew_per_s = 2;
  return p;
}

/// One of each kind of curve: the laws below hold for all.
std::vector<std::pair<std::string, Thruster>> every_kind() {
  std::vector<std::pair<std::string, Thruster>> all;
  for (std::string_view name : library_names())
    all.emplace_back(std::string(name), Thruster(from_library(name)));
  ThrusterParams linear;
  linear.min_effort = -3;
  linear.max_effort = 7;
  all.emplace_back("linear", Thruster(linear));
  all.emplace_back("t200 in newtons", Thruster(t200_in_newtons()));
  return all;
}

bool has_error(const Findings& findings, std::string_view path) {
  for (const Finding& f : findings)
    if (f.is_error && f.path == path) return true;
  return false;
}

// --------------------------------------------------------------------------- published numbers

TEST(T200, SendsThePulseWidthsOfTheDukeDriver) {
  EXPECT_EQ(t200_pulse_us(-1, 14), 1104);
  EXPECT_EQ(t200_pulse_us(-1, 16), 1152);
  EXPECT_EQ(t200_pulse_us(-1, 18), 1176);
  EXPECT_EQ(t200_pulse_us(0, 14), 1494);
  EXPECT_EQ(t200_pulse_us(0, 16), 1488);
  EXPECT_EQ(t200_pulse_us(0, 18), 1512);
  EXPECT_EQ(t200_pulse_us(1, 14), 1832);
  EXPECT_EQ(t200_pulse_us(1, 18), 1788);
}

TEST(T200, RoundsTheEffortToHundredthsAndCutsThePulseWidth) {
  // -0.004 is entry 99.6, nearest 100; -0.006 is entry 99
  EXPECT_EQ(t200_pulse_us(-0.004, 14), 1494);
  EXPECT_EQ(t200_pulse_us(-0.006, 14), 1462);
  // 15.5 V: 1494 + 0.75 * (1488 - 1494) = 1489.5, cut to 1489
  EXPECT_EQ(t200_pulse_us(0, 15.5), 1489);
  // 17 V lies between 1488 and 1512
  EXPECT_EQ(t200_pulse_us(0, 17), 1500);
}

TEST(T200, ClampsVoltagesAndTakesTheLowestTableForOneThatIsNotANumber) {
  EXPECT_EQ(t200_pulse_us(-1, 3), 1104);
  EXPECT_EQ(t200_pulse_us(-1, 100), 1176);
  EXPECT_EQ(t200_pulse_us(-1, kNan), 1104);
  EXPECT_EQ(t200_pulse_us(-1, -kInf), 1104);
}

TEST(T200, NeverDiesOfAnEffortOutsideItsTable) {
  EXPECT_EQ(t200_pulse_us(1.5, 14), 1832);
  EXPECT_EQ(t200_pulse_us(-kInf, 14), 1104);
  EXPECT_EQ(t200_pulse_us(1e300, 16), 1800);
  EXPECT_EQ(t200_pulse_us(kNan, 14), 1500);
}

TEST(T200, TheThrusterBlockSendsExactlyWhatTheDriverSends) {
  const Thruster thruster(from_library("t200"));
  RandomStream random(7, "t200");
  for (int i = 0; i < 5000; ++i) {
    const double effort = random.uniform(-1.2, 1.2);
    Ambient ambient;
    ambient.bus_V = random.uniform(13, 19);
    ThrusterState state;
    const ThrusterCommand sent = invert(thruster, state, effort, ambient, 0.05);
    ASSERT_EQ(sent.command, t200_pulse_us(effort, ambient.bus_V)) << effort << " " << ambient.bus_V;
  }
}

TEST(T200, GivesNoThrustForTheNeutralPulseAndForItsOwnZeroEntry) {
  const Thruster thruster(from_library("t200"));
  for (double volts = 14; volts <= 18; volts += 0.1) {
    EXPECT_EQ(thruster.effort_for(1500, volts), 0) << volts;
    EXPECT_EQ(thruster.effort_for(t200_pulse_us(0, volts), volts), 0) << volts;
    EXPECT_EQ(thruster.neutral_command(volts), 1500);
  }
  // thrust begins at the edges of the dead band: half a microsecond on, next to nothing
  EXPECT_NEAR(thruster.effort_for(1501.5, 14), 0, 3e-4);
  EXPECT_NEAR(thruster.effort_for(1492.5, 14), 0, 3e-4);
  EXPECT_NEAR(thruster.effort_for(1462, 14), -0.01, 1e-12);
  EXPECT_NEAR(thruster.effort_for(1521, 14), 0.01, 1e-12);
}

TEST(T200, GivesLessThrustForTheSamePulseWhenTheBatterySags) {
  const Thruster thruster(from_library("t200"));
  EXPECT_LT(thruster.effort_for(1700, 14), thruster.effort_for(1700, 16));
  EXPECT_LT(thruster.effort_for(1700, 16), thruster.effort_for(1700, 18));
}

TEST(T200, OnAChannelInNewtonsScalesTheCurve) {
  const Thruster newtons(t200_in_newtons()), normalised(from_library("t200"));
  EXPECT_EQ(newtons.command_for(17.25, 15), normalised.command_for(0.5, 15));
  EXPECT_NEAR(newtons.effort_for(1700, 15), 34.5 * normalised.effort_for(1700, 15), 1e-12);
}

TEST(M5Polynomial, GivesTheEffortsOfTheFinalDriver) {
  const Thruster m5(from_library("m5_polynomial"));
  const std::array<std::pair<double, double>, 7> published{{{10, 0.096669},
                                                            {30, 0.305302},
                                                            {50, 0.641730},
                                                            {65, 0.972914},
                                                            {-10, -0.037074},
                                                            {-50, -0.269271},
                                                            {-100, -0.918681}}};
  for (const auto& [newtons, effort] : published)
    EXPECT_NEAR(m5.command_for(newtons, 48), effort, 5e-7) << newtons;
  EXPECT_EQ(m5.command_for(0, 48), 0);
}

TEST(M5Polynomial, NeverTurnsOverIntoReverseBeyondItsBounds) {
  // the original evaluated the polynomial first: 142 N asked became full reverse
  const Thruster m5(from_library("m5_polynomial"));
  for (double newtons : {66.0, 100.0, 120.6, 133.8, 142.0, 200.0, 1e6, 1e300})
    EXPECT_NEAR(m5.command_for(newtons, 48), 0.972914, 5e-7) << newtons;
  for (double newtons : {-104.1, -150.0, -1e300})
    EXPECT_NEAR(m5.command_for(newtons, 48), -0.918681, 5e-7) << newtons;
}

TEST(M5Polynomial, IsRefusedWhereTheBoundsReachItsTurningPoint) {
  ThrusterParams p = from_library("m5_polynomial");
  EXPECT_TRUE(check(p).empty());
  p.max_effort = 142;
  EXPECT_TRUE(has_error(check(p), "forward"));
  EXPECT_THROW(Thruster{p}, std::invalid_argument);
}

TEST(M5Polynomial, IsCutWhereTheCommandReachesFullScale) {
  // backward reaches -1 at -104.1 N: asking for more is a warning, and the thruster knows its limit
  ThrusterParams p = from_library("m5_polynomial");
  p.min_effort = -110;
  const Findings findings = check(p);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_FALSE(findings[0].is_error);
  const Thruster m5(p);
  EXPECT_NEAR(m5.lower(), -104.1, 0.05);
  EXPECT_NEAR(m5.command_for(-110, 48), -1, 1e-9);
}

/// What SubjuGator measured behind the CAN board that followed its M5s.
ThrusterParams of_the_can_board() {
  ThrusterParams p;
  p.min_effort = -81.85;
  p.max_effort = 99.7;
  p.curve = CurveKind::kPolynomial;
  p.forward = {5.24818e-10, -1.52077e-07, 1.63132e-05, -8.03e-4, 0.026558, 0.023288};
  p.backward = {1.34799e-09, 3.08795e-07, 2.66502e-05, 1.0796e-3, 0.0304559, -0.033722};
  return p;
}

TEST(SixCoefficients, AreTheCurveThatWasFittedButNoThrustGetsNoCommand) {
  ASSERT_TRUE(check(of_the_can_board()).empty());
  const Thruster t(of_the_can_board());
  // 5.24818e-5 - 1.52077e-3 + 1.63132e-2 - 8.03e-2 + 0.26558 + 0.023288
  EXPECT_NEAR(t.command_for(10, 48), 0.2234129118, 1e-10);
  EXPECT_NEAR(t.command_for(-10, 48), -0.254018049, 1e-10);
  EXPECT_NEAR(t.command_for(48.2, 48), 0.580285, 1e-6);
  EXPECT_EQ(t.command_for(0, 48), 0);
  EXPECT_EQ(t.command_for(1e9, 48), t.command_for(99.7, 48));
  EXPECT_NEAR(t.command_for(99.7, 48), 1, 1e-4);
  EXPECT_NEAR(t.lower(), -81.85, 1e-9);
  // what is less than the constant does not turn it
  for (const double c : {0.0, 0.02, -0.03}) EXPECT_EQ(t.effort_for(c, 48), 0) << c;
  for (const double x : {-80.0, -3.0, -0.01, 0.01, 0.5, 60.0})
    EXPECT_NEAR(t.effort_for(t.command_for(x, 48), 48), x, 1e-9);
}

TEST(SixCoefficients, MustRiseAndMustNotPushTheWrongWayNearZero) {
  ThrusterParams p = of_the_can_board();
  p.forward.back() = -0.02;
  p.backward[4] = -0.03;
  const Findings found = check(p);
  ASSERT_TRUE(has_error(found, "forward"));
  EXPECT_NE(found[0].message.find("the other way"), std::string::npos);
  ASSERT_TRUE(has_error(found, "backward"));
  EXPECT_NE(found[1].message.find("not rising"), std::string::npos);
  p = of_the_can_board();
  p.forward.pop_back();
  EXPECT_TRUE(has_error(check(p), "forward"));
}

TEST(M5Table, SaturatesWhereThe2016DriverDid) {
  const Thruster m5(from_library("m5_table_2016"));
  EXPECT_NEAR(m5.lower(), -68.1344, 5e-5);
  EXPECT_NEAR(m5.upper(), 74.5368, 5e-5);
  EXPECT_NEAR(m5.command_for(-1e9, 48), -0.751205, 5e-7);
  EXPECT_NEAR(m5.command_for(1e9, 48), 0.742785, 5e-7);
  EXPECT_EQ(m5.command_for(0, 48), 0);
}

TEST(M5Table, KnowsThatACommandBeyondTheMarginStillPushesHarder) {
  const Thruster m5(from_library("m5_table_2016"));
  EXPECT_NEAR(m5.effort_for(1, 48), 93.17094362793253, 1e-9);
  EXPECT_NEAR(m5.effort_for(-1, 48), -85.16798603621542, 1e-9);
}

// --------------------------------------------------------------------------- laws of the curve

TEST(Curve, TheInverseOfTheCurveIsTheCurvesInverse) {
  for (const auto& [name, thruster] : every_kind()) {
    const bool coarse = name.starts_with("t200");
    const double tolerance = coarse ? 0.005 * thruster.params().curve_unit + 1e-12 : 1e-9;
    for (double volts : {14.0, 14.9, 16.0, 17.3, 18.0})
      for (int i = -500; i <= 500; ++i) {
        const double effort = (i < 0 ? -thruster.lower() : thruster.upper()) * i / 500;
        ASSERT_NEAR(thruster.effort_for(thruster.command_for(effort, volts), volts), effort,
                    tolerance)
            << name << " " << volts;
      }
  }
}

TEST(Curve, CutToWholeMicrosecondsTheErrorStaysBelowOnePoint) {
  const Thruster thruster(from_library("t200"));
  for (int i = -100; i <= 100; ++i)
    for (double volts : {14.0, 15.3, 16.0, 17.9}) {
      Ambient ambient;
      ambient.bus_V = volts;
      ThrusterState state;
      EXPECT_NEAR(invert(thruster, state, i / 100.0, ambient, 0.05).effort, i / 100.0, 0.01);
    }
}

TEST(Curve, MoreThrustNeverNeedsLessCommandAndTheOtherWayRound) {
  for (const auto& [name, thruster] : every_kind())
    for (double volts : {14.0, 15.5, 18.0}) {
      double last_command = -kInf, last_effort = -kInf;
      const double command_low = thruster.command_for(thruster.lower(), volts);
      const double command_high = thruster.command_for(thruster.upper(), volts);
      for (int i = 0; i <= 2000; ++i) {
        const double part = i / 2000.0;
        const double command = thruster.command_for(
            thruster.lower() + part * (thruster.upper() - thruster.lower()), volts);
        const double effort =
            thruster.effort_for(command_low + part * (command_high - command_low), volts);
        ASSERT_GE(command, last_command) << name;
        ASSERT_GE(effort, last_effort) << name;
        last_command = command;
        last_effort = effort;
      }
    }
}

TEST(Curve, AGuessChangesTheEffortByNotOneBit) {
  RandomStream random(5, "guess");
  for (const auto& [name, thruster] : every_kind())
    for (int i = 0; i < 3000; ++i) {
      const double volts = random.uniform(13, 19);
      const double low = thruster.command_for(thruster.lower(), volts);
      const double high = thruster.command_for(thruster.upper(), volts);
      const double command = random.uniform(low - 0.1 * (high - low), high + 0.1 * (high - low));
      const double plain = thruster.effort_for(command, volts);
      for (double guess : {plain, thruster.lower(), thruster.upper(), kNan, kInf, -1e300,
                           random.uniform(thruster.lower(), thruster.upper())})
        ASSERT_EQ(thruster.effort_for(command, volts, guess), plain) << name << " " << guess;
    }
}

TEST(Curve, AFlatStretchIsReadAsTheSmallestThrust) {
  ThrusterParams p;
  p.curve = CurveKind::kTable;
  p.points = {CurvePoints{0, {-1, -0.5, 0, 0.5, 1}, {-0.6, -0.6, 0, 0.6, 0.6}}};
  const Thruster thruster(p);
  EXPECT_EQ(thruster.effort_for(0.6, 0), 0.5);
  EXPECT_EQ(thruster.effort_for(-0.6, 0), -0.5);
  EXPECT_EQ(thruster.effort_for(0.3, 0), 0.25);
}

TEST(Curve, ADeadStretchAroundZeroGivesNoThrust) {
  ThrusterParams p;
  p.curve = CurveKind::kTable;
  p.points = {CurvePoints{0, {-1, -0.1, 0.1, 1}, {-1, 0, 0, 1}}};
  EXPECT_EQ(Thruster(p).effort_for(0, 0), 0);
}

TEST(Curve, ProblemsAreNamedByField) {
  const auto broken = [](auto change) {
    ThrusterParams p;
    change(p);
    return check(p);
  };
  EXPECT_TRUE(has_error(broken([](auto& p) { p.min_effort = 2; }), "max_effort"));
  EXPECT_TRUE(has_error(broken([](auto& p) { p.max_effort = kNan; }), "max_effort"));
  EXPECT_TRUE(has_error(broken([](auto& p) { p.min_effort = 0.5; }), "min_effort"));
  EXPECT_TRUE(has_error(broken([](auto& p) { p.library = "t201"; }), "library"));
  EXPECT_TRUE(has_error(broken([](auto& p) {
                          p.points = {CurvePoints{0, {-1, 0, 1}, {-1, 0, 1}}};
                        }),
                        "points"))
      << "what was measured is not left aside";
  EXPECT_TRUE(has_error(broken([](auto& p) { p.forward = {0, 1}; }), "forward"));
  EXPECT_TRUE(has_error(broken([](auto& p) {
                          p.curve = CurveKind::kTable;
                          p.points = {CurvePoints{0, {-1, 0, 1}, {-1, 0, 1}}};
                          p.backward = {0, 0, 0, 1};
                        }),
                        "backward"));
  EXPECT_TRUE(has_error(broken([](auto& p) {
                          p.curve = CurveKind::kPolynomial;
                          p.forward = p.backward = {0, 0, 0, 1};
                          p.points = {CurvePoints{0, {-1, 0, 1}, {-1, 0, 1}}};
                        }),
                        "points"));
  EXPECT_TRUE(has_error(broken([](auto& p) { p.tau_s = -1; }), "tau_s"));
  EXPECT_TRUE(has_error(broken([](auto& p) { p.command_margin = 0; }), "command_margin"));
  EXPECT_TRUE(has_error(broken([](auto& p) { p.curve = CurveKind::kTable; }), "points"));
  EXPECT_TRUE(has_error(broken([](auto& p) {
                          p.curve = CurveKind::kTable;
                          p.points = {CurvePoints{0, {-1, 0, 1}, {-1, 0.5, 0.4}}};
                        }),
                        "points[0].command[2]"));
  EXPECT_TRUE(has_error(
      broken([](auto& p) {
        p.curve = CurveKind::kPulseWidth;
        p.points = {CurvePoints{16, {-1, 1}, {1100, 1900}}, CurvePoints{14, {-1, 1}, {1100, 1900}}};
      }),
      "points[1].bus_V"));
  EXPECT_TRUE(has_error(broken([](auto& p) {
                          p.curve = CurveKind::kTable;
                          p.nearest_point = true;
                          p.points = {CurvePoints{0, {-1, 0.2, 1}, {-1, 0, 1}}};
                        }),
                        "nearest_point"));
}

TEST(Curve, EachTableIsLookedAtAndABrokenOneSaysNothingMore) {
  for (std::size_t k = 0; k < 3; ++k) {
    ThrusterParams p;
    p.curve = CurveKind::kPulseWidth;
    for (const double bus_V : {12.0, 14.0, 16.0})
      p.points.push_back({bus_V, {-1, 0, 1}, {1100, 1500, 1900}});
    EXPECT_TRUE(check(p).empty());
    p.points[k].command[2] = 1400;
    p.points[k].bus_V = 1;  // not worth a word of its own in a table that is broken anyway
    const Findings findings = check(p);
    ASSERT_EQ(findings.size(), 1u) << k;
    EXPECT_EQ(findings[0].path, "points[" + std::to_string(k) + "].command[2]");
  }
}

TEST(Curve, BoundsLeftAtOneOnACurveInNewtonsAreWarnedAbout) {
  ThrusterParams p;
  p.library = "m5_polynomial";
  const Findings findings = check(p);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_FALSE(findings[0].is_error);
}

// --------------------------------------------------------------------------- dynamics

TEST(Dynamics, TheLagReachesOneMinusOneOverEAfterOneTimeConstant) {
  ThrusterParams p;
  p.tau_s = 0.2;
  const Thruster thruster(p);
  ThrusterState state;
  const ThrusterStep out = step(thruster, state, 1, {}, {}, 0.2);
  EXPECT_NEAR(out.wrench_P.force.x, 1 - std::exp(-1.0), 1e-15);
  EXPECT_EQ(out.wrench_P.torque, Vec3{});
}

TEST(Dynamics, ARampLimitedStepFollowsTheClosedForm) {
  // ramp 2 per s to 1 takes 0.5 s; there y = 1 - s tau + s tau e^(-0.5/tau); then plain decay
  const Thruster thruster(lively());
  ThrusterState state;
  const double tau = 0.15, at_top = 1 - 2 * tau + 2 * tau * std::exp(-0.5 / tau);
  const double expected = 1 - (1 - at_top) * std::exp(-0.3 / tau);
  EXPECT_NEAR(step(thruster, state, 1, {}, {}, 0.8).wrench_P.force.x, expected, 1e-14);
}

TEST(Dynamics, ManySmallStepsEqualOneLargeStep) {
  for (double start : {-1.0, 0.0, 0.3})
    for (double target : {-0.7, 0.31, 1.0}) {
      const Thruster thruster(lively());
      ThrusterState once{start, start}, often{start, start};
      (void)step(thruster, once, target, {}, {}, 0.64);
      for (int i = 0; i < 640; ++i) (void)step(thruster, often, target, {}, {}, 0.001);
      EXPECT_NEAR(once.effort, often.effort, 1e-12);
      EXPECT_NEAR(once.commanded, often.commanded, 1e-12);
    }
}

TEST(Dynamics, AShareOfTheSupplyGivesThatShareOfTheThrust) {
  const Thruster thruster{ThrusterParams{}};
  ThrusterState state;
  EXPECT_EQ(step(thruster, state, 0.8, {}, {0.5}, 0.1).wrench_P.force.x, 0.4);
  EXPECT_EQ(step(thruster, state, 0.8, {}, {kNan}, 0.1).wrench_P.force.x, 0);
  EXPECT_EQ(step(thruster, state, 0.8, {}, {9}, 0.1).wrench_P.force.x, 0.8);
}

TEST(Dynamics, LinearisationMatchesFiniteDifferencesOfTheSettledThrust) {
  for (const auto& each : every_kind()) {
    const auto& thruster = each.second;
    if (thruster.params().nearest_point) continue;
    const double reach = thruster.upper() - thruster.lower();
    for (int i = 1; i < 20; ++i) {
      const double effort = thruster.lower() + reach * i / 20.0, h = 1e-4 * reach;
      const auto settled = [&](double e) {
        ThrusterState state;
        return step(thruster, state, thruster.command_for(e, 16), {}, {}, 1e3).wrench_P.force.x;
      };
      EXPECT_NEAR((settled(effort + h) - settled(effort - h)) / (2 * h), 1, 1e-6) << each.first;
    }
  }
}

TEST(Dynamics, TheBoxIsWhatTheSlewAllowsWithinTheHorizon) {
  const Thruster thruster(lively());
  ThrusterState state;
  state.commanded = 0.9;
  const ThrusterBox near = linearise(thruster, state, {}, 0.05);
  EXPECT_NEAR(near.lower, 0.8, 1e-15);
  EXPECT_EQ(near.upper, 1);
  EXPECT_EQ(near.preferred, near.lower);
  const ThrusterBox far = linearise(thruster, state, {}, kInf);
  EXPECT_EQ(far.lower, -1);
  EXPECT_EQ(far.upper, 1);
  EXPECT_EQ(far.preferred, 0);
}

TEST(Dynamics, WhatTheBoxAllowsTheInverseSendsUnchanged) {
  const Thruster thruster(lively());
  ThrusterState state;
  double worst = 0;
  for (int i = 0; i < 200; ++i) {
    const ThrusterBox box = linearise(thruster, state, {}, 0.05);
    const double effort = (i / 20) % 2 ? box.lower : box.upper;
    worst = std::max(worst, std::fabs(invert(thruster, state, effort, {}, 0.05).effort - effort));
  }
  EXPECT_LT(worst, 1e-12);
}

TEST(Inverse, ClipsSlewsAndKeepsOutOfTheDeadBand) {
  ThrusterParams p;
  p.slew_per_s = 2;
  p.dead_band = 0.15;
  const Thruster thruster(p);
  ThrusterState state;
  EXPECT_EQ(invert(thruster, state, 5, {}, 0.05).command, 0);  // 0.1 is inside the dead band …
  EXPECT_NEAR(invert(thruster, state, 5, {}, 0.05).effort, 0.2, 1e-15);  // … and is ramped through
  EXPECT_NEAR(invert(thruster, state, 5, {}, 10).effort, 1, 1e-15);
}

TEST(Inverse, RoundsToTheQuantumAndSaysWhatThatGives) {
  ThrusterParams p;
  p.command_quantum = 0.25;
  const Thruster thruster(p);
  ThrusterState state;
  const ThrusterCommand sent = invert(thruster, state, 0.4, {}, 0.05);
  EXPECT_EQ(sent.command, 0.5);
  EXPECT_EQ(sent.effort, 0.5);
}

TEST(Inverse, ANonFiniteEffortGivesTheNeutralCommand) {
  for (const auto& [name, thruster] : every_kind())
    for (double effort : {kNan, kInf, -kInf}) {
      ThrusterState state;
      const ThrusterCommand sent = invert(thruster, state, effort, {}, 0.05);
      EXPECT_EQ(sent.command, thruster.neutral_command(16)) << name;
      EXPECT_EQ(sent.effort, 0) << name;
      EXPECT_EQ(thruster.effort_for(sent.command, 16), 0) << name;
    }
}

TEST(Safety, EveryOutputIsFiniteAndInsideItsBoundsForAnyInput) {
  const std::array<double, 13> odd{
      0,       kNan, kInf, -kInf, 1e300, -1e300, std::numeric_limits<double>::denorm_min(),
      -5e-324, 1e-9, 0.5,  -0.05, 1500,  0.001};
  auto all = every_kind();
  all.emplace_back("lively", Thruster(lively()));
  for (const auto& [name, thruster] : all)
    for (double a : odd)
      for (double b : odd)
        for (double c : odd) {
          Ambient ambient;
          ambient.bus_V = b;
          ThrusterState state{c, a};
          const ThrusterCommand sent = invert(thruster, state, a, ambient, c);
          ASSERT_TRUE(std::isfinite(sent.command) && std::isfinite(sent.effort)) << name;
          ASSERT_TRUE(sent.effort >= thruster.params().min_effort &&
                      sent.effort <= thruster.params().max_effort);
          state = {b, c};
          ASSERT_TRUE(std::isfinite(step(thruster, state, a, ambient, {b}, c).wrench_P.force.x));
          ASSERT_TRUE(std::isfinite(state.effort) && std::isfinite(state.commanded));
          const ThrusterBox box = linearise(thruster, {a, b}, ambient, c);
          ASSERT_TRUE(box.lower <= box.preferred && box.preferred <= box.upper) << name;
        }
}

TEST(Safety, NoFunctionOfTheTickTouchesTheHeap) {
  const auto all = every_kind();
  const std::uint64_t before = testing::heap_allocations();
  for (const auto& [name, thruster] : all) {
    ThrusterState state;
    for (int i = 0; i < 1000; ++i) {
      const ThrusterBox box = linearise(thruster, state, {}, 0.02);
      const ThrusterCommand sent = invert(thruster, state, box.upper * 0.3, {}, 0.02);
      (void)step(thruster, state, sent.command, {}, {}, 0.02);
    }
  }
  EXPECT_EQ(testing::heap_allocations(), before);
}

TEST(Propulsor, OffersOneChannelAndStartsAtRest) {
  const Propulsor propulsor = Thruster{ThrusterParams{}};
  EXPECT_EQ(channels(propulsor), 1u);
  EXPECT_EQ(std::get<ThrusterState>(initial_state(propulsor)).effort, 0);
}

TEST(FieldTables, NameEveryFieldOnceAndSayWhatItMeans) {
  for (const Table* table : {&table_of<ThrusterParams>(), &table_of<CurvePoints>()})
    for (const Field& field : table->fields) {
      EXPECT_EQ(table->find(field.name), &field);
      EXPECT_GT(field.meaning.size(), 10u) << field.name;
    }
  EXPECT_EQ(to_string(CurveKind::kPulseWidth), "pulse_width");
}

}  // namespace
}  // namespace pintle::propulsion
