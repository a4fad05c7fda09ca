#include "controls/controller.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "common/faults_of.h"
#include "common/plain_geometry.h"
#include "controls/arrivals.h"
#include "pintle/config/document.h"
#include "pintle/craft/live.h"
#include "pintle/flight/event_words.h"
#include "pintle/flight/flight.h"
#include "pintle/vehicle/effectiveness.h"

namespace pintle::ros1 {
namespace {

namespace fs = std::filesystem;
using estimation::MeasurementVerdict;

Vec6 vec6(const Six& v) { return {{v[0], v[1], v[2], v[3], v[4], v[5]}}; }
Six six(const Vec6& v) { return {v[0], v[1], v[2], v[3], v[4], v[5]}; }

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
  craft::Configuration first;
  fs::path save_to;
  std::vector<std::string> warnings;
  std::string doubt;  ///< Nothing is enabled before it is answered; empty: none.
};

/// The node's parameters have the say over the file.
void lay_over(const ControllerOptions& o, craft::VehicleFile& file) {
  control::set_switches(file.laws, {o.enable_position, o.enable_velocity, o.cascaded});
  if (control::axis_loops(file.laws).behaviour == control::Behaviour::kReference)
    file.estimation.method = estimation::Method::kAsSent;
  file.estimation.stale_after_s = o.state_timeout_s;
  // at once, as the thrusters of these robots are told
  file.safety.ramp_to_safe_s = 0;
  file.safety.latch_after_s =
      o.latch_after_s > 0 ? o.latch_after_s : std::numeric_limits<double>::max();
  file.safety.setpoint_stale_s = o.setpoint_timeout_s;
  // planners of these robots say a pose once
  file.safety.resume_pose = true;
}

/// The original flies the matrix file and never looks at the thrusters.
void answer_matrix(const ControllerOptions& o, const fs::path& vehicle_path, Source& source) {
  craft::VehicleFile& file = source.first.vehicle;
  vehicle::MatrixClaim claim = vehicle::claim_of_matrix(file.vehicle, vehicle_path);
  if (claim.difference.empty()) return;
  const std::string what =
      fmt::format("{} disagrees with the thrusters of {}: {}", file.vehicle.wrench_matrix_file,
                  vehicle_path.string(), claim.difference);
  if (o.matrix == MatrixAnswer::kThrusters) {
    source.warnings.push_back(what + "; the thrusters are flown, as ~wrench_matrix says");
    return;
  }
  if (!claim.spec && o.matrix == MatrixAnswer::kMatrix)
    throw std::runtime_error(
        what +
        "; and a column of it is not that of a thruster, [f; p x f] with |f| = 1: write it "
        "anew with  pintle matrix --write , or  ~wrench_matrix: thrusters");
  if (claim.spec) file.vehicle = std::move(*claim.spec);
  source.warnings.push_back(what + "; the matrix is flown, as in the original");
  if (o.matrix == MatrixAnswer::kAsk)
    source.doubt = what +
                   ". Say which is right: ~wrench_matrix: csv, or thrusters; or write the "
                   "file anew with  pintle matrix --write";
}

Source read(const ControllerOptions& o) {
  Source source;
  fs::path vehicle_path = o.file;
  std::vector<config::Problem> problems;
  if (craft::kind_of(config::Document::load(o.file)) == craft::FileKind::kMission) {
    craft::MissionFile mission = craft::load_mission(o.file);
    source.first.vehicle = std::move(mission.vehicle);
    vehicle_path = mission.vehicle_path;
    problems = std::move(mission.warnings);
  } else {
    source.first.vehicle = craft::load_vehicle(o.file, &problems);
    source.save_to = o.file;
  }
  if (!problems.empty()) source.warnings.push_back(config::to_string(problems));
  const craft::VehicleFile& file = source.first.vehicle;
  const auto each_axis = [](const control::LawTraits& t) { return t.each_axis; };
  if (!each_axis(control::traits(file.laws.law)))
    throw std::runtime_error(o.file + ": law: this node flies `" +
                             control::names_of_laws(each_axis) + "` alone, not `" +
                             std::string(to_string(file.laws.law)) +
                             "`: a thruster that tilts the craft takes no allocations of its own");
  if (o.cascaded && o.enable_position && !o.enable_velocity)
    source.warnings.emplace_back(
        "cascaded_pid without enable_velocity_pid: axes in position mode have no effort, because "
        "what the position loops ask for is a velocity");
  if (!(o.setpoint_timeout_s > 0))
    source.warnings.emplace_back(
        "setpoint_timeout: 0: power and velocity are followed for ever, also when their planner "
        "has ended");
  if (file.format == craft::VehicleFormat::kDuke) answer_matrix(o, vehicle_path, source);
  lay_over(o, source.first.vehicle);
  source.first.sends_efforts = true;
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

StateOutcome outcome_of(MeasurementVerdict verdict) {
  switch (verdict) {
    case MeasurementVerdict::kAccepted: return StateOutcome::kUsed;
    case MeasurementVerdict::kNone:
    case MeasurementVerdict::kTimeReversed:
    case MeasurementVerdict::kFirst: return StateOutcome::kFirst;
    case MeasurementVerdict::kNoPose: return StateOutcome::kNoTransform;
    default: return StateOutcome::kRefused;
  }
}

std::unique_ptr<flight::Recorder> log_of(const ControllerOptions& o, const Source& source) {
  if (o.log.empty()) return nullptr;
  return std::make_unique<flight::Recorder>(
      o.log, flight::LogTitle{"controls", "", source.first.vehicle.vehicle.name, 0, {}},
      flight::RecorderOptions{.mcap = {.waits = o.log_waits}});
}

constexpr const char* kBadGains = "Failed to update PID gains. One or more PID gains was invalid.";
constexpr const char* kBadTypes =
    "Failed to update control types. One or more control types was invalid.";

}  // namespace

const char* name_of(Hold hold) {
  static constexpr std::array kNames{"none", "disabled", "no_state", "stale", "latched", "refused"};
  return kNames[static_cast<std::size_t>(hold)];
}

const char* words_of(Hold hold) {
  static constexpr std::array kWords{"Allocations are sent.",
                                     "Nobody has enabled it.",
                                     "No usable state has come yet.",
                                     "State or transform are too old.",
                                     "They were too old for too long: enable again.",
                                     "Something stands against it: see `against`."};
  return kWords[static_cast<std::size_t>(hold)];
}

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
  ControllerOptions options;
  Source source;
  craft::LiveModel live;  ///< Of the thread that saves.
  std::mutex mutex;
  std::shared_ptr<const craft::Generation> next;  ///< Made there, in force from the next step on.
  flight::Flight flight;
  bool is_log_closed = false;
  const stack::Outputs& out;
  stack::Inputs in;
  Arrivals arrivals;
  std::vector<Vec6> pinv_rows;
  flight::EventNames names;
  StateReport state;
  CycleReport cycle;
  std::uint32_t generation = 0;
  std::atomic<std::uint64_t> refused{0};
  bool was_on = false;
  std::vector<std::string> events;

  Impl(const ControllerOptions& o, Source s)
      : options(o),
        source(std::move(s)),
        live(source.first, source.save_to),
        flight(live.generation(), log_of(o, source)),
        out(flight.last()),
        arrivals(o.stamp_dt),
        pinv_rows(vehicle::analyse(flight.model().vehicle).pinv_rows),
        names(flight::event_names(flight.model())) {}

  void step(stack::Phase phase, std::int64_t now_ns) {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      if (next) flight.adopt(std::exchange(next, nullptr));
    }
    in.phase = phase;
    in.now = {now_ns};
    flight.step(in);
    stack::clear(in);
    for (const Event& e : out.events) note(e);
  }

  void note(const Event& e) {
    // a state that is lost shows in the status; a setpoint that is let go of does not
    const bool of_input = e.code == EventCode::kInputStale || e.code == EventCode::kInputMissing ||
                          e.code == EventCode::kInputRecovered;
    if (of_input && e.subject != static_cast<std::int32_t>(stack::InputCode::kSetpoint)) return;
    // a clock that stands says so in every tick
    if (e.code == EventCode::kTimeReversed && e.value == 0) return;
    // these are answered where they were given
    if (e.code == EventCode::kSetpointRejected || e.code == EventCode::kInputRejected) return;
    const bool capped = e.code == EventCode::kPowerCapped || e.code == EventCode::kPowerFree;
    if (capped || e.code == EventCode::kAxisLost || is_all_clear(e.code) ||
        severity_of(e, out.alarms) >= Severity::kWarning)
      events.push_back(flight::sentence(e, names));
  }

  std::string offer(std::uint8_t part, std::int64_t now_ns) {
    const Setpoint wanted = in.setpoint;
    in.has_setpoint = true;
    in.setpoint_parts = part;
    step(stack::Phase::kTake, now_ns);
    using control::SetpointRefusal;
    const stack::SetpointAnswer a = out.setpoint_answer;
    if (a.refusal == SetpointRefusal::kNone) return "";
    ++refused;
    const auto at = static_cast<std::size_t>(std::max(a.axis, 0));
    const std::string name(a.axis >= 0 ? kAxisNames[at] : "");
    switch (a.refusal) {
      case SetpointRefusal::kQuaternionNotUnit:
        return "Invalid desired position orientation. Quaternion must have length 1.";
      case SetpointRefusal::kWrenchLimit: {
        const control::WrenchLimit limit = control::wrench_limits(flight.model().law)[at];
        return fmt::format("Invalid desired power. Axis {}: {} is not between {} and {}.", name,
                           to_vec6(wanted.F_Bo_B)[at], limit.min, limit.max);
      }
      case SetpointRefusal::kNotFinite:
        return "Not a finite number" + (name.empty() ? "." : " on axis " + name + ".");
      case SetpointRefusal::kBeyond: return "Past a limit of the craft's failsafes.";
      default: return "Invalid control type" + (name.empty() ? "." : " on axis " + name + ".");
    }
  }

  PlainAnswer refuse(const std::string& bad, const std::string& why) {
    ++refused;
    return {false, why.empty() ? bad : bad + " " + why};
  }

  PlainAnswer change(const std::vector<std::pair<std::string, double>>& values,
                     const std::string& good, const std::string& bad) {
    // built first, in force next, and saved last: a disk keeps nobody waiting
    const craft::ChangeResult applied = live.set_all(values, false);
    if (!applied.applied) return refuse(bad, "(" + applied.message + ")");
    {
      const std::lock_guard<std::mutex> lock(mutex);
      next = live.generation();
    }
    const craft::ChangeResult saved = live.save(values);
    if (saved.saved) return {true, good, true, false, applied.warning};
    return {true, saved.message, false, true, applied.warning};
  }

  /// `read` has refused every law without.
  [[nodiscard]] control::LoopsView loops() const {
    return *control::view_of_loops(flight.model().law, flight.state().law, out.law);
  }

  void tell_state() {
    const control::LoopsView l = loops();
    state.outcome = outcome_of(out.measured);
    if (state.outcome == StateOutcome::kRefused) ++refused;
    state.delta_time_s = out.measured_dt_s;
    state.position_error = six(l.position_error);
    state.velocity_error = six(l.velocity_error);
    state.position_efforts = six(l.position_effort);
    state.velocity_efforts = six(l.velocity_effort);
    for (std::size_t i = 0; i < kAxes; ++i) {
      state.position[i] = pid(l.position_terms[i], l.position[i].derivative);
      state.velocity[i] = pid(l.velocity_terms[i], l.velocity[i].derivative);
    }
    state.static_power_local = three(l.static_local);
  }

  [[nodiscard]] Hold hold() const {
    if (out.arm == stack::ArmState::kLatchedSafe) return Hold::kLatched;
    if (out.authority != stack::Authority::kSafe) return Hold::kNone;
    if (out.arm != stack::ArmState::kArmed && !flight.state().wants_arm) return Hold::kDisabled;
    if (out.used.validity == Validity::kMissing) return Hold::kNoState;
    return out.used.validity == Validity::kValid ? Hold::kRefused : Hold::kStale;
  }

  void tell_cycle() {
    CycleReport& r = cycle;
    r.hold = hold();
    r.status = r.hold == Hold::kNone;
    r.send = r.status || (was_on && options.zero_on_disable);
    was_on = r.status;
    const Vec6 wanted = to_vec6(out.demand.F_Bo_B), achieved = to_vec6(out.proposed_B);
    r.allocs.assign(out.actuation.effort.begin(), out.actuation.effort.end());
    r.constrained.assign(out.proposed.begin(), out.proposed.end());
    r.unconstrained.resize(pinv_rows.size());
    for (std::size_t i = 0; i < pinv_rows.size(); ++i)
      r.unconstrained[i] = dot(pinv_rows[i], wanted);
    const control::LoopsView l = loops();
    r.base = six(l.base);
    r.unscaled = six(l.unscaled);
    r.set = six(wanted);
    r.actual = six(achieved);
    r.disparity = six(wanted - achieved);
    r.disparity_norm = norm(wanted - achieved);
    const Setpoint& setpoint = control::accepted(flight.state().law);
    for (std::size_t i = 0; i < kAxes; ++i) r.control_types[i] = static_cast<int>(setpoint.mode[i]);
    // 48 numbers that change when somebody tunes
    if (generation == flight.model().generation) return;
    generation = flight.model().generation;
    r.gains.clear();
    gains_of(l.position, 0, r.gains);
    gains_of(l.velocity, 1, r.gains);
    r.static_power_global = three(l.static_force);
    r.power_scale_factor = l.scale;
  }
};

Controller::Controller(const ControllerOptions& options)
    : impl_(std::make_unique<Impl>(options, read(options))) {}

Controller::~Controller() { close_log(); }

void Controller::close_log() {
  flight::Recorder* log = impl_->flight.log();
  if (log != nullptr && !std::exchange(impl_->is_log_closed, true)) log->finish("ended");
}

std::string Controller::desired_position(const PlainPose& X, std::int64_t now_ns) {
  impl_->in.setpoint.X_WD = pose(X);
  return impl_->offer(stack::kPosePart, now_ns);
}
std::string Controller::desired_velocity(const Six& twist, std::int64_t now_ns) {
  impl_->in.setpoint.V_WD_B = to_twist(vec6(twist));
  return impl_->offer(stack::kVelocityPart, now_ns);
}
std::string Controller::desired_power(const Six& twist, std::int64_t now_ns) {
  impl_->in.setpoint.F_Bo_B = to_wrench(vec6(twist));
  return impl_->offer(stack::kWrenchPart, now_ns);
}

PlainAnswer Controller::enable(bool on, std::int64_t now_ns) {
  Impl& m = *impl_;
  if (on && !m.source.doubt.empty()) return m.refuse("Controls not enabled:", m.source.doubt);
  if (!on && m.out.arm == stack::ArmState::kLatchedSafe)
    m.in.commands.push_back({stack::CommandCode::kResetLatch});
  m.in.commands.push_back({on ? stack::CommandCode::kEnable : stack::CommandCode::kDisarm});
  m.step(stack::Phase::kTake, now_ns);
  return {true, on ? "Controls enabled." : "Controls disabled."};
}

PlainAnswer Controller::set_control_types(const std::array<int, 6>& types, std::int64_t now_ns) {
  Impl& m = *impl_;
  for (std::size_t i = 0; i < kAxes; ++i)
    if (types[i] < 0 || types[i] > 2)
      return m.refuse(kBadTypes,
                      fmt::format("({}: {} is none of 0, 1, 2)", kAxisNames[i], types[i]));
  for (std::size_t i = 0; i < kAxes; ++i) m.in.setpoint.mode[i] = static_cast<AxisMode>(types[i]);
  const std::string why = m.offer(stack::kModePart, now_ns);
  if (!why.empty()) return {false, std::string(kBadTypes) + " (" + why + ")"};
  return {true, "Updated control types successfully."};
}

PlainAnswer Controller::reset_pid_loops(std::int64_t now_ns) {
  impl_->in.commands.push_back({stack::CommandCode::kResetControl});
  impl_->step(stack::Phase::kTake, now_ns);
  return {true, "Reset PID loops successfully."};
}

PlainAnswer Controller::set_pid_gains(const std::vector<PlainGain>& gains) {
  static constexpr std::array<const char*, 4> kGains{"kp", "ki", "kd", "ff"};
  static constexpr int kAll = static_cast<int>(kAxes);
  std::vector<std::pair<std::string, double>> values;
  for (std::size_t i = 0; i < gains.size(); ++i) {
    const PlainGain& g = gains[i];
    if (g.loop < 0 || g.loop > 1 || g.axis < 0 || g.axis >= kAll || g.gain < 0 || g.gain > 3)
      return impl_->refuse(kBadGains,
                           fmt::format("(entry {}: loop is 0 or 1, axis 0 to 5, gain 0 to 3)", i));
    if (!std::isfinite(g.value))
      return impl_->refuse(kBadGains, fmt::format("(entry {}: the value is not finite)", i));
    const char* loop = g.loop == 1               ? "velocity"
                       : impl_->options.cascaded ? "position_cascaded"
                                                 : "position";
    const std::string path =
        fmt::format("control.{}.{}.{}", loop, kAxisNames[static_cast<std::size_t>(g.axis)],
                    kGains[static_cast<std::size_t>(g.gain)]);
    // the last of several for one gain wins, and is written once
    std::erase_if(values, [&path](const auto& v) { return v.first == path; });
    values.emplace_back(path, g.value);
  }
  if (values.empty()) return {true, "Updated PID gains successfully."};
  return impl_->change(values, "Updated PID gains successfully.", kBadGains);
}

PlainAnswer Controller::set_static_power(const Three& power) {
  const std::string bad = "Failed to update static power.";
  if (!is_finite(vec3(power))) return impl_->refuse(bad, "A component is not finite.");
  return impl_->change({{"control.static_force.x", power[0]},
                        {"control.static_force.y", power[1]},
                        {"control.static_force.z", power[2]}},
                       "Updated static power successfully.", bad);
}

PlainAnswer Controller::set_power_scale_factor(double factor) {
  const std::string bad = "Failed to update power scale factor.";
  if (!std::isfinite(factor)) return impl_->refuse(bad, "It is not finite.");
  if (factor < 0) return impl_->refuse(bad, "It is negative, which would turn every effort round.");
  return impl_->change({{"control.scale", factor}}, "Updated power scale factor successfully.",
                       bad);
}

const StateReport& Controller::on_state(const StateMessage& message, std::int64_t now_ns,
                                        bool acts) {
  Impl& m = *impl_;
  const Arrivals::Times t = m.arrivals.take(message.stamp_ns, now_ns);
  stack::Inputs& in = m.in;
  in.has_odometry = true;
  in.odometry.stamp = {t.steps_ns};
  in.odometry.older = Time{t.steps_ns} - Time{t.counts_from_ns};
  in.odometry.has_pose = message.transform != nullptr;
  in.odometry.position_std_m = message.position_std_m;
  if (message.transform != nullptr) in.odometry.X_WB = pose(*message.transform);
  in.odometry.V_WB_B = to_twist(vec6(message.twist));
  in.has_attitude = true;
  in.attitude = quat(message.pose.orientation);
  m.step(acts ? stack::Phase::kAct : stack::Phase::kTake, now_ns);
  m.tell_state();
  if (acts) m.tell_cycle();
  return m.state;
}

const CycleReport& Controller::allocate(std::int64_t now_ns) {
  impl_->step(stack::Phase::kAct, now_ns);
  impl_->tell_cycle();
  return impl_->cycle;
}

const CycleReport& Controller::last_cycle() const { return impl_->cycle; }

double Controller::age_s() const {
  const estimation::EstimatorState& s = impl_->flight.state().odometry;
  if (!s.has_measurement) return std::numeric_limits<double>::infinity();
  return (impl_->out.now - (s.last.stamp - s.last.older)).seconds();
}
std::uint64_t Controller::refused() const { return impl_->refused; }
double Controller::rate_Hz() const { return impl_->source.first.vehicle.control_rate_Hz; }
std::string Controller::vehicle_name() const { return impl_->source.first.vehicle.vehicle.name; }
std::vector<std::string> Controller::warnings() const { return impl_->source.warnings; }
std::vector<std::string> Controller::take_events() { return std::exchange(impl_->events, {}); }

std::string Controller::against() const {
  const stack::Outputs& out = impl_->out;
  // armed, it is a failsafe that has taken over
  return out.obstacles != 0 ? flight::pre_arm_list(out.obstacles, out.failsafe)
                            : flight::failsafes_on(out.failsafe);
}

Faults Controller::faults() const { return faults_of(impl_->out.alarms, impl_->names); }

std::string Controller::log_trouble() const {
  flight::Recorder* log = impl_->flight.log();
  return log != nullptr ? log->trouble() : std::string();
}

}  // namespace pintle::ros1
