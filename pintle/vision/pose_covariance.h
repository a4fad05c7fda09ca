/// What a pose's covariance owes to another pose that is as good.
#pragma once
#include <array>

#include "pintle/base/geometry.h"

namespace pintle::vision {

/// Of position, m, and a small turn, rad, both in C; row by row.
using PoseCovariance = std::array<double, 36>;

/// Adds what it means that the pose may as well be `other`. `share`: how probable that is, 0 … 0.5.
void add_other_pose(const Pose& X_CT, const Pose& other, double share, PoseCovariance& C);

}  // namespace pintle::vision
