#include "pintle/allocation/power.h"

#include <gtest/gtest.h>

#include "pintle/allocation/prepared.h"
#include "pintle/allocation_suite/vehicles.h"
#include "pintle/base/random.h"
#include "pintle/testing/heap_counter.h"

namespace pintle::allocation {
namespace {

using namespace testing;

constexpr double kNone = kInfinity;

PowerModel sub8_power(double cap_W = 0) {
  PowerParams p;
  p.full_power_W = 400;
  p.idle_power_W = 5;
  p.max_power_W = cap_W;
  return power_model(p, sub8(85));
}

struct Answer {
  Allocation a;
  bool given_up;
  double power_W;
};

Answer within(const PowerModel& model, double allowed_W, const WrenchDemand& demand,
              const Effectiveness& e = sub8(85), const PropulsorHealth* health = nullptr,
              const Settings& settings = with_r(0)) {
  Prepared prepared;
  Answer out{};
  out.given_up = allocate_within(model, allowed_W, prepared, settings, e, demand, health, out.a);
  out.power_W = power_of(model, health, out.a.effort);
  return out;
}

WrenchDemand random_demand(RandomStream& random, double size) {
  Vec6 w;
  for (std::size_t k = 0; k < 6; ++k) w[k] = size * random.normal() * (k < 3 ? 1 : 0.3);
  return demand_of(w);
}

TEST(PowerCap, PowerGoesWithTheThreeHalvesOfEffort) {
  const PowerModel m = sub8_power();
  ChannelVector u(8);
  EXPECT_EQ(power_of(m, nullptr, u), 8 * 5);
  u[0] = 85;
  u[1] = -85.0 / 4;
  EXPECT_NEAR(power_of(m, nullptr, u), 40 + 400 + 400.0 / 8, 1e-9);
  std::array<PropulsorHealth, 8> health{};
  health[0].health = Health::kOut;
  health[1] = {Health::kStuck, 1, 85};
  EXPECT_NEAR(power_of(m, health.data(), u), 35 + 400, 1e-9);
}

TEST(PowerCap, WhatFitsIsAnsweredBitForBitAsWithoutCap) {
  RandomStream random(1, "fits");
  for (int trial = 0; trial < 200; ++trial) {
    const WrenchDemand d = random_demand(random, 60);
    const Allocation plain = solve(with_r(0), sub8(85), d);
    const double cost = power_of(sub8_power(), nullptr, plain.effort);
    const Answer a = within(sub8_power(), cost, d);
    EXPECT_FALSE(a.given_up);
    for (std::size_t i = 0; i < 8; ++i) ASSERT_EQ(a.a.effort[i], plain.effort[i]);
    ASSERT_EQ(a.a.grade, plain.grade);
  }
}

TEST(PowerCap, NothingIsDrawnBeyondTheCapAndLittleIsLeftBelowIt) {
  RandomStream random(2, "cap");
  int capped = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const WrenchDemand d = random_demand(random, 200);
    const double cap = 40 + random.uniform(20, 800);
    const Answer a = within(sub8_power(), cap, d);
    ASSERT_LE(a.power_W, cap);
    if (!a.given_up) continue;
    ++capped;
    EXPECT_GE(a.power_W, cap * (1 - 1e-5));
    EXPECT_EQ(a.a.grade, AllocationGrade::kBounded);
    EXPECT_EQ(a.a.margin, 0);
    const Vec6 sum = to_vec6(a.a.achieved) + to_vec6(a.a.residual) - to_vec6(d.F_Bo_B);
    EXPECT_LT(norm(sum), 1e-9) << "told of the demand as it was given";
    for (std::size_t i = 0; i < 8; ++i) ASSERT_LE(std::abs(a.a.effort[i]), 85);
  }
  EXPECT_GT(capped, 100);
}

TEST(PowerCap, OneGroupKeepsItsDirection) {
  RandomStream random(3, "direction");
  for (int trial = 0; trial < 100; ++trial) {
    const WrenchDemand d = random_demand(random, 40);
    const Vec6 w = to_vec6(d.F_Bo_B);
    const Answer a = within(sub8_power(), 40 + 20, d);
    const Vec6 got = to_vec6(a.a.achieved);
    ASSERT_LT(norm(got - (dot(got, w) / dot(w, w)) * w), 1e-9 * norm(w));
  }
}

TEST(PowerCap, TheLeastImportantGroupGivesWayFirst) {
  WrenchDemand d = demand_of({{120, 60, 0, 6, 5, 8}});
  d.group = {1, 1, 1, 0, 0, 0};
  const Answer all = within(sub8_power(), kNone, d);
  ASSERT_EQ(all.a.grade, AllocationGrade::kExact);
  const Answer some = within(sub8_power(), 0.6 * all.power_W, d);
  const Vec6 got = to_vec6(some.a.achieved);
  EXPECT_NEAR(got[3], 6, 1e-9);
  EXPECT_NEAR(got[4], 5, 1e-9);
  EXPECT_NEAR(got[5], 8, 1e-9);
  EXPECT_LT(got[0], 119);
  EXPECT_NEAR(got[1] / got[0], 0.5, 1e-9);
  // so little that attitude too has to give way: nothing is left of the other group
  const Answer little = within(sub8_power(), 42, d);
  EXPECT_NEAR(little.a.achieved.force.x, 0, 1e-9);
  EXPECT_LT(little.a.achieved.torque.z, 7.9);
  EXPECT_LE(little.power_W, 42);
}

TEST(PowerCap, MorePowerNeverGivesLess) {
  const WrenchDemand d = demand_of({{120, -40, 60, 4, 0, 12}});
  double before = 0;
  for (double cap = 45; cap < 1500; cap *= 1.2) {
    const double got = dot(to_vec6(within(sub8_power(), cap, d).a.achieved), to_vec6(d.F_Bo_B));
    EXPECT_GE(got, before - 1e-9 * before);
    before = got;
  }
}

TEST(PowerCap, SlewLimitsThatForbidTheCapAreKeptAndTheRestGoesDown) {
  Effectiveness e = sub8(85);
  e.lower[0] = 70;  // cannot come down faster than this
  e.upper[0] = 80;
  const Answer a = within(sub8_power(), 100, demand_of({{200, 0, 0, 0, 0, 0}}), e);
  EXPECT_TRUE(a.given_up);
  EXPECT_EQ(a.a.effort[0], 70);
  for (std::size_t i = 1; i < 8; ++i) EXPECT_NEAR(a.a.effort[i], 0, 1e-6);
}

TEST(PowerCap, TheCurrentCapFollowsTheBusVoltage) {
  PowerParams p;
  p.max_current_A = 20;
  EXPECT_EQ(allowed_power(p, 16), 320);
  EXPECT_EQ(allowed_power(p, 12), 240);
  EXPECT_EQ(allowed_power(p, 0), kNone);
  EXPECT_EQ(allowed_power(p, kNaN), kNone);
  p.max_power_W = 300;
  EXPECT_EQ(allowed_power(p, 16), 300);
  EXPECT_EQ(allowed_power({}, 16), kNone);
}

TEST(PowerCap, NeverUsesTheHeapAndRefusesWhatIsNotFinite) {
  Prepared prepared;
  Allocation out;
  const PowerModel m = sub8_power();
  const Effectiveness e = sub8(85);
  const WrenchDemand d = demand_of({{200, 50, 50, 5, 5, 5}});
  const std::size_t before = pintle::testing::heap_allocations();
  (void)allocate_within(m, 100, prepared, with_r(0), e, d, nullptr, out);
  EXPECT_EQ(pintle::testing::heap_allocations(), before);
  const Answer bad = within(m, 100, demand_of({{kNaN, 0, 0, 0, 0, 0}}));
  EXPECT_EQ(bad.a.grade, AllocationGrade::kRejected);
}

TEST(PowerCap, ACapWithoutAModelIsAnError) {
  PowerParams p;
  p.max_power_W = 100;
  const Findings found = check(p);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].path, "full_power_W");
  p.full_power_W = 300;
  EXPECT_TRUE(check(p).empty());
  p.max_current_A = kNaN;
  EXPECT_EQ(check(p).size(), 1U);
}

}  // namespace
}  // namespace pintle::allocation
