#include "pintle/allocation/internal/dispatch.h"

namespace pintle::allocation {
namespace {
constinit Level level_now = Level::kBaseline;

// the best there is, once constructors have run
[[maybe_unused]] const bool kPicked = use_level(Level::kAvx512) || use_level(Level::kAvx2);
}  // namespace

const Kernels* kernels_of(Level level) noexcept {
  if (level == Level::kBaseline) return &baseline::kKernels;
#if PINTLE_HAS_WIDE_KERNELS
  // may run before the constructor that fills in what the machine has
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("fma") || !__builtin_cpu_supports("avx2")) return nullptr;
  if (level == Level::kAvx2) return &avx2::kKernels;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq")) {
    static const Kernels kWidened = [] {
      Kernels kernels = avx2::kKernels;
      avx512::widen(kernels);
      return kernels;
    }();
    return &kWidened;
  }
#endif
  return nullptr;
}

// usable before any constructor has run
constinit const Kernels* kernels_in_use = &baseline::kKernels;

bool use_level(Level level) noexcept {
  const Kernels* k = kernels_of(level);
  if (k == nullptr) return false;
  kernels_in_use = k;
  level_now = level;
  return true;
}

Level level_in_use() noexcept { return level_now; }

}  // namespace pintle::allocation
