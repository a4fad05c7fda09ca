#include "pintle/mission/engine.h"

namespace pintle {

using mission::Command;
using mission::EngineState;

template <>
const EnumTable& enum_table<Command>() {
  static constexpr std::array values{
      EnumValue{static_cast<std::int64_t>(Command::kNone), "none", "Nothing."},
      EnumValue{static_cast<std::int64_t>(Command::kStart), "start", "Begin the mission."},
      EnumValue{static_cast<std::int64_t>(Command::kPause), "pause", "Hold here for now."},
      EnumValue{static_cast<std::int64_t>(Command::kResume), "resume", "Go on after a pause."},
      EnumValue{static_cast<std::int64_t>(Command::kAbort), "abort", "Leave for the abort path."},
      EnumValue{static_cast<std::int64_t>(Command::kJump), "jump", "Go to a certain state."},
      EnumValue{static_cast<std::int64_t>(Command::kStep), "step",
                "One state alone, then a pause."},
      EnumValue{static_cast<std::int64_t>(Command::kSelect), "select",
                "A pause at a state, from which resume goes on."},
      EnumValue{static_cast<std::int64_t>(Command::kCutOff), "cut_off",
                "Break off where it is; the next start begins anew."},
      EnumValue{static_cast<std::int64_t>(Command::kLand), "land",
                "Land where it is, on the abort path."}};
  static constexpr EnumTable table{"MissionCommand", values};
  return table;
}

template <>
const Table& table_of<EngineState>() {
  using S = EngineState;
  static const Table table =
      TableBuilder<S>("MissionEngineState", "What a mission remembers from tick to tick.")
          .field("phase", &S::phase, "", "Of the mission.")
          .field("state", &S::state, "", "Index of the present state, -1 for none.")
          .field("attempt", &S::attempt, "", "Of the present state; 0 is the first.")
          .field("aborting", &S::aborting, "", "On the abort path.")
          .field("mission_started_ns", &S::mission_started, "ns", "On the engine's clock.")
          .field("state_entered_ns", &S::state_entered, "ns", "On the engine's clock.")
          .field("settled_since_ns", &S::settled_since, "ns", "On the engine's clock.")
          .field("settled", &S::settled, "", "The success condition held in the last tick.")
          .field("time_paused_ns", &S::time_paused, "ns", "In the present state.")
          .field("paused_at_ns", &S::paused_at, "ns", "On the engine's clock.")
          .field("setpoint", &S::setpoint, "", "Commanded in the last tick.")
          .field("goal_pose", &S::goal_pose, "", "Carried from state to state, m and rad.")
          .field("q_WD", &S::q_WD, "", "Attitude of goal_pose.")
          .field("goal_asked", &S::goal_asked, "", "What the state asked for, m and rad.")
          .field("turned", &S::turned, "rad", "About the body axes since entry.")
          .field("last_tick_ns", &S::last_tick, "ns", "On the caller's clock.")
          .field("has_setpoint", &S::has_setpoint, "", "The setpoint holds a known pose.")
          .field("has_ticked", &S::has_ticked, "", "last_tick_ns means something.")
          .field("clock_ns", &S::clock, "ns", "The engine's clock, from the start of the mission.")
          .field("last_valid_ns", &S::last_valid, "ns", "When last_pose was seen.")
          .field("last_pose", &S::last_pose, "", "Of the last valid vehicle state.")
          .field("has_pose", &S::has_pose, "", "last_pose means something.")
          .field("axes_at_start", &S::axes_at_start, "", "Reachable when the mission began.")
          .field("axes_lost", &S::axes_lost, "", "Of those, as last told.")
          .build();
  return table;
}

}  // namespace pintle
