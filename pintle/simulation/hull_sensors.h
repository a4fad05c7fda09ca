/// What a simulated craft says of its inside, its battery and what is around it: dry, 25 C, 101.3 kPa,
/// the charge of the world's battery, but for `device_faults:` of the mission, the way to the world's
/// ground and its wind; five times a second, to stacks whose failsafes ask for it. A supervised craft's
/// charge comes from its flight controller; what lands on an engine has no sensor of wind.
#pragma once
#include "pintle/simulation/names.h"
#include "pintle/world/ground.h"
#include "pintle/world/world.h"
#include "pintle/world_params/device_faults.h"

namespace pintle::simulation {

class HullSensors {
 public:
  explicit HullSensors(const MissionFile& mission);

  void sense(Time now, const world::World& world, Inputs& in);

 private:
  world::DeviceFaults hull_, battery_;
  world::Ground ground_;
  std::uint8_t told_;  ///< HousekeepingField.
  Time due_{};
};

}  // namespace pintle::simulation
