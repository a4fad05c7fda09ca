/// `pintle run --on serial`: a mission with its thrusters on serial lines.
#pragma once
#include "pintle/simulation/run.h"

namespace pintle::app {

/// @throws config::ConfigError for a vehicle that lines cannot drive.
void check_on_serial(const craft::MissionFile& mission);
struct RunOnSerial {
  bool emulated = true;  ///< Thrusters and world are made here; else the ports of the vehicle file
                         ///< are driven, and odometry comes in lines on stdin.
  /// Above 0: of the thread of the lines, and its memory is locked; 0: as the vehicle file says.
  int fifo_priority = 0;
  std::function<void(const std::string&)> say;  ///< Not given: in silence.
};
[[nodiscard]] flight::FlightResult fly_on_serial(const craft::MissionFile& mission,
                                                 const simulation::RunOptions& options,
                                                 const RunOnSerial& on);

}  // namespace pintle::app
