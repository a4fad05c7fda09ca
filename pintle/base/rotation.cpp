#include "pintle/base/rotation.h"

namespace pintle {
namespace {

struct SinCos {
  double sin, cos;
};

// most attitudes asked for are level: the same bits without the work
SinCos sin_cos(double angle) noexcept {
  if (angle == 0) return {angle, 1};
  return {std::sin(angle), std::cos(angle)};
}

}  // namespace

Mat3 to_matrix(Quat q) noexcept {
  const Quat u = normalized(q);
  const double xx = u.x * u.x, yy = u.y * u.y, zz = u.z * u.z;
  const double xy = u.x * u.y, xz = u.x * u.z, yz = u.y * u.z;
  const double wx = u.w * u.x, wy = u.w * u.y, wz = u.w * u.z;
  return {{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy), 2 * (xy + wz), 1 - 2 * (xx + zz),
           2 * (yz - wx), 2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}};
}

Quat to_quaternion(const Mat3& R) noexcept {
  // pick the largest of the four squared components, so that the root is never of a small number
  const double t = R(0, 0) + R(1, 1) + R(2, 2);
  Quat q;
  if (t > 0) {
    q = {R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1), 1 + t};
  } else if (R(0, 0) >= R(1, 1) && R(0, 0) >= R(2, 2)) {
    q = {1 + R(0, 0) - R(1, 1) - R(2, 2), R(0, 1) + R(1, 0), R(0, 2) + R(2, 0), R(2, 1) - R(1, 2)};
  } else if (R(1, 1) >= R(2, 2)) {
    q = {R(0, 1) + R(1, 0), 1 - R(0, 0) + R(1, 1) - R(2, 2), R(1, 2) + R(2, 1), R(0, 2) - R(2, 0)};
  } else {
    q = {R(0, 2) + R(2, 0), R(1, 2) + R(2, 1), 1 - R(0, 0) - R(1, 1) + R(2, 2), R(1, 0) - R(0, 1)};
  }
  return normalized(q);
}

Quat from_rpy(RollPitchYaw a) noexcept {
  const auto [sr, cr] = sin_cos(a.roll / 2);
  const auto [sp, cp] = sin_cos(a.pitch / 2);
  const auto [sy, cy] = sin_cos(a.yaw / 2);
  return {sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy,
          cr * cp * cy + sr * sp * sy};
}

Mat3 matrix_from_rpy(RollPitchYaw a) noexcept {
  const double cr = std::cos(a.roll), sr = std::sin(a.roll);
  const double cp = std::cos(a.pitch), sp = std::sin(a.pitch);
  const double cy = std::cos(a.yaw), sy = std::sin(a.yaw);
  return {{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, sy * cp, sy * sp * sr + cy * cr,
           sy * sp * cr - cy * sr, -sp, cp * sr, cp * cr}};
}

RollPitchYaw to_rpy(const Mat3& R) noexcept {
  const double s = R(2, 0);
  // R(2, 1) and R(2, 2) are rounding noise there: the middle row holds the turn
  if (std::abs(s) >= 1) return {std::atan2(-R(1, 2), R(1, 1)), s < 0 ? kPi / 2 : -kPi / 2, 0};
  const double roll = std::atan2(R(2, 1), R(2, 2));
  double yaw = std::atan2(R(1, 0), R(0, 0));
  // next to it roll is mostly noise: the yaw that goes with it, so that together they still mean R
  if (std::abs(s) > 1 - 1e-6) {
    const double sr = std::sin(roll), cr = std::cos(roll);
    yaw = std::atan2(sr * R(0, 2) - cr * R(0, 1), cr * R(1, 1) - sr * R(1, 2));
  }
  return {roll, -std::asin(s), yaw};
}

double yaw_of(Quat q) noexcept { return to_rpy(to_matrix(q)).yaw; }

Vec3 to_rotation_vector(Quat q) noexcept {
  q = normalized(q);
  if (q.w < 0) q = {-q.x, -q.y, -q.z, -q.w};
  const Vec3 u{q.x, q.y, q.z};
  const double s = norm(u);
  // for small turns angle / sin(angle / 2) tends to 2
  if (s < 1e-12) return 2.0 * u;
  return (2.0 * std::atan2(s, q.w) / s) * u;
}

Quat from_rotation_vector(Vec3 r) noexcept {
  const double angle = norm(r);
  const double k = angle < 1e-9 ? 0.5 : std::sin(angle / 2) / angle;
  return normalized({k * r.x, k * r.y, k * r.z, std::cos(angle / 2)});
}

double wrap_angle(double a) noexcept {
  const double r = std::remainder(a, 2 * kPi);
  return r <= -kPi ? r + 2 * kPi : r;
}

}  // namespace pintle
