/// Flies a mission with its thrusters on serial lines; the log has how the lines were, too.
///
///   /lines   LinesStatus    once a second
///   /truth   world::Truth   every tick, of emulated thrusters
#pragma once
#include "pintle/flight/fly.h"
#include "pintle/serial_world/emulated_craft.h"

namespace pintle::serial_world {

struct RunOptions : flight::FlyOptions {
  serial_site::SerialSiteOptions site;
  bool emulated = true;       ///< Thrusters and world are here; off: the ports of the vehicle file.
  world::WorldOptions world;  ///< Of the emulated ones.
  /// After each tick: what is emulated (null: nothing is), to break things in.
  std::function<void(serial_site::SerialSite&, EmulatedCraft*, const stack::Outputs&)> witness;
};

/// @throws std::invalid_argument or std::runtime_error for what keeps it from starting; nothing
/// afterwards.
[[nodiscard]] flight::FlightResult run(const craft::MissionFile& mission,
                                       const RunOptions& options);

}  // namespace pintle::serial_world
