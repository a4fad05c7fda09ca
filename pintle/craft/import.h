/// Originals' files as vehicle files: their control numbers onto our parameters, `behaviour:
/// reference`.
#pragma once
#include "pintle/craft/load.h"
#include "pintle/vehicle/duke.h"
#include "pintle/vehicle/subjugator.h"

namespace pintle::craft {

/// Duke robot: three loops, limits, static wrench and scale; 20 Hz; r = 0.
[[nodiscard]] VehicleFile import_duke(config::Reader& reader, const config::Document& document,
                                      std::string_view name);

/// SubjuGator layout: r = 1e-4 (`/thruster_layout`) or 1 (`/busses`). It holds no control gains:
/// they stay zero, wrenches come from a planner.
[[nodiscard]] VehicleFile import_subjugator(config::Reader& reader,
                                            const config::Document& document,
                                            std::string_view name);

struct OneLoop {
  control::PidParams pid;
  control::Behaviour behaviour = control::Behaviour::kSafe;
};
/// Of the section `control` of a vehicle or robot file: of the rest only the sections of laws are
/// read and checked.
/// `loop`: "position", "position_cascaded", "velocity"; `axis`: as in kAxisNames.
/// @throws config::ConfigError with every problem of the file at once; std::invalid_argument for a
/// loop or axis that is none of these.
[[nodiscard]] OneLoop load_loop(const std::filesystem::path& file, std::string_view loop,
                                std::string_view axis);

}  // namespace pintle::craft
