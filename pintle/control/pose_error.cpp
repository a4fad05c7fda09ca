#include "pintle/control/pose_error.h"

namespace pintle::control {

Vec6 pose_error(const Pose& X_WB, const Pose& X_WD, Behaviour behaviour) noexcept {
  const Mat3 R_BW = transpose(to_matrix(X_WB.q));
  const Vec3 p_BD = R_BW * (X_WD.p - X_WB.p);
  if (behaviour == Behaviour::kReference) {
    const RollPitchYaw a = to_rpy(R_BW * to_matrix(X_WD.q));
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
