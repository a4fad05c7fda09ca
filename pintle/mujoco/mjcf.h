/// Models in MuJoCo's own format as structures.
///
/// The file must hold one craft: one body under the world, which becomes the root, whatever its
/// free joint and place. A body with several joints gets a massless link for each but the last,
/// named "BODY/JOINT"; a joint off its body's origin likewise. Boxes, spheres and cylinders touch.
/// Does not read: ball joints, meshes and other shapes (told), actuators, tendons, equality.
#pragma once
#include <filesystem>
#include <vector>

#include "pintle/config/problem.h"
#include "pintle/vehicle/structure.h"

namespace pintle::mujoco {

struct MjcfModel {
  vehicle::Structure structure;
  std::vector<config::Problem> warnings;
};

/// At most 4 MiB; MuJoCo has 0.8 s and 176 MiB for it, tried out in a process of its own
/// (config/bounded.h).
/// @throws config::ConfigError with what MuJoCo says of the file, or why it is no craft.
[[nodiscard]] MjcfModel load_mjcf(const std::filesystem::path& file);

}  // namespace pintle::mujoco
