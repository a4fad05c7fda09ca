#include "pintle/base/signals.h"

namespace pintle {

Severity severity_of(const Event& event, const AlarmList& alarms) noexcept {
  switch (event.code) {
    case EventCode::kLatchedSafe: return Severity::kCritical;
    case EventCode::kStateLost:
    case EventCode::kImpact:
    case EventCode::kDemandNotFinite:
    case EventCode::kPropulsorFailed:
    case EventCode::kMissionAborted:
    case EventCode::kBeyondFence:
    case EventCode::kPayloadLost:
    case EventCode::kControlLost: return Severity::kError;
    case EventCode::kInputMissing:
    case EventCode::kInputStale:
    case EventCode::kInputRejected:
    case EventCode::kTimeReversed:
    case EventCode::kCommandRefused:
    case EventCode::kArmingRefused:
    case EventCode::kSetpointRejected:
    case EventCode::kRequestFailed:
    case EventCode::kGateChanged:
    case EventCode::kFailureSuspected:
    case EventCode::kMotionDisagrees:
    case EventCode::kBatteryLow:
    case EventCode::kStateTimedOut:
    case EventCode::kStateRetried:
    case EventCode::kFailsafe:
    case EventCode::kSaveFailed: return Severity::kWarning;
    // nobody may go by that target now
    case EventCode::kTargetLost:
    case EventCode::kMissionImpaired:
    case EventCode::kCommanderChanged:
      return event.value != 0 ? Severity::kWarning : Severity::kInfo;
    // that bounds leave no room for an axis for a while is the course of things
    case EventCode::kAxisLost:
      return event.value == static_cast<double>(AxisLossCause::kFailure) ? Severity::kError
                                                                         : Severity::kInfo;
    case EventCode::kAlarmRaised:
      for (const Alarm& a : alarms)
        if (event.value == static_cast<double>(a.code) && a.subject == event.subject)
          return a.severity;
      return Severity::kWarning;
    default: return Severity::kInfo;
  }
}

bool is_all_clear(EventCode code) noexcept {
  switch (code) {
    case EventCode::kLatchReset:
    case EventCode::kInputRecovered:
    case EventCode::kAxisRegained:
    case EventCode::kPropulsorRecovered:
    case EventCode::kFailsafeOver:
    case EventCode::kAlarmCleared: return true;
    default: return false;
  }
}

template <>
const Table& table_of<Vec3>() {
  static const Table table = TableBuilder<Vec3>("Vec3", "Three numbers along x, y, z.")
                                 .field("x", &Vec3::x, "", "Along x.")
                                 .required()
                                 .field("y", &Vec3::y, "", "Along y.")
                                 .required()
                                 .field("z", &Vec3::z, "", "Along z.")
                                 .required()
                                 .as_list()
                                 .build();
  return table;
}

template <>
const Table& table_of<Vec6>() {
  static const Table table =
      TableBuilder<Vec6>("Vec6", "Six numbers along x, y, z, roll, pitch, yaw.")
          .field("v", &Vec6::v, "", "In axis order.")
          .keyed(kAxisNames)
          .required()
          .build();
  return table;
}

template <>
const Table& table_of<Quat>() {
  static const Table table = TableBuilder<Quat>("Quat", "Unit quaternion, scalar last.")
                                 .field("x", &Quat::x, "", "Vector part along x.")
                                 .required()
                                 .field("y", &Quat::y, "", "Vector part along y.")
                                 .required()
                                 .field("z", &Quat::z, "", "Vector part along z.")
                                 .required()
                                 .field("w", &Quat::w, "", "Scalar part.")
                                 .required()
                                 .as_list()
                                 .build();
  return table;
}

template <>
const Table& table_of<Pose>() {
  static const Table table = TableBuilder<Pose>("Pose", "Where a frame is, seen from another.")
                                 .field("p", &Pose::p, "m", "Position of the origin.")
                                 .field("q", &Pose::q, "", "Attitude.")
                                 .build();
  return table;
}

template <>
const Table& table_of<Twist>() {
  static const Table table =
      TableBuilder<Twist>("Twist", "Velocity of a body, in body coordinates.")
          .field("v", &Twist::v, "m/s", "Of the body origin.")
          .field("w", &Twist::w, "rad/s", "Of the body.")
          .build();
  return table;
}

template <>
const Table& table_of<Wrench>() {
  static const Table table =
      TableBuilder<Wrench>("Wrench", "Force and torque about the body origin, in body coordinates.")
          .field("force", &Wrench::force, "N", "Force.")
          .field("torque", &Wrench::torque, "N m", "Torque about the body origin.")
          .build();
  return table;
}

template <>
const Table& table_of<VehicleState>() {
  static const Table table =
      TableBuilder<VehicleState>("VehicleState", "State of the body origin as the stack uses it.")
          .field("stamp_ns", &VehicleState::stamp, "ns", "The instant it speaks of.")
          .field("X_WB", &VehicleState::X_WB, "", "Body in the world.")
          .field("V_WB_B", &VehicleState::V_WB_B, "", "Velocity in body coordinates.")
          .field("variance", &VehicleState::variance, "",
                 "Of position, attitude, velocity and rate, per axis.")
          .field("validity", &VehicleState::validity, "", "Whether it may be used.")
          .build();
  return table;
}

template <>
const Table& table_of<Housekeeping>() {
  using H = Housekeeping;
  static const Table table =
      TableBuilder<H>("Housekeeping",
                      "What a craft says of its inside, its battery and what is around it.")
          .field("stamp_ns", &H::stamp, "ns", "When.")
          .field("valid", &H::valid, "",
                 "Which was told: 1 leak, 2 pressure, 4 temperature, 8 charge, 16 range, 32 "
                 "wind, added up.")
          .field("leak", &H::leak, "", "Water inside.")
          .field("pressure_kPa", &H::pressure_kPa, "kPa", "Inside, absolute.")
          .field("temperature_C", &H::temperature_C, "C", "Inside.")
          .field("charge", &H::charge, "", "Of the battery, what is left, 0 to 1.")
          .field("range_m", &H::range_m, "m",
                 "To the ground or the bottom, straight down from the body origin.")
          .field("wind_m_s", &H::wind_m_s, "m/s", "Level, over the ground.")
          .build();
  return table;
}

template <>
const Table& table_of<Setpoint>() {
  static const Table table =
      TableBuilder<Setpoint>("Setpoint", "What the vehicle is to do now.")
          .field("X_WD", &Setpoint::X_WD, "", "Desired pose in the world.")
          .field("V_WD_B", &Setpoint::V_WD_B, "", "Desired velocity in body coordinates.")
          .field("F_Bo_B", &Setpoint::F_Bo_B, "", "Desired wrench in body coordinates.")
          .field("mode", &Setpoint::mode, "", "What each axis follows.")
          .build();
  return table;
}

template <>
const Table& table_of<WrenchDemand>() {
  static const Table table =
      TableBuilder<WrenchDemand>("WrenchDemand", "What control asks of the propulsors.")
          .field("F_Bo_B", &WrenchDemand::F_Bo_B, "", "Wrench about the body origin.")
          .field("weight", &WrenchDemand::weight, "", "Per axis; 0 is not demanded.")
          .at_least(0)
          .field("group", &WrenchDemand::group, "", "Priority per axis; 0 is served first.")
          .build();
  return table;
}

template <>
const Table& table_of<Allocation>() {
  static const Table table =
      TableBuilder<Allocation>("Allocation", "Effort per channel and what it achieves.")
          .field("effort", &Allocation::effort, "", "In the channel's unit, after the gate.")
          .field("achieved", &Allocation::achieved, "", "Wrench of what is really sent.")
          .field("residual", &Allocation::residual, "", "Demand minus achieved.")
          .field("at_lower", &Allocation::at_lower, "",
                 "Channels at their lower bound, bit 0 is the first.")
          .field("at_upper", &Allocation::at_upper, "", "Channels at their upper bound.")
          .field("reachable", &Allocation::reachable, "",
                 "Axes the propulsors can produce, bit 0 is x.")
          .field("margin", &Allocation::margin, "",
                 "The demand times this is the last that the bounds allow.")
          .field("gap", &Allocation::gap, "",
                 "Proof: no efforts have a lower cost by more than this share of what enters it.")
          .field("grade", &Allocation::grade, "", "How it was obtained.")
          .field("iterations", &Allocation::iterations, "", "Steps of the solver.")
          .build();
  return table;
}

template <>
const Table& table_of<PropulsorHealth>() {
  static const Table table =
      TableBuilder<PropulsorHealth>("PropulsorHealth",
                                    "State of one propulsor as the stack believes it.")
          .field("health", &PropulsorHealth::health, "", "What is wrong with it.")
          .field("efficiency", &PropulsorHealth::efficiency, "",
                 "Thrust delivered over thrust asked, for weak.")
          .range(0, 1)
          .field("stuck_effort", &PropulsorHealth::stuck_effort, "",
                 "What it gives whatever is asked, for stuck.")
          .build();
  return table;
}

template <>
const Table& table_of<ImuSample>() {
  static const Table table =
      TableBuilder<ImuSample>("ImuSample", "What an inertial sensor at the body origin has felt.")
          .field("stamp_ns", &ImuSample::stamp, "ns", "The end of what it speaks of.")
          .field("w_B", &ImuSample::w_B, "rad/s", "Turn rate, mean since the sample before.")
          .field("f_B", &ImuSample::f_B, "m/s^2", "Specific force, mean since the sample before.")
          .build();
  return table;
}

template <>
const Table& table_of<Event>() {
  static const Table table =
      TableBuilder<Event>("Event", "Something worth telling a person.")
          .field("time_ns", &Event::time, "ns", "When.")
          .field("code", &Event::code, "", "What.")
          .field("subject", &Event::subject, "",
                 "Channel, axis, mission state or input it is about, -1 for none.")
          .field("value", &Event::value, "", "A number that explains it.")
          .build();
  return table;
}

template <>
const Table& table_of<MissionStatus>() {
  static const Table table =
      TableBuilder<MissionStatus>("MissionStatus", "How the mission stands.")
          .field("phase", &MissionStatus::phase, "", "Of the mission.")
          .field("state", &MissionStatus::state, "", "Index of the present state, -1 for none.")
          .field("attempt", &MissionStatus::attempt, "", "Of the present state; 0 is the first.")
          .field("time_in_state_s", &MissionStatus::time_in_state_s, "s",
                 "Since the state was entered.")
          .field("settled_s", &MissionStatus::settled_s, "s",
                 "How long the success condition has held.")
          .field("axes_lost", &MissionStatus::axes_lost, "",
                 "Axes of the body that were there when the mission began, one bit each.")
          .build();
  return table;
}

template <>
const EnumTable& enum_table<Validity>() {
  static constexpr std::array values{
      enum_value(Validity::kMissing, "missing", "Nothing has come yet."),
      enum_value(Validity::kStale, "stale", "What came is older than its limit."),
      enum_value(Validity::kValid, "valid", "May be used.")};
  static constexpr EnumTable table{"Validity", values};
  return table;
}

template <>
const EnumTable& enum_table<AxisMode>() {
  static constexpr std::array values{
      enum_value(AxisMode::kPosition, "position", "Follow the desired pose."),
      enum_value(AxisMode::kVelocity, "velocity", "Follow the desired velocity."),
      enum_value(AxisMode::kWrench, "wrench", "Apply the desired wrench.")};
  static constexpr EnumTable table{"AxisMode", values};
  return table;
}

template <>
const EnumTable& enum_table<AllocationGrade>() {
  static constexpr std::array values{
      enum_value(AllocationGrade::kExact, "exact", "The optimum, every demanded axis achieved."),
      enum_value(AllocationGrade::kBounded, "bounded",
                 "The optimum, but bounds keep it from the demand."),
      enum_value(AllocationGrade::kIterationCapped, "iteration_capped",
                 "Best feasible answer when the iterations ran out."),
      enum_value(AllocationGrade::kRejected, "rejected",
                 "Demand not finite or bounds crossed: the safe efforts.")};
  static constexpr EnumTable table{"AllocationGrade", values};
  return table;
}

template <>
const EnumTable& enum_table<Health>() {
  static constexpr std::array values{
      enum_value(Health::kGood, "good", "Does what it is told."),
      enum_value(Health::kWeak, "weak", "Gives a part of the thrust."),
      enum_value(Health::kStuck, "stuck", "Gives the same whatever is asked."),
      enum_value(Health::kReversed, "reversed", "Pushes the wrong way."),
      enum_value(Health::kOut, "out", "Gives nothing.")};
  static constexpr EnumTable table{"Health", values};
  return table;
}

template <>
const EnumTable& enum_table<EventCode>() {
  static constexpr std::array values{
      enum_value(EventCode::kNone, "none", "Nothing."),
      enum_value(EventCode::kArmed, "armed", "Commands reach the propulsors from now on."),
      enum_value(EventCode::kDisarmed, "disarmed", "The safe commands are sent from now on."),
      enum_value(EventCode::kLatchedSafe, "latched_safe",
                 "A fault stopped the vehicle; an operator must reset it."),
      enum_value(EventCode::kLatchReset, "latch_reset", "The operator reset the latch."),
      enum_value(EventCode::kCommandRefused, "command_refused",
                 "An operator command does not apply now, or another operator commands; subject: a "
                 "CommandCode, value: the Operator that commands, or 0."),
      enum_value(EventCode::kInputMissing, "input_missing", "A needed input has never come."),
      enum_value(EventCode::kInputStale, "input_stale", "An input is older than its limit."),
      enum_value(EventCode::kInputRecovered, "input_recovered", "A stale input is fresh again."),
      enum_value(EventCode::kInputRejected, "input_rejected",
                 "An input was not finite or out of range and was not used."),
      enum_value(EventCode::kTimeReversed, "time_reversed",
                 "A stamp went backwards or into the future, and was not used; or the clock of the "
                 "ticks did not go on, and a period was counted."),
      enum_value(EventCode::kSetpointRejected, "setpoint_rejected",
                 "A setpoint was refused; the old one stays."),
      enum_value(EventCode::kDemandNotFinite, "demand_not_finite",
                 "Control gave a non-finite wrench; the safe commands are sent."),
      enum_value(EventCode::kSaturated, "saturated", "Bounds keep the wrench from the demand."),
      enum_value(EventCode::kUnsaturated, "unsaturated",
                 "The demand has been met for half a second."),
      enum_value(EventCode::kAxisLost, "axis_lost",
                 "The propulsors can no longer produce this axis; value: why, an AxisLossCause."),
      enum_value(EventCode::kAxisRegained, "axis_regained",
                 "The propulsors can produce this axis again, for half a second by now."),
      enum_value(EventCode::kGateChanged, "gate_changed",
                 "The gate changed a command before it was sent."),
      enum_value(EventCode::kPropulsorFailed, "propulsor_failed",
                 "A propulsor was announced as failed."),
      enum_value(EventCode::kPropulsorRecovered, "propulsor_recovered",
                 "A propulsor was announced as good again."),
      enum_value(EventCode::kFailureSuspected, "failure_suspected",
                 "Measured motion disagrees with the commands."),
      enum_value(EventCode::kMissionStarted, "mission_started", "The mission begins."),
      enum_value(EventCode::kStateEntered, "state_entered", "A mission state begins."),
      enum_value(EventCode::kStateSucceeded, "state_succeeded",
                 "A mission state reached its success condition."),
      enum_value(EventCode::kStateTimedOut, "state_timed_out", "A mission state ran out of time."),
      enum_value(EventCode::kStateRetried, "state_retried", "A mission state begins again."),
      enum_value(EventCode::kMissionPaused, "mission_paused", "The mission holds."),
      enum_value(EventCode::kMissionResumed, "mission_resumed", "The mission goes on."),
      enum_value(EventCode::kMissionFinished, "mission_finished", "The mission has ended."),
      enum_value(EventCode::kMissionAborted, "mission_aborted",
                 "The mission leaves for its abort path."),
      enum_value(EventCode::kParametersChanged, "parameters_changed",
                 "A new generation of parameters is in use."),
      enum_value(EventCode::kSaveFailed, "save_failed",
                 "Changed parameters are in use but could not be saved."),
      enum_value(EventCode::kPowerCapped, "power_capped",
                 "The caps on power or current take away demand."),
      enum_value(EventCode::kPowerFree, "power_free", "The caps take nothing away any more."),
      enum_value(EventCode::kIgnited, "ignited", "An engine is to burn from now on."),
      enum_value(EventCode::kShutDown, "shut_down", "An engine is not to burn any more."),
      enum_value(EventCode::kLandingPhase, "landing_phase",
                 "A landing on the engine has come to the phase of the subject."),
      enum_value(EventCode::kMissionImpaired, "mission_impaired",
                 "Other axes than before are lost to the mission; value: one bit each."),
      enum_value(EventCode::kMissionCutOff, "mission_cut_off",
                 "The mission is broken off where it is; the next start begins it anew."),
      enum_value(EventCode::kRequestSent, "request_sent",
                 "Something was asked of flight controller or gripper; subject: a MissionRequest, "
                 "value: its number."),
      enum_value(EventCode::kRequestFailed, "request_failed",
                 "It was refused or failed; subject: a MissionRequest, value: a RequestOutcome."),
      enum_value(EventCode::kTargetFound, "target_found",
                 "Enough sightings agree on where a target is; subject: a TargetKind."),
      enum_value(
          EventCode::kTargetLost, "target_lost",
          "A target has not been seen for longer than memory lasts; subject: a TargetKind, value: "
          "1 when the state goes by it."),
      enum_value(
          EventCode::kTargetSoughtAgain, "target_sought_again",
          "Lost on the way down to it: climbs to see it again; subject: a TargetKind, value: "
          "which time, 0 for no more."),
      enum_value(EventCode::kOriginSet, "origin_set",
                 "Standing still for long enough: positions count from here; value: m moved."),
      enum_value(EventCode::kOriginCleared, "origin_cleared",
                 "Landed, carried or jumped: the origin of the flight is to be found anew."),
      enum_value(EventCode::kArmingRefused, "arming_refused",
                 "Not armed; subject: an ArmObstacle, why."),
      enum_value(EventCode::kBatteryLow, "battery_low",
                 "Less charge than the mission needs; value: what is left, 0 to 1."),
      enum_value(EventCode::kBeyondFence, "beyond_fence",
                 "Further or higher than the mission allows; value: m."),
      enum_value(EventCode::kControlLost, "control_lost",
                 "The flight controller no longer obeys: a pilot has it."),
      enum_value(EventCode::kOwnerChanged, "owner_changed",
                 "Somebody else flies; subject: an Owner."),
      enum_value(EventCode::kNavigationEnded, "navigation_ended",
                 "A flight asked for has ended; subject: a NavigationOutcome."),
      enum_value(EventCode::kCommanderChanged, "commander_changed",
                 "Another operator commands; subject: an Operator, value: the one that was lost."),
      enum_value(EventCode::kMotionDisagrees, "motion_disagrees",
                 "Odometry moves otherwise than its own speed explains, or, in flight, than the "
                 "flight controller says, and then is not flown by any more; value: m apart."),
      enum_value(EventCode::kGoalMoved, "goal_moved",
                 "Changed parameters have moved the goal of the state; value: m."),
      enum_value(EventCode::kStateLost, "state_lost",
                 "Armed, and no state to go by; subject: an OnStateLost, what is done now."),
      enum_value(EventCode::kImpact, "impact",
                 "It has hit something; value: m/s that no propulsor can have made."),
      enum_value(EventCode::kAlarmRaised, "alarm_raised",
                 "Something is wrong; value: an AlarmCode, subject: the propulsor."),
      enum_value(EventCode::kAlarmCleared, "alarm_cleared",
                 "It is well again; value: an AlarmCode, subject: the propulsor."),
      enum_value(EventCode::kFailsafe, "failsafe",
                 "Past a limit; subject: a FailsafeCondition, value: what was read."),
      enum_value(EventCode::kFailsafeOver, "failsafe_over", "Within that limit again."),
      enum_value(EventCode::kPayloadLost, "payload_lost",
                 "What the gripper held is gone, and nobody asked for it; subject: the state.")};
  static constexpr EnumTable table{"EventCode", values};
  return table;
}

template <>
const EnumTable& enum_table<AxisLossCause>() {
  static constexpr std::array values{
      enum_value(AxisLossCause::kNone, "none", "It is there."),
      enum_value(AxisLossCause::kFailure, "failed_propulsors",
                 "Propulsors that failed have taken it along."),
      enum_value(AxisLossCause::kNoRoom, "no_room",
                 "The bounds of this moment leave none: slew limits, no fuel, not lit."),
      enum_value(AxisLossCause::kNoAuthority, "below_authority_threshold",
                 "Nothing pushes that way, one way only, or only through imperfect geometry.")};
  static constexpr EnumTable table{"AxisLossCause", values};
  return table;
}

template <>
const EnumTable& enum_table<MissionPhase>() {
  static constexpr std::array values{
      enum_value(MissionPhase::kIdle, "idle", "No mission, or not started."),
      enum_value(MissionPhase::kRunning, "running", "Under way."),
      enum_value(MissionPhase::kPaused, "paused", "Holding on command."),
      enum_value(MissionPhase::kAborting, "aborting", "On the abort path."),
      enum_value(MissionPhase::kPassed, "passed", "Finished as wanted."),
      enum_value(MissionPhase::kFailed, "failed", "Finished on a failure path."),
      enum_value(MissionPhase::kAborted, "aborted", "The abort path has ended.")};
  static constexpr EnumTable table{"MissionPhase", values};
  return table;
}

}  // namespace pintle
