#include "pintle/allocation/allocator.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "pintle/allocation/prepared.h"
#include "pintle/allocation_suite/suite.h"
#include "pintle/allocation_suite/vehicles.h"
#include "pintle/base/random.h"
#include "pintle/testing/heap_counter.h"

namespace pintle::allocation {
namespace {

using namespace testing;

TEST(Allocate, TheCosineOfARightAngleIsNoAxis) {
  // two level and two vertical thrusters of a boat-like body: nothing can pitch it
  Effectiveness e;
  e.n = 6;
  for (std::size_t i = 0; i < 4; ++i) {
    const double x = i < 2 ? 0.3 : -0.3;
    const double y = i % 2 == 0 ? 0.2 : -0.2;
    e.column[i] = thruster({x, y, 0}, 0, i == 0 || i == 3 ? -45 : 45, 1);
  }
  e.column[4] = thruster({1e-17, 0.2, 0}, 90, 0, 1);
  e.column[5] = thruster({-2e-17, -0.2, 0}, 90, 0, 1);
  for (std::size_t i = 0; i < 6; ++i) {
    e.lower[i] = -1;
    e.upper[i] = 1;
  }
  for (double r : {0.0, 1e-4}) {
    WrenchDemand d = axis_demand(2, 0.5);
    d.F_Bo_B.torque.y = 0.3;
    const Allocation a = solve(with_r(r), e, d);
    EXPECT_NEAR(a.achieved.force.z, 0.5, 1e-4);
    for (double u : a.effort) EXPECT_LT(std::abs(u), 0.3);
    EXPECT_EQ(a.reachable, kAllAxes & ~axis_bit(4));
    EXPECT_EQ(a.at_lower | a.at_upper, 0U);
    if (r == 0) {
      EXPECT_EQ(a.grade, AllocationGrade::kBounded);
    }
  }
}

TEST(Allocate, ADemandThatIsNotFiniteIsRejected) {
  for (double bad : {kNaN, kInfinity, -kInfinity}) {
    Effectiveness e = sub8(1);
    e.lower[2] = 0.25;
    const Allocation a = solve(with_r(0), e, axis_demand(3, bad));
    EXPECT_EQ(a.grade, AllocationGrade::kRejected);
    EXPECT_EQ(a.effort[0], 0);
    EXPECT_EQ(a.effort[2], 0.25);
    EXPECT_EQ(a.margin, 0);
  }
}

TEST(Allocate, BadBoundsAndColumnsAreRejected) {
  const auto rejected = [](const Effectiveness& e) {
    const Allocation a = solve(with_r(0), e, axis_demand(0, 1));
    for (double u : a.effort)
      if (!std::isfinite(u)) return false;
    return a.grade == AllocationGrade::kRejected;
  };
  Effectiveness crossed = sub8(1);
  crossed.lower[3] = 2;
  EXPECT_TRUE(rejected(crossed));
  for (double bad : {kNaN, kInfinity}) {
    Effectiveness e = sub8(1);
    e.upper[0] = bad;
    EXPECT_TRUE(rejected(e));
    e = sub8(1);
    e.lower[0] = -bad;
    EXPECT_TRUE(rejected(e));
    e = sub8(1);
    e.column[5][2] = bad;
    EXPECT_TRUE(rejected(e));
    e = sub8(1);
    e.preferred[5] = bad;
    EXPECT_TRUE(rejected(e));
    e = sub8(1);
    e.bias.force.y = bad;
    EXPECT_TRUE(rejected(e));
  }
  Effectiveness many = sub8(1);
  many.n = 65;
  EXPECT_TRUE(rejected(many));
}

TEST(Allocate, ExtremeMagnitudesStayInsideTheBounds) {
  for (double size : {5e-324, 1e-300, 1e-150, 1e150, 1e300}) {
    Effectiveness e = sub8(1);
    for (std::size_t i = 0; i < 8; ++i) e.column[i] = size * e.column[i];
    for (double ask : {5e-324, 1e-300, 1.0, 1e300}) {
      const Allocation a = solve(with_r(0), e, axis_demand(0, ask));
      for (double u : a.effort) {
        EXPECT_LE(std::abs(u), 1);
        EXPECT_TRUE(std::isfinite(u));
      }
    }
  }
}

TEST(Allocate, ColumnsThatAreNearlyButNotQuiteDependentAreSolvedTheSameTwice) {
  // a part of 4e-6 beside the others: the fast solver must not guess on
  Effectiveness e;
  e.n = 28;
  for (std::size_t i = 0; i < 28; ++i) {
    e.column[i].v.fill(-5);
    e.lower[i] = -1;
    e.upper[i] = 1;
  }
  e.column[0] = {{0, 0, 1.8e-5, 1.8e-5, 1.8e-5, 1.8e-5}};
  e.column[1] = {{0, -4.3125, -5, -5, -5, -5}};
  const WrenchDemand d = demand_of({{-5, -5, -5, 0.5, 0.5, 0.5}});
  const Allocation a = solve(with_r(0), e, d);
  EXPECT_LT(check_optimal(dense(e, d, 0), a.effort, e).worst, 1e-9);
  for (int again = 0; again < 5; ++again) EXPECT_EQ(solve(with_r(0), e, d).effort, a.effort);
}

TEST(Allocate, ACapGivesAFeasibleAnswerAndSaysSo) {
  RandomStream random(13, "cap");
  Settings s = with_r(0);
  s.max_iterations = 1;
  int capped = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const Problem p = make_problem(ProblemClass::kHeavy, 16, random);
    const Allocation a = solve(s, p.effectiveness, p.demand);
    EXPECT_LE(a.iterations, 1);
    capped += a.grade == AllocationGrade::kIterationCapped ? 1 : 0;
    for (std::size_t i = 0; i < 16; ++i) {
      EXPECT_GE(a.effort[i], p.effectiveness.lower[i]);
      EXPECT_LE(a.effort[i], p.effectiveness.upper[i]);
    }
  }
  EXPECT_GT(capped, 0);
}

TEST(Allocate, NothingIsAllocatedOnTheHeap) {
  RandomStream random(14, "heap");
  const Problem p = make_problem(ProblemClass::kHeavy, 64, random);
  Allocation out;
  const auto before = pintle::testing::heap_allocations();
  allocate(p.settings, p.effectiveness, p.demand, nullptr, out);
  set_sent(p.effectiveness, p.demand, nullptr, out.effort, out);
  EXPECT_EQ(pintle::testing::heap_allocations(), before);
}

}  // namespace
}  // namespace pintle::allocation
