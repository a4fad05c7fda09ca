#include "pintle/stack/controls.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pintle/allocation/allocator.h"
#include "pintle/vehicle/effectiveness.h"

namespace pintle {

template <>
const EnumTable& enum_table<stack::ControlsHold>() {
  using stack::ControlsHold;
  static constexpr std::array<EnumValue, 5> values{
      EnumValue{static_cast<std::int64_t>(ControlsHold::kNone), "none", "Allocations are sent."},
      EnumValue{static_cast<std::int64_t>(ControlsHold::kDisabled), "disabled",
                "Nobody has enabled it."},
      EnumValue{static_cast<std::int64_t>(ControlsHold::kNoState), "no_state",
                "No usable state has come yet."},
      EnumValue{static_cast<std::int64_t>(ControlsHold::kStale), "stale",
                "State or transform are too old."},
      EnumValue{static_cast<std::int64_t>(ControlsHold::kLatched), "latched",
                "They were too old for too long: enable again."}};
  static constexpr EnumTable table{"ControlsHold", values};
  return table;
}

}  // namespace pintle

namespace pintle::stack {
namespace {

constexpr const char* kBadGains = "Failed to update PID gains. One or more PID gains was invalid.";
constexpr const char* kBadTypes =
    "Failed to update control types. One or more control types was invalid.";

/// The law's own settings come from the node's parameters, not from the file.
VehicleFile with_options(VehicleFile file, const ControlsOptions& options) {
  file.control.enable_position = options.enable_position;
  file.control.enable_velocity = options.enable_velocity;
  file.control.cascaded = options.cascaded;
  return file;
}

}  // namespace

Controls::Controls(VehicleFile file, const ControlsOptions& options, std::filesystem::path save_to)
    : options_(options),
      live_(with_options(std::move(file), options), nullptr, std::move(save_to)),
      model_(live_.current()),
      pinv_rows_(vehicle::analyse(model_->vehicle).pinv_rows) {}

std::string Controls::offer(const Setpoint& wanted) {
  int axis = -1;
  const control::SetpointRefusal why =
      control::set_setpoint(model_->control, state_, wanted, &axis);
  if (why == control::SetpointRefusal::kNone) return "";
  ++refused_;
  const auto at = static_cast<std::size_t>(std::max(axis, 0));
  const std::string name(axis >= 0 ? kAxisNames[at] : "");
  switch (why) {
    case control::SetpointRefusal::kQuaternionNotUnit:
      return "Invalid desired position orientation. Quaternion must have length 1.";
    case control::SetpointRefusal::kWrenchLimit: {
      const control::WrenchLimit limit = model_->control.desired_wrench_limits[at];
      return fmt::format("Invalid desired power. Axis {}: {} is not between {} and {}.", name,
                         to_vec6(wanted.F_Bo_B)[at], limit.min, limit.max);
    }
    case control::SetpointRefusal::kNotFinite:
      return "Not a finite number" + (name.empty() ? "." : " on axis " + name + ".");
    default: return "Invalid control type" + (name.empty() ? "." : " on axis " + name + ".");
  }
}

std::string Controls::desired_position(const Pose& X_WD) {
  Setpoint wanted = state_.setpoint;
  wanted.X_WD = X_WD;
  return offer(wanted);
}

std::string Controls::desired_velocity(const Twist& V_WD_B) {
  Setpoint wanted = state_.setpoint;
  wanted.V_WD_B = V_WD_B;
  return offer(wanted);
}

std::string Controls::desired_power(const Wrench& F_Bo_B) {
  Setpoint wanted = state_.setpoint;
  wanted.F_Bo_B = F_Bo_B;
  return offer(wanted);
}

ControlsAnswer Controls::enable(bool on) {
  enabled_ = on;
  latched_ = false;
  // a loss from before is not counted against the new attempt
  lost_ = false;
  return {true, on ? "Controls enabled." : "Controls disabled."};
}

ControlsAnswer Controls::refuse(const std::string& bad, const std::string& why) {
  ++refused_;
  return {false, why.empty() ? bad : bad + " " + why};
}

ControlsAnswer Controls::set_control_types(const std::array<int, kAxes>& types) {
  Setpoint wanted = state_.setpoint;
  for (std::size_t i = 0; i < kAxes; ++i) {
    if (types[i] < 0 || types[i] > 2)
      return refuse(kBadTypes, fmt::format("({}: {} is none of 0, 1, 2)", kAxisNames[i], types[i]));
    wanted.mode[i] = static_cast<AxisMode>(types[i]);
  }
  const std::string why = offer(wanted);
  if (!why.empty()) return {false, std::string(kBadTypes) + " (" + why + ")"};
  return {true, "Updated control types successfully."};
}

ControlsAnswer Controls::change(const std::vector<std::pair<std::string, double>>& values,
                                const std::string& good, const std::string& bad) {
  const ChangeResult result = live_.set_all(values);
  if (!result.applied) return refuse(bad, "(" + result.message + ")");
  model_ = live_.current();
  if (result.saved || result.message.empty()) return {true, good};
  return {true, result.message, true};
}

ControlsAnswer Controls::set_pid_gains(const std::vector<GainChange>& changes) {
  static constexpr std::array<const char*, 4> kGains{"kp", "ki", "kd", "ff"};
  std::vector<std::pair<std::string, double>> values;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const GainChange& c = changes[i];
    if (c.loop > 1 || c.axis >= kAxes || c.gain > 3)
      return refuse(kBadGains,
                    fmt::format("(entry {}: loop is 0 or 1, axis 0 to 5, gain 0 to 3)", i));
    if (!std::isfinite(c.value))
      return refuse(kBadGains, fmt::format("(entry {}: the value is not finite)", i));
    const char* loop = c.loop == 1         ? "velocity"
                       : options_.cascaded ? "position_cascaded"
                                           : "position";
    const std::string path =
        fmt::format("control.{}.{}.{}", loop, kAxisNames[c.axis], kGains[c.gain]);
    // the last of several for one gain wins, and is written once
    const auto found = std::find_if(values.begin(), values.end(),
                                    [&path](const auto& v) { return v.first == path; });
    if (found != values.end())
      found->second = c.value;
    else
      values.emplace_back(path, c.value);
  }
  if (values.empty()) return {true, "Updated PID gains successfully."};
  return change(values, "Updated PID gains successfully.", kBadGains);
}

ControlsAnswer Controls::reset_pid_loops() {
  control::reset(model_->control, state_);
  return {true, "Reset PID loops successfully."};
}

ControlsAnswer Controls::set_static_power(Vec3 force_W) {
  const std::string bad = "Failed to update static power.";
  if (!is_finite(force_W)) return refuse(bad, "A component is not finite.");
  return change({{"control.static_force.x", force_W.x},
                 {"control.static_force.y", force_W.y},
                 {"control.static_force.z", force_W.z}},
                "Updated static power successfully.", bad);
}

ControlsAnswer Controls::set_power_scale_factor(double scale) {
  const std::string bad = "Failed to update power scale factor.";
  if (!std::isfinite(scale)) return refuse(bad, "It is not finite.");
  if (scale < 0) return refuse(bad, "It is negative, which would turn every effort round.");
  return change({{"control.scale", scale}}, "Updated power scale factor successfully.", bad);
}

bool Controls::needs_state() const {
  if (!(model_->control.static_force == Vec3{})) return true;
  return std::any_of(state_.setpoint.mode.begin(), state_.setpoint.mode.end(),
                     [](AxisMode m) { return m != AxisMode::kWrench; });
}

double Controls::age_s(Time now) const {
  return has_good_ ? (now - last_good_).seconds() : std::numeric_limits<double>::infinity();
}

void Controls::judge(Time now) {
  // a clock that was set back must not make old things young for long
  if (now < last_good_) last_good_ = now;
  if (lost_ && now < lost_at_) lost_at_ = now;
  hold_ = ControlsHold::kNone;
  if (!enabled_) {
    hold_ = ControlsHold::kDisabled;
  } else if (latched_) {
    hold_ = ControlsHold::kLatched;
  } else if (options_.state_timeout_s > 0 && needs_state()) {
    const double age = age_s(now);
    if (!(age <= options_.state_timeout_s))
      hold_ = has_good_ ? ControlsHold::kStale : ControlsHold::kNoState;
  }
  const bool lost = hold_ == ControlsHold::kStale;
  if (lost && !lost_) lost_at_ = now;
  lost_ = lost;
  if (lost && options_.latch_after_s > 0 && (now - lost_at_).seconds() >= options_.latch_after_s) {
    latched_ = true;
    hold_ = ControlsHold::kLatched;
  }
}

StateUse Controls::on_state(const Pose& X_WB, const Twist& V_WB_B, const Pose* transform, Time at,
                            Time now) {
  double dt = has_state_ ? (at - last_state_).seconds() : 0;
  // after a gap (or a clock that jumped) the loops begin again instead of integrating over it
  const double limit = options_.state_timeout_s;
  if (limit > 0 && (dt > limit || (now - last_arrival_).seconds() > limit)) dt = 0;
  has_state_ = true;
  last_state_ = at;
  last_arrival_ = now;
  if (transform == nullptr) {
    trace_.delta_time_s = dt;
    return StateUse::kNoTransform;
  }
  const control::SixAxisInput input{*transform, X_WB.q, V_WB_B};
  if (!control::update(model_->control, state_, input, dt, trace_)) {
    ++refused_;
    return StateUse::kRefused;
  }
  // the efforts of before a loss are not sent again: it takes two states to compute new ones
  if (!(dt > 0)) return StateUse::kFirst;
  has_good_ = true;
  last_good_ = now;
  return StateUse::kUsed;
}

void Controls::allocate(Time now, double dt_s, ControlsCycle& cycle) {
  judge(now);
  const WrenchDemand demand = control::demand(model_->control, state_, trace_);
  Allocation a;
  allocation::allocate(prepared_, model_->allocation, model_->effectiveness, demand, nullptr, a);
  cycle.base = trace_.base;
  cycle.unscaled = trace_.unscaled;
  cycle.wanted = to_vec6(demand.F_Bo_B);
  cycle.achieved = to_vec6(a.achieved);
  control::note_achieved(model_->control, state_, cycle.wanted, cycle.achieved,
                         hold_ == ControlsHold::kNone ? dt_s : 0.0);

  cycle.constrained.assign(a.effort.begin(), a.effort.end());
  cycle.unconstrained.resize(pinv_rows_.size());
  for (std::size_t i = 0; i < pinv_rows_.size(); ++i)
    cycle.unconstrained[i] = dot(pinv_rows_[i], cycle.wanted);
  cycle.status = hold_ == ControlsHold::kNone;
  cycle.send = cycle.status || (was_on_ && options_.zero_on_disable);
  if (cycle.status)
    cycle.allocs = cycle.constrained;
  else
    cycle.allocs.assign(cycle.constrained.size(), 0.0);
  was_on_ = cycle.status;
}

const control::PerAxis<control::PidParams>& Controls::position_loop() const {
  return options_.cascaded ? model_->control.position_cascaded : model_->control.position;
}

}  // namespace pintle::stack
