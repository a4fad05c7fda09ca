#include "pintle/control/pose_error.h"

#include <cmath>

namespace pintle::control {
namespace {

/// The original's formula, to the letter: next to straight up its roll and yaw are noise.
RollPitchYaw reference_rpy(const Mat3& R) noexcept {
  const double s = R(2, 0);
  const double roll = std::atan2(R(2, 1), R(2, 2));
  if (std::abs(s) >= 1) return {roll, s < 0 ? kPi / 2 : -kPi / 2, 0};
  return {roll, -std::asin(s), std::atan2(R(1, 0), R(0, 0))};
}

}  // namespace

Vec6 pose_error(const Pose& X_WB, const Pose& X_WD, Behaviour behaviour) noexcept {
  const Mat3 R_BW = transpose(to_matrix(X_WB.q));
  const Vec3 p_BD = R_BW * (X_WD.p - X_WB.p);
  if (behaviour == Behaviour::kReference) {
    const RollPitchYaw a = reference_rpy(R_BW * to_matrix(X_WD.q));
    return {{p_BD.x, p_BD.y, p_BD.z, a.roll, a.pitch, a.yaw}};
  }
  const Vec3 r = to_rotation_vector(conjugate(normalized(X_WB.q)) * normalized(X_WD.q));
  return {{p_BD.x, p_BD.y, p_BD.z, r.x, r.y, r.z}};
}

Vec3 keep_direction(Vec3 turn, Vec3 previous) noexcept {
  const double angle = norm(turn);
  if (!(angle > kPi - kHalfTurnMargin) || !(dot(turn, previous) < 0)) return turn;
  return ((angle - 2 * kPi) / angle) * turn;
}

}  // namespace pintle::control
