#include <cmath>
#include <string>
#include <string_view>

#include "pintle/base/rotation.h"
#include "pintle/control/thrust_vector.h"

namespace pintle::control {
namespace {

void want_range(Findings& out, std::string path, double x, double low, double high) {
  if (x >= low && x <= high) return;
  out.push_back({std::move(path),
                 "expected " + text(low) + " to " + text(high) + ", found " + text(x),
                 "write a number inside", true});
}

void want_not_negative(Findings& out, const std::string& path, Vec3 v) {
  constexpr std::array names{".x", ".y", ".z"};
  for (std::size_t i = 0; i < 3; ++i) want_range(out, path + names[i], v[i], 0, kLargest);
}

}  // namespace

Findings check(const ThrustVectorParams& p) {
  Findings out;
  want_not_negative(out, "position_gain", p.position_gain);
  want_not_negative(out, "velocity_gain", p.velocity_gain);
  want_not_negative(out, "velocity_integral", p.velocity_integral);
  want_not_negative(out, "attitude_gain", p.attitude_gain);
  want_not_negative(out, "max_rate_rad_s", p.max_rate_rad_s);
  want_not_negative(out, "rate_gain", p.rate_gain);
  want_range(out, "torque_share", p.torque_share, 0, 1);
  want_range(out, "full_torque_rad_s", p.full_torque_rad_s, 1e-3, kLargest);
  want_range(out, "torque_time_s", p.torque_time_s, 0, 1);
  want_range(out, "integral_limit_m_s2", p.integral_limit_m_s2, 0, kLargest);
  want_range(out, "max_speed_m_s", p.max_speed_m_s, 0, kLargest);
  want_range(out, "max_climb_m_s", p.max_climb_m_s, 0, kLargest);
  want_range(out, "max_descent_m_s", p.max_descent_m_s, 0, kLargest);
  want_range(out, "max_acceleration_m_s2", p.max_acceleration_m_s2, 0, kLargest);
  want_range(out, "max_tilt_rad", p.max_tilt_rad, 0, 1.5);
  want_range(out, "min_lift", p.min_lift, 0.01, 1);
  for (std::size_t i = 0; i < kAxes; ++i)
    want_range(out, "weight." + std::string(kAxisNames[i]), p.weight[i], 0, kLargest);
  for (std::size_t i = 0; i < 3; ++i)
    if (p.rate_gain[i] > 0 && p.attitude_gain[i] > 0.5 * p.rate_gain[i])
      out.push_back({"attitude_gain." + std::string(1, "xyz"[i]),
                     "above half of rate_gain (" + text(p.rate_gain[i]) +
                         ") the attitude swings: the inner loop has to be the faster one",
                     "write at most " + text(0.5 * p.rate_gain[i]), false});
  return out;
}

}  // namespace pintle::control

namespace pintle {

using namespace control;

template <>
const Table& table_of<ThrustVectorParams>() {
  using P = ThrustVectorParams;
  static const Table table =
      TableBuilder<P>("ThrustVectorParams",
                      "A craft that pushes along its z axis: position to velocity to tilt and "
                      "thrust, attitude to rate to torque.")
          .field("position_gain", &P::position_gain, "1/s", "Velocity wanted per metre of error.")
          .field("velocity_gain", &P::velocity_gain, "1/s",
                 "Acceleration wanted per m/s of velocity error.")
          .field("velocity_integral", &P::velocity_integral, "1/s^2",
                 "Acceleration gained per m/s of velocity error and second.")
          .field("integral_limit_m_s2", &P::integral_limit_m_s2, "m/s^2",
                 "Most that each integral may reach, either way.")
          .at_least(0)
          .field("max_speed_m_s", &P::max_speed_m_s, "m/s",
                 "Horizontal speed wanted at most, far from the goal.")
          .at_least(0)
          .field("max_climb_m_s", &P::max_climb_m_s, "m/s", "Upward speed wanted at most.")
          .at_least(0)
          .field("max_descent_m_s", &P::max_descent_m_s, "m/s", "Downward speed wanted at most.")
          .at_least(0)
          .field("max_acceleration_m_s2", &P::max_acceleration_m_s2, "m/s^2",
                 "Horizontal acceleration wanted at most.")
          .at_least(0)
          .field("max_tilt_rad", &P::max_tilt_rad, "rad", "Most that the thrust may lean from up.")
          .range(0, 1.5)
          .field("min_lift", &P::min_lift, "",
                 "Least upward thrust over the weight: falling faster costs the attitude.")
          .range(0.01, 1)
          .field("attitude_gain", &P::attitude_gain, "1/s", "Rate wanted per radian of error.")
          .field("max_rate_rad_s", &P::max_rate_rad_s, "rad/s", "Rate wanted at most.")
          .field("rate_gain", &P::rate_gain, "1/s",
                 "Angular acceleration wanted per rad/s of rate error.")
          .field("torque_share", &P::torque_share, "",
                 "Of the torque that there is about an axis, what turns ask for at most; 0: no "
                 "account is taken of it.")
          .range(0, 1)
          .field("torque_time_s", &P::torque_time_s, "s",
                 "Time constant that smooths the torque of turns, so that noise of the state does "
                 "not reach fins and gimbal; short against 1 / rate_gain. 0: none.")
          .range(0, 1)
          .field("full_torque_rad_s", &P::full_torque_rad_s, "rad/s",
                 "Rate missing that is worth that share: gains fade with the torque there is.")
          .above(0)
          .field(
              "weight", &P::weight, "",
              "How much each axis counts when not all can be achieved; x and y are not demanded.")
          .at_least(0)
          .keyed(kAxisNames)
          .field("group", &P::group, "",
                 "Priority of each axis: group 0 is served first, whatever it costs the others.")
          .keyed(kAxisNames)
          .build();
  return table;
}

template <>
const Table& table_of<ThrustVectorState>() {
  using S = ThrustVectorState;
  static const Table table =
      TableBuilder<S>("ThrustVectorState", "What the thrust-vector law remembers.")
          .field("integral", &S::integral, "m/s^2", "Integral of the velocity error, world.")
          .field("setpoint", &S::setpoint, "", "The last one accepted.")
          .field("held", &S::held, "", "The last force was cut.")
          .field("cut_along", &S::cut_along, "N", "Wanted minus given force, world.")
          .build();
  return table;
}

template <>
const Table& table_of<ThrustVectorTrace>() {
  using T = ThrustVectorTrace;
  static const Table table =
      TableBuilder<T>("ThrustVectorTrace", "How a demand came about, for tuning.")
          .field("wanted_velocity_W", &T::wanted_velocity_W, "m/s", "After its limits, world.")
          .field("wanted_acceleration_W", &T::wanted_acceleration_W, "m/s^2",
                 "After its limits, world.")
          .field("wanted_force_W", &T::wanted_force_W, "N", "Before it is cut, world.")
          .field("force_W", &T::force_W, "N", "After thrust and tilt have cut it, world.")
          .field("q_WD", &T::q_WD, "", "The attitude that gives that force.")
          .field("turn_B", &T::turn_B, "rad", "Tilt and heading error, body.")
          .field("wanted_rate_B", &T::wanted_rate_B, "rad/s", "After its limits, body.")
          .field("tilt_limited", &T::tilt_limited, "", "The tilt allowed was too small.")
          .field("thrust_limited", &T::thrust_limited, "", "The thrust there is was too small.")
          .build();
  return table;
}

}  // namespace pintle
