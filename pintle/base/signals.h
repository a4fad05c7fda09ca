/// What crosses a room border inside the tick: states, setpoints, demands, effectiveness, answers.
///
/// All are plain structs, copied as bytes and described by field tables (see fields.h), so that
/// each can be logged, replayed and shown under the same names.
#pragma once
#include <array>
#include <cstdint>

#include "pintle/base/alarm.h"
#include "pintle/base/axis.h"
#include "pintle/base/fields.h"
#include "pintle/base/fixed_vector.h"
#include "pintle/base/geometry.h"
#include "pintle/base/time.h"

namespace pintle {

/// A channel is one number that a vehicle takes: a thruster has one, a gimballed engine three.
inline constexpr std::size_t kMaxChannels = 64;
inline constexpr std::size_t kMaxPropulsors = 64;

/// One number per channel, in the order of the vehicle file.
using ChannelVector = FixedVector<double, kMaxChannels>;
/// One bit per channel (bit 0 is the first).
using ChannelMask = std::uint64_t;

// ---------------------------------------------------------------------------------------------
// state of the vehicle

/// Whether a value may be used.
enum class Validity : std::uint8_t {
  kMissing,  ///< Nothing has come yet.
  kStale,    ///< What came is older than its limit.
  kValid,
};

/// The state of the body origin, as the stack uses it.
struct VehicleState {
  Time stamp;    ///< The instant it speaks of.
  Pose X_WB;     ///< Body in the world.
  Twist V_WB_B;  ///< Body coordinates.
  /// Of position (m^2), attitude (rad^2), v ((m/s)^2), w ((rad/s)^2), per axis.
  std::array<double, 12> variance{};
  Validity validity = Validity::kMissing;
};

/// What an inertial sensor at the body origin has felt: the mean since the sample before.
struct ImuSample {
  Time stamp;  ///< Its end.
  Vec3 w_B;    ///< Turn rate, body coordinates, rad/s.
  Vec3 f_B;    ///< Specific force (acceleration minus gravity), body coordinates, m/s^2.
};

/// Which fields of housekeeping have been told.
enum HousekeepingField : std::uint8_t {
  kHasLeak = 1,
  kHasPressure = 2,
  kHasInnerTemperature = 4,
  kHasCharge = 8,
  kHasRange = 16,
  kHasWind = 32,
};

/// What a craft says of its inside, its battery, and what is around it.
struct Housekeeping {
  Time stamp;
  std::uint8_t valid = 0;    ///< HousekeepingField, added up.
  bool leak = false;         ///< Water inside.
  double pressure_kPa = 0;   ///< Inside, absolute.
  double temperature_C = 0;  ///< Inside.
  double charge = 1;         ///< Of the battery, what is left, 0 to 1.
  double range_m = 0;        ///< To the ground or the bottom, straight down from the body origin.
  double wind_m_s = 0;       ///< Level, over the ground: the craft's own motion is taken out.
};

// ---------------------------------------------------------------------------------------------
// what is wanted

/// What an axis is asked to follow. Numbered as the control types of Duke Robotics' `controls`.
enum class AxisMode : std::uint8_t {
  kPosition = 0,  ///< Follow the desired pose.
  kVelocity = 1,  ///< Follow the desired velocity.
  kWrench = 2,    ///< Apply the desired wrench (what Duke's stack calls power).
};

/// What the vehicle is to do now. Every axis reads the one field its mode names.
struct Setpoint {
  Pose X_WD;      ///< Desired pose in the world.
  Twist V_WD_B;   ///< Desired velocity, body coordinates.
  Wrench F_Bo_B;  ///< Desired wrench, body coordinates, in the vehicle's unit.
  std::array<AxisMode, kAxes> mode{};
};

/// What control asks of the propulsors.
struct WrenchDemand {
  Wrench F_Bo_B;
  /// Per axis: how much missing it matters; 0, the axis is not demanded at all.
  std::array<double, kAxes> weight{1, 1, 1, 1, 1, 1};
  std::array<std::uint8_t, kAxes> group{};  ///< Per axis: 0 is served first, then 1 and so on.
};

// ---------------------------------------------------------------------------------------------
// what the propulsors can do now

/// As many ones.
template <std::size_t N>
constexpr std::array<double, N> ones() noexcept {
  std::array<double, N> all{};
  for (double& x : all) x = 1;
  return all;
}

/// The wrench that efforts give, made linear about the present state of the propulsors:
/// F_Bo_B = bias + sum_i column[i] * effort[i], for lower[i] <= effort[i] <= upper[i].
struct Effectiveness {
  std::uint32_t n = 0;  ///< Channels in use; what lies behind them means nothing.
  Wrench bias;
  std::array<Vec6, kMaxChannels> column{};
  std::array<double, kMaxChannels> lower{};  ///< Reachable within the horizon (one tick).
  std::array<double, kMaxChannels> upper{};
  /// Effort to fall back to where the demand leaves freedom.
  std::array<double, kMaxChannels> preferred{};
  /// How much a unit of effort away from the preferred one weighs beside that of other channels,
  /// above 0: one over what counts alike (1000 N beside 0.1 rad: 0.001 and 10).
  std::array<double, kMaxChannels> effort_weight = ones<kMaxChannels>();
  /// A direction of wrench with less than this share of the strongest counts as an error of the
  /// geometry and not as authority. Craft that steer by reaction torque have less of it by design.
  double geometry_share = 0.05;
  /// Axes that the control law ever asks for. The others come as they may, and count as not
  /// reachable: a multirotor rolls although that pushes it aside.
  AxisMask controlled = kAllAxes;
};

/// How an allocation was obtained. Every value is an answer inside the bounds.
enum class AllocationGrade : std::uint8_t {
  kExact,    ///< The optimum, every demanded axis achieved; or a trade that no bound changed.
  kBounded,  ///< The optimum, but bounds, losses or geometry keep it from the demand.
  kIterationCapped,  ///< Inside the bounds, and not proved.
  kRejected,         ///< Input that is not sound: the efforts nearest to zero (`why_rejected`).
};

/// One allocation, complete enough to be replayed and plotted without the solver.
struct Allocation {
  ChannelVector effort;
  Wrench achieved;  ///< bias + B * effort, from what is really sent.
  Wrench residual;  ///< Demand minus achieved.
  ChannelMask at_lower = 0;
  ChannelMask at_upper = 0;
  AxisMask reachable = kAllAxes;  ///< Axes that the present propulsors can produce both ways.
  /// How many times the demand the bounds would still allow: 1 or more where it is achieved, 0
  /// where it is not.
  double margin = 0;
  /// No efforts inside the bounds have a lower cost by more than this share of what enters it:
  /// allocation/proof.h. Of the answer, before the gate; below 0 where it was not asked for.
  double gap = -1;
  AllocationGrade grade = AllocationGrade::kRejected;
  std::uint16_t iterations = 0;
};

// ---------------------------------------------------------------------------------------------
// health

/// State of one propulsor as the stack believes it.
enum class Health : std::uint8_t {
  kGood,
  kWeak,      ///< Gives a part of the thrust.
  kStuck,     ///< Gives the same whatever is asked.
  kReversed,  ///< Pushes the wrong way.
  kOut,       ///< Gives nothing.
};

struct PropulsorHealth {
  Health health = Health::kGood;
  double efficiency = 1;    ///< Of kWeak: thrust delivered over thrust asked, 0 to 1.
  double stuck_effort = 0;  ///< Of kStuck: what it gives whatever is asked.

  bool operator==(const PropulsorHealth&) const = default;
};

// ---------------------------------------------------------------------------------------------
// events

/// Something worth telling a person, at an instant. The table of names (enum_table) says what each
/// means.
enum class EventCode : std::uint8_t {
  kNone,
  kArmed,
  kDisarmed,
  kLatchedSafe,
  kLatchReset,
  kCommandRefused,
  kInputMissing,
  kInputStale,
  kInputRecovered,
  kInputRejected,
  kTimeReversed,
  kSetpointRejected,
  kDemandNotFinite,
  kSaturated,
  kUnsaturated,
  kAxisLost,
  kAxisRegained,
  kGateChanged,
  kPropulsorFailed,
  kPropulsorRecovered,
  kFailureSuspected,
  kMissionStarted,
  kStateEntered,
  kStateSucceeded,
  kStateTimedOut,
  kStateRetried,
  kMissionPaused,
  kMissionResumed,
  kMissionFinished,
  kMissionAborted,
  kParametersChanged,
  kSaveFailed,
  kPowerCapped,
  kPowerFree,
  kIgnited,
  kShutDown,
  kLandingPhase,
  kMissionImpaired,
  kMissionCutOff,
  kRequestSent,
  kRequestFailed,
  kTargetFound,
  kTargetLost,
  kTargetSoughtAgain,
  kOriginSet,
  kOriginCleared,
  kArmingRefused,
  kBatteryLow,
  kBeyondFence,
  kControlLost,
  kOwnerChanged,
  kNavigationEnded,
  kCommanderChanged,
  kMotionDisagrees,
  kGoalMoved,
  kStateLost,
  kImpact,
  kAlarmRaised,
  kAlarmCleared,
  kFailsafe,
  kFailsafeOver,
  kPayloadLost,
};

struct Event {
  Time time;
  EventCode code = EventCode::kNone;
  std::int32_t subject = -1;  ///< Channel, axis, mission state or input, as the code says.
  double value = 0;           ///< A number that explains it, or 0.
};

inline constexpr std::size_t kMaxEvents = 16;
using EventList = FixedVector<Event, kMaxEvents>;

/// Why an axis is not there: the value of the event axis_lost.
enum class AxisLossCause : std::uint8_t {
  kNone,         ///< It is there.
  kFailure,      ///< Propulsors that failed have taken it along.
  kNoRoom,       ///< The bounds of this moment leave none: slew limits, no fuel, not lit.
  kNoAuthority,  ///< With all of them well it is below the authority threshold: nothing pushes that
                 ///< way, one way only, or no more than imperfect geometry gives.
};

/// How bad an event is: the one table for every log, screen and bus. An alarm is as bad as it
/// stands in `alarms`, those of the same outputs.
[[nodiscard]] Severity severity_of(const Event& event, const AlarmList& alarms) noexcept;
/// Something that was wrong is well again.
[[nodiscard]] bool is_all_clear(EventCode code) noexcept;

// ---------------------------------------------------------------------------------------------
// mission

/// How a mission, or one state of it, stands.
enum class MissionPhase : std::uint8_t {
  kIdle,  ///< No mission, or not started: a hold is commanded.
  kRunning,
  kPaused,    ///< A hold is commanded.
  kAborting,  ///< On the abort path.
  kPassed,    ///< Finished as wanted.
  kFailed,    ///< Finished on a failure path.
  kAborted,   ///< The abort path has ended.
};

struct MissionStatus {
  MissionPhase phase = MissionPhase::kIdle;
  std::int32_t state = -1;    ///< Index in the file, -1 for none.
  std::uint32_t attempt = 0;  ///< 0 is the first.
  double time_in_state_s = 0;
  double settled_s = 0;    ///< How long the success condition has held.
  AxisMask axes_lost = 0;  ///< Of the body, that were there when the mission began.
};

// field tables of the above
template <>
const Table& table_of<Vec3>();
template <>
const Table& table_of<Vec6>();
template <>
const Table& table_of<Quat>();
template <>
const Table& table_of<Pose>();
template <>
const Table& table_of<Twist>();
template <>
const Table& table_of<Wrench>();
template <>
const Table& table_of<VehicleState>();
template <>
const Table& table_of<ImuSample>();
template <>
const Table& table_of<Housekeeping>();
template <>
const Table& table_of<Setpoint>();
template <>
const Table& table_of<WrenchDemand>();
template <>
const Table& table_of<Allocation>();
template <>
const Table& table_of<PropulsorHealth>();
template <>
const Table& table_of<Event>();
template <>
const Table& table_of<MissionStatus>();
template <>
const EnumTable& enum_table<Validity>();
template <>
const EnumTable& enum_table<AxisMode>();
template <>
const EnumTable& enum_table<AllocationGrade>();
template <>
const EnumTable& enum_table<Health>();
template <>
const EnumTable& enum_table<EventCode>();
template <>
const EnumTable& enum_table<AxisLossCause>();
template <>
const EnumTable& enum_table<MissionPhase>();

}  // namespace pintle
