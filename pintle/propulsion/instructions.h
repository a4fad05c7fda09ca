/// Which vector instructions the loops over many lanes use: the widest that the machine has, found
/// at run time. The numbers do not depend on it. For sources that compile such a loop once per set:
///
///   PINTLE_INLINE void sweep(…) { PINTLE_INDEPENDENT for (…) … }
///   PINTLE_AVX2 void sweep_avx2(…) { sweep(…); }          and so on, picked by instructions_here()
///
/// Such sources are built with -fno-math-errno -fno-trapping-math, which change no result.
#pragma once
#include <cstdint>
#include <string_view>

#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
#define PINTLE_HAS_AVX 1
#define PINTLE_AVX2 __attribute__((target("avx2")))
#if defined(__clang__)
#define PINTLE_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl")))
#else
#define PINTLE_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,prefer-vector-width=512")))
#endif
#else
#define PINTLE_HAS_AVX 0
#endif

/// Before a loop whose rounds do not touch each other's numbers.
#if defined(__clang__)
#define PINTLE_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define PINTLE_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace pintle::propulsion {

enum class Instructions : std::uint8_t { kBaseline, kAvx2, kAvx512 };

[[nodiscard]] Instructions instructions_here() noexcept;

/// "avx512", "avx2" or "baseline": what steps of batches use here.
[[nodiscard]] std::string_view batch_instructions() noexcept;
/// For tests and measurements: at most this set from now on ("" is the best there is).
void limit_batch_instructions(std::string_view most) noexcept;

}  // namespace pintle::propulsion
