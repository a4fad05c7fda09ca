/// The kernels of each level. Internal to this room.
///
/// Wide ones are built for x86-64 where the optimiser is on: without it, small functions of other
/// headers would be emitted with wide instructions and shared with code that must run everywhere.
#pragma once
#include "pintle/allocation/internal/dispatch.h"

#if defined(__x86_64__) && defined(__OPTIMIZE__)
#define PINTLE_HAS_WIDE_KERNELS 1
#else
#define PINTLE_HAS_WIDE_KERNELS 0
#endif

namespace pintle::allocation {
namespace baseline {
extern const Kernels kKernels;
}
namespace avx2 {
extern const Kernels kKernels;
}
namespace avx512 {
/// Those of AVX2 with what gains from more.
void widen(Kernels& kernels) noexcept;
}  // namespace avx512
}  // namespace pintle::allocation
