// compiled for this instruction set: see CMakeLists.txt
#define PINTLE_LEVEL avx2
#include "pintle/allocation/kernels.h"
#if PINTLE_HAS_WIDE_KERNELS
#include "pintle/allocation/kernels_of_level.h"
#endif
