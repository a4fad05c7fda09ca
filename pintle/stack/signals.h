/// What goes into the tick and what comes out of it.
#pragma once
#include "pintle/allocation/allocator.h"
#include "pintle/base/aircraft.h"
#include "pintle/base/alarm.h"
#include "pintle/base/propulsor_report.h"
#include "pintle/base/signals.h"
#include "pintle/control/hover_slam.h"
#include "pintle/control/law.h"
#include "pintle/estimation/estimator.h"
#include "pintle/estimation/odometry_frame.h"
#include "pintle/mission/arbiter.h"
#include "pintle/mission/engine.h"
#include "pintle/stack/failsafe.h"
#include "pintle/stack/limits.h"

namespace pintle::stack {

// ---------------------------------------------------------------------------------------------
// in

/// What an operator or a planner may ask for.
enum class CommandCode : std::uint8_t {
  kNone,
  kArm,
  kDisarm,  ///< Off at once; refused in the air.
  kResetLatch,
  kMissionStart,
  kMissionPause,
  kMissionResume,  ///< Without a mission: a failsafe's hold is over.
  kMissionAbort,
  kMissionJump,
  /// The law's integrals and histories; under supervision, while not armed, origin and proofs too.
  kResetControl,
  kTrustPropulsor,  ///< What was found out about the propulsor of the argument counts no more.
  kIgnite,          ///< Second step after kReadyIgnition; the argument's engine, -1 for all.
  kShutDown,        ///< The argument's engine burns no more; -1 for all.
  kMissionStep,     ///< The state of the argument, once and alone; then hold.
  kMissionSelect,   ///< The state of the argument is where resume goes on.
  kMissionCutoff,   ///< Hold, and back to the start of the mission.
  kTakeOver,        ///< Who asks commands from now on …
  kHandOver,        ///< … or no more.
  /// The landing of the abort path, where it is. Without one, or without a mission under way, what
  /// carries itself comes down as by a failsafe's `land`; a landing on the engine goes on.
  kMissionLand,
  /// Arm as soon as it may be, and end a latch that is no termination; stays wanted until disarmed
  /// or latched. Refused under supervision, while killed, and after kTerminate until kResetLatch.
  kEnable,
  kDisarmForce,       ///< Also in the air: what flies falls.
  kFailPropulsor,     ///< The propulsor of the argument is not to be used …
  kRestorePropulsor,  ///< … or is again; -1 for all.
  kReadyIgnition,     ///< Armed, an engine may be lit within kReadyFor_s: the first of two steps.
  kHeartbeat,         ///< The operator is there; so says every other command of his.
  kLeak,              ///< Water inside: argument not 0; 0 takes that back, not what a sensor says.
  kTerminate,         ///< Off at once and latched, also in the air.
};

struct OperatorCommand {
  CommandCode code = CommandCode::kNone;
  /// Of a jump, step or select the number of the state; where the code speaks of a propulsor or an
  /// engine, its number, or -1 for all (not of kFailPropulsor); of kLeak 1 for water, 0 for none; of
  /// kHandOver above 0 where who commanded was lost.
  std::int32_t argument = -1;
  mission::Operator from = mission::Operator::kNobody;
};

/// Which input an event speaks of (its subject).
enum class InputCode : std::uint8_t {
  kClock,
  kOdometry,
  kSetpoint,
  kBusVoltage,
  kHealth,
  kCommand,
  kFlight,
  kGripper,
  kTarget,
  kNavigation,
  kBattery,
  kImu,
  kThrust,
  kReports,
  kHousekeeping,
};

/// A propulsor's state as announced by a device, an operator, a bus or the world. Refused: a number
/// of no propulsor, an efficiency outside 0 to 1, stuck at what that propulsor cannot give.
struct HealthReport {
  std::uint32_t propulsor = 0;
  PropulsorHealth health;
};

/// What the propulsors give, as somebody has measured it: one a propulsor in file order, N; only
/// turbines' are used. Refused whole: another number of them, a stamp 0.5 s or more off, a turbine
/// outside -20 to 120 % of its most.
struct MeasuredThrust {
  Time stamp;
  FixedVector<double, kMaxPropulsors> thrust_N;
};

/// How much of the stack a tick runs.
enum class Phase : std::uint8_t {
  kAct,  ///< All of it.
  /// Takes in what has come, kill switch and commands too (not the mission's), and runs the loops on
  /// it; no mission step, no allocation, nothing is sent. For what comes between two acts and is
  /// answered or published at once.
  kTake,
};

/// What of a setpoint has been given: the rest stays as it was.
enum SetpointPart : std::uint8_t {
  kPosePart = 1,
  kVelocityPart = 2,
  kWrenchPart = 4,
  kModePart = 8,
  kWholeSetpoint = 15,
};

/// Everything from outside for one tick. What is absent has not come since the last tick. This is
/// what the log records and a replay feeds back.
struct Inputs {
  Time now;  ///< Of this tick; should rise, see own_time.h.
  Phase phase = Phase::kAct;
  std::uint32_t generation = 0;  ///< Of the parameters in use (the Model's).
  bool has_odometry = false;
  estimation::Measurement odometry;
  bool has_attitude = false;  ///< The pose in it is a transform's, and this …
  Quat attitude;              ///< … is the odometry's own attitude: it turns the static force.
  bool has_imu = false;
  ImuSample imu;  ///< Of craft that fly: goes on where odometry stops.
  bool has_thrust = false;
  MeasuredThrust thrust;      ///< Of turbines: where a command was lost the prediction is off.
  bool has_setpoint = false;  ///< From a planner; used when there is no mission.
  Setpoint setpoint;
  std::uint8_t setpoint_parts = kWholeSetpoint;  ///< SetpointPart, added up.
  bool has_bus_voltage = false;
  double bus_V = 0;               ///< Counts above 0 and below 10 000 V.
  bool has_kill = false;          ///< Something was said of the kill switch …
  bool killed = false;            ///< … that it is pulled, or is no more.
  bool has_housekeeping = false;  ///< The craft has told of itself.
  Housekeeping housekeeping;
  FixedVector<OperatorCommand, 8> commands;
  FixedVector<HealthReport, kMaxPropulsors> health;
  FixedVector<PropulsorReport, kMaxPropulsors> reports;  ///< Of those who have said something.
  bool has_flight = false;                               ///< The flight controller has reported …
  FlightReport flight;
  bool has_gripper = false;  ///< … the gripper …
  GripperReport gripper;
  Sightings targets;            ///< … the camera …
  bool has_navigation = false;  ///< … somebody asks for a flight to a pose.
  NavigationRequest navigation;
};

/// Empties it, as a new one is; the unused room of its lists is not written.
void clear(Inputs& inputs) noexcept;

// ---------------------------------------------------------------------------------------------
// out

enum class ArmState : std::uint8_t { kDisarmed, kArmed, kLatchedSafe };

/// Who asks for what is sent in this tick.
enum class Authority : std::uint8_t {
  kSafe,  ///< Safety: no effort or the ramp to it; the hold, landing or descent of a failsafe or of
          ///< `on_state_lost`. A mission that a failsafe pauses, or sends down its abort path,
          ///< stays kMission.
  kMission,
  kPlanner,
};

/// After it was readied, an engine may be lit for so long.
inline constexpr double kReadyFor_s = 10;

/// Why a craft is not armed when it is told to be.
enum class ArmObstacle : std::uint8_t {
  kNone,
  kNoState,         ///< No valid odometry.
  kNoFlightReport,  ///< The flight controller is silent.
  kNoOrigin,        ///< It has not stood still for long enough.
  kFrameUndecided,  ///< It has not been lifted: which way is up is not proved.
  kFrameDisagrees,  ///< Odometry moves otherwise than the flight controller.
  kBatteryLow,
  kHeld,            ///< It stands still above the ground: in somebody's hand.
  kBatteryUnknown,  ///< The mission sets battery_min, and the flight controller tells no charge (that
                    ///< of housekeeping does not count).
  kKilled,          ///< The kill switch is pulled.
  kLatched,         ///< reset_latch comes first.
  kFailsafe,     ///< A row that does more than warn is past its limit, or on: FailsafeStatus says
                 ///< which.
  kNoPropulsor,  ///< None of them can be reached: no port, or no answer.
  kMountDisagrees,  ///< Carried by hand, the camera saw a pad move that stands still.
  kAxisLost,  ///< What flies by its propulsors has one out, and without it not all of its axes.
};
/// One bit an ArmObstacle.
using ArmObstacles = std::uint32_t;
[[nodiscard]] constexpr ArmObstacles obstacle_bit(ArmObstacle o) noexcept {
  return o == ArmObstacle::kNone ? 0 : 1U << static_cast<unsigned>(o);
}
/// That which is told first; kNone for none.
[[nodiscard]] ArmObstacle first_obstacle(ArmObstacles all) noexcept;

/// What is known around a craft with a flight controller.
struct AircraftStatus {
  bool has_origin = false;
  Vec3 origin_m{};  ///< Where the flight counts from, in the odometry's world.
  estimation::FrameVerdict up = estimation::FrameVerdict::kUndecided;
  estimation::FrameVerdict horizontal = estimation::FrameVerdict::kUndecided;
  bool flight_fresh = false, gripper_fresh = false;
  /// Off the ground, or about to be: a take-off that may still come, an armed mission under way.
  bool in_flight = false;
  bool may_be_charged = false;         ///< Armed, and not started since.
  std::array<bool, 2> target_found{};  ///< Marker, pad.
  std::array<double, 2> target_age_s{};
  std::array<Vec3, 2> target_W{};          ///< Where they are, from the origin of the flight …
  std::array<double, 2> target_sigma_m{};  ///< … one standard deviation.
  std::int32_t target_losses = 0;          ///< On the way down to it, in this attempt.
  /// What became of each sighting of the inputs, in their order.
  FixedVector<mission::SightingFate, Sightings::kCapacity> sightings;
  mission::ApproachPhase approach = mission::ApproachPhase::kNone;  ///< On the way down.
  double approach_height_m = 0;                                     ///< Over the target.
  double approach_aside_m = 0;    ///< From the axis of the cone to descend in …
  double approach_allowed_m = 0;  ///< … which is so wide there.
};

/// Commands to the outside, one a channel.
struct PropulsorCommands {
  ChannelVector command;  ///< To each driver, in its unit (µs, M5 effort); of a thruster under
                          ///< Model::sends_efforts the effort itself.
  ChannelVector effort;   ///< What it asks for, in the channel's unit.
  std::uint64_t ignition = 0;  ///< Which engines are to burn: one bit a propulsor.
};

/// What became of a planner's setpoint of this tick.
struct SetpointAnswer {
  control::SetpointRefusal refusal = control::SetpointRefusal::kNone;
  std::int32_t axis = -1;  ///< The first that was refused; -1 for none.
};

/// Everything that one tick decided. `allocation` speaks of what is really sent.
struct Outputs {
  Time now;  ///< Own time (own_time.h), as every instant in here.
  std::uint64_t tick = 0;
  ArmState arm = ArmState::kDisarmed;
  ArmObstacles obstacles = 0;  ///< To being armed now, all of them; 0 while it is.
  FailsafeStatus failsafe;
  bool aloft = false;  ///< As far as is known: switched off it would fall.
  Authority authority = Authority::kSafe;
  PropulsorCommands actuation;
  /// What allocation asked for, whether or not it was sent (disarmed, safe) …
  ChannelVector proposed;
  Wrench proposed_B;  ///< … and the wrench that this gives.
  VehicleState used;  ///< The state that this tick went by.
  /// What became of the odometry of this tick.
  estimation::MeasurementVerdict measured = estimation::MeasurementVerdict::kNone;
  double measured_dt_s = 0;  ///< The time step that the loops had from it.
  Setpoint setpoint;
  SetpointAnswer setpoint_answer;
  WrenchDemand demand;
  Allocation allocation;
  Limits limits;  ///< What stopped the channels that allocation could not take further.
  MissionStatus mission;
  control::LawTrace law;
  control::LandingCommand landing;                 ///< Of a landing on the engine.
  double fuel_kg = 0;                              ///< On board, as predicted.
  mission::Owner owner = mission::Owner::kNobody;  ///< Of what is flown.
  mission::Operator commander = mission::Operator::kNobody;
  AircraftStatus aircraft;
  MotionCommand motion;            ///< Of a craft whose flight controller closes the loops …
  FlightRequest flight_request;    ///< … what else it is asked for …
  GripperRequest gripper_request;  ///< … and its gripper.
  NavigationStatus navigation;
  AlarmList alarms;  ///< Those that stand.
  EventList events;
  std::uint32_t events_lost = 0;
};

}  // namespace pintle::stack

namespace pintle {
template <>
const EnumTable& enum_table<stack::CommandCode>();
template <>
const EnumTable& enum_table<stack::InputCode>();
template <>
const EnumTable& enum_table<stack::ArmState>();
template <>
const EnumTable& enum_table<stack::Authority>();
template <>
const EnumTable& enum_table<stack::ArmObstacle>();
template <>
const EnumTable& enum_table<stack::Phase>();
template <>
const Table& table_of<stack::SetpointAnswer>();
template <>
const Table& table_of<stack::AircraftStatus>();
template <>
const Table& table_of<stack::OperatorCommand>();
template <>
const Table& table_of<stack::HealthReport>();
template <>
const Table& table_of<stack::MeasuredThrust>();
template <>
const Table& table_of<stack::Inputs>();
template <>
const Table& table_of<stack::PropulsorCommands>();
template <>
const Table& table_of<stack::Outputs>();
}  // namespace pintle
