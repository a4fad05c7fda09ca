/// Who flies: one owner at a time.
///
/// The mission and the operator's single steps run in one engine, so that only navigation goals
/// from outside can stand beside it. These are flown while the mission rests (idle, paused or
/// ended) and the craft is in the air, and end the moment the mission moves again: the operator
/// comes first.
#pragma once
#include "pintle/base/signals.h"

namespace pintle::mission {

enum class Owner : std::uint8_t {
  kNobody,  ///< The pose of the moment is held.
  kMission,
  kOperatorStep,  ///< One state, alone.
  kNavigation,    ///< A goal from outside.
};

/// Whether the mission is one that moves, by its phase.
[[nodiscard]] constexpr bool is_moving(MissionPhase phase) noexcept {
  return phase == MissionPhase::kRunning || phase == MissionPhase::kAborting;
}

[[nodiscard]] constexpr Owner owner_of(MissionPhase phase, bool single_step,
                                       bool navigating) noexcept {
  if (is_moving(phase)) return single_step ? Owner::kOperatorStep : Owner::kMission;
  return navigating ? Owner::kNavigation : Owner::kNobody;
}

[[nodiscard]] constexpr bool may_navigate(MissionPhase phase, bool airborne,
                                          bool state_valid) noexcept {
  return !is_moving(phase) && airborne && state_valid;
}

}  // namespace pintle::mission

namespace pintle {
template <>
const EnumTable& enum_table<mission::Owner>();
}  // namespace pintle
