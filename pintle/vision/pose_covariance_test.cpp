#include "pintle/vision/pose_covariance.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pintle::vision {
namespace {

TEST(PoseCovariance, TwoPosesThatAreAsGoodAreAsUncertainAsTheyAreApart) {
  const Pose X{{0, 0, 2}, {}}, other{{0.1, 0, 2.2}, from_rotation_vector({0.4, 0, 0})};
  PoseCovariance C{};
  add_other_pose(X, other, 0.5, C);
  EXPECT_NEAR(C[0], 0.5 * 0.01, 1e-12);
  EXPECT_NEAR(C[14], 0.5 * 0.04, 1e-12);
  EXPECT_NEAR(C[15], 0.5 * 0.2 * 0.4, 1e-12);
  EXPECT_NEAR(C[21], 0.5 * 0.16, 1e-12);
}

}  // namespace
}  // namespace pintle::vision
