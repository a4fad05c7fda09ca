// What comes from outside and is not to be believed, or not for ever: planners and reports of
// health.
#include <gtest/gtest.h>

#include "pintle/stack/testing_bench.h"

namespace pintle::stack {
namespace {

VehicleFile oogway() {
  return load_vehicle(std::string(PINTLE_SOURCE_DIR) + "/vehicles/oogway.yaml");
}

Bench planner_bench() { return Bench(build_model(oogway(), nullptr)); }

TEST(TickPlanner, AWrenchOfAPlannerThatHasDiedIsZeroAfterASecondUnlessAskedOtherwise) {
  for (const double limit : {-1.0, 0.0, 0.5, 3.0}) {
    VehicleFile file = oogway();
    if (limit >= 0) file.safety.setpoint_stale_s = limit;
    Bench b(build_model(file, nullptr));
    b.arm();
    for (int i = 0; i < 10; ++i) ask(b, push_forward(0.4));
    const Time heard = b.out_.now;
    const double until_s = limit < 0 ? 1 : limit;
    for (int i = 0; i < 200; ++i) {
      b.tick_fresh();
      const bool pushes = limit == 0 || (b.out_.now - heard).seconds() <= until_s;
      ASSERT_EQ(b.out_.demand.F_Bo_B.force.x,
                pushes ? 0.4 * std::get<control::SixAxisParams>(b.model_.law).scale : 0)
          << limit;
      EXPECT_EQ(b.out_.setpoint.mode[0], AxisMode::kWrench);
    }
    // whoever comes back is obeyed
    ask(b, push_forward(0.2));
    EXPECT_EQ(b.out_.demand.F_Bo_B.force.x,
              0.2 * std::get<control::SixAxisParams>(b.model_.law).scale);
  }
}

TEST(TickPlanner, WhatAnotherOneSaysKeepsNoPushAndNoVelocityOfOneThatHasDied) {
  for (const AxisMode mode : {AxisMode::kWrench, AxisMode::kVelocity}) {
    Bench b(build_model(oogway(), nullptr));
    b.arm();
    Setpoint s = push_forward(0.4);
    s.mode[0] = mode;
    s.V_WD_B.v.x = 0.3;
    for (int i = 0; i < 10; ++i) ask(b, s);
    Setpoint other;
    other.mode = s.mode;
    const Time heard = b.out_.now;
    bool told = false;
    while ((b.out_.now - heard).seconds() < 1.2) {
      // a pose that no axis asks for, and modes that are so already
      other.X_WD = b.pose_;
      ask(b, other, kPosePart | kModePart);
      told = told || b.happened(EventCode::kInputStale);
    }
    EXPECT_TRUE(told);
    EXPECT_EQ(b.out_.setpoint.V_WD_B.v.x, 0);
    EXPECT_EQ(b.out_.setpoint.F_Bo_B.force.x, 0);
  }
}

TEST(TickPlanner, AWrenchOfAPlannerThatHasDiedEndsAlsoWithoutAState) {
  // neutral, and pushed along every axis, it needs no state: that it has none stops nothing
  VehicleFile file = oogway();
  file.laws.control.static_force = {};
  Bench b(build_model(file, nullptr));
  b.arm();
  for (int i = 0; i < 10; ++i) ask(b, push_forward(0.4));
  while (b.out_.used.validity == Validity::kValid) b.tick_without_odometry();
  b.in_ = {};
  b.in_.now = b.now_;
  b.in_.has_setpoint = true;
  b.in_.setpoint = push_forward(0.4);
  b.tick_as_is();
  const Time heard = b.out_.now;
  ASSERT_GT(b.largest_effort(), 0.1);
  while ((b.out_.now - heard).seconds() < 1.1) b.tick_without_odometry();
  EXPECT_EQ(b.out_.arm, ArmState::kArmed);
  EXPECT_EQ(b.out_.demand.F_Bo_B.force.x, 0);
}

TEST(TickPlanner, AVelocityOfAPlannerThatHasDiedBecomesAHoldAndAPoseStands) {
  Bench b(build_model(oogway(), nullptr));
  // looking north, so that forwards is along y
  b.pose_ = {{1, 2, -3}, from_rpy({0, 0, kPi / 2})};
  b.arm();
  Setpoint s;
  s.mode[0] = AxisMode::kVelocity;
  s.V_WD_B.v.x = 0.3;
  s.X_WD = {{5, 6, -7}, from_rpy({0, 0, 0.5})};
  ask(b, s);
  b.pose_.p = {1, 4, -3};
  bool told = false;
  for (int i = 0; i < 30; ++i) {
    b.tick_fresh();
    told = told || b.happened(EventCode::kInputStale);
  }
  EXPECT_TRUE(told);
  EXPECT_EQ(b.out_.setpoint.mode[0], AxisMode::kPosition);
  EXPECT_EQ(b.out_.setpoint.V_WD_B.v.x, 0);
  EXPECT_NEAR(b.out_.setpoint.X_WD.p.x, 5, 1e-9) << "sideways the pose stands";
  EXPECT_NEAR(b.out_.setpoint.X_WD.p.y, 4, 1e-9) << "forwards it is held where it was";
  EXPECT_NEAR(b.out_.setpoint.X_WD.p.z, -7, 1e-9);
  EXPECT_NEAR(yaw_of(b.out_.setpoint.X_WD.q), 0.5, 1e-9);

  // a pose alone stands for minutes …
  s.mode[0] = AxisMode::kPosition;
  ask(b, s);
  for (int i = 0; i < 2000; ++i) {
    b.tick_fresh();
    ASSERT_EQ(b.out_.setpoint.X_WD.p, s.X_WD.p);
    ASSERT_FALSE(b.happened(EventCode::kInputStale));
  }
  // … but not longer than the state does
  for (int i = 0; i < 20; ++i) b.tick_without_odometry();
  b.pose_.p = {9, 9, -9};
  b.tick_fresh();
  b.tick_fresh();
  EXPECT_EQ(b.out_.setpoint.X_WD.p, b.pose_.p);
}

TEST(TickPlanner, TheOriginalsPlannerIsObeyedForEverUnlessTheFileSaysOtherwise) {
  for (const bool limited : {false, true}) {
    VehicleFile file = oogway();
    file.laws.control.behaviour = control::Behaviour::kReference;
    if (limited) file.safety.setpoint_stale_s = 1;
    Bench b(build_model(file, nullptr));
    b.arm();
    for (int i = 0; i < 10; ++i) ask(b, push_forward(0.4));
    for (int i = 0; i < 2000; ++i) b.tick_fresh();
    EXPECT_EQ(b.out_.demand.F_Bo_B.force.x,
              limited ? 0 : 0.4 * std::get<control::SixAxisParams>(b.model_.law).scale);
  }
}

TEST(TickHealth, WhatNoPropulsorCanDoIsNotBelievedOfItsHealth) {
  const double most = oogway().vehicle.thruster_types.front().thruster.max_effort;
  const auto report = [](const PropulsorHealth& health) {
    Bench b = planner_bench();
    b.arm();
    for (int i = 0; i < 50; ++i) {
      ask(b, push_forward(0.4));
      if (i != 20) continue;
      b.in_.now = b.now_;
      b.in_.odometry.stamp = b.now_;
      b.in_.health.push_back({1, health});
      b.tick_as_is();
      const bool possible = health.health <= Health::kStuck && std::abs(health.stuck_effort) <= 1 &&
                            health.efficiency == 1;
      EXPECT_NE(b.happened(EventCode::kInputRejected), possible) << health.stuck_effort;
      EXPECT_TRUE(b.bounded());
    }
    return b;
  };
  const Bench untold = report({});
  for (const PropulsorHealth& h :
       {PropulsorHealth{Health::kStuck, 1, 1e308}, PropulsorHealth{Health::kStuck, 1, -1e308},
        PropulsorHealth{Health::kStuck, 1, 50}, PropulsorHealth{Health::kStuck, 1, 1.001 * most},
        PropulsorHealth{static_cast<Health>(5), 1, 0},
        PropulsorHealth{static_cast<Health>(255), 1, 0}, PropulsorHealth{Health::kWeak, -0.1, 0},
        PropulsorHealth{Health::kWeak, 1.1, 0},
        PropulsorHealth{Health::kWeak, std::numeric_limits<double>::quiet_NaN(), 0}}) {
    const Bench b = report(h);
    EXPECT_EQ(b.state_.health[1].health, Health::kGood);
    // the rest goes on as if nothing had been said
    for (std::size_t i = 0; i < b.out_.actuation.effort.size(); ++i)
      EXPECT_EQ(b.out_.actuation.effort[i], untold.out_.actuation.effort[i]) << i;
  }
  EXPECT_EQ(report({Health::kStuck, 1, most}).state_.health[1].health, Health::kStuck);
}

}  // namespace
}  // namespace pintle::stack
