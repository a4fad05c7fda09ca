#include "pintle/allocation/levels.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pintle/allocation_suite/groups.h"
#include "pintle/allocation_suite/suite.h"
#include "pintle/allocation_suite/vehicles.h"
#include "pintle/base/random.h"

namespace pintle::allocation {
namespace {

Allocation solve_demand(const Problem& p) {
  Allocation out;
  allocate(p.settings, p.effectiveness, p.demand, nullptr, out);
  return out;
}

double error_of(const Allocation& a, const WrenchDemand& d, std::uint8_t group) {
  double sum = 0;
  for (std::size_t k = 0; k < kAxes; ++k)
    if (d.group[k] == group) {
      const double x = d.weight[k] * to_vec6(a.residual)[k];
      sum += x * x;
    }
  return std::sqrt(sum);
}

Problem two_groups(ProblemClass c, std::uint32_t n, RandomStream& random) {
  Problem p = make_problem(c, n, random);
  p.settings.objective.k2 = 0;
  for (std::size_t k = 3; k < kAxes; ++k) p.demand.group[k] = 1;
  return p;
}

TEST(Groups, TheFirstGroupIsServedAsIfItWereAlone) {
  RandomStream random(1, "groups");
  int differs = 0;
  for (ProblemClass c : {ProblemClass::kMild, ProblemClass::kHeavy, ProblemClass::kNarrow})
    for (int trial = 0; trial < 200; ++trial) {
      const Problem p = two_groups(c, 8, random);
      Problem alone = p;
      for (std::size_t k = 3; k < kAxes; ++k) alone.demand.weight[k] = 0;
      Problem plain = p;
      plain.demand.group = {};
      const Allocation a = solve_demand(p);
      const double best = error_of(solve_demand(alone), p.demand, 0);
      EXPECT_LE(error_of(a, p.demand, 0), best + 1e-8);
      // and never worse for it than without groups
      EXPECT_LE(error_of(a, p.demand, 0), error_of(solve_demand(plain), p.demand, 0) + 1e-8);
      if (error_of(solve_demand(plain), p.demand, 0) > best + 1e-3) ++differs;
      for (std::size_t i = 0; i < 8; ++i) {
        EXPECT_GE(a.effort[i], p.effectiveness.lower[i]);
        EXPECT_LE(a.effort[i], p.effectiveness.upper[i]);
      }
    }
  EXPECT_GT(differs, 100);
}

TEST(Groups, TheSecondGroupGetsWhatIsLeftByHand) {
  // one thruster for x alone, one for x and roll together: roll first takes the second, x the rest
  Problem p;
  Effectiveness& e = p.effectiveness;
  e.n = 2;
  e.column[0] = {{1, 0, 0, 0, 0, 0}};
  e.column[1] = {{1, 0, 0, 1, 0, 0}};
  e.lower[0] = e.lower[1] = -1;
  e.upper[0] = e.upper[1] = 1;
  p.demand.F_Bo_B = {{3, 0, 0}, {-2, 0, 0}};
  p.demand.group = {1, 1, 1, 0, 0, 0};
  const Allocation a = solve_demand(p);
  EXPECT_NEAR(a.effort[1], -1, 1e-9);
  EXPECT_NEAR(a.effort[0], 1, 1e-9);
  p.demand.group = {0, 0, 0, 1, 1, 1};
  const Allocation b = solve_demand(p);
  EXPECT_NEAR(b.effort[1], 1, 1e-9);
}

// x, y and z by two columns that differ by a thousandth in y: x and y ask for (0.3, 0.2). What z would
// like is 3e-6 from what those give, and with weights of one they would give way by 1.5e-9
TEST(Groups, ALaterGroupTakesNothingThatIsTooLittleToBeGraded) {
  Effectiveness e;
  e.n = 2;
  e.column[0] = {{1, 1, 0}};
  e.column[1] = {{1, 1.001, 1}};
  e.lower[0] = e.lower[1] = -1;
  e.upper[0] = e.upper[1] = 1;
  WrenchDemand d;
  d.F_Bo_B.force = {0.5, 0.5002, 0.200003};
  d.weight = {1, 1, 1, 0, 0, 0};
  d.group = {0, 0, 1, 0, 0, 0};
  const Allocation a = testing::solve({}, e, d);
  EXPECT_NEAR(a.effort[0], 0.3, 1e-12);
  EXPECT_NEAR(a.effort[1], 0.2, 1e-12);
  EXPECT_NEAR(a.residual.force.z, 3e-6, 1e-12);
  EXPECT_EQ(a.grade, AllocationGrade::kBounded);
  EXPECT_EQ(a.margin, 0);
}

TEST(Groups, WhatCanBeMetIsTheSameWithAndWithoutGroups) {
  RandomStream random(2, "groups");
  for (int trial = 0; trial < 100; ++trial) {
    const Problem p = two_groups(ProblemClass::kAttainable, 8, random);
    Problem plain = p;
    plain.demand.group = {};
    const Allocation a = solve_demand(p);
    const Allocation b = solve_demand(plain);
    EXPECT_EQ(a.grade, AllocationGrade::kExact);
    for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(a.effort[i], b.effort[i], 1e-9);
  }
}

TEST(PreserveDirection, TheWrenchKeepsItsDirectionAndIsTheLargestThatDoes) {
  RandomStream random(3, "direction");
  for (ProblemClass c : {ProblemClass::kMild, ProblemClass::kHeavy})
    for (int trial = 0; trial < 150; ++trial) {
      Problem p = make_problem(c, 8, random);
      p.settings.objective = {1, 0, true};
      const Allocation a = solve_demand(p);
      const Vec6 wanted = to_vec6(p.demand.F_Bo_B);
      const Vec6 got = to_vec6(a.achieved);
      const double s = dot(wanted, got) / dot(wanted, wanted);
      ASSERT_GE(s, 0);
      ASSERT_LE(s, 1 + 1e-9);
      for (std::size_t k = 0; k < kAxes; ++k)
        EXPECT_NEAR(got[k], s * wanted[k], 1e-8 * norm(wanted));
      // a little more cannot be met
      if (s < 0.999) {
        Problem more = p;
        more.settings.objective.preserve_direction = false;
        more.demand.F_Bo_B = (s * (1 + 1e-6)) * p.demand.F_Bo_B;
        EXPECT_EQ(solve_demand(more).grade, AllocationGrade::kBounded);
        more.demand.F_Bo_B = (s * (1 - 1e-6)) * p.demand.F_Bo_B;
        EXPECT_EQ(solve_demand(more).grade, AllocationGrade::kExact);
      }
    }
}

TEST(AttainableScale, ItIsTheExactMarginAndNeverBelowTheQuickOne) {
  RandomStream random(4, "scale");
  for (int trial = 0; trial < 200; ++trial) {
    Problem p =
        make_problem(trial % 2 == 0 ? ProblemClass::kAttainable : ProblemClass::kMild, 8, random);
    p.settings.objective.k2 = 0;
    const double s = attainable_scale(p.effectiveness, p.demand, nullptr);
    EXPECT_GE(s, solve_demand(p).margin * (1 - 1e-9));
    p.demand.F_Bo_B = (s * (1 - 1e-7)) * p.demand.F_Bo_B;
    EXPECT_EQ(solve_demand(p).grade, AllocationGrade::kExact);
    p.demand.F_Bo_B = (1 + 1e-6) * p.demand.F_Bo_B;
    EXPECT_EQ(solve_demand(p).grade, AllocationGrade::kBounded);
  }
}

TEST(AttainableScale, SurgeOfOneThrusterByHand) {
  Problem p;
  p.effectiveness.n = 1;
  p.effectiveness.column[0] = {{2, 0, 0, 0, 0, 0}};
  p.effectiveness.lower[0] = -1;
  p.effectiveness.upper[0] = 3;
  p.demand.F_Bo_B.force.x = 1.5;
  EXPECT_NEAR(attainable_scale(p.effectiveness, p.demand, nullptr), 4, 1e-9);
  p.demand.F_Bo_B.force.x = -8;
  EXPECT_NEAR(attainable_scale(p.effectiveness, p.demand, nullptr), 0.25, 1e-9);
  p.demand.F_Bo_B = {{0, 1, 0}, {}};
  EXPECT_EQ(attainable_scale(p.effectiveness, p.demand, nullptr), 0);
  p.demand.F_Bo_B = {};
  EXPECT_EQ(attainable_scale(p.effectiveness, p.demand, nullptr), kLargestMargin);
}

// one group after the other in 34 digits
TEST(Levels, EveryGroupGetsWhatItCanWithoutTouchingThoseBefore) {
  int certified = 0;
  for (std::size_t number = 0; number < 600; ++number) {
    const testing::InGroups g = testing::in_groups(number);
    if (!g.certified) continue;
    ++certified;
    const Problem& p = g.problem;
    const Allocation out = testing::solve(p.settings, p.effectiveness, p.demand);
    EXPECT_LE(g.error_of(out.effort.begin()), 1e-9) << name_of(g.kind) << " " << number;
  }
  EXPECT_GE(certified, 500);
}

// who is held by what an earlier group misses stays on its bound: held by a weight alone it left it
// where the price was small, by 2e-13 in one problem of four hundred and by 1e-10 in one of four
// thousand
TEST(Levels, NoGroupTakesFromThoseBeforeAndConditionsWithoutWeightsSaySo) {
  for (const std::size_t number : {140U, 1098U, 1642U, 9415U}) {
    const testing::InGroups g = testing::in_groups(number);
    const Problem& p = g.problem;
    Allocation out;
    allocate(p.settings, p.effectiveness, p.demand, nullptr, out);
    EXPECT_LE(testing::broken_conditions(p, out.effort.begin()), 1e-13) << number;
  }
}

// multipliers 1e11 times what enters the conditions are found too: the first step towards them breaks
// the condition of a channel that next to nothing enters
TEST(Levels, RowsInUnitsFarApartAreProvedToo) {
  Problem p;
  Effectiveness& craft = p.effectiveness;
  craft.n = 7;
  craft.column = {{{{0, 0.015625, 0x1p-10, 65536, 4096, 0.0078125}},
                   {{0, 0, 0, 262144, 0, 0.03125}},
                   {{0, 0, 0, 4194304, -262144, 0.5}},
                   {{0, -0.03125, -0x1p-9, 131072, 8192, 0.015625}},
                   {{32, 0.25, 0, 0, 0, 0.125}},
                   {{8, -0.0625, 0x1p-8, 0, -16384, -0.03125}},
                   {{32, 0, 0, 1048576, 65536, -0.125}}}};
  const std::array<double, 7> most{0.125, 0.03125, 0x1p-9, 0.0625, 0.0078125, 0.03125, 0.0078125};
  for (std::size_t i = 0; i < craft.n; ++i) craft.lower[i] = -(craft.upper[i] = most[i]);
  p.demand.F_Bo_B = {{0.385422, 0.00421498, 0.000625613}, {-46632.4, -793.56, -0.00601086}};
  p.demand.group = {2, 1, 2, 2, 1, 1};
  p.settings.objective.k2 = 0;
  const Allocation out = solve_demand(p);
  EXPECT_LE(testing::broken_conditions(p, out.effort.begin()), 1e-12);
}

// a trade would miss a little of each, and so the direction: s fell to nothing, and nothing was proved
TEST(PreserveDirection, WhatEffortCostsDoesNotCutTheWrench) {
  Effectiveness craft;
  craft.n = 2;
  craft.column[0] = {{1, 0, 0, 0, 0, 0.5}};
  craft.column[1] = {{1, 0, 0, 0, 0, -0.5}};
  craft.lower[0] = craft.lower[1] = -1;
  craft.upper[0] = craft.upper[1] = 1;
  WrenchDemand demand;
  demand.F_Bo_B = {{3, 0, 0}, {0, 0, 0.5}};
  Settings settings;
  settings.objective.preserve_direction = true;
  settings.objective.k2 = 0.1;
  Allocation out;
  allocate(settings, craft, demand, nullptr, out);
  // surge 3 s and yaw s / 2 of efforts 2 s and s: the first is full at one half
  EXPECT_EQ(out.grade, AllocationGrade::kBounded);
  EXPECT_NEAR(out.effort[0], 1, 1e-12);
  EXPECT_NEAR(out.effort[1], 0.5, 1e-12);
}

// surge 4 comes to 2, with both of the first full. The second of them leaves 1 to 2 of sway, and
// yaw ends at a half: of sway and yaw in the same direction there is half of (2, 1), nothing of (-2, 1)
TEST(PreserveDirection, AGroupThatIsCutLeavesTheNextOneItsOwnDirection) {
  Problem p;
  p.effectiveness.n = 4;
  p.effectiveness.column[0] = {{1, 0, 0, 0, 0, 0}};
  p.effectiveness.column[1] = {{1, 1, 0, 0, 0, 0}};
  p.effectiveness.column[2] = {{0, 1, 0, 0, 0, 0}};
  p.effectiveness.column[3] = {{0, 0, 0, 0, 0, 1}};
  p.effectiveness.lower = {0, 0, -1, -0.5};
  p.effectiveness.upper = {1, 1, 1, 0.5};
  p.demand.group = {0, 1, 1, 1, 1, 1};
  p.settings.objective.preserve_direction = true;
  for (const double sway : {2.0, -2.0}) {
    p.demand.F_Bo_B = {{4, sway, 0}, {0, 0, 1}};
    const Allocation a = solve_demand(p);
    EXPECT_EQ(a.grade, AllocationGrade::kBounded);
    const double expected[] = {1, 1, sway > 0 ? 0.0 : -1.0, sway > 0 ? 0.5 : 0.0};
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(a.effort[i], expected[i], 1e-12) << sway << " " << i;
  }
}

// who is served after another has a weight that is compared with nobody's
TEST(Groups, WeightsOfDifferentGroupsMayBeAnyHowFarApart) {
  RandomStream random(8, "weights of groups");
  for (int trial = 0; trial < 100; ++trial) {
    Problem p =
        make_problem(trial % 2 == 0 ? ProblemClass::kAttainable : ProblemClass::kHeavy, 8, random);
    p.settings.objective = {};
    p.demand.weight = {1, 1, 1, 1, 1, 1};
    p.demand.group = {0, 0, 0, 1, 1, 1};
    const Allocation alike = solve_demand(p);
    p.demand.weight = {1, 1, 1, 1e-16, 1e-16, 1e-16};
    const Allocation apart = solve_demand(p);
    ASSERT_EQ(apart.grade, alike.grade) << trial;
    EXPECT_LE(testing::distance(apart.effort, alike.effort), 1e-9) << trial;
    p.demand.group = {};
    EXPECT_EQ(solve_demand(p).grade, AllocationGrade::kRejected);
  }
}

// Five rows held by the groups before, the point in a corner of the box: the search of the third group came round to
// the same set every six rounds and was cut off by the cap, at the right answer.
TEST(Levels, ASearchThatStandsInACornerComesToItsEnd) {
  Problem p;
  p.effectiveness.n = 7;
  p.effectiveness.column[0] = {{4.8125, 1.6875, -1.3125, -2.8125, 4.3125, -1.75}};
  p.effectiveness.column[1] = {{-1, -3.4375, -0.375, -3.375, -2.6875, -0.4375}};
  p.effectiveness.column[2] = {{-0.3125, 4.875, 3.25, -1.5, 1, 4.125}};
  p.effectiveness.column[3] = {{-3.1875, -1.1875, -4.375, 4.1875, 1.5625, 0.9375}};
  p.effectiveness.column[4] = {{2.1875, -2.1875, -4.25, 1.8125, -0.25, 1.0625}};
  p.effectiveness.column[5] = {{-2.1875, 0.1875, 3.375, -0.1875, -3.875, -2.5625}};
  p.effectiveness.column[6] = {{0.3125, 2.3125, -3.1875, -4.0625, 2.25, 2.75}};
  const std::array preferred{0.9375, -0.625, 3.3125, 3.4375, -2.125, -3.75, -3.375};
  for (std::size_t i = 0; i < 7; ++i) {
    p.effectiveness.lower[i] = -1;
    p.effectiveness.upper[i] = 1;
    p.effectiveness.preferred[i] = preferred[i];
  }
  p.demand.F_Bo_B = {{24.60083262428163, 2.66714803183095, 1.6829717677828919},
                     {0.10346873440667156, 0.76980500600554147, -0.015890341898715726}};
  p.demand.group = {0, 0, 0, 1, 0, 2};
  p.settings.objective.k2 = 1.4375;
  const Allocation a = solve_demand(p);
  EXPECT_EQ(a.grade, AllocationGrade::kBounded);
  EXPECT_LT(a.iterations, 40);
  EXPECT_EQ(a.at_lower, 0b1101000U);
  EXPECT_EQ(a.at_upper, 0b0010001U);
}

// Axes of which one weighs 15 360 times another: near the end of the direction what the plane leans on
// is rounding. The share is that of Gaussian elimination in fractions, with those held that end it.
TEST(PreserveDirection, APlaneThatRoundingTurnedDoesNotEndTheDirection) {
  const auto share_of = [](std::array<std::array<double, kAxes>, 6> columns, const Vec6& wanted,
                           const std::array<double, kAxes>& weight, bool refine) {
    Problem p;
    p.effectiveness.n = 6;
    for (std::size_t i = 0; i < 6; ++i) {
      p.effectiveness.column[i] = {columns[i]};
      p.effectiveness.lower[i] = -1;
      p.effectiveness.upper[i] = 1;
    }
    p.demand.F_Bo_B = to_wrench(wanted);
    p.demand.weight = weight;
    p.settings.objective.preserve_direction = true;
    p.settings.objective.refine = refine;
    const Allocation a = solve_demand(p);
    EXPECT_EQ(a.grade, AllocationGrade::kBounded);
    // as much of every axis that is asked for
    const Vec6 got = to_vec6(a.achieved);
    for (std::size_t k = 0; k < kAxes; ++k)
      EXPECT_NEAR(weight[k] > 0 ? got[k] / wanted[k] : got[0] / wanted[0], got[0] / wanted[0], 1e-6)
          << k;
    const double alone = attainable_scale(p.effectiveness, p.demand, nullptr);
    EXPECT_NEAR(alone, got[0] / wanted[0], 1e-7);
    return got[0] / wanted[0];
  };
  for (const bool refine : {false, true}) {
    EXPECT_NEAR(share_of({{{0, -0.0625, 3.5625, -0.01953125, -2.125, -2.1875},
                           {0.1875, 0, 1.6875, -2, 2.25, 0},
                           {0, 0, 1.8125, 3.3125, -1.6875, 0.75},
                           {3.3125, -0.25, 0.6875, 1.4375, 0, -4.375},
                           {2.375, 0, 4.4375, -0.5, -152, -0.8125},
                           {0, 0, 0, -47.0 / 32768, 2.8125, 3.625}}},
                         {{0.9375, -2.6875, 0.03125, -4.875, -3.375, 2.25}},
                         {1.125, 0.125, 960, 4.3125, 0.0625, 4.3125}, refine),
                0.024975516236506, 2e-9);
    EXPECT_NEAR(share_of({{{0, 14.875, -320, 3.125, 1.6875, 0},
                           {472, 2.125, 0, 0, -0.25, -0.625},
                           {0, 3.3125, 352, 1.4375, 0, 3.375},
                           {0.25, -3, 101, -1.125, 0, 0},
                           {-1.6875, -3.5625, -4.625, 4, 0.125, -2.875},
                           {164, 3.8125, 3.5, 0.25, 0, -3.0625}}},
                         {{4.1875, 0.625, 0, 4.5625, 1.1875, 0.0625}},
                         {111.0 / 16384, 512, 0, 0, 0.4375, 0.125}, refine),
                0.998076617143559, 3e-9);
  }
}

// five columns, and a direction that lies 1.8e-7 beside all that they give: what the plane leans on is
// what rounding left of a residual. The share is 0, at whatever demand no bound is in the way
TEST(PreserveDirection, OfADirectionBesideAllThatIsGivenNothingIsGiven) {
  Problem p;
  constexpr std::array<Vec6, 5> kColumns{{{{-3, 1.25, 0.5, 3.375, 4.625, 3.0625}},
                                          {{2.6875, 0.0625, -4.125, -1.1875, 4, 0.25}},
                                          {{-2.3125, 3.5625, -3.3125, 3.4375, 2.0625, -2.125}},
                                          {{-5, 2, -4.75, 1.8125, -0.0625, 3.8125}},
                                          {{2.0625, 0.1875, -1.4375, 0.625, -3.3125, -2.8125}}}};
  p.effectiveness.n = 6;
  for (std::size_t i = 0; i < 5; ++i) {
    p.effectiveness.column[i] = kColumns[i];
    p.effectiveness.lower[i] = -1;
    p.effectiveness.upper[i] = 1;
  }
  // and one that is out: it is in nobody's way
  p.effectiveness.column[5] = {{1, 2, 3, 4, 5, 6}};
  p.effectiveness.upper[5] = 1;
  std::array<PropulsorHealth, 6> health{};
  health[5].health = Health::kOut;
  p.demand.F_Bo_B =
      to_wrench({{0x1.e28e833e050e7p-2, 0x1.2816eec861abbp+0, 0x1.06a13204e00bp+1,
                  0x1.39679a4e4b554p+1, 0x1.2c7e49cf524a8p+2, -0x1.9ed186049b0ccp+0}});
  p.demand.weight = {4.5, 0.125, 3.625, 4.6875, 4.9375, 3.3125};
  p.settings.objective.preserve_direction = true;
  for (const double times : {1.0, 1.125, 0.7}) {
    for (const bool refine : {false, true}) {
      Problem q = p;
      q.demand.F_Bo_B = to_wrench(times * to_vec6(p.demand.F_Bo_B));
      q.settings.objective.refine = refine;
      Allocation a;
      allocate(q.settings, q.effectiveness, q.demand, health.data(), a);
      EXPECT_EQ(a.grade, AllocationGrade::kBounded);
      for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(a.effort[i], 0, 1e-14) << times << refine;
    }
  }
}

// one channel, 1 N for 1, asked for 0.5 with a trade of 0.01: 0.5 / 1.01, whatever comes after it
TEST(Levels, AGroupThatNothingMovesTakesNothingFromThoseBefore) {
  using Groups = std::array<std::uint8_t, kAxes>;
  for (const Groups& groups :
       {Groups{0, 0, 0, 0, 0, 0}, Groups{0, 1, 1, 1, 1, 1}, Groups{0, 1, 2, 3, 4, 5}}) {
    Problem p;
    p.effectiveness.n = 1;
    p.effectiveness.column[0] = {{1, 0, 0, 0, 0, 0}};
    p.effectiveness.lower[0] = -1;
    p.effectiveness.upper[0] = 1;
    p.demand.F_Bo_B = {{0.5, 0, 0}, {}};
    p.demand.group = groups;
    p.settings.objective.k2 = 0.01;
    p.settings.prove = true;
    const Allocation a = solve_demand(p);
    EXPECT_NEAR(a.effort[0], 0.5 / 1.01, 1e-12);
    EXPECT_NE(a.grade, AllocationGrade::kIterationCapped);
    // of several groups with a trade there is no proof
    EXPECT_EQ(a.gap < 0, groups[1] != 0);
  }
}

// whole numbers, so that several channels reach their bounds at once and what groups before got is off
// by a rounding: a search that takes such a step for one goes round in a circle
TEST(Levels, AStepOfARoundingIsNone) {
  for (const std::size_t number : {3790U, 6134U, 6870U}) {
    const testing::InGroups g = testing::in_groups(number);
    ASSERT_TRUE(g.certified);
    const Problem& p = g.problem;
    const Allocation out = testing::solve(p.settings, p.effectiveness, p.demand);
    EXPECT_LE(g.error_of(out.effort.begin()), 1e-9) << number;
  }
}

}  // namespace
}  // namespace pintle::allocation
