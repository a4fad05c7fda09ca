/// A mission's `input_faults:` are put in between a simulated world and its stack, where both are in
/// this program.
#pragma once
#include <string>

#include "pintle/craft/load.h"

namespace pintle::app {

/// Where they are not.
/// @throws config::ConfigError if the mission of that file has any.
inline void expect_no_input_faults(const craft::MissionFile& mission, const std::string& file) {
  if (mission.input_faults.empty()) return;
  throw config::ConfigError(config::Problem{
      {file, 1, 1},
      "",
      "input_faults: they are put in between a simulated world and its stack, and here not both "
      "are in this program",
      "leave them out, or fly the mission in its simulated world",
      true});
}

}  // namespace pintle::app
