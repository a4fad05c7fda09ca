/// Originals' files as vehicle files: their control numbers onto our parameters, `behaviour: reference`.
#pragma once
#include "pintle/stack/load.h"
#include "pintle/vehicle/duke.h"
#include "pintle/vehicle/subjugator.h"

namespace pintle::stack {

/// Duke robot: three loops, limits, static wrench and scale; 20 Hz; r = 0.
[[nodiscard]] VehicleFile import_duke(config::Reader& reader, const config::Document& document, std::string_view name);

/// SubjuGator layout: r = 1e-4 (`/thruster_layout`) or 1 (`/busses`). It holds no control gains: they stay zero,
/// wrenches come from a planner.
[[nodiscard]] VehicleFile import_subjugator(config::Reader& reader, const config::Document& document,
                                            std::string_view name);

[[nodiscard]] control::SixAxisParams to_control(const vehicle::DukeRobot& robot);

}  // namespace pintle::stack
