/// The stack's words are words of this room too: what goes into the tick and comes out of it.
#pragma once
#include "pintle/stack/load.h"
#include "pintle/stack/signals.h"
#include "pintle/stack/tick.h"

namespace pintle::flight {

using namespace stack;

}  // namespace pintle::flight
