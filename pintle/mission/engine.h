/// Runs a mission, one tick at a time: a function of (mission, state, input). No clock, no heap.
#pragma once
#include "pintle/mission/mission.h"

namespace pintle::mission {

/// What an operator may ask of a mission.
enum class Command : std::uint8_t { kNone, kStart, kPause, kResume, kAbort, kJump };

struct EngineState {
  MissionPhase phase = MissionPhase::kIdle;
  std::int32_t state = -1;
  std::uint32_t attempt = 0;
  bool aborting = false;  ///< On the abort path: the ending is kAborted whatever it is called.
  Time mission_started{}, state_entered{}, settled_since{};
  bool settled = false;
  Duration time_paused{};  ///< In this state: does not count against its timeout.
  Time paused_at{};
  Setpoint setpoint{};  ///< Commanded in this tick and held until something else is.
  Vec6 goal_pose{};     ///< x, y, z, roll, pitch, yaw carried from state to state.
  Vec3 turned{};        ///< Accumulated turn about the body axes since entry, rad.
  Time last_tick{};
  bool has_setpoint = false;
};

struct EngineInput {
  Time now;
  VehicleState vehicle;  ///< Not valid: no success counts, time goes on.
  Command command = Command::kNone;
  std::int32_t jump_to = -1;
  bool abort = false;  ///< The safety layer asks for the abort path.
};

struct EngineOutput {
  Setpoint setpoint;  ///< Always usable: a hold when nothing else is wanted.
  MissionStatus status;
  bool reset_control = false;
  bool finished = false;  ///< In this tick.
  bool refused = false;   ///< The command does not apply now.
};

/// Events go to `events` (lost when it is full).
void step(const Mission& mission, EngineState& state, const EngineInput& input,
          EngineOutput& output, EventList& events) noexcept;

}  // namespace pintle::mission

namespace pintle {
template <>
const EnumTable& enum_table<mission::Command>();
template <>
const Table& table_of<mission::EngineState>();
}  // namespace pintle
