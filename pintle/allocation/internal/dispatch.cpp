#include "pintle/allocation/internal/dispatch.h"

namespace pintle::allocation {
namespace {

bool machine_has(Level level) noexcept {
  if (level == Level::kBaseline) return true;
#if PINTLE_HAS_WIDE_KERNELS
  // may run before the constructor that fills in what the machine has
  __builtin_cpu_init();
  const bool fused = __builtin_cpu_supports("fma") != 0;
  if (level == Level::kAvx2) return fused && __builtin_cpu_supports("avx2") != 0;
  return fused && __builtin_cpu_supports("avx512f") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0;
#else
  return false;
#endif
}

}  // namespace

const Kernels* kernels_of(Level level) noexcept {
  if (!machine_has(level)) return nullptr;
#if PINTLE_HAS_WIDE_KERNELS
  static const Kernels kWidened = [] {
    Kernels kernels = avx2::kKernels;
    if (machine_has(Level::kAvx512)) avx512::widen(kernels);
    return kernels;
  }();
  if (level == Level::kAvx512) return &kWidened;
  if (level == Level::kAvx2) return &avx2::kKernels;
#endif
  return &baseline::kKernels;
}

namespace {
constinit Level level_now = Level::kBaseline;
}

// usable before any constructor has run, and the best there is from then on
constinit const Kernels* detail::kernels_in_use = &baseline::kKernels;

bool use_level(Level level) noexcept {
  const Kernels* k = kernels_of(level);
  if (k == nullptr) return false;
  detail::kernels_in_use = k;
  level_now = level;
  return true;
}

Level level_in_use() noexcept { return level_now; }

namespace {
[[maybe_unused]] const bool kPicked = use_level(Level::kAvx512) || use_level(Level::kAvx2);
}

}  // namespace pintle::allocation
