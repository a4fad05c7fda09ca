/// The 6 x 6 system behind one guess of which channels are free.
///
///   A_F of full row rank    (A_F A_F' + r I) l = c,   d = 0
///   else                    A_F = Q R (Gram-Schmidt, again where most of a column went),
///                           d = c - Q Q'c,  l = Q (R R' + r I)^-1 Q'c
///
/// The first by L D L', whose rounding no scaling of rows changes. x_F = A_F' l; the residual is e = d + r l. Internal to this room.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "pintle/allocation/internal/bounded_least_squares.h"
#include "pintle/allocation/internal/lanes.h"
#include "pintle/allocation/internal/row_system.h"
#include "pintle/allocation/internal/sums.h"

namespace pintle::allocation {

// length of a column outside the span of others: below is dependent, between is not trusted
inline constexpr double kDependent = 1e-13;
inline constexpr double kIndependent = 1e-9;
// and with more it brings a direction at once
inline constexpr double kStandsOut = 0.01;
// of a square: with less left of it the rest is made orthogonal again
inline constexpr double kMostWent = 0.25;
// and with less than this the free efforts have lost six digits: see refine.h. A trade carries
// them: what a direction of length R adds to the efforts is its rounding times R / (R^2 + r)
inline constexpr double kKeepsDigits = 1e-6;
// and products with the inverse keep less of them than a solve: none of a column thinner than this
inline constexpr double kKeepsProducts = 1e-4;
// of a diagonal: a solution with a pivot below this is corrected once from its residual
inline constexpr double kRefineBelow = 1e-2;
// and of a basis, whose lengths lie further apart, one below this
inline constexpr double kCorrectBelow = 0.03;
// where r carries the system, l would hold d / r and drown x: the basis keeps them apart
inline constexpr double kCarriedByR = 1e-3;
// what is missed leaks into the efforts through the rounding of the basis, twice over the length of
// a column outside the others: no more than this times its own length keeps nine digits
inline constexpr double kMostLeak = 3e6;
// the same of a pivot, after its correction
inline constexpr double kPivotKeepsDigits = 1e-6;

// of what all channels together move along an axis: up to eight channels, and in batches, a demand
// beyond that begins another search
inline constexpr double kFarOut = 1.001;

namespace PINTLE_LEVEL {

class FreeSystem {
 public:
  Vec6 l, d;
  bool spanned = false;  ///< d would be zero, and is not set.
  std::size_t rank = 0;  ///< Of the basis, when not spanned.
  SixLanes q;            ///< Zero behind the last.
  bool carried = false;  ///< By r, or nearly singular.
  bool weak = false;     ///< A pivot so small that the solution was corrected.
  bool thin = false;     ///< A column so nearly in the span of others that products lose digits.
  bool loses = false;    ///< A column so nearly in the span of others that digits are lost.
  bool never_spans = false;  ///< No choice of the columns has as many directions as rows.
  unsigned empty = 0;        ///< Rows, one bit each, along which no channel moves anything.

  /// `gram()`: A_F A_F', the rows of Definite; asked for where it may do. `columns`: of all
  /// channels. False where nothing can be trusted.
  template <class Gram>
  bool solve(const Gram& gram, const Vec6* columns, ChannelMask free, double r,
             const Vec6& c) noexcept {
    loses = thin = spanned = false;
    if (!never_spans && std::popcount(free) + std::popcount(empty) >= static_cast<int>(kAxes)) {
      g_.row = gram();
      spanned = solve_gram(columns, free, r, c);
    }
    return spanned || solve_span(columns, free, r, c);
  }

  /// For the free set that is the answer: efforts as sums of large numbers lose digits.
  void see_what_cancels(const Vec6* columns, ChannelMask free) noexcept {
    const Lanes size = magnitude(pad(l.v.data()));
    if (greatest_of(size) > kMostSummed)
      for (; free != 0; free &= free - 1)
        loses |=
            sum_of(size * magnitude(pad(columns[std::countr_zero(free)].v.data()))) > kMostSummed;
  }

  /// l for the six unit vectors as right sides, one a lane, of the system solved last; `columns`,
  /// `free` and `r` as they were.
  [[nodiscard]] SixLanes slopes(const Vec6* columns, ChannelMask free, double r) const noexcept {
    const SixLanes right = spanned ? units() : q;
    SixLanes mu = right;
    g_.solve(mu);
    if (weak) correct(spanned ? columns : along_.data(), free, r, right, mu);
    if (spanned) return mu;
    SixLanes result;
    result.fill(all_lanes(0));
    for (std::size_t s = 0; s < rank; ++s)
      for (std::size_t k = 0; k < kAxes; ++k) result[k] += q[s][k] * mu[s];
    return result;
  }

  /// What of eight vectors, one a lane, lies outside the span of the free columns; not for
  /// `spanned`.
  [[nodiscard]] SixLanes outside(SixLanes v) const noexcept {
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t s = 0; s < rank; ++s) {
        const Lanes part = combined(q[s], v);
        for (std::size_t k = 0; k < kAxes; ++k) v[k] -= q[s][k] * part;
      }
    return v;
  }

 private:
  bool solve_gram(const Vec6* columns, ChannelMask free, double r, const Vec6& c) noexcept {
    // a row that is nothing beside another is rounding (the cosine of a right angle), not an axis
    double largest = 0, least = HUGE_VAL;
    l = c;
    for (std::size_t j = 0; j < kAxes; ++j) {
      const double own = g_.row[j][j];
      // no axis at all: nothing moves along it
      const bool none = (empty >> j & 1) != 0;
      if (none) l[j] = 0;
      largest = std::max(largest, own);
      least = none ? least : std::min(least, own);
      g_.row[j].set(j, none ? 1 : own + r);
    }
    if (!(least > kIndependent * kIndependent * largest)) return false;
    if (!g_.factor()) return false;
    g_.solve(l);
    carried = g_.weaker_than(kCarriedByR);
    if (r > 0 && carried) return false;
    weak = g_.weaker_than(kRefineBelow);
    if (weak) {
      correct(columns, free, r, c.v, l.v);
      loses = g_.weaker_than(kPivotKeepsDigits);
    }
    return true;
  }

  // one step of iterative refinement: one right side (numbers) or eight side by side (lanes)
  template <class Number>
  void correct(const Vec6* columns, ChannelMask free, double r, const std::array<Number, kAxes>& c,
               std::array<Number, kAxes>& x) const noexcept {
    std::array<Number, kAxes> error;
    for (std::size_t k = 0; k < kAxes; ++k) error[k] = c[k] - r * x[k];
    for (; free != 0; free &= free - 1) {
      const Vec6& a = columns[std::countr_zero(free)];
      Number product = a[0] * x[0];
      for (std::size_t k = 1; k < kAxes; ++k) product += a[k] * x[k];
      for (std::size_t k = 0; k < kAxes; ++k) error[k] -= a[k] * product;
    }
    g_.solve(error);
    for (std::size_t k = 0; k < kAxes; ++k) x[k] += error[k];
  }

  bool solve_span(const Vec6* columns, ChannelMask free, double r, const Vec6& c) noexcept {
    if (!build_basis(columns, free, r)) return false;
    Lanes rest = pad(c.v.data());
    Vec6 y;
    // twice is enough: what is left of c must be orthogonal to rounding
    for (int pass = 0; pass < 2; ++pass) take_off(y, rest);
    store_six(rest, d.v.data());
    loses = loses || !(dot(d, d) <= kMostLeak * kMostLeak * thinnest2_);
    // (R R' + r I) mu = y
    g_.row.fill(all_lanes(0));
    for (ChannelMask some = free; some != 0; some &= some - 1)
      add_outer(g_.row, 1, pad(along_.data()[std::countr_zero(some)].v.data()));
    for (std::size_t j = 0; j < kAxes; ++j) g_.row[j].set(j, g_.row[j][j] + (j < rank ? r : 1));
    Vec6 mu = y;
    if (!g_.factor()) return false;
    g_.solve(mu);
    carried = g_.weaker_than(kCarriedByR);
    weak = g_.weaker_than(kCorrectBelow);
    if (weak) correct(along_.data(), free, r, y.v, mu.v);
    store_six(combined(mu, q), l.v.data());
    return true;
  }

  // the parts of v along the basis, which are added to `along`
  PINTLE_INLINE void take_off(Vec6& along, Lanes& v) const noexcept {
    const SixLanes each = times_each(v, q);
    alignas(64) std::array<double, kLanes> part;
    four_sums(each[0], each[1], each[2], each[3], part.data());
    four_sums(each[4], each[5], each[4], each[5], &part[4]);
    store_six(pad(along.v.data()) + load(part.data()), along.v.data());
    v -= combined(part, q);
  }

  // column by column: its part along the basis, and a new direction where something is left. Where
  // little is it waits for the others: its rounding would count as much in what they have along it
  bool build_basis(const Vec6* columns, ChannelMask free, double r) noexcept {
    rank = 0;
    thinnest2_ = 1e300;
    q.fill(all_lanes(0));
    for (const double enough : {kStandsOut, kDependent})
      for (ChannelMask bits = free; bits != 0; bits &= bits - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(bits));
        Lanes left = pad(columns[i].v.data());
        Vec6& along = along_[i] = {};
        const double size2 = sum_of(left * left);
        double left2 = size2;
        for (int pass = 0; pass < 3 && rank > 0; ++pass) {
          take_off(along, left);
          const double before = std::exchange(left2, sum_of(left * left));
          // once more where most of it went: what is left must be orthogonal to rounding
          if (left2 > kMostWent * before || !(left2 > kDependent * kDependent * size2)) break;
        }
        if (left2 > kDependent * kDependent * size2) {
          if (!(left2 > enough * enough * size2)) continue;
          if (!(left2 > kIndependent * kIndependent * size2) || rank == kAxes) return false;
          thin = thin || !(left2 > kKeepsProducts * kKeepsProducts * size2);
          loses = loses || (thin && !(left2 + r >= kKeepsDigits * std::sqrt(left2 * size2)));
          const double length = std::sqrt(left2);
          thinnest2_ = std::min(thinnest2_, (left2 + r) * (left2 + r) / size2);
          along[rank] = length;
          // beside the root, not behind it
          q[rank] = (length * (1 / left2)) * left;
          ++rank;
        }
        free &= ~(ChannelMask{1} << i);
      }
    return true;
  }

  Definite g_;
  double thinnest2_ = 1e300;  // the least square of a new length over the whole one, squared
  Uncleared<Vec6, kMaxChannels> along_;  // coordinates of the columns in the basis
};

}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
