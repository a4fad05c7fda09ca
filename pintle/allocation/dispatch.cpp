#include "pintle/allocation/dispatch.h"

#include "pintle/allocation/kernels.h"

namespace pintle::allocation {
namespace {

bool machine_has(Level level) noexcept {
#if PINTLE_HAS_WIDE_KERNELS
  switch (level) {
    case Level::kBaseline: return true;
    case Level::kAvx2: return __builtin_cpu_supports("avx2") != 0;
    case Level::kAvx512:
      return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
             __builtin_cpu_supports("avx512dq") != 0;
  }
  return false;
#else
  return level == Level::kBaseline;
#endif
}

Level widest() noexcept {
#if PINTLE_HAS_WIDE_KERNELS
  // may run before the constructor that fills in what the machine has
  __builtin_cpu_init();
#endif
  if (machine_has(Level::kAvx512)) return Level::kAvx512;
  return machine_has(Level::kAvx2) ? Level::kAvx2 : Level::kBaseline;
}

}  // namespace

const Kernels* kernels_of(Level level) noexcept {
  if (!machine_has(level)) return nullptr;
#if PINTLE_HAS_WIDE_KERNELS
  if (level == Level::kAvx512) return &avx512::kKernels;
  if (level == Level::kAvx2) return &avx2::kKernels;
#endif
  return &baseline::kKernels;
}

// usable before any constructor has run, and the best there is from then on
constinit const Kernels* detail::kernels_in_use = &baseline::kKernels;

bool use_level(Level level) noexcept {
  const Kernels* k = kernels_of(level);
  if (k == nullptr) return false;
  detail::kernels_in_use = k;
  return true;
}

Level level_in_use() noexcept {
  for (Level level : {Level::kAvx512, Level::kAvx2})
    if (kernels_of(level) == detail::kernels_in_use) return level;
  return Level::kBaseline;
}

namespace {
[[maybe_unused]] const bool kPicked = use_level(widest());
}

}  // namespace pintle::allocation
