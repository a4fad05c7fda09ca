/// What a simulated craft says of its inside and its battery: dry, 25 C, 101.3 kPa, the charge of
/// the world's battery, but for `device_faults:` of the mission; five times a second, to stacks whose
/// failsafes ask for it. A supervised craft's charge comes from its flight controller.
#pragma once
#include "pintle/simulation/names.h"
#include "pintle/world_params/device_faults.h"

namespace pintle::simulation {

class HullSensors {
 public:
  explicit HullSensors(const MissionFile& mission);

  /// `charge`: of the world's battery, 0 to 1.
  void sense(Time now, double charge, Inputs& in);

 private:
  world::DeviceFaults hull_, battery_;
  std::uint8_t told_;  ///< HousekeepingField.
  Time due_{};
};

}  // namespace pintle::simulation
