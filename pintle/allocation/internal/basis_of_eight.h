/// An orthonormal basis of the span of up to eight columns. Internal to this room.
///
/// Gram-Schmidt with the columns side by side: the one of which most is left, of its own length,
/// brings the next direction, all others lose their part along it. Directions get length one only
/// in the end, so no root stands between one and the next.
#pragma once
#include <bit>
#include <cmath>

#include "pintle/allocation/internal/bounded_least_squares.h"
#include "pintle/allocation/internal/lanes.h"
#include "pintle/allocation/internal/sums.h"

namespace pintle::allocation {

// length of a column outside the span of others: below is dependent, between is not trusted
inline constexpr double kDependent = 1e-13;
inline constexpr double kIndependent = 1e-9;
// and with less than this the free efforts have lost six digits: see refine.h. A trade carries
// them: what a direction of length R adds to the efforts is its rounding times R / (R^2 + r)
inline constexpr double kKeepsDigits = 1e-6;
// and products with the inverse keep less of them than a solve: none of a column thinner than this
inline constexpr double kKeepsProducts = 1e-4;

namespace PINTLE_LEVEL {

/// Six numbers side by side with their sum in one order, shorter than one after the other.
PINTLE_INLINE Lanes sum_of_six(const Lanes& a, const Lanes& b, const Lanes& c, const Lanes& d,
                               const Lanes& e, const Lanes& f) noexcept {
  return ((a + b) + (c + d)) + (e + f);
}

class BasisOfEight {
 public:
  using Six = std::array<Lanes, kAxes>;

  std::size_t rank = 0;
  bool loses = false;   ///< A column so nearly in the span of others that digits are lost.
  bool thin = false;    ///< No products with the inverse.
  double thinnest = 0;  ///< The least square of what a column had left over its length.
  std::array<std::size_t, kAxes> column;  ///< That brought each direction.
  Six along;                              ///< Row s: what each column has of direction s.
  Six axis;                               ///< Row k: component k of each direction.

  /// `columns`: those of eight that are there, `count` of them. False where nothing can be trusted.
  bool build(const Padded* columns, std::size_t count, double r) noexcept {
    rank = 0;
    loses = thin = false;
    thinnest = 1e300;
    const Lanes zero = all_lanes(0);
    Uncleared<Padded, kLanes> eight;
    for (std::size_t f = 0; f < kLanes; ++f) eight[f].v = f < count ? columns[f].v : zero;
    Six left;
    transpose(eight.data(), left.data());
    alignas(64) std::array<double, kLanes> size2;
    Lanes left2 = squares(left);
    store(left2, size2.data());
    // a column of zeros is dependent
    const LaneMask some = left2 > zero;
    const Lanes inverse2 = select(some, all_lanes(1) / left2, zero);
    Lanes share = select(some, all_lanes(1), zero);
    alignas(64) std::array<std::array<double, kLanes>, kAxes> direction;
    unrolled<kAxes>([&](auto k) { store(zero, direction[k].data()); });
    alignas(64) std::array<double, kLanes> per_length2, length;
    store(zero, per_length2.data());
    store(all_lanes(1), length.data());
    unrolled<kAxes>([&](auto k) { along[k] = zero; });
    while (true) {
      const double most = greatest_of(share);
      if (!(most > kDependent * kDependent)) break;
      if (!(most > kIndependent * kIndependent) || rank == kAxes) return false;
      thin = thin || !(most > kKeepsProducts * kKeepsProducts);
      const unsigned those = bits_of(share == all_lanes(most));
      const auto f = static_cast<std::size_t>(std::countr_zero(those));
      Vec6 a;
      unrolled<kAxes>([&](auto k) { a[k] = number(left[k], f); });
      double own2 = number(left2, f);
      // once more where most of it went: what is left must be orthogonal to rounding
      if (!(most > kOften)) own2 = again(direction, per_length2, f, a);
      const Lanes part = sum_of_six(a[0] * left[0], a[1] * left[1], a[2] * left[2], a[3] * left[3],
                                    a[4] * left[4], a[5] * left[5]);
      const double per_own2 = 1 / own2;
      const Lanes turns = per_own2 * part;
      unrolled<kAxes>([&](auto k) { left[k] -= a[k] * turns; });
      left2 = squares(left);
      const LaneMask here = lanes_of(1U << f);
      share = select(here, zero, left2 * inverse2);
      loses = loses || !(own2 + r >= kKeepsDigits * std::sqrt(own2 * size2[f]));
      thinnest = std::min(thinnest, (own2 + r) / std::sqrt(size2[f]));
      along[rank] = select(here, all_lanes(1), turns);
      unrolled<kAxes>([&](auto k) { direction[k][rank] = a[k]; });
      per_length2[rank] = per_own2;
      length[rank] = std::sqrt(own2);
      column[rank++] = f;
    }
    const Lanes inverse = all_lanes(1) / load(length.data());
    unrolled<kAxes>([&](auto k) { axis[k] = inverse * load(direction[k].data()); });
    for (std::size_t s = 0; s < rank; ++s) along[s] = length[s] * along[s];
    return true;
  }

 private:
  // of a column's squared length: with more left than this one pass is orthogonal enough
  static constexpr double kOften = 0.1;

  static const double& number(const Lanes& lanes, std::size_t i) noexcept {
    return reinterpret_cast<const double*>(&lanes)[i];
  }

  PINTLE_INLINE static Lanes squares(const Six& v) noexcept {
    return sum_of_six(v[0] * v[0], v[1] * v[1], v[2] * v[2], v[3] * v[3], v[4] * v[4], v[5] * v[5]);
  }

  // takes from `a` what it still has of the directions, and notes it; its squared length then
  double again(const std::array<std::array<double, kLanes>, kAxes>& direction,
               const std::array<double, kLanes>& per_length2, std::size_t f, Vec6& a) noexcept {
    Six of;
    unrolled<kAxes>([&](auto k) { of[k] = load(direction[k].data()); });
    const Lanes part = sum_of_six(a[0] * of[0], a[1] * of[1], a[2] * of[2], a[3] * of[3],
                                  a[4] * of[4], a[5] * of[5]);
    const Lanes turns = part * load(per_length2.data());
    for (std::size_t s = 0; s < rank; ++s) along[s].set(f, along[s][f] + turns[s]);
    a = a - six_sums(times_each(turns, of));
    return (a[0] * a[0] + a[1] * a[1]) + (a[2] * a[2] + a[3] * a[3]) + (a[4] * a[4] + a[5] * a[5]);
  }
};

}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
