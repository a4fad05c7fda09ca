// compiled for this instruction set: see CMakeLists.txt
#define PINTLE_LEVEL avx512
#include "pintle/allocation/internal/dispatch.h"
#if PINTLE_HAS_WIDE_KERNELS
#include "pintle/allocation/internal/batch_kernel.h"
#include "pintle/allocation/internal/refine_kernel.h"

namespace pintle::allocation::avx512 {

void widen(Kernels& kernels) noexcept {
  kernels.solve_batch = solve_batch;
  kernels.is_unclear = is_unclear;
  kernels.refine = refine;
  kernels.search_in_double_double = search_in_double_double;
}

}  // namespace pintle::allocation::avx512
#endif
