#include "pintle/vision/pose_covariance.h"

#include <Eigen/Dense>

namespace pintle::vision {
namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;

}  // namespace

void add_other_pose(const Pose& X_CT, const Pose& other, double share, PoseCovariance& C) {
  const Vec3 move = other.p - X_CT.p, turn = to_rotation_vector(other.q * conjugate(X_CT.q));
  Eigen::Matrix<double, 6, 1> d;
  d << move.x, move.y, move.z, turn.x, turn.y, turn.z;
  Eigen::Map<Matrix6>(C.data()) += share * d * d.transpose();
}

}  // namespace pintle::vision
