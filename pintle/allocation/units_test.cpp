// Channels in newtons beside channels in radians, axes in metres beside axes in millimetres: the
// answer does not depend on the units that a vehicle is written in.
#include <gtest/gtest.h>

#include <cmath>

#include "pintle/allocation/prepared.h"
#include "pintle/allocation/rejection.h"
#include "pintle/allocation_suite/last_digits.h"
#include "pintle/allocation_suite/units.h"
#include "pintle/allocation_suite/vehicles.h"
#include "pintle/testing/thorough.h"

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
      Problem p = make_problem(ProblemClass::kAttainable, 6 + static_cast<std::uint32_t>(trial % 4),
                               random);
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
      Problem p =
          make_problem(kKinds[trial % 4], 4 + static_cast<std::uint32_t>(trial % 13), random);
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

// weights of 11 and 1 in units of the axes 1e12 apart: the numbers are further apart than digits
// reach, what they stand for is not
TEST(Units, WeightsThatAreNearInOneUnitAreNotTooFarApartInAnother) {
  for (const double unit : {1e6, 1e-6}) {
    RandomStream random(7, "weights in units");
    for (int trial = 0; trial < 200; ++trial) {
      Problem p =
          make_problem(trial % 2 == 0 ? ProblemClass::kMild : ProblemClass::kHeavy, 8, random);
      p.demand.weight = {11, 1, 2, 3, 1, 1};
      const Allocation base = testing::solve(p.settings, p.effectiveness, p.demand);
      Effectiveness e = p.effectiveness;
      WrenchDemand d = p.demand;
      for (std::size_t k = 0; k < kAxes; ++k) {
        const double of_axis = k % 2 == 0 ? 1 / unit : unit;
        testing::change_axis(e, d, k, of_axis);
        d.weight[k] /= of_axis;
      }
      ASSERT_EQ(why_rejected(p.settings, e, d, nullptr).reason, RejectionReason::kNone);
      Prepared prepared;
      Allocation kept;
      for (int call = 0; call < 2; ++call) {
        allocate(prepared, p.settings, e, d, nullptr, kept);
        EXPECT_EQ(kept.grade, base.grade) << unit << " " << trial;
        EXPECT_LE(testing::distance(kept.effort, base.effort), 1e-9) << unit << " " << trial;
      }
    }
  }
}

// every effort weighs 1 whatever its unit: another problem, certified in 34 digits
TEST(Units, AnswersInMixedUnitsAreTheOptimumOfEachChannelsOwnBounds) {
  Prepared prepared;
  int certified = 0;
  for (std::size_t number = 0; number < pintle::testing::few(std::size_t{1000}); ++number) {
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
  EXPECT_GE(certified, pintle::testing::few(990));
}

// what was tried in vain for one craft says nothing of the next: its held channels are others
TEST(Units, ACraftIsNotAnsweredWithWhatWasTriedForTheOneBefore) {
  Prepared prepared;
  for (const std::size_t number : {18'031U, 18'033U, 18'037U}) {
    const testing::InUnits u = testing::in_units(number);
    ASSERT_TRUE(u.is_certified());
    const Problem& p = u.certified.problem;
    for (const double part : {0.7, 1.0}) {
      WrenchDemand demand = p.demand;
      demand.F_Bo_B = part * demand.F_Bo_B;
      const Allocation cold = testing::solve(p.settings, p.effectiveness, demand);
      Allocation kept;
      allocate(prepared, p.settings, p.effectiveness, demand, nullptr, kept);
      EXPECT_EQ(kept.grade, cold.grade) << number;
      for (std::size_t i = 0; i < p.effectiveness.n; ++i)
        EXPECT_NEAR(kept.effort[i], cold.effort[i], 1e-12 * p.effectiveness.upper[i]) << number;
    }
  }
}

// four free columns of lengths 500 apart, by a small trade: what the first answer of their basis loses
// (3e-12 of the largest bound) a step of correction finds
TEST(Hostile, ABasisOfUnlikeLengthsIsCorrected) {
  Effectiveness e;
  e.n = 7;
  e.column = {{{{0.44476597005799873, -0.0051944537420950919, 0.0021168665751876456,
                 0.023359157052205572, 0.11810835956990205, 0.48402581057143257}},
               {{0.0020657774462641961, 0.0013896454011180859, -0.0042023071540220345,
                 -0.0026753586065145713, 0.12028429218754554, 0.18159055185289991}},
               {{-0.015317944767922842, 4.7148742571964635e-05, 0.0033263411163970301,
                 -0.014038066858857064, 0.012127335884777598, -0.011859589365430308}},
               {{-3.1799402303544393, 0.019942868380600748, 0.049699237191050065,
                 -0.34615486179297711, 0.5912478320630602, -4.878462899010283}},
               {{-0.36432151283164443, -0.0014530908805372004, 0.027650019361856484,
                 -0.14841276498970798, 0.528903097176049, -0.20792811619082696}},
               {{-0.031327780806681728, 0.0013699132632640433, -0.0034526233646348815,
                 0.025837418210869149, 0.0035654978388460494, -0.033692895174151562}},
               {{-0.4601608766707061, -0.0016206079106741256, 0.011653689679123974,
                 -0.0096036298632346164, 0.59130672018642627, 0.31090773013195255}}}};
  const double bound[] = {582.87080295121655, 2293.9733519574215, 6569.6547902228349,
                          114.51156981703485, 672.2950725019125,  2370.034561666138,
                          874.48212336559538};
  for (std::size_t i = 0; i < e.n; ++i) {
    e.lower[i] = -bound[i];
    e.upper[i] = bound[i];
  }
  WrenchDemand d;
  d.F_Bo_B = {{-583.37717948942168, 3.9376304470206267, 4.8539311081691228},
              {-119.70597355484608, 681.71590808106976, 516.80592619705749}};
  Settings settings, refined;
  settings.objective.k2 = refined.objective.k2 = 0x1.751952967a799p-18;
  refined.objective.refine = true;
  const Allocation cold = testing::solve(settings, e, d), exact = testing::solve(refined, e, d);
  EXPECT_EQ(cold.at_lower | cold.at_upper, 0b1000011U);
  EXPECT_LE(testing::distance(cold.effort, exact.effort), 1e-13 * 13139);
}

// a kept set is proved by gradients against what they are made of: beside a column of 1e8 that does
// not move they are all next to nothing
TEST(Hostile, ALongColumnThatDoesNotMoveHidesNoWrongAnswer) {
  for (const double longest : {1e6, 1e8, 1e9, 1e10}) {
    Effectiveness craft;
    craft.n = 9;
    for (std::size_t i = 0; i < 8; ++i) {
      craft.column[i] = {{1, 0, 0, 0, 0, 0}};
      craft.column[i][1 + i % 5] = 0.1 * static_cast<double>(i + 1);
      craft.upper[i] = 1;
    }
    craft.column[8] = {{longest, 0, 0, 0, 0, longest}};
    Prepared kept;
    Allocation answer;
    WrenchDemand demand;
    for (const double f : {1e3, 2e3, 0.0}) {
      demand.F_Bo_B = {{f, f, f}, {f, f, f}};
      allocate(kept, {}, craft, demand, nullptr, answer);
    }
    EXPECT_EQ(answer.grade, AllocationGrade::kExact) << longest;
    for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(answer.effort[i], 0, 1e-12) << longest;
  }
}

template <std::size_t N>
void fill(Effectiveness& craft, const double (&columns)[N][6], const double (&lower)[N],
          const double (&upper)[N]) {
  craft.n = N;
  for (std::size_t i = 0; i < N; ++i) {
    std::copy_n(columns[i], kAxes, craft.column[i].v.begin());
    craft.lower[i] = lower[i];
    craft.upper[i] = upper[i];
  }
}

void expect_proved(const Effectiveness& craft, const WrenchDemand& demand, bool drop_traces) {
  Settings settings;
  settings.prove = true;
  settings.drop_traces = drop_traces;
  Allocation answer;
  allocate(settings, craft, demand, nullptr, answer);
  EXPECT_NE(answer.grade, AllocationGrade::kIterationCapped);
  EXPECT_LE(answer.gap, 1e-12);
}

// the search in double-double let go, and took back, a channel that only the rounding of traces pulls at
TEST(Hostile, ColumnsThatRoundingTakesOutOfAPlaneDoNotGoRoundInACircle) {
  Effectiveness craft;
  WrenchDemand demand;
  const double columns[][6] = {{-0.0060869870256850438, -0.60061589641354873, 1.5375031746960188,
                                -0.11967026394323577, -0.18564226459914704, 0.8208448676609037},
                               {1, 0, -1, 1, 0, -1},
                               {0, 1, -1, 0, -1, -1},
                               {1, 0, 0, 1, 0, 1},
                               {1.0005775300365629, -3.7080297984456741e-07, -0.99998793068951841,
                                0.99999993833135548, -0.00072502814095790134, -1.0002234396343486}};
  const double lower[] = {-5.0000000000000003e-10, 0, 0, 0, -2};
  const double upper[] = {1.0000000000000001e-09, 2, 1, 2, 2};
  craft.bias = {{1, -1, 0}, {1, -1, 0}};
  demand.F_Bo_B = {{1.3378957186966538, -0.95296559997276353, -0.35957009892188607},
                   {1.3379077731425586, -1.047019260880637, -0.33419286684282928}};
  fill(craft, columns, lower, upper);
  expect_proved(craft, demand, true);
}

// channels 0 and 2 are nearly parallel: the map of the held set lost four digits that neither the
// demand nor the columns lose
TEST(Hostile, AMapThatHasJustBeenMadeIsNotBelievedWithoutALook) {
  Effectiveness craft;
  WrenchDemand demand;
  const double columns[][6] = {
      {5029.5625, -935072, 713.52734375, 63902, -13295872, -3077.0625},
      {-3684.1875, -72800, -219.890625, 52955, 6063616, 2978.625},
      {302.98828125, -15990, 26.865234375, -1461.5625, -605280, -223.9453125},
      {-156.6953125, -197460, 68.3095703125, 27841.875, -684928, 312.5625},
      {-4222.84375, 423504, -454.6015625, -6046.5, 9409280, 2929.3125},
      {10266.75, 1033856, 280.734375, -256976, -12866560, -9095.25},
      {-18520.875, 908608, -1614.703125, 98402, 36665344, 13755}};
  const double upper[] = {0x1p-14, 0x1p-15, 0x1p-10, 0x1p-12, 0x1p-14, 0x1p-16, 0x1p-16};
  double lower[7];
  for (std::size_t i = 0; i < 7; ++i) lower[i] = -upper[i];
  fill(craft, columns, lower, upper);
  demand.F_Bo_B = {{-1.7787237778741176, 8.3188979652129493, -0.10295468011223972},
                   {15.206894556510978, 2167.9054905071171, 0.84013012395329867}};
  Settings settings;
  settings.objective.k2 = 175730396.41503954;
  Prepared kept;
  Allocation fresh, again;
  allocate(kept, settings, craft, demand, nullptr, fresh);
  for (int call = 0; call < 3; ++call) {
    allocate(kept, settings, craft, demand, nullptr, again);
    for (std::size_t i = 0; i < 7; ++i)
      EXPECT_NEAR(again.effort[i], fresh.effort[i], 1e-12 * 0x1p-9) << call << ' ' << i;
  }
}

// two bundles of columns as far apart as the last digits: what spans what changes with who is free,
// and some searches go round in a circle. What they came to is the answer then, not the efforts
// nearest to zero
TEST(Hostile, AnAnswerWithoutAProofIsWhereTheSearchCameTo) {
  RandomStream random(1, "bundles of columns");
  int without = 0;
  for (int trial = 0; trial < pintle::testing::few(8000); ++trial) {
    Effectiveness craft;
    craft.n = 9 + static_cast<std::uint32_t>(random.bits() % 8);
    WrenchDemand demand;
    Vec6 wanted;
    for (std::size_t i = 0; i < craft.n; ++i) {
      for (std::size_t k = 0; k < kAxes; ++k)
        craft.column[i][k] =
            i < 2 ? random.normal() : craft.column[i % 2][k] * (1 + 1.5e-13 * random.normal());
      craft.lower[i] = random.uniform() < 0.5 ? -1 : 0;
      craft.upper[i] = 1;
      wanted = wanted + random.uniform(craft.lower[i], craft.upper[i]) * craft.column[i];
    }
    demand.F_Bo_B = to_wrench(wanted);
    Settings settings;
    settings.prove = true;
    const Allocation answer = testing::solve(settings, craft, demand);
    without += answer.grade == AllocationGrade::kIterationCapped ? 1 : 0;
    EXPECT_LE(answer.gap, 1e-9) << trial;
  }
  EXPECT_GT(without, 0) << "none of them went round: draw harder ones";
}

/// The most that an effort differs by.
double apart(const Allocation& a, const Allocation& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.effort.size(); ++i)
    largest = std::max(largest, std::abs(a.effort[i] - b.effort[i]));
  return largest;
}

// The columns give five directions, one of them weakly: what is not quite the sixth reads as much of
// that one as it is weak, and the demand has a part along it.
TEST(Hostile, ADirectionThatNothingGivesIsFoundToTheLastDigit) {
  RandomStream random(1, "a weak direction beside none");
  int held = 0;
  for (int trial = 0; trial < pintle::testing::few(11000); ++trial) {
    Effectiveness craft;
    craft.n = 8;
    std::array<Vec6, 5> direction;
    for (std::size_t d = 0; d < 5; ++d)
      for (std::size_t k = 0; k < kAxes; ++k) direction[d][k] = random.normal();
    Vec6 wanted;
    for (std::size_t i = 0; i < craft.n; ++i) {
      for (std::size_t d = 0; d < 5; ++d)
        craft.column[i] = craft.column[i] + (d < 4 ? 1 : 1e-2) * random.normal() * direction[d];
      craft.lower[i] = -1;
      craft.upper[i] = 1;
      wanted = wanted + random.uniform(-1, 1) * craft.column[i];
    }
    for (double& x : wanted.v) x += random.normal();
    WrenchDemand demand;
    demand.F_Bo_B = to_wrench(wanted);
    Settings settings;
    const Allocation answer = testing::solve(settings, craft, demand);
    settings.objective.refine = true;
    const Allocation exact = testing::solve(settings, craft, demand);
    held += (exact.at_lower | exact.at_upper) != 0 ? 1 : 0;
    const double off = apart(answer, exact);
    if (off > 2e-12) {
      EXPECT_LE(off, 32 * testing::moved_by_last_digits(settings, craft, demand)) << trial;
    }
  }
  EXPECT_GT(held, 1000);
}

// One channel of six comes to 1e-11 and less from its bound, on which the call before had it: with it
// held nearly nothing is missing, and still the answer is the one of a fresh call.
TEST(Hostile, WhatIsNearlyNothingIsNotTakenForRounding) {
  RandomStream random(1, "next to a bound");
  int inside = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    Effectiveness craft;
    craft.n = 6;
    Vec6 within, beyond;
    for (std::size_t i = 0; i < craft.n; ++i) {
      for (std::size_t k = 0; k < kAxes; ++k) craft.column[i][k] = random.normal();
      craft.lower[i] = -1;
      craft.upper[i] = 1;
      const double effort = random.uniform(-0.9, 0.9), off = std::pow(10, random.uniform(-13, -11));
      within = within + (i == 1 ? 1 - off : effort) * craft.column[i];
      beyond = beyond + (i == 1 ? 1.1 : effort) * craft.column[i];
    }
    Prepared kept;
    WrenchDemand demand;
    demand.F_Bo_B = to_wrench(beyond);
    Allocation answer;
    allocate(kept, {}, craft, demand, nullptr, answer);
    // other columns: only which channel was held is left of the call before
    craft.column[0] = (1 + 1e-15) * craft.column[0];
    demand.F_Bo_B = to_wrench(within);
    allocate(kept, {}, craft, demand, nullptr, answer);
    const Allocation fresh = testing::solve({}, craft, demand);
    inside += fresh.effort[1] < 1 ? 1 : 0;
    const double off = apart(answer, fresh);
    if (off > 1e-12) {
      EXPECT_LE(off, 32 * testing::moved_by_last_digits({}, craft, demand)) << trial;
    }
  }
  EXPECT_GT(inside, 2000);
}

/// How far from the optimum the answer is, of 1; nothing, where the problem says it no better.
double off(const Settings& settings, const Effectiveness& craft, const WrenchDemand& demand,
           double promised) {
  Settings refined = settings;
  refined.objective.refine = true;
  const double largest =
      apart(testing::solve(settings, craft, demand), testing::solve(refined, craft, demand));
  const bool told = largest > promised;
  return told && largest > 32 * testing::moved_by_last_digits(settings, craft, demand) ? largest
                                                                                       : 0;
}

// six columns that hardly give the sixth direction, one effort on its bound: multipliers of a million,
// of which efforts are what is left
TEST(Hostile, EffortsThatAreLeftOfLargeNumbersAreMadeInMoreDigits) {
  Effectiveness craft;
  WrenchDemand demand;
  Settings settings;
  const double columns[][6] = {{-0.63906243287103326, -0.90350674144833376, 0.88174954285850859,
                                -1.2212408856265162, 1.0434840511096699, 1.6464403314461729},
                               {4.0762886596750967, 2.0947900434370044, -1.7533143710399142,
                                -0.8811841448934874, -2.0026533136497409, -4.6135958946805911},
                               {1.7692290324657112, 2.3936438294506703, -0.88271236191873703,
                                1.8216569712768189, -1.3523291502447383, -0.44555418200164354},
                               {0.69241523686052575, -0.67893215594576628, 0.28564591474850926,
                                -2.3523796347982393, 0.54702650181773049, -0.29037605003099182},
                               {1.4812606449272443, 1.1595299974369762, 1.4137774358376825,
                                4.162854131998488, -0.63701612578993916, -1.427420008428985},
                               {1.8714631903548975, 0.093368277684863665, -0.52881393875749627,
                                -1.3994459237059726, -0.58745822525141267, -2.9555323935180708}};
  const double lower[] = {-100, -100, -100, -100, -100, -100};
  const double upper[] = {43.407947026538451, 91.618015274615829, 44.120524551001154,
                          75.455432026905854, 72.204849346304727, 88.146830686765583};
  fill(craft, columns, lower, upper);
  demand.F_Bo_B = {{839.59127446183959, 428.60468908340295, -210.73401960502133},
                   {121.48591816517425, -403.99511155088601, -992.48852696873246}};
  settings.objective.k2 = 0;
  EXPECT_EQ(off(settings, craft, demand, 1e-9 * upper[0]), 0);
}

// five directions, one of them weak beside r, and a thousand of the sixth
TEST(Hostile, WhatNothingGivesMovesNothingHoweverMuchOfItIsAskedFor) {
  Effectiveness craft;
  WrenchDemand demand;
  Settings settings;
  const double columns[][6] = {{-0.77243431618616287, -1.3529999076245804, 0.9337332387319458,
                                1.741180562698259, -0.511467630261492, -2.8532722890243916},
                               {1.1657868354529233, 0.045572302036491687, 0.62083127208416178,
                                -1.2497442342350067, 0.0032215515164533354, 4.2597642155476816},
                               {0.44850842686608383, -0.59996766029960846, 2.2555156319650438,
                                2.2670256513585842, -0.10191665778025508, -1.9449727416447466},
                               {1.2544584064710087, 0.16938987521184093, 0.48477650110240922,
                                -1.3213973737635925, 1.0804629003569608, 3.2181244837876184},
                               {0, 0, 0, 0, 0, 0},
                               {-0.17014737168906516, 1.4685632064744651, -2.4961406722246116,
                                -2.2997684234083993, 0.72849003774372156, 1.3747718930428015},
                               {0.25855056019813666, -0.2588401815336, 0.21768877912936854,
                                -0.62075897541103375, -1.1464130032294764, 2.9428848871032831},
                               {1.2826554668105083, -0.29293685136492364, 0.17377970516161872,
                                -2.1975823684008748, 1.6542376873688132, 4.1381428474187674}};
  const double lower[] = {-1, -1, -1, -1, -1, -1, -1, -1};
  const double upper[] = {1, 1, 1, 1, 1, 1, 1, 1};
  fill(craft, columns, lower, upper);
  demand.F_Bo_B = {{1062.0383029902341, -591.29111059000218, -1314.4527509773675},
                   {1151.0658970626735, 127.97665013736371, 239.1013343456664}};
  settings.objective.k2 = 0.12130745879487029;
  EXPECT_EQ(off(settings, craft, demand, 1e-9 * upper[0]), 0);
}

// columns 0 and 4 are parallel but for 1e-3: products with the gain of a set that spans not all lose digits
TEST(Hostile, WhatSpansNotAllLosesNoDigitsInItsGain) {
  Effectiveness craft;
  WrenchDemand demand;
  const double columns[][6] = {{-1.2545582508702917, 1.1025639666728178, 1.8332986010968995,
                                1.542353784944104, -0.022169274785049774, -0.66465675528159474},
                               {0.5505959596693657, 1.2791594609102579, 0.24016293277254702,
                                1.02506148239738, -0.0791970509791462, 0.51578124630115174},
                               {0.31381809689098172, -1.0448976367857177, -2.1735531312770058,
                                0.60905664554405103, -0.59691555620371139, 0.30288092408675255},
                               {0.16033050808932153, -1.4329881710934445, -0.56956192542955608,
                                -1.6696634983948244, 1.279417172109683, -1.3539348533763846},
                               {-1.2545582519416556, 1.1017688002898756, 1.8332986004472864,
                                1.5423537851336639, -0.022162580704074144, -0.6646567553560091}};
  const double lower[] = {-0.097235902318487097, -0.53836964331618775, 0.6187923066796871,
                          1.1946495706454376, -3.9821652354847923};
  const double upper[] = {0.097235902318487097, 0, 2.0626410222656237, 3.9821652354847923,
                          3.9821652354847923};
  craft.bias = {{0, 0, 0}, {0, 0, 0}};
  demand.F_Bo_B = {{4.3704393154741608, -8.9016879479447262, -9.3443150816534217},
                   {-9.3251320518586134, 3.031481655038589, -1.5590825222160896}};
  fill(craft, columns, lower, upper);
  expect_proved(craft, demand, false);
}

}  // namespace
}  // namespace pintle::allocation
