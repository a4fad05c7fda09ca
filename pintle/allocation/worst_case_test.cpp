#include "pintle/allocation/worst_case.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "pintle/allocation/internal/demand_cone.h"
#include "pintle/allocation/internal/dispatch.h"
#include "pintle/allocation/internal/tableau.h"
#include "pintle/allocation_suite/suite.h"
#include "pintle/allocation_suite/vehicles.h"
#include "pintle/base/random.h"
#include "pintle/testing/thorough.h"

namespace pintle::allocation {
namespace {

using namespace testing;

constexpr long kPlenty = 1'000'000;

using HealthOfAll = std::array<PropulsorHealth, kMaxChannels>;

HealthOfAll without(std::initializer_list<std::size_t> channels) {
  HealthOfAll health{};
  for (const std::size_t i : channels) health[i].health = Health::kOut;
  return health;
}

Vec6 any_demand(int number, RandomStream& random) {
  Vec6 w;
  const double size = number % 10 == 0 ? 2000 : 5 + number;
  for (std::size_t k = 0; k < kAxes; ++k) w[k] = size * random.normal();
  return w;
}

Scaled scaled_for(const Prepared& prepared, const Vec6& w) {
  Scaled scaled = prepared.scaled;
  EXPECT_TRUE(kernels().scale_demand(to_wrench(w), scaled));
  return scaled;
}

/// Whether the follower, at one demand, comes to the solver's held set by as many systems.
bool agrees(const BoxProblem& box, const SearchPath& path) {
  BoxSolution solution;
  if (!path.settled || !kernels().solve_blocks(box, false, 1000, solution)) return false;
  bool same = solution.iterations == path.systems;
  for (unsigned i = 0; i < box.n; ++i) {
    if (solution.held[i] == Held::kFixed) continue;
    same = same && (solution.held[i] == Held::kFree) == ((path.free >> i & 1) != 0);
    same = same && (solution.held[i] == Held::kUpper) == ((path.up >> i & 1) != 0);
  }
  return same;
}

TEST(WorstCase, TheFollowerGoesTheWayOfTheSolver) {
  RandomStream random(1, "worst case");
  const Effectiveness e = sub8(10);
  for (std::size_t first = 0; first < 8; ++first)
    for (std::size_t second = first; second < 8; ++second)
      for (const double r : {0.0, 1e-4}) {
        const HealthOfAll health = without({first, second});
        const auto prepared = std::make_unique<Prepared>();
        kernels().prepare(*prepared, with_r(r), e, demand_of({}).weight, health.data());
        for (int i = 0; i < 40; ++i) {
          const Scaled scaled = scaled_for(*prepared, any_demand(i, random));
          ASSERT_TRUE(agrees(scaled.box, search_path(scaled.box)));
        }
      }
}

TEST(WorstCase, TheFollowerCountsThePivotsOfTheTableau) {
  RandomStream random(2, "worst case");
  const Effectiveness e = sub8(10);
  const auto prepared = std::make_unique<Prepared>();
  kernels().prepare(*prepared, with_r(0), e, demand_of({}).weight, nullptr);
  for (int i = 0; i < 1000; ++i) {
    Vec6 w;
    // so far out that the search begins with the tableau
    for (std::size_t k = 0; k < kAxes; ++k) w[k] = 5000 * random.normal();
    const Scaled scaled = scaled_for(*prepared, w);
    const BoxProblem& box = scaled.box;
    PINTLE_LEVEL::SixLanes row;
    PINTLE_LEVEL::Lanes pull = PINTLE_LEVEL::all_lanes(0);
    for (std::size_t k = 0; k < kAxes; ++k) {
      row[k] = PINTLE_LEVEL::load(prepared->row[k].data());
      pull += box.b[k] * row[k];
    }
    PINTLE_LEVEL::Tableau tableau;
    tableau.up = PINTLE_LEVEL::bits_of(pull > PINTLE_LEVEL::all_lanes(0));
    ASSERT_TRUE(tableau.run(row, PINTLE_LEVEL::load(box.lower.data()),
                            PINTLE_LEVEL::load(box.upper.data()), box.b, box.r));
    EXPECT_EQ(search_path(box).pivots, tableau.sweeps);
  }
}

TEST(WorstCase, HeldSetsThatCanBeCountedByHand) {
  Effectiveness e;
  e.n = 2;
  e.column[0] = {{1, 0, 0, 0, 0, 0.5}};
  e.column[1] = {{1, 0, 0, 0, 0, -0.5}};
  e.lower[0] = e.lower[1] = 0;
  e.upper[0] = e.upper[1] = 100;
  // two engines for two axes: each is free or on one of its bounds
  const WorstCase apart = worst_case(with_r(0), e, demand_of({}), nullptr, kPlenty);
  EXPECT_EQ(apart.why_not, "");
  EXPECT_TRUE(apart.complete);
  EXPECT_EQ(apart.regions, 9);
  EXPECT_EQ(apart.unsettled, 0);
  EXPECT_GT(apart.proved_steps(), 0);
  // one is left
  const HealthOfAll one = without({0});
  EXPECT_EQ(worst_case(with_r(0), e, demand_of({}), one.data(), kPlenty).regions, 3);
  // none
  const HealthOfAll none = without({0, 1});
  EXPECT_EQ(worst_case(with_r(0), e, demand_of({}), none.data(), kPlenty).regions, 1);
  // side by side for one axis they share it: the weaker meets its bounds first
  e.column[0] = e.column[1] = {{1, 0, 0, 0, 0, 0}};
  e.lower[0] = -40;
  e.upper[0] = 40;
  e.lower[1] = -100;
  e.upper[1] = 100;
  EXPECT_EQ(worst_case(with_r(0), e, demand_of({}), nullptr, kPlenty).regions, 5);
  // equal ones meet them together
  e.lower[1] = -40;
  e.upper[1] = 40;
  EXPECT_EQ(worst_case(with_r(0), e, demand_of({}), nullptr, kPlenty).regions, 3);
}

TEST(WorstCase, NoDemandTakesMoreStepsThanAreProved) {
  RandomStream random(3, "worst case");
  const Effectiveness e = sub8(10);
  for (const double r : {0.0, 1e-4}) {
    for (const HealthOfAll& health : {without({0, 3, 6}), without({0, 1, 2}), without({4, 5, 7})}) {
      const WorstCase c = worst_case(with_r(r), e, demand_of({}), health.data(), kPlenty);
      ASSERT_TRUE(c.complete);
      ASSERT_EQ(c.unsettled, 0);
      ASSERT_FALSE(c.dearest.empty());
      EXPECT_LT(c.proved_steps(), c.capped_steps);
      const auto prepared = std::make_unique<Prepared>();
      kernels().prepare(*prepared, with_r(r), e, demand_of({}).weight, health.data());
      int most = 0;
      const auto look = [&](const Vec6& w) {
        const Scaled scaled = scaled_for(*prepared, w);
        const SearchPath path = search_path(scaled.box);
        most = std::max(most, path.steps());
        EXPECT_LE(path.steps(), c.longest.steps());
        Allocation answer;
        const auto fresh = std::make_unique<Prepared>();
        allocate(*fresh, with_r(r), e, demand_of(w), health.data(), answer);
        EXPECT_LE(answer.iterations, c.proved_steps());
        EXPECT_LE(call_path(*fresh, answer).steps, c.proved_steps());
      };
      for (const Vec6& dear : c.dearest)
        for (int i = 0; i < 10; ++i) {
          // at the edge of its part, and beside it
          Vec6 w = dear;
          for (std::size_t k = 0; k < kAxes; ++k)
            w[k] *= 1 + (i == 0 ? 0 : std::pow(10.0, -i)) * random.normal();
          look(w);
        }
      for (int i = 0; i < pintle::testing::few(1000); ++i) look(any_demand(i % 100, random));
      // what is proved is not far from what is there
      EXPECT_GE(most, c.longest.steps() / 2);
    }
  }
}

// five of eight thrusters of vehicles/oogway.yaml: corners of boxes lie on planes of other sets
TEST(WorstCase, APartThatIsAllTiesIsNotFollowedIntoTheSearchesForHardCases) {
  constexpr std::array<Vec6, 5> kLeft{{{{-0.7071, 0.7071, 0, -0.0297, -0.0297, 0.5092}},
                                       {{-0.7071, -0.7071, 0, 0.0297, -0.0297, -0.4684}},
                                       {{0, 0, -1, -0.3978, -0.2046, 0}},
                                       {{0.7071, 0.7071, 0, -0.0297, 0.0297, -0.5098}},
                                       {{0.7071, -0.7071, 0, 0.0297, 0.0297, 0.4689}}}};
  Effectiveness e;
  e.n = 5;
  for (std::size_t i = 0; i < e.n; ++i) {
    e.column[i] = kLeft[i];
    e.lower[i] = -1;
    e.upper[i] = 1;
  }
  const WorstCase c = worst_case(with_r(0), e, demand_of({}), nullptr, kPlenty);
  EXPECT_TRUE(c.complete);
  EXPECT_EQ(c.unsettled, 0);
  EXPECT_EQ(c.regions, 177);
  EXPECT_EQ(c.proved_steps(), 29);
}

TEST(WorstCase, PlanesOfFormsThatAreTheSameAreOne) {
  Planes planes(kSamePlane);
  const Form form{2, -1, 0, 0, 0, 0, 0.5};
  const Plane plane = planes.of(form);
  EXPECT_EQ(planes.of(3.0 * form), plane);
  EXPECT_EQ(planes.of(-0.1 * form), -plane);
  EXPECT_EQ(planes.of(form + Form{0, 1e-9}), plane);
  EXPECT_NE(planes.of(form + Form{0, 1e-6}), plane);
  EXPECT_EQ(planes.of({}), 0);
}

TEST(WorstCase, ConesAreCutWhereSomethingIsLeftOfThem) {
  DemandCone cone(0), rest, other;
  const Form x{1}, y{0, 1};
  EXPECT_EQ(cone.split(x - 0.5 * y, rest), DemandCone::Side::kBoth);
  EXPECT_EQ(rest.split(2.0 * x - y, other), DemandCone::Side::kBelow);
  EXPECT_EQ(cone.split(2.0 * x - y, other), DemandCone::Side::kAbove);
  EXPECT_TRUE(cone.keep(y - Form{0, 0, 0, 0, 0, 0, 0.5}));
  // x above y / 2, and y above s / 2
  EXPECT_EQ(cone.split(x, other), DemandCone::Side::kAbove);
  EXPECT_EQ(cone.split(-1.0 * x, other), DemandCone::Side::kBelow);
  EXPECT_FALSE(cone.keep(-1.0 * x));
}

TEST(WorstCase, WhatIsNotFollowedSaysWhyAndProvesNothing) {
  const Effectiveness e = sub8(10);
  WrenchDemand groups = demand_of({});
  groups.group[5] = 1;
  const WorstCase several = worst_case(with_r(0), e, groups, nullptr, kPlenty);
  EXPECT_EQ(several.why_not, "axes in several groups");
  EXPECT_EQ(several.proved_steps(), 0);
  EXPECT_EQ(several.cap, 100);
  // two solves, each begun anew once with two tableaus
  EXPECT_EQ(several.capped_steps, 1 + 2 * (100 + 4 * 127));
  Settings kept = with_r(0);
  kept.objective.preserve_direction = true;
  EXPECT_EQ(worst_case(kept, e, demand_of({}), nullptr, kPlenty).capped_steps,
            1 + 40 * (100 + 4 * 127));
  Effectiveness nine = e;
  nine.n = 9;
  nine.column[8] = nine.column[0];
  nine.lower[8] = -1;
  nine.upper[8] = 1;
  const WorstCase many = worst_case(with_r(0), nine, demand_of({}), nullptr, kPlenty);
  EXPECT_EQ(many.why_not, "more than eight channels");
  EXPECT_EQ(many.capped_steps, 111);
  // refused, whatever is demanded
  WrenchDemand apart = demand_of({});
  apart.weight[5] = 1e13;
  const WorstCase refused = worst_case(with_r(0), e, apart, nullptr, 100);
  EXPECT_EQ(refused.why_not, "numbers that cannot be used");
  const WorstCase cut_short = worst_case(with_r(0), e, demand_of({}), nullptr, 100);
  EXPECT_FALSE(cut_short.complete);
  EXPECT_EQ(cut_short.proved_steps(), 0);
}

}  // namespace
}  // namespace pintle::allocation
