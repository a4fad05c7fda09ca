/// What a simulated world has where the build has it: the second plant, pictures that are searched.
#pragma once
#include "pintle/simulation/run.h"

namespace pintle::app {

void use_optional_rooms(simulation::RunOptions& options);

}  // namespace pintle::app
