/// MuJoCo as the plant of a simulated world (`plant: mujoco`).
///
/// The craft is one free body: its dry mass, whose fuel the world adds, and a ball at each foot,
/// one centimetre in radius, whose lowest point is the foot while the craft stands upright.
/// Integrated by RK4. Does not model: water, links that move (build a MujocoPlant for those).
#pragma once
#include "pintle/world/plant_factory.h"

namespace pintle::mujoco {

/// For world::WorldOptions. May throw std::invalid_argument when called.
[[nodiscard]] world::PlantFactory plant_factory();

}  // namespace pintle::mujoco
