// The tableau of the last set (set_tableau.h), as allocate() uses it.
#include <gtest/gtest.h>

#include <cmath>

#include "pintle/allocation/prepared.h"

#include "pintle/allocation/suite.h"
#include "pintle/allocation/testing_vehicles.h"
#include "pintle/base/random.h"

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
  int kept = 0;   // of those, found by exchanges in the tableau
  double apart = 0;
};

Followed follow(Problem p, double r, bool moving_bounds, RandomStream& random) {
  set_trade(p, r);
  Followed result;
  Prepared prepared;
  Allocation kept, fresh;
  const Vec6 base = to_vec6(p.demand.F_Bo_B);
  unsigned free = 0, up = 0;
  for (int tick = 0; tick < 120; ++tick) {
    p.demand = near(base, tick, 1, random);
    if (moving_bounds)
      for (std::size_t i = 0; i < p.effectiveness.n; ++i) p.effectiveness.upper[i] *= 1.001;
    const bool was_ready = prepared.tableau.ready;
    allocate(prepared, p.settings, p.effectiveness, p.demand, nullptr, kept);
    allocate(p.settings, p.effectiveness, p.demand, nullptr, fresh);
    result.apart =
        std::max(result.apart, distance(kept.effort, fresh.effort) / span_of(p.effectiveness));
    EXPECT_EQ(kept.grade, fresh.grade) << tick;
    EXPECT_EQ(kept.at_upper, fresh.at_upper) << tick;
    EXPECT_EQ(kept.at_lower, fresh.at_lower) << tick;
    const bool moves = prepared.tableau.free != free || prepared.tableau.up != up;
    result.moved += moves || !prepared.tableau.ready ? 1 : 0;
    result.kept += moves && was_ready && prepared.tableau.ready ? 1 : 0;
    free = prepared.tableau.free;
    up = prepared.tableau.up;
  }
  return result;
}

TEST(SetTableau, FollowsADemandOutOfReachFromSetToSetWithTheAnswersOfNewProblems) {
  RandomStream random(31, "set tableau");
  Followed all;
  for (int vehicle = 0; vehicle < 40; ++vehicle) {
    const auto n = static_cast<std::uint32_t>(3 + vehicle % 6);
    const Problem p = make_problem(ProblemClass::kHeavy, n, random);
    for (const double r : {0.0, 1e-8, 1e-3})
      for (const bool moving_bounds : {false, true}) {
        const Followed one = follow(p, r, moving_bounds, random);
        EXPECT_LT(one.apart, 1e-12) << vehicle << " " << r;
        all.moved += one.moved;
        all.kept += one.kept;
      }
  }
  EXPECT_GT(all.moved, 1000);
  EXPECT_GT(2 * all.kept, all.moved);
}

// two columns along one axis each, the third axis out of reach: what is nearest is each axis alone
TEST(SetTableau, OneChannelGoesFreeAndComesBackToItsBound) {
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
  EXPECT_TRUE(prepared.tableau.ready);
  EXPECT_EQ(out.effort[0], 1);
  EXPECT_EQ(out.effort[1], 1);
  // (2 u - 2)^2 + u^2 is least at u = 0.8
  ask(3, 2);
  EXPECT_TRUE(prepared.tableau.ready);
  EXPECT_EQ(prepared.tableau.free, 0b10U);
  EXPECT_NEAR(out.effort[1], 0.8, 1e-15);
  EXPECT_NEAR(out.residual.force.y, 0.4, 1e-15);
  EXPECT_NEAR(out.residual.force.z, -0.8, 1e-15);
  ask(-3, -3);
  EXPECT_TRUE(prepared.tableau.ready);
  EXPECT_EQ(prepared.tableau.free, 0U);
  EXPECT_EQ(out.effort[0], -1);
  EXPECT_EQ(out.effort[1], -1);
  EXPECT_EQ(out.at_lower, 0b11U);
}

TEST(SetTableau, IsNotUsedForColumnsThatHardlyStandApart) {
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
    EXPECT_FALSE(prepared.tableau.ready);
    EXPECT_LT(distance(out.effort, fresh.effort), 1e-12);
  }
  EXPECT_NEAR(out.effort[1], 4, 1e-12);
  EXPECT_NEAR(out.effort[0], -3, 1e-12);
}

}  // namespace
}  // namespace pintle::allocation
