/// Everything that is wrong with one file, of whatever kind: what `pintle check` says.
#pragma once
#include <filesystem>
#include <vector>

#include "pintle/craft/load.h"

namespace pintle::craft {

/// Every problem of a vehicle, mission or world file or of a list of propulsors, and of the files
/// that it names; warnings included. Empty: the file is as it should be. Nothing is built, changed
/// or saved.
[[nodiscard]] std::vector<config::Problem> problems_of(const std::filesystem::path& file,
                                                       const FileSource& open = open_from_disk);

}  // namespace pintle::craft
