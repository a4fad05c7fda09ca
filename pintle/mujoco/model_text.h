/// A structure as MJCF text. For sources of this room.
#pragma once
#include <string>

#include "pintle/mujoco/mujoco_plant.h"

namespace pintle::mujoco {

/// Masses are placeholders off every axis of symmetry: MuJoCo must not treat a body as simple (its
/// mass matrix diagonal for ever), because true masses are written later and may change. Bodies
/// come in the order of the links, after the world.
[[nodiscard]] std::string model_text(const vehicle::Structure& structure,
                                     const MujocoSettings& settings, const world::Ground& ground,
                                     const std::vector<world::BodySpec>& bodies);

/// Of a body of the world in that text, and of the weld that holds it.
[[nodiscard]] std::string body_name(std::size_t i);

}  // namespace pintle::mujoco
