/// Who flies: one owner at a time.
///
/// The mission and the operator's single steps run in one engine, so that only navigation goals
/// from outside can stand beside it. These are flown while the mission rests (idle, paused or
/// ended) and the craft is in the air, and end the moment the mission moves again: the operator
/// comes first.
///
/// A charge (`/jet/charge`) is a request of the site and of no operator: who armed the craft has
/// said that it may fly, once. So it may ask for the start alone, on the ground, when nothing has
/// been started since it was armed; and to be armed while nobody commands, where that is allowed.
///
/// Who may ask: one operator commands at a time. Whose command is obeyed while nobody commands
/// keeps it until he hands over or another takes over, which is told; disarming changes nothing, so
/// that nobody else arms a craft beside which the one who disarmed it stands. What makes it stay or
/// come down (pause, abort, terminate, a landing of what no state of its mission lands), a
/// take-over, a heartbeat and what is said of water inside are taken from everybody, and commands
/// of the program itself (the end of a run, a mission that begins by itself) pass.
#pragma once
#include "pintle/base/signals.h"

namespace pintle::mission {

enum class Owner : std::uint8_t {
  kNobody,  ///< The pose of the moment is held.
  kMission,
  kOperatorStep,  ///< One state, alone.
  kNavigation,    ///< A goal from outside.
};

/// Who asks.
enum class Operator : std::uint8_t {
  kNobody,  ///< The program itself.
  kConsole,
  kRos,
  kCli,   ///< `pintle command`, or a schedule of commands.
  kPage,  ///< The live page, or another client of the live server.
  kSite,  ///< A charge: see above. No operator.
  kYarp,  ///< A word at a port of YARP.
};

inline constexpr std::size_t kOperators = 7;  ///< With nobody and the site.

/// One who can command.
[[nodiscard]] constexpr bool is_operator(Operator who) noexcept {
  return who != Operator::kNobody && who != Operator::kSite && who <= Operator::kYarp;
}

[[nodiscard]] constexpr bool may_ask(Operator commander, Operator asks, bool urgent) noexcept {
  return asks == Operator::kNobody ||
         (is_operator(asks) && (urgent || commander == Operator::kNobody || commander == asks));
}

/// Whether the mission is one that moves, by its phase.
[[nodiscard]] constexpr bool is_moving(MissionPhase phase) noexcept {
  return phase == MissionPhase::kRunning || phase == MissionPhase::kAborting;
}

/// It has begun and not ended: it moves, or is paused.
[[nodiscard]] constexpr bool is_under_way(MissionPhase phase) noexcept {
  return is_moving(phase) || phase == MissionPhase::kPaused;
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
template <>
const EnumTable& enum_table<mission::Operator>();
}  // namespace pintle
