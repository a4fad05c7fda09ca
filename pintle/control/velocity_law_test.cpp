#include "pintle/control/velocity_law.h"

#include <gtest/gtest.h>

#include <limits>

namespace pintle::control {
namespace {

constexpr double kDt = 0.02;

VelocityLawParams proportional() {
  VelocityLawParams p;
  p.xy = p.z = p.yaw = {1, 0, 0, 0.01, 0, 10, 10, 0, 0, 10};
  p.max_speed_m_s = p.max_climb_m_s = p.max_descent_m_s = p.max_yaw_rate_rad_s = 100;
  return p;
}

struct Bench {
  VelocityLawParams params = proportional();
  VelocityLawState state;
  Setpoint setpoint;
  Pose pose;
  MotionCommand out;
  VelocityLawTrace trace;
  bool go(bool world_axes = true) {
    return step(params, state, setpoint, pose, kDt, world_axes, out, trace);
  }
};

TEST(VelocityLaw, TheWayIsTurnedByTheHeading) {
  for (const bool world_axes : {true, false}) {
    Bench b;
    b.pose.q = from_rpy({0.1, -0.2, kPi / 2});
    b.setpoint.X_WD.p = {1, 2, 3};
    b.setpoint.X_WD.q = from_rpy({0, 0, kPi / 2});
    ASSERT_TRUE(b.go(world_axes));
    // heading north: north is ahead, east is to the right
    EXPECT_NEAR(b.out.v_H.x, 2, 1e-12);
    EXPECT_NEAR(b.out.v_H.y, -1, 1e-12);
    EXPECT_NEAR(b.out.v_H.z, 3, 1e-12);
    EXPECT_NEAR(b.out.yaw_rate_rad_s, 0, 1e-12);
  }
}

TEST(VelocityLaw, AGoalThatMovesIsGoneAlongWith) {
  Bench b;
  b.pose.q = b.setpoint.X_WD.q = from_rpy({0, 0, kPi / 2});
  b.setpoint.X_WD.p = {1, 0, 0};
  b.setpoint.V_WD_B.v = {0.3, 0.1, -0.2};
  ASSERT_TRUE(b.go());
  EXPECT_NEAR(b.out.v_H.x, 0.3, 1e-12);
  EXPECT_NEAR(b.out.v_H.y, -1 + 0.1, 1e-12);
  EXPECT_NEAR(b.out.v_H.z, -0.2, 1e-12);
}

TEST(VelocityLaw, TurnsTheShorterWayAcrossTheSeam) {
  Bench b;
  b.pose.q = from_rpy({0, 0, 3.0});
  b.setpoint.X_WD.q = from_rpy({0, 0, -3.0});
  ASSERT_TRUE(b.go());
  EXPECT_NEAR(b.out.yaw_rate_rad_s, 2 * kPi - 6, 1e-12);
}

TEST(VelocityLaw, WorldAndCraftAxesDifferOnlyByTheLoopsThatEachAxisHas) {
  // the original's gains: at 45 degrees a pull of 1.2 m is clamped to 1 m an axis
  Bench ground, body;
  ground.params.xy.e_max = body.params.xy.e_max = 1;
  ground.pose.q = body.pose.q = from_rpy({0, 0, kPi / 4});
  ground.setpoint.X_WD.p = body.setpoint.X_WD.p = {1.2, 0, 0};
  ground.setpoint.X_WD.q = body.setpoint.X_WD.q = ground.pose.q;
  ground.go(true);
  body.go(false);
  EXPECT_NEAR(std::hypot(ground.out.v_H.x, ground.out.v_H.y), 1, 1e-12);
  EXPECT_NEAR(std::hypot(body.out.v_H.x, body.out.v_H.y), 1.2, 1e-12);
}

TEST(VelocityLaw, PerTickIsTheOriginalsLoopStepByStep) {
  // vectors of the original's algorithm, with its shipped gains
  Bench b;
  b.params.form = VelocityForm::kPerTick;
  b.params.xy = {1, 0.1, 0.1, 0.1, 0.2, 1, 2, 0.5, 0, 1.5};
  const double error[]{2.0, 0.8, 0.15, 0.15, 0.15, 0.15, 0.2, 0.1, 0.0999, 0.15, -0.15, -3.0};
  const double wanted[]{1.0, 0.8, 0.165, 0.18, 0.195, 0.21, 0.2, 0.11, 0, 0.165, -0.15, -1.0};
  for (std::size_t i = 0; i < std::size(error); ++i) {
    b.setpoint.X_WD.p.x = error[i];
    ASSERT_TRUE(b.go());
    EXPECT_NEAR(b.out.v_H.x, wanted[i], 1e-12) << i;
  }
}

TEST(VelocityLaw, AVelocityThatIsWantedPassesAndItsLoopForgets) {
  Bench b;
  b.params.xy = {1, 5, 0, 0.01, 10, 10, 10, 10, 0, 10};
  b.setpoint.X_WD.p = {1, 0, 0};
  for (int i = 0; i < 50; ++i) b.go();
  EXPECT_GT(b.state.loops[0].integral, 1);
  b.setpoint.mode[0] = AxisMode::kVelocity;
  b.setpoint.V_WD_B.v.x = 0.4;
  b.go();
  EXPECT_EQ(b.out.v_H.x, 0.4);
  EXPECT_EQ(b.state.loops[0].integral, 0);
}

TEST(VelocityLaw, KeepsItsLimitsWithoutBendingTheWay) {
  Bench b;
  b.params.max_speed_m_s = 1;
  b.params.max_climb_m_s = 0.5;
  b.params.max_descent_m_s = 0.25;
  b.setpoint.X_WD.p = {3, 4, 5};
  b.go();
  EXPECT_NEAR(b.out.v_H.x, 0.6, 1e-12);
  EXPECT_NEAR(b.out.v_H.y, 0.8, 1e-12);
  EXPECT_EQ(b.out.v_H.z, 0.5);
  b.setpoint.X_WD.p.z = -5;
  b.go();
  EXPECT_EQ(b.out.v_H.z, -0.25);
}

TEST(VelocityLaw, WhatIsNoNumberGivesZeroAndLeavesNothingBehind) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Bench b;
    b.setpoint.X_WD.p = {1, 1, 1};
    b.go();
    b.pose.p.y = bad;
    EXPECT_FALSE(b.go());
    EXPECT_EQ(b.out.v_H, Vec3{});
    EXPECT_EQ(b.out.yaw_rate_rad_s, 0);
    b.pose = {};
    b.pose.q = {0, 0, 0, 0};
    EXPECT_FALSE(b.go());
  }
}

}  // namespace
}  // namespace pintle::control
