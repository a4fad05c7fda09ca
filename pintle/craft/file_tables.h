/// Vehicle, mission and world files as their field tables see them. For the sources of this room.
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/craft/load.h"

namespace pintle::craft {

/// What a mission file may put over the sections of its vehicle.
[[nodiscard]] const std::vector<std::string_view>& overrides();

/// What a mission file says at its top level, apart from those sections and the world.
struct MissionTop {
  std::string format = "pintle/mission/1";
  std::string name, description, vehicle;
  std::uint64_t seed = 1;
  std::vector<world::FaultSpec> faults;
  std::vector<InputFault> input_faults;
  std::vector<world::DeviceFault> device_faults;
  mission::MissionSpec mission;
};

/// The `world:` section of a mission: a file, and what is different from it.
struct WorldSection {
  std::string file;
  world::WorldParams params;
};

/// A mission file as a whole, for its schema.
struct MissionDocument {
  MissionTop top;
  VehicleFile vehicle;
  WorldSection world;
};

}  // namespace pintle::craft

namespace pintle {
template <>
const Table& table_of<craft::MissionTop>();
template <>
const Table& table_of<craft::WorldSection>();
template <>
const Table& table_of<craft::MissionDocument>();
}  // namespace pintle
