#include "pintle/allocation/prepared.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "pintle/allocation_suite/suite.h"
#include "pintle/allocation_suite/vehicles.h"
#include "pintle/base/random.h"
#include "pintle/testing/heap_counter.h"

namespace pintle::allocation {
namespace {

using namespace testing;

TEST(AllocatePrepared, TheAnswerIsTheOneOfAFreshCallWhateverCameBefore) {
  RandomStream random(15, "prepared");
  for (std::size_t c = 0; c < kProblemClasses; ++c) {
    Prepared prepared;
    for (int vehicle = 0; vehicle < 6; ++vehicle) {
      const auto n = static_cast<std::uint32_t>(1 + random.bits() % 12);
      Problem p = make_problem(static_cast<ProblemClass>(c), n, random);
      std::array<PropulsorHealth, kMaxChannels> health{};
      const Vec6 base = to_vec6(p.demand.F_Bo_B);
      for (int tick = 0; tick < 60; ++tick) {
        // the demand wanders; now and then bounds, bias, health, weights or preferences change
        Vec6 w = base;
        for (double& x : w.v) x *= 1 + 0.3 * std::sin(0.1 * tick) + 0.01 * random.normal();
        p.demand.F_Bo_B = to_wrench(w);
        const std::size_t i = random.bits() % n;
        if (tick % 7 == 1) p.effectiveness.upper[i] += 0.1 * span_of(p.effectiveness);
        if (tick % 11 == 2) p.effectiveness.bias.force.x += 0.01 * base[0];
        if (tick % 13 == 3) health[i].health = static_cast<Health>(random.bits() % 5);
        if (tick % 17 == 4) p.demand.weight[random.bits() % 6] *= 2;
        if (tick % 19 == 5) p.effectiveness.preferred[i] = 0.1 * p.effectiveness.upper[i];
        if (tick % 23 == 6) p.effectiveness.lower[i] = p.effectiveness.upper[i];
        Allocation warm, cold;
        allocate(prepared, p.settings, p.effectiveness, p.demand, health.data(), warm);
        allocate(p.settings, p.effectiveness, p.demand, health.data(), cold);
        ASSERT_LE(distance(warm.effort, cold.effort), 1e-12 * span_of(p.effectiveness))
            << name_of(static_cast<ProblemClass>(c)) << " " << vehicle << " " << tick;
        ASSERT_EQ(warm.grade, cold.grade);
        ASSERT_EQ(warm.reachable, cold.reachable);
        ASSERT_NEAR(warm.margin, cold.margin, 1e-6 * cold.margin);
      }
    }
  }
}

// the short call compares nothing: it says what the long one does, bit for bit, on all ways
TEST(AllocatePrepared, AVehicleThatIsSaidToBeTheSameIsAnsweredAsIfItHadBeenCompared) {
  RandomStream random(8, "the same vehicle");
  int free = 0, bounded = 0;
  for (int vehicle = 0; vehicle < 300; ++vehicle) {
    const auto c = static_cast<ProblemClass>(static_cast<std::size_t>(vehicle) % kProblemClasses);
    const auto n = static_cast<std::uint32_t>(vehicle % 2 == 0 ? 8 : 1 + random.bits() % 20);
    Problem p = make_problem(c, n, random);
    std::array<PropulsorHealth, kMaxChannels> health{};
    if (vehicle % 3 == 0) health[random.bits() % n].health = Health::kOut;
    if (vehicle % 7 == 0) p.effectiveness.effort_weight[0] = 3;
    if (vehicle % 11 == 0) p.settings.prove = p.settings.drop_traces = true;
    const PropulsorHealth* const with = vehicle % 5 == 0 ? nullptr : health.data();
    const Vec6 base = to_vec6(p.demand.F_Bo_B);
    Prepared said, compared;
    Allocation brief, whole;
    allocate(said, p.settings, p.effectiveness, p.demand, with, brief);
    allocate(compared, p.settings, p.effectiveness, p.demand, with, whole);
    for (int tick = 0; tick < 40; ++tick) {
      p.demand.F_Bo_B = to_wrench((0.2 + std::abs(std::sin(0.4 * tick))) * base);
      if (tick % 13 == 5) p.demand.weight[random.bits() % kAxes] *= 2;
      if (tick == 21) p.demand.group[0] = 1;
      if (tick == 26) p.demand.group = {};
      p.settings.objective.preserve_direction = tick == 30;
      p.settings.objective.refine = tick == 31;
      if (tick == 35) p.settings.objective.k2 += 1e-3;
      allocate(said, p.settings, p.demand, brief);
      allocate(compared, p.settings, p.effectiveness, p.demand, with, whole);
      ASSERT_EQ(brief.effort.size(), n);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(brief.effort[i], whole.effort[i]) << tick;
      ASSERT_EQ(to_vec6(brief.achieved).v, to_vec6(whole.achieved).v);
      ASSERT_EQ(to_vec6(brief.residual).v, to_vec6(whole.residual).v);
      ASSERT_EQ(brief.grade, whole.grade);
      ASSERT_EQ(brief.margin, whole.margin);
      ASSERT_EQ(brief.gap, whole.gap);
      ASSERT_EQ(brief.reachable, whole.reachable);
      ASSERT_EQ(brief.at_lower, whole.at_lower);
      ASSERT_EQ(brief.at_upper, whole.at_upper);
      free += brief.grade == AllocationGrade::kExact;
      bounded += brief.grade == AllocationGrade::kBounded;
    }
  }
  EXPECT_GT(free, 1000);
  EXPECT_GT(bounded, 1000);
  Prepared none;
  Allocation out;
  allocate(none, {}, WrenchDemand{}, out);
  EXPECT_EQ(out.effort.size(), 0);
}

// gimbals turn in every tick, fins fade, a channel goes and comes back; a tick without any now and
// then
TEST(AllocatePrepared, ColumnsThatAreNewInEveryTickGetTheAnswerOfAFreshCall) {
  RandomStream random(5, "new columns");
  int kept = 0, free = 0, beyond = 0;
  for (int vehicle = 0; vehicle < 300; ++vehicle) {
    const auto c = static_cast<ProblemClass>(static_cast<std::size_t>(vehicle) % kProblemClasses);
    const auto n = static_cast<std::uint32_t>(1 + random.bits() % (vehicle % 7 == 0 ? 24 : 9));
    Problem p = make_problem(c, n, random);
    p.settings.drop_traces = p.settings.prove = true;
    const Effectiveness first = p.effectiveness;
    const Vec6 base = to_vec6(p.demand.F_Bo_B);
    Prepared prepared;
    for (int tick = 0; tick < 30; ++tick) {
      Effectiveness& e = p.effectiveness;
      if (tick % 5 != 4) {
        e = first;
        for (std::size_t i = 0; i < n; ++i) {
          const double angle = 2e-3 * tick * static_cast<double>(i % 3);
          const double x = first.column[i][0], y = first.column[i][1];
          e.column[i][0] = std::cos(angle) * x - std::sin(angle) * y;
          e.column[i][1] = std::sin(angle) * x + std::cos(angle) * y;
          e.column[i] = (1 - 1e-3 * tick) * e.column[i];
        }
        const std::uint32_t lost = static_cast<std::uint32_t>(tick) % n;
        if (tick % 10 == 6) e.lower[lost] = e.upper[lost] = 0;
      }
      p.demand.F_Bo_B = to_wrench((1 + 0.5 * std::sin(0.7 * tick)) * base);
      Allocation warm, cold;
      allocate(prepared, p.settings, e, p.demand, nullptr, warm);
      allocate(p.settings, e, p.demand, nullptr, cold);
      ASSERT_LE(distance(warm.effort, cold.effort), 1e-12 * span_of(e))
          << name_of(c) << " " << vehicle << " " << tick;
      ASSERT_EQ(warm.grade, cold.grade) << name_of(c) << " " << vehicle << " " << tick;
      ASSERT_EQ(warm.reachable, cold.reachable);
      ASSERT_NEAR(warm.margin, cold.margin, 1e-6 * cold.margin);
      // what is left of columns without their traces may be too nearly dependent: it is said so
      ASSERT_TRUE(warm.gap <= 1e-9 ||
                  (prepared.traces && warm.grade == AllocationGrade::kIterationCapped));
      kept += tick % 5 != 4 && prepared.map.ready;
      free += warm.grade == AllocationGrade::kExact;
      beyond += warm.grade == AllocationGrade::kBounded;
    }
  }
  EXPECT_GT(kept, 500);
  EXPECT_GT(free, 1000);
  EXPECT_GT(beyond, 1000);
}

// what is left of a vehicle may have directions that only imperfect geometry gives
// columns of few and weak directions: with squares of them the map without bounds was 1e-11 off
TEST(AllocatePrepared, WithoutBoundsTheMapKeepsTheDigitsOfASolve) {
  RandomStream random(1, "weak directions");
  int looked_at = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    Problem p;
    Effectiveness& e = p.effectiveness;
    e.n = static_cast<std::uint32_t>(1 + random.bits() % 8);
    const std::size_t rank = 1 + random.bits() % 6;
    std::array<Vec6, kAxes> direction;
    for (Vec6& d : direction)
      for (double& x : d.v) x = random.normal();
    const double weak = std::pow(10.0, random.uniform(-4, 0));
    Vec6 wrench;
    for (std::size_t i = 0; i < e.n; ++i) {
      e.column[i] = {};
      for (std::size_t j = 0; j < rank; ++j)
        e.column[i] =
            e.column[i] + (j == 0 ? 3 + random.normal() : weak * random.normal()) * direction[j];
      e.lower[i] = -1;
      e.upper[i] = 1;
      wrench = wrench + random.uniform(-0.9, 0.9) * e.column[i];
    }
    p.demand.F_Bo_B = to_wrench(wrench);
    Prepared prepared;
    Allocation kept, refined;
    WrenchDemand other = p.demand;
    other.F_Bo_B = 0.5 * other.F_Bo_B;
    allocate(prepared, p.settings, e, other, nullptr, kept);
    allocate(prepared, p.settings, e, p.demand, nullptr, kept);
    Settings settings = p.settings;
    settings.objective.refine = true;
    allocate(settings, e, p.demand, nullptr, refined);
    if (!prepared.free_keeps_digits || refined.at_lower != 0 || refined.at_upper != 0) continue;
    ++looked_at;
    EXPECT_LE(distance(kept.effort, refined.effort), 5e-13) << trial;
  }
  EXPECT_GT(looked_at, 500);
}

// columns a hundredth of a turn apart: the gain had squares of that, and an effort 9e-9 less or more
TEST(AllocatePrepared, TwoColumnsThatAreNearlyParallelAreLeftToASolve) {
  Effectiveness craft;
  craft.n = 2;
  craft.column[0] = {
      {0x1.94f8p-12, -0x1.1716p-20, -0x1.70cap-17, 0x1.1ad1p-21, 0x1.17fep-5, -0x1.4d4p-5}};
  craft.column[1] = {
      {0x1.f14p-17, -0x1.d52p-26, -0x1.fa7p-22, 0x1.e858p-26, 0x1.de5p-10, -0x1.17p-9}};
  craft.upper[0] = 256;
  craft.upper[1] = 4096;
  craft.lower[0] = -256;
  craft.lower[1] = -4096;
  WrenchDemand demand;
  demand.F_Bo_B = to_wrench({{-0x1.a6b458ff15f53p-7, 0x1.55c10194d586fp-15, 0x1.ef96980551828p-12,
                              -0x1.32dd6f91be10fp-16, -0x1.8d2b712bba3dp+0, 0x1.de86f37d2b22ap+0}});
  Prepared prepared;
  Settings settings;
  Allocation kept, refined;
  for (int tick = 0; tick < 3; ++tick) allocate(prepared, settings, craft, demand, nullptr, kept);
  settings.objective.refine = true;
  allocate(settings, craft, demand, nullptr, refined);
  EXPECT_LE(distance(kept.effort, refined.effort), 1e-9);
}

// one direction, columns of lengths 1 to 6000: who is held in turn takes 0.0002 of all squares out of
// the map, no step of it more than a hundredth; it was 1.3e-12 off
TEST(AllocatePrepared, AMapThatUpdatesHaveWornIsMadeAnew) {
  Effectiveness craft;
  craft.n = 5;
  craft.column[0] = {
      {-0x1.406ep-10, 0x1.b1dp-7, 0x1.154b8p-7, 0x1.c09ap-5, -0x1.341bp-18, 0x1.22dap-14}};
  craft.column[1] = {
      {0x1.e37p-15, -0x1.474p-11, -0x1.a25cp-12, -0x1.5268p-9, 0x1.d0d8p-23, -0x1.b6dp-19}};
  craft.column[2] = {{0x1.04p-22, -0x1.6p-19, -0x1.c2p-20, -0x1.6cp-17, 0x1.f4p-31, -0x1.d8p-27}};
  craft.column[3] = {
      {-0x1.144p-13, 0x1.76p-10, 0x1.de2p-11, 0x1.82cp-8, -0x1.09ap-21, 0x1.f58p-18}};
  craft.column[4] = {
      {-0x1.b8c8p-18, 0x1.2a6p-14, 0x1.7d72p-15, 0x1.348cp-12, -0x1.a7d4p-26, 0x1.9018p-22}};
  for (std::size_t i = 0; i < craft.n; ++i)
    craft.lower[i] = -(craft.upper[i] = std::array{64.0, 256.0, 512.0, 64.0, 4096.0}[i]);
  const std::array<Vec6, 7> demands{{
      {{-0x1.48d0552fb3c02p-3, 0x1.2e26fccd799d1p+0, 0x1.6ddb3f3a3b869p-3, 0x1.82320c1be18adp+2,
        -0x1.28bd77fe7ff5bp-12, 0x1.666d521b2d292p-8}},
      {{-0x1.43ec626017d62p-3, 0x1.17c72018782d8p+0, 0x1.4057509f2b9fap-3, 0x1.0459750532353p+3,
        -0x1.51bcdbc5725bap-12, 0x1.741f372aea461p-8}},
      {{-0x1.4370c21751eeep-3, 0x1.0bd1183a36c56p+0, 0x1.4bd79044fff15p-3, 0x1.553dd00723a5ap+3,
        -0x1.7562659e9f5f9p-12, 0x1.a6406f2ca9581p-8}},
      {{-0x1.fc45e3e1f0137p-4, 0x1.573c15ed3d911p+0, 0x1.45237eca9fb28p-3, 0x1.01902607da311p+2,
        -0x1.c5368cb16f286p-12, 0x1.1a2f6b949c6acp-7}},
      {{-0x1.0c5137d820ba6p-3, 0x1.4e3341a61ca28p+0, 0x1.ee7e8af57c716p-4, 0x1.26fd94633fa1cp+2,
        -0x1.9e78336ccc076p-12, 0x1.0307bf7b7b084p-7}},
      {{-0x1.b04e93f308613p-4, 0x1.5250e601f910cp+0, 0x1.050468e6d631dp-3, 0x1.3e73b205e2fbap+2,
        -0x1.91bdec2723245p-12, 0x1.aadf24e3aa505p-9}},
      {{-0x1.0dbd974268811p-4, 0x1.8c65fe5588939p+0, 0x1.ec2c2d51e79aap-4, 0x1.7503171669f1bp+2,
        -0x1.7a02b026a4003p-12, 0x1.bac5a2616fa9ep-9}},
  }};
  Prepared prepared;
  Settings settings, refine;
  refine.objective.refine = true;
  for (const Vec6& wanted : demands) {
    WrenchDemand demand;
    demand.F_Bo_B = to_wrench(wanted);
    Allocation kept, refined;
    allocate(prepared, settings, craft, demand, nullptr, kept);
    allocate(refine, craft, demand, nullptr, refined);
    EXPECT_LE(distance(kept.effort, refined.effort), 4e-13 * 8192);
  }
}

// the craft before held both on a bound; here they push against each other, for nothing at all, and
// what they gain by letting go counted as just enough to stay
TEST(AllocatePrepared, HeldChannelsThatCancelEachOtherLetGo) {
  Effectiveness craft, before;
  craft.n = before.n = 7;
  craft.column = {{{{-1, 0, 0, 1, -1, -1}},
                   {{0, -1, -1, -1, 1, 1}},
                   {{0, 0, 1, 1, -1, -1}},
                   {{0, 0, -1, -1, 0, -1}},
                   {{0, 0, -1, -1, 0, -1}},
                   {{0, 1, 0, 0, 1, 1}},
                   {{0, -1, 0, 0, -1, -1}}}};
  before.column[5] = before.column[6] = craft.column[5];
  for (std::size_t i = 0; i < craft.n; ++i) {
    craft.lower[i] = before.lower[i] = -1;
    craft.upper[i] = before.upper[i] = 1;
  }
  WrenchDemand much;
  much.F_Bo_B = to_wrench(9 * craft.column[5]);
  Prepared prepared;
  const Settings settings;
  Allocation kept;
  for (int tick = 0; tick < 3; ++tick) allocate(prepared, settings, before, much, nullptr, kept);
  ASSERT_EQ(kept.at_upper, 0b1100000U);
  for (int tick = 0; tick < 3; ++tick) {
    allocate(prepared, settings, craft, {}, nullptr, kept);
    for (const double u : kept.effort) EXPECT_EQ(u, 0) << tick;
  }
}

// rank five, and too near to four for the map of nothing held: the direction that is lost was known
// as well as squares say it, and filled so for the sets that hold something
TEST(AllocatePrepared, ADirectionThatIsKnownBySquaresAloneIsFilledForNoSet) {
  const auto part = [](int bits) { return std::ldexp(1.0, -bits); };
  Effectiveness craft;
  craft.n = 6;
  craft.column = {{{{-part(5), 0, 0, part(4), part(2), 0}},
                   {{part(9), part(10), part(17), 0, -part(6), -part(6)}},
                   {{part(5), part(6), part(13), 0, -part(2), -part(2)}},
                   {{0, part(6), part(13), -part(4), part(2), 0}},
                   {{part(6), part(7), -part(14), 0, 0, 0}},
                   {{-part(11), 0, part(19), 0, 0, -part(8)}}}};
  const double bound[] = {2, 32, 2, 2, 4, 128};
  for (std::size_t i = 0; i < craft.n; ++i) {
    craft.lower[i] = -bound[i];
    craft.upper[i] = bound[i];
  }
  WrenchDemand demand;
  demand.F_Bo_B = {{-0.018463272955897787, -0.056876896413495581, -0.00031892909956906748},
                   {0.030975278004056792, 0.048673609983668785, 0.5306584915947562}};
  Settings settings, refine;
  settings.objective.k2 = refine.objective.k2 = 5.506553548229355e-09;
  refine.objective.refine = true;
  Allocation exact, kept;
  allocate(refine, craft, demand, nullptr, exact);
  Prepared prepared;
  for (int call = 0; call < 3; ++call) {
    allocate(prepared, settings, craft, demand, nullptr, kept);
    ASSERT_EQ(kept.at_lower, 0b100U);
    EXPECT_LE(distance(kept.effort, exact.effort), 1e-13 * 128) << call;
  }
}

TEST(AllocatePrepared, ACapThatIsLoweredHoldsForWhatIsKeptToo) {
  RandomStream random(1, "caps of what is kept");
  for (int trial = 0; trial < 500; ++trial) {
    Problem p = make_problem(ProblemClass::kMild, 8, random);
    Prepared prepared;
    Allocation out;
    for (int tick = 0; tick < 8; ++tick) {
      Settings s = p.settings;
      s.max_iterations = tick < 4 ? 0 : 1;
      WrenchDemand d = p.demand;
      d.F_Bo_B = (1 + 0.2 * random.normal()) * d.F_Bo_B;
      allocate(prepared, s, p.effectiveness, d, nullptr, out);
      if (tick >= 4) {
        EXPECT_LE(out.iterations, 1) << trial << " " << tick;
      }
    }
  }
}

TEST(AllocatePrepared, AChannelThatIsLostAndComesBackGetsTheAnswersOfAFreshCall) {
  RandomStream random(6, "lost channels");
  int traces = 0;
  for (int vehicle = 0; vehicle < 400; ++vehicle) {
    // within reach, with axes left out, beyond reach, and with columns in the span of others
    const ProblemClass classes[] = {ProblemClass::kAttainable, ProblemClass::kUnweighted,
                                    ProblemClass::kHeavy, ProblemClass::kLayout};
    Problem p = make_problem(classes[vehicle % 4], 8, random);
    p.settings.drop_traces = true;
    const Effectiveness first = p.effectiveness;
    Prepared prepared;
    for (int tick = 0; tick < 24; ++tick) {
      Effectiveness& e = p.effectiveness;
      e = first;
      for (std::size_t i = 0; i < 8; ++i)
        if (tick % 3 != 0 && random.bits() % 3 == 0) e.lower[i] = e.upper[i] = 0;
      Allocation warm, cold;
      allocate(prepared, p.settings, e, p.demand, nullptr, warm);
      allocate(p.settings, e, p.demand, nullptr, cold);
      ASSERT_LE(distance(warm.effort, cold.effort), 1e-12) << vehicle << " " << tick;
      ASSERT_EQ(warm.grade, cold.grade);
      ASSERT_EQ(warm.reachable, cold.reachable);
      traces += prepared.traces ? 1 : 0;
    }
  }
  EXPECT_GT(traces, 100);
}

TEST(AllocatePrepared, BadInputIsRejectedAndTheNextGoodOneIsNot) {
  Prepared prepared;
  Allocation out;
  Effectiveness e = sub8(1);
  allocate(prepared, with_r(0), e, axis_demand(0, 1), nullptr, out);
  EXPECT_EQ(out.grade, AllocationGrade::kExact);
  allocate(prepared, with_r(0), e, axis_demand(0, kNaN), nullptr, out);
  EXPECT_EQ(out.grade, AllocationGrade::kRejected);
  e.upper[2] = kNaN;
  allocate(prepared, with_r(0), e, axis_demand(0, 1), nullptr, out);
  EXPECT_EQ(out.grade, AllocationGrade::kRejected);
  e.n = 70;
  allocate(prepared, with_r(0), e, axis_demand(0, 1), nullptr, out);
  EXPECT_EQ(out.grade, AllocationGrade::kRejected);
  allocate(prepared, with_r(0), sub8(1), axis_demand(0, 1), nullptr, out);
  EXPECT_EQ(out.grade, AllocationGrade::kExact);
}

TEST(AllocatePrepared, AxesThatTheLawNoLongerAsksForAreNoLongerReachable) {
  Effectiveness e = sub8(10);
  Prepared prepared;
  Allocation out;
  allocate(prepared, {}, e, axis_demand(0, 2), nullptr, out);
  EXPECT_EQ(out.reachable & axis_bit(2), axis_bit(2));
  e.controlled = static_cast<AxisMask>(kAllAxes & ~axis_bit(2));
  allocate(prepared, {}, e, axis_demand(0, 2), nullptr, out);
  EXPECT_EQ(out.reachable & axis_bit(2), 0);
  e.controlled = kAllAxes;
  e.geometry_share = 0.999;
  Allocation fresh;
  allocate({}, e, axis_demand(0, 2), nullptr, fresh);
  allocate(prepared, {}, e, axis_demand(0, 2), nullptr, out);
  EXPECT_EQ(out.reachable, fresh.reachable);
}

// with a preferred effort so far away bounds are one number in scaled units
TEST(AllocatePrepared, AChannelWhoseWidthIsLostInScalingHasItAgainAfterwards) {
  Effectiveness e = sub8(1);
  Prepared prepared;
  Allocation kept, fresh;
  for (const double preferred : {-1e300, 0.0, 1e300, 0.0}) {
    e.preferred[5] = preferred;
    const WrenchDemand d = demand_of({{0.02, 0.1, 0.3, 0.01, 0.01, 0.02}});
    allocate(prepared, with_r(0), e, d, nullptr, kept);
    if (preferred != 0) continue;
    allocate(with_r(0), e, d, nullptr, fresh);
    EXPECT_EQ(fresh.grade, AllocationGrade::kExact);
    EXPECT_EQ(kept.grade, AllocationGrade::kExact);
    EXPECT_LT(distance(kept.effort, fresh.effort), 1e-12);
  }
}

TEST(AllocatePrepared, NothingIsAllocatedOnTheHeap) {
  Prepared prepared;
  Allocation out;
  const auto before = pintle::testing::heap_allocations();
  for (double ask : {0.1, 5.0, 0.2})
    allocate(prepared, with_r(0), sub8(1), axis_demand(2, ask), nullptr, out);
  EXPECT_EQ(pintle::testing::heap_allocations(), before);
}

}  // namespace
}  // namespace pintle::allocation
