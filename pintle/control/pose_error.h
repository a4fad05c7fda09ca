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

}  // namespace pintle::control
