/// Six equations with a symmetric positive definite matrix. Internal to this room.
#pragma once
#include "pintle/allocation/internal/lanes.h"
#include "pintle/base/signals.h"

namespace pintle::allocation {

// a pivot below this part of its diagonal is not trusted in a squared system
inline constexpr double kTrustedPivot = 1e-7;
// and below this it is rounding
inline constexpr double kNoPivot = 1e-14;

namespace PINTLE_LEVEL {

/// The parts of a row that hold more than lanes before `kFirst`.
template <std::size_t kFirst, class F>
PINTLE_INLINE void parts_from(const F& f) noexcept {
  each_part([&](auto p) PINTLE_EACH {
    if constexpr ((p + 1) * kWidth > kFirst) f(p);
  });
}

/// L D L' of a symmetric positive definite matrix, no pivoting. Row j holds the matrix in its first
/// six lanes, of which those from j on are kept; the right side is its lane 6.
struct Definite {
  std::array<Lanes, kAxes> row;
  std::array<Lanes, kAxes> upper;      ///< Row over pivot: L' and, in lane 6, D^-1 L^-1 c.
  std::array<double, kAxes> inverse;   ///< 1 / D.
  std::array<double, kAxes> diagonal;  ///< Before the elimination.
  std::array<double, kAxes> pivot;

  /// Whether some pivot is less than this part of its diagonal.
  [[nodiscard]] bool weaker_than(double share) const noexcept {
    return bits_of(share * pad(diagonal.data()) <= pad(pivot.data())) != 0xFF;
  }

  void set_outer(const Padded* columns, std::size_t count) noexcept {
    std::array<Lanes, kAxes> sum;
    sum.fill(all_lanes(0));
    for (std::size_t f = 0; f < count; ++f) {
      const Lanes a = columns[f].v;
      unrolled<kAxes>([&](auto j_) {
        constexpr std::size_t j = j_;
        parts_from<j>([&](auto p) PINTLE_EACH { sum[j].part[p] += a.part[p] * a[j]; });
      });
    }
    row = sum;
  }

  /// Factors and solves in one go; false where a pivot cannot be trusted.
  template <std::size_t N = kAxes>
  bool factor_and_solve(Vec6& x) noexcept {
    if (!eliminate<N, true>(x)) return false;
    finish_eliminated<N>(x);
    return true;
  }

  /// The same whatever the pivots are.
  void factor_and_solve_any(Vec6& x) noexcept {
    eliminate<kAxes, false>(x);
    finish_eliminated<kAxes>(x);
  }

  /// The matrix alone.
  bool factor() noexcept { return eliminate<kAxes, true>({}); }

  /// The same of one of which rows may be nothing beside those before them: one bit each.
  bool factor(unsigned& lost) noexcept {
    lost_ = 0;
    const bool trusted = eliminate<kAxes, true, true>({});
    lost = lost_;
    return trusted;
  }

  /// The direction that the matrix makes nothing of because of a lost row.
  [[nodiscard]] Vec6 direction_of(std::size_t row_lost) const noexcept {
    Vec6 v;
    v[row_lost] = 1;
    for (std::size_t j = row_lost; j-- > 0;) {
      if ((lost_ >> j & 1) != 0) continue;
      for (std::size_t i = j + 1; i <= row_lost; ++i) v[j] -= upper[j][i] * v[i];
    }
    return v;
  }

  /// The diagonal of the inverse.
  [[nodiscard]] Lanes inverse_diagonal() const noexcept {
    std::array<Lanes, kAxes> x;
    Lanes sum = all_lanes(0);
    unrolled<kAxes>([&](auto j_) {
      constexpr std::size_t j = j_;
      x[j] = select(lanes_of(1U << j), all_lanes(1), all_lanes(0));
    });
    unrolled<kAxes>([&](auto j_) {
      constexpr std::size_t j = j_;
      sum += inverse[j] * (x[j] * x[j]);
      unrolled<kAxes - j - 1>([&](auto rest) {
        constexpr std::size_t i = j + 1 + rest;
        x[i] -= upper[j][i] * x[j];
      });
    });
    return sum;
  }

  void solve(Vec6& x) const noexcept { solve(x.v); }

  /// One right side (numbers) or eight side by side (lanes), with the same operations.
  template <class Number>
  void solve(std::array<Number, kAxes>& x) const noexcept {
    unrolled<kAxes>([&](auto j_) {
      constexpr std::size_t j = j_;
      unrolled<kAxes - j - 1>([&](auto rest) {
        constexpr std::size_t i = j + 1 + rest;
        x[i] -= upper[j][i] * x[j];
      });
    });
    unrolled<kAxes>([&](auto j_) {
      constexpr std::size_t j = j_;
      x[j] = inverse[j] * x[j];
    });
    finish<kAxes>(x);
  }

 private:
  // of the first N rows, the others being those of a unit matrix; false as soon as a pivot cannot
  // be trusted, where that is asked. `kSkip`: rows of which nothing is left are lost instead
  template <std::size_t N, bool kAsked, bool kSkip = false>
  bool eliminate(const Vec6& x) noexcept {
    std::array<Lanes, kAxes> left = row;
    unrolled<kAxes>([&](auto j_) {
      constexpr std::size_t j = j_;
      diagonal[j] = left[j][j];
      left[j].set(6, x[j]);
    });
    unrolled<kAxes - N>([&](auto rest) {
      constexpr std::size_t j = N + rest;
      pivot[j] = inverse[j] = 1;
      upper[j] = left[j];
    });
    bool trusted = true;
    unrolled<N>([&](auto j_) {
      constexpr std::size_t j = j_;
      if (kAsked && !trusted) return;
      pivot[j] = left[j][j];
      if (kSkip && !(pivot[j] > kNoPivot * diagonal[j])) {
        lost_ |= 1U << j;
        return;
      }
      trusted = pivot[j] >= kTrustedPivot * diagonal[j];
      inverse[j] = 1 / pivot[j];
      parts_from<j>([&](auto p) PINTLE_EACH { upper[j].part[p] = left[j].part[p] * inverse[j]; });
      unrolled<N - j - 1>([&](auto rest) {
        constexpr std::size_t i = j + 1 + rest;
        parts_from<i>([&](auto p)
                          PINTLE_EACH { left[i].part[p] -= upper[j].part[p] * left[j][i]; });
      });
    });
    return trusted;
  }

  template <std::size_t N>
  void finish_eliminated(Vec6& x) const noexcept {
    unrolled<N>([&](auto j_) {
      constexpr std::size_t j = j_;
      x[j] = upper[j][6];
    });
    finish<N>(x.v);
  }

  template <std::size_t N, class Number>
  void finish(std::array<Number, kAxes>& x) const noexcept {
    unrolled<N>([&](auto back) {
      constexpr std::size_t j = N - 1 - back;
      unrolled<j>([&](auto i_) {
        constexpr std::size_t i = i_;
        x[i] -= upper[i][j] * x[j];
      });
    });
  }

  unsigned lost_ = 0;
};

}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
