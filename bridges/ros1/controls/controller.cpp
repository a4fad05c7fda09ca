#include "controls/controller.h"

#include <filesystem>
#include <stdexcept>

#include "pintle/config/document.h"
#include "pintle/stack/controls.h"

namespace pintle::ros1 {
namespace {

namespace fs = std::filesystem;

Vec3 vec3(const Three& v) { return {v[0], v[1], v[2]}; }
Pose pose(const PlainPose& X) {
  const Four& q = X.orientation;
  return {vec3(X.position), {q[0], q[1], q[2], q[3]}};
}
Vec6 vec6(const Six& v) { return {{v[0], v[1], v[2], v[3], v[4], v[5]}}; }
Six six(const Vec6& v) { return {v[0], v[1], v[2], v[3], v[4], v[5]}; }
Three three(Vec3 v) { return {v.x, v.y, v.z}; }
PlainAnswer answer(const stack::ControlsAnswer& a) { return {a.success, a.message, a.save_failed}; }

PlainPid pid(const control::PidTerms& t, control::Derivative type) {
  return {t.p,
          t.i,
          t.d,
          t.ff,
          t.filtered_error,
          t.integral,
          t.filtered_derivative,
          t.calculated_derivative,
          t.provided_derivative,
          static_cast<int>(type)};
}

struct Source {
  stack::VehicleFile file;
  fs::path save_to;
  std::vector<std::string> warnings;
};

Source read(const std::string& path) {
  Source source;
  std::vector<config::Problem> problems;
  if (stack::kind_of(config::Document::load(path)) == stack::FileKind::kMission) {
    stack::MissionFile mission = stack::load_mission(path);
    source.file = std::move(mission.vehicle);
    problems = std::move(mission.warnings);
  } else {
    source.file = stack::load_vehicle(path, &problems);
    source.save_to = path;
  }
  if (!problems.empty()) source.warnings.push_back(config::to_string(problems));
  return source;
}

void gains_of(const control::PerAxis<control::PidParams>& loop, int index,
              std::vector<PlainGain>& out) {
  for (std::size_t axis = 0; axis < kAxes; ++axis) {
    const control::PidParams& p = loop[axis];
    int gain = 0;
    for (double value : {p.kp, p.ki, p.kd, p.ff})
      out.push_back({index, static_cast<int>(axis), gain++, value});
  }
}

}  // namespace

std::string find_robot_file(const std::string& config_dir, const std::string& environment_dir,
                            const std::string& package_dir, const std::string& robot_name) {
  const std::string name = (robot_name.empty() ? "oogway" : robot_name) + ".yaml";
  fs::path folder = fs::path(package_dir) / "config";
  std::string why = "the package's folder";
  if (!config_dir.empty()) {
    folder = config_dir;
    why = "~config_dir";
  } else if (!environment_dir.empty()) {
    folder = environment_dir;
    why = "$PINTLE_CONFIG_DIR";
  }
  const fs::path file = folder / name;
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    throw std::runtime_error("there is no robot file " + file.string() + " (the folder is " + why +
                             ", the name $ROBOT_NAME, oogway if that is not set)");
  return file.string();
}

struct Controller::Impl {
  Source source;
  stack::Controls controls;
  stack::ControlsCycle cycle;
  StateReport state_report;
  CycleReport cycle_report;
  std::uint32_t generation = 0;

  Impl(Source s, const stack::ControlsOptions& o)
      : source(std::move(s)), controls(source.file, o, source.save_to) {}
};

Controller::Controller(const ControllerOptions& options) {
  stack::ControlsOptions o;
  o.enable_position = options.enable_position;
  o.enable_velocity = options.enable_velocity;
  o.cascaded = options.cascaded;
  o.zero_on_disable = options.zero_on_disable;
  o.state_timeout_s = options.state_timeout_s;
  o.latch_after_s = options.latch_after_s;
  impl_ = std::make_unique<Impl>(read(options.file), o);
}
Controller::~Controller() = default;

std::string Controller::desired_position(const PlainPose& X) {
  return impl_->controls.desired_position(pose(X));
}
std::string Controller::desired_velocity(const Six& twist) {
  return impl_->controls.desired_velocity(to_twist(vec6(twist)));
}
std::string Controller::desired_power(const Six& twist) {
  return impl_->controls.desired_power(to_wrench(vec6(twist)));
}

PlainAnswer Controller::enable(bool on) { return answer(impl_->controls.enable(on)); }
PlainAnswer Controller::set_control_types(const std::array<int, 6>& types) {
  return answer(impl_->controls.set_control_types(types));
}
PlainAnswer Controller::set_pid_gains(const std::vector<PlainGain>& gains) {
  std::vector<stack::GainChange> changes;
  changes.reserve(gains.size());
  for (const PlainGain& g : gains)
    changes.push_back({static_cast<std::size_t>(g.loop), static_cast<std::size_t>(g.axis),
                       static_cast<std::size_t>(g.gain), g.value});
  return answer(impl_->controls.set_pid_gains(changes));
}
PlainAnswer Controller::reset_pid_loops() { return answer(impl_->controls.reset_pid_loops()); }
PlainAnswer Controller::set_static_power(const Three& power) {
  return answer(impl_->controls.set_static_power(vec3(power)));
}
PlainAnswer Controller::set_power_scale_factor(double factor) {
  return answer(impl_->controls.set_power_scale_factor(factor));
}

const StateReport& Controller::on_state(const PlainPose& X, const Six& twist,
                                        const PlainPose* transform, std::int64_t at_ns,
                                        std::int64_t now_ns) {
  stack::Controls& c = impl_->controls;
  StateReport& r = impl_->state_report;
  const Pose seen = transform != nullptr ? pose(*transform) : Pose{};
  const stack::StateUse use = c.on_state(pose(X), to_twist(vec6(twist)),
                                         transform != nullptr ? &seen : nullptr, {at_ns}, {now_ns});
  r.outcome = use == stack::StateUse::kUsed          ? StateOutcome::kUsed
              : use == stack::StateUse::kFirst       ? StateOutcome::kFirst
              : use == stack::StateUse::kNoTransform ? StateOutcome::kNoTransform
                                                     : StateOutcome::kRefused;
  const control::SixAxisTrace& t = c.trace();
  r.delta_time_s = t.delta_time_s;
  r.position_error = six(t.position_error);
  r.velocity_error = six(t.velocity_error);
  r.position_efforts = six(c.state().position_effort);
  r.velocity_efforts = six(c.state().velocity_effort);
  for (std::size_t i = 0; i < kAxes; ++i) {
    r.position[i] = pid(t.position[i], c.position_loop()[i].derivative);
    r.velocity[i] = pid(t.velocity[i], c.model().control.velocity[i].derivative);
  }
  r.static_power_local = three(c.state().static_local);
  return r;
}

const CycleReport& Controller::allocate(std::int64_t now_ns, double dt_s) {
  stack::Controls& c = impl_->controls;
  stack::ControlsCycle& from = impl_->cycle;
  CycleReport& r = impl_->cycle_report;
  c.allocate({now_ns}, dt_s, from);
  r.status = from.status;
  r.send = from.send;
  r.allocs = from.allocs;
  r.constrained = from.constrained;
  r.unconstrained = from.unconstrained;
  r.base = six(from.base);
  r.unscaled = six(from.unscaled);
  r.set = six(from.wanted);
  r.actual = six(from.achieved);
  r.disparity = six(from.wanted - from.achieved);
  r.disparity_norm = norm(from.wanted - from.achieved);
  for (std::size_t i = 0; i < kAxes; ++i)
    r.control_types[i] = static_cast<int>(c.state().setpoint.mode[i]);
  // 48 numbers that change when somebody tunes
  if (impl_->generation != c.model().generation) {
    impl_->generation = c.model().generation;
    r.gains.clear();
    gains_of(c.position_loop(), 0, r.gains);
    gains_of(c.model().control.velocity, 1, r.gains);
    r.static_power_global = three(c.model().control.static_force);
    r.power_scale_factor = c.model().control.scale;
  }
  return r;
}

std::string Controller::hold() const { return std::string(to_string(impl_->controls.hold())); }
std::string Controller::hold_text() const {
  const auto value = static_cast<std::int64_t>(impl_->controls.hold());
  for (const EnumValue& v : enum_table<stack::ControlsHold>().values)
    if (v.value == value) return std::string(v.meaning);
  return "";
}
double Controller::age_s(std::int64_t now_ns) const { return impl_->controls.age_s({now_ns}); }
std::uint64_t Controller::refused() const { return impl_->controls.refused(); }
double Controller::rate_Hz() const { return impl_->source.file.control_rate_Hz; }
std::string Controller::vehicle_name() const { return impl_->source.file.vehicle.name; }
std::vector<std::string> Controller::warnings() const { return impl_->source.warnings; }

}  // namespace pintle::ros1
