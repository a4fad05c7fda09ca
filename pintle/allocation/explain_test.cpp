#include "pintle/allocation/explain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pintle/allocation/failures.h"
#include "pintle/allocation_suite/vehicles.h"
#include "pintle/base/random.h"

namespace pintle::allocation {
namespace {

using namespace testing;

Explanation explained(const Settings& s, const Effectiveness& e, const WrenchDemand& d,
                      const PropulsorHealth* health = nullptr) {
  return explain(s, e, d, health, solve(s, e, d, health));
}

// two thrusters along x, half a metre to each side
Effectiveness pair_along_x() {
  Effectiveness e;
  e.n = 2;
  e.column[0] = to_vec6(Wrench{{1, 0, 0}, {0, 0, -0.5}});
  e.column[1] = to_vec6(Wrench{{1, 0, 0}, {0, 0, 0.5}});
  e.lower[0] = e.lower[1] = -10;
  e.upper[0] = e.upper[1] = 10;
  return e;
}

TEST(Explain, PricesByHand) {
  WrenchDemand d = demand_of({{24, 0, 0, 0, 0, 0}});
  d.weight = {1, 0, 0, 0, 0, 1};
  const Explanation x = explained(with_r(0), pair_along_x(), d);
  // both at 10, 4 N missing: d/du (24 - u0 - u1)^2 = -8
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(x.channels[i].hold, Hold::kUpper);
    EXPECT_DOUBLE_EQ(x.channels[i].price, 8);
    EXPECT_DOUBLE_EQ(x.channels[i].per_error, 1);
  }
  EXPECT_DOUBLE_EQ(x.channels[0].share.torque.z, -5);
  EXPECT_DOUBLE_EQ(x.cost, 16);
  EXPECT_EQ(x.gap, 0);
  EXPECT_NEAR(x.scale, 20.0 / 24, 1e-12);
  EXPECT_NEAR(x.most[0], 20, 1e-9);
  EXPECT_NEAR(x.least[5], -10, 1e-9);
  EXPECT_EQ(x.axis[2], AxisLoss::kNoPush);
}

TEST(Explain, TheGapOfAWrongAnswerIsNotZero) {
  WrenchDemand d = demand_of({{24, 0, 0, 0, 0, 0}});
  d.weight = {1, 0, 0, 0, 0, 1};
  const Effectiveness e = pair_along_x();
  Allocation a = solve(with_r(0), e, d);
  a.effort[0] = 9;  // 5 N and 0.5 Nm missing: slopes -9.5 and -10.5, room of 1 N on the first
  const Explanation x = explain(with_r(0), e, d, nullptr, a);
  EXPECT_DOUBLE_EQ(x.cost, 25.25);
  EXPECT_NEAR(x.gap, 10.5, 1e-12);
  EXPECT_LE(x.cost - x.gap, 16);  // the optimum
}

TEST(Explain, ReasonsOfAxesThatAreNotThere) {
  Effectiveness e = pair_along_x();
  e.lower[0] = e.lower[1] = 0;
  WrenchDemand d = demand_of({{5, 0, 0, 0, 0, 0}});
  d.weight = {1, 0, 0, 0, 0, 0};
  EXPECT_EQ(explained(with_r(0), e, d).axis[2], AxisLoss::kNoPush);
  PropulsorHealth health[2];
  health[0].health = Health::kOut;
  const Explanation x = explained(with_r(0), e, d, health);
  EXPECT_EQ(x.channels[0].hold, Hold::kOut);
  EXPECT_NEAR(x.most[0], 10, 1e-9);
}

TEST(Explain, AnAxisOfPerturbedGeometryIsCalledATrace) {
  // four level thrusters, two upright ones on the pitch axis; all 1.3 degrees off, 5 mm beside
  const double h = std::sqrt(0.5);
  const Vec3 places[6] = {{0.3, 0.2, 0},   {0.3, -0.2, 0}, {-0.3, 0.2, 0},
                          {-0.3, -0.2, 0}, {0, 0.2, 0},    {0, -0.2, 0}};
  const Vec3 ways[6] = {{h, -h, 0}, {h, h, 0}, {h, h, 0}, {h, -h, 0}, {0, 0, 1}, {0, 0, 1}};
  RandomStream random(2, "geometry error");
  Effectiveness e;
  e.n = 6;
  for (std::size_t i = 0; i < 6; ++i) {
    const Vec3 aside = cross({random.normal(), random.normal(), random.normal()}, ways[i]);
    Vec3 f = ways[i] + (std::tan(1.3 * M_PI / 180) / norm(aside)) * aside;
    f = f / norm(f);
    Vec3 p = places[i];
    for (std::size_t k = 0; k < 3; ++k) p[k] += random.uniform(-0.005, 0.005);
    e.column[i] = to_vec6(Wrench{f, cross(p, f)});
    e.lower[i] = -1;
    e.upper[i] = 1;
  }
  const Explanation x = explained(with_r(0), e, axis_demand(0, 1));
  EXPECT_EQ(x.axis[4], AxisLoss::kNearlyNone);
  EXPECT_GT(x.most[4], 0);
  EXPECT_LT(x.least[4], 0);
  for (const std::size_t k : {0UL, 1UL, 2UL, 3UL, 5UL}) EXPECT_EQ(x.axis[k], AxisLoss::kNone) << k;
}

// 1 000 random cases each: by convexity no effort is better than cost - gap, so a gap of rounding
// is never above the exact optimum
void proved_to_be_optimal(Preset preset, const Effectiveness& e, double force, double torque) {
  Settings settings;
  settings.objective.preset = preset;
  settings.objective = resolved(settings.objective);
  RandomStream random(static_cast<std::uint64_t>(preset), "never above the optimum");
  int bounded = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    std::array<PropulsorHealth, 8> health{};
    for (int k = 0; k < trial % 4; ++k) health[random.bits() % 8].health = Health::kOut;
    Vec6 w;
    for (std::size_t k = 0; k < 6; ++k) w[k] = (k < 3 ? force : torque) * random.uniform(-1, 1);
    const Explanation x = explained(settings, e, demand_of(w), health.data());
    ASSERT_TRUE(x.proof);
    ASSERT_LE(x.gap, 1e-12 * (1 + dot(w, w))) << trial;
    for (const ChannelExplanation& c : x.channels) {
      ASSERT_GE(c.effort, c.lower);
      ASSERT_LE(c.effort, c.upper);
      bounded += c.hold == Hold::kLower || c.hold == Hold::kUpper ? 1 : 0;
    }
  }
  EXPECT_GT(bounded, 500);
}

TEST(Explain, SubjugatorsAnswersAreProvedToBeOptimal) {
  Effectiveness e = sub8(100);
  for (std::size_t i = 0; i < 8; ++i) e.upper[i] = 65;
  proved_to_be_optimal(Preset::kSubjugator, e, 300, 60);
  proved_to_be_optimal(Preset::kSubjugatorBusses, e, 300, 60);
}

TEST(Explain, DukesAnswersAreProvedToBeOptimal) {
  proved_to_be_optimal(Preset::kDuke, oogway(), 3, 1);
}

TEST(Failures, OfTwoThrustersByHand) {
  const std::vector<FailureCase> cases = failure_cases(pair_along_x());
  ASSERT_EQ(cases.size(), 4U);
  EXPECT_EQ(cases[0].kept, axis_bit(0) | axis_bit(5));
  EXPECT_NEAR(cases[0].reach[0], 20, 1e-9);
  EXPECT_NEAR(cases[0].reach[5], 10, 1e-9);
  EXPECT_EQ(cases[1].first, 0);
  // one alone pushes and turns at once: nothing along x without turning
  EXPECT_LE(cases[1].reach[0], 1e-9);
  EXPECT_EQ(cases[3].kept, 0);
}

TEST(Failures, OfAPairAreNeverBetterThanOfOneOfThem) {
  for (const Effectiveness& e : {sub8(100), oogway()}) {
    const std::vector<FailureCase> cases = failure_cases(e);
    ASSERT_EQ(cases.size(), 1U + 8 + 28);
    for (const FailureCase& c : cases) {
      if (c.first < 0) {
        EXPECT_EQ(c.kept, kAllAxes);
      }
      if (c.second < 0) continue;
      for (const int one : {c.first, c.second}) {
        const FailureCase& single = cases[1 + static_cast<std::size_t>(one)];
        EXPECT_EQ(c.kept & ~single.kept, 0);
        for (std::size_t k = 0; k < kAxes; ++k) EXPECT_LE(c.reach[k], single.reach[k] + 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace pintle::allocation
