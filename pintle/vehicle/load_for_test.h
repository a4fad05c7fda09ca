/// Loads vehicle files of any format in the tests of this room.
#pragma once
#include <filesystem>
#include <string>

#include "pintle/config/document.h"
#include "pintle/config/reader.h"
#include "pintle/vehicle/duke.h"
#include "pintle/vehicle/subjugator.h"
#include "pintle/vehicle/vehicle.h"

namespace pintle::vehicle {

inline std::filesystem::path shipped(const std::string& name) {
  return std::filesystem::path(PINTLE_SOURCE_DIR) / "vehicles" / name;
}

/// The vehicle part of a file; warnings are errors here: what ships is clean.
inline VehicleSpec load_spec(const std::filesystem::path& file) {
  const config::Document document = config::Document::load(file);
  config::Reader reader(document);
  VehicleSpec spec;
  if (is_duke_file(document)) {
    spec = to_spec(read_duke(reader, document), file.stem().string());
  } else if (is_thruster_layout(document) || is_busses(document)) {
    spec = to_spec(read_subjugator(reader, document), file.stem().string());
  } else {
    config::ReadOptions options;
    // laws, limits and the rest are other rooms'
    options.ignore_unknown = true;
    reader.read(document.root(), spec, options);
    reader.add(check(spec), document.root());
  }
  if (!reader.problems().empty()) throw config::ConfigError(reader.problems());
  return spec;
}

}  // namespace pintle::vehicle
