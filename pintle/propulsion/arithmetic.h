/// Arithmetic without branches and without calls, for steps that run one at a time or many at a
/// time: the same operations in the same order, hence the same bits. For sources of this room.
///
/// sine, cosine and arc tangent are Taylor series after reduction of the argument; within 3e-16 of
/// the true value (relative to 1; the angle of atan2 relative to itself).
#pragma once
#include <cstddef>

#if defined(__GNUC__)
#define PINTLE_INLINE inline __attribute__((always_inline))
#else
#define PINTLE_INLINE inline
#endif

namespace pintle::propulsion {

/// NaN gives `lo`.
PINTLE_INLINE double clip(double x, double lo, double hi) noexcept {
  const double below = x < hi ? x : hi;
  return x >= lo ? below : lo;
}
/// x where it is a number of at most 1e30 either way, else 0.
PINTLE_INLINE double tame(double x) noexcept {
  const double up = x <= 1e30 ? x : 0;
  return x >= -1e30 ? up : 0;
}
PINTLE_INLINE double magnitude(double x) noexcept { return __builtin_fabs(x); }

namespace detail {

// to the nearest whole number, for |x| < 2^51
PINTLE_INLINE double nearest(double x) noexcept {
  constexpr double kBig = 6755399441055744.0;  // 1.5 * 2^52
  return (x + kBig) - kBig;
}

/// 1/3 - z/5 + z^2/7 …, from the end; written out by the compiler, for a loop inside would keep
/// lanes apart.
template <int N>
PINTLE_INLINE double odd_series(double z, double p) noexcept {
  if constexpr (N < 3)
    return p;
  else
    return odd_series<N - 2>(z, 1.0 / N - z * p);
}

}  // namespace detail

struct SinCos {
  double sin, cos;
};

/// For |x| up to 1e5.
PINTLE_INLINE SinCos sincos(double x) noexcept {
  // x = k pi/2 + r; pi/2 in three parts whose products with k are exact
  constexpr double kTwoOverPi = 0.63661977236758134308;
  constexpr double kHigh = 0x1.921fb544p+0, kMiddle = 0x1.0b4611a6p-34,
                   kLow = 0x1.3198a2e037073p-69;
  const double k = detail::nearest(x * kTwoOverPi);
  const double r = ((x - k * kHigh) - k * kMiddle) - k * kLow;
  const double z = r * r;
  double s = 1.0 / 355687428096000.0;  // 17!
  s = s * z - 1.0 / 1307674368000.0;
  s = s * z + 1.0 / 6227020800.0;
  s = s * z - 1.0 / 39916800.0;
  s = s * z + 1.0 / 362880.0;
  s = s * z - 1.0 / 5040.0;
  s = s * z + 1.0 / 120.0;
  s = s * z - 1.0 / 6.0;
  s = r + (r * z) * s;
  double c = 1.0 / 20922789888000.0;  // 16!
  c = c * z - 1.0 / 87178291200.0;
  c = c * z + 1.0 / 479001600.0;
  c = c * z - 1.0 / 3628800.0;
  c = c * z + 1.0 / 40320.0;
  c = c * z - 1.0 / 720.0;
  c = c * z + 1.0 / 24.0;
  c = c * z - 0.5;
  c = 1.0 + z * c;
  // the quarter turn decides which of the two it is, and the sign
  const double quarter = k - 4.0 * detail::nearest(k * 0.25 - 0.375);
  const bool odd = (quarter == 1.0) | (quarter == 3.0);
  const double sine = odd ? c : s, cosine = odd ? s : c;
  return {quarter >= 2.0 ? -sine : sine, ((quarter == 1.0) | (quarter == 2.0)) ? -cosine : cosine};
}

/// atan2(y, x) in [-pi, pi]; 0 (with the sign of y) at the origin.
PINTLE_INLINE double arc_tangent(double y, double x) noexcept {
  constexpr double kPiHalf = 1.57079632679489661923, kPi = 3.14159265358979323846;
  const double ax = magnitude(x), ay = magnitude(y);
  const double large = ax > ay ? ax : ay, small = ax > ay ? ay : ax;
  const double t = small / (large > 0 ? large : 1.0);
  // beyond tan(pi/8): atan t = pi/4 + atan((t - 1) / (t + 1))
  const bool far = t > 0.41421356237309504880;
  const double turned = (t - 1.0) / (t + 1.0);
  const double u = far ? turned : t;
  const double z = u * u;
  const double a = u - (u * z) * detail::odd_series<41>(z, 1.0 / 43.0);
  double r = far ? 0.78539816339744830962 + a : a;
  r = ay > ax ? kPiHalf - r : r;
  r = x < 0 ? kPi - r : r;
  return __builtin_copysign(r, y);
}

}  // namespace pintle::propulsion
