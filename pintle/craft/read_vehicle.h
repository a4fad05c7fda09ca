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

/// What of its wrench matrix files does not agree with its propulsors; warnings.
[[nodiscard]] Findings check_matrix_files(const VehicleFile& file, const config::Document& document,
                                          const std::filesystem::path& path);

/// What the rooms say about the sections that a mission may change; paths from the file's root.
[[nodiscard]] Findings check_sections(const VehicleFile& file);

}  // namespace pintle::craft
