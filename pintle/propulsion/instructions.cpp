#include "pintle/propulsion/instructions.h"

#include <algorithm>
#include <atomic>

namespace pintle::propulsion {
namespace {

std::atomic<Instructions> most{Instructions::kAvx512};

}  // namespace

Instructions instructions_here() noexcept {
#if PINTLE_HAS_AVX
  static const Instructions found = [] {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
      return Instructions::kAvx512;
    return __builtin_cpu_supports("avx2") ? Instructions::kAvx2 : Instructions::kBaseline;
  }();
  return std::min(found, most.load(std::memory_order_relaxed));
#else
  return Instructions::kBaseline;
#endif
}

std::string_view batch_instructions() noexcept {
  switch (instructions_here()) {
    case Instructions::kAvx512: return "avx512";
    case Instructions::kAvx2: return "avx2";
    case Instructions::kBaseline: break;
  }
  return "baseline";
}

void limit_batch_instructions(std::string_view name) noexcept {
  most.store(name == "baseline" ? Instructions::kBaseline
             : name == "avx2"   ? Instructions::kAvx2
                                : Instructions::kAvx512,
             std::memory_order_relaxed);
}

}  // namespace pintle::propulsion
