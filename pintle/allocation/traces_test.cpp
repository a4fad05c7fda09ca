#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "pintle/allocation/internal/reachable.h"
#include "pintle/allocation/prepared.h"
#include "pintle/allocation_suite/vehicles.h"
#include "pintle/base/random.h"

namespace pintle::allocation {
namespace {

using namespace testing;

/// A column whose thruster is turned by up to 1.3 degrees about each axis and sits up to 5 mm
/// beside.
Vec6 perturbed(const Vec6& column, Vec3 p, RandomStream& random) {
  const Wrench w = to_wrench(column);
  const auto angle = [&random] { return random.uniform(-1.3, 1.3) * M_PI / 180; };
  const Vec3 turn{angle(), angle(), angle()};
  const Vec3 f = w.force + cross(turn, w.force);
  const auto off = [&random] { return random.uniform(-0.005, 0.005); };
  return to_vec6(Wrench{f, cross(p + Vec3{off(), off(), off()}, f)});
}

/// Six thrusters: four in the plane, two upright ones on the pitch axis. Nothing pitches it.
Effectiveness without_pitch(RandomStream* random) {
  Effectiveness e;
  e.n = 6;
  const Vec3 at[6] = {{0.3, 0.3, 0},   {0.3, -0.3, 0}, {-0.3, 0.3, 0},
                      {-0.3, -0.3, 0}, {0, 0.3, 0},    {0, -0.3, 0}};
  for (std::size_t i = 0; i < 6; ++i) {
    const double yaw = i == 0 || i == 3 ? -45 : 45;
    e.column[i] = i < 4 ? thruster(at[i], 0, yaw, 1) : thruster(at[i], -90, 0, 1);
    if (random != nullptr) e.column[i] = perturbed(e.column[i], at[i], *random);
    e.lower[i] = -1;
    e.upper[i] = 1;
  }
  return e;
}

double largest_effort(const Allocation& a) {
  double most = 0;
  for (const double u : a.effort) most = std::max(most, std::abs(u));
  return most;
}

TEST(Traces, AnAxisThatOnlyImperfectGeometryGivesIsNeverInverted) {
  RandomStream random(8, "traces");
  Settings settings, drop;
  drop.drop_traces = true;
  const Vec6 pitch{{0, 0, 0, 0, 0.05, 0}};
  double inverted = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Effectiveness e = without_pitch(&random);
    EXPECT_EQ(reachable_axes(e, nullptr), kAllAxes & ~axis_bit(4));
    inverted = std::max(inverted, largest_effort(solve(settings, e, demand_of(pitch))));
    // nothing is spent on it beyond what perfect geometry would spend
    const Allocation a = solve(drop, e, demand_of(pitch));
    EXPECT_LT(largest_effort(a), 0.02) << trial;
    EXPECT_EQ(a.grade, AllocationGrade::kBounded);
    // what is reported is what the true columns give
    Wrench sum;
    for (std::size_t i = 0; i < 6; ++i) sum = sum + to_wrench(a.effort[i] * e.column[i]);
    EXPECT_LE(norm(to_vec6(sum - a.achieved)), 1e-15);
    EXPECT_NEAR(a.residual.torque.y, 0.05, 0.002);
  }
  EXPECT_GT(inverted, 0.5);
}

TEST(Traces, TheOtherAxesAreServedToWithinTheErrorOfTheGeometry) {
  RandomStream random(9, "traces");
  Settings drop;
  drop.drop_traces = true;
  for (int trial = 0; trial < 200; ++trial) {
    const Effectiveness e = without_pitch(&random);
    const Vec6 w{{0.3, -0.2, 0.4, 0.05, 0, 0.06}};
    const Vec6 missing = to_vec6(solve(drop, e, demand_of(w)).residual);
    for (std::size_t k = 0; k < kAxes; ++k) EXPECT_LT(std::abs(missing[k]), 0.03) << trial << k;
  }
}

TEST(Traces, PerfectAndMerelyPerturbedVehiclesAreAnsweredBitForBitAsBefore) {
  RandomStream random(10, "traces");
  Settings settings, drop;
  drop.drop_traces = true;
  for (int trial = 0; trial < 100; ++trial) {
    Effectiveness e = trial % 2 == 0 ? oogway() : without_pitch(nullptr);
    if (trial % 4 == 0)
      for (std::size_t i = 0; i < e.n; ++i)
        e.column[i] = perturbed(e.column[i], {}, random) + e.column[i];
    Vec6 w;
    for (double& x : w.v) x = 0.5 * random.normal();
    const Allocation a = solve(settings, e, demand_of(w));
    const Allocation b = solve(drop, e, demand_of(w));
    for (std::size_t i = 0; i < e.n; ++i) EXPECT_EQ(a.effort[i], b.effort[i]);
    EXPECT_EQ(a.grade, b.grade);
  }
}

TEST(Traces, PairsOfFailedThrustersLeaveNoAxisThatIsPaidForDearly) {
  Settings drop;
  drop.drop_traces = true;
  const Effectiveness e = oogway();
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t j = i + 1; j < 8; ++j) {
      PropulsorHealth health[8];
      health[i].health = health[j].health = Health::kOut;
      const AxisMask lost = kAllAxes & ~reachable_axes(e, health);
      for (std::size_t k = 0; k < kAxes; ++k) {
        if ((lost & axis_bit(k)) == 0) continue;
        const Allocation a = solve(drop, e, axis_demand(k, 0.1), health);
        EXPECT_LT(largest_effort(a), 0.5) << i << j << k;
      }
    }
}

// boxes that only move, that grow and shrink, channels that lose their width, failures, and the
// traces that one leaves: nothing that was kept may outlive what it was found for
TEST(Traces, WhatIsKeptFromTickToTickIsWhatANewStartFinds) {
  RandomStream random(11, "traces");
  int lost = 0, traces = 0, unknown = 0;
  for (int trial = 0; trial < 60; ++trial) {
    Settings settings;
    settings.drop_traces = trial % 3 != 0;
    Effectiveness e = trial % 2 == 0 ? oogway() : without_pitch(&random);
    Prepared kept;
    PropulsorHealth health[8];
    std::array<double, 8> at{};
    for (int tick = 0; tick < 100; ++tick) {
      if (random.uniform(0, 1) < 0.04) e = tick % 2 == 0 ? oogway() : without_pitch(&random);
      if (random.uniform(0, 1) < 0.04) e.controlled = tick % 2 == 0 ? kAllAxes : kAllAxes & ~8;
      // pitch comes and goes with the place of one thruster
      if (random.uniform(0, 1) < 0.08)
        e.column[4] = thruster({tick % 2 == 0 ? 0.2 : 0.0, 0.3, 0}, -90, 0, 1);
      if (random.uniform(0, 1) < 0.08) {
        PropulsorHealth& h = health[static_cast<std::size_t>(random.uniform(0, 8))];
        h.health = random.uniform(0, 1) < 0.5 ? Health::kGood : Health::kOut;
      }
      const double reach = random.uniform(0, 1) < 0.2 ? random.uniform(0, 0.5) : 0.1;
      for (std::size_t i = 0; i < e.n; ++i) {
        at[i] = std::clamp(at[i] + random.uniform(-0.05, 0.05), -1.0, 1.0);
        e.lower[i] = std::max(-1.0, at[i] - reach);
        e.upper[i] = std::min(1.0, at[i] + reach);
        if (random.uniform(0, 1) < 0.02) e.upper[i] = e.lower[i];
      }
      Vec6 w;
      for (double& x : w.v) x = 0.2 * random.normal();
      if (tick % 31 == 30) e.lower[0] = std::nan("");
      Allocation a;
      allocate(kept, settings, e, demand_of(w), health, a);
      ASSERT_EQ(a.reachable, reachable_axes(e, health)) << trial << ' ' << tick;
      Prepared anew;
      Allocation b;
      allocate(anew, settings, e, demand_of(w), health, b);
      ASSERT_EQ(kept.traces, anew.traces) << trial << ' ' << tick;
      ASSERT_EQ(a.grade, b.grade) << trial << ' ' << tick;
      for (std::size_t i = 0; i < e.n; ++i) ASSERT_NEAR(a.effort[i], b.effort[i], 2e-12);
      lost += a.reachable != e.controlled;
      traces += kept.traces;
      unknown += a.grade == AllocationGrade::kRejected;
    }
  }
  EXPECT_GT(lost, 1000);
  EXPECT_GT(traces, 200);
  EXPECT_GT(unknown, 100);
}

}  // namespace
}  // namespace pintle::allocation
