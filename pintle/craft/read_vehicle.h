/// One vehicle file, read and checked, problems collected. For the sources of this room.
#pragma once
#include <filesystem>
#include <string_view>

#include "pintle/config/reader.h"
#include "pintle/craft/load.h"

namespace pintle::craft {

/// Reads and checks a vehicle file of any format. `stem` names a vehicle whose file gives no name.
/// @throws config::ConfigError when the document is another kind of file.
[[nodiscard]] VehicleFile read_vehicle(config::Reader& reader, const config::Document& document,
                                       std::string_view stem);

/// The files that `camera` of a vehicle names, as found from the vehicle's folder. What is wrong
/// inside of them is appended to `others`. Answers those that could be read, by the names that the
/// vehicle has for them.
std::vector<std::pair<std::filesystem::path, config::Document>> read_camera(
    config::Reader& reader, const config::Document& document, const std::filesystem::path& path,
    const FileSource& open, VehicleFile& file, std::vector<config::Problem>& others);

/// The warnings of a reader and of other files that were read with it.
/// @throws config::ConfigError with everything, when there is an error among it.
[[nodiscard]] std::vector<config::Problem> finish(config::Reader& reader,
                                                  const std::vector<config::Problem>& others);

/// What of its wrench matrix files does not agree with its propulsors; warnings.
[[nodiscard]] Findings check_matrix_files(const VehicleFile& file, const config::Document& document,
                                          const std::filesystem::path& path);

/// What the rooms say about the sections that a mission may change; paths from the file's root.
[[nodiscard]] Findings check_sections(const VehicleFile& file);

}  // namespace pintle::craft
