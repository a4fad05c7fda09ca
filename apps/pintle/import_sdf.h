/// SDF models in `pintle import`, where the build has the room for them.
#pragma once
#include <filesystem>
#include <optional>
#include <vector>

#include "pintle/vehicle/jets_ini.h"
#include "pintle/vehicle/structure.h"

namespace pintle::app {

struct SdfCraft {
  vehicle::Structure structure;
  std::optional<vehicle::JetsIni> jets;  ///< Of its plugin, if it has one and they were wanted.
  std::vector<config::Problem> warnings;
};

/// Before anything else that a verb does: see full_program.h. @throws config::ConfigError; one that says so where the build reads no SDF.
[[nodiscard]] SdfCraft read_sdf(const std::filesystem::path& file, bool with_plugin,
                                const std::vector<std::filesystem::path>& folders);

}  // namespace pintle::app
