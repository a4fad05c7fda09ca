/// The words of stack and craft are words of this room too: what goes into the tick and comes out of
/// it, and what it was made of.
#pragma once
#include "pintle/craft/load.h"
#include "pintle/stack/signals.h"
#include "pintle/stack/tick.h"

namespace pintle::flight {

using namespace craft;

}  // namespace pintle::flight
