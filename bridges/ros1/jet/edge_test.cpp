#include "jet/edge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace pintle::ros1 {
namespace {

constexpr double kPi = std::numbers::pi;
using estimation::OdometryFrame;

Four about_z(double yaw) { return {0, 0, std::sin(yaw / 2), std::cos(yaw / 2)}; }

TEST(OdometryEdge, NorthEastDownAndNorthEastUpMeanTheSamePlace) {
  // 3 m north, 1 m east, 2 m up, nose 30 degrees clockwise of north
  OdometryEdge ned(OdometryFrame::kNed), neu(OdometryFrame::kNeu);
  const auto a = ned.take({0}, {{3, 1, -2}, about_z(kPi / 6)});
  const auto b = neu.take({0}, {{3, 1, 2}, about_z(kPi / 6)});
  for (const auto& m : {a, b}) {
    EXPECT_NEAR(m.X_WB.p.x, 1, 1e-12);
    EXPECT_NEAR(m.X_WB.p.y, 3, 1e-12);
    EXPECT_NEAR(m.X_WB.p.z, 2, 1e-12);
    EXPECT_NEAR(yaw_of(m.X_WB.q), kPi / 3, 1e-12);
  }
}

TEST(OdometryEdge, VelocityIsTheWayOfTheLastTenthOfASecondInTheBody) {
  OdometryEdge edge(OdometryFrame::kNeu);
  estimation::Measurement m;
  // 1 m/s to the north, nose to the east: the left hand points north
  for (int i = 0; i <= 20; ++i) {
    const double t = 0.02 * i;
    m = edge.take(Time::from_seconds(t), {{t, 0, 0}, about_z(kPi / 2)});
  }
  EXPECT_NEAR(m.V_WB_B.v.x, 0, 1e-9);
  EXPECT_NEAR(m.V_WB_B.v.y, 1, 1e-9);
  EXPECT_NEAR(m.V_WB_B.v.z, 0, 1e-9);
}

TEST(OdometryEdge, AGapInTimeIsNoVelocity) {
  OdometryEdge edge(OdometryFrame::kNeu);
  (void)edge.take({0}, {{0, 0, 0}, about_z(0)});
  const auto m = edge.take(Time::from_seconds(1), {{5, 0, 0}, about_z(0)});
  EXPECT_EQ(norm(m.V_WB_B.v), 0);
  EXPECT_EQ(norm(edge.take(Time::from_seconds(0.5), {{6, 0, 0}, about_z(0)}).V_WB_B.v), 0);
}

TEST(OdometryEdge, TiltIsTheFlightControllersWhileItIsFresh) {
  OdometryEdge edge(OdometryFrame::kNeu);
  edge.attitude({0}, from_rpy({0.1, -0.2, 2}));
  const auto rpy = to_rpy(to_matrix(edge.take({100'000'000}, {{0, 0, 0}, about_z(0)}).X_WB.q));
  EXPECT_NEAR(rpy.roll, 0.1, 1e-9);
  EXPECT_NEAR(rpy.pitch, -0.2, 1e-9);
  EXPECT_NEAR(rpy.yaw, kPi / 2, 1e-9);
  const auto old = to_rpy(to_matrix(edge.take({900'000'000}, {{0, 0, 0}, about_z(0)}).X_WB.q));
  EXPECT_NEAR(old.roll, 0, 1e-9);
}

TEST(OdometryEdge, WhatIsNoNumberOrNoRotationGoesOnForTheStackToRefuse) {
  OdometryEdge edge(OdometryFrame::kNed);
  EXPECT_FALSE(is_finite(edge.take({0}, {{std::nan(""), 0, 0}, about_z(0)}).X_WB));
  const auto m = edge.take({1}, {{0, 0, 0}, {0, 0, 0, 0}});
  EXPECT_EQ(squared_norm(m.X_WB.q), 0);
}

TEST(Edge, ATargetAheadRightAndBelow) {
  const Vec3 v = from_forward_right_down({1, 2, 3});
  EXPECT_EQ(v.x, 1);
  EXPECT_EQ(v.y, -2);
  EXPECT_EQ(v.z, -3);
}

TEST(Edge, NorthAndEastAreSwappedBothWays) {
  EXPECT_EQ(swap_north_east(swap_north_east({1, 2, 3})), (Vec3{1, 2, 3}));
  EXPECT_NEAR(swap_yaw(0), kPi / 2, 1e-12);
  EXPECT_NEAR(swap_yaw(swap_yaw(2.5)), 2.5, 1e-12);
  EXPECT_NEAR(std::abs(swap_yaw(-kPi / 2)), kPi, 1e-12);
}

}  // namespace
}  // namespace pintle::ros1
