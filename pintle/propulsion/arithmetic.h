/// Arithmetic without branches and without calls, for steps that run one at a time or many at a
/// time: the same operations in the same order, hence the same bits. For sources of this room.
///
/// sine, cosine and arc tangent are Taylor series after reduction of the argument; within 3e-16 of
/// the true value (relative to 1; the angle of atan2 relative to itself).
#pragma once
#include <cstddef>
#include <limits>

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
/// x, cut to 1e30 either way; 0 where it is no finite number.
PINTLE_INLINE double tame(double x) noexcept {
  const double cut = clip(x, -1e30, 1e30);
  return __builtin_fabs(x) <= std::numeric_limits<double>::max() ? cut : 0;
}
PINTLE_INLINE double magnitude(double x) noexcept { return __builtin_fabs(x); }

namespace detail {

// to the nearest whole number, for |x| < 2^51
PINTLE_INLINE double nearest(double x) noexcept {
  constexpr double kBig = 6755399441055744.0;  // 1.5 * 2^52
  return (x + kBig) - kBig;
}

// sums by halves (Estrin's scheme), written out by the compiler: a chain of products one after the
// other would wait for each of them, and a loop inside would keep lanes apart

/// z^1, z^2, z^4, z^8, z^16.
struct Powers {
  double z1, z2, z4, z8, z16;
};
PINTLE_INLINE Powers powers(double z) noexcept {
  const double z2 = z * z, z4 = z2 * z2, z8 = z4 * z4;
  return {z, z2, z4, z8, z8 * z8};
}

/// Terms kFirst to kFirst + kCount - 1 of the series of `Coefficient`, from z^0 on.
template <class Coefficient, int kFirst, int kCount>
PINTLE_INLINE double series(const Powers& z) noexcept {
  if constexpr (kCount == 1) {
    return Coefficient::of(kFirst);
  } else {
    constexpr int kHalf = kCount > 16 ? 16 : kCount > 8 ? 8 : kCount > 4 ? 4 : kCount > 2 ? 2 : 1;
    const double power = kHalf == 16  ? z.z16
                         : kHalf == 8 ? z.z8
                         : kHalf == 4 ? z.z4
                         : kHalf == 2 ? z.z2
                                      : z.z1;
    return series<Coefficient, kFirst, kHalf>(z) +
           power * series<Coefficient, kFirst + kHalf, kCount - kHalf>(z);
  }
}

constexpr double factorial(int n) noexcept { return n < 2 ? 1.0 : n * factorial(n - 1); }

/// -1/3! + z/5! - …, -1/2! + z/4! - …, 1/3 - z/5 + …
struct SineSeries {
  static constexpr double of(int k) noexcept { return (k % 2 ? 1 : -1) / factorial(2 * k + 3); }
};
struct CosineSeries {
  static constexpr double of(int k) noexcept { return (k % 2 ? 1 : -1) / factorial(2 * k + 2); }
};
struct ArcTangentSeries {
  static constexpr double of(int k) noexcept { return (k % 2 ? -1.0 : 1.0) / (2 * k + 3); }
};

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
  const detail::Powers powers = detail::powers(z);
  const double s = r + (r * z) * detail::series<detail::SineSeries, 0, 8>(powers);
  const double c = 1.0 + z * detail::series<detail::CosineSeries, 0, 8>(powers);
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
  // beyond tan(pi/8): atan t = pi/4 + atan((t - 1) / (t + 1)); one division for both
  const bool far = small > 0.41421356237309504880 * large;
  const double divisor = far ? small + large : large;
  const double u = (far ? small - large : small) / (divisor > 0 ? divisor : 1.0);
  const double z = u * u;
  const double a = u - (u * z) * detail::series<detail::ArcTangentSeries, 0, 21>(detail::powers(z));
  double r = far ? 0.78539816339744830962 + a : a;
  r = ay > ax ? kPiHalf - r : r;
  r = x < 0 ? kPi - r : r;
  return __builtin_copysign(r, y);
}

}  // namespace pintle::propulsion
