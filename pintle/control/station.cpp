#include "pintle/control/station.h"

#include <algorithm>
#include <cmath>

#include "pintle/base/rotation.h"
#include "pintle/control/pid.h"

namespace pintle::control {
namespace {

constexpr double kLongestStep_s = 1, kSubStep_s = 0.02;
constexpr std::array<std::size_t, 3> kAxis{0, 1, 5};

/// Turned about z; the third component is a yaw and stays.
Vec3 turned(Vec3 v, double angle) noexcept {
  const double c = std::cos(angle), s = std::sin(angle);
  return {c * v.x - s * v.y, s * v.x + c * v.y, v.z};
}

Vec3 times(Vec3 a, Vec3 b) noexcept { return {a.x * b.x, a.y * b.y, a.z * b.z}; }

Vec3 planar(const Pose& X, double yaw_near) noexcept {
  const double yaw = yaw_of(normalized(X.q));
  return {X.p.x, X.p.y, yaw_near + wrap_angle(yaw - yaw_near)};
}

void set_down(StationState& s, Vec3 y) noexcept {
  s.pose = s.measured = y;
  s.velocity = s.wave = s.wave_integral = {};
  s.shaping = {};
  s.begun = true;
}

/// Rates of the estimate, or what they have made of it.
struct Rates {
  Vec3 pose, velocity, bias, wave, wave_integral;
};

Rates rates(const StationParams& p, const StationState& s, Vec3 y) noexcept {
  const double wo = p.wave_frequency_rad_s, wc = p.observer_rad_s, l = p.wave_damping;
  const Vec3 e = y - s.pose - s.wave;
  const Vec3 pull = p.motion_rad_s * p.motion_rad_s * times(p.mass, turned(e, -y.z));
  const Vec3 force = s.sent + turned(s.bias, -y.z) + pull - times(p.damping, s.velocity);
  Rates r;
  r.pose = turned(s.velocity, y.z) + wc * e;
  r.velocity = {force.x / p.mass.x, force.y / p.mass.y, force.z / p.mass.z};
  r.bias = p.bias_rad_s * turned(pull, y.z);
  if (!(wo > 0)) return r;
  const double k1 = -2 * (1 - l) * wc / wo, k2 = 2 * wo * (1 - l);
  r.wave_integral = s.wave + k1 * e;
  r.wave = k2 * e - (wo * wo) * s.wave_integral - (2 * l * wo) * s.wave;
  return r;
}

StationState after(const StationState& s, const Rates& r, double h) noexcept {
  StationState to = s;
  to.pose += h * r.pose;
  to.velocity += h * r.velocity;
  to.bias += h * r.bias;
  to.wave += h * r.wave;
  to.wave_integral += h * r.wave_integral;
  return to;
}

/// By the midpoint rule; between two measurements lies a straight line.
void observe(const StationParams& p, StationState& s, Vec3 y, double dt_s) noexcept {
  const int steps = std::max(1, static_cast<int>(std::ceil(dt_s / kSubStep_s - 1e-9)));
  const double h = dt_s / steps;
  const Vec3 from = s.measured, way = y - s.measured;
  for (int i = 0; i < steps; ++i) {
    const StationState middle = after(s, rates(p, s, from + (i / double(steps)) * way), h / 2);
    s = after(s, rates(p, middle, from + ((i + 0.5) / steps) * way), h);
  }
  s.measured = y;
}

/// The demand, from the estimate to the reference.
void steer(const StationParams& p, StationState& s, const LawInput& in,
           StationTrace& trace) noexcept {
  const double yaw = s.pose.z;
  // the slow ship, level: what floats is none of the reference's business
  const Pose X{{s.pose.x, s.pose.y, in.X_WB.p.z}, from_rpy({0, 0, yaw})};
  const Twist V{{s.velocity.x, s.velocity.y, 0}, {0, 0, s.velocity.z}};
  Setpoint level = s.setpoint;
  level.X_WD.q = from_rpy({0, 0, yaw_of(normalized(s.setpoint.X_WD.q))});
  const Shaped r = shape(p.motion_limits, s.shaping, level, X, V, in.dt_s);

  const Vec3 to_r = planar(r.X_WR, yaw);
  const Vec3 error = turned(s.pose - to_r, -yaw);
  const Vec3 bias_B = turned(s.bias, -yaw);
  const Vec6 wrench = to_vec6(s.setpoint.F_Bo_B);
  s.demand = {};
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t axis = kAxis[k];
    const AxisMode mode = s.setpoint.mode[axis];
    if (mode == AxisMode::kWrench) {
      s.demand[axis] = wrench[axis];
      continue;
    }
    const double wn = p.natural_frequency_rad_s[k];
    const double pull = mode == AxisMode::kPosition ? wn * wn * error[k] : 0;
    const double brake = 2 * p.damping_ratio[k] * wn * (s.velocity[k] - r.V_R_B[axis]);
    s.demand[axis] =
        p.damping[k] * s.velocity[k] - p.mass[k] * (pull + brake - r.A_R_B[axis]) - bias_B[k];
  }
  trace = {s.pose, s.velocity, s.bias, s.wave, r.X_WR, r.V_R_B, error, s.demand};
}

}  // namespace

SetpointRefusal accept(const StationParams&, StationState& state, const Setpoint& setpoint,
                       int* axis, bool) noexcept {
  if (axis != nullptr) *axis = -1;
  for (std::size_t i = 0; i < kAxes; ++i)
    if (static_cast<unsigned>(setpoint.mode[i]) > static_cast<unsigned>(AxisMode::kWrench)) {
      if (axis != nullptr) *axis = static_cast<int>(i);
      return SetpointRefusal::kBadMode;
    }
  const Setpoint& s = setpoint;
  if (!is_usable(s.X_WD.p) || !is_finite(s.X_WD) || !is_usable(s.V_WD_B.v) ||
      !is_usable(s.V_WD_B.w) || !is_usable(s.F_Bo_B.force) || !is_usable(s.F_Bo_B.torque))
    return SetpointRefusal::kNotFinite;
  if (!(std::abs(std::sqrt(squared_norm(s.X_WD.q)) - 1) < 1e-6))
    return SetpointRefusal::kQuaternionNotUnit;
  state.setpoint = setpoint;
  return SetpointRefusal::kNone;
}

bool measure(const StationParams& p, StationState& s, const LawInput& in,
             StationTrace& trace) noexcept {
  if (!in.fresh) return true;
  if (!is_usable(in.X_WB.p) || !is_finite(in.X_WB) || !(squared_norm(in.X_WB.q) > 0) ||
      !std::isfinite(in.dt_s))
    return false;
  const Vec3 y = planar(in.X_WB, s.pose.z);
  if (!s.begun || in.begins || in.dt_s > kLongestStep_s)
    set_down(s, y);
  else if (in.dt_s > 0)
    observe(p, s, y, in.dt_s);
  steer(p, s, in, trace);
  return true;
}

WrenchDemand demand(const StationParams& p, const StationState& s, const StationTrace&) noexcept {
  WrenchDemand out{to_wrench(s.demand), p.weight, p.group};
  for (const std::size_t axis : {2U, 3U, 4U}) out.weight[axis] = 0;
  return out;
}

void achieved(const StationParams&, StationState& s, const Vec6&, const Vec6&, const Vec6& sent,
              double, bool) noexcept {
  const Vec3 given{sent[0], sent[1], sent[5]};
  if (is_usable(given)) s.sent = given;
}

void reset(const StationParams&, StationState& s, ResetCause cause) noexcept {
  if (cause == ResetCause::kArmed) s.shaping = {};
  if (cause != ResetCause::kAsked) return;
  const Setpoint kept = s.setpoint;
  s = {};
  s.setpoint = kept;
}

Findings check(const StationParams& p) {
  Findings out;
  const auto want = [&out](std::string path, double x, bool above_zero) {
    if ((above_zero ? x > 0 : x >= 0) && is_usable(x)) return;
    out.push_back({std::move(path), above_zero ? "expected a number above 0" : "expected 0 or more",
                   "turn the sign, or write what the ship has", true});
  };
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string axis(1, "xyz"[i]);
    want("mass." + axis, p.mass[i], true);
    want("damping." + axis, p.damping[i], false);
    want("natural_frequency_rad_s." + axis, p.natural_frequency_rad_s[i], true);
    want("damping_ratio." + axis, p.damping_ratio[i], false);
  }
  want("wave_frequency_rad_s", p.wave_frequency_rad_s, false);
  want("observer_rad_s", p.observer_rad_s, true);
  want("motion_rad_s", p.motion_rad_s, true);
  want("bias_rad_s", p.bias_rad_s, false);
  if (!(p.wave_damping >= 0 && p.wave_damping < 1))
    out.push_back(
        {"wave_damping", "expected a number from 0 to 1, and below it", "write 0.1", true});
  if (p.wave_frequency_rad_s > 0 && !(p.observer_rad_s > p.wave_frequency_rad_s))
    out.push_back({"observer_rad_s", "not above wave_frequency_rad_s the observer is not passive",
                   "write 1.2 times the frequency of the waves", true});
  if (p.wave_frequency_rad_s > 0 && !(p.bias_rad_s < p.wave_frequency_rad_s))
    out.push_back({"bias_rad_s", "not below wave_frequency_rad_s waves are taken for current",
                   "write a tenth of the frequency of the waves", true});
  if (!(p.observer_rad_s * kSubStep_s < 0.5) || !(p.motion_rad_s * kSubStep_s < 0.5) ||
      !(p.wave_frequency_rad_s * kSubStep_s < 0.5))
    out.push_back({"observer_rad_s", "faster than the observer is stepped (25 rad/s)",
                   "no ship moves like this: write rad/s", true});
  for (std::size_t i = 0; i < kAxes; ++i) {
    const std::string axis(kAxisNames[i]);
    want("weight." + axis, p.weight[i], false);
    for (Finding f : check(p.motion_limits[i])) {
      f.path = "motion_limits." + axis + "." + f.path;
      out.push_back(std::move(f));
    }
    if (i >= 2 && i < 5 && p.motion_limits[i].max_velocity > 0)
      out.push_back(
          {"motion_limits." + axis, "has no effect: this axis floats", "take it out", false});
  }
  return out;
}

}  // namespace pintle::control

namespace pintle {

using control::StationParams;
using control::StationState;
using control::StationTrace;

template <>
const Table& table_of<StationParams>() {
  using P = StationParams;
  static const Table table =
      TableBuilder<P>("StationParams", "A ship that holds place and heading by its thrusters.")
          .field("mass", &P::mass, "",
                 "Surge and sway, kg, and yaw, kg m^2 (as x, y, z), with the water moved along.")
          .field("damping", &P::damping, "", "Of the same at low speed: N s/m, N s/m, N m s/rad.")
          .field("natural_frequency_rad_s", &P::natural_frequency_rad_s, "rad/s",
                 "How fast surge, sway and yaw come back.")
          .field("damping_ratio", &P::damping_ratio, "", "Of that; 1 does not overshoot.")
          .field("wave_frequency_rad_s", &P::wave_frequency_rad_s, "rad/s",
                 "Of the waves that are not to be fought; 0: none is filtered.")
          .at_least(0)
          .field("wave_damping", &P::wave_damping, "", "How broad the sea is about that.")
          .range(0, 1)
          .field("observer_rad_s", &P::observer_rad_s, "rad/s",
                 "How fast the estimate of the position follows; above the waves.")
          .above(0)
          .field("motion_rad_s", &P::motion_rad_s, "rad/s", "The same of the velocity.")
          .above(0)
          .field("bias_rad_s", &P::bias_rad_s, "rad/s",
                 "The same of what pushes steadily; well below the waves.")
          .at_least(0)
          .field("motion_limits", &P::motion_limits, "",
                 "How the ship may be asked to move: x, y and yaw, m and rad.")
          .keyed(kAxisNames)
          .field("weight", &P::weight, "",
                 "How much x, y and yaw count when not all can be achieved; the others float.")
          .at_least(0)
          .keyed(kAxisNames)
          .field("group", &P::group, "",
                 "Priority of each axis: group 0 is served first, whatever it costs the others.")
          .keyed(kAxisNames)
          .build();
  return table;
}

template <>
const Table& table_of<StationState>() {
  using S = StationState;
  static const Table table =
      TableBuilder<S>("StationState", "What the station law remembers.")
          .field("begun", &S::begun, "", "There is an estimate.")
          .field("pose", &S::pose, "", "Estimated: x, y, m; yaw, rad.")
          .field("velocity", &S::velocity, "", "Estimated, body axes: m/s, m/s, rad/s.")
          .field("bias", &S::bias, "", "What nothing explains, world axes: N, N, N m.")
          .field("wave", &S::wave, "", "Part of the pose that waves make.")
          .field("wave_integral", &S::wave_integral, "", "Its integral.")
          .field("measured", &S::measured, "", "Last: x, y, m; yaw, rad.")
          .field("sent", &S::sent, "", "Surge, sway and yaw as really given.")
          .field("demand", &S::demand, "", "The last one.")
          .field("shaping", &S::shaping, "", "The reference.")
          .field("setpoint", &S::setpoint, "", "The last one accepted.")
          .build();
  return table;
}

template <>
const Table& table_of<StationTrace>() {
  using T = StationTrace;
  static const Table table =
      TableBuilder<T>("StationTrace", "How a demand came about, for tuning.")
          .field("pose", &T::pose, "", "Without the waves: x, y, m; yaw, rad.")
          .field("velocity", &T::velocity, "", "Without the waves, body axes: m/s, m/s, rad/s.")
          .field("bias", &T::bias, "", "What nothing explains, world axes: N, N, N m.")
          .field("wave", &T::wave, "", "Part of the pose that waves make: m, m, rad.")
          .field("reference", &T::reference, "", "What is followed.")
          .field("reference_velocity", &T::reference_velocity, "",
                 "How that moves, body axes: m/s, then rad/s.")
          .field("error", &T::error, "", "Estimate minus reference, body axes: m, m, rad.")
          .field("demand", &T::demand, "", "What is allocated.")
          .build();
  return table;
}

}  // namespace pintle
