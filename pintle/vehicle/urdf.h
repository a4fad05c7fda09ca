/// Robots in URDF as structures: links with mass and inertia, fixed, revolute, continuous and
/// prismatic joints, boxes, spheres and cylinders that touch.
///
/// The root link is the body. No link is merged into another, so that everything can be found by
/// its name. A fixed link without <inertial> weighs nothing, as in URDF. Joint limits are taken
/// from revolute and prismatic joints, damping from <dynamics>. Source: the format at
/// wiki.ros.org/urdf. Does not read: meshes as shapes (told), floating and planar joints, mimic,
/// transmissions, extensions of simulators, xacro.
#pragma once
#include <filesystem>
#include <string_view>
#include <vector>

#include "pintle/config/problem.h"
#include "pintle/vehicle/structure.h"

namespace pintle::vehicle {

struct UrdfModel {
  Structure structure;
  std::vector<config::Problem> warnings;
};

/// @throws config::ConfigError with every problem at once.
[[nodiscard]] UrdfModel parse_urdf(std::string_view text, const std::filesystem::path& file);
[[nodiscard]] UrdfModel load_urdf(const std::filesystem::path& file);

}  // namespace pintle::vehicle
