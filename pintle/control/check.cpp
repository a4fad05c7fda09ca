#include <cmath>
#include <string>
#include <string_view>

#include "pintle/control/pid.h"
#include "pintle/control/six_axis.h"

namespace pintle::control {
namespace {

constexpr double kLargestForce = 1e6;  // the vehicle's unit; more than any craft weighs

void want_usable(Findings& out, std::string path, double x) {
  if (is_usable(x)) return;
  out.push_back(
      {std::move(path), "expected a finite number, found " + text(x), "write a number", true});
}

void want_not_negative(Findings& out, std::string path, double x) {
  if (x >= 0) return;
  out.push_back({std::move(path), "expected 0 or more, found " + text(x), "turn the sign", true});
}

void want_order(Findings& out, std::string path, std::string_view low_name, double low,
                double high) {
  if (!is_usable(low) || !is_usable(high) || low <= high) return;
  out.push_back(
      {std::move(path),
       "expected at least " + std::string(low_name) + " (" + text(low) + "), found " + text(high),
       "exchange the two", true});
}

/// `strict`: a loop that pushes away from its setpoint is refused, not told.
void append(Findings& out, const std::string& prefix, const Findings& of_part, bool strict) {
  for (Finding f : of_part) {
    const bool is_gain = f.path == "kp" || f.path == "ki" || f.path == "kd";
    f.is_error = f.is_error || (strict && is_gain);
    f.path = prefix + "." + f.path;
    out.push_back(std::move(f));
  }
}

void check_axis(Findings& out, const SixAxisParams& p, std::size_t i) {
  const std::string axis(kAxisNames[i]);
  const bool strict = p.behaviour == Behaviour::kSafe;
  append(out, "position." + axis, check(p.position[i]), strict);
  append(out, "position_cascaded." + axis, check(p.position_cascaded[i]), strict);
  append(out, "velocity." + axis, check(p.velocity[i]), strict);

  const WrenchLimit& limit = p.desired_wrench_limits[i];
  const std::string path = "desired_wrench_limits." + axis;
  want_usable(out, path + ".min", limit.min);
  want_usable(out, path + ".max", limit.max);
  want_order(out, path + ".max", "min", limit.min, limit.max);

  want_usable(out, "weight." + axis, p.weight[i]);
  if (!std::isnan(p.weight[i])) want_not_negative(out, "weight." + axis, p.weight[i]);
}

/// Anti-windup that no loop takes part in was meant to do something.
bool anti_windup_is_idle(const SixAxisParams& p) {
  if (!p.anti_windup) return false;
  const PerAxis<PidParams>& position = p.cascaded ? p.position_cascaded : p.position;
  for (std::size_t i = 0; i < kAxes; ++i)
    if (position[i].back_calculation > 0 || p.velocity[i].back_calculation > 0) return false;
  return true;
}

/// What is limited of how the axes move, and whether anything goes by it.
void check_motion(Findings& out, const SixAxisParams& p) {
  const bool brakes = p.position_law == PositionLaw::kSquareRoot;
  bool any = false, any_acceleration = false;
  for (std::size_t i = 0; i < kAxes; ++i) {
    append(out, "motion_limits." + std::string(kAxisNames[i]), check(p.motion_limits[i]), true);
    any = any || p.motion_limits[i].max_velocity > 0;
    any_acceleration = any_acceleration || p.motion_limits[i].max_acceleration > 0;
  }
  if (p.position_law != PositionLaw::kLinear && !brakes)
    out.push_back(
        {"position_law", "expected linear or square_root", "write  position_law: linear", true});
  const bool reference = p.behaviour == Behaviour::kReference;
  for (const auto& [path, on] :
       {std::pair{"shape_setpoints", p.shape_setpoints}, std::pair{"position_law", brakes}})
    if (reference && on)
      out.push_back({path, "the original knows no such thing",
                     "take it out, or write  behaviour: safe", true});
  if (p.shape_setpoints && !any)
    out.push_back({"shape_setpoints", "no axis has a limit to move by",
                   "write  motion_limits: {x: {max_velocity: …, max_acceleration: …, max_jerk: …}}",
                   true});
  if (brakes && !p.cascaded)
    out.push_back({"position_law", "square_root gives velocities, and cascaded is off",
                   "write  cascaded: true", true});
  if (brakes && !any_acceleration)
    out.push_back({"position_law", "no axis has an acceleration to brake with",
                   "write  motion_limits: {x: {max_velocity: …, max_acceleration: …, max_jerk: …}}",
                   true});
  if (any && !p.shape_setpoints && !brakes)
    out.push_back({"motion_limits", "nothing goes by them", "write  shape_setpoints: true", false});
}

}  // namespace

Findings check(const PidParams& p) {
  Findings out;
  want_usable(out, "kp", p.kp);
  want_usable(out, "ki", p.ki);
  want_usable(out, "kd", p.kd);
  want_usable(out, "ff", p.ff);
  want_usable(out, "min_effort", p.min_effort);
  want_usable(out, "max_effort", p.max_effort);
  want_order(out, "max_effort", "min_effort", p.min_effort, p.max_effort);
  if (p.derivative != Derivative::kCalculated && p.derivative != Derivative::kProvided)
    out.push_back({"derivative", "expected calculated (0) or provided (1)",
                   "write  derivative: calculated", true});

  // no limit at all, infinity, is a ramp that one may want
  want_not_negative(out, "error_ramp_rate", p.error_ramp_rate);
  want_usable(out, "integral_limit", p.integral_limit);
  if (is_usable(p.integral_limit)) want_not_negative(out, "integral_limit", p.integral_limit);
  want_usable(out, "back_calculation", p.back_calculation);
  if (is_usable(p.back_calculation)) want_not_negative(out, "back_calculation", p.back_calculation);
  want_usable(out, "filter_cutoff_Hz", p.filter_cutoff_Hz);
  if (is_usable(p.filter_cutoff_Hz)) want_not_negative(out, "filter_cutoff_Hz", p.filter_cutoff_Hz);

  for (const auto& [name, gain] : {std::pair{"kp", p.kp}, {"ki", p.ki}, {"kd", p.kd}})
    if (gain < 0)
      out.push_back({name, "a negative gain (" + text(gain) + ") pushes away from the setpoint",
                     "turn the sign, unless this is meant", false});
  return out;
}

Findings check(const SixAxisParams& p) {
  Findings out;
  if (p.behaviour != Behaviour::kReference && p.behaviour != Behaviour::kSafe)
    out.push_back({"behaviour", "expected reference or safe", "write  behaviour: safe", true});
  for (std::size_t i = 0; i < kAxes; ++i) check_axis(out, p, i);
  want_usable(out, "static_force.x", p.static_force.x);
  want_usable(out, "static_force.y", p.static_force.y);
  want_usable(out, "static_force.z", p.static_force.z);
  want_usable(out, "scale", p.scale);
  want_not_negative(out, "scale", p.scale);
  if (p.scale == 0 && p.behaviour == Behaviour::kSafe)
    out.push_back({"scale", "0 sends nothing, whatever the loops ask for",
                   "write a number above 0; to stop, disarm", true});
  for (const auto& [name, force] :
       {std::pair{"x", p.static_force.x}, {"y", p.static_force.y}, {"z", p.static_force.z}})
    if (is_usable(force) && !(std::fabs(force) <= kLargestForce))
      out.push_back(
          {std::string("static_force.") + name,
           "expected a force of at most " + text(kLargestForce) + ", found " + text(force),
           "write what holds the craft in the vehicle's unit", true});
  if (p.cascaded && !p.enable_velocity)
    out.push_back({"enable_velocity",
                   "cascaded position control ends in the velocity loops, which are off: axes in "
                   "position mode get no effort",
                   "turn enable_velocity on or cascaded off", false});
  check_motion(out, p);
  if (anti_windup_is_idle(p))
    out.push_back({"anti_windup", "has no effect, because back_calculation is 0 in every loop",
                   "set back_calculation of the loops with ki, 1 per second to begin with", false});
  return out;
}

}  // namespace pintle::control
