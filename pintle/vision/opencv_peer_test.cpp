// What is ours, held against OpenCV's.
#include <gtest/gtest.h>

#include <opencv2/aruco/dictionary.hpp>
#include <opencv2/calib3d.hpp>

#include "pintle/base/camera_model.h"
#include "pintle/base/random.h"
#include "pintle/vision/dictionary.h"
#include "pintle/vision/square_pose.h"

namespace pintle::vision {
namespace {

TEST(AgainstOpenCv, AllOriginalMarkersAreTheSame) {
  const auto theirs = cv::aruco::getPredefinedDictionary(cv::aruco::DICT_ARUCO_ORIGINAL);
  for (int id = 0; id < 1024; ++id) {
    const cv::Mat bits =
        cv::aruco::Dictionary::getBitsFromByteList(theirs->bytesList.rowRange(id, id + 1), 5);
    const auto ours = marker_cells(MarkerFamily::kArucoOriginal, static_cast<std::uint32_t>(id));
    for (int r = 0; r < 5; ++r)
      for (int c = 0; c < 5; ++c)
        ASSERT_EQ(bits.at<std::uint8_t>(r, c), ours[static_cast<std::size_t>((r + 1) * 7 + c + 1)])
            << id;
  }
}

TEST(AgainstOpenCv, ProjectionIsTheSame) {
  CameraModel c;
  c.fx = 489.48, c.fy = 488.19, c.cx = 308.8, c.cy = 268.64;
  c.distortion = {0.036, -0.084, 0.004, -0.0044, 0.01};
  RandomStream random(1, "points");
  std::vector<cv::Point3d> points;
  for (int i = 0; i < 100; ++i)
    points.emplace_back(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(1.5, 3));
  std::vector<cv::Point2d> theirs;
  const cv::Matx33d K(c.fx, 0, c.cx, 0, c.fy, c.cy, 0, 0, 1);
  const cv::Vec<double, 5> D(0.036, -0.084, 0.004, -0.0044, 0.01);
  cv::projectPoints(points, cv::Vec3d(0, 0, 0), cv::Vec3d(0, 0, 0), K, D, theirs);
  for (std::size_t i = 0; i < points.size(); ++i) {
    Pixel p;
    ASSERT_TRUE(project(c, {points[i].x, points[i].y, points[i].z}, p));
    EXPECT_NEAR(p.u, theirs[i].x, 1e-9);
    EXPECT_NEAR(p.v, theirs[i].y, 1e-9);
  }
}

TEST(SquarePoses, HoldTheTrueOneAndAMirroredOne) {
  const Pose truth{{0.1, -0.2, 2}, from_rpy({kPi - 0.3, 0.2, 0.5})};
  const double h = 0.075;
  std::array<Pixel, 4> rays;
  const std::array<Vec3, 4> at{Vec3{-h, h, 0}, Vec3{h, h, 0}, Vec3{h, -h, 0}, Vec3{-h, -h, 0}};
  for (std::size_t k = 0; k < 4; ++k) {
    const Vec3 p = truth.p + rotate(truth.q, at[k]);
    rays[k] = {p.x / p.z, p.y / p.z};
  }
  const auto poses = square_poses(rays, 2 * h);
  ASSERT_EQ(poses.size(), 2u);
  EXPECT_LT(norm(poses[0].X_CT.p - truth.p), 1e-5);
  EXPECT_LT(norm(to_rotation_vector(conjugate(truth.q) * poses[0].X_CT.q)), 1e-4);
  EXPECT_GT(norm(to_rotation_vector(conjugate(truth.q) * poses[1].X_CT.q)), 0.1);
  EXPECT_GT(poses[1].error, poses[0].error);
}

}  // namespace
}  // namespace pintle::vision
