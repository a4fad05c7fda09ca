/// Whether a state has done its work, judged from one valid vehicle state.
///
/// Every condition that is given must hold; a state that gives none never succeeds. Comparisons are
/// written so that a NaN is no evidence. How long it must hold (settle_s) is the engine's business.
#pragma once
#include "pintle/base/signals.h"
#include "pintle/mission/mission.h"

namespace pintle::mission {

/// What was seen since the state was entered.
struct Seen {
  Pose X_WD;          ///< The goal, after sliding (see goal.h).
  Pose X_WB;          ///< Finite, unit quaternion.
  Twist V_WB_B;       ///< Finite.
  Vec3 turned;        ///< rad
  Duration in_state;  ///< Without pauses.
};

/// True when something is asked of pose, velocity or turn.
[[nodiscard]] bool needs_pose(const SuccessSpec& success) noexcept;
/// True when something is asked of flight controller, gripper or a target; judged by
/// `aircraft_holds`, not by `holds`.
[[nodiscard]] bool speaks_of_aircraft(const SuccessSpec& success) noexcept;
/// True when at least one condition is given (settle_s alone is none).
[[nodiscard]] bool has_condition(const SuccessSpec& success) noexcept;

[[nodiscard]] bool holds(const SuccessSpec& success, const Goal& goal, const Seen& seen) noexcept;

}  // namespace pintle::mission
