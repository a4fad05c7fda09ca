#include "pintle/vehicle/equipment.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pintle::vehicle {
namespace {

TEST(Camera, SeesStraightDownWhatLiesInsideItsPyramid) {
  const Camera camera;  // 52 degrees along, 66 across
  // two metres down the picture is 2 tan 26 = 0.975 m ahead, 2 tan 33 = 1.299 m aside
  EXPECT_EQ(visible_share(camera, {0.97, 0, -2}, {0, 0, 1}, 0), 1);
  EXPECT_EQ(visible_share(camera, {0.98, 0, -2}, {0, 0, 1}, 0), 0);
  EXPECT_EQ(visible_share(camera, {0, -1.29, -2}, {0, 0, 1}, 0), 1);
  EXPECT_EQ(visible_share(camera, {0, 1.31, -2}, {0, 0, 1}, 0), 0);
  EXPECT_EQ(visible_share(camera, {0, 0, 2}, {0, 0, 1}, 0), 0) << "behind it";
}

TEST(Camera, APadOfOneMetreIsWholeFromAboveAndGoneFromLowDown) {
  Camera camera;
  camera.position_m = {0.1, 0, 0};
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
  camera.direction = {2, 0, 0};
  EXPECT_EQ(visible_share(camera, {3, 0, 1}, {-1, 0, 0}, 0.1), 1);
  EXPECT_EQ(visible_share(camera, {0, 0, -3}, {0, 0, 1}, 0.1), 0);
}

TEST(Equipment, NonsenseIsRefused) {
  Camera camera;
  camera.direction = {};
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
