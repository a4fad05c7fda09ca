/// Failsafes: what a craft does by itself when something goes past a limit that its vehicle file sets.
///
/// One row a condition, the same under every law:
///
///   past    the reading is beyond `limit`. An age counts from the last message; of `heartbeat` and
///           `planner` from the first one on, and not before it was armed; `on_ground` from arming or
///           when it was last off the ground. A battery, bus voltage or housekeeping that was never
///           heard of is past at once
///   on      past for `after_s` without a break: an event, an alarm for as long as it is on, and the
///           action, if nothing as strong is being done
///   off     within the limit, by 5 % of it, for `after_s` again and a second at least. What was
///           done is not undone, but a hold of a planner's craft ends when nothing asks for it
///
/// While a row is past, or on, that does more than warn, arming is refused. An operator has the last
/// word: a command to the mission, without one kMissionResume, ends what a failsafe does until a row
/// comes on anew. A planner ends a hold beyond a fence, height or depth by a pose inside. Rows that
/// are not in the file cost nothing and do nothing.
///
/// What "hold" and "land" mean comes from the traits of the law: what flies goes down where it is
/// and is latched once it stands, what dives comes up to z = 0, a ship holds its place; a craft with a
/// flight controller asks that for it. Without a state it is `safety: on_state_lost` that acts.
///
/// No mission changes these rows: a typing error in one moves no fence.
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "pintle/base/fields.h"
#include "pintle/base/finding.h"
#include "pintle/base/fixed_vector.h"
#include "pintle/base/geometry.h"
#include "pintle/base/time.h"
#include "pintle/mission/arbiter.h"

namespace pintle::stack {

enum class FailsafeCondition : std::uint8_t {
  kTilt,        ///< Of the body's z axis from the vertical, deg.
  kCrash,       ///< An impact of so many m/s, and then it lies: tilted, or still and not carried.
  kBatteryLow,  ///< Charge left, 0 to 1 …
  kBatteryCritical,     ///< … the second level …
  kBatterySilent,       ///< … and so many s without being told it.
  kBusVoltage,          ///< Below so many V …
  kBusSilent,           ///< … and so many s without a reading.
  kDepth,               ///< Deeper than so many m under z = 0.
  kHeight,              ///< Higher than so many m over z = 0.
  kFence,               ///< Outside; its reading is by how much, m.
  kLeak,                ///< Water inside.
  kPressure,            ///< Inside, kPa.
  kTemperature,         ///< Inside, C.
  kHousekeepingSilent,  ///< So many s without a word of one that a row goes by, or that was told.
  kHeartbeat,   ///< So many s without a command of the operator, once he has sent `heartbeat`.
  kPlanner,     ///< So many s without a setpoint, from the first one on; no mission.
  kWayHome,     ///< Charge left, 0 to 1, once it is back where it was armed.
  kHeightLost,  ///< So many m below the height that it was asked to keep, and had.
  kOnGround,    ///< What flies: armed on the ground for so many s.
  kWind,  ///< As its sensor tells it; of a landing on the engine without one, its estimate, m/s.
  kTickLate,        ///< So many s between two ticks.
  kFlightSilent,    ///< So many s without a report of the flight controller, or ever.
  kPlaceUncertain,  ///< One standard deviation of the place, as who measures it says, m.
  kVibration,       ///< Of the body, as the inertial sensor feels it: root mean square, m/s^2.
  kGroundNear,      ///< Less than so many m of water under what dives or floats.
  kImuSilent,       ///< So many s without a sample of the inertial sensor, or ever.
  kFlightTime,      ///< So many s in the air; of what does not fly, armed.
  kOperator,        ///< No row: an operator asked for `land`, and no mission lands it.
};
/// Those that a row can have.
inline constexpr std::size_t kFailsafeConditions = 27;

/// From the weakest to the strongest.
enum class FailsafeAction : std::uint8_t {
  kWarn,   ///< It is told, no more.
  kHold,   ///< Level, where it is: a mission is paused, a planner not followed.
  kAbort,  ///< The mission's abort path; without one under way: land.
  kLand,   ///< Down, up, or held: see above. The mission has failed; behind a flight controller it
           ///< lands as by an operator's `land`, and ends aborted.
  kOff,    ///< At once: latched safe; behind a flight controller, landed by it.
};

/// A row of the file. `Unit` is that of its limit: it names the key (`limit_deg`) and sets the range.
template <class Unit>
struct FailsafeRowOf {
  double limit = 0;
  double after_s = 0;
  FailsafeAction action = FailsafeAction::kWarn;
};
struct InDegrees;
struct InMetresPerSecond;
struct InMetresPerSecond2;
struct InShare;
struct InSeconds;
struct InVolts;
struct InMetres;
struct InKilopascals;
struct InCelsius;
struct OfAir;      ///< m/s.
struct OfNothing;  ///< A row without a limit.

/// What the craft stays inside, level: both shapes, where both are given. World coordinates; behind a
/// flight controller from the origin of the flight, not the odometry's (as depth and height).
struct Fence {
  double center_x_m = 0, center_y_m = 0;
  double radius_m = 0;                ///< 0: no circle.
  double half_x_m = 0, half_y_m = 0;  ///< 0: no box.
  double after_s = 0;
  FailsafeAction action = FailsafeAction::kWarn;
  double ahead_s = 0;  ///< Past is to be outside in so many s, at the velocity that it has.
};

/// What the way back to where it was armed takes, at the mean rate of the flight so far.
struct WayHome {
  double limit = 0;      ///< Less charge than this is left once it is there.
  double speed_m_s = 1;  ///< On the way, straight.
  double after_s = 0;
  FailsafeAction action = FailsafeAction::kWarn;
};

/// The section `failsafes:` of a vehicle file.
struct FailsafeParams {
  std::optional<FailsafeRowOf<InDegrees>> tilt;
  std::optional<FailsafeRowOf<InMetresPerSecond>> crash;
  std::optional<FailsafeRowOf<InShare>> battery_low, battery_critical;
  std::optional<FailsafeRowOf<InSeconds>> battery_silent;
  std::optional<FailsafeRowOf<InVolts>> bus_voltage;
  std::optional<FailsafeRowOf<InSeconds>> bus_silent;
  std::optional<FailsafeRowOf<InMetres>> depth, height, height_lost, ground_near, place_uncertain;
  std::optional<WayHome> way_home;
  std::optional<Fence> fence;
  std::optional<FailsafeRowOf<OfNothing>> leak;
  std::optional<FailsafeRowOf<InKilopascals>> pressure;
  std::optional<FailsafeRowOf<InCelsius>> temperature;
  std::optional<FailsafeRowOf<InSeconds>> housekeeping_silent, heartbeat, planner, on_ground,
      tick_late, flight_silent, imu_silent, flight_time;
  std::optional<FailsafeRowOf<InMetresPerSecond2>> vibration;
  std::optional<FailsafeRowOf<OfAir>> wind;
  double rise_m_s = 0.3;  ///< Of what dives, with `land`.
};

/// Levels in the wrong order, a fence without a shape, a crash with an action other than warn or off.
[[nodiscard]] Findings check(const FailsafeParams& params);

/// A row as the tick reads it.
struct FailsafeRow {
  FailsafeCondition condition = FailsafeCondition::kTilt;
  bool below = false;  ///< Past is to be below the limit.
  double limit = 0;
  double after_s = 0;
  FailsafeAction action = FailsafeAction::kWarn;
};
using FailsafeRows = FixedVector<FailsafeRow, kFailsafeConditions>;
[[nodiscard]] FailsafeRows rows_of(const FailsafeParams& params) noexcept;

/// How far outside, m; at most 0 inside.
[[nodiscard]] double outside_m(const Fence& fence, Vec3 p_W) noexcept;
/// The condition that would be past at such a place: a goal there is refused at once.
[[nodiscard]] std::optional<FailsafeCondition> beyond(const FailsafeParams& params,
                                                      Vec3 p_W) noexcept;

/// What is remembered from tick to tick.
struct FailsafeState {
  struct Watch {
    bool past = false, on = false;
    Time since{};  ///< Past, or not past any more.
  };
  std::array<Watch, kFailsafeConditions> watch{};
  FailsafeAction action = FailsafeAction::kWarn;       ///< Being done …
  FailsafeCondition cause = FailsafeCondition::kTilt;  ///< … because of this.
  std::optional<Time> led_out_at;  ///< Its planner, or its way, took it out then.
  Vec3 from_W{};                   ///< Where that began …
  double yaw_rad = 0;              ///< … and the heading.
  double rises_to_m = 0;           ///< The goal of what comes up.
  Time acted_at{};                 ///< When that began.
  Time arrived_at{};               ///< Not there before.
  double struck_m_s = 0;           ///< The hardest impact since it was armed.
  Time armed_at{};
  Vec3 home_W{};  ///< Where that was …
  bool has_home = false;
  std::optional<Time> first_at;  ///< … and the first charge that was told then.
  double first_charge = 1;
  double kept_m = 0;           ///< The height that it has had and was asked to keep.
  Time aloft_at{};             ///< It was off the ground then …
  Time rose_at{};              ///< … and on it then.
  std::optional<Time> imu_at;  ///< The inertial sensor was heard then …
  Time imu_stamp{};            ///< … under this stamp.
  // what has come last, and when
  std::optional<Time> battery_at, bus_at, leak_at, pressure_at, temperature_at, range_at, wind_at,
      place_at;
  /// The last word of each operator that has said `heartbeat` once; of nobody's: of any of them,
  /// once one has said it.
  std::array<std::optional<Time>, mission::kOperators> heartbeat_at;
  double charge = 1, pressure_kPa = 0, temperature_C = 0, range_m = 0, wind_m_s = 0,
         place_std_m = 0;
  bool leak = false, said_leak = false;  ///< By its sensor, and by an operator.
  bool refuses = false;                  ///< The last housekeeping was no good.
  Vec3 steady_B{};                       ///< Specific force of late without what shakes, m/s^2 …
  double shakes_m2_s4 = 0;               ///< … and the mean square of the rest …
  std::optional<Time> felt_at;           ///< … as of then.
  std::optional<Time> ready_at;          ///< To light an engine; see kReadyFor_s.
};

/// In the outputs.
struct FailsafeStatus {
  /// Rows that are on, one bit a FailsafeCondition; while not armed also those past that wait.
  std::uint32_t on = 0;
  FailsafeAction action = FailsafeAction::kWarn;       ///< Being done …
  FailsafeCondition cause = FailsafeCondition::kTilt;  ///< … because of this, unless it is kWarn.
  bool arrived = false;  ///< At the surface (to 0.5 m), or holding, for 3 s;
                         ///< never of what flies.
};

}  // namespace pintle::stack

namespace pintle {
template <>
const EnumTable& enum_table<stack::FailsafeCondition>();
template <>
const EnumTable& enum_table<stack::FailsafeAction>();
template <>
const Table& table_of<stack::FailsafeParams>();
template <>
const Table& table_of<stack::FailsafeStatus>();
template <>
const Table& table_of<stack::FailsafeRowOf<stack::InDegrees>>();
template <>
const Table& table_of<stack::FailsafeRowOf<stack::InMetresPerSecond>>();
template <>
const Table& table_of<stack::FailsafeRowOf<stack::InMetresPerSecond2>>();
template <>
const Table& table_of<stack::FailsafeRowOf<stack::InShare>>();
template <>
const Table& table_of<stack::FailsafeRowOf<stack::InSeconds>>();
template <>
const Table& table_of<stack::FailsafeRowOf<stack::InVolts>>();
template <>
const Table& table_of<stack::FailsafeRowOf<stack::InMetres>>();
template <>
const Table& table_of<stack::FailsafeRowOf<stack::InKilopascals>>();
template <>
const Table& table_of<stack::FailsafeRowOf<stack::InCelsius>>();
template <>
const Table& table_of<stack::FailsafeRowOf<stack::OfAir>>();
template <>
const Table& table_of<stack::FailsafeRowOf<stack::OfNothing>>();
template <>
const Table& table_of<stack::Fence>();
}  // namespace pintle
