/// What a mission's simulated flight controller is like (`flight_controller:` of a vehicle file); what
/// it does stands in simulation/flight_controller.h.
#pragma once
#include "pintle/base/fields.h"
#include "pintle/base/finding.h"

namespace pintle::world {

struct FlightControllerParams {
  double rate_Hz = 100;
  double report_rate_Hz = 50;
  double answer_delay_s = 0.1;
  double take_off_height_m = 1.2;
  double take_off_speed_m_s = 0.6;
  double take_off_timeout_s = 15;  ///< Not airborne by then: failed, it lands.
  double landing_speed_m_s = 0.5;
  double motors_off_after_s = 2;
  double motion_timeout_s = 0.5;
  double min_battery_to_take_off = 0.25;
  double critical_battery = 0.1;
  double max_speed_m_s = 5, max_climb_m_s = 3, max_yaw_rate_rad_s = 1.5;
  double velocity_noise_m_s = 0.01, heading_noise_deg = 0.5;
  double position_walk_m = 0.01;  ///< Standard deviation after a second; grows with its root.
};

[[nodiscard]] Findings check(const FlightControllerParams& params);

}  // namespace pintle::world

namespace pintle {
template <>
const Table& table_of<world::FlightControllerParams>();
}
