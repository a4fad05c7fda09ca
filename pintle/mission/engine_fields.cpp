#include "pintle/mission/engine.h"

namespace pintle {

using mission::ApproachPhase;
using mission::Command;
using mission::EngineState;
using mission::SightingFate;

template <>
const EnumTable& enum_table<Command>() {
  static constexpr std::array values{
      enum_value(Command::kNone, "none", "Nothing."),
      enum_value(Command::kStart, "start", "Begin the mission."),
      enum_value(Command::kPause, "pause", "Hold here for now."),
      enum_value(Command::kResume, "resume", "Go on after a pause."),
      enum_value(Command::kAbort, "abort", "Leave for the abort path."),
      enum_value(Command::kJump, "jump", "Go to a certain state."),
      enum_value(Command::kStep, "step", "One state alone, then a pause."),
      enum_value(Command::kSelect, "select", "A pause at a state, from which resume goes on."),
      enum_value(Command::kCutOff, "cut_off", "Break off where it is; the next start begins anew."),
      enum_value(Command::kLand, "land", "Land where it is, on the abort path.")};
  static constexpr EnumTable table{"MissionCommand", values};
  return table;
}

// the report's words too (simulation/landing_story.h)
template <>
const EnumTable& enum_table<SightingFate>() {
  using F = SightingFate;
  static constexpr std::array values{
      enum_value(F::kCounted, "counted", "counted: it moved the estimate"),
      enum_value(F::kFound, "found", "counted: by it enough agreed, and the target was found"),
      enum_value(F::kKept, "kept", "kept until enough agree"),
      enum_value(F::kAlone, "alone",
                 "kept: the first with its number there, which a second picture must confirm"),
      enum_value(
          F::kBeyondGate, "beyond_gate",
          "left out by the gate: too far from where the target is, for what both are sure of"),
      enum_value(F::kRepeated, "repeated",
                 "left out: older than the newest, or twice in one picture"),
      enum_value(F::kOutsideArea, "outside_area",
                 "left out: outside of the area where the target can be"),
      enum_value(F::kNoSighting, "no_sighting", "left out: no camera can have seen it"),
      enum_value(F::kNoPose, "no_pose",
                 "left out: nobody knew where the craft was when the picture was taken")};
  static constexpr EnumTable table{"SightingFate", values};
  return table;
}

template <>
const EnumTable& enum_table<ApproachPhase>() {
  using P = ApproachPhase;
  static constexpr std::array values{
      enum_value(P::kNone, "none", "Nothing to go by."),
      enum_value(P::kComes, "comes", "Towards its place over the target, or there."),
      enum_value(P::kHolds, "holds", "Outside of the cone: it keeps its height."),
      enum_value(P::kClimbs, "climbs", "Lost: it climbs to see it again."),
      enum_value(P::kBlind, "blind", "So low that it goes on without seeing it."),
      enum_value(P::kGivenUp, "given_up", "Lost too often.")};
  static constexpr EnumTable table{"ApproachPhase", values};
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
