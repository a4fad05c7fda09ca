#include "pintle/vehicle/duke.h"

#include <fmt/format.h>

#include <array>

#include "pintle/vehicle/foreign.h"

namespace pintle::vehicle {
namespace {

using config::Document;
using config::Node;
using config::Reader;

constexpr std::string_view kPinvInFiles = "wrench_matrix_pinv_file_path";
constexpr std::string_view kPinvInReadme = "wrench_matrix_pseudoinverse_file_path";

void check_effort(const DukeEffort& e, const std::string& path, Findings& out) {
  if (!(e.min <= e.max))
    out.push_back({path, fmt::format("expected min of at most max, got {} and {}", e.min, e.max),
                   "exchange the two"});
}

void check_loop(const std::optional<DukeLoop>& loop, std::string_view name, Findings& out) {
  if (!loop) return;
  const std::array axes{&loop->x, &loop->y, &loop->z, &loop->roll, &loop->pitch, &loop->yaw};
  for (std::size_t i = 0; i < kAxes; ++i)
    check_effort(axes[i]->control_effort,
                 fmt::format("pid.{}.{}.control_effort", name, kAxisNames[i]), out);
}

Findings check_control(const DukeRobot& robot) {
  Findings out;
  check_loop(robot.pid.position, "position", out);
  check_loop(robot.pid.position_cascaded, "position_cascaded", out);
  check_loop(robot.pid.velocity, "velocity", out);
  const DukeLimits& l = robot.desired_power_limits;
  const std::array limits{&l.x, &l.y, &l.z, &l.roll, &l.pitch, &l.yaw};
  for (std::size_t i = 0; i < kAxes; ++i)
    check_effort(*limits[i], fmt::format("desired_power_limits.{}", kAxisNames[i]), out);
  return out;
}

/// What is wrong with the vehicle, under the names of this format.
Findings check_vehicle(const DukeRobot& robot) {
  Findings out;
  for (Finding f : check(to_spec(robot, "robot"))) {
    if (!f.path.starts_with("propulsors[")) continue;
    f.path.replace(0, std::string_view("propulsors").size(), "thrusters");
    for (const auto& [ours, theirs] : {std::pair<std::string, std::string>{".position_m", ".pos"},
                                       std::pair<std::string, std::string>{".rpy_deg", ".rpy"}})
      if (const std::size_t at = f.path.find(ours); at != std::string::npos)
        f.path.replace(at, ours.size(), theirs);
    out.push_back(std::move(f));
  }
  for (std::size_t i = 0; i < robot.thrusters.size(); ++i) {
    const std::string& type = robot.thrusters[i].type;
    if (!type.empty() && type != "T200" && type != "t200")
      out.push_back({fmt::format("thrusters[{}].type", i),
                     "\"" + type + "\" has no curve here: driven as a T200, like the original does",
                     "write  type: T200  if that is meant", false});
  }
  return out;
}

}  // namespace

bool is_duke_file(const Document& document) noexcept {
  const Node& root = document.root();
  if (!root.is_map() || root.find("format") != nullptr) return false;
  const Node* pid = root.find("pid");
  const Node* limits = root.find("desired_power_limits");
  return (pid != nullptr && pid->is_map()) || (limits != nullptr && limits->is_map());
}

DukeRobot read_duke(Reader& reader, const Document& document) {
  constexpr std::array<Alias, 1> kAliases{{{kPinvInReadme, kPinvInFiles}}};
  const Node known =
      known_part(reader, document.root(), table_of<DukeRobot>(), kAliases, /*warn_alias=*/false);
  DukeRobot robot;
  reader.read(known, robot);
  reader.add(check_control(robot), document.root());
  if (!robot.thrusters.empty())
    reader.add(check_vehicle(robot), document.root());
  else if (reader.is_sound(document.root(), "thrusters"))
    reader.warning(document.root().where,
                   "thrusters: there are none, so the file describes control but no vehicle",
                   "add  thrusters:  and one item each with name, type, pos and rpy");
  return robot;
}

VehicleSpec to_spec(const DukeRobot& robot, std::string_view name) {
  VehicleSpec spec;
  spec.name = name;
  spec.description = "Imported from a robot file of Duke Robotics.";
  spec.effort_unit = {true, kDukeOneUnitN};

  // an assumed body; it floats by what the static power pushes down
  constexpr double kGravity = 9.80665, kDensity = 1000;
  const double push_N = robot.static_power_global.z * robot.power_scale_factor * kDukeOneUnitN;
  Body& body = spec.body;
  body.mass_kg = kDukeMassKg;
  body.inertia_kgm2 = {1.32, 1.64, 2.43};
  body.volume_m3 = std::max(0.0, kDukeMassKg - push_N / kGravity) / kDensity;
  body.center_of_buoyancy_m = {0, 0, 0.0508};
  body.height_m = 0.35;
  spec.hydrodynamics.added_mass = {12, 16, 30, 0.7, 0.9, 1};
  spec.hydrodynamics.linear_damping = {10, 12, 20, 4, 4, 1};
  spec.hydrodynamics.quadratic_damping = {100, 115, 230, 4, 4, 4};

  NamedThruster t200{"T200", {}};
  t200.thruster.library = "t200";
  t200.thruster.tau_s = 0.1;
  spec.thruster_types.push_back(t200);
  for (const DukeThruster& t : robot.thrusters) {
    PropulsorSpec p;
    p.name = t.name;
    p.position_m = t.pos;
    p.rpy_deg = t.rpy;
    p.flipped = t.flipped;
    p.use = t200.name;
    spec.propulsors.push_back(std::move(p));
  }
  spec.wrench_matrix_file = robot.wrench_matrix_file_path;
  spec.wrench_matrix_pinv_file = robot.wrench_matrix_pinv_file_path;
  return spec;
}

std::string_view duke_pinv_key(const Document& document) noexcept {
  return document.root().find(kPinvInReadme) != nullptr ? kPinvInReadme : kPinvInFiles;
}

}  // namespace pintle::vehicle

namespace pintle {

using namespace vehicle;

template <>
const Table& table_of<DukeEffort>() {
  static const Table table =
      TableBuilder<DukeEffort>("DukeEffort", "Lowest and highest value, both allowed.")
          .field("min", &DukeEffort::min, "", "Lowest value.")
          .required()
          .field("max", &DukeEffort::max, "", "Highest value.")
          .required()
          .build();
  return table;
}

template <>
const Table& table_of<DukeAxis>() {
  static const Table table =
      TableBuilder<DukeAxis>("DukeAxis", "Gains and limits of one axis of one loop.")
          .field("Kp", &DukeAxis::Kp, "", "Proportional gain.")
          .required()
          .field("Ki", &DukeAxis::Ki, "", "Integral gain.")
          .required()
          .field("Kd", &DukeAxis::Kd, "", "Derivative gain.")
          .required()
          .field("Ff", &DukeAxis::Ff, "", "Constant that is added.")
          .required()
          .field("control_effort", &DukeAxis::control_effort, "", "Limits of the output.")
          .required()
          .field("derivative_type", &DukeAxis::derivative_type, "",
                 "0: calculated from the error, 1: provided by the caller.")
          .range(0, 1)
          .required()
          .field("error_ramp_rate", &DukeAxis::error_ramp_rate, "",
                 "Most change of the error in a second.")
          .at_least(0)
          .required()
          .build();
  return table;
}

template <>
const Table& table_of<DukeLoop>() {
  static const Table table = TableBuilder<DukeLoop>("DukeLoop", "One loop, six axes.")
                                 .field("x", &DukeLoop::x, "", "Surge.")
                                 .required()
                                 .field("y", &DukeLoop::y, "", "Sway.")
                                 .required()
                                 .field("z", &DukeLoop::z, "", "Heave.")
                                 .required()
                                 .field("roll", &DukeLoop::roll, "", "Roll.")
                                 .required()
                                 .field("pitch", &DukeLoop::pitch, "", "Pitch.")
                                 .required()
                                 .field("yaw", &DukeLoop::yaw, "", "Yaw.")
                                 .required()
                                 .build();
  return table;
}

template <>
const Table& table_of<DukePid>() {
  static const Table table =
      TableBuilder<DukePid>("DukePid", "The loops; those in use must be there.")
          .field("position", &DukePid::position, "", "Position loop when not cascaded.")
          .field("position_cascaded", &DukePid::position_cascaded, "",
                 "Position loop that sets velocities.")
          .field("velocity", &DukePid::velocity, "", "Velocity loop.")
          .build();
  return table;
}

template <>
const Table& table_of<DukeLimits>() {
  static const Table table =
      TableBuilder<DukeLimits>("DukeLimits", "What may be asked for as power, per axis.")
          .field("x", &DukeLimits::x, "", "Surge.")
          .required()
          .field("y", &DukeLimits::y, "", "Sway.")
          .required()
          .field("z", &DukeLimits::z, "", "Heave.")
          .required()
          .field("roll", &DukeLimits::roll, "", "Roll.")
          .required()
          .field("pitch", &DukeLimits::pitch, "", "Pitch.")
          .required()
          .field("yaw", &DukeLimits::yaw, "", "Yaw.")
          .required()
          .build();
  return table;
}

template <>
const Table& table_of<DukeThruster>() {
  static const Table table =
      TableBuilder<DukeThruster>("DukeThruster", "One thruster, in the order of allocations.")
          .field("name", &DukeThruster::name, "", "Its name.")
          .required()
          .field("type", &DukeThruster::type, "", "Model, such as T200.")
          .field("pos", &DukeThruster::pos, "m", "Position from the centre of mass.")
          .required()
          .field("rpy", &DukeThruster::rpy, "deg", "Turns the x axis into the push.")
          .required()
          .field("flipped", &DukeThruster::flipped, "", "Positive effort pushes the other way.")
          .build();
  return table;
}

template <>
const Table& table_of<DukeRobot>() {
  static const Table table =
      TableBuilder<DukeRobot>("DukeRobot", "A robot file of Duke Robotics.")
          .field("pid", &DukeRobot::pid, "", "Gains of the loops.")
          .field("desired_power_limits", &DukeRobot::desired_power_limits, "",
                 "What may be asked for as power.")
          .field("static_power_global", &DukeRobot::static_power_global, "",
                 "Power that is always added, in world coordinates.")
          .field("power_scale_factor", &DukeRobot::power_scale_factor, "",
                 "Multiplies the whole power.")
          .field("thrusters", &DukeRobot::thrusters, "", "In the order of allocations.")
          .field("wrench_matrix_file_path", &DukeRobot::wrench_matrix_file_path, "",
                 "CSV of the matrix, from the package's folder.")
          .field("wrench_matrix_pinv_file_path", &DukeRobot::wrench_matrix_pinv_file_path, "",
                 "CSV of its pseudo-inverse, from the package's folder.")
          .build();
  return table;
}

}  // namespace pintle
