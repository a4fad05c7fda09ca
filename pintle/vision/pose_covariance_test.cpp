#include "pintle/vision/pose_covariance.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pintle::vision {
namespace {

TEST(PoseCovariance, ASquareFromTheFrontIsAsFarAsItsSideSays) {
  CameraModel c;
  c.fx = c.fy = 500;
  const Pose X{{0, 0, 2}, from_rpy({kPi, 0, 0})};
  PoseCovariance C{};
  ASSERT_TRUE(add_corner_error(c, X, 0.1, 0.05, C));  // a side of 25 px
  EXPECT_GT(C[21], 100 * C[35]);  // tilt is known far worse than the turn about the axis
  // once the tilt is known: sideways the mean of four corners, 0.025 px of 500 at 2 m
  Pose level = X;
  use_attitude({0, 0, -1}, 1e-5, level, C);
  EXPECT_NEAR(std::sqrt(C[0]), 0.025 * 2 / 500, 2e-6);
  // far: the size by four corners, each 12.5 px off in u and in v: sigma / (12.5 sqrt(8))
  EXPECT_NEAR(std::sqrt(C[14]), 2 * 0.05 / (12.5 * std::sqrt(8.0)), 2e-5);
}

TEST(PoseCovariance, AKnownAttitudeTurnsThePoseAndMovesWhatGoesWithIt) {
  CameraModel c;
  c.fx = c.fy = 500;
  const Quat tilted = from_rpy({kPi - 0.4, 0, 0});
  Pose X{{0.1, 0.1, 2}, from_rotation_vector({0.05, 0, 0}) * tilted};
  PoseCovariance C{};
  ASSERT_TRUE(add_corner_error(c, X, 0.1, 0.1, C));
  const double far = C[14], tilt = C[21];
  use_attitude(rotate(tilted, {0, 0, 1}), 1e-4, X, C);
  EXPECT_LT(norm(rotate(X.q, {0, 0, 1}) - rotate(tilted, {0, 0, 1})), 2e-3);
  EXPECT_LT(C[21], 1e-4 * tilt + 1e-7);
  EXPECT_LT(C[14], far);
  EXPECT_NE(X.p.z, 2);
  // an attitude of which nothing is known changes nothing
  Pose same = X;
  use_attitude({0, 0, -1}, 1e6, same, C);
  EXPECT_LT(norm(same.p - X.p), 1e-9);
}

}  // namespace
}  // namespace pintle::vision
