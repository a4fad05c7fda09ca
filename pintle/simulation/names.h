/// The words of stack and flight are words of this room too.
#pragma once
#include "pintle/flight/names.h"

namespace pintle::simulation {

using namespace flight;

}  // namespace pintle::simulation
