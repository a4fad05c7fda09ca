/// What a pose's covariance owes to corners that nobody knows exactly, and to a known attitude.
#pragma once
#include <array>

#include "pintle/base/camera_model.h"

namespace pintle::vision {

/// Of position, m, and a small turn, rad, both in C; row by row.
using PoseCovariance = std::array<double, 36>;

/// Adds what an error of `sigma_px` of each corner of a square would give: the shape of pixels and
/// of the blur moves edges together, which no number of pixels averages out.
/// False: the square cannot be seen whole.
[[nodiscard]] bool add_corner_error(const CameraModel& camera, const Pose& X_CT, double side_m,
                                    double sigma_px, PoseCovariance& C);

/// The best of a pose and of the direction that its z has, each with its uncertainty (Kalman).
void use_attitude(Vec3 up_C, double sigma_rad, Pose& X_CT, PoseCovariance& C);

}  // namespace pintle::vision
