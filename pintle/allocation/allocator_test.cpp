#include "pintle/allocation/allocator.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "pintle/allocation/prepared.h"
#include "pintle/allocation_suite/suite.h"
#include "pintle/allocation_suite/vehicles.h"
#include "pintle/base/random.h"
#include "pintle/testing/heap_counter.h"
#include "pintle/testing/thorough.h"

namespace pintle::allocation {
namespace {

using namespace testing;

TEST(Allocate, ATradeOfOneGivesEachAxisItsShare) {
  // sigma^2 / (sigma^2 + 1): 4 * 0.866^2, 4 * 0.5^2, 4, 4 * 0.169^2, 4 * 0.1583^2, 4 * 0.375947^2
  const double share[6] = {0.75, 0.5, 0.8, 0.103, 0.091, 0.361};
  for (std::size_t k = 0; k < 6; ++k) {
    const Allocation a = solve(with_r(1), sub8(100), axis_demand(k, 10));
    EXPECT_NEAR(to_vec6(a.achieved)[k] / 10, share[k], 5e-4) << kAxisNames[k];
    EXPECT_EQ(a.grade, AllocationGrade::kExact);
  }
}

TEST(Allocate, ASmallTradeLosesAThousandthAtMost) {
  const Allocation a = solve(with_r(1e-4), sub8(100), axis_demand(4, 10));
  const double s2 = 4 * 0.1583 * 0.1583;
  EXPECT_NEAR(a.achieved.torque.y, 10 * s2 / (s2 + 1e-4), 1e-9);
}

TEST(Allocate, WithoutATradeTheEffortsAreThePseudoinverse) {
  // by hand: surge 2 on four thrusters of 0.866 each
  const Allocation a = solve(with_r(0), sub8(10), axis_demand(0, 2));
  for (std::size_t i = 0; i < 8; i += 2)
    EXPECT_NEAR(a.effort[i], (i < 4 ? 1 : -1) * 2 / (4 * 0.866), 1e-14);
  for (std::size_t i = 1; i < 8; i += 2) EXPECT_NEAR(a.effort[i], 0, 1e-15);
  EXPECT_EQ(a.grade, AllocationGrade::kExact);
  EXPECT_NEAR(a.margin, 10 / (2 / (4 * 0.866)), 1e-9);
}

TEST(Allocate, OogwayPitchSaturatesAtItsKnownShare) {
  // one unit of pitch asks for 1.22 of the largest thruster
  Effectiveness wide = oogway();
  for (std::size_t i = 0; i < 8; ++i) {
    wide.lower[i] = -10;
    wide.upper[i] = 10;
  }
  const Allocation free = solve(with_r(0), wide, axis_demand(4, 1));
  double largest = 0;
  for (double u : free.effort) largest = std::max(largest, std::abs(u));
  EXPECT_NEAR(largest, 1.22, 0.005);
  const Allocation held = solve(with_r(0), oogway(), axis_demand(4, 1));
  EXPECT_EQ(held.grade, AllocationGrade::kBounded);
  EXPECT_NE(held.at_lower | held.at_upper, 0U);
  EXPECT_EQ(held.margin, 0);
  for (std::size_t k : {0UL, 1UL, 2UL, 5UL})
    EXPECT_EQ(solve(with_r(0), oogway(), axis_demand(k, 1)).grade, AllocationGrade::kExact);
}

TEST(Allocate, TheLeastEffortIsOrthogonalToEveryFreeMotion) {
  RandomStream random(7, "minimum norm");
  const Effectiveness e = oogway();
  for (int trial = 0; trial < 200; ++trial) {
    Vec6 w;
    for (double& x : w.v) x = random.uniform(-0.2, 0.2);
    const Allocation a = solve(with_r(0), e, demand_of(w));
    ASSERT_EQ(a.grade, AllocationGrade::kExact);
    // the fitted multipliers reproduce every effort: u = B' l
    const auto p = dense(e, demand_of(w), 0);
    EXPECT_LT(check_optimal(p, a.effort, e).worst, 1e-13);
  }
}

TEST(Allocate, EveryRandomProblemSatisfiesTheOptimalityConditions) {
  RandomStream random(1, "allocation suite");
  int undetermined = 0;
  int total = 0;
  for (std::size_t c = 0; c < kProblemClasses; ++c)
    for (int trial = 0; trial < 400; ++trial) {
      const auto n = static_cast<std::uint32_t>(1 + random.bits() % (trial % 8 == 0 ? 64 : 16));
      const Problem p = make_problem(static_cast<ProblemClass>(c), n, random);
      const Allocation a = solve(p.settings, p.effectiveness, p.demand);
      ASSERT_NE(a.grade, AllocationGrade::kRejected);
      ASSERT_NE(a.grade, AllocationGrade::kIterationCapped)
          << name_of(static_cast<ProblemClass>(c)) << " " << trial;
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_GE(a.effort[i], p.effectiveness.lower[i]);
        ASSERT_LE(a.effort[i], p.effectiveness.upper[i]);
      }
      const auto d = dense(p.effectiveness, p.demand, p.settings.objective.r());
      const auto found = check_optimal(d, a.effort, p.effectiveness);
      EXPECT_LT(found.worst, 1e-9) << name_of(static_cast<ProblemClass>(c)) << " n " << n
                                   << " trial " << trial << " r " << p.settings.objective.r();
      ++total;
      // on the edge the free channels never determine all multipliers
      undetermined +=
          found.determined || c == static_cast<std::size_t>(ProblemClass::kEdge) ? 0 : 1;
    }
  EXPECT_LT(undetermined, total / 20);
}

TEST(Allocate, SmallProblemsEqualTheEnumerationOfAllActiveSets) {
  RandomStream random(2, "allocation suite");
  for (std::size_t c = 0; c < kProblemClasses; ++c)
    for (int trial = 0; trial < pintle::testing::few(12); ++trial) {
      const auto n = static_cast<std::uint32_t>(1 + trial % 6);
      const Problem p = make_problem(static_cast<ProblemClass>(c), n, random);
      const Allocation a = solve(p.settings, p.effectiveness, p.demand);
      double worst = 0;
      const auto best =
          testing::enumerate(dense(p.effectiveness, p.demand, p.settings.objective.r()), worst);
      ASSERT_LT(worst, 1e-8);
      for (std::size_t i = 0; i < n; ++i)
        EXPECT_NEAR(a.effort[i], static_cast<double>(best[i]), 1e-9 * span_of(p.effectiveness))
            << name_of(static_cast<ProblemClass>(c)) << " n " << n << " trial " << trial << " r "
            << p.settings.objective.r();
    }
}

TEST(Allocate, ManyChannelsSettleInFewSteps) {
  RandomStream random(31, "few steps");
  for (const ProblemClass c : {ProblemClass::kMild, ProblemClass::kHeavy, ProblemClass::kFailed,
                               ProblemClass::kNarrow, ProblemClass::kUnweighted})
    for (int trial = 0; trial < 300; ++trial) {
      const auto n = 33 + static_cast<std::uint32_t>(random.bits() % 32);
      const Problem p = make_problem(c, n, random);
      const Allocation a = solve(p.settings, p.effectiveness, p.demand);
      ASSERT_LE(a.iterations, 64) << name_of(c) << " trial " << trial << " n " << n;
      ASSERT_NE(a.grade, AllocationGrade::kIterationCapped);
    }
}

TEST(Allocate, TheCapCountsEveryStepOfEverySearch) {
  // so far apart that no search settles
  Effectiveness e;
  e.n = 2;
  e.column[0] = {{-1.90735e-05, 4.875, 0.4375, 0, 4.5, -0.75}};
  e.column[1] = {{1.53024e+38, 1.625, 0, -2.875, -0.625, 2.1875}};
  e.lower[0] = e.lower[1] = -1;
  e.upper[0] = e.upper[1] = 1;
  WrenchDemand d = testing::demand_of({{-3.875, 0, 0, 0, -2.25, -3.1875}});
  d.weight = {4.5, 2.125, 0.375, 3.8125, 1.5625, 0.5};
  for (int cap : {0, 1, 2, 3, 7}) {
    Settings s;
    s.max_iterations = cap;
    EXPECT_LE(solve(s, e, d).iterations, cap > 0 ? cap : 40);
  }
}

TEST(Allocate, TheCapCountsTheSetsOfAMapToo) {
  RandomStream random(1, "caps");
  for (int trial = 0; trial < 2000; ++trial) {
    const Problem p = make_problem(ProblemClass::kMild, 8, random);
    for (int cap : {1, 2, 4}) {
      Settings s = p.settings;
      s.max_iterations = cap;
      EXPECT_LE(solve(s, p.effectiveness, p.demand).iterations, cap) << trial;
    }
  }
}

TEST(Allocate, AnAxisWithoutWeightIsNotDemanded) {
  WrenchDemand d = axis_demand(0, 2);
  d.F_Bo_B.torque.z = 1e6;
  d.weight[5] = 0;
  const Allocation a = solve(with_r(0), sub8(10), d);
  EXPECT_NEAR(a.achieved.force.x, 2, 1e-12);
  EXPECT_EQ(a.grade, AllocationGrade::kExact);
}

TEST(Allocate, InABoxAsNarrowAsARoundingOfItsBoundsEachIsOnItsOwnBound) {
  for (const double far : {1e13, 1.5e14, 3e14, 1e15}) {
    Effectiveness craft;
    craft.n = 2;
    craft.column[0] = {{1, 0, 0, 0, 0, 0}};
    craft.column[1] = {{0, 1, 0, 0, 0, 0}};
    craft.upper[0] = craft.upper[1] = 1;
    craft.lower[1] = -1;
    craft.preferred[0] = far;
    WrenchDemand demand;
    demand.F_Bo_B = {{5, 0.5, 0}, {}};
    Settings settings;
    settings.prove = true;
    Allocation answer;
    allocate(settings, craft, demand, nullptr, answer);
    EXPECT_EQ(answer.effort[0], 1) << far;
    EXPECT_EQ(answer.at_upper & 1U, 1U) << far;
    EXPECT_EQ(answer.at_lower & 1U, 0U) << far;
    EXPECT_EQ(answer.grade, AllocationGrade::kBounded) << far;
    // the other way it is on the lower one
    demand.F_Bo_B.force.x = -5;
    craft.preferred[0] = -far;
    allocate(settings, craft, demand, nullptr, answer);
    EXPECT_EQ(answer.effort[0], 0) << far;
    EXPECT_EQ(answer.at_lower & 1U, 1U) << far;
  }
}

TEST(Allocate, WithoutAnyWeightThePreferredEffortsAreGiven) {
  Effectiveness e = sub8(1);
  e.preferred[3] = 0.25;
  e.preferred[4] = 7;
  WrenchDemand d = axis_demand(0, 2);
  d.weight.fill(0);
  const Allocation a = solve(with_r(0), e, d);
  EXPECT_EQ(a.effort[3], 0.25);
  EXPECT_EQ(a.effort[4], 1);
  EXPECT_EQ(a.effort[0], 0);
  EXPECT_EQ(a.at_upper, ChannelMask{1} << 4);
}

}  // namespace
}  // namespace pintle::allocation
