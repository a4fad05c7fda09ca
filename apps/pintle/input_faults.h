/// Faults of a mission that come from the world to the stack: `input_faults:` are put in between them,
/// where both are in this program; what is announced needs somebody who carries the word.
#pragma once
#include <string>

#include "pintle/craft/load.h"

namespace pintle::app {

[[noreturn]] inline void refuse_fault(const std::string& file, const std::string& why) {
  const char* fix = "fly the mission in its simulated world, or without such faults";
  throw config::ConfigError(config::Problem{{file, 1, 1}, "", why, fix, true});
}

/// Where they are not.
/// @throws config::ConfigError if the mission of that file has any.
inline void expect_no_input_faults(const craft::MissionFile& mission, const std::string& file) {
  if (mission.input_faults.empty()) return;
  refuse_fault(
      file,
      "input_faults: they are put in between a simulated world and its stack, and here not "
      "both are in this program");
}

/// Where a simulated world's stack hears of odometry and thrust alone: what would be told is refused, so
/// that nobody takes a fault for tested that has reached nobody.
/// @param bus  What does not carry the rest, "a port of YARP".
/// @throws config::ConfigError if that file announces a fault, or has one of hull or battery.
inline void expect_nothing_told(const craft::MissionFile& mission, const std::string& file,
                                const std::string& bus) {
  const auto refuse = [&](const std::string& what) {
    refuse_fault(file, what + ": " + bus + " carries no word of it to the stack");
  };
  for (const world::FaultSpec& f : mission.world.faults)
    if (f.announced) refuse("faults: that of " + f.propulsor + " is announced");
  for (const world::DeviceFault& f : mission.world.device_faults)
    if (f.device == world::Device::kHull || f.device == world::Device::kBattery)
      refuse("device_faults: " + std::string(to_string(f.device)));
}

}  // namespace pintle::app
