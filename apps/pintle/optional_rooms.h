/// What a simulated world has where the build has it: the second plant, pictures that are searched.
#pragma once
#include "pintle/simulation/run.h"

namespace pintle::app {

/// First of all that a verb does with a mission: see full_program.h.
void use_optional_rooms(const craft::MissionFile& mission, simulation::RunOptions& options);

}  // namespace pintle::app
