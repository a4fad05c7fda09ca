/// Eight numbers side by side. Internal to this room.
///
/// The solver is compiled once per instruction set, each time in a namespace of its own
/// (PINTLE_LEVEL); dispatch.h picks one when the program starts. All of them carry out the same
/// operations in the same order, lane by lane, without contraction, so their answers are the same
/// bit for bit: what differs is how many lanes one instruction does.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#ifndef PINTLE_LEVEL
#define PINTLE_LEVEL baseline
#endif

// everything below is always inlined: no vector is handed over, whatever the compiler warns
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif
#define PINTLE_INLINE [[gnu::always_inline]] inline

namespace pintle::allocation {

inline constexpr std::size_t kLanes = 8;

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

/// All ones or all zeros per lane.
struct LaneMask {
  PartMask part[kParts];

  PINTLE_INLINE friend LaneMask operator|(const LaneMask& x, const LaneMask& b) noexcept {
    LaneMask a = x;
    for (std::size_t p = 0; p < kParts; ++p) a.part[p] |= b.part[p];
    return a;
  }
  PINTLE_INLINE friend LaneMask operator&(const LaneMask& x, const LaneMask& b) noexcept {
    LaneMask a = x;
    for (std::size_t p = 0; p < kParts; ++p) a.part[p] &= b.part[p];
    return a;
  }
};

struct alignas(64) Lanes {
  Part part[kParts];

  PINTLE_INLINE double operator[](std::size_t i) const noexcept {
    return part[i / kWidth][i % kWidth];
  }
  PINTLE_INLINE void set(std::size_t i, double x) noexcept { part[i / kWidth][i % kWidth] = x; }

  PINTLE_INLINE friend Lanes operator+(const Lanes& x, const Lanes& b) noexcept {
    Lanes a = x;
    for (std::size_t p = 0; p < kParts; ++p) a.part[p] += b.part[p];
    return a;
  }
  PINTLE_INLINE friend Lanes operator-(const Lanes& x, const Lanes& b) noexcept {
    Lanes a = x;
    for (std::size_t p = 0; p < kParts; ++p) a.part[p] -= b.part[p];
    return a;
  }
  PINTLE_INLINE friend Lanes operator*(const Lanes& x, const Lanes& b) noexcept {
    Lanes a = x;
    for (std::size_t p = 0; p < kParts; ++p) a.part[p] *= b.part[p];
    return a;
  }
  PINTLE_INLINE friend Lanes operator*(double s, const Lanes& x) noexcept {
    Lanes a = x;
    for (std::size_t p = 0; p < kParts; ++p) a.part[p] *= s;
    return a;
  }
  PINTLE_INLINE friend Lanes operator+(const Lanes& x, double s) noexcept {
    Lanes a = x;
    for (std::size_t p = 0; p < kParts; ++p) a.part[p] += s;
    return a;
  }
  PINTLE_INLINE friend Lanes operator-(const Lanes& x, double s) noexcept {
    Lanes a = x;
    for (std::size_t p = 0; p < kParts; ++p) a.part[p] -= s;
    return a;
  }
  PINTLE_INLINE Lanes& operator+=(const Lanes& b) noexcept { return *this = *this + b; }
  PINTLE_INLINE Lanes& operator-=(const Lanes& b) noexcept { return *this = *this - b; }

  PINTLE_INLINE friend LaneMask operator<(const Lanes& a, const Lanes& b) noexcept {
    LaneMask m;
    for (std::size_t p = 0; p < kParts; ++p) m.part[p] = PartMask(a.part[p] < b.part[p]);
    return m;
  }
  PINTLE_INLINE friend LaneMask operator>(const Lanes& a, const Lanes& b) noexcept { return b < a; }
  PINTLE_INLINE friend LaneMask operator==(const Lanes& a, const Lanes& b) noexcept {
    LaneMask m;
    for (std::size_t p = 0; p < kParts; ++p) m.part[p] = PartMask(a.part[p] == b.part[p]);
    return m;
  }
};

PINTLE_INLINE Lanes select(const LaneMask& mask, const Lanes& a, const Lanes& b) noexcept {
  Lanes r;
  for (std::size_t p = 0; p < kParts; ++p) r.part[p] = mask.part[p] ? a.part[p] : b.part[p];
  return r;
}

PINTLE_INLINE Lanes all_lanes(double x) noexcept {
  Lanes r;
  for (std::size_t p = 0; p < kParts; ++p) r.part[p] = Part{} + x;
  return r;
}

PINTLE_INLINE Lanes load(const double* from) noexcept {
  Lanes r;
  __builtin_memcpy(r.part, from, sizeof(r.part));
  return r;
}
PINTLE_INLINE void store(const Lanes& lanes, double* to) noexcept {
  __builtin_memcpy(to, lanes.part, sizeof(lanes.part));
}

/// One bit per lane.
PINTLE_INLINE unsigned bits_of(const LaneMask& mask) noexcept {
  unsigned bits = 0;
  for (std::size_t p = 0; p < kParts; ++p) {
#if defined(__AVX512DQ__)
    __m512i m;
    __builtin_memcpy(&m, &mask.part[p], sizeof(m));
    bits |= static_cast<unsigned>(_mm512_movepi64_mask(m));
#elif defined(__AVX2__)
    __m256d m;
    __builtin_memcpy(&m, &mask.part[p], sizeof(m));
    bits |= static_cast<unsigned>(_mm256_movemask_pd(m)) << p * kWidth;
#elif defined(__SSE2__)
    __m128d m;
    __builtin_memcpy(&m, &mask.part[p], sizeof(m));
    bits |= static_cast<unsigned>(_mm_movemask_pd(m)) << p * kWidth;
#else
    for (std::size_t i = 0; i < kWidth; ++i)
      bits |= mask.part[p][i] != 0 ? 1U << (p * kWidth + i) : 0U;
#endif
  }
  return bits;
}

/// All ones in the lanes of the bits.
PINTLE_INLINE LaneMask lanes_of(unsigned bits) noexcept {
  LaneMask r;
  for (std::size_t p = 0; p < kParts; ++p) {
    PartMask bit;
    for (std::size_t i = 0; i < kWidth; ++i) bit[i] = std::int64_t{1} << (p * kWidth + i);
    const PartMask all = PartMask{} + static_cast<std::int64_t>(bits);
    r.part[p] = PartMask((all & bit) != PartMask{});
  }
  return r;
}

/// Its sum, in one order everywhere.
PINTLE_INLINE double sum_of(const Lanes& v) noexcept {
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

PINTLE_INLINE Lanes magnitude(const Lanes& v) noexcept {
  const Lanes minus = all_lanes(0) - v;
  return select(v < minus, minus, v);
}

/// Six numbers and two zeros.
struct Padded {
  Lanes v;
};

/// a_0 … a_5 0 0
PINTLE_INLINE Lanes pad(const double* a) noexcept {
  Lanes r;
#if defined(__AVX512F__)
  const __m512d whole = _mm512_maskz_loadu_pd(0x3F, a);
  __builtin_memcpy(r.part, &whole, sizeof(whole));
#elif defined(__AVX2__)
  const __m256d low = _mm256_loadu_pd(a);
  const __m256d high = _mm256_zextpd128_pd256(_mm_loadu_pd(a + 4));
  __builtin_memcpy(&r.part[0], &low, sizeof(low));
  __builtin_memcpy(&r.part[1], &high, sizeof(high));
#else
  __builtin_memcpy(r.part, a, 6 * sizeof(double));
  r.part[3] = Part{};
#endif
  return r;
}

/// Row k of the columns.
PINTLE_INLINE void transpose(const Padded* column, Lanes* row) noexcept {
#if defined(__AVX512F__)
  __m512d c[8], t[8];
  __builtin_memcpy(c, column, sizeof(c));
  for (std::size_t i = 0; i < 8; i += 2) {
    t[i] = _mm512_unpacklo_pd(c[i], c[i + 1]);
    t[i + 1] = _mm512_unpackhi_pd(c[i], c[i + 1]);
  }
  // 128-bit pieces: piece q of t[2 j + k % 2] is rows 2 q + k % 2 of columns 2 j, 2 j + 1
  for (std::size_t odd = 0; odd < 2; ++odd) {
    const __m512d a = _mm512_shuffle_f64x2(t[odd], t[odd + 2], 0x88);
    const __m512d b = _mm512_shuffle_f64x2(t[odd], t[odd + 2], 0xDD);
    const __m512d d = _mm512_shuffle_f64x2(t[odd + 4], t[odd + 6], 0x88);
    const __m512d e = _mm512_shuffle_f64x2(t[odd + 4], t[odd + 6], 0xDD);
    const __m512d first = _mm512_shuffle_f64x2(a, d, 0x88);
    const __m512d second = _mm512_shuffle_f64x2(b, e, 0x88);
    const __m512d third = _mm512_shuffle_f64x2(a, d, 0xDD);
    __builtin_memcpy(&row[odd], &first, sizeof(first));
    __builtin_memcpy(&row[2 + odd], &second, sizeof(second));
    __builtin_memcpy(&row[4 + odd], &third, sizeof(third));
  }
#else
  for (std::size_t k = 0; k < 6; ++k)
    for (std::size_t p = 0; p < kParts; ++p)
      for (std::size_t i = 0; i < kWidth; ++i)
        row[k].part[p][i] = column[p * kWidth + i].v.part[k / kWidth][k % kWidth];
#endif
}

}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
