/// Numbers of about 32 digits as the sum of two doubles. Internal to this room.
///
///   a + b = s + e exactly (Knuth 1969)
///   a b   = p + e exactly: e = fma(a, b, -p) where it is compiled in, else by splitting
///           (Veltkamp and Dekker 1971); the same bits while nothing overflows or underflows
///
/// Plain additions and products in one order otherwise, which the compiler may do side by side but
/// not fuse (-ffp-contract=off). Within 2^-100 of the operands per operation for magnitudes from
/// 1e-140 to 1e140. Compiled once per instruction set (lanes.h).
#pragma once
#include <array>

#include "pintle/allocation/internal/lanes.h"
#include "pintle/base/signals.h"

namespace pintle::allocation::PINTLE_LEVEL {

struct DoubleDouble {
  double hi;
  double lo;  ///< At most half a unit in the last place of hi.
};

/// a + b without an error.
PINTLE_INLINE DoubleDouble exact_sum(double a, double b) noexcept {
  const double s = a + b;
  const double part = s - a;
  return {s, (a - (s - part)) + (b - part)};
}

/// a + b where |a| >= |b|.
PINTLE_INLINE DoubleDouble exact_sum_sorted(double a, double b) noexcept {
  const double s = a + b;
  return {s, b - (s - a)};
}

/// a b without an error.
PINTLE_INLINE DoubleDouble exact_product(double a, double b) noexcept {
  const double p = a * b;
#ifdef __FMA__
  return {p, __builtin_fma(a, b, -p)};
#else
  constexpr double kSplit = 134217729;  // 2^27 + 1
  const double ta = kSplit * a, tb = kSplit * b;
  const double a1 = ta - (ta - a), b1 = tb - (tb - b);
  const double a2 = a - a1, b2 = b - b1;
  return {p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
#endif
}

PINTLE_INLINE DoubleDouble operator-(const DoubleDouble& a) noexcept { return {-a.hi, -a.lo}; }
PINTLE_INLINE DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) noexcept {
  const DoubleDouble s = exact_sum(a.hi, b.hi);
  return exact_sum_sorted(s.hi, s.lo + (a.lo + b.lo));
}
PINTLE_INLINE DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) noexcept {
  return a + -b;
}
PINTLE_INLINE DoubleDouble& operator-=(DoubleDouble& a, const DoubleDouble& b) noexcept {
  return a = a - b;
}
PINTLE_INLINE DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) noexcept {
  const DoubleDouble p = exact_product(a.hi, b.hi);
  return exact_sum_sorted(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

/// a + b c
PINTLE_INLINE DoubleDouble plus_product(const DoubleDouble& a, const DoubleDouble& b,
                                        const DoubleDouble& c) noexcept {
  const DoubleDouble p = exact_product(b.hi, c.hi);
  const DoubleDouble s = exact_sum(a.hi, p.hi);
  return exact_sum_sorted(s.hi, s.lo + (a.lo + (p.lo + (b.hi * c.lo + b.lo * c.hi))));
}

/// 1 / a: one Newton step from the quotient of doubles.
PINTLE_INLINE DoubleDouble inverse_of(const DoubleDouble& a) noexcept {
  const double q = 1 / a.hi;
  const DoubleDouble p = exact_product(q, a.hi);
  const double rest = ((1 - p.hi) - p.lo) - q * a.lo;
  return exact_sum_sorted(q, q * rest);
}

/// Several: apart, so that loops over them fill wide registers.
template <std::size_t kNumbers>
struct Apart {
  alignas(64) std::array<double, kNumbers> hi;
  alignas(64) std::array<double, kNumbers> lo;

  PINTLE_INLINE DoubleDouble operator[](std::size_t i) const noexcept { return {hi[i], lo[i]}; }
  PINTLE_INLINE void set(std::size_t i, const DoubleDouble& x) noexcept {
    hi[i] = x.hi;
    lo[i] = x.lo;
  }
};

/// One number a channel, and eight more.
using Row = Apart<kMaxChannels + kLanes>;

/// sum_i a_i b_i of the first 8 `eights`.
inline DoubleDouble dot(const Row& a, const Row& b, std::size_t eights) noexcept {
  Apart<kLanes> sum{};
  for (std::size_t at = 0; at < kLanes * eights; at += kLanes)
// unrolled first, the eight would stay single numbers
#pragma GCC unroll 1
    for (std::size_t i = 0; i < kLanes; ++i) sum.set(i, plus_product(sum[i], a[at + i], b[at + i]));
  for (std::size_t half = kLanes / 2; half > 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) sum.set(i, sum[i] + sum[i + half]);
  return sum[0];
}

}  // namespace pintle::allocation::PINTLE_LEVEL
