#include "pintle/craft/import.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "pintle/vehicle/effectiveness.h"

namespace pintle::craft {
namespace {

control::PidParams to_pid(const vehicle::DukeAxis& a) {
  control::PidParams p;
  p.kp = a.Kp;
  p.ki = a.Ki;
  p.kd = a.Kd;
  p.ff = a.Ff;
  p.min_effort = a.control_effort.min;
  p.max_effort = a.control_effort.max;
  p.derivative = static_cast<control::Derivative>(a.derivative_type);
  p.error_ramp_rate = a.error_ramp_rate;
  return p;
}

void to_loop(const std::optional<vehicle::DukeLoop>& loop,
             control::PerAxis<control::PidParams>& out) {
  if (!loop) return;
  out = {to_pid(loop->x),    to_pid(loop->y),     to_pid(loop->z),
         to_pid(loop->roll), to_pid(loop->pitch), to_pid(loop->yaw)};
}

control::AxisLoops loops_of(const vehicle::DukeRobot& robot) {
  control::AxisLoops p;
  to_loop(robot.pid.position, p.position);
  to_loop(robot.pid.position_cascaded, p.position_cascaded);
  to_loop(robot.pid.velocity, p.velocity);
  const vehicle::DukeLimits& l = robot.desired_power_limits;
  const std::array limits{l.x, l.y, l.z, l.roll, l.pitch, l.yaw};
  for (std::size_t i = 0; i < kAxes; ++i) p.wrench_limits[i] = {limits[i].min, limits[i].max};
  p.static_force = robot.static_power_global;
  p.scale = robot.power_scale_factor;
  return p;
}

/// A robot file may name its wrench matrix and no thrusters (the original's node reads nothing
/// else): each column [f; p x f] is then a thruster at the point of its line of action that is
/// nearest to the origin.
static void thrusters_from_matrix(vehicle::DukeRobot& robot, config::Reader& reader,
                                  const config::Document& document) {
  const std::filesystem::path csv =
      vehicle::resolve_beside(document.name(), robot.wrench_matrix_file_path);
  std::error_code missing;
  if (robot.wrench_matrix_file_path.empty() || !std::filesystem::exists(csv, missing)) {
    reader.error(
        document.location_of("thrusters"),
        "thrusters: there are none, and no wrench matrix file either",
        "list each with name, type, pos, rpy and flipped, in the order of the allocations");
    return;
  }
  const std::vector<std::vector<double>> rows = vehicle::read_matrix_csv(csv);
  if (rows.size() != kAxes) {
    reader.error({csv.string(), 1, 1},
                 "expected 6 rows (x, y, z, roll, pitch, yaw), got " + std::to_string(rows.size()),
                 "write it anew with  pintle matrix --write");
    return;
  }
  for (std::size_t i = 0; i < rows[0].size(); ++i) {
    const Vec3 f{rows[0][i], rows[1][i], rows[2][i]}, torque{rows[3][i], rows[4][i], rows[5][i]};
    const double length = norm(f);
    if (!(std::abs(length - 1) < 1e-3) || !(std::abs(dot(f, torque)) < 1e-6)) {
      reader.error(
          {csv.string(), 1, static_cast<int>(i) + 1},
          "column " + std::to_string(i + 1) +
              " is not the wrench of a thruster: [f; p x f] with |f| = 1",
          "list the thrusters in the robot file and write it anew with  pintle matrix --write");
      return;
    }
    vehicle::DukeThruster t;
    t.name = "thruster_" + std::to_string(i);
    t.pos = cross(f, torque) / (length * length);
    // the mount's x axis along f: yaw, then pitch
    t.rpy = {0, degrees(-std::asin(std::clamp(f.z / length, -1.0, 1.0))),
             degrees(std::atan2(f.y, f.x))};
    robot.thrusters.push_back(t);
  }
}

}  // namespace

OneLoop load_loop(const std::filesystem::path& file, std::string_view loop, std::string_view axis) {
  const config::Document document = config::Document::load(file);
  config::Reader reader(document);
  control::AxisLoops all;
  if (vehicle::is_duke_file(document)) {
    all = loops_of(vehicle::read_duke(reader, document));
  } else if (document.root().find("control") != nullptr) {
    control::LawSections sections;
    reader.read(document.root(), sections, {.ignore_unknown = true});
    if (!reader.has_errors()) reader.add(check(sections), document.root());
    all = control::axis_loops(sections);
  } else {
    reader.error({document.name(), 1, 1}, "control: the file has no such section",
                 "write  control:  and below it  position, velocity");
  }
  reader.finish();
  const auto index = static_cast<std::size_t>(
      std::find(kAxisNames.begin(), kAxisNames.end(), axis) - kAxisNames.begin());
  if (index == kAxes) throw std::invalid_argument("no such axis: " + std::string(axis));
  if (loop == "position") return {all.position[index], all.behaviour};
  if (loop == "position_cascaded") return {all.position_cascaded[index], all.behaviour};
  if (loop == "velocity") return {all.velocity[index], all.behaviour};
  throw std::invalid_argument("no such loop: " + std::string(loop));
}

VehicleFile import_duke(config::Reader& reader, const config::Document& document,
                        std::string_view name) {
  VehicleFile file;
  file.format = VehicleFormat::kDuke;
  vehicle::DukeRobot robot = vehicle::read_duke(reader, document);
  if (robot.thrusters.empty()) thrusters_from_matrix(robot, reader, document);
  file.vehicle = vehicle::to_spec(robot, name);
  file.control_rate_Hz = 20;
  file.detector.enable = false;  // the originals have none
  file.laws = control::following_loops(loops_of(robot));
  file.allocation = {1, 0};
  return file;
}

VehicleFile import_subjugator(config::Reader& reader, const config::Document& document,
                              std::string_view name) {
  VehicleFile file;
  const bool busses = vehicle::is_busses(document);
  file.format = busses ? VehicleFormat::kSubjugatorBusses : VehicleFormat::kSubjugatorLayout;
  const vehicle::SubjugatorLayout layout = vehicle::read_subjugator(reader, document);
  file.vehicle = vehicle::to_spec(layout, name);
  file.control_rate_Hz = 20;
  file.detector.enable = false;  // the originals have none
  control::AxisLoops none;
  none.wrench_limits.fill({-1e4, 1e4});
  file.laws = control::following_loops(none);
  file.allocation = busses ? allocation::Objective{1, 1} : allocation::Objective{1, 1e-4};
  return file;
}

}  // namespace pintle::craft
