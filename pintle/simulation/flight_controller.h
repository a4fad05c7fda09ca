/// A flight controller: closes the inner loops of an aircraft, takes velocities and a few requests,
/// says what it does, with the latencies and refusals of a real one. For craft in a simulated world
/// whose law has one.
///
///   take control   refused while its pilot has it (a fault of the world)
///   take off       refused without control, off the ground, on a battery below a limit; climbs by
///                  itself to take_off_height_m and is done once it hovers there
///   land           always; straight down, touch-down seen in its own thrust and speed, motors off
///                  after a while, done then
///   motion         obeyed while airborne and in control; older than motion_timeout_s: it brakes
///                  and holds its place by itself. So it does after control is released
///
/// Inside it is a stack of its own on the same vehicle file, with a law that carries the craft. Its state
/// is the truth with what an inertial navigation adds: a position that wanders (random walk) and
/// noise on the velocity and heading that it reports. Below critical_battery it lands by itself and
/// takes control away.
///
/// Not modelled: a pilot who flies, modes other than these, arming checks of its own.
#pragma once
#include <memory>

#include "pintle/base/aircraft.h"
#include "pintle/base/random.h"
#include "pintle/simulation/names.h"
#include "pintle/world_params/device_faults.h"
#include "pintle/world_params/flight_controller.h"

namespace pintle::simulation {

/// What the flight controller feels by itself.
struct FlightSensors {
  Time now;
  Pose X_WB;
  Twist V_WB_B;
  double battery = 1;
  double bus_V = 16;
};

class SimulatedFlightController {
 public:
  /// @throws std::invalid_argument for a vehicle that cannot fly by that law.
  SimulatedFlightController(const VehicleFile& vehicle, const world::FlightControllerParams& params,
                            const std::vector<world::DeviceFault>& faults, std::uint64_t seed);
  ~SimulatedFlightController();

  void request(const FlightRequest& request) noexcept;
  void command(const MotionCommand& motion) noexcept;
  [[nodiscard]] bool take_report(FlightReport& report) noexcept;

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

}  // namespace pintle::simulation
