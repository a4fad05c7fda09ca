#include "pintle/allocation/smoothing.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pintle/allocation/prepared.h"
#include "pintle/allocation_suite/vehicles.h"
#include "pintle/base/random.h"
#include "pintle/testing/heap_counter.h"

namespace pintle::allocation {
namespace {

using namespace testing;

constexpr double kPeriod_s = 0.02;

/// Ticks of an allocation with smooth efforts.
struct Loop {
  Effectiveness e = oogway();
  Settings settings;
  DeadBands bands;
  SmoothingState state;
  Smoothed smoothed;
  Prepared prepared;
  Allocation a;

  Loop(double rate, double hysteresis, double band) {
    settings.objective.preferred_rate = rate;
    settings.objective.dead_band_hysteresis = hysteresis;
    ChannelVector width(e.n);
    for (double& b : width) b = band;
    bands = dead_bands(width, e);
  }
  const Allocation& ask(const Vec6& w, const PropulsorHealth* health = nullptr) {
    const WrenchDemand d = demand_of(w);
    smooth(settings, bands, e, d, health, kPeriod_s, state, smoothed);
    allocate(prepared, settings, smoothed.box, d, health, a);
    restore(smoothed, e, a);
    return a;
  }
};

double largest_step(const ChannelVector& before, const ChannelVector& after) {
  double most = 0;
  for (std::size_t i = 0; i < after.size(); ++i)
    most = std::max(most, std::abs(after[i] - before[i]));
  return most;
}

// forwards and upwards, slowly round
Vec6 wish(int tick, double size) {
  const double t = tick * kPeriod_s;
  return {{size * std::sin(0.5 * t), size * std::cos(0.4 * t), size * std::sin(0.3 * t), 0,
           0.1 * size * std::sin(0.7 * t), 0.2 * size * std::cos(0.6 * t)}};
}

TEST(Smoothing, NothingIsChangedWhereNothingIsAsked) {
  Loop loop(0, 0, 0.1);
  EXPECT_FALSE(has_smoothing(loop.settings.objective, loop.bands));
  const Vec6 w = wish(7, 1);
  const Allocation plain = solve(loop.settings, loop.e, demand_of(w));
  const Allocation& a = loop.ask(w);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(a.effort[i], plain.effort[i]);
}

TEST(Smoothing, PreferredEffortsAreReachedAtTheRateWithTheWrenchUntouched) {
  Loop loop(0.2, 0, 0);
  const Vec6 w = wish(40, 0.5);
  ChannelVector before = loop.ask(w).effort;
  loop.e.preferred = {0.3, -0.2, 0.3, 0.3, -0.1, 0.3, 0.2, 0.3};
  const Allocation there = solve(loop.settings, loop.e, demand_of(w));
  double moved = 0;
  for (int tick = 0; tick < 300; ++tick) {
    const Allocation& a = loop.ask(w);
    EXPECT_LE(norm(to_vec6(a.residual)), 1e-12) << tick;
    const double step = largest_step(before, a.effort);
    EXPECT_LE(step, 0.2 * kPeriod_s + 1e-12) << tick;
    moved += step;
    before = a.effort;
  }
  EXPECT_GT(moved, 0.1);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(before[i], there.effort[i], 1e-12);
}

TEST(Smoothing, AlsoOnBoundsNoEffortRunsAheadOfTheRateAndTheBestWrenchIsKept) {
  RandomStream random(3, "smoothing");
  for (int trial = 0; trial < 60; ++trial) {
    Loop loop(1, 0, 0);
    Vec6 w;
    for (double& x : w.v) x = 3 * random.normal();
    const Allocation best = solve(loop.settings, loop.e, demand_of(w));
    for (std::size_t i = 0; i < 8; ++i) loop.e.preferred[i] = random.uniform(-1, 1);
    ChannelVector before = loop.ask(w).effort;
    for (int tick = 0; tick < 60; ++tick) {
      const Allocation& a = loop.ask(w);
      EXPECT_LE(largest_step(before, a.effort), kPeriod_s + 1e-9) << trial;
      EXPECT_NEAR(norm(to_vec6(a.residual)), norm(to_vec6(best.residual)), 1e-9) << trial;
      before = a.effort;
    }
  }
}

TEST(Smoothing, EffortsFollowADemandThatIsContinuousWithoutAJump) {
  Loop loop(0.2, 0, 0);
  loop.e.preferred = {0.3, -0.2, 0.3, 0.3, -0.1, 0.3, 0.2, 0.3};
  ChannelVector before = loop.ask(wish(0, 4)).effort;
  double worst = 0;
  for (int tick = 1; tick < 3000; ++tick) {
    worst = std::max(worst, largest_step(before, loop.ask(wish(tick, 4)).effort));
    before = loop.a.effort;
  }
  // the demand moves by 0.08 a tick at most; the largest gain from wrench to effort is about 2.5
  EXPECT_LT(worst, 0.2);
  EXPECT_GT(worst, 0);
}

TEST(Smoothing, TheHysteresisOfOneChannelByHand) {
  Loop loop(0, 0.5, 0.1);
  loop.e = {};
  loop.e.n = 1;
  loop.e.column[0] = Vec6{{1, 0, 0, 0, 0, 0}};
  loop.e.lower[0] = -1;
  loop.e.upper[0] = 1;
  loop.bands = dead_bands(ChannelVector(1, 0.1), loop.e);
  const auto effort = [&](double x) { return loop.ask({{x, 0, 0, 0, 0, 0}}).effort[0]; };
  // out of rest above 0.075, back below 0.025
  EXPECT_EQ(effort(0.07), 0);
  EXPECT_EQ(effort(0.08), 0.1);
  EXPECT_EQ(effort(0.03), 0.1);
  EXPECT_EQ(effort(0.02), 0);
  EXPECT_EQ(effort(0.07), 0);
  EXPECT_EQ(effort(-0.08), -0.1);
  EXPECT_NEAR(effort(0.5), 0.5, 1e-12);
  EXPECT_EQ(loop.a.at_lower | loop.a.at_upper, 0U);
}

/// How often a channel came to rest or left it: smoothed, and by cutting what lies inside the band.
struct Switches {
  int smoothed = 0, cut = 0;
};

Switches switches_of(double shake) {
  constexpr double kBand = 0.08;
  Loop loop(0, 0.5, kBand);
  RandomStream random(5, "shake");
  Switches count;
  ChannelVector before = loop.ask({}).effort, cut_before = before;
  for (int tick = 0; tick < 4000; ++tick) {
    Vec6 w = wish(tick, 1);
    for (double& x : w.v) x += shake * random.uniform(-1, 1);
    const Allocation cut = solve(loop.settings, loop.e, demand_of(w));
    const Allocation& a = loop.ask(w);
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_TRUE(a.effort[i] == 0 || std::abs(a.effort[i]) >= kBand) << a.effort[i];
      EXPECT_LE(std::abs(a.effort[i]), 1);
      count.smoothed += (a.effort[i] == 0) != (before[i] == 0) ? 1 : 0;
      count.cut += (std::abs(cut.effort[i]) < kBand) != (std::abs(cut_before[i]) < kBand) ? 1 : 0;
    }
    before = a.effort;
    cut_before = cut.effort;
  }
  return count;
}

TEST(Smoothing, NoEffortLiesInsideItsBandAndADemandThatShakesMakesNobodyChatter) {
  const Switches smooth = switches_of(0);
  // moves no effort by more than half of what lies between entering and leaving
  const Switches shaking = switches_of(0.01);
  EXPECT_GT(smooth.smoothed, 20);
  EXPECT_LT(10 * shaking.smoothed, 11 * smooth.smoothed);
  EXPECT_GT(shaking.cut, 2 * smooth.cut);
}

TEST(Smoothing, WhatARestingOneDoesNotGiveTheOthersTakeOver) {
  constexpr double kBand = 0.1;
  Loop loop(0, 0.5, kBand);
  int rested = 0;
  double lost = 0, lost_plain = 0;
  for (int tick = 0; tick < 4000; ++tick) {
    const Vec6 w = wish(tick, 1.2);
    const Allocation plain = solve(loop.settings, loop.e, demand_of(w));
    ChannelVector cut = plain.effort;
    for (double& u : cut) u = std::abs(u) < kBand ? 0 : u;
    Allocation sent = plain;
    set_sent(loop.e, demand_of(w), nullptr, cut, sent);
    const Allocation& a = loop.ask(w);
    int resting = 0;
    for (const double u : a.effort) resting += u == 0 ? 1 : 0;
    lost += norm(to_vec6(a.residual));
    lost_plain += norm(to_vec6(sent.residual));
    // eight thrusters in six axes: what one leaves out, seven can do, unless one of them would have
    // to enter its own band
    bool at_edge = false;
    for (const double u : a.effort) at_edge = at_edge || std::abs(u) == kBand;
    if (resting == 1 && !at_edge && a.at_lower == 0 && a.at_upper == 0) {
      ++rested;
      EXPECT_LE(norm(to_vec6(a.residual)), 1e-12) << tick;
      EXPECT_EQ(a.grade, AllocationGrade::kExact);
    }
    EXPECT_EQ(a.reachable, kAllAxes);
  }
  EXPECT_GT(rested, 100);
  EXPECT_LT(lost, 0.5 * lost_plain);
}

TEST(Smoothing, OutAndStuckOnesHaveNoBandAndSlewLimitsAreKept) {
  Loop loop(0, 0.5, 0.1);
  PropulsorHealth health[8];
  health[2].health = Health::kOut;
  health[5] = {Health::kStuck, 1, 0.05};
  const Allocation& a = loop.ask(wish(90, 1), health);
  EXPECT_EQ(a.effort[2], 0);
  EXPECT_EQ(a.effort[5], 0.05);
  // at rest, 0.03 a tick: out of the band in four ticks however narrow the step
  Loop slow(0, 0.5, 0.1);
  slow.e = {};
  slow.e.n = 1;
  slow.e.column[0] = Vec6{{1, 0, 0, 0, 0, 0}};
  slow.e.lower[0] = -1;
  slow.e.upper[0] = 1;
  slow.bands = dead_bands(ChannelVector(1, 0.1), slow.e);
  double now = 0;
  for (const double expected : {0.03, 0.06, 0.09, 0.1, 0.1}) {
    slow.e.lower[0] = now - 0.03;
    slow.e.upper[0] = now + 0.03;
    now = slow.ask({{0.09, 0, 0, 0, 0, 0}}).effort[0];
    EXPECT_NEAR(now, expected, 1e-12);
  }
}

TEST(Smoothing, RefusesAsTheAllocationDoesAndUsesNoHeap) {
  Loop loop(0.1, 0.5, 0.1);
  (void)loop.ask(wish(3, 1));
  EXPECT_EQ(loop.ask({{kNaN, 0, 0, 0, 0, 0}}).grade, AllocationGrade::kRejected);
  EXPECT_NE(loop.ask(wish(4, 1)).grade, AllocationGrade::kRejected);
  const auto before = pintle::testing::heap_allocations();
  for (int tick = 0; tick < 100; ++tick) (void)loop.ask(wish(tick, 1));
  EXPECT_EQ(pintle::testing::heap_allocations(), before);
}

}  // namespace
}  // namespace pintle::allocation
