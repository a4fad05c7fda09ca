#include "pintle/world_params/flight_controller.h"

namespace pintle {

using world::FlightControllerParams;

template <>
const Table& table_of<FlightControllerParams>() {
  using P = world::FlightControllerParams;
  static const Table table =
      TableBuilder<P>("FlightController", "The simulated flight controller of an aircraft.")
          .field("rate_Hz", &P::rate_Hz, "Hz", "Cycles of its inner loops.")
          .range(20, 1000)
          .field("report_rate_Hz", &P::report_rate_Hz, "Hz", "Reports.")
          .range(1, 1000)
          .field("answer_delay_s", &P::answer_delay_s, "s", "From a request to its being taken up.")
          .range(0, 60)
          .field("take_off_height_m", &P::take_off_height_m, "m", "Climbed by itself at take-off.")
          .range(0.1, 100)
          .field("take_off_speed_m_s", &P::take_off_speed_m_s, "m/s", "Upwards meanwhile.")
          .range(0.05, 10)
          .field("take_off_timeout_s", &P::take_off_timeout_s, "s",
                 "Not at that height by then: take-off has failed, it lands.")
          .range(1, 600)
          .field("landing_speed_m_s", &P::landing_speed_m_s, "m/s", "Downwards when it lands.")
          .range(0.05, 5)
          .field("motors_off_after_s", &P::motors_off_after_s, "s", "On the ground.")
          .range(0, 60)
          .field("motion_timeout_s", &P::motion_timeout_s, "s",
                 "A motion command older than this: it hovers by itself.")
          .range(0.02, 60)
          .field("min_battery_to_take_off", &P::min_battery_to_take_off, "",
                 "Charge below which take-off is refused.")
          .range(0, 1)
          .field("critical_battery", &P::critical_battery, "",
                 "Charge below which it lands by itself.")
          .range(0, 1)
          .field("max_speed_m_s", &P::max_speed_m_s, "m/s", "Horizontal, of motion commands.")
          .range(0.1, 100)
          .field("max_climb_m_s", &P::max_climb_m_s, "m/s", "Up and down, of motion commands.")
          .range(0.1, 100)
          .field("max_yaw_rate_rad_s", &P::max_yaw_rate_rad_s, "rad/s", "Of motion commands.")
          .range(0.05, 20)
          .field("velocity_noise_m_s", &P::velocity_noise_m_s, "m/s",
                 "Standard deviation of the noise of the velocity that it reports.")
          .range(0, 10)
          .field("heading_noise_deg", &P::heading_noise_deg, "deg", "The same of its compass.")
          .range(0, 90)
          .field("position_walk_m", &P::position_walk_m, "m",
                 "Wandering of the place that it holds: standard deviation after a second.")
          .range(0, 10)
          .build();
  return table;
}

}  // namespace pintle

namespace pintle::world {

Findings check(const FlightControllerParams& p) {
  Findings out;
  if (p.critical_battery > p.min_battery_to_take_off)
    out.push_back({"critical_battery", "expected at most min_battery_to_take_off",
                   "a craft that takes off must not have to land at once"});
  return out;
}

}  // namespace pintle::world
