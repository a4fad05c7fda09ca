/// Rotations. `q_AB` and `R_AB` turn the coordinates of a vector in frame B into those in frame A.
///
/// Quaternions are x, y, z, w (scalar last). Roll, pitch, yaw are rotations about the fixed axes
/// x, y, z in that order: R = Rz(yaw) Ry(pitch) Rx(roll), in radians.
#pragma once
#include "pintle/base/vector.h"

namespace pintle {

struct Quat {
  double x = 0, y = 0, z = 0, w = 1;

  friend constexpr bool operator==(const Quat&, const Quat&) = default;
  /// Hamilton product: q_AB * q_BC = q_AC.
  friend constexpr Quat operator*(Quat a, Quat b) noexcept {
    return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
            a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
  }
};

struct RollPitchYaw {
  double roll = 0, pitch = 0, yaw = 0;
};

[[nodiscard]] constexpr Quat conjugate(Quat q) noexcept { return {-q.x, -q.y, -q.z, q.w}; }
[[nodiscard]] constexpr double squared_norm(Quat q) noexcept {
  return q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
}
[[nodiscard]] inline bool is_finite(Quat q) noexcept {
  return std::isfinite(q.x) && std::isfinite(q.y) && std::isfinite(q.z) && std::isfinite(q.w);
}

/// The unit quaternion of the same direction; the identity when the squared norm is zero or not
/// finite (in doubles: a norm below about 1e-162 or above about 1e154 too).
[[nodiscard]] inline Quat normalized(Quat q) noexcept {
  const double n2 = squared_norm(q);
  // next to length one the first terms of the series are exact to rounding: no root, no division
  double scale = 1.5 - 0.5 * n2;
  if (!(n2 > 1 - 1e-8 && n2 < 1 + 1e-8)) {
    if (!(n2 > 0) || !std::isfinite(n2)) return {};
    scale = 1.0 / std::sqrt(n2);
  }
  return {q.x * scale, q.y * scale, q.z * scale, q.w * scale};
}

/// Rotates by a unit quaternion. For |q| = L the result is scaled by L^2 (the plain sandwich
/// product).
[[nodiscard]] constexpr Vec3 rotate(Quat q, Vec3 v) noexcept {
  const Vec3 u{q.x, q.y, q.z};
  return (2.0 * dot(u, v)) * u + (q.w * q.w - dot(u, u)) * v + (2.0 * q.w) * cross(u, v);
}

/// Matrix of a quaternion, normalised first; the identity for a zero or non-finite one.
[[nodiscard]] Mat3 to_matrix(Quat q) noexcept;
/// Of a rotation matrix; one of the two quaternions that mean it. The identity for NaN.
[[nodiscard]] Quat to_quaternion(const Mat3& R) noexcept;

[[nodiscard]] Quat from_rpy(RollPitchYaw rpy) noexcept;
[[nodiscard]] Mat3 matrix_from_rpy(RollPitchYaw rpy) noexcept;

/// Of a rotation matrix: pitch in [-pi/2, pi/2], roll and yaw in [-pi, pi]. Where x points straight
/// up or down (|R(2,0)| >= 1, "gimbal lock") roll and yaw turn about the same line: yaw is 0 and
/// roll takes the whole turn. Next to it rounding blurs roll and yaw, but the three together still
/// mean R to 1e-7. NaN gives NaN.
[[nodiscard]] RollPitchYaw to_rpy(const Mat3& R) noexcept;

/// The yaw of `to_rpy`.
[[nodiscard]] double yaw_of(Quat q) noexcept;

/// Axis times angle, angle in [0, pi]: the shortest turn. Zero where `normalized` gives the
/// identity.
[[nodiscard]] Vec3 to_rotation_vector(Quat q) noexcept;
/// Any angle; the identity for a vector that is not finite.
[[nodiscard]] Quat from_rotation_vector(Vec3 r) noexcept;

/// An angle brought into (-pi, pi]; NaN when it is not finite.
[[nodiscard]] double wrap_angle(double a) noexcept;

inline constexpr double kPi = 3.14159265358979323846;
[[nodiscard]] constexpr double radians(double degrees) noexcept { return degrees * (kPi / 180.0); }
[[nodiscard]] constexpr double degrees(double radians) noexcept { return radians * (180.0 / kPi); }

}  // namespace pintle
