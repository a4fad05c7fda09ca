/// What was found in a picture.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "pintle/base/geometry.h"
#include "pintle/base/image.h"

namespace pintle::vision {

/// A conic in the picture of an ideal camera (the same K, no distortion):
/// A u^2 + B u v + C v^2 + D u + E v + F = 0.
using Conic = std::array<double, 6>;

struct Detection {
  enum class Kind : std::uint8_t { kMarker, kCircle } kind = Kind::kMarker;
  std::uint32_t id = 0;  ///< Of a marker.
  /// Of the target in the camera: its z points out of its face, x to the right of the marker as
  /// printed, y to its top. How a ring is turned about its axis means nothing.
  Pose X_CT;
  Vec3 target_B;  ///< Its middle in the body (forward, left, up), m.
  /// Of the position in C, m, and a small turn in C, rad. Symmetric and positive.
  std::array<double, 36> covariance{};
  Mat3 covariance_B;                 ///< Of target_B.
  std::array<Pixel, 4> corners{};    ///< Of a marker, from its upper left as printed, clockwise.
  std::array<Conic, 2> conics{};     ///< Of a ring: outer and inner edge.
  double visible_share = 1;          ///< Of a ring: how much of its round both edges are seen.
  std::array<double, 3> blur_px2{};  ///< Of the picture there: uu, uv, vv.
  double confidence = 0;             ///< Share of the picture's variation there that it explains.
};

using Detections = std::vector<Detection>;

}  // namespace pintle::vision
