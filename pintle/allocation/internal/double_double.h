/// Numbers of about 32 digits as the sum of two doubles, one (double) or eight (Lanes) at a time.
///
///   a + b = s + e exactly (Knuth 1969)
///   a b   = p + e exactly: e = fma(a, b, -p) where the machine has it, else by splitting
///           (Veltkamp and Dekker 1971); the same bits while nothing overflows or underflows
///   sum of products: errors beside the sum, added at the end (Ogita, Rump and Oishi 2005)
///
/// Plain additions and products in one order otherwise: nothing may be fused by the compiler
/// (-ffp-contract=off). Within 2^-100 of the operands per operation for magnitudes from 1e-140 to
/// 1e140. Internal to this room, compiled once per instruction set (lanes.h).
#pragma once
#include "pintle/allocation/internal/lanes.h"

namespace pintle::allocation::PINTLE_LEVEL {

template <class Number>
struct Two {
  Number hi;
  Number lo;  ///< At most half a unit in the last place of hi.
};
using DoubleDouble = Two<double>;
using LanesPair = Two<Lanes>;

/// a + b without an error.
template <class N>
PINTLE_INLINE Two<N> exact_sum(const N& a, const N& b) noexcept {
  const N s = a + b;
  const N part = s - a;
  return {s, (a - (s - part)) + (b - part)};
}

/// a - b without an error.
template <class N>
PINTLE_INLINE Two<N> exact_difference(const N& a, const N& b) noexcept {
  const N s = a - b;
  const N part = s - a;
  return {s, (a - (s - part)) - (b + part)};
}

/// a + b where |a| >= |b|.
template <class N>
PINTLE_INLINE Two<N> exact_sum_sorted(const N& a, const N& b) noexcept {
  const N s = a + b;
  return {s, b - (s - a)};
}

/// a b without an error, by plain operations.
template <class N>
PINTLE_INLINE Two<N> exact_product_by_splitting(const N& a, const N& b) noexcept {
  constexpr double kSplit = 134217729;  // 2^27 + 1
  const N p = a * b;
  const N ta = kSplit * a;
  const N tb = kSplit * b;
  const N a1 = ta - (ta - a);
  const N b1 = tb - (tb - b);
  const N a2 = a - a1;
  const N b2 = b - b1;
  return {p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}

/// a b without an error.
PINTLE_INLINE DoubleDouble exact_product(double a, double b) noexcept {
#if defined(__FMA__)
  const double p = a * b;
  return {p, __builtin_fma(a, b, -p)};
#else
  return exact_product_by_splitting(a, b);
#endif
}
PINTLE_INLINE LanesPair exact_product(const Lanes& a, const Lanes& b) noexcept {
#if defined(__FMA__)
  LanesPair r;
  r.hi = a * b;
  each_part([&](auto p) PINTLE_EACH {
#if defined(__AVX512F__)
    r.lo.part[p] =
        (Part)_mm512_fmsub_pd((__m512d)a.part[p], (__m512d)b.part[p], (__m512d)r.hi.part[p]);
#else
    r.lo.part[p] =
        (Part)_mm256_fmsub_pd((__m256d)a.part[p], (__m256d)b.part[p], (__m256d)r.hi.part[p]);
#endif
  });
  return r;
#else
  return exact_product_by_splitting(a, b);
#endif
}

template <class N>
PINTLE_INLINE Two<N> operator+(const Two<N>& a, const Two<N>& b) noexcept {
  const Two<N> s = exact_sum(a.hi, b.hi);
  return exact_sum_sorted(s.hi, s.lo + (a.lo + b.lo));
}
template <class N>
PINTLE_INLINE Two<N> operator-(const Two<N>& a, const Two<N>& b) noexcept {
  const Two<N> s = exact_difference(a.hi, b.hi);
  return exact_sum_sorted(s.hi, s.lo + (a.lo - b.lo));
}
template <class N>
PINTLE_INLINE Two<N> operator*(const Two<N>& a, const Two<N>& b) noexcept {
  const Two<N> p = exact_product(a.hi, b.hi);
  return exact_sum_sorted(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

/// a - b c
template <class N>
PINTLE_INLINE Two<N> minus_product(const Two<N>& a, const Two<N>& b, const Two<N>& c) noexcept {
  const Two<N> p = exact_product(b.hi, c.hi);
  const Two<N> s = exact_difference(a.hi, p.hi);
  return exact_sum_sorted(s.hi, s.lo + (a.lo - (p.lo + (b.hi * c.lo + b.lo * c.hi))));
}

PINTLE_INLINE LanesPair all_lanes(const DoubleDouble& x) noexcept {
  return {all_lanes(x.hi), all_lanes(x.lo)};
}
PINTLE_INLINE LanesPair select(const LaneMask& mask, const LanesPair& a,
                               const LanesPair& b) noexcept {
  return {select(mask, a.hi, b.hi), select(mask, a.lo, b.lo)};
}
PINTLE_INLINE DoubleDouble lane(const LanesPair& a, std::size_t i) noexcept {
  return {a.hi[i], a.lo[i]};
}

/// 1 / a: one Newton step from the quotient of doubles.
PINTLE_INLINE DoubleDouble inverse_of(const DoubleDouble& a) noexcept {
  const double q = 1 / a.hi;
  const DoubleDouble p = exact_product(q, a.hi);
  const double rest = ((1 - p.hi) - p.lo) - q * a.lo;
  return exact_sum_sorted(q, q * rest);
}

/// A sum of products; `lo` grows beside.
template <class N>
struct SumOfProducts {
  Two<N> sum;

  PINTLE_INLINE void begin(const Two<N>& a, const Two<N>& b) noexcept {
    sum = exact_product(a.hi, b.hi);
    sum.lo = sum.lo + (a.hi * b.lo + a.lo * b.hi);
  }
  PINTLE_INLINE void add(const Two<N>& a, const Two<N>& b) noexcept {
    const Two<N> p = exact_product(a.hi, b.hi);
    const Two<N> s = exact_sum(sum.hi, p.hi);
    sum = {s.hi, sum.lo + (s.lo + (p.lo + (a.hi * b.lo + a.lo * b.hi)))};
  }
  [[nodiscard]] PINTLE_INLINE Two<N> get() const noexcept {
    return exact_sum_sorted(sum.hi, sum.lo);
  }
};

/// The lanes of a and b of which the first and the second halves, or the even and odd ones, meet in
/// a sum: blocks of `size` lanes are halved.
template <std::size_t size>
PINTLE_INLINE void part_halves(const Lanes& a, const Lanes& b, Lanes& first,
                               Lanes& second) noexcept {
  static_assert(size == 8 || size == 4 || size == 2);
#if defined(__AVX512F__)
  if constexpr (size == 8) {
    first.part[0] = __builtin_shufflevector(a.part[0], b.part[0], 0, 1, 2, 3, 8, 9, 10, 11);
    second.part[0] = __builtin_shufflevector(a.part[0], b.part[0], 4, 5, 6, 7, 12, 13, 14, 15);
  } else if constexpr (size == 4) {
    first.part[0] = __builtin_shufflevector(a.part[0], b.part[0], 0, 1, 4, 5, 8, 9, 12, 13);
    second.part[0] = __builtin_shufflevector(a.part[0], b.part[0], 2, 3, 6, 7, 10, 11, 14, 15);
  } else {
    first.part[0] = __builtin_shufflevector(a.part[0], b.part[0], 0, 2, 4, 6, 8, 10, 12, 14);
    second.part[0] = __builtin_shufflevector(a.part[0], b.part[0], 1, 3, 5, 7, 9, 11, 13, 15);
  }
#elif defined(__AVX2__)
  if constexpr (size == 8) {
    first = {{a.part[0], b.part[0]}};
    second = {{a.part[1], b.part[1]}};
  } else if constexpr (size == 4) {
    first = {{__builtin_shufflevector(a.part[0], a.part[1], 0, 1, 4, 5),
              __builtin_shufflevector(b.part[0], b.part[1], 0, 1, 4, 5)}};
    second = {{__builtin_shufflevector(a.part[0], a.part[1], 2, 3, 6, 7),
               __builtin_shufflevector(b.part[0], b.part[1], 2, 3, 6, 7)}};
  } else {
    first = {{__builtin_shufflevector(a.part[0], a.part[1], 0, 2, 4, 6),
              __builtin_shufflevector(b.part[0], b.part[1], 0, 2, 4, 6)}};
    second = {{__builtin_shufflevector(a.part[0], a.part[1], 1, 3, 5, 7),
               __builtin_shufflevector(b.part[0], b.part[1], 1, 3, 5, 7)}};
  }
#else
  if constexpr (size == 8) {
    first = {{a.part[0], a.part[1], b.part[0], b.part[1]}};
    second = {{a.part[2], a.part[3], b.part[2], b.part[3]}};
  } else if constexpr (size == 4) {
    first = {{a.part[0], a.part[2], b.part[0], b.part[2]}};
    second = {{a.part[1], a.part[3], b.part[1], b.part[3]}};
  } else {
    for (std::size_t h = 0; h < 2; ++h) {
      const Lanes& from = h == 0 ? a : b;
      for (std::size_t p = 0; p < 2; ++p) {
        first.part[2 * h + p] = Part{from.part[2 * p][0], from.part[2 * p + 1][0]};
        second.part[2 * h + p] = Part{from.part[2 * p][1], from.part[2 * p + 1][1]};
      }
    }
  }
#endif
}

template <std::size_t size>
PINTLE_INLINE LanesPair fold(const LanesPair& a, const LanesPair& b) noexcept {
  Lanes first, second, first_lo, second_lo;
  part_halves<size>(a.hi, b.hi, first, second);
  part_halves<size>(a.lo, b.lo, first_lo, second_lo);
  const LanesPair s = exact_sum(first, second);
  return {s.hi, s.lo + (first_lo + second_lo)};
}

/// Lane k: the sum over the lanes of the k-th of eight.
PINTLE_INLINE LanesPair sums_of_eight(const SumOfProducts<Lanes>* of) noexcept {
  const LanesPair a = fold<8>(of[0].sum, of[1].sum);
  const LanesPair b = fold<8>(of[2].sum, of[3].sum);
  const LanesPair c = fold<8>(of[4].sum, of[5].sum);
  const LanesPair d = fold<8>(of[6].sum, of[7].sum);
  const LanesPair s = fold<2>(fold<4>(a, b), fold<4>(c, d));
  return exact_sum_sorted(s.hi, s.lo);
}

}  // namespace pintle::allocation::PINTLE_LEVEL
