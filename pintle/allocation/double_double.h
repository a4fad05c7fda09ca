/// Numbers of about 32 digits as the sum of two doubles, from error-free transformations.
///
///   a + b = s + e exactly (Knuth 1969),  a b = p + e exactly (Veltkamp and Dekker 1971)
///
/// Plain additions and products in one order: no fused operation is used, and none may be made of
/// it (-ffp-contract=off). Within 2^-102 per operation while nothing overflows: magnitudes from
/// 1e-140 to 1e140. Internal to this room.
#pragma once

namespace pintle::allocation {

struct DoubleDouble {
  double hi = 0;
  double lo = 0;  ///< At most half a unit in the last place of hi.

  constexpr DoubleDouble() noexcept = default;
  constexpr DoubleDouble(double x) noexcept : hi(x) {}  // NOLINT: a double is one of them
  constexpr DoubleDouble(double h, double l) noexcept : hi(h), lo(l) {}
  constexpr explicit operator double() const noexcept { return hi; }
};

/// a + b without an error.
constexpr DoubleDouble exact_sum(double a, double b) noexcept {
  const double s = a + b;
  const double part = s - a;
  return {s, (a - (s - part)) + (b - part)};
}

/// The same where |a| >= |b|.
constexpr DoubleDouble exact_sum_sorted(double a, double b) noexcept {
  const double s = a + b;
  return {s, b - (s - a)};
}

/// a b without an error.
constexpr DoubleDouble exact_product(double a, double b) noexcept {
  constexpr double kSplit = 134217729;  // 2^27 + 1
  const double p = a * b;
  const double ta = kSplit * a;
  const double tb = kSplit * b;
  const double a1 = ta - (ta - a);
  const double b1 = tb - (tb - b);
  const double a2 = a - a1;
  const double b2 = b - b1;
  return {p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}

constexpr DoubleDouble operator-(DoubleDouble a) noexcept { return {-a.hi, -a.lo}; }

constexpr DoubleDouble operator+(DoubleDouble a, DoubleDouble b) noexcept {
  const DoubleDouble s = exact_sum(a.hi, b.hi);
  const DoubleDouble t = exact_sum(a.lo, b.lo);
  const DoubleDouble r = exact_sum_sorted(s.hi, s.lo + t.hi);
  return exact_sum_sorted(r.hi, r.lo + t.lo);
}
constexpr DoubleDouble operator-(DoubleDouble a, DoubleDouble b) noexcept { return a + -b; }

constexpr DoubleDouble operator*(DoubleDouble a, DoubleDouble b) noexcept {
  const DoubleDouble p = exact_product(a.hi, b.hi);
  return exact_sum_sorted(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

constexpr DoubleDouble operator/(DoubleDouble a, DoubleDouble b) noexcept {
  const double q = a.hi / b.hi;
  const DoubleDouble rest = a - DoubleDouble(q) * b;
  const double q2 = rest.hi / b.hi;
  const DoubleDouble rest2 = rest - DoubleDouble(q2) * b;
  return exact_sum_sorted(q, q2) + DoubleDouble(rest2.hi / b.hi);
}

constexpr bool operator<(DoubleDouble a, DoubleDouble b) noexcept {
  return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo);
}
constexpr bool operator>(DoubleDouble a, DoubleDouble b) noexcept { return b < a; }
constexpr DoubleDouble magnitude(DoubleDouble a) noexcept { return a.hi < 0 ? -a : a; }

}  // namespace pintle::allocation
