#include "pintle/base/camera_model.h"

#include <gtest/gtest.h>

namespace pintle {
namespace {

/// The camera of the delivery aircraft.
CameraModel onboard() {
  CameraModel c;
  c.fx = 489.4777069384356;
  c.fy = 488.1852660517832;
  c.cx = 308.8032768908899;
  c.cy = 268.6371343845645;
  c.distortion = {0.03618971518001553, -0.08383321211248897, 0.004030107525985591,
                  -0.00436503049466556, 0};
  return c;
}

TEST(CameraModel, ProjectsByTheFormulaWorkedByHand) {
  CameraModel c;
  c.fx = 100, c.fy = 200, c.cx = 300, c.cy = 200;
  c.distortion = {0.1, 0.2, 0.01, 0.02, 0.3};
  Pixel p;
  // x = 0.5, y = -0.25: r2 = 0.3125, g = 1 + 0.03125 + 0.01953125 + 0.00915527…
  ASSERT_TRUE(project(c, {1, -0.5, 2}, p));
  const double g = 1 + 0.1 * 0.3125 + 0.2 * 0.09765625 + 0.3 * 0.030517578125;
  EXPECT_NEAR(p.u, 300 + 100 * (0.5 * g + 2 * 0.01 * -0.125 + 0.02 * (0.3125 + 0.5)), 1e-9);
  EXPECT_NEAR(p.v, 200 + 200 * (-0.25 * g + 0.01 * (0.3125 + 0.125) + 2 * 0.02 * -0.125), 1e-9);
}

TEST(CameraModel, UnprojectUndoesProjectEverywhereInThePicture) {
  const CameraModel c = onboard();
  EXPECT_TRUE(check(c).empty());
  for (int v = 0; v <= c.height; v += 24)
    for (int u = 0; u <= c.width; u += 32) {
      const Vec3 ray = unproject(c, {double(u), double(v)});
      Pixel p;
      ASSERT_TRUE(project(c, 3.0 * ray, p));
      EXPECT_NEAR(p.u, u, 1e-8);
      EXPECT_NEAR(p.v, v, 1e-8);
    }
}

TEST(CameraModel, NothingBehindTheCameraIsSeen) {
  Pixel p;
  EXPECT_FALSE(project(onboard(), {0, 0, -1}, p));
  EXPECT_FALSE(project(onboard(), {0, 0, 0}, p));
  EXPECT_FALSE(project(onboard(), {0, 0, std::nan("")}, p));
}

TEST(CameraModel, AsItStandsTheTopOfThePictureIsForwardAndItsRightIsRight) {
  const CameraModel c;
  const Vec3 top = rotate(c.X_BC.q, {0, -1, 0}), right = rotate(c.X_BC.q, {1, 0, 0});
  const Vec3 axis = rotate(c.X_BC.q, {0, 0, 1});
  EXPECT_NEAR(top.x, 1, 1e-12);
  EXPECT_NEAR(right.y, -1, 1e-12);
  EXPECT_NEAR(axis.z, -1, 1e-12);
}

TEST(CameraModel, ChecksSayWhatIsWrong) {
  const auto path_of = [](auto change) {
    CameraModel c = onboard();
    change(c);
    const Findings f = check(c);
    return f.empty() ? std::string("nothing") : f.front().path;
  };
  EXPECT_EQ(path_of([](CameraModel&) {}), "nothing");
  EXPECT_EQ(path_of([](CameraModel& c) { c.width = 0; }), "width");
  EXPECT_EQ(path_of([](CameraModel& c) { c.fx = -1; }), "fx");
  EXPECT_EQ(path_of([](CameraModel& c) { c.fy = std::nan(""); }), "fy");
  EXPECT_EQ(path_of([](CameraModel& c) { c.cx = 900; }), "cx");
  EXPECT_EQ(path_of([](CameraModel& c) { c.distortion = {-1.5, 0, 0, 0, 0}; }), "distortion");
  EXPECT_EQ(path_of([](CameraModel& c) { c.distortion[2] = std::nan(""); }), "distortion");
  EXPECT_EQ(path_of([](CameraModel& c) { c.X_BC.q.w = 3; }), "X_BC");
}

TEST(CameraModel, TheTableHoldsTheRayOfEachPixel) {
  CameraModel c = onboard();
  const std::vector<float> rays = ray_table(c);
  ASSERT_EQ(rays.size(), 2u * 640 * 480);
  const Vec3 ray = unproject(c, {17, 5});
  EXPECT_FLOAT_EQ(rays[2 * (5 * 640 + 17)], static_cast<float>(ray.x));
  EXPECT_FLOAT_EQ(rays[2 * (5 * 640 + 17) + 1], static_cast<float>(ray.y));
}

}  // namespace
}  // namespace pintle
