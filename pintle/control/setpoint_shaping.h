/// A setpoint that jumps, as a craft can follow it: a reference that sets out from where the craft
/// is and moves to the goal inside the limits of each axis.
///
///   position mode   e = goal - reference, along the axes of the goal's attitude; each component a
///                   MotionState (motion_profile.h); turns as the components of the rotation vector
///   velocity mode   the desired velocity, body axes, approached inside acceleration and jerk
///
/// An axis without limits has its goal for a reference, at once. Limits of turning are those of the
/// rotation vector's components: exact about one axis.
///
/// Not modelled: a craft that does not follow (the reference goes on without it).
#pragma once
#include <array>

#include "pintle/base/signals.h"
#include "pintle/control/motion_profile.h"

namespace pintle::control {

using MotionLimits = std::array<MotionLimit, kAxes>;

struct ShapingState {
  std::array<MotionState, kAxes> axis{};
  std::array<AxisMode, kAxes> mode{};
  AxisMask begun = 0;  ///< Axes under way; the others set out from where the craft is.
  Pose X_WD;           ///< The goal that it counts from.
};

struct Shaped {
  Pose X_WR;   ///< The reference.
  Vec6 V_R_B;  ///< Its velocity, body axes; in velocity mode what is asked for, cut and shaped.
  Vec6 A_R_B;  ///< The rate of that, the axes taken as standing still.
};

/// One step. All input usable, q of unit length in the setpoint and not zero in X_WB.
[[nodiscard]] Shaped shape(const MotionLimits& limits, ShapingState& state, const Setpoint& wanted,
                           const Pose& X_WB, const Twist& V_WB_B, double dt_s) noexcept;

}  // namespace pintle::control

namespace pintle {
template <>
const Table& table_of<control::ShapingState>();
}
