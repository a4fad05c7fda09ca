#include "pintle/stack/limits.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "pintle/allocation/prepared.h"
#include "pintle/stack/gate.h"
#include "pintle/vehicle/effectiveness.h"

namespace pintle::stack {
namespace {

/// Two thrusters along x, half a metre to each side, 10 N each way, 20 N/s.
vehicle::Vehicle pair_along_x() {
  vehicle::VehicleSpec spec;
  spec.name = "pair";
  for (const double side : {0.5, -0.5}) {
    vehicle::PropulsorSpec p;
    p.name = side > 0 ? "left" : "right";
    p.position_m = {0, side, 0};
    p.direction = Vec3{1, 0, 0};
    p.thruster = propulsion::ThrusterParams{};
    p.thruster->min_effort = -10;
    p.thruster->max_effort = 10;
    p.thruster->slew_per_s = 20;
    spec.propulsors.push_back(p);
  }
  return vehicle::build(spec);
}

constexpr double kPeriod_s = 0.1;

/// Box of this period, allocation, and what the drivers note of it.
struct Loop {
  vehicle::Vehicle v = pair_along_x();
  Effectiveness e = vehicle::effectiveness_of(v);
  std::array<propulsion::ThrusterState, 2> thruster{};
  std::array<PropulsorHealth, 2> health{};
  allocation::Prepared prepared;
  Allocation a;

  Limits ask(double force) {
    for (std::size_t i = 0; i < 2; ++i) {
      const auto box = linearise(std::get<propulsion::Thruster>(v.propulsors[i].model), thruster[i],
                                 {}, kPeriod_s);
      e.lower[i] = box.lower;
      e.upper[i] = box.upper;
    }
    WrenchDemand d;
    d.F_Bo_B.force.x = force;
    d.weight = {1, 0, 0, 0, 0, 0};
    allocation::allocate(prepared, {}, e, d, health.data(), a);
    for (std::size_t i = 0; i < 2; ++i)
      (void)invert(std::get<propulsion::Thruster>(v.propulsors[i].model), thruster[i], a.effort[i],
                   {}, kPeriod_s);
    return limits_of(vehicle::effectiveness_of(v), e, health.data(), a);
  }
};

TEST(Limits, AStepIsFollowedAtTheSlewLimitUntilTheBoundStopsIt) {
  Loop loop;
  // 2 N a period each: five periods to 10 N, of which the last ends on the bound itself
  for (int period = 1; period <= 7; ++period) {
    const Limits limits = loop.ask(30);
    const double expected = std::min(2.0 * period, 10.0);
    for (const double u : loop.a.effort) EXPECT_NEAR(u, expected, 1e-12) << period;
    EXPECT_NEAR(loop.a.residual.force.x, 30 - 2 * expected, 1e-12);
    EXPECT_EQ(limits.by_slew, period < 5 ? 3U : 0U) << period;
    EXPECT_EQ(limits.by_bound, period < 5 ? 0U : 3U) << period;
  }
}

TEST(Gate, WhatIsSentInSinglePrecisionStaysInsideAndIsFinite) {
  EXPECT_EQ(single_inside(std::numeric_limits<double>::quiet_NaN(), -1, 1), 0);
  EXPECT_EQ(single_inside(std::numeric_limits<double>::infinity(), -1, 1), 0);
  // 0.1f is above 0.1, 0.7f below 0.7
  EXPECT_LE(static_cast<double>(single_inside(0.1, 0, 0.1)), 0.1);
  EXPECT_GE(static_cast<double>(single_inside(0.7, 0.7, 1)), 0.7);
}

TEST(Limits, NothingIsNamedWhereNothingIsMet) {
  Loop loop;
  const Limits limits = loop.ask(1);
  EXPECT_EQ(loop.a.grade, AllocationGrade::kExact);
  EXPECT_EQ(limits.by_bound | limits.by_slew | limits.by_health, 0U);
}

TEST(Limits, OutAndStuckOnesAreNamedForTheirHealth) {
  Loop loop;
  loop.health[1].health = Health::kOut;
  const Limits out = loop.ask(30);
  EXPECT_EQ(out.by_health, 2U);
  EXPECT_EQ(out.by_slew, 1U);
  loop.health[1] = {Health::kStuck, 1, -3};
  EXPECT_EQ(loop.ask(30).by_health, 2U);
}

TEST(WhyLost, NamesFailuresBoundsOfTheMomentAndAuthorityThatNeverWas) {
  const Effectiveness whole = vehicle::effectiveness_of(pair_along_x());
  const std::array<PropulsorHealth, 2> well{};
  EXPECT_EQ(why_lost(whole, whole, well.data(), 0), AxisLossCause::kNone);
  EXPECT_EQ(why_lost(whole, whole, well.data(), 5), AxisLossCause::kNone);
  // nothing pushes sideways
  EXPECT_EQ(why_lost(whole, whole, well.data(), 1), AxisLossCause::kNoAuthority);
  // with one thruster left forwards and turning are one and the same
  std::array<PropulsorHealth, 2> failed{};
  failed[0].health = Health::kOut;
  EXPECT_EQ(why_lost(whole, whole, failed.data(), 0), AxisLossCause::kFailure);
  Effectiveness now = whole;
  now.lower[1] = now.upper[1] = 0;
  EXPECT_EQ(why_lost(whole, now, well.data(), 5), AxisLossCause::kNoRoom);
}

TEST(Limits, AFailureAnnouncedIsMadeUpForInTheSamePeriodWithoutAJump) {
  Loop loop;
  for (int period = 0; period < 5; ++period) (void)loop.ask(2);
  EXPECT_NEAR(loop.a.achieved.force.x, 2, 1e-12);
  EXPECT_NEAR(loop.a.effort[0], 1, 1e-12);
  // one is out: the other takes over its newton at once, within its slew limit of 2 N
  loop.health[1].health = Health::kOut;
  const Limits limits = loop.ask(2);
  EXPECT_NEAR(loop.a.achieved.force.x, 2, 1e-12);
  EXPECT_NEAR(loop.a.effort[0], 2, 1e-12);
  EXPECT_EQ(loop.a.effort[1], 0);
  EXPECT_EQ(limits.by_slew, 0U);
}

}  // namespace
}  // namespace pintle::stack
