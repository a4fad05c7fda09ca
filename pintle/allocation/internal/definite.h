/// Six equations with a symmetric positive definite matrix. Internal to this room.
#pragma once
#include "pintle/allocation/internal/sums.h"

namespace pintle::allocation::PINTLE_LEVEL {

// a pivot below this part of its diagonal is not trusted in a squared system
inline constexpr double kTrustedPivot = 1e-7;
// and below this it is rounding
inline constexpr double kNoPivot = 1e-14;

/// The parts of a row that hold more than lanes before `kFirst`.
template <std::size_t kFirst, class F>
PINTLE_INLINE void parts_from(const F& f) noexcept {
  each_part([&](auto p) PINTLE_EACH {
    if constexpr ((p + 1) * kWidth > kFirst) f(p);
  });
}

/// Solves with L D L': `upper` is L' (rows over pivots), `inverse` 1 / D. Numbers, or lanes side by
/// side, with the same operations.
template <class Upper, class Inverse, class Six>
PINTLE_INLINE void solve_factored(const Upper& upper, const Inverse& inverse, Six& x) noexcept {
  unrolled<kAxes>([&](auto j) PINTLE_EACH {
    unrolled<kAxes - j - 1>([&](auto rest)
                                PINTLE_EACH { x[j + 1 + rest] -= upper[j][j + 1 + rest] * x[j]; });
  });
  unrolled<kAxes>([&](auto j) PINTLE_EACH { x[j] = inverse[j] * x[j]; });
  unrolled<kAxes>([&](auto back) PINTLE_EACH {
    constexpr std::size_t j = kAxes - 1 - back;
    unrolled<j>([&](auto i) PINTLE_EACH { x[i] -= upper[i][j] * x[j]; });
  });
}

/// L D L' of a symmetric positive definite matrix, no pivoting. Row j holds the matrix in its first
/// six lanes, of which those from j on are kept.
struct Definite {
  SixLanes row;
  SixLanes upper;                      ///< Row over pivot: L'.
  std::array<double, kAxes> inverse;   ///< 1 / D.
  std::array<double, kAxes> diagonal;  ///< Before the elimination.
  std::array<double, kAxes> pivot;
  unsigned lost;  ///< One bit a row.

  /// Whether some pivot is less than this part of its diagonal.
  [[nodiscard]] bool weaker_than(double share) const noexcept {
    return bits_of(share * pad(diagonal.data()) <= pad(pivot.data())) != 0xFF;
  }

  /// False as soon as a pivot cannot be trusted, where that is asked. `kSkip`: rows of which nothing
  /// is left beside those before them are lost instead.
  template <bool kAsked = true, bool kSkip = false>
  bool factor() noexcept {
    SixLanes left = row;
    unrolled<kAxes>([&](auto j) { diagonal[j] = left[j][j]; });
    bool trusted = true;
    lost = 0;
    unrolled<kAxes>([&](auto j) {
      if (kAsked && !trusted) return;
      pivot[j] = left[j][j];
      if (kSkip && !(pivot[j] > kNoPivot * diagonal[j])) {
        lost |= 1U << j;
        return;
      }
      trusted = pivot[j] >= kTrustedPivot * diagonal[j];
      inverse[j] = 1 / pivot[j];
      parts_from<j>([&](auto p) PINTLE_EACH { upper[j].part[p] = left[j].part[p] * inverse[j]; });
      unrolled<kAxes - j - 1>([&](auto rest) {
        constexpr std::size_t i = j + 1 + rest;
        parts_from<i>([&](auto p)
                          PINTLE_EACH { left[i].part[p] -= upper[j].part[p] * left[j][i]; });
      });
    });
    return trusted;
  }

  /// The direction that the matrix makes nothing of because of a lost row.
  [[nodiscard]] Vec6 direction_of(std::size_t row_lost) const noexcept {
    Vec6 v;
    v[row_lost] = 1;
    for (std::size_t j = row_lost; j-- > 0;) {
      if ((lost >> j & 1) != 0) continue;
      for (std::size_t i = j + 1; i <= row_lost; ++i) v[j] -= upper[j][i] * v[i];
    }
    return v;
  }

  template <class Six>
  void solve(Six& x) const noexcept {
    solve_factored(upper, inverse, x);
  }
};

}  // namespace pintle::allocation::PINTLE_LEVEL
