/// How a world gets a plant of a room that it does not know.
#pragma once
#include <functional>
#include <memory>

#include "pintle/vehicle/vehicle.h"
#include "pintle/world/ground.h"
#include "pintle/world/plant.h"

namespace pintle::world {

/// Makes the plant of a craft: link 0 is its body, dry. May throw std::invalid_argument.
using PlantFactory = std::function<std::unique_ptr<Plant>(const vehicle::Vehicle& craft,
                                                          double gravity_m_s2, const Ground& ground,
                                                          const std::vector<BodySpec>& bodies)>;

}  // namespace pintle::world
