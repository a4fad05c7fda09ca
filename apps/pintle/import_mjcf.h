/// Models in MuJoCo's format in `pintle import`, where the build has the room for them.
#pragma once
#include <filesystem>
#include <vector>

#include "pintle/config/problem.h"
#include "pintle/vehicle/structure.h"

namespace pintle::app {

struct MjcfCraft {
  vehicle::Structure structure;
  std::vector<config::Problem> warnings;
};

/// @throws config::ConfigError; one that says so where the build reads no MJCF.
[[nodiscard]] MjcfCraft read_mjcf(const std::filesystem::path& file);

}  // namespace pintle::app
