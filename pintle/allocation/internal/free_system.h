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
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "pintle/allocation/internal/basis_of_eight.h"
#include "pintle/allocation/internal/bounded_least_squares.h"
#include "pintle/allocation/internal/definite.h"
#include "pintle/allocation/internal/lanes.h"

namespace pintle::allocation {

// of a diagonal: a solution with a pivot below this is corrected once from its residual
inline constexpr double kRefineBelow = 1e-2;
// where r carries the system, l would hold d / r and drown x: the basis keeps them apart
inline constexpr double kCarriedByR = 1e-3;
// what is missed leaks into the efforts through the rounding of the basis, twice over the length of
// a column outside the others: no more than this times its own length keeps nine digits
inline constexpr double kMostLeak = 3e6;
// the same of a pivot, after its correction
inline constexpr double kPivotKeepsDigits = 1e-6;

// of what all channels together move along an axis: a demand beyond that begins another search
inline constexpr double kFarOut = 1.001;

namespace PINTLE_LEVEL {

class FreeSystem {
 public:
  using Six = std::array<Lanes, kAxes>;

  Vec6 l, d;
  bool spanned = false;  ///< d is zero.
  std::size_t rank = 0;  ///< Of the basis, when not spanned.
  Uncleared<Vec6, kAxes> q;
  bool carried = false;  ///< By r, or nearly singular.
  bool weak = false;     ///< A pivot so small that the solution was corrected.
  bool thin = false;     ///< A column so nearly in the span of others that products lose digits.
  bool loses = false;    ///< A column so nearly in the span of others that digits are lost.
  bool never_spans = false;  ///< No choice of the columns has as many directions as rows.
  unsigned empty = 0;        ///< Rows, one bit each, that are zero in every column, free or not.

  /// `columns`: the free ones side by side, `count` of them. False where nothing can be trusted.
  bool solve(const Padded* columns, std::size_t count, double r, const Vec6& c) noexcept {
    loses = thin = false;
    spanned = !never_spans && count + static_cast<std::size_t>(std::popcount(empty)) >= kAxes &&
              solve_rows(columns, count, r, c);
    return spanned || solve_span(columns, count, r, c);
  }

  /// The same of at least six, from their gram matrix (gram.h); `columns()` gives them where they
  /// are needed after all.
  template <class Columns>
  bool solve(const Six& gram, const Columns& columns, std::size_t count, double r,
             const Vec6& c) noexcept {
    loses = false;
    g_.row = gram;
    spanned = solve_gram(columns, count, r, c);
    return spanned || solve_span(columns(), count, r, c);
  }

  /// l for the six unit vectors as right sides, one a lane, of the system solved last, which must
  /// have been solved `squared`: through a squared system also where a triangular one would do.
  /// `columns`, `count` and `r` as they were.
  [[nodiscard]] Six slopes(const Padded* columns, std::size_t count, double r) const noexcept {
    Six result;
    if (spanned) {
      result = units();
      g_.solve(result);
      if (weak) correct(columns, count, r, units(), kAxes, result);
      return result;
    }
    Six y;
    y.fill(all_lanes(0));
    for (std::size_t s = 0; s < rank; ++s)
      for (std::size_t k = 0; k < kAxes; ++k) y[s].set(k, q[s][k]);
    Six mu = y;
    g_.solve(mu);
    if (weak) correct(along_.data(), count, r, y, rank, mu);
    result.fill(all_lanes(0));
    for (std::size_t s = 0; s < rank; ++s)
      for (std::size_t k = 0; k < kAxes; ++k) result[k] += q[s][k] * mu[s];
    return result;
  }
  bool squared = false;

  static Six units() noexcept {
    Six unit;
    for (std::size_t k = 0; k < kAxes; ++k)
      unit[k] = select(lanes_of(1U << k), all_lanes(1), all_lanes(0));
    return unit;
  }

  /// The same as below of eight vectors, one a lane.
  [[nodiscard]] Six outside(Six v) const noexcept {
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t s = 0; s < rank; ++s) {
        Lanes part = q[s][0] * v[0];
        for (std::size_t k = 1; k < kAxes; ++k) part += q[s][k] * v[k];
        for (std::size_t k = 0; k < kAxes; ++k) v[k] -= q[s][k] * part;
      }
    return v;
  }

  /// What of v lies outside the span of the free columns; not for `spanned`.
  [[nodiscard]] Vec6 outside(Vec6 v) const noexcept {
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t s = 0; s < rank; ++s) v = v - dot(q[s], v) * q[s];
    return v;
  }

 private:
  static Vec6 column(const Padded& p) noexcept {
    Vec6 a;
    unrolled<kAxes>([&](auto k_) {
      constexpr std::size_t k = k_;
      a[k] = p.v[k];
    });
    return a;
  }

  bool solve_rows(const Padded* columns, std::size_t count, double r, const Vec6& c) noexcept {
    g_.set_outer(columns, count);
    return solve_gram([columns] { return columns; }, count, r, c);
  }

  template <class Columns>
  bool solve_gram(const Columns& columns, std::size_t count, double r, const Vec6& c) noexcept {
    // a row that is nothing beside another is rounding (the cosine of a right angle), not an axis
    double largest = 0;
    double least = g_.row[0][0];
    unrolled<kAxes>([&](auto j_) {
      constexpr std::size_t j = j_;
      own_[j] = g_.row[j][j];
      largest = std::max(largest, own_[j]);
      least = std::min(least, own_[j]);
      g_.row[j].set(j, own_[j] + r);
    });
    l = c;
    // no axis at all: nothing moves along it
    if (empty != 0) least = leave_out_empty(largest);
    if (!(least > kIndependent * kIndependent * largest)) return false;
    if (!g_.factor_and_solve(l)) return false;
    carried = g_.weaker_than(kCarriedByR);
    if (r > 0 && carried) return false;
    weak = g_.weaker_than(kRefineBelow);
    if (weak) {
      correct(columns(), count, r, c, kAxes, l);
      loses = g_.weaker_than(kPivotKeepsDigits);
    }
    return true;
  }

  // the least diagonal of the other rows, before r
  double leave_out_empty(double least) noexcept {
    for (std::size_t j = 0; j < kAxes; ++j) {
      if ((empty >> j & 1) != 0) {
        g_.row[j].set(j, 1);
        l[j] = 0;
      } else {
        least = std::min(least, own_[j]);
      }
    }
    return least;
  }

  // one step of iterative refinement
  void correct(const Padded* columns, std::size_t count, double r, const Vec6& c, std::size_t rows,
               Vec6& x) const noexcept {
    const Vec6 begin = c - r * x;
    Lanes error = pad(begin.v.data());
    for (std::size_t f = 0; f < count; ++f) {
      const Lanes& a = columns[f].v;
      double product = a[0] * x[0];
      unrolled<kAxes - 1>([&](auto k_) {
        constexpr std::size_t k = k_;
        product += a[k + 1] * x[k + 1];
      });
      error -= product * a;
    }
    Vec6 step;
    for (std::size_t k = 0; k < rows; ++k) step[k] = error[k];
    g_.solve(step);
    x = x + step;
  }

  // the same for eight right sides, one a lane
  void correct(const Padded* columns, std::size_t count, double r, const Six& c, std::size_t rows,
               Six& x) const noexcept {
    Six error;
    for (std::size_t k = 0; k < kAxes; ++k) error[k] = c[k] - r * x[k];
    for (std::size_t f = 0; f < count; ++f) {
      const Lanes& a = columns[f].v;
      Lanes product = a[0] * x[0];
      for (std::size_t k = 1; k < kAxes; ++k) product += a[k] * x[k];
      for (std::size_t k = 0; k < kAxes; ++k) error[k] -= a[k] * product;
    }
    for (std::size_t k = rows; k < kAxes; ++k) error[k] = all_lanes(0);
    g_.solve(error);
    for (std::size_t k = 0; k < kAxes; ++k) x[k] += error[k];
  }

  bool solve_span(const Padded* columns, std::size_t count, double r, const Vec6& c) noexcept {
    if (count <= kLanes) return solve_span_of_eight(columns, count, r, c);
    if (!build_basis(columns, count, r)) return false;
    d = c;
    Vec6 y;
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t s = 0; s < rank; ++s) {
        const double part = dot(q[s], d);
        y[s] += part;
        d = d - part * q[s];
      }
    loses = loses || !(norm(d) <= kMostLeak * thinnest_);
    Vec6 mu;
    if (!solve_coordinates(count, r, y, mu)) return false;
    l = {};
    for (std::size_t s = 0; s < rank; ++s) l = l + mu[s] * q[s];
    return true;
  }

  bool solve_span_of_eight(const Padded* columns, std::size_t count, double r,
                           const Vec6& c) noexcept {
    if (!basis_.build(columns, count, r)) return false;
    rank = basis_.rank;
    loses = basis_.loses;
    thin = basis_.thin;
    // independent columns: R is square and triangular in the order of its pivots
    const bool triangular = rank == count && r == 0 && !squared;
    if (!triangular) set_gram(r);
    Uncleared<Padded, kLanes> rows;
    for (std::size_t k = 0; k < kLanes; ++k) rows[k].v = k < kAxes ? basis_.axis[k] : all_lanes(0);
    Six direction;
    transpose(rows.data(), direction.data());
    for (std::size_t s = 0; s < rank; ++s) store_six(direction[s], q[s].v.data());
    // twice is enough: what is left of c must be orthogonal to rounding
    d = c;
    Lanes parts = all_lanes(0);
    for (int pass = 0; pass < 2; ++pass) {
      const Six& axis = basis_.axis;
      const Lanes part = sum_of_six(d[0] * axis[0], d[1] * axis[1], d[2] * axis[2], d[3] * axis[3],
                                    d[4] * axis[4], d[5] * axis[5]);
      parts += part;
      d = d - six_sums(times_each(part, axis));
    }
    loses = loses || !(norm(d) <= kMostLeak * basis_.thinnest);
    Vec6 y;
    store_six(parts, y.v.data());
    Vec6 mu = y;
    carried = false;
    if (triangular)
      solve_triangular(y, mu);
    else if (!solve_gram(count, r, y, mu))
      return false;
    Lanes price = mu[0] * pad(q[0].v.data());
    for (std::size_t s = 1; s < rank; ++s) price += mu[s] * pad(q[s].v.data());
    if (rank == 0) price = all_lanes(0);
    store_six(price, l.v.data());
    return true;
  }

  // R R' + r I
  void set_gram(double r) noexcept {
    for (std::size_t j = 0; j < kAxes; ++j) g_.row[j] = all_lanes(0);
    for (std::size_t s = 0; s < rank; ++s) {
      const Vec6 sum = six_sums(times_each(basis_.along[s], basis_.along));
      g_.row[s] = pad(sum.v.data());
      g_.row[s].set(s, sum[s] + r);
    }
    for (std::size_t j = rank; j < kAxes; ++j) g_.row[j].set(j, 1);
  }

  bool solve_gram(std::size_t count, double r, const Vec6& y, Vec6& mu) noexcept {
    if (!factor_coordinates(mu)) return false;
    carried = g_.weaker_than(kCarriedByR);
    weak = g_.weaker_than(kRefineBelow);
    if (!weak) return true;
    for (std::size_t f = 0; f < count; ++f) {
      Vec6 own;
      for (std::size_t s = 0; s < kAxes; ++s) own[s] = basis_.along[s][f];
      along_[f].v = pad(own.v.data());
    }
    correct(along_.data(), count, r, y, rank, mu);
    return true;
  }

  // R x = y, R' mu = x
  void solve_triangular(const Vec6& y, Vec6& mu) const noexcept {
    const auto& from = basis_.column;
    Vec6 x;
    std::array<double, kAxes> inverse;
    for (std::size_t s = 0; s < rank; ++s) inverse[s] = 1 / basis_.along[s][from[s]];
    for (std::size_t s = rank; s-- > 0;) {
      double t = y[s];
      for (std::size_t j = s + 1; j < rank; ++j) t -= basis_.along[s][from[j]] * x[j];
      x[s] = t * inverse[s];
    }
    for (std::size_t s = 0; s < rank; ++s) {
      double t = x[s];
      for (std::size_t j = 0; j < s; ++j) t -= basis_.along[j][from[s]] * mu[j];
      mu[s] = t * inverse[s];
    }
  }

  // of more columns than there are axes: they are never independent
  bool solve_coordinates(std::size_t count, double r, const Vec6& y, Vec6& mu) noexcept {
    carried = false;
    g_.set_outer(along_.data(), count);
    for (std::size_t j = 0; j < kAxes; ++j) g_.row[j].set(j, g_.row[j][j] + (j < rank ? r : 1));
    mu = y;
    if (!factor_coordinates(mu)) return false;
    carried = g_.weaker_than(kCarriedByR);
    weak = g_.weaker_than(kRefineBelow);
    if (weak) correct(along_.data(), count, r, y, rank, mu);
    return true;
  }

  bool factor_coordinates(Vec6& mu) noexcept {
    switch (rank) {
      case 1: return g_.factor_and_solve<1>(mu);
      case 2: return g_.factor_and_solve<2>(mu);
      case 3: return g_.factor_and_solve<3>(mu);
      case 4: return g_.factor_and_solve<4>(mu);
      case 5: return g_.factor_and_solve<5>(mu);
      default: return g_.factor_and_solve(mu);
    }
  }

  // column by column: its part along the basis, and a new direction where something is left
  bool build_basis(const Padded* columns, std::size_t count, double r) noexcept {
    rank = 0;
    thinnest_ = 1e300;
    for (std::size_t f = 0; f < count; ++f) {
      const Vec6 a = column(columns[f]);
      Vec6 left = a;
      Vec6 along;
      const double size2 = dot(a, a);
      double left2 = size2;
      for (int pass = 0; pass < 3 && rank > 0; ++pass) {
        for (std::size_t s = 0; s < rank; ++s) {
          const double part = dot(q[s], left);
          along[s] += part;
          left = left - part * q[s];
        }
        const double before = left2;
        left2 = dot(left, left);
        // once more where most of it went: what is left must be orthogonal to rounding
        if (left2 > 0.25 * before || !(left2 > kDependent * kDependent * size2)) break;
      }
      if (left2 > kDependent * kDependent * size2) {
        if (!(left2 > kIndependent * kIndependent * size2) || rank == kAxes) return false;
        thin = thin || !(left2 > kKeepsProducts * kKeepsProducts * size2);
        loses = loses || !(left2 + r >= kKeepsDigits * std::sqrt(left2 * size2));
        const double length = std::sqrt(left2);
        thinnest_ = std::min(thinnest_, (left2 + r) / std::sqrt(size2));
        along[rank] = length;
        q[rank++] = (1 / length) * left;
      }
      along_[f].v = pad(along.v.data());
    }
    return true;
  }

  Definite g_;
  BasisOfEight basis_;
  std::array<double, kAxes> own_;
  double thinnest_ = 1e300;                // the least square of a new length over the whole one
  Uncleared<Padded, kMaxChannels> along_;  // coordinates of the columns in the basis
};

}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
