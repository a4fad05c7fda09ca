/// What a vehicle is to do, as states: format `pintle/mission/1`.
///
/// Every state commands a setpoint in every tick, has a bounded time, and says what follows on
/// success, on failure and on abort. `MissionSpec` is the file; `Mission` is what the tick runs:
/// checked, names resolved.
///
/// It always ends: each state by its timeout, the whole by time_limit_s, which leads to the abort
/// path, which has no circles. Circles elsewhere are warned about; only time_limit_s ends them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "pintle/base/fields.h"
#include "pintle/base/finding.h"
#include "pintle/base/signals.h"
#include "pintle/config/reader.h"
#include "pintle/mission/aircraft.h"

namespace pintle::mission {

inline constexpr std::size_t kMaxStates = 64;

/// Pose wanted in the world, axis by axis. Missing: the axis keeps what the state before it wanted,
/// or, if it was free (velocity or wrench), the pose where it is at entry. At the start, after a
/// jump and where the abort path begins nothing is kept: a missing axis holds where the vehicle is.
struct PoseGoal {
  std::optional<double> x_m, y_m, z_m, roll_deg, pitch_deg, yaw_deg;
};
/// Body velocities wanted; an axis named here follows velocity instead of pose. The others keep to
/// the line through the goal along the free body axes, in the desired attitude: see goal.h.
struct VelocityGoal {
  std::optional<double> x_m_s, y_m_s, z_m_s, roll_deg_s, pitch_deg_s, yaw_deg_s;
};
/// Wrenches wanted, in the vehicle's unit; an axis named here gets just that.
struct WrenchGoal {
  std::optional<double> x, y, z, roll, pitch, yaw;
};

/// Evidence that a state has done its work. All that are given must hold together for settle_s, on
/// valid vehicle states only. None given: never succeeds. A timed state says `after_s`.
struct SuccessSpec {
  /// Distance from the goal over the linear axes in position mode below this.
  std::optional<double> position_m;
  /// Turn still to make over the angular axes in position mode below this.
  std::optional<double> attitude_deg;
  std::optional<double> speed_m_s;   ///< Speed below this.
  std::optional<double> rate_deg_s;  ///< Turn rate below this.
  /// Linear axes in velocity mode within this of what is wanted.
  std::optional<double> velocity_error_m_s;
  /// World position passed.
  std::optional<double> x_above_m, x_below_m, y_above_m, y_below_m, z_above_m, z_below_m;
  /// Turned by this about the body axis since entry (signed; rate summed up).
  std::optional<double> turned_roll_deg, turned_pitch_deg, turned_yaw_deg;
  std::optional<double> after_s;                    ///< At least this long in the state.
  GripperEvidence gripper = GripperEvidence::kAny;  ///< Its own fresh word.
  FlightEvidence flight = FlightEvidence::kAny;     ///< The flight controller's fresh word.
  std::optional<bool> control;                      ///< Whether the flight controller obeys.
  bool request_done = false;  ///< What the state asked for is reported as done.
  TargetEvidence target;      ///< Found and fresh.
  double settle_s = 0;        ///< All of it together for this long.
};

struct StateSpec {
  std::string name;
  std::string note;  ///< For the reader of the report.
  PoseGoal go;
  VelocityGoal velocity;
  WrenchGoal wrench;
  bool hold_here = false;      ///< Take the pose at entry as the goal before `go` is applied.
  bool reset_control = false;  ///< Reset the control loops on entry.
  bool land = false;  ///< On the engine, at `go`: the pose of the body origin when it stands.
  Request request = Request::kNone;  ///< Of flight controller or gripper, once per attempt.
  ServoSpec servo;                   ///< The goal follows a target …
  SearchSpec search;                 ///< … or moves until one is seen.
  SuccessSpec success;
  double dwell_s = 0;        ///< Stays this much longer; leaving the condition begins it anew.
  double timeout_s = 0;      ///< Above 0: every state has a bounded exit. Per attempt.
  std::int32_t retries = 0;  ///< After a time-out, this many more attempts before on_failure.
  std::string on_success;  ///< A state, or `pass`, `fail`, `abort`. Missing: the next state in the
                           ///< file; after the last, `pass`.
  std::string on_failure = "abort";  ///< A state, `pass`, `fail` or `abort`.
  std::string on_abort;  ///< Missing: the mission's `abort`. On the abort path it has no meaning,
                         ///< and `abort` is the end.
};

/// What a mission does once an axis of the body is lost that was there when it began.
enum class OnAxisLost : std::uint8_t {
  kGoOn,   ///< Says so and goes on with what is left; time limits decide.
  kAbort,  ///< Leaves for the abort path.
};

struct MissionSpec {
  std::string start;  ///< First state; missing: the first in the file.
  std::string abort;  ///< State that begins the abort path; missing: end at once with a hold.
  double time_limit_s = 3600;  ///< For the whole mission, pauses included; then the abort path.
  OnAxisLost on_axis_lost = OnAxisLost::kGoOn;
  AircraftSpec aircraft;  ///< Of craft with a flight controller.
  std::vector<StateSpec> states;
};

/// Duplicate or reserved names, unknown targets, unreachable states, states or circles without an
/// exit to an ending, circles on the abort path, contradictions inside a state, success conditions
/// that nothing can meet. Everything at once. Warned about: circles that only time_limit_s ends,
/// states that can only time out, missions that cannot pass.
[[nodiscard]] Findings check(const MissionSpec& spec);

// ---------------------------------------------------------------------------------------------
// compiled

/// Where a state leads: an index, or one of these.
inline constexpr std::int32_t kEndPass = -1, kEndFail = -2, kEndAbort = -3;

struct Goal {
  std::array<AxisMode, kAxes> mode{};
  std::array<bool, kAxes> given{};  ///< Position axes: named in the file.
  Vec6 pose{};                      ///< x, y, z in m; roll, pitch, yaw in rad.
  Vec6 velocity{};                  ///< SI, body.
  Vec6 wrench{};
};

struct State {
  std::string name, note;
  Goal goal;
  bool hold_here = false, reset_control = false, land = false;
  Request request = Request::kNone;
  ServoSpec servo;
  SearchSpec search;
  SuccessSpec success;
  Duration timeout, dwell;
  std::uint32_t retries = 0;
  std::int32_t on_success = kEndPass, on_failure = kEndAbort, on_abort = kEndAbort;
};

struct Mission {
  std::vector<State> states;
  std::int32_t start = 0;
  /// Index of the abort path's first state, or kEndAbort for none.
  std::int32_t abort = kEndAbort;
  std::int32_t landing = kEndAbort;  ///< The state of the abort path that lands, or kEndAbort.
  Duration time_limit;
  OnAxisLost on_axis_lost = OnAxisLost::kGoOn;
  AircraftSpec aircraft;
};

/// A state that lands on the engine; false also of what is none of its states.
[[nodiscard]] inline bool lands(const Mission& mission, std::int32_t state) noexcept {
  return state >= 0 && static_cast<std::size_t>(state) < mission.states.size() &&
         mission.states[static_cast<std::size_t>(state)].land;
}

/// How long the abort path may take from wherever it is entered: each of its states every attempt.
[[nodiscard]] Duration longest_abort(const Mission& mission);

/// @throws std::invalid_argument on what `check` reports as an error.
[[nodiscard]] Mission compile(const MissionSpec& spec);

}  // namespace pintle::mission

namespace pintle {
template <>
const EnumTable& enum_table<mission::OnAxisLost>();
template <>
const Table& table_of<mission::PoseGoal>();
template <>
const Table& table_of<mission::VelocityGoal>();
template <>
const Table& table_of<mission::WrenchGoal>();
template <>
const Table& table_of<mission::SuccessSpec>();
template <>
const Table& table_of<mission::StateSpec>();
template <>
const Table& table_of<mission::MissionSpec>();
}  // namespace pintle
