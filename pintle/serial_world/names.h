/// The words of the site are words of this room too.
#pragma once
#include "pintle/serial_site/site.h"

namespace pintle::serial_world {

using namespace serial_site;

}  // namespace pintle::serial_world
