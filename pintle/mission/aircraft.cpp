#include "pintle/mission/aircraft.h"

#include <fmt/format.h>

#include <cmath>

namespace pintle::mission {

Findings check(const AircraftSpec& s) {
  Findings out;
  if (s.flight_lost_s < s.flight_stale_s)
    out.push_back({"flight_lost_s", "a report is missed before it is stale",
                   "let it be at least flight_stale_s", true});
  if (s.marker.highest_m < s.marker.lowest_m)
    out.push_back({"marker", "the highest is below the lowest", "", true});
  if (s.pad.highest_m < s.pad.lowest_m)
    out.push_back({"pad", "the highest is below the lowest", "", true});
  return out;
}

Beyond beyond(const AircraftSpec& s, Vec3 p) noexcept {
  if (s.fence_radius_m > 0 && !(std::hypot(p.x, p.y) <= s.fence_radius_m)) return Beyond::kFence;
  if (!(s.ceiling_m > 0)) return Beyond::kNothing;
  if (!(p.z <= s.ceiling_m)) return Beyond::kCeiling;
  return p.z >= kLowestGoal_m ? Beyond::kNothing : Beyond::kGround;
}

std::string why_beyond(const AircraftSpec& s, Vec3 p) {
  switch (beyond(s, p)) {
    case Beyond::kFence:
      return fmt::format("{:.1f} m from the origin, and the fence is at {:.1f} m",
                         std::hypot(p.x, p.y), s.fence_radius_m);
    case Beyond::kCeiling:
      return fmt::format("{:.1f} m high, and the ceiling is at {:.1f} m", p.z, s.ceiling_m);
    case Beyond::kGround:
      return fmt::format("{:.1f} m high: below {:.1f} m it lands by request", p.z, kLowestGoal_m);
    case Beyond::kNothing: break;
  }
  return {};
}

}  // namespace pintle::mission

namespace pintle {

using namespace mission;

template <>
const EnumTable& enum_table<MissionLimit>() {
  using L = MissionLimit;
  static constexpr std::array values{
      enum_value(L::kCharge, "charge", "Less than battery_min is left."),
      enum_value(L::kFence, "fence", "Further away than fence_radius_m."),
      enum_value(L::kCeiling, "ceiling", "Higher than ceiling_m.")};
  static_assert(values.size() == kMissionLimits);
  static constexpr EnumTable table{"MissionLimit", values};
  return table;
}

template <>
const EnumTable& enum_table<Request>() {
  static constexpr std::array values{
      enum_value(Request::kNone, "none", "Nothing."),
      enum_value(Request::kGrab, "grab", "The gripper is to close."),
      enum_value(Request::kRelease, "release", "The gripper is to open."),
      enum_value(Request::kTakeControl, "take_control", "Motion commands are to be obeyed."),
      enum_value(Request::kReleaseControl, "release_control", "The flight controller on its own."),
      enum_value(Request::kTakeOff, "take_off", "The flight controller is to take off."),
      enum_value(Request::kLand, "land", "The flight controller is to land where it is.")};
  static constexpr EnumTable table{"MissionRequest", values};
  return table;
}

template <>
const EnumTable& enum_table<GripperEvidence>() {
  static constexpr std::array values{
      enum_value(GripperEvidence::kAny, "any", "It does not matter."),
      enum_value(GripperEvidence::kGrabbed, "grabbed", "The gripper says that it holds."),
      enum_value(GripperEvidence::kReleased, "released", "The gripper says that it is open.")};
  static constexpr EnumTable table{"GripperEvidence", values};
  return table;
}

template <>
const EnumTable& enum_table<FlightEvidence>() {
  static constexpr std::array values{
      enum_value(FlightEvidence::kAny, "any", "It does not matter."),
      enum_value(FlightEvidence::kMotorsOff, "motors_off", "The motors stand."),
      enum_value(FlightEvidence::kOnGround, "on_ground", "It stands, motors turning or not."),
      enum_value(FlightEvidence::kAirborne, "airborne", "It flies.")};
  static constexpr EnumTable table{"FlightEvidence", values};
  return table;
}

template <>
const EnumTable& enum_table<TargetChoice>() {
  static constexpr std::array values{
      enum_value(TargetChoice::kNone, "none", "None."),
      enum_value(TargetChoice::kMarker, "marker", "The marker on the car."),
      enum_value(TargetChoice::kPad, "pad", "The pad to land on.")};
  static constexpr EnumTable table{"TargetChoice", values};
  return table;
}

template <>
const EnumTable& enum_table<SearchPattern>() {
  static constexpr std::array values{enum_value(SearchPattern::kNone, "none", "Stays and looks."),
                                     enum_value(SearchPattern::kSquareSpiral, "square_spiral",
                                                "Along a square spiral about where it began."),
                                     enum_value(SearchPattern::kClimb, "climb", "Straight up.")};
  static constexpr EnumTable table{"SearchPattern", values};
  return table;
}

template <>
const EnumTable& enum_table<FrameProof>() {
  static constexpr std::array values{
      enum_value(FrameProof::kCarry, "carry",
                 "Lifted by hand before it is armed: odometry and flight controller must agree."),
      enum_value(FrameProof::kDeclared, "declared", "Somebody vouches for it.")};
  static constexpr EnumTable table{"FrameProof", values};
  return table;
}

template <>
const Table& table_of<TargetEvidence>() {
  using T = TargetEvidence;
  static const Table table =
      TableBuilder<T>("TargetEvidence", "A target that must have been found, not long ago.")
          .field("kind", &T::kind, "", "Which; none asks for none.")
          .field("fresh_s", &T::fresh_s, "s", "Seen within this time.")
          .range(0, 60)
          .above(0)
          .build();
  return table;
}

template <>
const Table& table_of<ServoSpec>() {
  using T = ServoSpec;
  static const Table table =
      TableBuilder<T>("ServoSpec", "The goal of the state follows a target.")
          .field("target", &T::target, "", "Which; none follows none.")
          .field("height_m", &T::height_m, "m", "Of the point above the target.")
          .range(0, 100)
          .field("point_m", &T::point_m, "m", "Of the craft, forward, left, up: what is above it.")
          .field("descend_within_m", &T::descend_within_m, "m",
                 "Further aside, and outside of the cone, it keeps its height.")
          .range(0.01, 100)
          .field("cone_deg", &T::cone_deg, "deg", "From the axis, upwards from there.")
          .range(0, 80)
          .field("blind_below_m", &T::blind_below_m, "m",
                 "Above the target; lower it goes on where the target was last.")
          .range(0, 100)
          .field("lost_after_s", &T::lost_after_s, "s", "Higher, and not seen for so long: lost.")
          .range(0.05, 60)
          .field("climb_m", &T::climb_m, "m", "By this, each time that it is lost.")
          .range(0, 20)
          .field("attempts", &T::attempts, "", "To see it again; then the attempt has failed.")
          .range(0, 100)
          .build();
  return table;
}

template <>
const Table& table_of<SearchSpec>() {
  using T = SearchSpec;
  static const Table table =
      TableBuilder<T>("SearchSpec", "How the goal moves while no target is seen.")
          .field("pattern", &T::pattern, "", "The way it takes.")
          .field("step_m", &T::step_m, "m", "Between two turns of a spiral.")
          .range(0.05, 100)
          .field("radius_m", &T::radius_m, "m", "Half the width at which a spiral ends.")
          .range(0.05, 1000)
          .field("climb_to_m", &T::climb_to_m, "m", "Height at the end of the pattern.")
          .range(0, 1000)
          .field("speed_m_s", &T::speed_m_s, "m/s", "Of the goal.")
          .range(0.01, 20)
          .build();
  return table;
}

template <>
const Table& table_of<TargetArea>() {
  using T = TargetArea;
  static const Table table =
      TableBuilder<T>("TargetArea", "Where a target can be; seen elsewhere it is not taken for it.")
          .field("x_m", &T::x_m, "m", "Of the middle, from the origin of the flight.")
          .range(-1e6, 1e6)
          .field("y_m", &T::y_m, "m", "The same.")
          .range(-1e6, 1e6)
          .field("radius_m", &T::radius_m, "m", "Level, from the middle; 0 is anywhere.")
          .range(0, 1e6)
          .field("lowest_m", &T::lowest_m, "m", "Height from the origin of the flight.")
          .range(-1000, 1000)
          .field("highest_m", &T::highest_m, "m", "The same.")
          .range(-1000, 1000)
          .field("speed_m_s", &T::speed_m_s, "m/s", "The most that it moves, level; 0: it stands.")
          .range(0, 20)
          .build();
  return table;
}

template <>
const Table& table_of<AircraftSpec>() {
  using T = AircraftSpec;
  static const Table table =
      TableBuilder<T>("AircraftSpec", "What a mission asks of an aircraft as a whole.")
          .field("gripper_answers", &T::gripper_answers, "",
                 "Off: the gripper has no status; what is sent counts as done.")
          .field("flight_stale_s", &T::flight_stale_s, "s",
                 "A report of the flight controller older than this is none.")
          .range(0.05, 60)
          .field("flight_lost_s", &T::flight_lost_s, "s",
                 "No report for this long: the abort path.")
          .range(0.05, 600)
          .field("gripper_stale_s", &T::gripper_stale_s, "s",
                 "A status of the gripper older than this is none.")
          .range(0.05, 60)
          .field("state_lost_s", &T::state_lost_s, "s",
                 "No valid odometry for this long: the abort path.")
          .range(0.05, 60)
          .field("battery_min", &T::battery_min, "",
                 "Charge, 0 to 1, below which it does not go on; 0 is never.")
          .range(0, 1)
          .field("fence_radius_m", &T::fence_radius_m, "m",
                 "Further from the origin: the abort path; 0 is no fence.")
          .range(0, 1e6)
          .field("ceiling_m", &T::ceiling_m, "m", "Higher: the abort path; 0 is none.")
          .range(0, 1e6)
          .field("sightings", &T::sightings, "", "This many must agree for a target to be found.")
          .range(1, 16)
          .field("spread_m", &T::spread_m, "m", "Each of them within this of their mean.")
          .range(0.001, 10)
          .field("target_memory_s", &T::target_memory_s, "s",
                 "How long it counts where a target was.")
          .range(0.05, 600)
          .field("marker", &T::marker, "", "Where the marker can be.")
          .field("pad", &T::pad, "", "Where the pad can be.")
          .field("origin_window_s", &T::origin_window_s, "s",
                 "Standing still for this long sets the origin; 0: positions as they come.")
          .range(0, 60)
          .field("origin_radius_m", &T::origin_radius_m, "m", "Still is to stay within this.")
          .range(0.001, 10)
          .field("jump_m", &T::jump_m, "m", "Odometry off by more than this is a jump.")
          .range(0.01, 100)
          .field("frame_proof", &T::frame_proof, "",
                 "How it is proved that odometry is in the declared frame.")
          .field("navigation_tolerance_m", &T::navigation_tolerance_m, "m",
                 "Of goals asked for from outside.")
          .range(0.001, 100)
          .field("navigation_tolerance_deg", &T::navigation_tolerance_deg, "deg", "The same.")
          .range(0.01, 180)
          .field("navigation_timeout_s", &T::navigation_timeout_s, "s", "The same.")
          .range(0.1, 3600)
          .build();
  return table;
}

}  // namespace pintle
