/// Pose, twist and wrench: what a vehicle has and what is done to it.
///
/// Frames: world W is east-north-up, body B is forward-left-up (REP 103). All three refer to the
/// body origin Bo, which does not move when tanks drain; the centre of mass Bcm is a property of
/// the body.
#pragma once
#include "pintle/base/rotation.h"

namespace pintle {

/// X_AB: where frame B is, seen from A.
struct Pose {
  Vec3 p;  ///< p_AB_A: position of B's origin in A, m.
  Quat q;  ///< q_AB: turns B's coordinates into A's.

  friend constexpr bool operator==(const Pose&, const Pose&) = default;
};

/// V_WB_B: linear velocity of the body origin and angular velocity of the body, relative to the
/// world, in body coordinates.
struct Twist {
  Vec3 v;  ///< v_WBo_B, m/s.
  Vec3 w;  ///< w_WB_B, rad/s.

  friend constexpr bool operator==(const Twist&, const Twist&) = default;
};

/// F_Bo_B: force, and torque about the body origin, in body coordinates.
struct Wrench {
  Vec3 force;   ///< N; in vehicles whose efforts are shares of full thrust, that share.
  Vec3 torque;  ///< N m, or the share times m.

  friend constexpr bool operator==(const Wrench&, const Wrench&) = default;
  friend constexpr Wrench operator+(const Wrench& a, const Wrench& b) noexcept {
    return {a.force + b.force, a.torque + b.torque};
  }
  friend constexpr Wrench operator-(const Wrench& a, const Wrench& b) noexcept {
    return {a.force - b.force, a.torque - b.torque};
  }
  friend constexpr Wrench operator*(double s, const Wrench& a) noexcept {
    return {s * a.force, s * a.torque};
  }
};

/// X_AC = X_AB * X_BC. Attitudes must be unit quaternions, here and in `inverse`: nothing is
/// normalised, and a long chain of products drifts.
[[nodiscard]] constexpr Pose operator*(const Pose& X_AB, const Pose& X_BC) noexcept {
  return {X_AB.p + rotate(X_AB.q, X_BC.p), X_AB.q * X_BC.q};
}
[[nodiscard]] constexpr Pose inverse(const Pose& X_AB) noexcept {
  const Quat q_BA = conjugate(X_AB.q);
  return {rotate(q_BA, -X_AB.p), q_BA};
}

/// A wrench that acts at a point P, as the wrench at the body origin that does the same.
/// p_BoP_B leads from the body origin to P.
[[nodiscard]] constexpr Wrench shift_to_origin(const Wrench& F_P_B, Vec3 p_BoP_B) noexcept {
  return {F_P_B.force, F_P_B.torque + cross(p_BoP_B, F_P_B.force)};
}

[[nodiscard]] constexpr Vec6 to_vec6(const Wrench& w) noexcept {
  return {{w.force.x, w.force.y, w.force.z, w.torque.x, w.torque.y, w.torque.z}};
}
[[nodiscard]] constexpr Vec6 to_vec6(const Twist& t) noexcept {
  return {{t.v.x, t.v.y, t.v.z, t.w.x, t.w.y, t.w.z}};
}
[[nodiscard]] constexpr Wrench to_wrench(const Vec6& v) noexcept {
  return {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
}
[[nodiscard]] constexpr Twist to_twist(const Vec6& v) noexcept {
  return {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
}

[[nodiscard]] inline bool is_finite(const Pose& X) noexcept {
  return is_finite(X.p) && is_finite(X.q);
}
[[nodiscard]] inline bool is_finite(const Twist& V) noexcept {
  return is_finite(V.v) && is_finite(V.w);
}
[[nodiscard]] inline bool is_finite(const Wrench& F) noexcept {
  return is_finite(F.force) && is_finite(F.torque);
}

}  // namespace pintle
