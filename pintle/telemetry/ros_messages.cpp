#include "pintle/telemetry/ros_messages.h"

#include <algorithm>
#include <limits>

namespace pintle {

using namespace telemetry::ros;

template <>
const Table& table_of<Stamp>() {
  static const Table table =
      TableBuilder<Stamp>("builtin_interfaces/Time", "Seconds and nanoseconds.")
          .field("sec", &Stamp::sec, "", "")
          .field("nanosec", &Stamp::nanosec, "", "")
          .build();
  return table;
}

template <>
const Table& table_of<Header>() {
  static const Table table = TableBuilder<Header>("std_msgs/Header", "When and in which frame.")
                                 .field("stamp", &Header::stamp, "", "")
                                 .field("frame_id", &Header::frame_id, "", "")
                                 .build();
  return table;
}

template <>
const Table& table_of<Point>() {
  static const Table table = TableBuilder<Point>("geometry_msgs/Point", "A place, m.")
                                 .field("x", &Point::x, "", "")
                                 .field("y", &Point::y, "", "")
                                 .field("z", &Point::z, "", "")
                                 .build();
  return table;
}

template <>
const Table& table_of<Vector3>() {
  static const Table table =
      TableBuilder<Vector3>("geometry_msgs/Vector3", "A direction with a length.")
          .field("x", &Vector3::x, "", "")
          .field("y", &Vector3::y, "", "")
          .field("z", &Vector3::z, "", "")
          .build();
  return table;
}

template <>
const Table& table_of<Quaternion>() {
  static const Table table = TableBuilder<Quaternion>("geometry_msgs/Quaternion", "A rotation.")
                                 .field("x", &Quaternion::x, "", "")
                                 .field("y", &Quaternion::y, "", "")
                                 .field("z", &Quaternion::z, "", "")
                                 .field("w", &Quaternion::w, "", "")
                                 .build();
  return table;
}

template <>
const Table& table_of<Transform>() {
  static const Table table =
      TableBuilder<Transform>("geometry_msgs/Transform", "From one frame to another.")
          .field("translation", &Transform::translation, "", "")
          .field("rotation", &Transform::rotation, "", "")
          .build();
  return table;
}

template <>
const Table& table_of<TransformStamped>() {
  static const Table table =
      TableBuilder<TransformStamped>("geometry_msgs/TransformStamped",
                                     "The child frame in that of the header.")
          .field("header", &TransformStamped::header, "", "")
          .field("child_frame_id", &TransformStamped::child_frame_id, "", "")
          .field("transform", &TransformStamped::transform, "", "")
          .build();
  return table;
}

template <>
const Table& table_of<TFMessage>() {
  static const Table table =
      TableBuilder<TFMessage>("tf2_msgs/TFMessage", "Frames that have moved.")
          .field("transforms", &TFMessage::transforms, "", "")
          .build();
  return table;
}

template <>
const Table& table_of<PoseOnly>() {
  static const Table table = TableBuilder<PoseOnly>("geometry_msgs/Pose", "Place and orientation.")
                                 .field("position", &PoseOnly::position, "", "")
                                 .field("orientation", &PoseOnly::orientation, "", "")
                                 .build();
  return table;
}

template <>
const Table& table_of<PoseStamped>() {
  static const Table table = TableBuilder<PoseStamped>("geometry_msgs/PoseStamped", "A pose.")
                                 .field("header", &PoseStamped::header, "", "")
                                 .field("pose", &PoseStamped::pose, "", "")
                                 .build();
  return table;
}

template <>
const Table& table_of<TwistOnly>() {
  static const Table table = TableBuilder<TwistOnly>("geometry_msgs/Twist", "Velocity and rate.")
                                 .field("linear", &TwistOnly::linear, "", "")
                                 .field("angular", &TwistOnly::angular, "", "")
                                 .build();
  return table;
}

template <>
const Table& table_of<TwistStamped>() {
  static const Table table = TableBuilder<TwistStamped>("geometry_msgs/TwistStamped", "A twist.")
                                 .field("header", &TwistStamped::header, "", "")
                                 .field("twist", &TwistStamped::twist, "", "")
                                 .build();
  return table;
}

template <>
const Table& table_of<WrenchOnly>() {
  static const Table table = TableBuilder<WrenchOnly>("geometry_msgs/Wrench", "Force and torque.")
                                 .field("force", &WrenchOnly::force, "", "")
                                 .field("torque", &WrenchOnly::torque, "", "")
                                 .build();
  return table;
}

template <>
const Table& table_of<WrenchStamped>() {
  static const Table table = TableBuilder<WrenchStamped>("geometry_msgs/WrenchStamped", "A wrench.")
                                 .field("header", &WrenchStamped::header, "", "")
                                 .field("wrench", &WrenchStamped::wrench, "", "")
                                 .build();
  return table;
}

template <>
const Table& table_of<JointState>() {
  static const Table table =
      TableBuilder<JointState>("sensor_msgs/JointState", "One entry a channel.")
          .field("header", &JointState::header, "", "")
          .field("name", &JointState::name, "", "")
          .field("position", &JointState::position, "", "")
          .field("velocity", &JointState::velocity, "", "")
          .field("effort", &JointState::effort, "", "")
          .build();
  return table;
}

template <>
const Table& table_of<CompressedImage>() {
  static const Table table =
      TableBuilder<CompressedImage>("sensor_msgs/CompressedImage", "A picture.")
          .field("header", &CompressedImage::header, "", "")
          .field("format", &CompressedImage::format, "", "")
          .field("data", &CompressedImage::data, "", "")
          .build();
  return table;
}

template <>
const Table& table_of<Colour>() {
  static const Table table = TableBuilder<Colour>("std_msgs/ColorRGBA", "From 0 to 1.")
                                 .field("r", &Colour::r, "", "")
                                 .field("g", &Colour::g, "", "")
                                 .field("b", &Colour::b, "", "")
                                 .field("a", &Colour::a, "", "")
                                 .build();
  return table;
}

template <>
const Table& table_of<Lifetime>() {
  static const Table table =
      TableBuilder<Lifetime>("builtin_interfaces/Duration", "Seconds and nanoseconds.")
          .field("sec", &Lifetime::sec, "", "")
          .field("nanosec", &Lifetime::nanosec, "", "")
          .build();
  return table;
}

template <>
const Table& table_of<Marker>() {
  static const Table table =
      TableBuilder<Marker>("visualization_msgs/Marker", "A thing to draw.")
          .field("header", &Marker::header, "", "")
          .field("ns", &Marker::ns, "", "")
          .field("id", &Marker::id, "", "")
          .field("type", &Marker::type, "", "")
          .field("action", &Marker::action, "", "")
          .field("pose", &Marker::pose, "", "")
          .field("scale", &Marker::scale, "", "")
          .field("color", &Marker::color, "", "")
          .field("lifetime", &Marker::lifetime, "", "")
          .field("frame_locked", &Marker::frame_locked, "", "")
          .field("points", &Marker::points, "", "")
          .field("colors", &Marker::colors, "", "")
          .field("text", &Marker::text, "", "")
          .field("mesh_resource", &Marker::mesh_resource, "", "")
          .field("mesh_use_embedded_materials", &Marker::mesh_use_embedded_materials, "", "")
          .build();
  return table;
}

template <>
const Table& table_of<MarkerArray>() {
  static const Table table =
      TableBuilder<MarkerArray>("visualization_msgs/MarkerArray", "Things to draw.")
          .field("markers", &MarkerArray::markers, "", "")
          .build();
  return table;
}

template <>
const Table& table_of<KeyValue>() {
  static const Table table = TableBuilder<KeyValue>("diagnostic_msgs/KeyValue", "A detail.")
                                 .field("key", &KeyValue::key, "", "")
                                 .field("value", &KeyValue::value, "", "")
                                 .build();
  return table;
}

template <>
const Table& table_of<DiagnosticStatus>() {
  static const Table table =
      TableBuilder<DiagnosticStatus>("diagnostic_msgs/DiagnosticStatus", "How a part does.")
          .field("level", &DiagnosticStatus::level, "", "")
          .field("name", &DiagnosticStatus::name, "", "")
          .field("message", &DiagnosticStatus::message, "", "")
          .field("hardware_id", &DiagnosticStatus::hardware_id, "", "")
          .field("values", &DiagnosticStatus::values, "", "")
          .build();
  return table;
}

template <>
const Table& table_of<DiagnosticArray>() {
  static const Table table =
      TableBuilder<DiagnosticArray>("diagnostic_msgs/DiagnosticArray", "How all parts do.")
          .field("header", &DiagnosticArray::header, "", "")
          .field("status", &DiagnosticArray::status, "", "")
          .build();
  return table;
}

template <>
const Table& table_of<Text>() {
  static const Table table =
      TableBuilder<Text>("std_msgs/String", "A text.").field("data", &Text::data, "", "").build();
  return table;
}

template <>
const Table& table_of<LogLine>() {
  static const Table table = TableBuilder<LogLine>("rcl_interfaces/Log", "A line for a person.")
                                 .field("stamp", &LogLine::stamp, "", "")
                                 .field("level", &LogLine::level, "", "")
                                 .field("name", &LogLine::name, "", "")
                                 .field("msg", &LogLine::msg, "", "")
                                 .field("file", &LogLine::file, "", "")
                                 .field("function", &LogLine::function, "", "")
                                 .field("line", &LogLine::line, "", "")
                                 .build();
  return table;
}

}  // namespace pintle

namespace pintle::telemetry::ros {

Stamp stamp_of(Time time) noexcept {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t ns =
      std::clamp(time.ns, std::int64_t{0},
                 std::int64_t{std::numeric_limits<std::int32_t>::max()} * kSecond + (kSecond - 1));
  return {static_cast<std::int32_t>(ns / kSecond), static_cast<std::uint32_t>(ns % kSecond)};
}

Point point(Vec3 v) noexcept { return {v.x, v.y, v.z}; }
Vector3 vector3(Vec3 v) noexcept { return {v.x, v.y, v.z}; }
Quaternion quaternion(Quat q) noexcept { return {q.x, q.y, q.z, q.w}; }

}  // namespace pintle::telemetry::ros
