#include "pintle/allocation/proof.h"

#include <gtest/gtest.h>

#include "pintle/allocation_suite/certified.h"
#include "pintle/allocation_suite/vehicles.h"

namespace pintle::allocation {
namespace {

Settings proved(Settings s = {}) {
  s.prove = true;
  return s;
}

// f of efforts, and what enters it, in digits to spare
testing::Real cost(const testing::Dense& p, const ChannelVector& u) {
  testing::Real f = 0;
  testing::Column missing = p.b;
  for (std::size_t i = 0; i < p.n(); ++i) {
    const testing::Real x = p.weight[i] * testing::Real(u[i]) - p.preferred[i];
    f += p.r * x * x;
    for (std::size_t k = 0; k < kAxes; ++k) missing[k] -= p.a[i][k] * x;
  }
  return f + testing::dot(missing, missing);
}

testing::Real entering(const Effectiveness& e, const WrenchDemand& d, const testing::Dense& p) {
  testing::Real sum = 0;
  for (std::size_t k = 0; k < kAxes; ++k) {
    testing::Real size = testing::magnitude(to_vec6(d.F_Bo_B)[k]);
    for (std::size_t i = 0; i < e.n; ++i)
      size +=
          testing::magnitude(e.column[i][k]) * std::max(std::abs(e.lower[i]), std::abs(e.upper[i]));
    size *= d.weight[k];
    sum += size * size;
  }
  for (std::size_t i = 0; i < p.n(); ++i) {
    if (!(p.lower[i] < p.upper[i])) continue;
    const testing::Real h =
        std::max(testing::magnitude(p.lower[i]), testing::magnitude(p.upper[i]));
    sum += p.r * h * h;
  }
  return sum;
}

// one channel [-1, 1] of gain 1, 3 asked for: u = 1, the slope -4 points outwards. At u = 0 the
// slope is -6 and the bound 1 away: G = 6 of F = 16, and truly f falls by 9 - 4 = 5
TEST(Proof, IsTheOneDoneByHand) {
  Effectiveness e;
  e.n = 1;
  e.column[0][0] = 1;
  e.lower[0] = -1;
  e.upper[0] = 1;
  const WrenchDemand d = testing::axis_demand(0, 3);
  Prepared prepared;
  Allocation out;
  allocate(prepared, proved(), e, d, nullptr, out);
  EXPECT_EQ(out.effort[0], 1);
  EXPECT_NEAR(out.gap, 0, 1e-13);
  EXPECT_GT(out.gap, 0);
  out.effort[0] = 0;
  out.residual.force.x = 3;
  EXPECT_NEAR(gap_of(prepared, d, out), 6.0 / 16, 1e-13);
  allocate(prepared, {}, e, d, nullptr, out);
  EXPECT_EQ(out.gap, -1) << "not asked for";
}

TEST(Proof, EveryAnswerHasOneThatSaysItIsTheOptimum) {
  RandomStream random(1, "proof");
  Prepared prepared;
  for (std::size_t c = 0; c < kProblemClasses; ++c)
    for (int trial = 0; trial < 60; ++trial) {
      const auto n = 1 + static_cast<std::uint32_t>(random.bits() % 20);
      const Problem p = make_problem(static_cast<ProblemClass>(c), n, random);
      Allocation plain, out;
      allocate(p.settings, p.effectiveness, p.demand, nullptr, plain);
      for (int again = 0; again < 2; ++again) {
        allocate(prepared, proved(p.settings), p.effectiveness, p.demand, nullptr, out);
        EXPECT_EQ(out.grade, plain.grade);
        EXPECT_GE(out.gap, 0) << name_of(static_cast<ProblemClass>(c));
        EXPECT_LT(out.gap, 1e-11) << name_of(static_cast<ProblemClass>(c));
      }
    }
}

// never below how much better the optimum is, and seen as soon as that is anything
TEST(Proof, SeesEveryAnswerThatWasTamperedWith) {
  RandomStream random(2, "proof tampered");
  int seen = 0, worse = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    const auto kind = static_cast<ProblemClass>(random.bits() % kProblemClasses);
    const Problem p =
        make_problem(kind, 1 + static_cast<std::uint32_t>(random.bits() % 12), random);
    const Effectiveness& e = p.effectiveness;
    Prepared prepared;
    Allocation out;
    allocate(prepared, proved(p.settings), e, p.demand, nullptr, out);
    const testing::Dense dense = testing::dense(e, p.demand, p.settings.objective.r());
    const testing::Real least = cost(dense, out.effort);
    const double size = std::pow(10.0, random.uniform(-9, 0));
    const double answered = out.gap;
    ChannelVector tampered = out.effort;
    for (std::size_t i = 0; i < e.n; ++i)
      tampered[i] = std::clamp(tampered[i] + size * (e.upper[i] - e.lower[i]) * random.normal(),
                               e.lower[i], e.upper[i]);
    set_sent(e, p.demand, nullptr, tampered, out);
    const double gap = gap_of(prepared, p.demand, out);
    const testing::Real scale = entering(e, p.demand, dense);
    if (!(scale > 0)) continue;
    const testing::Real off = (cost(dense, tampered) - least) / scale;
    EXPECT_GE(gap, static_cast<double>(off)) << name_of(kind) << " " << trial;
    if (off > 1e-12) {
      ++worse;
      seen += gap > 1e-12 && gap > answered ? 1 : 0;
    }
  }
  EXPECT_GT(worse, 500);
  EXPECT_EQ(seen, worse);
}

TEST(Proof, WhatIsNoOptimumIsNotGradedAsOne) {
  Settings s = proved();
  s.max_iterations = 1;
  RandomStream random(3, "proof capped");
  int capped = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const Problem p = make_problem(ProblemClass::kHeavy, 12, random);
    const Allocation out = testing::solve(s, p.effectiveness, p.demand);
    if (out.grade == AllocationGrade::kIterationCapped) ++capped;
    EXPECT_EQ(out.gap > kGapOfAnOptimum && out.grade != AllocationGrade::kIterationCapped, false);
  }
  EXPECT_GT(capped, 0);
}

TEST(Proof, ThereIsNoneWhereADirectionIsKeptOrNothingIsAnswered) {
  Settings s = proved();
  s.objective.preserve_direction = true;
  EXPECT_EQ(testing::solve(s, testing::sub8(1), testing::axis_demand(0, 9)).gap, -1);
  EXPECT_EQ(testing::solve(proved(), testing::sub8(1), testing::axis_demand(0, testing::kNaN)).gap,
            -1);
}

}  // namespace
}  // namespace pintle::allocation
