/// From files to models: assembles the sections of a vehicle and a mission, each checked by the
/// room that owns it.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pintle/config/document.h"
#include "pintle/stack/tick.h"
#include "pintle/world/params.h"

namespace pintle::stack {

/// A vehicle file with all its sections. Duke and SubjuGator files are read too (behaviour:
/// reference).
struct VehicleFile {
  vehicle::VehicleSpec vehicle;
  double control_rate_Hz = 20;
  control::SixAxisParams control;
  allocation::Objective allocation;
  estimation::EstimatorParams estimation;
  SafetyParams safety;
  std::vector<config::Problem> warnings;
};

/// A mission file: the vehicle it flies, what it changes there, the world, the states.
struct MissionFile {
  std::string name;
  std::filesystem::path vehicle_file;
  std::uint64_t seed = 1;
  VehicleFile vehicle;  ///< With the mission's own `control:` … sections put over it.
  mission::MissionSpec mission;
  world::WorldParams world;
  std::vector<config::Problem> warnings;
};

/// @throws config::ConfigError with every problem at once.
[[nodiscard]] VehicleFile load_vehicle(const std::filesystem::path& file);
[[nodiscard]] VehicleFile read_vehicle(const config::Document& document);
[[nodiscard]] MissionFile load_mission(const std::filesystem::path& file);

/// The tick's model. @throws std::invalid_argument on what the checks report.
[[nodiscard]] Model build_model(const VehicleFile& file, const mission::MissionSpec* mission,
                                std::uint32_t generation = 1);

/// JSON Schemas of the native formats: file name ("vehicle-1.json") and text.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> schemas();

}  // namespace pintle::stack
