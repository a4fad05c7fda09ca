#include "pintle/allocation/vectored.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pintle/allocation/testing_vehicles.h"
#include "pintle/base/random.h"
#include "pintle/base/rotation.h"
#include "pintle/testing/heap_counter.h"

namespace pintle::allocation {
namespace {

using testing::demand_of;
using testing::kNaN;

constexpr double kDegree = kPi / 180;

VectoredEngine gimbal(Vec3 p, double range_deg) {
  VectoredEngine e;
  e.p_BoT_B = p;
  e.min_thrust_N = 100;
  e.max_thrust_N = 1000;
  e.range_rad = {range_deg * kDegree, range_deg * kDegree};
  return e;
}

/// Pushes in the level plane, turned about z.
VectoredEngine azimuth(Vec3 p) {
  VectoredEngine e;
  e.p_BoT_B = p;
  e.thrust_unit = {1, 0, 0};
  e.axis[0] = {0, 0, 1};
  e.angles = 1;
  e.max_thrust_N = 100;
  e.range_rad = {kPi, 0};
  return e;
}

WrenchDemand on_axes(const Vec6& wrench, std::initializer_list<std::size_t> axes) {
  WrenchDemand d = demand_of(wrench);
  d.weight = {};
  for (const std::size_t k : axes) d.weight[k] = 1;
  return d;
}

VectoredAllocation solve(const std::vector<VectoredEngine>& engines,
                         const std::vector<VectoredState>& now, double period_s,
                         const WrenchDemand& demand, const Effectiveness& fixed = {}) {
  VectoredAllocation out;
  allocate_vectored({}, fixed, engines, now, period_s, demand, out);
  return out;
}

TEST(VectoredThrust, TheForceIsTheProductOfTwoTurns) {
  VectoredEngine e = gimbal({}, 30);
  // R_x(a) R_y(b) (0, 0, 1) by hand: (sin b, -sin a cos b, cos a cos b)
  const double a = 0.2, b = -0.3;
  const Vec3 f = force_of(e, {500, {a, b}});
  EXPECT_NEAR(f.x, 500 * std::sin(b), 1e-12);
  EXPECT_NEAR(f.y, -500 * std::sin(a) * std::cos(b), 1e-12);
  EXPECT_NEAR(f.z, 500 * std::cos(a) * std::cos(b), 1e-12);
}

TEST(VectoredThrust, AGimballedEngineTurnsTheCraftByHandNumbers) {
  // 2 m below the origin; thrust 500 N and a torque of 50 N m about y ask for f_x = -25 N
  const std::vector engines{gimbal({0, 0, -2}, 5)};
  const VectoredAllocation out =
      solve(engines, {{500, {0, 0}}}, 1, on_axes({{0, 0, 500, 0, 50, 0}}, {2, 3, 4}));
  ASSERT_EQ(out.allocation.grade, AllocationGrade::kExact);
  EXPECT_NEAR(out.engine[0].angle_rad[0], 0, 1e-9);
  EXPECT_NEAR(out.engine[0].angle_rad[1], std::atan2(-25, 500), 1e-9);
  EXPECT_NEAR(out.engine[0].thrust_N, std::hypot(500, 25), 1e-6);
  EXPECT_NEAR(out.allocation.achieved.torque.y, 50, 1e-6);
  EXPECT_NEAR(out.allocation.achieved.force.x, -25, 1e-6) << "not demanded, but told";
}

TEST(VectoredThrust, WhateverItCanDoIsFoundExactly) {
  RandomStream random(5, "reachable");
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<VectoredEngine> engines{gimbal({0.3, 0, -2}, 12), gimbal({-0.3, 0.1, -2}, 12)};
    std::vector<VectoredState> goal, now;
    Vec6 wrench;
    for (const VectoredEngine& e : engines) {
      const auto angle = [&] { return random.uniform(-10, 10) * kDegree; };
      goal.push_back({random.uniform(200, 900), {angle(), angle()}});
      now.push_back({random.uniform(100, 1000), {angle(), angle()}});
      const Vec3 f = force_of(e, goal.back());
      wrench = wrench + to_vec6(Wrench{f, cross(e.p_BoT_B, f)});
    }
    const VectoredAllocation out = solve(engines, now, 10, demand_of(wrench));
    ASSERT_EQ(out.allocation.grade, AllocationGrade::kExact) << trial;
    ASSERT_LT(norm(to_vec6(out.allocation.residual)), 1e-5);
  }
}

TEST(VectoredThrust, NothingLeavesRangeConeOrRates) {
  RandomStream random(6, "limits");
  for (int trial = 0; trial < 600; ++trial) {
    VectoredEngine e = gimbal({random.normal(), random.normal(), -2}, 8);
    e.thrust_rate_N_s = 2000;
    e.angle_rate_rad_s = 0.5;
    if (trial % 2 == 0) e.cone_rad = 6 * kDegree;
    const double start = random.uniform(-4, 4) * kDegree;
    const VectoredState now{random.uniform(100, 1000), {start, -start}};
    Vec6 wrench;
    for (double& x : wrench.v) x = 1500 * random.normal();
    const double period = 0.02;
    const VectoredAllocation out = solve({e}, {now}, period, demand_of(wrench));
    const VectoredState& s = out.engine[0];
    EXPECT_NE(out.allocation.grade, AllocationGrade::kRejected);
    EXPECT_LE(std::abs(s.thrust_N - now.thrust_N), 40 + 1e-9);
    EXPECT_GE(s.thrust_N, 100);
    EXPECT_LE(s.thrust_N, 1000);
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_LE(std::abs(s.angle_rad[j]), 8 * kDegree + 1e-12);
      EXPECT_LE(std::abs(s.angle_rad[j] - now.angle_rad[j]), 0.01 + 1e-12);
    }
    if (e.cone_rad > 0) {
      EXPECT_LE(std::hypot(s.angle_rad[0], s.angle_rad[1]), e.cone_rad + 1e-12);
    }
    // what is reported is what the engine gives, not its linear image
    const Vec3 f = force_of(e, s);
    const Wrench given{f, cross(e.p_BoT_B, f)};
    EXPECT_LT(norm(to_vec6(given - out.allocation.achieved)), 1e-9 * (1 + norm(to_vec6(given))));
    EXPECT_LT(norm(to_vec6(demand_of(wrench).F_Bo_B - given - out.allocation.residual)), 1e-8);
  }
}

TEST(VectoredThrust, ASaturatedAnswerIsAsGoodAsAnyOnAGrid) {
  RandomStream random(7, "grid");
  for (int trial = 0; trial < 40; ++trial) {
    const VectoredEngine e = gimbal({0, 0, -2}, 6);
    const Vec6 wrench{{40 * random.normal(), 40 * random.normal(), random.uniform(300, 900),
                       200 * random.normal(), 200 * random.normal(), 0}};
    const WrenchDemand demand = on_axes(wrench, {2, 3, 4});
    const VectoredAllocation out = solve({e}, {{500, {0, 0}}}, 100, demand);
    const auto missing = [&](const VectoredState& s) {
      const Vec3 f = force_of(e, s);
      const Vec6 r = wrench - to_vec6(Wrench{f, cross(e.p_BoT_B, f)});
      return r[2] * r[2] + r[3] * r[3] + r[4] * r[4];
    };
    const double found = missing(out.engine[0]);
    for (int i = -20; i <= 20; ++i)
      for (int j = -20; j <= 20; ++j)
        for (int t = 0; t <= 60; ++t) {
          const VectoredState s{100 + 15.0 * t, {0.3 * i * kDegree, 0.3 * j * kDegree}};
          ASSERT_LE(found, missing(s) + 1e-6 * (1 + found));
        }
  }
}

TEST(VectoredThrust, AnAzimuthTurnsToTheForceFromAnyAngleAlsoFromStandstill) {
  // two azimuths fore and aft: every force in the plane with no turning moment
  const std::vector engines{azimuth({1, 0, 0}), azimuth({-1, 0, 0})};
  for (int deg = -180; deg <= 180; deg += 15) {
    for (const double thrust : {0.0, 20.0}) {
      for (const double present : {0.0, 2.0, -3.1}) {
        const Vec6 wrench{{60 * std::cos(deg * kDegree), 60 * std::sin(deg * kDegree), 0, 0, 0, 0}};
        const VectoredAllocation out =
            solve(engines, {{thrust, {present, 0}}, {thrust, {present, 0}}}, 100,
                  on_axes(wrench, {0, 1, 5}));
        ASSERT_EQ(out.allocation.grade, AllocationGrade::kExact) << deg << " " << present;
        for (const VectoredState& s : out.engine) {
          EXPECT_GE(s.thrust_N, 0);
          EXPECT_LE(std::abs(s.angle_rad[0]), kPi + 1e-12);
        }
      }
    }
  }
}

TEST(VectoredThrust, AnAzimuthThatPointsTheWrongWayTurnsBeforeItPushes) {
  VectoredEngine e = azimuth({0, 0, 0});
  e.angle_rate_rad_s = 1;
  VectoredState now{0, {170 * kDegree, 0}};
  const WrenchDemand demand = on_axes({{50, 0, 0, 0, 0, 0}}, {0, 1});
  int ticks = 0;
  double pushed_backwards = 0;
  VectoredAllocation out;
  for (; ticks < 100; ++ticks) {
    out = solve({e}, {now}, 0.1, demand);
    now = out.engine[0];
    pushed_backwards = std::min(pushed_backwards, out.allocation.achieved.force.x);
    if (out.allocation.grade == AllocationGrade::kExact) break;
  }
  EXPECT_EQ(out.allocation.grade, AllocationGrade::kExact);
  EXPECT_NEAR(ticks + 1, std::ceil(170 * kDegree / 0.1), 1) << "straight there at the full rate";
  EXPECT_GE(pushed_backwards, -1e-9);
  EXPECT_NEAR(now.thrust_N, 50, 1e-6);
}

TEST(VectoredThrust, AnAngleGoesOnOverTheBackOfTheCircle) {
  VectoredEngine e = azimuth({0, 0, 0});
  e.angle_rate_rad_s = 1;
  const VectoredState now{50, {175 * kDegree, 0}};
  const Vec6 wrench{{50 * std::cos(-179 * kDegree), 50 * std::sin(-179 * kDegree), 0, 0, 0, 0}};
  const VectoredAllocation out = solve({e}, {now}, 0.2, on_axes(wrench, {0, 1}));
  EXPECT_EQ(out.allocation.grade, AllocationGrade::kExact) << "six degrees, not 354";
  EXPECT_NEAR(out.engine[0].angle_rad[0], -179 * kDegree, 1e-7);
}

TEST(VectoredThrust, LinearChannelsAloneGetTheAnswerOfTheLinearSolver) {
  const Effectiveness e = testing::oogway();
  RandomStream random(8, "linear");
  for (int trial = 0; trial < 100; ++trial) {
    Vec6 wrench;
    for (double& x : wrench.v) x = random.normal();
    const VectoredAllocation a = solve({}, {}, 1, demand_of(wrench), e);
    const Allocation b = testing::solve({}, e, demand_of(wrench));
    ASSERT_LT(testing::distance(a.allocation.effort, b.effort), 1e-9);
    ASSERT_EQ(a.allocation.grade, b.grade);
  }
}

TEST(VectoredThrust, ThrustersAndAGimbalShareAWrench) {
  const Effectiveness fixed = testing::sub8(40);
  const std::vector engines{gimbal({0, 0, -0.5}, 10)};
  WrenchDemand demand = demand_of({{20, -10, 300, 3, -4, 5}});
  const VectoredAllocation out = solve(engines, {{200, {0, 0}}}, 10, demand, fixed);
  EXPECT_EQ(out.allocation.grade, AllocationGrade::kExact);
  EXPECT_EQ(out.allocation.effort.size(), 11U);
}

TEST(VectoredThrust, AStuckGimbalAndADeadEngineAreLivedWith) {
  std::vector engines{gimbal({0, 0.5, -2}, 8), gimbal({0, -0.5, -2}, 8)};
  engines[0].efficiency = 0;
  engines[1].angle_rate_rad_s = 0;  // stuck where it is
  const std::vector<VectoredState> now{{500, {0.05, 0.05}}, {500, {0.03, -0.02}}};
  const VectoredAllocation out = solve(engines, now, 0.1, on_axes({{0, 0, 700, 0, 0, 0}}, {2}));
  EXPECT_EQ(out.allocation.grade, AllocationGrade::kExact);
  EXPECT_EQ(out.engine[1].angle_rad[0], 0.03);
  EXPECT_EQ(out.engine[1].angle_rad[1], -0.02);
  EXPECT_NEAR(force_of(engines[1], out.engine[1]).z, 700, 1e-6);
}

TEST(VectoredThrust, AttitudeIsServedBeforeThrust) {
  // 5 degrees at 300 N give at most 52 N m; the rest has to come from more thrust than asked
  WrenchDemand demand = on_axes({{0, 0, 300, 0, 100, 0}}, {2, 3, 4});
  demand.group = {1, 1, 1, 0, 0, 0};
  const VectoredAllocation out = solve({gimbal({0, 0, -2}, 5)}, {{300, {0, 0}}}, 10, demand);
  EXPECT_NEAR(out.allocation.achieved.torque.y, 100, 1e-5);
  EXPECT_GT(out.allocation.achieved.force.z, 300);
  EXPECT_EQ(out.allocation.grade, AllocationGrade::kBounded);
}

TEST(VectoredThrust, WhatIsNotFiniteIsRefusedWithThePresentState) {
  const std::vector engines{gimbal({0, 0, -2}, 5)};
  const std::vector<VectoredState> now{{500, {0.5, 0}}};
  const auto refused = [](const VectoredAllocation& a) {
    return a.allocation.grade == AllocationGrade::kRejected && a.engine.size() == 1 &&
           a.engine[0].angle_rad[0] == 5 * kDegree && std::isfinite(a.engine[0].thrust_N);
  };
  EXPECT_TRUE(refused(solve(engines, now, 0.1, demand_of({{kNaN, 0, 0, 0, 0, 0}}))));
  EXPECT_TRUE(refused(solve(engines, now, kNaN, demand_of({}))));
  EXPECT_TRUE(refused(solve(engines, {{kNaN, {0.5, 0}}}, 0.1, demand_of({}))));
  std::vector broken = engines;
  broken[0].min_thrust_N = 2000;
  EXPECT_TRUE(refused(solve(broken, now, 0.1, demand_of({}))));
}

TEST(VectoredThrust, NeverUsesTheHeap) {
  const std::vector engines{gimbal({0, 0, -2}, 5)};
  const std::vector<VectoredState> now{{500, {0, 0}}};
  const WrenchDemand demand = demand_of({{10, 0, 700, 0, 900, 0}});
  VectoredAllocation out;
  const std::size_t before = pintle::testing::heap_allocations();
  allocate_vectored({}, {}, engines, now, 0.1, demand, out);
  EXPECT_EQ(pintle::testing::heap_allocations(), before);
}

TEST(VectoredThrust, ItsParametersAreCheckedByName) {
  EXPECT_TRUE(check(gimbal({}, 5)).empty());
  VectoredEngine e = gimbal({}, 5);
  e.thrust_unit = {0, 0, 2};
  e.range_rad[1] = -1;
  const Findings found = check(e);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].path, "thrust_unit");
  EXPECT_EQ(found[1].path, "range_rad[1]");
}

}  // namespace
}  // namespace pintle::allocation
