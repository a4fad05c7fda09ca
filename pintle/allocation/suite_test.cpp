// The solver against optima that two independent ways in 34 digits agree on. Here one block in
// twenty-four of the suite; bench/allocation and the campaign allocation_suite run all of it.
#include <gtest/gtest.h>

#include "pintle/allocation/prepared.h"
#include "pintle/allocation_suite/certified.h"
#include "pintle/allocation_suite/vehicles.h"

namespace pintle::allocation {
namespace {

using testing::Certified;
using testing::error_of;

const std::vector<Certified>& certified_problems() {
  static const std::vector<Certified> problems = [] {
    std::vector<Certified> made;
    // whole blocks of sixteen, so that sequences stay together, and of every class as many
    for (std::size_t block = 0; block < testing::kSuiteProblems / 16; ++block)
      if ((block + block / kProblemClasses) % 25 == 0)
        for (std::size_t j = 0; j < 16; ++j) made.push_back(testing::certified(block * 16 + j));
    return made;
  }();
  return problems;
}

TEST(CertifiedSuite, HoldsTenThousandProblemsOfEveryClassFromFourToSixtyFourChannels) {
  EXPECT_GE(testing::kSuiteProblems, 10'000U);
  std::array<int, kProblemClasses> of_class{};
  std::array<int, kMaxChannels + 1> of_size{};
  int without_trade = 0;
  for (std::size_t k = 0; k < testing::kSuiteProblems; ++k) {
    ProblemClass kind{};
    bool follows = false;
    const Problem p = testing::suite_problem(k, kind, follows);
    ++of_class[static_cast<std::size_t>(kind)];
    ++of_size[p.effectiveness.n];
    without_trade += p.settings.objective.k2 == 0 ? 1 : 0;
  }
  for (int count : of_class) EXPECT_GE(count, 800);
  EXPECT_EQ(of_size[3], 0);
  EXPECT_GE(of_size[64], 1);
  EXPECT_GT(of_size[8], 1000);
  EXPECT_NEAR(without_trade, static_cast<int>(testing::kSuiteProblems / 2), 1000);
}

// of the channels that can move and push, the part on a bound at the optimum
double saturated_share(const Problem& p) {
  const Allocation out = testing::solve(p.settings, p.effectiveness, p.demand);
  const Effectiveness& e = p.effectiveness;
  double able = 0;
  double on_bound = 0;
  for (std::size_t i = 0; i < e.n; ++i) {
    if (!(e.lower[i] < e.upper[i]) || dot(e.column[i], e.column[i]) == 0) continue;
    ++able;
    on_bound += out.effort[i] == e.lower[i] || out.effort[i] == e.upper[i] ? 1 : 0;
  }
  return able > 0 ? on_bound / able : 0;
}

// mean, and what a tenth of the problems is below and above
struct Spread {
  double low = 0, mean = 0, high = 0;
};
Spread saturated(ProblemClass c, std::uint32_t n) {
  RandomStream random(n, "saturated");
  std::vector<double> share;
  Spread s;
  for (int i = 0; i < 200; ++i) {
    share.push_back(saturated_share(make_problem(c, n, random)));
    s.mean += share.back() / 200;
  }
  std::sort(share.begin(), share.end());
  s.low = share[20];
  s.high = share[180];
  return s;
}

TEST(CertifiedSuite, ClassesSaturateWhatTheySayForAnyNumberOfChannels) {
  for (const std::uint32_t n : {4U, 8U, 16U, 32U, 64U}) {
    EXPECT_EQ(saturated(ProblemClass::kAttainable, n).high, 0) << n;
    const Spread mild = saturated(ProblemClass::kMild, n);
    EXPECT_GE(mild.mean, 0.05) << n;
    EXPECT_LE(mild.mean, n == 64 ? 0.12 : 0.2) << n;
    const Spread heavy = saturated(ProblemClass::kHeavy, n);
    EXPECT_GE(heavy.low, 0.5) << n;
    EXPECT_GE(heavy.mean, 0.8) << n;
    using enum ProblemClass;
    for (const ProblemClass c :
         {kDegenerate, kDeficient, kFailed, kScaled, kNarrow, kUnweighted, kScaledTies}) {
      const Spread mixed = saturated(c, n);
      EXPECT_LE(mixed.low, 0.5) << name_of(c) << n;
      EXPECT_GE(mixed.high, 0.65) << name_of(c) << n;
      EXPECT_GE(mixed.mean, 0.2) << name_of(c) << n;
      EXPECT_LE(mixed.mean, 0.8) << name_of(c) << n;
    }
  }
}

TEST(CertifiedSuite, EveryOptimumIsCertifiedByTwoWays) {
  for (const Certified& c : certified_problems())
    EXPECT_TRUE(c.certified()) << name_of(c.kind) << " " << c.number << " apart " << c.disagreement
                               << " proved " << c.proved << " unclear " << c.unclear_rank;
}

TEST(CertifiedSuite, BothWaysFindAnOptimumDoneByHand) {
  // one row (1, 2), demand 4, boxes [-1, 1]: free, u = 4 / 5 (1, 2) leaves the box; u2 = 1, u1 = 1
  // is out as well: 1 + 2 = 3 is all there is. Demand 2.5: u2 = 1, u1 = 0.5.
  Problem p;
  p.effectiveness.n = 2;
  p.effectiveness.column[0][0] = 1;
  p.effectiveness.column[1][0] = 2;
  for (std::size_t i = 0; i < 2; ++i) {
    p.effectiveness.lower[i] = -1;
    p.effectiveness.upper[i] = 1;
  }
  p.demand = testing::axis_demand(0, 4);
  Certified c = testing::certify(p, ProblemClass::kHeavy);
  EXPECT_TRUE(c.certified());
  EXPECT_EQ(c.effort, (std::vector<double>{1, 1}));
  EXPECT_EQ(c.size, 2);
  p.demand = testing::axis_demand(0, 2.5);
  c = testing::certify(p, ProblemClass::kMild);
  EXPECT_TRUE(c.certified());
  EXPECT_EQ(c.effort, (std::vector<double>{0.5, 1}));
  // r = 1: u = (B'B + 1)^-1 B' 2 = 2 / 6 (1, 2)
  p.settings = testing::with_r(1);
  p.demand = testing::axis_demand(0, 2);
  c = testing::certify(p, ProblemClass::kAttainable);
  EXPECT_TRUE(c.certified());
  EXPECT_DOUBLE_EQ(c.effort[0], 1.0 / 3);
  EXPECT_DOUBLE_EQ(c.effort[1], 2.0 / 3);
}

TEST(CertifiedSuite, ARankThatRoundingMadeIsNotCertified) {
  // the third column is the sum of the others but for a part of 1e-14
  Problem p;
  p.effectiveness.n = 3;
  p.effectiveness.column[0][0] = 1;
  p.effectiveness.column[1][1] = 1;
  p.effectiveness.column[2] = {{1, 1, 1e-14, 0, 0, 0}};
  for (std::size_t i = 0; i < 3; ++i) {
    p.effectiveness.lower[i] = -1;
    p.effectiveness.upper[i] = 1;
  }
  p.demand = testing::demand_of({{0.1, 0.1, 1e-16, 0, 0, 0}});
  EXPECT_FALSE(testing::certify(p, ProblemClass::kDeficient).certified());
}

TEST(CertifiedSuite, EveryAnswerIsTheOptimum) {
  std::size_t close = 0;
  for (const Certified& c : certified_problems()) {
    const Problem& p = c.problem;
    const Allocation out = testing::solve(p.settings, p.effectiveness, p.demand);
    const double error = error_of(c, out.effort.begin());
    EXPECT_LE(error, 1e-6) << name_of(c.kind) << " " << c.number;
    close += error <= 1e-9 ? 1U : 0U;
  }
  EXPECT_GE(close * 100, certified_problems().size() * 99);
}

TEST(CertifiedSuite, RefinedAnswersAreTheOptimumToNineDigits) {
  for (const Certified& c : certified_problems()) {
    Settings settings = c.problem.settings;
    settings.objective.refine = true;
    const Allocation out = testing::solve(settings, c.problem.effectiveness, c.problem.demand);
    EXPECT_LE(error_of(c, out.effort.begin()), 1e-9) << name_of(c.kind) << " " << c.number;
  }
}

TEST(CertifiedSuite, SequencesWithWhatWasKeptAnswerAlike) {
  Prepared prepared;
  int followed = 0;
  for (const Certified& c : certified_problems()) {
    const Problem& p = c.problem;
    Allocation warm;
    allocate(prepared, p.settings, p.effectiveness, p.demand, nullptr, warm);
    EXPECT_LE(error_of(c, warm.effort.begin()), 1e-6) << name_of(c.kind) << " " << c.number;
    followed += c.follows ? 1 : 0;
  }
  EXPECT_GT(followed, 200);
}

}  // namespace
}  // namespace pintle::allocation
