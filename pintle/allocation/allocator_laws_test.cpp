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

TEST(Allocate, AVanishingTradeIsTheLimitOfSmallOnes) {
  RandomStream random(3, "limit");
  for (int trial = 0; trial < 300; ++trial) {
    Problem p =
        make_problem(trial % 2 == 0 ? ProblemClass::kAttainable : ProblemClass::kHeavy, 8, random);
    const Allocation limit = solve(with_r(0), p.effectiveness, p.demand);
    const double size = span_of(p.effectiveness);
    double before = kInfinity;
    for (double r : {1e-4, 1e-6, 1e-8}) {
      const double away =
          distance(solve(with_r(r), p.effectiveness, p.demand).effort, limit.effort);
      EXPECT_LE(away, std::max(before, 1e-9 * size));
      before = away;
    }
    EXPECT_LT(before, 1e-4 * size);
  }
}

TEST(Allocate, TheAnswerHasNoJumpWhereThrustersSaturate) {
  // a ray through mild into heavy saturation, in small steps
  RandomStream random(4, "ray");
  for (int trial = 0; trial < pintle::testing::few(40); ++trial) {
    const Effectiveness e = trial % 2 == 0 ? sub8(1) : oogway();
    Vec6 w;
    for (double& x : w.v) x = random.normal();
    ChannelVector before;
    for (int step = 0; step <= 2000; ++step) {
      const Allocation a = solve(with_r(0), e, demand_of(0.002 * step * w));
      // gains of any active set are below about 40 for these geometries
      if (step > 0) {
        ASSERT_LT(distance(a.effort, before), 0.002 * norm(w) * 40);
      }
      before = a.effort;
    }
  }
}

TEST(Allocate, TheAnswerDoesNotDependOnWhatCameBefore) {
  RandomStream random(5, "history");
  Allocation used;
  for (int trial = 0; trial < 200; ++trial) {
    const Problem p = make_problem(ProblemClass::kHeavy, 8, random);
    allocate(p.settings, p.effectiveness, p.demand, nullptr, used);
    EXPECT_EQ(used.effort, solve(p.settings, p.effectiveness, p.demand).effort);
  }
}

TEST(Allocate, UnitsScaleTheAnswer) {
  RandomStream random(8, "units");
  for (int trial = 0; trial < 100; ++trial) {
    Problem p = make_problem(ProblemClass::kMild, 8, random);
    const Allocation a = solve(with_r(0), p.effectiveness, p.demand);
    // efforts in thousandths: columns shrink, bounds grow
    Effectiveness e = p.effectiveness;
    for (std::size_t i = 0; i < e.n; ++i) {
      e.column[i] = (1 / 1024.0) * e.column[i];
      e.lower[i] *= 1024;
      e.upper[i] *= 1024;
      e.preferred[i] *= 1024;
    }
    const Allocation b = solve(with_r(0), e, p.demand);
    for (std::size_t i = 0; i < e.n; ++i) EXPECT_EQ(b.effort[i], 1024 * a.effort[i]);
    // a common weight changes nothing
    WrenchDemand d = p.demand;
    for (double& w : d.weight) w *= 8;
    EXPECT_EQ(solve(with_r(0), p.effectiveness, d).effort, a.effort);
  }
}

TEST(Allocate, TheOrderOfTheChannelsDoesNotMatter) {
  RandomStream random(9, "order");
  for (std::size_t c = 0; c < kProblemClasses; ++c)
    for (int trial = 0; trial < 50; ++trial) {
      const Problem p = make_problem(static_cast<ProblemClass>(c), 8, random);
      Effectiveness e = p.effectiveness;
      for (std::size_t i = 0; i < 8; ++i) {
        const std::size_t j = (3 * i + 1) % 8;
        e.column[j] = p.effectiveness.column[i];
        e.lower[j] = p.effectiveness.lower[i];
        e.upper[j] = p.effectiveness.upper[i];
        e.preferred[j] = p.effectiveness.preferred[i];
      }
      const Allocation a = solve(p.settings, p.effectiveness, p.demand);
      const Allocation b = solve(p.settings, e, p.demand);
      for (std::size_t i = 0; i < 8; ++i)
        EXPECT_NEAR(b.effort[(3 * i + 1) % 8], a.effort[i], 1e-9 * span_of(e))
            << name_of(static_cast<ProblemClass>(c));
    }
}

TEST(Allocate, AUselessPropulsorChangesNothing) {
  RandomStream random(10, "useless");
  for (int trial = 0; trial < 100; ++trial) {
    const Problem p = make_problem(ProblemClass::kHeavy, 8, random);
    Effectiveness e = p.effectiveness;
    e.n = 9;
    e.column[8] = {};
    e.lower[8] = -1;
    e.upper[8] = 1;
    const Allocation a = solve(p.settings, p.effectiveness, p.demand);
    const Allocation b = solve(p.settings, e, p.demand);
    EXPECT_EQ(b.effort[8], 0);
    for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(b.effort[i], a.effort[i], 1e-12 * span_of(e));
  }
}

TEST(Allocate, AWiderBoxNeverWorsensTheWrench) {
  RandomStream random(11, "wider");
  for (int trial = 0; trial < 300; ++trial) {
    Problem p = make_problem(ProblemClass::kHeavy, 8, random);
    const auto error = [&](const Allocation& a) {
      double sum = 0;
      for (std::size_t k = 0; k < 6; ++k) {
        const double x = p.demand.weight[k] * to_vec6(a.residual)[k];
        sum += x * x;
      }
      return sum;
    };
    const double before = error(solve(with_r(0), p.effectiveness, p.demand));
    p.effectiveness.upper[random.bits() % 8] += 0.3 * span_of(p.effectiveness);
    const double after = error(solve(with_r(0), p.effectiveness, p.demand));
    EXPECT_LE(after, before * (1 + 1e-12));
  }
}

TEST(Allocate, TheDemandTimesTheMarginIsStillMet) {
  RandomStream random(12, "margin");
  for (int trial = 0; trial < 200; ++trial) {
    const Problem p = make_problem(ProblemClass::kAttainable, 8, random);
    Effectiveness e = p.effectiveness;
    e.bias = {{0.01, 0, -0.02}, {0, 0.01, 0}};
    const Allocation a = solve(with_r(0), e, p.demand);
    if (a.grade != AllocationGrade::kExact) continue;
    ASSERT_GE(a.margin, 1 - 1e-12);
    WrenchDemand d = p.demand;
    d.F_Bo_B = a.margin * (1 - 1e-9) * p.demand.F_Bo_B;
    EXPECT_EQ(solve(with_r(0), e, d).grade, AllocationGrade::kExact);
  }
  EXPECT_EQ(solve(with_r(0), sub8(1), axis_demand(0, 0)).margin, kLargestMargin);
}

}  // namespace
}  // namespace pintle::allocation
