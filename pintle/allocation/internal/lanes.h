/// Eight numbers side by side. Internal to this room.
///
/// The solver is compiled once per instruction set (dispatch.h), each time in a namespace of its own
/// (PINTLE_LEVEL); dispatch.cpp picks one when the program starts. All of them carry out the same
/// operations in the same order, lane by lane, without contraction, so their answers are the same
/// bit for bit: what differs is how many lanes one instruction does.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#ifndef PINTLE_LEVEL
#define PINTLE_LEVEL baseline
#endif

// everything below is always inlined: no vector is handed over
#define PINTLE_INLINE [[gnu::always_inline]] inline
#define PINTLE_EACH __attribute__((always_inline))
// away from what runs each time
#define PINTLE_SELDOM [[gnu::noinline]]

// lanes are put together by hand where most of the solver runs; what is compiled for AVX-512 (batch
// and refine) does little of it
#if defined(__AVX2__) && !defined(__AVX512F__)
#define PINTLE_BY_HAND
#endif

namespace pintle::allocation {

inline constexpr std::size_t kLanes = 8;

/// f(0), f(1), … f(N - 1) with constant arguments.
template <std::size_t N, class F>
[[gnu::always_inline]] constexpr void unrolled(const F& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) PINTLE_EACH {
    (f(std::integral_constant<std::size_t, I>{}), ...);
  }
  (std::make_index_sequence<N>{});
}

namespace PINTLE_LEVEL {

#if defined(__AVX512F__)
inline constexpr std::size_t kWidth = 8;
#elif defined(__AVX2__)
inline constexpr std::size_t kWidth = 4;
#else
inline constexpr std::size_t kWidth = 2;
#endif
inline constexpr std::size_t kParts = kLanes / kWidth;

// one register each: wider ones are taken apart number by number by the compiler
using Part [[gnu::vector_size(8 * kWidth)]] = double;
using PartMask [[gnu::vector_size(8 * kWidth)]] = std::int64_t;

using LoosePart [[gnu::vector_size(8 * kWidth), gnu::aligned(8), gnu::may_alias]] = double;

// with constant indices from the start: parts of a loop would be kept in memory
template <class F>
PINTLE_INLINE void each_part(const F& f) noexcept {
  unrolled<kParts>(f);
}

// part by part, here and below: a whole copy to begin with is made through memory, in pieces that
// do not fit what is read back
template <class All, class F>
PINTLE_INLINE All by_part(const F& f) noexcept {
  All all;
  each_part([&](auto p) PINTLE_EACH {
    all.part[p] = static_cast<std::remove_reference_t<decltype(all.part[0])>>(f(p));
  });
  return all;
}

#define PINTLE_BY_PART(Result, op, Each)                                                \
  PINTLE_INLINE friend Result operator op(const Each& a, const Each& b) noexcept {      \
    return by_part<Result>([&](auto p) PINTLE_EACH { return a.part[p] op b.part[p]; }); \
  }

/// All ones or all zeros per lane.
struct LaneMask {
  PartMask part[kParts];

  PINTLE_BY_PART(LaneMask, |, LaneMask)
  PINTLE_BY_PART(LaneMask, &, LaneMask)
};

struct alignas(64) Lanes {
  Part part[kParts];

  PINTLE_INLINE double operator[](std::size_t i) const noexcept {
    return part[i / kWidth][i % kWidth];
  }
  PINTLE_INLINE void set(std::size_t i, double x) noexcept { part[i / kWidth][i % kWidth] = x; }

  PINTLE_BY_PART(Lanes, +, Lanes)
  PINTLE_BY_PART(Lanes, -, Lanes)
  PINTLE_BY_PART(Lanes, *, Lanes)
  PINTLE_BY_PART(Lanes, /, Lanes)
  PINTLE_BY_PART(LaneMask, <, Lanes)
  PINTLE_BY_PART(LaneMask, <=, Lanes)
  PINTLE_BY_PART(LaneMask, >, Lanes)
  PINTLE_BY_PART(LaneMask, ==, Lanes)
};

#undef PINTLE_BY_PART

PINTLE_INLINE Lanes all_lanes(double x) noexcept {
  return by_part<Lanes>([&](auto) PINTLE_EACH { return x - Part{}; });
}

PINTLE_INLINE Lanes operator*(double s, const Lanes& a) noexcept { return all_lanes(s) * a; }
PINTLE_INLINE Lanes operator+(const Lanes& a, double s) noexcept { return a + all_lanes(s); }
PINTLE_INLINE Lanes operator-(const Lanes& a, double s) noexcept { return a - all_lanes(s); }
PINTLE_INLINE Lanes& operator+=(Lanes& a, const Lanes& b) noexcept { return a = a + b; }
PINTLE_INLINE Lanes& operator-=(Lanes& a, const Lanes& b) noexcept { return a = a - b; }

PINTLE_INLINE Lanes select(const LaneMask& mask, const Lanes& a, const Lanes& b) noexcept {
  return by_part<Lanes>([&](auto p) PINTLE_EACH { return mask.part[p] ? a.part[p] : b.part[p]; });
}

PINTLE_INLINE Lanes load(const double* from) noexcept {
  return by_part<Lanes>([&](auto p) PINTLE_EACH {
    return Part(*reinterpret_cast<const LoosePart*>(from + p * kWidth));
  });
}
PINTLE_INLINE void store(const Lanes& lanes, double* to) noexcept {
  each_part([&](auto p)
                PINTLE_EACH { *reinterpret_cast<LoosePart*>(to + p * kWidth) = lanes.part[p]; });
}

/// One bit per lane.
PINTLE_INLINE unsigned bits_of(const LaneMask& mask) noexcept {
  unsigned bits = 0;
  each_part([&](auto p) PINTLE_EACH {
#if defined(__AVX512DQ__)
    bits |= static_cast<unsigned>(_mm512_movepi64_mask((__m512i)mask.part[p]));
#elif defined(__AVX2__)
    bits |= static_cast<unsigned>(_mm256_movemask_pd((__m256d)mask.part[p])) << p * kWidth;
#elif defined(__SSE2__)
    bits |= static_cast<unsigned>(_mm_movemask_pd((__m128d)mask.part[p])) << p * kWidth;
#else
    for (std::size_t i = 0; i < kWidth; ++i)
      bits |= mask.part[p][i] != 0 ? 1U << (p * kWidth + i) : 0U;
#endif
  });
  return bits;
}

/// All ones in the lanes of the bits.
PINTLE_INLINE LaneMask lanes_of(unsigned bits) noexcept {
  PartMask each{};
  for (std::size_t i = 0; i < kWidth; ++i) each[i] = 1 << i;
  return by_part<LaneMask>([&](auto p) PINTLE_EACH {
    return ((PartMask{} + static_cast<std::int64_t>(bits >> p * kWidth)) & each) != PartMask{};
  });
}

/// Bits of the channels of the chunk that begins at `at`: those there are of n,
PINTLE_INLINE unsigned used_of(std::size_t n, std::size_t at) noexcept {
  return n - at >= kLanes ? 0xFFU : (1U << (n - at)) - 1;
}
/// and those of a mask.
PINTLE_INLINE unsigned eight_at(std::uint64_t mask, std::size_t at) noexcept {
  return static_cast<unsigned>(mask >> at) & 0xFFU;
}

/// In memory, where one of them goes into all lanes at no cost.
PINTLE_INLINE const double* numbers_of(const Lanes& lanes) noexcept {
  return reinterpret_cast<const double*>(&lanes);
}

/// Its sum, in one order everywhere.
PINTLE_INLINE double sum_of(const Lanes& v) noexcept {
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

PINTLE_INLINE Lanes magnitude(const Lanes& v) noexcept {
  constexpr std::int64_t kNoSign = 0x7FFF'FFFF'FFFF'FFFF;
  return by_part<Lanes>([&](auto p) PINTLE_EACH { return (Part)((PartMask)v.part[p] & kNoSign); });
}

PINTLE_INLINE LaneMask finite(const Lanes& v) noexcept { return v - v == all_lanes(0); }

/// a_0 … a_5 0 0
PINTLE_INLINE Lanes pad(const double* a) noexcept {
#ifdef PINTLE_BY_HAND
  return {
      {*reinterpret_cast<const LoosePart*>(a), (Part)_mm256_zextpd128_pd256(_mm_loadu_pd(a + 4))}};
#else
  Lanes r = all_lanes(0);
  for (std::size_t k = 0; k < 6; ++k) r.set(k, a[k]);
  return r;
#endif
}

/// The first six.
PINTLE_INLINE void store_six(const Lanes& lanes, double* to) noexcept {
#ifdef PINTLE_BY_HAND
  *reinterpret_cast<LoosePart*>(to) = lanes.part[0];
  _mm_storeu_pd(to + 4, _mm256_castpd256_pd128((__m256d)lanes.part[1]));
#else
  for (std::size_t k = 0; k < 6; ++k) to[k] = lanes[k];
#endif
}

/// a < b ? b : a
PINTLE_INLINE Lanes greater_of(const Lanes& a, const Lanes& b) noexcept {
  return select(a < b, b, a);
}

/// NaN stays.
PINTLE_INLINE Lanes clamped(const Lanes& x, const Lanes& lower, const Lanes& upper) noexcept {
  return select(x < lower, lower, select(upper < x, upper, x));
}

/// The greatest; none may be NaN.
PINTLE_INLINE double greatest_of(const Lanes& v) noexcept {
  const auto most = [](double a, double b) { return a < b ? b : a; };
#ifdef PINTLE_BY_HAND
  const __m256d four = _mm256_max_pd((__m256d)v.part[1], (__m256d)v.part[0]);
  const __m128d two = _mm_max_pd(_mm256_extractf128_pd(four, 1), _mm256_castpd256_pd128(four));
  return most(two[0], two[1]);
#endif
  return most(most(most(v[0], v[4]), most(v[2], v[6])), most(most(v[1], v[5]), most(v[3], v[7])));
}

/// Row k of the columns.
PINTLE_INLINE void transpose(const Lanes* column, Lanes* row) noexcept {
#ifdef PINTLE_BY_HAND
  unrolled<4>([&](auto quarter) PINTLE_EACH {
    constexpr std::size_t g = quarter / 2, q = quarter % 2;
    __m256d t[2][2];
    for (std::size_t pair = 0; pair < 2; ++pair) {
      const auto a = (__m256d)column[4 * g + 2 * pair].part[q];
      const auto b = (__m256d)column[4 * g + 2 * pair + 1].part[q];
      t[0][pair] = _mm256_unpacklo_pd(a, b);
      t[1][pair] = _mm256_unpackhi_pd(a, b);
    }
    for (std::size_t k = 0; k < 2; ++k) {
      row[4 * q + k].part[g] = (Part)_mm256_permute2f128_pd(t[k][0], t[k][1], 0x20);
      if (q == 0) row[2 + k].part[g] = (Part)_mm256_permute2f128_pd(t[k][0], t[k][1], 0x31);
    }
  });
#else
  for (std::size_t k = 0; k < 6; ++k)
    for (std::size_t i = 0; i < kLanes; ++i) row[k].set(i, column[i][k]);
#endif
}

}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
