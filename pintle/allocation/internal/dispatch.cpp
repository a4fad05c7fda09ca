#include "pintle/allocation/internal/dispatch.h"

#include "pintle/allocation/internal/kernels.h"

namespace pintle::allocation {
namespace {

bool machine_has(Level level) noexcept {
#if PINTLE_HAS_WIDE_KERNELS
  switch (level) {
    case Level::kBaseline: return true;
    case Level::kAvx2:
      return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
    case Level::kAvx512:
      return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
             __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("fma") != 0;
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

namespace {

// a batch fills wide registers, and so do double-doubles; in all else the chains of dependent
// operations count, and eight lanes in two halves overlap them better (attainable new problem 200
// against 225 ns, tick with nothing held 38 against 41)
Kernels with_short_kernels(const Kernels& wide, Kernels halves) noexcept {
  halves.batch = wide.batch;
  halves.refine = wide.refine;
  halves.refine_box = wide.refine_box;
  return halves;
}

constinit Level level_now = Level::kBaseline;
constinit Kernels mixed{};

}  // namespace

// usable before any constructor has run, and the best there is from then on
constinit const Kernels* detail::kernels_in_use = &baseline::kKernels;

bool use_level(Level level) noexcept {
  const Kernels* k = kernels_of(level);
  if (k == nullptr) return false;
  const Kernels* halves = level == Level::kAvx512 ? kernels_of(Level::kAvx2) : nullptr;
  if (halves != nullptr) {
    mixed = with_short_kernels(*k, *halves);
    k = &mixed;
  }
  detail::kernels_in_use = k;
  level_now = level;
  return true;
}

Level level_in_use() noexcept { return level_now; }

namespace {
[[maybe_unused]] const bool kPicked = use_level(widest());
}

}  // namespace pintle::allocation
