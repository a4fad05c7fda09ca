/// How far a pose is from the desired one, in body coordinates, as six numbers in axis order.
///
///   linear  = R_WB^T (p_WD - p_WB)
///   angular = kReference: roll, pitch, yaw of R_WB^T R_WD (singular at 90 degrees of pitch)
///             kSafe:      rotation vector of R_WB^T R_WD  (shortest turn, no singularity below 180
///             degrees)
#pragma once
#include "pintle/base/geometry.h"
#include "pintle/control/pid.h"

namespace pintle::control {

[[nodiscard]] Vec6 pose_error(const Pose& X_WB, const Pose& X_WD, Behaviour behaviour) noexcept;

/// How near to a half turn `keep_direction` acts, rad.
inline constexpr double kHalfTurnMargin = 0.2;

/// The rotation vector `turn` or its complement (the same attitude the other way round, 2 pi minus
/// the angle): the one that goes on in the direction of `previous`, while the turn is within the
/// margin of a half turn. Keeps the error continuous where the shortest turn would flip with every
/// bit of noise. A zero `previous` is no direction.
[[nodiscard]] Vec3 keep_direction(Vec3 turn, Vec3 previous) noexcept;

}  // namespace pintle::control
