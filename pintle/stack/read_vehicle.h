/// One vehicle file, read and checked, problems collected. For the sources of this room.
#pragma once
#include <string_view>

#include "pintle/config/reader.h"
#include "pintle/stack/load.h"

namespace pintle::stack {

/// Reads and checks a vehicle file of any format. `stem` names a vehicle whose file gives no name.
/// @throws config::ConfigError when the document is another kind of file.
[[nodiscard]] VehicleFile read_vehicle(config::Reader& reader, const config::Document& document,
                                       std::string_view stem);

/// What the rooms say about the sections that a mission may change; paths from the file's root.
[[nodiscard]] Findings check_sections(const VehicleFile& file);

}  // namespace pintle::stack
