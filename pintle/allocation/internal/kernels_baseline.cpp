#define PINTLE_LEVEL baseline
#include "pintle/allocation/internal/kernels_of_level.h"
