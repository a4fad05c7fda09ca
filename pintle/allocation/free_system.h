/// The 6 x 6 system behind one guess of which channels are free.
///
///   A_F of full row rank    (A_F A_F' + r I) l = c,   d = 0                  L D L', row scaling
///   does
///                                                                           not change its
///                                                                           rounding
///   else                    A_F = Q R (Gram-Schmidt, done twice),
///                           d = c - Q Q'c,  l = Q (R R' + r I)^-1 Q'c
///
/// x_F = A_F' l; the residual is e = d + r l. Internal to this room.
#pragma once
#include <cmath>
#include <utility>

#include "pintle/allocation/bounded_least_squares.h"

namespace pintle::allocation {

// a pivot below this part of its diagonal is not trusted in a squared system
inline constexpr double kTrustedPivot = 1e-7;
// and below this the solution is corrected once from its residual
inline constexpr double kRefineBelow = 1e-2;
// where r carries the system, l would hold d / r and drown x: the basis keeps them apart
inline constexpr double kCarriedByR = 1e-3;
// length of a column outside the span of others: below is dependent, between is not trusted
inline constexpr double kDependent = 1e-13;
inline constexpr double kIndependent = 1e-9;

template <std::size_t... I, class F>
constexpr void unrolled(std::index_sequence<I...>, F&& f) {
  (f(std::integral_constant<std::size_t, I>{}), ...);
}
/// f(0), f(1), … f(N - 1) with constant arguments.
template <std::size_t N, class F>
constexpr void unrolled(F&& f) {
  unrolled(std::make_index_sequence<N>{}, std::forward<F>(f));
}

/// L D L' of a symmetric positive definite matrix, no pivoting. Only the lower half is read.
struct Definite {
  std::array<std::array<double, kAxes>, kAxes> m{};  ///< Becomes L below the diagonal.
  std::array<double, kAxes> inverse{};               ///< 1 / D.
  double weakest = 1;                                ///< Smallest pivot over its diagonal.

  void add_outer(const Vec6& a) noexcept {
    unrolled<kAxes>([&](auto j) { unrolled<j + 1>([&](auto k) { m[j][k] += a[j] * a[k]; }); });
  }

  /// Factors and solves in one go; false where a pivot cannot be trusted.
  bool factor_and_solve(Vec6& x) noexcept {
    std::array<double, kAxes> diagonal;
    unrolled<kAxes>([&](auto j) { diagonal[j] = m[j][j]; });
    bool trusted = true;
    unrolled<kAxes>([&](auto j) {
      const double pivot = m[j][j];
      trusted = trusted && pivot > kTrustedPivot * diagonal[j];
      if (pivot < weakest * diagonal[j]) weakest = pivot / diagonal[j];
      inverse[j] = 1 / pivot;
      std::array<double, kAxes> column;
      unrolled<kAxes - j - 1>([&](auto rest) {
        constexpr std::size_t i = j + 1 + rest;
        column[i] = m[i][j];
        const double l = m[i][j] * inverse[j];
        unrolled<i - j>([&](auto next) {
          constexpr std::size_t k = j + 1 + next;
          m[i][k] -= l * column[k];
        });
        m[i][j] = l;
        x[i] -= l * x[j];
      });
    });
    if (!trusted) return false;
    finish(x);
    return true;
  }

  void solve(Vec6& x) const noexcept {
    unrolled<kAxes>([&](auto j) {
      unrolled<kAxes - j - 1>([&](auto rest) { x[j + 1 + rest] -= m[j + 1 + rest][j] * x[j]; });
    });
    finish(x);
  }

 private:
  void finish(Vec6& x) const noexcept {
    unrolled<kAxes>([&](auto j) { x[j] *= inverse[j]; });
    unrolled<kAxes>([&](auto back) {
      constexpr std::size_t j = kAxes - 1 - back;
      unrolled<j>([&](auto i) { x[i] -= m[j][i] * x[j]; });
    });
  }
};

class FreeSystem {
 public:
  Vec6 l, d;
  bool spanned = false;  ///< d is zero.
  std::size_t rank = 0;  ///< Of the basis, when not spanned.
  std::array<Vec6, kAxes> q;
  double weakest = 1;

  /// `columns`: the free ones side by side, `count` of them. False where nothing can be trusted.
  bool solve(const Vec6* columns, std::size_t count, double r, const Vec6& c) noexcept;

  /// l for another right side of the system solved last, which must have been solved `squared`:
  /// through a squared system also where a triangular one would do.
  [[nodiscard]] Vec6 slope_of(const Vec6& c) const noexcept;
  bool squared = false;

  /// What of v lies outside the span of the free columns; not for `spanned`.
  [[nodiscard]] Vec6 outside(Vec6 v) const noexcept {
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t s = 0; s < rank; ++s) v = v - dot(q[s], v) * q[s];
    return v;
  }

 private:
  bool solve_rows(const Vec6* columns, std::size_t count, double r, const Vec6& c) noexcept;
  bool solve_span(const Vec6* columns, std::size_t count, double r, const Vec6& c) noexcept;
  bool build_basis(const Vec6* columns, std::size_t count) noexcept;
  bool solve_coordinates(std::size_t count, double r, const Vec6& y, Vec6& mu) noexcept;

  Definite g_;
  std::array<std::size_t, kAxes> new_;   // the column that brought each direction
  Uncleared<Vec6, kMaxChannels> along_;  // coordinates of the columns in the basis
};

}  // namespace pintle::allocation
