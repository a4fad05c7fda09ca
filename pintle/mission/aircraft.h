/// What the states of an aircraft with a flight controller, a gripper and a camera may say beyond
/// poses: requests, evidence of what became of them, targets to find and to stay over.
///
/// A request is made once per attempt. It has done its work when that is seen (phase of the flight,
/// status of the gripper), never when it was sent: a state that asks for something and names no
/// evidence is refused when the file is read.
#pragma once
#include <optional>
#include <string>

#include "pintle/base/aircraft.h"
#include "pintle/base/fields.h"
#include "pintle/base/finding.h"
#include "pintle/base/vector.h"

namespace pintle::mission {

/// Asked for when the state begins.
enum class Request : std::uint8_t {
  kNone,
  kGrab,
  kRelease,
  kTakeControl,
  kReleaseControl,
  kTakeOff,
  kLand,
};

enum class GripperEvidence : std::uint8_t { kAny, kGrabbed, kReleased };

enum class FlightEvidence : std::uint8_t {
  kAny,
  kMotorsOff,
  kOnGround,  ///< Motors turning or not.
  kAirborne,
};

enum class TargetChoice : std::uint8_t { kNone, kMarker, kPad };

/// A target that must have been found, and seen not long ago.
struct TargetEvidence {
  TargetChoice kind = TargetChoice::kNone;
  double fresh_s = 0.5;
};

/// The goal of the state follows a target: a point of the craft above it.
struct ServoSpec {
  TargetChoice target = TargetChoice::kNone;
  double height_m = 1;  ///< Of that point above the target.
  Vec3 point_m{};       ///< Of the craft: forward, left, up from its origin.
  /// It comes down while it is no further aside than this, and a cone's width more for its height …
  double descend_within_m = 0.2;
  double cone_deg = 15;        ///< … from the axis; outside it keeps its height.
  double blind_below_m = 0.6;  ///< Above the target; lower the target need not be seen.
  double lost_after_s = 1;     ///< Higher, and not seen for so long: it climbs …
  double climb_m = 0.5;        ///< … by this, to see it again …
  std::int32_t attempts = 3;   ///< … so often; then the attempt has failed.
};

enum class SearchPattern : std::uint8_t { kNone, kSquareSpiral, kClimb };

/// Where a target can be, from the origin of the flight. What is seen elsewhere is not taken for
/// it: somebody else's pad, a marker of another size than declared, a camera that is mounted
/// otherwise.
struct TargetArea {
  double x_m = 0, y_m = 0;
  double radius_m = 0;  ///< Level, from there; 0: anywhere.
  double lowest_m = -1000, highest_m = 1000;
  double speed_m_s = 0;  ///< The most that it moves, level; 0: it stands.
};

/// How the goal moves while nothing is seen.
struct SearchSpec {
  SearchPattern pattern = SearchPattern::kNone;
  double step_m = 0.5;     ///< Between two turns of the spiral.
  double radius_m = 2;     ///< Half the width of the square it ends at.
  double climb_to_m = 0;   ///< Reached by the end of the pattern; at or below the start: stay.
  double speed_m_s = 0.4;  ///< Of the goal.
};

/// How it is proved before take-off that odometry speaks of the frame that it is declared in.
enum class FrameProof : std::uint8_t {
  kCarry,     ///< The craft is lifted (or carried) by hand: odometry and flight controller agree.
  kDeclared,  ///< Somebody vouches for it.
};

/// Of the whole mission.
struct AircraftSpec {
  bool gripper_answers = true;  ///< Off: there is no status, what is sent counts as done.
  double flight_stale_s = 1;    ///< A report of the flight controller older than this is none …
  double flight_lost_s = 3;     ///< … and without one for this long: the abort path.
  double gripper_stale_s = 1;
  double state_lost_s = 2;        ///< No valid odometry for this long in flight: the abort path.
  double battery_min = 0;         ///< Charge below this in flight: the abort path. 0: never.
  double fence_radius_m = 0;      ///< Further from the origin: the abort path. 0: no fence.
  double ceiling_m = 0;           ///< The same of the height.
  std::int32_t sightings = 5;     ///< This many must agree …
  double spread_m = 0.15;         ///< … within this of their mean for a target to be found.
  double target_memory_s = 5;     ///< Where a target was is good for this long.
  TargetArea marker, pad;         ///< Where they can be.
  double origin_window_s = 0;     ///< Standing still for this long sets the origin; 0: as it comes.
  double origin_radius_m = 0.05;  ///< Still is to stay within this.
  double jump_m = 0.5;            ///< Odometry that is off by more from one sample to the next.
  FrameProof frame_proof = FrameProof::kDeclared;
  double navigation_tolerance_m = 0.05;
  double navigation_tolerance_deg = 3;
  double navigation_timeout_s = 60;
};

[[nodiscard]] Findings check(const AircraftSpec& spec);

/// What a mission says itself of the flight: past one of them, in the air, is the abort path.
enum class MissionLimit : std::uint8_t { kCharge, kFence, kCeiling };
inline constexpr std::size_t kMissionLimits = 3;

/// What a craft must not be sent past: a goal there is refused where it is asked for, and being
/// there is a reason for the abort path.
enum class Beyond : std::uint8_t {
  kNothing,
  kFence,
  kCeiling,
  kGround,  ///< Lower than kLowestGoal_m. Only of goals: who wants to land asks for it.
};
inline constexpr double kLowestGoal_m = 0.2;

[[nodiscard]] Beyond beyond(const AircraftSpec& spec, Vec3 goal_m) noexcept;
/// "30.0 m high, and the ceiling is at 8.0 m". "" for nothing.
[[nodiscard]] std::string why_beyond(const AircraftSpec& spec, Vec3 goal_m);

/// Subject of an event that a sighting was refused: the stack's InputCode::kTarget.
inline constexpr std::int32_t kTargetInput = 8;

}  // namespace pintle::mission

namespace pintle {
template <>
const EnumTable& enum_table<mission::MissionLimit>();
template <>
const EnumTable& enum_table<mission::Request>();
template <>
const EnumTable& enum_table<mission::GripperEvidence>();
template <>
const EnumTable& enum_table<mission::FlightEvidence>();
template <>
const EnumTable& enum_table<mission::TargetChoice>();
template <>
const EnumTable& enum_table<mission::SearchPattern>();
template <>
const EnumTable& enum_table<mission::FrameProof>();
template <>
const Table& table_of<mission::TargetEvidence>();
template <>
const Table& table_of<mission::ServoSpec>();
template <>
const Table& table_of<mission::SearchSpec>();
template <>
const Table& table_of<mission::TargetArea>();
template <>
const Table& table_of<mission::AircraftSpec>();
}  // namespace pintle
