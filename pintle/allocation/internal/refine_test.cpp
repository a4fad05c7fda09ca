#include "pintle/allocation/internal/refine.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "pintle/allocation/internal/active_set.h"
#include "pintle/allocation/internal/dispatch.h"
#include "pintle/allocation/internal/double_double.h"
#include "pintle/allocation/internal/scaling.h"
#include "pintle/allocation_suite/certified.h"
#include "pintle/allocation_suite/suite.h"
#include "pintle/allocation_suite/vehicles.h"
#include "pintle/testing/thorough.h"

namespace pintle::allocation {
namespace {

using baseline::DoubleDouble;
using testing::demand_of;

Settings refined(Settings s = {}) {
  s.objective.refine = true;
  return s;
}

TEST(DoubleDouble, KeepsWhatADoubleLoses) {
  // (2^27 + 1)^2 = 2^54 + 2^28 + 1: the last 1 does not fit into 53 bits
  const DoubleDouble p = baseline::exact_product(134217729.0, 134217729.0);
  EXPECT_EQ(p.hi, 18014398777917440.0);
  EXPECT_EQ(p.lo, 1.0);
  const DoubleDouble s = baseline::exact_sum(1.0, 1e-30);
  EXPECT_EQ(s.hi, 1.0);
  EXPECT_EQ(s.lo, 1e-30);
}

TEST(DoubleDouble, UndoesADivisionToThirtyDigits) {
  const DoubleDouble third = baseline::inverse_of(DoubleDouble{3, 0});
  EXPECT_LT(std::abs((third * DoubleDouble{3, 0} - DoubleDouble{1, 0}).hi), 1e-31);
  EXPECT_LT(std::abs((third + third + third - DoubleDouble{1, 0}).hi), 1e-31);
}

TEST(DoubleDouble, MultipliesWithoutErrorByAFusedOperationAsBySplitting) {
  RandomStream random(5, "products");
  for (int k = 0; k < 20000; ++k) {
    const double a = std::ldexp(random.normal(), static_cast<int>(random.bits() % 600) - 300);
    const double b = std::ldexp(random.normal(), static_cast<int>(random.bits() % 600) - 300);
    const DoubleDouble p = baseline::exact_product(a, b);
    EXPECT_EQ(p.hi, a * b);
    EXPECT_EQ(p.lo, std::fma(a, b, -p.hi));
  }
}

// 1e16 and its opposite leave the small ones: in double nothing of them is left
TEST(DoubleDouble, SumsProductsWithoutLosingTheSmallOnes) {
  baseline::Row a{}, b{};
  for (std::size_t i = 0; i < 16; ++i) {
    a.set(i, {1e-10 * static_cast<double>(i), 0});
    b.set(i, {1, 0});
  }
  a.set(1, {1e16, 0});
  a.set(12, {-1e16, 0});
  EXPECT_NEAR(baseline::dot(a, b, 2).hi, 1e-10 * (120 - 1 - 12), 1e-22);
}

// columns (1, 0) and (1, 2^-28): half and a quarter give (3/4, 2^-30)
Effectiveness nearly_dependent() {
  Effectiveness e;
  e.n = 2;
  e.column[0][0] = 1;
  e.column[1][0] = 1;
  e.column[1][1] = std::ldexp(1.0, -28);
  for (std::size_t i = 0; i < 2; ++i) {
    e.lower[i] = -1;
    e.upper[i] = 1;
  }
  return e;
}

TEST(Refine, RecoversAllDigitsOfNearlyDependentColumns) {
  const Effectiveness e = nearly_dependent();
  const WrenchDemand d = demand_of({{0.75, std::ldexp(1.0, -30), 0, 0, 0, 0}});
  const Allocation out = testing::solve(refined(), e, d);
  EXPECT_DOUBLE_EQ(out.effort[0], 0.5);
  EXPECT_DOUBLE_EQ(out.effort[1], 0.25);
  EXPECT_EQ(out.grade, AllocationGrade::kExact);
}

TEST(Refine, RecoversThemForDemandsInGroupsAndWithAKeptDirection) {
  Effectiveness e = nearly_dependent();
  e.n = 3;
  e.column[2][3] = 1;
  e.lower[2] = -1;
  e.upper[2] = 1;
  for (const bool keep : {false, true})
    for (const bool groups : {false, true}) {
      WrenchDemand d = demand_of({{0.75, std::ldexp(1.0, -30), 0, 0.125, 0, 0}});
      if (groups) d.group[3] = 1;
      Settings s = refined();
      s.objective.preserve_direction = keep;
      const Allocation out = testing::solve(s, e, d);
      EXPECT_NEAR(out.effort[0], 0.5, 1e-15) << keep << groups;
      EXPECT_NEAR(out.effort[1], 0.25, 1e-15);
      EXPECT_NEAR(out.effort[2], 0.125, 1e-15);
    }
}

TEST(Refine, KeepsBoundsBitForBit) {
  RandomStream random(1, "refine bounds");
  for (int trial = 0; trial < 500; ++trial) {
    const Problem p = make_problem(ProblemClass::kHeavy, 8, random);
    const Allocation out = testing::solve(refined(p.settings), p.effectiveness, p.demand);
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_GE(out.effort[i], p.effectiveness.lower[i]);
      EXPECT_LE(out.effort[i], p.effectiveness.upper[i]);
      EXPECT_EQ(out.effort[i] == p.effectiveness.upper[i], (out.at_upper >> i & 1) != 0);
    }
  }
}

TEST(Refine, AgreesWithEveryHeldSetTriedInQuad) {
  RandomStream random(2, "refine enumerate");
  for (const ProblemClass c : {ProblemClass::kScaled, ProblemClass::kNarrow,
                               ProblemClass::kUnweighted, ProblemClass::kDegenerate})
    for (int trial = 0; trial < 25; ++trial) {
      const Problem p = make_problem(c, 1 + static_cast<std::uint32_t>(random.bits() % 4), random);
      double worst = 0;
      const auto best = testing::enumerate(
          testing::dense(p.effectiveness, p.demand, p.settings.objective.r()), worst);
      ASSERT_LT(worst, 1e-8) << name_of(c) << " trial " << trial;
      const Allocation out = testing::solve(refined(p.settings), p.effectiveness, p.demand);
      for (std::size_t i = 0; i < best.size(); ++i)
        EXPECT_NEAR(out.effort[i], static_cast<double>(best[i]),
                    1e-12 * testing::span_of(p.effectiveness))
            << name_of(c) << " trial " << trial << " n " << best.size();
    }
}

// four columns, dependent but for rows a ten-millionth as large, and a demand out of reach: what is
// missed would leak into the efforts through the rounding of the columns' directions
TEST(Refine, IsNotNeededWhereSmallRowsDecideAndMuchIsMissed) {
  constexpr double t = 0x1p-23;
  const double columns[7][kAxes] = {
      {-t, -1, -2, 0x1p-7, 0, 2 * t},     {-t, -1, -2, 0x1p-7, 0, 2 * t},
      {t, 1, 0, 0x1p-7, 0.25, 2 * t},     {0, 0, 4, -0x1p-6, -0.5, 4 * t},
      {-4 * t, 4, 0, -0x1p-5, -1, 8 * t}, {0, -1, 2, 0, 0.25, 2 * t},
      {-2 * t, 0, 0, 0x1p-6, 0, -4 * t}};
  const double widths[7] = {4096, 4096, 4096, 2048, 1024, 4096, 2048};
  Effectiveness e;
  e.n = 7;
  for (std::size_t i = 0; i < 7; ++i) {
    std::copy_n(columns[i], kAxes, e.column[i].v.begin());
    e.lower[i] = -widths[i];
    e.upper[i] = widths[i];
  }
  const WrenchDemand d =
      demand_of({{0.00027930305061952236, -14287.509650773794, 4364.2928549753096,
                  60.872477576653949, 2642.9592676126849, -0.00030569957255591429}});
  const Allocation plain = testing::solve({}, e, d);
  const Allocation exact = testing::solve(refined(), e, d);
  EXPECT_LT(testing::distance(plain.effort, exact.effort), 1e-9 * 4096);
  EXPECT_NEAR(exact.effort[0], 1791.2608177616073, 1e-9);
}

// a trade of next to nothing beside the squared gains: squared, it would be less than the rounding
TEST(Refine, KeepsItsDigitsWithATradeOfNextToNothing) {
  for (std::size_t number = 0; number < 400; ++number) {
    RandomStream random(number, "tiny trade");
    const auto kind = static_cast<ProblemClass>(random.bits() % 6);
    Problem p = make_problem(kind, 2 + static_cast<std::uint32_t>(random.bits() % 10), random);
    set_trade(p, std::pow(10.0, random.uniform(-30, -20)));
    const testing::Certified c = testing::certify(p, kind);
    if (!c.certified()) continue;
    const Allocation out = testing::solve(refined(p.settings), p.effectiveness, p.demand);
    EXPECT_LE(testing::error_of(c, out.effort.begin()), 1e-12) << name_of(kind) << number;
  }
}

// exchanges at once where they make the wrong ones fewer, else the search inside the box
TEST(Refine, FindsTheOptimumFromWhateverSetItStarts) {
  RandomStream random(6, "refine sets");
  constexpr ProblemClass kClasses[] = {ProblemClass::kHeavy, ProblemClass::kScaled,
                                       ProblemClass::kDegenerate, ProblemClass::kEdge,
                                       ProblemClass::kNarrow};
  for (int trial = 0; trial < pintle::testing::few(600); ++trial) {
    const ProblemClass c = kClasses[trial % 5];
    const auto n = 1 + static_cast<std::uint32_t>(random.bits() % 64);
    const Problem p = make_problem(c, n, random);
    Working working;
    apply_health(p.effectiveness, nullptr, working);
    Scaled scaled;
    ASSERT_TRUE(
        kernels().scale_columns(p.settings.objective.r(), working, p.demand.weight, scaled) &&
        kernels().scale_box(working, scaled) && kernels().scale_demand(p.demand.F_Bo_B, scaled));
    const int cap = 10 * static_cast<int>(n) + 20;
    BoxSolution best;
    solve(scaled.box, false, cap, best);
    best.converged = false;
    kernels().search_in_double_double(scaled.box, cap, best);
    ASSERT_TRUE(best.converged) << name_of(c) << n;
    for (int start = 0; start < 3; ++start) {
      BoxSolution other;
      for (std::size_t i = 0; i < n; ++i)
        other.held[i] = best.held[i] == Held::kFixed
                            ? Held::kFixed
                            : static_cast<Held>(static_cast<int>(random.bits() % 3) - 1);
      kernels().search_in_double_double(scaled.box, cap, other);
      ASSERT_TRUE(other.converged) << name_of(c) << n;
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_NEAR(other.x[i], best.x[i], 1e-12) << name_of(c) << n;
    }
  }
}

TEST(Refine, StaysWithinTheIterationsAllowed) {
  RandomStream random(3, "refine cap");
  for (int trial = 0; trial < 200; ++trial) {
    Problem p = make_problem(ProblemClass::kEdge, 12, random);
    p.settings.max_iterations = 3;
    const Allocation out = testing::solve(refined(p.settings), p.effectiveness, p.demand);
    EXPECT_LE(out.iterations, 3);
    for (std::size_t i = 0; i < 12; ++i) EXPECT_LE(std::abs(out.effort[i]), 1);
  }
}

TEST(Refine, LeavesNumbersBeyondItsRangeToTheSolver) {
  Effectiveness e = nearly_dependent();
  for (double& x : e.column[0].v) x *= 1e200;
  const WrenchDemand d = demand_of({{1e250, 0, 0, 0, 0, 0}});
  const Allocation out = testing::solve(refined(), e, d);
  EXPECT_TRUE(std::isfinite(out.effort[0]) && std::isfinite(out.effort[1]));
  EXPECT_EQ(out.effort[0], 1);
}

}  // namespace
}  // namespace pintle::allocation
