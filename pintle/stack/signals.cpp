#include "pintle/stack/signals.h"

#include "pintle/mission/aircraft.h"

namespace pintle::stack {

static_assert(mission::kTargetInput == static_cast<std::int32_t>(InputCode::kTarget));

void clear(Inputs& in) noexcept {
  in.now = {};
  in.phase = Phase::kAct;
  in.generation = 0;
  in.has_odometry = in.has_attitude = in.has_imu = in.has_thrust = in.has_setpoint = false;
  in.has_kill = in.killed = in.has_housekeeping = false;
  in.housekeeping = {};
  in.has_bus_voltage = in.has_flight = in.has_gripper = in.has_navigation = false;
  in.odometry = {};
  in.attitude = {};
  in.imu = {};
  in.thrust.stamp = {};
  in.thrust.thrust_N.clear();
  in.setpoint = {};
  in.setpoint_parts = kWholeSetpoint;
  in.bus_V = 0;
  in.commands.clear();
  in.health.clear();
  in.reports.clear();
  in.flight = {};
  in.gripper = {};
  in.targets.clear();
  in.navigation = {};
}

}  // namespace pintle::stack

namespace pintle {

using namespace stack;

template <>
const EnumTable& enum_table<CommandCode>() {
  static constexpr std::array values{
      enum_value(CommandCode::kNone, "none", "Nothing."),
      enum_value(CommandCode::kArm, "arm", "Let commands reach the propulsors."),
      enum_value(CommandCode::kDisarm, "disarm", "Stop the propulsors at once; not in the air."),
      enum_value(CommandCode::kResetLatch, "reset_latch", "Leave latched-safe for disarmed."),
      enum_value(CommandCode::kMissionStart, "mission_start", "Begin the mission at its start."),
      enum_value(CommandCode::kMissionPause, "mission_pause",
                 "Hold; time stands still for the mission state."),
      enum_value(CommandCode::kMissionResume, "mission_resume", "Go on after a pause."),
      enum_value(CommandCode::kMissionAbort, "mission_abort", "Take the abort path."),
      enum_value(CommandCode::kMissionJump, "mission_jump",
                 "Enter the mission state of the argument."),
      enum_value(CommandCode::kResetControl, "reset_control", "Reset the control loops."),
      enum_value(
          CommandCode::kTrustPropulsor, "trust_propulsor",
          "Take the propulsor of the argument, or all, for good again if it was only found out."),
      enum_value(CommandCode::kIgnite, "ignite", "Light the engine of the argument, or all."),
      enum_value(CommandCode::kShutDown, "shut_down",
                 "Put the engine of the argument out, or all."),
      enum_value(CommandCode::kMissionStep, "mission_step",
                 "The mission state of the argument, once and alone; then hold."),
      enum_value(CommandCode::kMissionSelect, "mission_select",
                 "The mission state of the argument is where resume goes on."),
      enum_value(CommandCode::kMissionCutoff, "mission_cutoff",
                 "Hold, and back to the start of the mission."),
      enum_value(CommandCode::kTakeOver, "take_over", "Who asks commands from now on."),
      enum_value(CommandCode::kHandOver, "hand_over", "Who asks commands no more."),
      enum_value(
          CommandCode::kMissionLand, "mission_land",
          "The landing of the abort path, where it is; without one, what carries itself sinks."),
      enum_value(
          CommandCode::kEnable, "enable",
          "Arm as soon as it may be, and end a latch that is no termination; wanted until it "
          "is disarmed or latched."),
      enum_value(CommandCode::kDisarmForce, "disarm_force",
                 "Stop the propulsors at once, also in the air."),
      enum_value(CommandCode::kFailPropulsor, "fail_propulsor",
                 "Use the propulsor of the argument no more."),
      enum_value(CommandCode::kRestorePropulsor, "restore_propulsor",
                 "Use it again, or all, if an operator has failed it."),
      enum_value(CommandCode::kReadyIgnition, "ready_ignition",
                 "Engines may be lit within ten seconds, of a craft that is armed: the first of "
                 "two steps."),
      enum_value(CommandCode::kHeartbeat, "heartbeat", "The operator is there."),
      enum_value(CommandCode::kLeak, "leak", "Water inside: argument 1; 0: none."),
      enum_value(CommandCode::kTerminate, "terminate",
                 "Off at once and latched, also in the air.")};
  static constexpr EnumTable table{"CommandCode", values};
  return table;
}

template <>
const EnumTable& enum_table<InputCode>() {
  static constexpr std::array values{
      enum_value(InputCode::kClock, "clock", "The time of the tick."),
      enum_value(InputCode::kOdometry, "odometry", "Pose and twist."),
      enum_value(InputCode::kSetpoint, "setpoint", "What a planner wants."),
      enum_value(InputCode::kBusVoltage, "bus_voltage", "Voltage of the bus."),
      enum_value(InputCode::kHealth, "health", "Announced state of a propulsor."),
      enum_value(InputCode::kCommand, "command", "An operator's command."),
      enum_value(InputCode::kFlight, "flight", "Report of the flight controller."),
      enum_value(InputCode::kGripper, "gripper", "Report of the gripper."),
      enum_value(InputCode::kTarget, "target", "A target as it was seen."),
      enum_value(InputCode::kNavigation, "navigation", "A flight asked for from outside."),
      enum_value(InputCode::kBattery, "battery", "The charge of the battery."),
      enum_value(InputCode::kImu, "imu", "Turn rate and specific force."),
      enum_value(InputCode::kThrust, "thrust", "Thrusts as they were measured."),
      enum_value(InputCode::kReports, "reports", "What propulsors say of themselves."),
      enum_value(InputCode::kHousekeeping, "housekeeping",
                 "What the craft says of its inside, its battery and what is around it.")};
  static constexpr EnumTable table{"InputCode", values};
  return table;
}

template <>
const EnumTable& enum_table<ArmState>() {
  static constexpr std::array values{
      enum_value(ArmState::kDisarmed, "disarmed", "The safe commands are sent."),
      enum_value(ArmState::kArmed, "armed", "Commands reach the propulsors."),
      enum_value(ArmState::kLatchedSafe, "latched_safe",
                 "A fault stopped the vehicle; an operator must reset it.")};
  static constexpr EnumTable table{"ArmState", values};
  return table;
}

template <>
const EnumTable& enum_table<Authority>() {
  static constexpr std::array values{
      enum_value(
          Authority::kSafe, "safe",
          "Safety: no effort or the ramp to it, or what a failsafe or on_state_lost flies; a "
          "mission that a failsafe pauses or aborts stays `mission`."),
      enum_value(Authority::kMission, "mission", "The mission."),
      enum_value(Authority::kPlanner, "planner", "A planner outside.")};
  static constexpr EnumTable table{"Authority", values};
  return table;
}

template <>
const EnumTable& enum_table<ArmObstacle>() {
  static constexpr std::array values{
      enum_value(ArmObstacle::kNone, "none", "Nothing stands in the way."),
      enum_value(ArmObstacle::kNoState, "no_state", "There is no valid odometry."),
      enum_value(ArmObstacle::kNoFlightReport, "no_flight_report",
                 "The flight controller is silent."),
      enum_value(ArmObstacle::kNoOrigin, "no_origin", "It has not stood still for long enough."),
      enum_value(ArmObstacle::kFrameUndecided, "frame_undecided",
                 "Which way is up is not proved: lift the craft by 0.3 m and put it down."),
      enum_value(ArmObstacle::kFrameDisagrees, "frame_disagrees",
                 "Odometry moves otherwise than the flight controller: its frame is not the "
                 "declared one."),
      enum_value(ArmObstacle::kBatteryLow, "battery_low", "Less charge than the mission needs."),
      enum_value(
          ArmObstacle::kHeld, "held",
          "It is held above the place where it stood: put it down there; where it stands now "
          "is its place after reset_control."),
      enum_value(ArmObstacle::kBatteryUnknown, "battery_unknown",
                 "The flight controller does not tell its charge."),
      enum_value(ArmObstacle::kKilled, "killed", "The kill switch is pulled."),
      enum_value(ArmObstacle::kLatched, "latched", "It is latched safe: reset_latch comes first."),
      enum_value(ArmObstacle::kFailsafe, "failsafe",
                 "It is past a limit of its vehicle file's failsafes."),
      enum_value(ArmObstacle::kNoPropulsor, "no_propulsor",
                 "No propulsor can be reached: power, cables and ports (pintle doctor lists "
                 "these)."),
      enum_value(ArmObstacle::kMountDisagrees, "mount_disagrees",
                 "Carried by hand, the camera saw the pad move: it is mounted otherwise than its "
                 "file says (image_up, extrinsics), or the pad's markers have another size."),
      enum_value(ArmObstacle::kAxisLost, "axis_lost",
                 "A propulsor is out, and without it what flies cannot hold an axis.")};
  static constexpr EnumTable table{"ArmObstacle", values};
  return table;
}

template <>
const Table& table_of<AircraftStatus>() {
  using A = AircraftStatus;
  static const Table table =
      TableBuilder<A>("AircraftStatus", "What is known around a craft with a flight controller.")
          .field("has_origin", &A::has_origin, "", "The origin of the flight is known.")
          .field("origin_m", &A::origin_m, "m", "Where it is, in the odometry's world.")
          .field("up", &A::up, "", "Whether odometry knows which way is up.")
          .field("horizontal", &A::horizontal, "", "Whether it knows which way is north.")
          .field("flight_fresh", &A::flight_fresh, "", "The flight controller speaks.")
          .field("gripper_fresh", &A::gripper_fresh, "", "The gripper speaks.")
          .field("in_flight", &A::in_flight, "",
                 "Off the ground, or about to be: a take-off that may still come, an armed mission "
                 "under way.")
          .field("may_be_charged", &A::may_be_charged, "", "Armed, and not started since.")
          .field("target_found", &A::target_found, "", "Marker, pad.")
          .field("target_age_s", &A::target_age_s, "s", "Since each was seen.")
          .field("target_W", &A::target_W, "m", "Where they are, from the origin of the flight.")
          .field("target_sigma_m", &A::target_sigma_m, "m", "One standard deviation of that.")
          .field("target_losses", &A::target_losses, "",
                 "How often it was lost on the way down, in this attempt.")
          .field("sightings", &A::sightings, "", "What became of each of the inputs' targets.")
          .field("approach", &A::approach, "", "What it does on the way down to a target.")
          .field("approach_height_m", &A::approach_height_m, "m", "Over the target.")
          .field("approach_aside_m", &A::approach_aside_m, "m",
                 "From the axis of the cone to descend in.")
          .field("approach_allowed_m", &A::approach_allowed_m, "m", "So wide is that there.")
          .build();
  return table;
}

template <>
const Table& table_of<OperatorCommand>() {
  static const Table table =
      TableBuilder<OperatorCommand>("OperatorCommand", "What an operator asks for.")
          .field("code", &OperatorCommand::code, "", "What.")
          .field("argument", &OperatorCommand::argument, "",
                 "State index of a jump, step or select; propulsor to trust, light or put out; -1 "
                 "for none, or all.")
          .field("from", &OperatorCommand::from, "", "Who asks.")
          .build();
  return table;
}

template <>
const Table& table_of<HealthReport>() {
  static const Table table =
      TableBuilder<HealthReport>("HealthReport", "Announced state of a propulsor.")
          .field("propulsor", &HealthReport::propulsor, "", "Index in file order.")
          .field("health", &HealthReport::health, "", "What is known of it.")
          .build();
  return table;
}

template <>
const Table& table_of<MeasuredThrust>() {
  static const Table table =
      TableBuilder<MeasuredThrust>("MeasuredThrust", "What the propulsors give, as measured.")
          .field("stamp_ns", &MeasuredThrust::stamp, "ns", "When it was measured.")
          .field("thrust_N", &MeasuredThrust::thrust_N, "N", "One a propulsor.")
          .build();
  return table;
}

template <>
const Table& table_of<Inputs>() {
  static const Table table =
      TableBuilder<Inputs>("Inputs", "Everything from outside for one tick.")
          .field("now_ns", &Inputs::now, "ns", "Time of the tick.")
          .field("phase", &Inputs::phase, "", "How much of the stack this tick runs.")
          .field("generation", &Inputs::generation, "", "Of the parameters in use.")
          .field("has_odometry", &Inputs::has_odometry, "",
                 "Odometry has come since the last tick.")
          .field("odometry", &Inputs::odometry, "", "Pose and twist of the body origin.")
          .field("has_attitude", &Inputs::has_attitude, "",
                 "The pose of the odometry is a transform's.")
          .field("attitude", &Inputs::attitude, "", "The odometry's own attitude then.")
          .field("has_imu", &Inputs::has_imu, "", "The inertial sensor has spoken.")
          .field("imu", &Inputs::imu, "", "What it has felt.")
          .field("has_thrust", &Inputs::has_thrust, "", "Thrusts have been measured.")
          .field("thrust", &Inputs::thrust, "", "They.")
          .field("has_setpoint", &Inputs::has_setpoint, "", "A planner's setpoint has come.")
          .field("setpoint", &Inputs::setpoint, "", "What the planner wants.")
          .field("setpoint_parts", &Inputs::setpoint_parts, "",
                 "Which of it was given: 1 pose, 2 velocity, 4 wrench, 8 modes, added up.")
          .field("has_bus_voltage", &Inputs::has_bus_voltage, "", "A voltage reading has come.")
          .field("bus_V", &Inputs::bus_V, "V", "Bus voltage.")
          .field("has_kill", &Inputs::has_kill, "", "Something was said of the kill switch.")
          .field("killed", &Inputs::killed, "", "That it is pulled.")
          .field("has_housekeeping", &Inputs::has_housekeeping, "",
                 "The craft has told of its inside or its battery.")
          .field("housekeeping", &Inputs::housekeeping, "", "What it said.")
          .field("commands", &Inputs::commands, "", "Of the operator, in order.")
          .field("health", &Inputs::health, "", "Announced states of propulsors, in order.")
          .field("reports", &Inputs::reports, "", "What propulsors have said of themselves.")
          .field("has_flight", &Inputs::has_flight, "", "The flight controller has reported.")
          .field("flight", &Inputs::flight, "", "What it said.")
          .field("has_gripper", &Inputs::has_gripper, "", "The gripper has reported.")
          .field("gripper", &Inputs::gripper, "", "What it said.")
          .field("targets", &Inputs::targets, "", "Targets that a camera has seen.")
          .field("has_navigation", &Inputs::has_navigation, "", "A flight is asked for.")
          .field("navigation", &Inputs::navigation, "", "Where to.")
          .build();
  return table;
}

template <>
const EnumTable& enum_table<Phase>() {
  static constexpr std::array values{
      enum_value(Phase::kAct, "act", "The whole tick."),
      enum_value(Phase::kTake, "take", "Inputs and loops; nothing is decided or sent.")};
  static constexpr EnumTable table{"Phase", values};
  return table;
}

template <>
const Table& table_of<SetpointAnswer>() {
  static const Table table =
      TableBuilder<SetpointAnswer>("SetpointAnswer", "What became of a planner's setpoint.")
          .field("refusal", &SetpointAnswer::refusal, "", "Why the old one stays.")
          .field("axis", &SetpointAnswer::axis, "", "The first refused; -1 for none.")
          .build();
  return table;
}

template <>
const Table& table_of<PropulsorCommands>() {
  static const Table table =
      TableBuilder<PropulsorCommands>("PropulsorCommands", "What is sent to the propulsors.")
          .field("command", &PropulsorCommands::command, "", "To each driver, in its unit.")
          .field("effort", &PropulsorCommands::effort, "",
                 "What it asks for, in the channel's unit.")
          .field("ignition", &PropulsorCommands::ignition, "",
                 "Which engines are to burn, one bit a propulsor.")
          .build();
  return table;
}

template <>
const Table& table_of<Outputs>() {
  static const Table table =
      TableBuilder<Outputs>("Outputs", "Everything that one tick decided.")
          .field("now_ns", &Outputs::now, "ns", "Time of the tick.")
          .field("tick", &Outputs::tick, "", "Count of ticks, 0 is the first.")
          .field("arm", &Outputs::arm, "", "Whether commands reach the propulsors.")
          .field("obstacles", &Outputs::obstacles, "",
                 "To being armed now, one bit an ArmObstacle.")
          .field("failsafe", &Outputs::failsafe, "", "What the craft does by itself.")
          .field("aloft", &Outputs::aloft, "", "In the air, as far as is known.")
          .field("authority", &Outputs::authority, "", "Who asks for what is sent.")
          .field("actuation", &Outputs::actuation, "", "What is sent.")
          .field("proposed", &Outputs::proposed, "",
                 "Efforts that allocation asked for, sent or not.")
          .field("proposed_B", &Outputs::proposed_B, "", "The wrench that these give.")
          .field("used", &Outputs::used, "", "Vehicle state in use.")
          .field("measured", &Outputs::measured, "", "What became of the odometry of this tick.")
          .field("measured_dt_s", &Outputs::measured_dt_s, "s", "The loops' time step from it.")
          .field("setpoint", &Outputs::setpoint, "", "What is wanted now.")
          .field("setpoint_answer", &Outputs::setpoint_answer, "",
                 "What became of the planner's setpoint of this tick.")
          .field("demand", &Outputs::demand, "", "What control asks of the propulsors.")
          .field("allocation", &Outputs::allocation, "", "Efforts and what they achieve.")
          .field("limits", &Outputs::limits, "", "Which limit each channel has met.")
          .field("mission", &Outputs::mission, "", "How the mission stands.")
          .inlined(&Outputs::law)
          .field("landing", &Outputs::landing, "", "Of a landing on the engine.")
          .field("fuel_kg", &Outputs::fuel_kg, "kg", "On board, as predicted.")
          .field("owner", &Outputs::owner, "", "Who flies.")
          .field("commander", &Outputs::commander, "", "The operator who commands.")
          .field("aircraft", &Outputs::aircraft, "", "Of a craft with a flight controller.")
          .field("motion", &Outputs::motion, "", "Velocity for a flight controller.")
          .field("flight_request", &Outputs::flight_request, "", "What else it is asked for.")
          .field("gripper_request", &Outputs::gripper_request, "", "What the gripper is asked for.")
          .field("navigation", &Outputs::navigation, "", "How a flight asked for stands.")
          .field("alarms", &Outputs::alarms, "", "What is wrong now.")
          .field("events", &Outputs::events, "", "What happened in this tick.")
          .field("events_lost", &Outputs::events_lost, "",
                 "Events of this tick that found no room.")
          .build();
  return table;
}

}  // namespace pintle

namespace pintle::stack {

ArmObstacle first_obstacle(ArmObstacles all) noexcept {
  using O = ArmObstacle;
  // what has to be mended before the others can be
  for (const O o : {O::kLatched, O::kKilled, O::kNoPropulsor, O::kAxisLost, O::kNoFlightReport,
                    O::kNoState, O::kFrameDisagrees, O::kFrameUndecided, O::kMountDisagrees,
                    O::kHeld, O::kNoOrigin, O::kBatteryUnknown, O::kBatteryLow, O::kFailsafe})
    if ((all & obstacle_bit(o)) != 0) return o;
  return O::kNone;
}

}  // namespace pintle::stack
