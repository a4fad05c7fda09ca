// The map of the last set (set_search.h), as allocate() uses it.
#include <gtest/gtest.h>

#include <cmath>

#include "pintle/allocation/prepared.h"

#include "pintle/allocation_suite/suite.h"
#include "pintle/allocation_suite/vehicles.h"
#include "pintle/base/random.h"
#include "pintle/testing/thorough.h"

namespace pintle::allocation {
namespace {

using namespace testing;

// demands around this one, some of them far from the last
WrenchDemand near(const Vec6& base, int tick, double size, RandomStream& random) {
  Vec6 w;
  const double jump = tick % 20 == 0 ? 0.5 : 0.02;
  for (std::size_t k = 0; k < kAxes; ++k)
    w[k] = size * base[k] * (1 + 0.2 * std::sin(0.1 * tick + static_cast<double>(k))) +
           jump * size * random.normal();
  return demand_of(w);
}

struct Followed {
  int moved = 0;  // demands that changed the set
  int anew = 0;   // demands that were solved as a new problem
  double apart = 0;
};

Followed follow(Problem p, double r, bool moving_bounds, RandomStream& random) {
  set_trade(p, r);
  Followed result;
  Prepared prepared;
  Allocation kept, fresh;
  const Vec6 base = to_vec6(p.demand.F_Bo_B);
  ChannelMask lower = 0, upper = 0;
  for (int tick = 0; tick < 120; ++tick) {
    p.demand = near(base, tick, 1, random);
    if (moving_bounds)
      for (std::size_t i = 0; i < p.effectiveness.n; ++i) p.effectiveness.upper[i] *= 1.001;
    allocate(prepared, p.settings, p.effectiveness, p.demand, nullptr, kept);
    allocate(p.settings, p.effectiveness, p.demand, nullptr, fresh);
    result.apart =
        std::max(result.apart, distance(kept.effort, fresh.effort) / span_of(p.effectiveness));
    EXPECT_EQ(kept.grade, fresh.grade) << tick;
    EXPECT_EQ(kept.at_upper, fresh.at_upper) << tick;
    EXPECT_EQ(kept.at_lower, fresh.at_lower) << tick;
    result.moved += fresh.at_lower != lower || fresh.at_upper != upper ? 1 : 0;
    // its map is still to be made
    result.anew += prepared.set_first && prepared.set_due ? 1 : 0;
    lower = fresh.at_lower;
    upper = fresh.at_upper;
  }
  return result;
}

TEST(SetSearch, FollowsADemandFromSetToSetWithTheAnswersOfNewProblems) {
  RandomStream random(31, "set search");
  Followed all;
  for (int vehicle = 0; vehicle < pintle::testing::few(60); ++vehicle) {
    const auto n = static_cast<std::uint32_t>(3 + vehicle % 6);
    const Problem p =
        make_problem(vehicle % 2 == 0 ? ProblemClass::kHeavy : ProblemClass::kMild, n, random);
    for (const double r : {0.0, 1e-8, 1e-3})
      for (const bool moving_bounds : {false, true}) {
        const Followed one = follow(p, r, moving_bounds, random);
        EXPECT_LT(one.apart, 1e-12) << vehicle << " " << r;
        all.moved += one.moved;
        all.anew += one.anew;
      }
  }
  EXPECT_GT(all.moved, pintle::testing::few(1000));
  EXPECT_LT(4 * all.anew, all.moved);
}

TEST(SetSearch, DoesNotDriftOnLongWays) {
  RandomStream random(32, "long ways");
  for (std::size_t c = 0; c < kProblemClasses; ++c) {
    Problem p =
        make_problem(static_cast<ProblemClass>(c), 6 + static_cast<std::uint32_t>(c) % 3, random);
    Prepared prepared;
    Allocation kept, fresh;
    const Vec6 base = to_vec6(p.demand.F_Bo_B);
    Vec6 w = base;
    for (int tick = 0; tick < pintle::testing::few(3000); ++tick) {
      for (std::size_t k = 0; k < kAxes; ++k)
        w[k] += 0.03 * std::abs(base[k]) * random.normal() - 0.02 * (w[k] - base[k]);
      p.demand.F_Bo_B = to_wrench(w);
      allocate(prepared, p.settings, p.effectiveness, p.demand, nullptr, kept);
      allocate(p.settings, p.effectiveness, p.demand, nullptr, fresh);
      ASSERT_LE(distance(kept.effort, fresh.effort), 1e-12 * span_of(p.effectiveness))
          << name_of(static_cast<ProblemClass>(c)) << " " << tick;
    }
  }
}

// two columns along one axis each, the third axis out of reach: what is nearest is each axis alone
TEST(SetSearch, OneChannelGoesFreeAndComesBackToItsBound) {
  Effectiveness e;
  e.n = 2;
  e.column[0] = {{1, 0, 0, 0, 0, 0}};
  e.column[1] = {{0, 2, 1, 0, 0, 0}};
  e.lower = {-1, -1};
  e.upper = {1, 1};
  Prepared prepared;
  Allocation out;
  const auto ask = [&](double x, double y) {
    allocate(prepared, with_r(0), e, demand_of({{x, y, 0, 0, 0, 0}}), nullptr, out);
  };
  ask(3, 3);
  ask(3, 3.5);
  ask(3, 4);
  EXPECT_TRUE(prepared.map.ready);
  EXPECT_EQ(out.effort[0], 1);
  EXPECT_EQ(out.effort[1], 1);
  // (2 u - 2)^2 + u^2 is least at u = 0.8
  ask(3, 2);
  EXPECT_TRUE(prepared.map.ready);
  EXPECT_EQ(prepared.map.free, 0b10U);
  EXPECT_NEAR(out.effort[1], 0.8, 1e-15);
  EXPECT_NEAR(out.residual.force.y, 0.4, 1e-15);
  EXPECT_NEAR(out.residual.force.z, -0.8, 1e-15);
  ask(-3, -3);
  EXPECT_TRUE(prepared.map.ready);
  EXPECT_EQ(prepared.map.free, 0U);
  EXPECT_EQ(out.effort[0], -1);
  EXPECT_EQ(out.effort[1], -1);
  EXPECT_EQ(out.at_lower, 0b11U);
}

// one channel for each axis, and one more for x: all axes spanned
TEST(SetSearch, LeavesTheSetThatHoldsNothingAndComesBackToIt) {
  Effectiveness e;
  e.n = 7;
  for (std::size_t k = 0; k < kAxes; ++k) e.column[k][k] = 1;
  e.column[6][0] = 2;
  for (std::size_t i = 0; i < e.n; ++i) {
    e.lower[i] = -1;
    e.upper[i] = 1;
  }
  Prepared prepared;
  Allocation out;
  const auto ask = [&](double x) {
    allocate(prepared, with_r(0), e, demand_of({{x, 0.2, 0.5, 0, 0, 0}}), nullptr, out);
  };
  // least effort shares x as 1 to 2
  ask(2);
  EXPECT_NEAR(out.effort[0], 0.4, 1e-15);
  EXPECT_NEAR(out.effort[6], 0.8, 1e-15);
  EXPECT_FALSE(prepared.map.ready);
  ask(2.8);
  EXPECT_TRUE(prepared.map.ready && prepared.map.spanned);
  EXPECT_EQ(out.effort[6], 1);
  EXPECT_NEAR(out.effort[0], 0.8, 1e-15);
  EXPECT_NEAR(out.effort[1], 0.2, 1e-15);
  EXPECT_EQ(out.grade, AllocationGrade::kExact);
  // out of reach: fewer free than axes
  ask(3.5);
  EXPECT_TRUE(prepared.map.ready && !prepared.map.spanned);
  EXPECT_EQ(out.effort[0], 1);
  EXPECT_NEAR(out.residual.force.x, 0.5, 1e-15);
  ask(2.8);
  EXPECT_TRUE(prepared.map.ready && prepared.map.spanned);
  EXPECT_NEAR(out.effort[0], 0.8, 1e-15);
  ask(2);
  EXPECT_NEAR(out.effort[6], 0.8, 1e-15);
  EXPECT_EQ(out.at_upper, 0U);
}

TEST(SetSearch, IsNotUsedForColumnsThatHardlyStandApart) {
  Effectiveness e;
  e.n = 3;
  e.column[0] = {{1, 0, 0, 0, 0, 0}};
  e.column[1] = {{1, 0.05, 0, 0, 0, 0}};
  e.column[2] = {{0, 0, 0.5, 0, 0, 1}};
  e.lower = {-9, -9, -1};
  e.upper = {9, 9, 1};
  Prepared prepared;
  Allocation out, fresh;
  for (const double z : {4.0, 4.1, 4.2, 4.3}) {
    const WrenchDemand d = demand_of({{1, 0.2, z, 0, 0, z}});
    allocate(prepared, with_r(0), e, d, nullptr, out);
    allocate(with_r(0), e, d, nullptr, fresh);
    EXPECT_FALSE(prepared.map.ready);
    EXPECT_LT(distance(out.effort, fresh.effort), 1e-12);
  }
  EXPECT_NEAR(out.effort[1], 4, 1e-12);
  EXPECT_NEAR(out.effort[0], -3, 1e-12);
}

}  // namespace
}  // namespace pintle::allocation
