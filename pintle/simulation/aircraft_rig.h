/// What stands between a tick whose law leaves the propulsors to a flight controller and a
/// simulated world: that flight controller, and the ways of reports and requests.
///
///   world -> odometry in the source's frame -> the declared frame -> Inputs
///   world -> flight controller, gripper, camera -> Inputs
///   Outputs -> flight controller -> world;   Outputs -> gripper
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pintle/base/odometry_frame.h"
#include "pintle/simulation/flight_controller.h"
#include "pintle/simulation/names.h"
#include "pintle/world/world.h"

namespace pintle::simulation {

/// What a stack makes of odometry that comes in one frame while it was told of another. Heading,
/// position and velocity are converted, roll and pitch stay. Both the same: not a bit changes.
[[nodiscard]] estimation::Measurement measurement_of(const world::OdometrySample& sample,
                                                     OdometryFrame source, OdometryFrame declared);

class AircraftRig {
 public:
  AircraftRig(const MissionFile& mission, std::uint64_t seed);

  /// Reports that have come since the last tick.
  void sense(world::World& world, Inputs& in);
  /// Hands over what a tick has decided and lets time pass.
  void advance(world::World& world, const Outputs& out, Time until);
  /// A device misbehaves from now on as the fault says, wherever it is: see
  /// world/device_faults.h.
  void break_device(world::World& world, const world::DeviceFault& fault);
  [[nodiscard]] const SimulatedFlightController& controller() const noexcept { return controller_; }

 private:
  SimulatedFlightController controller_;
  Time due_{};
};

/// Where it was armed, and whether the stack knew its height, from the truth: both count from where
/// the craft stood at the start.
class HeightFigures {
 public:
  void take(const Outputs& out, const world::Truth& truth);
  [[nodiscard]] std::vector<std::pair<std::string, double>> list() const;

 private:
  std::optional<double> ground_m_, armed_at_m_;
  double error_m_ = 0;  ///< Largest, armed and with a valid state.
};

/// How it ended, from the truth: distances of payload and marker, craft and pad, charge left. Only
/// what there is in the world; the payload is its first free body.
[[nodiscard]] std::vector<std::pair<std::string, double>> aircraft_figures(
    const world::WorldParams& params, const world::Truth& truth);

}  // namespace pintle::simulation
