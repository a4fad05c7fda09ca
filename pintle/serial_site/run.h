/// Flies a mission with its thrusters on serial lines; the log has how the lines were, too.
///
///   /lines   LinesStatus    once a second
///   /truth   world::Truth   every tick, of emulated thrusters
#pragma once
#include "pintle/flight/fly.h"
#include "pintle/serial_site/site.h"

namespace pintle::serial_site {

struct RunOptions : flight::FlyOptions {
  SerialSiteOptions site;
  /// After each tick: the site, to break things in.
  std::function<void(SerialSite&, const stack::Outputs&)> witness;
};

/// @throws std::invalid_argument or std::runtime_error for what keeps it from starting; nothing
/// afterwards.
[[nodiscard]] flight::FlightResult run(const craft::MissionFile& mission,
                                       const RunOptions& options);

}  // namespace pintle::serial_site
