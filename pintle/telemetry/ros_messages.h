/// Messages of ROS 2 that viewers know how to draw (Foxglove, Rerun, PlotJuggler, RViz), as plain
/// structs: transforms, poses, twists, wrenches, joint states, markers, diagnostics, log lines.
///
/// Names, fields and their order are those of the packages named in the tables (common_interfaces
/// and rcl_interfaces of Humble; the marker without its textures, which came later); what a viewer
/// reads is the definition in the log. SI units; orientations x, y, z, w.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "pintle/base/fields.h"
#include "pintle/base/signals.h"
#include "pintle/base/time.h"

namespace pintle::telemetry::ros {

struct Stamp {
  std::int32_t sec = 0;
  std::uint32_t nanosec = 0;
};
/// Before 1970 and after 2038 it stands at the nearest that a message can say.
[[nodiscard]] Stamp stamp_of(Time time) noexcept;

struct Header {
  Stamp stamp;
  std::string frame_id;
};

struct Point {
  double x = 0, y = 0, z = 0;
};
struct Vector3 {
  double x = 0, y = 0, z = 0;
};
struct Quaternion {
  double x = 0, y = 0, z = 0, w = 1;
};
[[nodiscard]] Point point(Vec3 v) noexcept;
[[nodiscard]] Vector3 vector3(Vec3 v) noexcept;
[[nodiscard]] Quaternion quaternion(Quat q) noexcept;

struct Transform {
  Vector3 translation;
  Quaternion rotation;
};
struct TransformStamped {
  Header header;
  std::string child_frame_id;
  Transform transform;
};
struct TFMessage {
  std::vector<TransformStamped> transforms;
};

struct PoseOnly {
  Point position;
  Quaternion orientation;
};
struct PoseStamped {
  Header header;
  PoseOnly pose;
};
struct TwistOnly {
  Vector3 linear, angular;
};
struct TwistStamped {
  Header header;
  TwistOnly twist;
};
struct WrenchOnly {
  Vector3 force, torque;
};
struct WrenchStamped {
  Header header;
  WrenchOnly wrench;
};

struct JointState {
  Header header;
  std::vector<std::string> name;
  std::vector<double> position, velocity, effort;
};

struct CompressedImage {
  Header header;
  std::string format;  ///< "jpeg".
  std::vector<std::uint8_t> data;
};

struct Colour {
  float r = 0, g = 0, b = 0, a = 1;
};
struct Lifetime {
  std::int32_t sec = 0;
  std::uint32_t nanosec = 0;
};
struct Marker {
  static constexpr std::int32_t kArrow = 0, kCube = 1, kSphere = 2, kCylinder = 3;
  Header header;
  std::string ns;
  std::int32_t id = 0, type = kCube, action = 0;
  PoseOnly pose;
  Vector3 scale;
  Colour color;
  Lifetime lifetime;
  bool frame_locked = true;
  std::vector<Point> points;
  std::vector<Colour> colors;
  std::string text, mesh_resource;
  bool mesh_use_embedded_materials = false;
};
struct MarkerArray {
  std::vector<Marker> markers;
};

struct KeyValue {
  std::string key, value;
};
struct DiagnosticStatus {
  static constexpr std::uint8_t kOk = 0, kWarn = 1, kError = 2, kStale = 3;
  std::uint8_t level = kOk;
  std::string name, message, hardware_id;
  std::vector<KeyValue> values;
};
struct DiagnosticArray {
  Header header;
  std::vector<DiagnosticStatus> status;
};

struct Text {
  std::string data;
};

struct LogLine {
  static constexpr std::uint8_t kInfo = 20, kWarn = 30, kError = 40, kFatal = 50;
  Stamp stamp;
  std::uint8_t level = kInfo;
  std::string name, msg, file, function;
  std::uint32_t line = 0;
};

}  // namespace pintle::telemetry::ros

namespace pintle {
template <>
const Table& table_of<telemetry::ros::TFMessage>();
template <>
const Table& table_of<telemetry::ros::PoseStamped>();
template <>
const Table& table_of<telemetry::ros::TwistStamped>();
template <>
const Table& table_of<telemetry::ros::WrenchStamped>();
template <>
const Table& table_of<telemetry::ros::JointState>();
template <>
const Table& table_of<telemetry::ros::CompressedImage>();
template <>
const Table& table_of<telemetry::ros::MarkerArray>();
template <>
const Table& table_of<telemetry::ros::DiagnosticArray>();
template <>
const Table& table_of<telemetry::ros::Text>();
template <>
const Table& table_of<telemetry::ros::LogLine>();
}  // namespace pintle
