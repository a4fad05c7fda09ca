#include "pintle/stack/import.h"

namespace pintle::stack {
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

void to_loop(const std::optional<vehicle::DukeLoop>& loop, control::PerAxis<control::PidParams>& out) {
  if (!loop) return;
  out = {to_pid(loop->x),    to_pid(loop->y),     to_pid(loop->z),
         to_pid(loop->roll), to_pid(loop->pitch), to_pid(loop->yaw)};
}

}  // namespace

control::SixAxisParams to_control(const vehicle::DukeRobot& robot) {
  control::SixAxisParams p;
  p.behaviour = control::Behaviour::kReference;
  to_loop(robot.pid.position, p.position);
  to_loop(robot.pid.position_cascaded, p.position_cascaded);
  to_loop(robot.pid.velocity, p.velocity);
  const vehicle::DukeLimits& l = robot.desired_power_limits;
  const std::array limits{l.x, l.y, l.z, l.roll, l.pitch, l.yaw};
  for (std::size_t i = 0; i < kAxes; ++i) p.desired_wrench_limits[i] = {limits[i].min, limits[i].max};
  p.static_force = robot.static_power_global;
  p.scale = robot.power_scale_factor;
  return p;
}

control::SixAxisParams load_control(const std::filesystem::path& file) {
  const config::Document document = config::Document::load(file);
  config::Reader reader(document);
  control::SixAxisParams params;
  if (vehicle::is_duke_file(document)) {
    params = to_control(vehicle::read_duke(reader, document));
  } else if (const config::Node* node = document.root().find("control")) {
    reader.read(*node, params);
    if (!reader.has_errors()) reader.add(check(params), *node);
  } else {
    reader.error({document.name(), 1, 1}, "control: the file has no such section");
  }
  reader.finish();
  return params;
}

VehicleFile import_duke(config::Reader& reader, const config::Document& document, std::string_view name) {
  VehicleFile file;
  file.format = VehicleFormat::kDuke;
  const vehicle::DukeRobot robot = vehicle::read_duke(reader, document);
  file.vehicle = vehicle::to_spec(robot, name);
  file.control_rate_Hz = 20;
  file.control = to_control(robot);
  file.allocation = {1, 0};
  return file;
}

VehicleFile import_subjugator(config::Reader& reader, const config::Document& document, std::string_view name) {
  VehicleFile file;
  const bool busses = vehicle::is_busses(document);
  file.format = busses ? VehicleFormat::kSubjugatorBusses : VehicleFormat::kSubjugatorLayout;
  const vehicle::SubjugatorLayout layout = vehicle::read_subjugator(reader, document);
  file.vehicle = vehicle::to_spec(layout, name);
  file.control_rate_Hz = 20;
  file.control.behaviour = control::Behaviour::kReference;
  for (std::size_t i = 0; i < kAxes; ++i) file.control.desired_wrench_limits[i] = {-1e4, 1e4};
  file.allocation = busses ? allocation::Objective{1, 1} : allocation::Objective{1, 1e-4};
  return file;
}

}  // namespace pintle::stack
