#include "pintle/vehicle/equipment.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pintle::vehicle {
namespace {

TEST(Camera, SeesStraightDownWhatLiesInsideItsPyramid) {
  const Camera camera;  // 640 x 480 px, focal length 500 px
  // two metres down the picture is 2 * 240 / 500 = 0.96 m ahead, 2 * 320 / 500 = 1.28 m aside
  EXPECT_EQ(visible_share(camera, {0.955, 0, -2}, {0, 0, 1}, 0), 1);
  EXPECT_EQ(visible_share(camera, {0.965, 0, -2}, {0, 0, 1}, 0), 0);
  EXPECT_EQ(visible_share(camera, {0, -1.275, -2}, {0, 0, 1}, 0), 1);
  EXPECT_EQ(visible_share(camera, {0, 1.285, -2}, {0, 0, 1}, 0), 0);
  EXPECT_EQ(visible_share(camera, {0, 0, 2}, {0, 0, 1}, 0), 0) << "behind it";
}

TEST(Camera, APadOfOneMetreIsWholeFromAboveAndGoneFromLowDown) {
  Camera camera;
  camera.calibration.X_BC.p = {0.1, 0, 0};
  double before = 1;
  EXPECT_EQ(visible_share(camera, {0, 0, -1.4}, {0, 0, 1}, 0.5), 1);
  for (double h = 1.4; h > 0.4; h -= 0.05) {
    const double share = visible_share(camera, {0, 0, -h}, {0, 0, 1}, 0.5);
    EXPECT_LE(share, before);
    before = share;
  }
  EXPECT_EQ(visible_share(camera, {0, 0, -0.4}, {0, 0, 1}, 0.5), 0);
}

TEST(Camera, OneThatLooksAheadSeesWhatStandsThere) {
  Camera camera;
  // right is -y, down is -z, ahead is x
  camera.calibration.X_BC.q = {0.5, -0.5, 0.5, -0.5};
  EXPECT_EQ(visible_share(camera, {3, 0, 1}, {-1, 0, 0}, 0.1), 1);
  EXPECT_EQ(visible_share(camera, {0, 0, -3}, {0, 0, 1}, 0.1), 0);
}

TEST(Equipment, NonsenseIsRefused) {
  Camera camera;
  camera.calibration.fx = 0;
  EXPECT_EQ(check(camera).size(), 1U);
  camera = {};
  camera.max_range_m = camera.min_range_m;
  EXPECT_EQ(check(camera).size(), 1U);
  Gripper gripper;
  gripper.position_m.x = std::nan("");
  EXPECT_EQ(check(gripper).size(), 1U);
}

}  // namespace
}  // namespace pintle::vehicle
