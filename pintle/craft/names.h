/// The stack's words are words of this room too.
#pragma once
#include "pintle/stack/signals.h"
#include "pintle/stack/tick.h"

namespace pintle::craft {

using namespace stack;

}  // namespace pintle::craft
