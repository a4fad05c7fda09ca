#include "pintle/craft/file_tables.h"

#include "pintle/config/json_schema.h"

namespace pintle {

using namespace craft;

template <>
const Table& table_of<VehicleFile>() {
  static const Table table =
      TableBuilder<VehicleFile>("VehicleFile", "A vehicle: what it is and how it is controlled.")
          .inlined(&VehicleFile::vehicle)
          .field("control_rate_Hz", &VehicleFile::control_rate_Hz, "Hz",
                 "Rate of control and allocation.")
          .range(0.1, 10000)
          .inlined(&VehicleFile::laws)
          .field("landing", &VehicleFile::landing, "",
                 "How it lands on its engine: mission states with `land`.")
          .field("wind", &VehicleFile::wind, "", "How the wind is estimated while it lands.")
          .field("surroundings", &VehicleFile::surroundings, "",
                 "What the stack takes for granted of where it flies.")
          .field("allocation", &VehicleFile::allocation, "", "What the allocation minimises.")
          .field("power", &VehicleFile::power, "", "Caps on what all propulsors draw.")
          .field("estimation", &VehicleFile::estimation, "",
                 "From measurements to the state in use.")
          .field("safety", &VehicleFile::safety, "", "When to stop and how.")
          .field("failsafes", &VehicleFile::failsafes, "",
                 "What it does by itself past limits; no mission changes them.")
          .field("alarms", &VehicleFile::alarms, "", "When what propulsors report is an alarm.")
          .field("failure_detection", &VehicleFile::detector, "",
                 "Finding propulsors that fail without a word.")
          .field("odometry_frame", &VehicleFile::odometry_frame, "",
                 "In which odometry is declared to come; a simulated world says in its own "
                 "odometry.frame what is the case.")
          .field("flight_controller", &VehicleFile::flight_controller, "",
                 "The simulated flight controller, for missions that fly through one.")
          .build();
  return table;
}

template <>
const Table& table_of<Configuration>() {
  static const Table table =
      TableBuilder<Configuration>("Configuration", "What a model was made of.")
          .field("generation", &Configuration::generation, "", "From this generation on.")
          .field("vehicle", &Configuration::vehicle, "", "With what a mission puts over it.")
          .field("mission", &Configuration::mission, "", "None where a planner leads.")
          .field("sends_efforts", &Configuration::sends_efforts, "",
                 "What takes the commands wants efforts.")
          .field("single_precision", &Configuration::single_precision, "",
                 "Efforts are sent as 32 bit numbers.")
          .field("least_effort", &Configuration::least_effort, "",
                 "Efforts that are sent and smaller than this are zero.")
          .build();
  return table;
}

template <>
const Table& table_of<MissionTop>() {
  static const Table table =
      TableBuilder<MissionTop>("MissionFile", "A mission: which vehicle, which world, what to do.")
          .field("format", &MissionTop::format, "", "pintle/mission/1.")
          .field("name", &MissionTop::name, "", "Short name, for reports.")
          .required()
          .field("description", &MissionTop::description, "", "For the reader.")
          .field("vehicle", &MissionTop::vehicle, "",
                 "Path of the vehicle file, from this file's folder.")
          .required()
          .field("seed", &MissionTop::seed, "", "Of everything random; --seed overrides it.")
          .field("faults", &MissionTop::faults, "", "Propulsors that fail in the simulated world.")
          .field("input_faults", &MissionTop::input_faults, "",
                 "Inputs spoilt on the way to the stack.")
          .field("device_faults", &MissionTop::device_faults, "",
                 "Flight controller, gripper and camera that misbehave.")
          .field("mission", &MissionTop::mission, "", "States, where to begin and where to flee.")
          .required()
          .build();
  return table;
}

template <>
const Table& table_of<WorldSection>() {
  static const Table table =
      TableBuilder<WorldSection>("WorldSection", "The simulated surroundings.")
          .field("file", &WorldSection::file, "", "Path of a world file, from this file's folder.")
          .inlined(&WorldSection::params)
          .build();
  return table;
}

template <>
const Table& table_of<MissionDocument>() {
  static const Table table =
      TableBuilder<MissionDocument>("MissionFile",
                                    "A mission: which vehicle, which world, what to do.")
          .field("world", &MissionDocument::world, "", "The simulated surroundings.")
          .inlined(&MissionDocument::vehicle, overrides())
          .inlined(&MissionDocument::top)
          .build();
  return table;
}

}  // namespace pintle

namespace pintle::craft {

const std::vector<std::string_view>& overrides() {
  static const std::vector<std::string_view> all = [] {
    std::vector<std::string_view> names{"control_rate_Hz"};
    for (const Field& f : table_of<control::LawSections>().fields) names.push_back(f.name);
    for (const std::string_view name :
         {"landing", "wind", "surroundings", "allocation", "power", "estimation", "safety",
          "failure_detection", "flight_controller", "odometry_frame", "alarms"})
      names.push_back(name);
    return names;
  }();
  return all;
}

std::vector<std::pair<std::string, std::string>> schemas() {
  using config::json_schema;
  return {{"vehicle-1.json",
           json_schema(table_of<VehicleFile>(), "Pintle vehicle", "pintle/vehicle/1")},
          {"mission-1.json",
           json_schema(table_of<MissionDocument>(), "Pintle mission", "pintle/mission/1")},
          {"world-1.json",
           json_schema(table_of<world::WorldParams>(), "Pintle world", "pintle/world/1")}};
}

}  // namespace pintle::craft
