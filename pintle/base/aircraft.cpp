#include "pintle/base/aircraft.h"

namespace pintle {

template <>
const EnumTable& enum_table<FlightPhase>() {
  static constexpr std::array values{
      enum_value(FlightPhase::kMotorsOff, "motors_off", "On the ground, propellers stand."),
      enum_value(FlightPhase::kOnGround, "on_ground", "On the ground, propellers turn."),
      enum_value(FlightPhase::kTakingOff, "taking_off", "On the way up by itself."),
      enum_value(FlightPhase::kAirborne, "airborne", "Holds, or obeys motion commands."),
      enum_value(FlightPhase::kLanding, "landing", "On the way down by itself."),
      enum_value(FlightPhase::kTouchingDown, "touching_down", "The last of a landing.")};
  static constexpr EnumTable table{"FlightPhase", values};
  return table;
}

template <>
const EnumTable& enum_table<FlightRequestKind>() {
  static constexpr std::array values{
      enum_value(FlightRequestKind::kNone, "none", "Nothing."),
      enum_value(FlightRequestKind::kTakeControl, "take_control", "Obey motion commands."),
      enum_value(FlightRequestKind::kReleaseControl, "release_control",
                 "Obey motion commands no more."),
      enum_value(FlightRequestKind::kTakeOff, "take_off", "Take off and hold."),
      enum_value(FlightRequestKind::kLand, "land", "Land here.")};
  static constexpr EnumTable table{"FlightRequestKind", values};
  return table;
}

template <>
const EnumTable& enum_table<RequestOutcome>() {
  static constexpr std::array values{
      enum_value(RequestOutcome::kNone, "none", "Nothing was asked yet."),
      enum_value(RequestOutcome::kPending, "pending", "Taken on, not done."),
      enum_value(RequestOutcome::kDone, "done", "Seen to be done."),
      enum_value(RequestOutcome::kRefused, "refused", "It will not be done."),
      enum_value(RequestOutcome::kFailed, "failed", "It was tried.")};
  static constexpr EnumTable table{"RequestOutcome", values};
  return table;
}

template <>
const EnumTable& enum_table<GripperHold>() {
  static constexpr std::array values{
      enum_value(GripperHold::kUnknown, "unknown", "No fresh status."),
      enum_value(GripperHold::kReleased, "released", "It says that it is open."),
      enum_value(GripperHold::kGrabbed, "grabbed", "It says that it holds.")};
  static constexpr EnumTable table{"GripperHold", values};
  return table;
}

template <>
const EnumTable& enum_table<GripperRequestKind>() {
  static constexpr std::array values{enum_value(GripperRequestKind::kNone, "none", "Nothing."),
                                     enum_value(GripperRequestKind::kGrab, "grab", "Close."),
                                     enum_value(GripperRequestKind::kRelease, "release", "Open.")};
  static constexpr EnumTable table{"GripperRequestKind", values};
  return table;
}

template <>
const EnumTable& enum_table<TargetKind>() {
  static constexpr std::array values{enum_value(TargetKind::kMarker, "marker", "On the car."),
                                     enum_value(TargetKind::kPad, "pad", "To land on.")};
  static constexpr EnumTable table{"TargetKind", values};
  return table;
}

template <>
const EnumTable& enum_table<NavigationAsk>() {
  static constexpr std::array values{
      enum_value(NavigationAsk::kNone, "none", "Nothing."),
      enum_value(NavigationAsk::kGoal, "goal", "Fly there."),
      enum_value(NavigationAsk::kCancel, "cancel", "Give the goal up.")};
  static constexpr EnumTable table{"NavigationAsk", values};
  return table;
}

template <>
const Table& table_of<FlightReport>() {
  static const Table table =
      TableBuilder<FlightReport>("FlightReport", "What the flight controller says of itself.")
          .field("stamp_ns", &FlightReport::stamp, "ns", "When it was so.")
          .field("phase", &FlightReport::phase, "", "Of the flight.")
          .field("has_control", &FlightReport::has_control, "", "Our motion commands are obeyed.")
          .field("v_W", &FlightReport::v_W, "m/s", "Its own velocity, east, north, up.")
          .field("has_yaw", &FlightReport::has_yaw, "", "It has a compass.")
          .field("yaw_rad", &FlightReport::yaw_rad, "rad", "Of its compass, from east.")
          .field("battery", &FlightReport::battery, "", "Charge left, 0 to 1.")
          .field("request", &FlightReport::request, "", "Number of the newest request heard.")
          .field("outcome", &FlightReport::outcome, "", "What became of it.")
          .field("has_battery", &FlightReport::has_battery, "", "Its charge is known.")
          .build();
  return table;
}

template <>
const Table& table_of<FlightRequest>() {
  static const Table table =
      TableBuilder<FlightRequest>("FlightRequest", "What the flight controller is asked for.")
          .field("kind", &FlightRequest::kind, "", "What.")
          .field("number", &FlightRequest::number, "", "Rises with each request.")
          .build();
  return table;
}

template <>
const Table& table_of<MotionCommand>() {
  static const Table table =
      TableBuilder<MotionCommand>("MotionCommand", "Velocity for a flight controller.")
          .field("v_H", &MotionCommand::v_H, "m/s", "Forward, left, up of the heading.")
          .field("yaw_rate_rad_s", &MotionCommand::yaw_rate_rad_s, "rad/s",
                 "Counter-clockwise seen from above.")
          .build();
  return table;
}

template <>
const Table& table_of<GripperReport>() {
  static const Table table =
      TableBuilder<GripperReport>("GripperReport", "What the gripper says of itself.")
          .field("stamp_ns", &GripperReport::stamp, "ns", "When it was so.")
          .field("hold", &GripperReport::hold, "", "As the gripper itself says.")
          .field("connected", &GripperReport::connected, "", "There is a gripper.")
          .field("request", &GripperReport::request, "", "Number of the newest request heard.")
          .field("outcome", &GripperReport::outcome, "", "What became of it.")
          .field("by_hand", &GripperReport::by_hand, "", "Somebody else has asked since.")
          .build();
  return table;
}

template <>
const Table& table_of<GripperRequest>() {
  static const Table table =
      TableBuilder<GripperRequest>("GripperRequest", "What the gripper is asked for.")
          .field("kind", &GripperRequest::kind, "", "What.")
          .field("number", &GripperRequest::number, "", "Rises with each request.")
          .build();
  return table;
}

template <>
const Table& table_of<TargetSighting>() {
  static const Table table =
      TableBuilder<TargetSighting>("TargetSighting", "A target as it was seen.")
          .field("stamp_ns", &TargetSighting::stamp, "ns", "Of the picture.")
          .field("kind", &TargetSighting::kind, "", "Which target.")
          .field("p_BT_B", &TargetSighting::p_BT_B, "m", "From the body origin, in the body.")
          .field("id", &TargetSighting::id, "", "Number of a marker; 0 without one.")
          .field("sigma_B_m", &TargetSighting::sigma_B_m, "m",
                 "Standard deviation by axis of the body; 0: not stated.")
          .field("visible_share", &TargetSighting::visible_share, "", "Of its outline.")
          .field("confidence", &TargetSighting::confidence, "", "0 to 1, of the detector.")
          .build();
  return table;
}

template <>
const Table& table_of<NavigationRequest>() {
  static const Table table =
      TableBuilder<NavigationRequest>("NavigationRequest", "A flight asked for from outside.")
          .field("ask", &NavigationRequest::ask, "", "What.")
          .field("id", &NavigationRequest::id, "", "Of the goal.")
          .field("p_WB", &NavigationRequest::p_WB, "m", "Where to, from the origin of the flight.")
          .field("yaw_rad", &NavigationRequest::yaw_rad, "rad", "Heading, from east.")
          .build();
  return table;
}

template <>
const Table& table_of<NavigationStatus>() {
  static const Table table =
      TableBuilder<NavigationStatus>("NavigationStatus", "How a flight asked for stands.")
          .field("active", &NavigationStatus::active, "", "There is a goal.")
          .field("id", &NavigationStatus::id, "", "Of the active goal.")
          .field("progress", &NavigationStatus::progress, "%", "Of x, y, z, yaw.")
          .field("ended_id", &NavigationStatus::ended_id, "", "Of a goal that ended in this tick.")
          .field("ended_as", &NavigationStatus::ended_as, "",
                 "How: 0 none, 1 succeeded, 2 canceled, 3 preempted, 4 refused, 5 timed out, 6 "
                 "stale.")
          .build();
  return table;
}

}  // namespace pintle
