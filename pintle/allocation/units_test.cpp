// Channels in newtons beside channels in radians, axes in metres beside axes in millimetres: the
// answer does not depend on the units that a vehicle is written in.
#include <gtest/gtest.h>

#include <cmath>

#include "pintle/allocation/prepared.h"
#include "pintle/allocation/rejection.h"
#include "pintle/allocation_suite/units.h"
#include "pintle/allocation_suite/vehicles.h"

namespace pintle::allocation {
namespace {

// what the channels can move through an axis
double through_axis(const Effectiveness& e, std::size_t k) {
  double sum = 0;
  for (std::size_t i = 0; i < e.n; ++i)
    sum += std::abs(e.column[i][k]) * std::max(std::abs(e.lower[i]), std::abs(e.upper[i]));
  return sum;
}

TEST(Units, ADemandWithinReachIsMetWhateverTheUnitsOfTheChannels) {
  for (int decades = 1; decades <= 6; ++decades) {
    RandomStream random(static_cast<std::uint64_t>(decades), "units of channels");
    int bounded = 0;
    double worst = 0;
    for (int trial = 0; trial < 300; ++trial) {
      Problem p = make_problem(ProblemClass::kAttainable, 6 + trial % 4, random);
      p.settings.objective.k2 = 0;
      Effectiveness& e = p.effectiveness;
      for (std::size_t i = 0; i < e.n; ++i) {
        const double s = std::pow(10.0, random.uniform(-decades, decades));
        e.column[i] = s * e.column[i];
        e.lower[i] /= s;
        e.upper[i] /= s;
      }
      const Allocation out = testing::solve(p.settings, e, p.demand);
      bounded += out.grade != AllocationGrade::kExact ? 1 : 0;
      const Vec6 missing = to_vec6(out.residual);
      for (std::size_t k = 0; k < kAxes; ++k)
        worst = std::max(worst, std::abs(missing[k]) / through_axis(e, k));
    }
    EXPECT_EQ(bounded, 0) << decades;
    EXPECT_LE(worst, 1e-10) << decades;
  }
}

// u1 + u2 = 5 with |u1|^2 + |2 u2|^2 least: u = (4, 1). With r = 1, 5 - u1 - u2 = u1 = 4 u2 gives
// u = (20, 5) / 9
TEST(Units, AnEffortThatWeighsMoreIsUsedLess) {
  Effectiveness e;
  e.n = 2;
  for (std::size_t i = 0; i < 2; ++i) {
    e.column[i][0] = 1;
    e.lower[i] = -9;
    e.upper[i] = 9;
  }
  e.effort_weight[1] = 2;
  const Allocation out = testing::solve({}, e, testing::axis_demand(0, 5));
  EXPECT_DOUBLE_EQ(out.effort[0], 4);
  EXPECT_DOUBLE_EQ(out.effort[1], 1);
  EXPECT_DOUBLE_EQ(out.achieved.force.x, 5);
  EXPECT_EQ(out.grade, AllocationGrade::kExact);
  const Allocation traded = testing::solve(testing::with_r(1), e, testing::axis_demand(0, 5));
  EXPECT_DOUBLE_EQ(traded.effort[0], 20.0 / 9);
  EXPECT_DOUBLE_EQ(traded.effort[1], 5.0 / 9);
  // kept, and the weight changed: as if it had always been so
  Prepared prepared;
  Allocation kept;
  allocate(prepared, {}, e, testing::axis_demand(0, 1), nullptr, kept);
  allocate(prepared, {}, e, testing::axis_demand(0, 5), nullptr, kept);
  EXPECT_DOUBLE_EQ(kept.effort[1], 1);
  e.effort_weight[1] = 1;
  allocate(prepared, {}, e, testing::axis_demand(0, 5), nullptr, kept);
  EXPECT_DOUBLE_EQ(kept.effort[1], 2.5);
  // bounds are the vehicle's, bit for bit
  e.effort_weight[1] = 3;
  e.upper[1] = 0.1;
  const Allocation cut = testing::solve({}, e, testing::axis_demand(0, 100));
  EXPECT_EQ(cut.effort[1], 0.1);
  EXPECT_EQ(cut.at_upper, 3U);
}

TEST(Units, WeightsOfEffortsThatMeanNothingAreRefused) {
  Effectiveness e = testing::sub8(1);
  for (const double bad : {0.0, -1.0, testing::kNaN, testing::kInfinity}) {
    e.effort_weight[3] = bad;
    EXPECT_EQ(testing::solve({}, e, testing::axis_demand(0, 1)).grade, AllocationGrade::kRejected);
    const Rejection why = why_rejected({}, e, testing::axis_demand(0, 1), nullptr);
    EXPECT_EQ(why.reason, RejectionReason::kEffortWeightNotSound);
    EXPECT_EQ(why.channel, 3U);
  }
}

// the whole craft in other units: columns, bounds, weights of efforts and of axes
TEST(Units, TheSameCraftInOtherUnitsGetsTheSameAnswer) {
  constexpr ProblemClass kKinds[] = {ProblemClass::kAttainable, ProblemClass::kMild,
                                     ProblemClass::kHeavy, ProblemClass::kFailed};
  for (int decades = 1; decades <= 6; ++decades) {
    RandomStream random(static_cast<std::uint64_t>(decades), "the craft in other units");
    Prepared prepared;
    double worst = 0;
    for (int trial = 0; trial < 400; ++trial) {
      Problem p = make_problem(kKinds[trial % 4], 4 + trial % 13, random);
      // none, or 1e-8 to 1e-2 of the largest gain squared
      set_trade(p, trial % 5 == 0 ? 0 : std::pow(10.0, -2.0 * (trial % 5)));
      const Allocation base = testing::solve(p.settings, p.effectiveness, p.demand);
      Effectiveness e = p.effectiveness;
      WrenchDemand d = p.demand;
      std::vector<double> unit;
      for (std::size_t i = 0; i < e.n; ++i) {
        unit.push_back(std::pow(10.0, random.uniform(-decades, decades)));
        testing::change_channel(e, i, unit[i]);
        e.effort_weight[i] *= unit[i];
      }
      for (std::size_t k = 0; k < kAxes; ++k) {
        const double of_axis = std::pow(10.0, random.uniform(-decades, decades));
        testing::change_axis(e, d, k, of_axis);
        d.weight[k] /= of_axis;
      }
      Allocation kept;
      WrenchDemand other = d;
      other.F_Bo_B = 0.7 * d.F_Bo_B;
      allocate(prepared, p.settings, e, other, nullptr, kept);
      allocate(prepared, p.settings, e, d, nullptr, kept);
      const Allocation cold = testing::solve(p.settings, e, d);
      for (std::size_t i = 0; i < e.n; ++i) {
        const double own = std::max(std::abs(e.lower[i]), std::abs(e.upper[i]));
        if (own == 0) continue;
        worst =
            std::max(worst, std::abs(cold.effort[i] * unit[i] - base.effort[i]) / own / unit[i]);
        worst = std::max(worst, std::abs(cold.effort[i] - kept.effort[i]) / own);
      }
      EXPECT_EQ(cold.grade, base.grade) << decades << " " << trial;
    }
    EXPECT_LE(worst, decades <= 3 ? 1e-12 : 1e-9) << decades;
  }
}

// every effort weighs 1 whatever its unit: another problem, certified in 34 digits
TEST(Units, AnswersInMixedUnitsAreTheOptimumOfEachChannelsOwnBounds) {
  Prepared prepared;
  int certified = 0;
  for (std::size_t number = 0; number < 1'000; ++number) {
    const testing::InUnits u = testing::in_units(number);
    const Problem& p = u.certified.problem;
    if (!u.is_certified()) continue;
    ++certified;
    const Allocation cold = testing::solve(p.settings, p.effectiveness, p.demand);
    EXPECT_LE(u.error_of(cold.effort.begin()), 1e-9) << number;
    Allocation kept;
    WrenchDemand other = p.demand;
    other.F_Bo_B = 0.7 * other.F_Bo_B;
    allocate(prepared, p.settings, p.effectiveness, other, nullptr, kept);
    allocate(prepared, p.settings, p.effectiveness, p.demand, nullptr, kept);
    EXPECT_LE(u.error_of(kept.effort.begin()), 1e-9) << number;
    Settings refined = p.settings;
    refined.objective.refine = true;
    const Allocation exact = testing::solve(refined, p.effectiveness, p.demand);
    EXPECT_LE(u.error_of(exact.effort.begin()), 1e-12) << number;
  }
  EXPECT_GE(certified, 990);
}

}  // namespace
}  // namespace pintle::allocation
