#include "pintle/vision/pose_covariance.h"

#include <Eigen/Dense>
#include <cmath>

namespace pintle::vision {
namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;

}  // namespace

bool add_corner_error(const CameraModel& camera, const Pose& X_CT, double side_m, double sigma_px,
                      PoseCovariance& C) {
  const double h = 0.5 * side_m;
  Eigen::Matrix<double, 8, 6> J;
  for (int k = 0; k < 4; ++k) {
    const Vec3 p_T{k == 0 || k == 3 ? -h : h, k < 2 ? h : -h, 0};
    for (int i = 0; i < 6; ++i) {
      const double step = i < 3 ? 1e-5 * side_m : 1e-5;
      std::array<Pixel, 2> at;
      for (const int way : {0, 1}) {
        Vec3 move, turn;
        (i < 3 ? move : turn)[static_cast<std::size_t>(i % 3)] = way == 0 ? -step : step;
        const Quat q = from_rotation_vector(turn) * X_CT.q;
        if (!project(camera, X_CT.p + move + rotate(q, p_T), at[static_cast<std::size_t>(way)]))
          return false;
      }
      J(2 * k, i) = (at[1].u - at[0].u) / (2 * step);
      J(2 * k + 1, i) = (at[1].v - at[0].v) / (2 * step);
    }
  }
  Matrix6 H = J.transpose() * J / (sigma_px * sigma_px);
  // a square seen from the front says little of its tilt; no more than anything is possible
  for (int i = 3; i < 6; ++i) H(i, i) += 4;
  Eigen::Map<Matrix6>(C.data()) += H.inverse();
  return true;
}

void use_attitude(Vec3 up_C, double sigma_rad, Pose& X_CT, PoseCovariance& C) {
  const Vec3 n = rotate(X_CT.q, {0, 0, 1});
  const Vec3 start = std::abs(n.x) < 0.8 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  Vec3 a = start - dot(start, n) * n;
  a = a / norm(a);
  const Vec3 b = cross(n, a);
  // n turns by omega x n; along a that is omega . (n x a)
  Eigen::Matrix<double, 2, 6> H = Eigen::Matrix<double, 2, 6>::Zero();
  const Vec3 na = cross(n, a), nb = cross(n, b);
  H.row(0).tail<3>() << na.x, na.y, na.z;
  H.row(1).tail<3>() << nb.x, nb.y, nb.z;
  const Eigen::Vector2d y(dot(a, up_C - n), dot(b, up_C - n));
  Eigen::Map<Matrix6> P(C.data());
  const Eigen::Matrix2d S =
      H * P * H.transpose() + sigma_rad * sigma_rad * Eigen::Matrix2d::Identity();
  const Eigen::Matrix<double, 6, 2> K = P * H.transpose() * S.inverse();
  const Eigen::Matrix<double, 6, 1> d = K * y;
  if (!d.allFinite()) return;
  X_CT.p += Vec3{d[0], d[1], d[2]};
  X_CT.q = normalized(from_rotation_vector({d[3], d[4], d[5]}) * X_CT.q);
  // Joseph's form stays positive
  const Matrix6 left = Matrix6::Identity() - K * H;
  P = (left * P * left.transpose() + sigma_rad * sigma_rad * K * K.transpose()).eval();
}

}  // namespace pintle::vision
