/// The two poses that the corners of a square allow (IPPE, Collins & Bartoli 2014, by OpenCV).
#pragma once
#include <array>
#include <vector>

#include "pintle/base/geometry.h"
#include "pintle/base/image.h"

namespace pintle::vision {

struct SquarePose {
  Pose X_CT;
  double error = 0;  ///< Root mean square, of the rays' x and y.
};

/// `rays`: x, y of the corners at z = 1, from the upper left clockwise. The better first.
/// @throws std::runtime_error when the library behind it does.
[[nodiscard]] std::vector<SquarePose> square_poses(const std::array<Pixel, 4>& rays, double side_m);

}  // namespace pintle::vision
