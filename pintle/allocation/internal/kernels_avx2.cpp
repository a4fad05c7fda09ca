// compiled for this instruction set: see CMakeLists.txt
#define PINTLE_LEVEL avx2
#include "pintle/allocation/internal/dispatch.h"
#if PINTLE_HAS_WIDE_KERNELS
#include "pintle/allocation/internal/kernels_of_level.h"
#endif
