#define PINTLE_LEVEL baseline
#include "pintle/allocation/kernels_of_level.h"
