/// A flight controller: closes the inner loops of an aircraft, takes velocities and a few requests,
/// says what it does. `FlightController` is what a stack needs of any; `SimulatedFlightController`
/// is one with the latencies and refusals of a real one, for `law: velocity` in a simulated world.
///
///   take control   refused while its pilot has it (a fault of the world)
///   take off       refused without control, off the ground, on a battery below a limit; climbs by
///                  itself to take_off_height_m and is done once it hovers there
///   land           always; straight down, touch-down seen in its own thrust and speed, motors off
///                  after a while, done then
///   motion         obeyed while airborne and in control; older than motion_timeout_s: it brakes
///                  and holds its place by itself. So it does after control is released
///
/// Inside it is a stack of its own with the law `thrust_vector` on the same vehicle file. Its state
/// is the truth with what an inertial navigation adds: a position that wanders (random walk) and
/// noise on the velocity and heading that it reports. Below critical_battery it lands by itself and
/// takes control away.
///
/// Not modelled: a pilot who flies, modes other than these, arming checks of its own.
#pragma once
#include <memory>

#include "pintle/base/aircraft.h"
#include "pintle/base/random.h"
#include "pintle/stack/signals.h"
#include "pintle/world/device_faults.h"

namespace pintle::stack {

struct VehicleFile;

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

/// What a stack needs of any flight controller. No call waits.
class FlightController {
 public:
  virtual ~FlightController() = default;
  /// Taken on when its number is newer than the one before; anything else is no request.
  virtual void request(const FlightRequest& request) noexcept = 0;
  /// Sent in every tick.
  virtual void command(const MotionCommand& motion) noexcept = 0;
  /// What it said last, once; false: nothing new.
  [[nodiscard]] virtual bool take_report(FlightReport& report) noexcept = 0;

 protected:
  FlightController() = default;
  FlightController(const FlightController&) = default;
  FlightController& operator=(const FlightController&) = default;
};

/// What the flight controller feels by itself.
struct FlightSensors {
  Time now;
  Pose X_WB;
  Twist V_WB_B;
  double battery = 1;
  double bus_V = 16;
};

class SimulatedFlightController final : public FlightController {
 public:
  /// @throws std::invalid_argument for a vehicle that cannot fly with `thrust_vector`.
  SimulatedFlightController(const VehicleFile& vehicle, const FlightControllerParams& params,
                            const std::vector<world::DeviceFault>& faults, std::uint64_t seed);
  ~SimulatedFlightController() override;

  void request(const FlightRequest& request) noexcept override;
  void command(const MotionCommand& motion) noexcept override;
  [[nodiscard]] bool take_report(FlightReport& report) noexcept override;

  /// One cycle; called at `rate_Hz`. What it sends to the motors.
  const PropulsorCommands& step(const FlightSensors& sensors) noexcept;

  [[nodiscard]] Duration period() const noexcept;
  [[nodiscard]] FlightPhase phase() const noexcept;
  /// While it flies, as in a world file; uses the heap.
  void break_it(const world::DeviceFault& fault);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pintle::stack

namespace pintle {
template <>
const Table& table_of<stack::FlightControllerParams>();
}
