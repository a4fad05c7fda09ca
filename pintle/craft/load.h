/// From files to models: assembles the sections of a vehicle and a mission, each checked by the
/// room that owns it.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pintle/config/document.h"
#include "pintle/craft/input_faults.h"
#include "pintle/craft/names.h"
#include "pintle/world_params/flight_controller.h"
#include "pintle/world_params/params.h"

namespace pintle::craft {

/// Where a vehicle file comes from.
enum class VehicleFormat : std::uint8_t { kNative, kDuke, kSubjugatorLayout, kSubjugatorBusses };

/// A vehicle file with all its sections. Duke and SubjuGator files are read too (behaviour:
/// reference).
struct VehicleFile {
  VehicleFormat format = VehicleFormat::kNative;
  vehicle::VehicleSpec vehicle;
  double control_rate_Hz = 20;
  control::LawSections laws;
  control::HoverSlamParams landing;
  SurroundingsParams surroundings;
  allocation::Objective allocation;
  allocation::PowerParams power;
  estimation::EstimatorParams estimation;
  estimation::WindParams wind;
  SafetyParams safety;
  FailsafeParams failsafes;
  AlarmParams alarms;
  estimation::DetectorParams detector;
  world::FlightControllerParams flight_controller;     ///< Of the simulated one.
  OdometryFrame odometry_frame = OdometryFrame::kEnu;  ///< In which odometry is declared to come.
};

/// A mission file: the vehicle it flies, what it changes there, the world, the states.
struct MissionFile {
  std::string name, description;
  std::filesystem::path vehicle_path;  ///< As found from the mission file.
  std::uint64_t seed = 1;
  VehicleFile vehicle;        ///< With the mission's own sections put over it.
  VehicleFile vehicle_alone;  ///< As its own file has it: what a flight controller flies.
  mission::MissionSpec mission;
  world::WorldParams world;  ///< With the mission's faults.
  std::vector<InputFault> input_faults;
  std::vector<config::Problem> warnings;
  /// Every file that was read, as (path relative to the mission's folder, text): the log keeps them
  /// for replay.
  std::vector<std::pair<std::string, std::string>> files;
};

/// Opens files by path; a replay puts the log's copies here. The default reads the disk.
using FileSource = std::function<config::Document(const std::filesystem::path&)>;
[[nodiscard]] config::Document open_from_disk(const std::filesystem::path& file);

/// @throws config::ConfigError with every problem at once. Warnings are appended to `warnings` if
/// given.
[[nodiscard]] VehicleFile load_vehicle(const std::filesystem::path& file,
                                       std::vector<config::Problem>* warnings = nullptr,
                                       const FileSource& open = open_from_disk);
[[nodiscard]] MissionFile load_mission(const std::filesystem::path& file,
                                       const FileSource& open = open_from_disk);

/// A world file alone; whether its faults name propulsors is checked with the mission that uses it.
[[nodiscard]] world::WorldParams load_world(const std::filesystem::path& file,
                                            std::vector<config::Problem>* warnings = nullptr,
                                            const FileSource& open = open_from_disk);

/// Goals that the vehicle's failsafes would stop the craft on its way to: errors.
[[nodiscard]] Findings check_goals(const FailsafeParams& failsafes,
                                   const mission::MissionSpec& mission);

/// The tick's model. `mission` may be null: a planner then gives the setpoints.
/// @throws std::invalid_argument on what the checks report.
[[nodiscard]] Model build_model(const VehicleFile& file, const mission::MissionSpec* mission,
                                std::uint32_t generation = 1);

/// Everything that a model is made of, whatever files it came from: what a log keeps of each
/// generation, so that a replay needs nothing else.
struct Configuration {
  std::uint32_t generation = 1;
  VehicleFile vehicle;
  std::optional<mission::MissionSpec> mission;  ///< None: a planner gives the setpoints.
  // see Model
  bool sends_efforts = false, single_precision = false;
  double least_effort = 0;
};

/// A configuration and what was made of it. Immutable: a change makes the next one, off the tick.
struct Generation {
  /// @throws std::invalid_argument on what the checks report.
  explicit Generation(Configuration c);
  Configuration configuration;
  Model model;
};

/// What kind of file a document is: by its `format:`, else by its shape, so that a file with a
/// misspelt format gets every other answer too. @throws config::ConfigError when it is none.
enum class FileKind : std::uint8_t { kVehicle, kMission, kWorld };
[[nodiscard]] FileKind kind_of(const config::Document& document);

/// JSON Schemas of the native formats: file name ("vehicle-1.json") and text.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> schemas();

}  // namespace pintle::craft

namespace pintle {
template <>
const Table& table_of<craft::VehicleFile>();
template <>
const Table& table_of<craft::Configuration>();
}  // namespace pintle
