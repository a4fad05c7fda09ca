/// A pinhole camera with the five distortion coefficients that camera calibrations give.
///
///   (x, y) = (X / Z, Y / Z),  r2 = x^2 + y^2,  g = 1 + k1 r2 + k2 r2^2 + k3 r2^3
///   x' = x g + 2 p1 x y + p2 (r2 + 2 x^2),  y' = y g + p1 (r2 + 2 y^2) + 2 p2 x y
///   u = fx x' + cx,  v = fy y' + cy
///
/// Camera frame C: x to the right of the picture, y downwards, z along the optical axis. This is
/// for the picture as the sensor gave it: the matrix K and the coefficients D, never the matrix of
/// the rectified picture. Source: D. C. Brown, "Close-range camera calibration", 1971, in the
/// order k1, k2, p1, p2, k3 of OpenCV and ROS ("plumb_bob"). Does not model: fisheye lenses, a
/// rolling shutter.
#pragma once
#include <array>
#include <vector>

#include "pintle/base/fields.h"
#include "pintle/base/finding.h"
#include "pintle/base/geometry.h"
#include "pintle/base/image.h"

namespace pintle {

struct CameraModel {
  int width = 640, height = 480;       ///< px
  double fx = 500, fy = 500;           ///< Focal lengths, px.
  double cx = 319.5, cy = 239.5;       ///< Where the optical axis meets the picture, px.
  std::array<double, 5> distortion{};  ///< k1, k2, p1, p2, k3.
  /// The camera in the body. As it stands: at Bo, looking down, the top of the picture forward.
  Pose X_BC{{}, {0.70710678118654752440, -0.70710678118654752440, 0, 0}};

  friend bool operator==(const CameraModel&, const CameraModel&) = default;
};

inline constexpr int kLargestPicture_px = 8192;  ///< Each way.

/// Sizes, focal lengths and axis within reason; a distortion that can be undone everywhere in the
/// picture; a unit quaternion.
[[nodiscard]] Findings check(const CameraModel& camera);

/// Where a point in camera coordinates appears, also outside of the picture. False: not in front
/// of the camera, or beyond where the distortion turns back.
[[nodiscard]] bool project(const CameraModel& camera, Vec3 p_C, Pixel& out) noexcept;

/// The direction of what appears at a pixel, with z = 1. Exact to 1e-10 where `check` found
/// nothing; far outside of the picture the nearest that could be found.
[[nodiscard]] Vec3 unproject(const CameraModel& camera, Pixel pixel) noexcept;

/// x and y of `unproject` for every pixel, row by row.
[[nodiscard]] std::vector<float> ray_table(const CameraModel& camera);

template <>
const Table& table_of<CameraModel>();

}  // namespace pintle
