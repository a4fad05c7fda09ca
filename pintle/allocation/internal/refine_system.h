/// A set of free channels in double-double: every column in terms of a few of them. Internal to
/// this room.
///
/// For r > 0 what the trade leaves missing counts as six more free channels, sqrt(r) on each axis.
/// Gauss-Jordan elimination with complete pivoting brings the free columns to
///
///   R A_F = | I T |  rows with a pivot,      R c = | z |
///           | 0 0 |  rows without                  | e |
///
/// e and what held columns have in those rows is outside the span; the rows of R there, made
/// orthogonal, are its directions. In the span the least efforts are x = (y, T'y) with
/// (I + T T') y = z, and a_i'l of any channel is (R a_i)'y.
///
/// Every pivot is the largest number left, so T stays small and I + T T' far from singular, be the
/// units of channels and axes as they may. Whether a number is there at all is asked of what
/// entered it, which has the same units.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>

#include "pintle/allocation/internal/bounded_least_squares.h"
#include "pintle/allocation/internal/definite.h"
#include "pintle/allocation/internal/double_double.h"

namespace pintle::allocation::PINTLE_LEVEL {

// of what enters a number: less is the rounding of 32 digits
inline constexpr double kNothingLeft = 1e-28;
// and a condition within this is kept
inline constexpr double kRounding = 1e-25;
// a trade below this in scaled numbers is the limit of none
inline constexpr double kLeastTrade = 1e-100;

class Echelon {
 public:
  /// c with the size of what entered it.
  void run(const std::array<Row, kAxes>& a, std::size_t n, ChannelMask free, double r,
           const std::array<DoubleDouble, kAxes>& c, const Vec6& size) noexcept {
    begin(a, n, free, r, c, size);
    while (pivots_ != kAllRows && next_pivot()) sweep();
    split();
    solve();
  }

  /// a_i'l of every channel, and what enters it.
  void targets(Row& target, double* size) const noexcept {
    target = {};
    std::fill_n(size, kLanes * eights_, 0.0);
    for (std::size_t k = 0; k < kAxes; ++k) {
      if (!has_pivot(k)) continue;
      const DoubleDouble y = y_[k];
      for (std::size_t i = 0; i < kLanes * eights_; ++i) {
        target.set(i, plus_product(target[i], w_[k][i], y));
        size[i] += std::abs(y.hi * w_[k].hi[i]);
      }
    }
  }

  /// a_i'd, 0 where it is rounding.
  [[nodiscard]] double outside(std::size_t i) const noexcept {
    DoubleDouble sum{0, 0};
    double noise = 0;
    for (std::size_t f = 0; f < kAxes; ++f) {
      if (has_pivot(f)) continue;
      sum = plus_product(sum, w_[f][i], along_[f]);
      noise += through_[f] * std::abs(w_[f].hi[i]) + std::abs(along_[f].hi) * size_[f][i];
    }
    return kRounding * noise < std::abs(sum.hi) ? sum.hi : 0;
  }

 private:
  static constexpr unsigned kAllRows = (1U << kAxes) - 1;
  static constexpr std::size_t kColumns = kMaxChannels + kLanes;

  [[nodiscard]] bool has_pivot(std::size_t k) const noexcept { return (pivots_ >> k & 1) != 0; }

  // the channels, behind them the axes, and c
  void begin(const std::array<Row, kAxes>& a, std::size_t n, ChannelMask free, double r,
             const std::array<DoubleDouble, kAxes>& c, const Vec6& size) noexcept {
    n_ = n;
    c_ = n + kAxes;
    eights_ = c_ / kLanes + 1;
    pivots_ = 0;
    const bool trades = r > kLeastTrade;
    DoubleDouble own{1, 0};
    if (trades) {
      const double root = std::sqrt(r);
      const DoubleDouble square = exact_product(root, root);
      own = exact_sum_sorted(root, ((r - square.hi) - square.lo) / (2 * root));
    }
    open_.fill(0);
    for (std::size_t i = 0; i < c_; ++i) open_[i] = (i < n ? (free >> i & 1) != 0 : trades) ? 1 : 0;
    free_ = free;
    for (std::size_t k = 0; k < kAxes; ++k) {
      for (std::size_t i = 0; i < kLanes * eights_; ++i)
        w_[k].set(i, i < n ? a[k][i] : DoubleDouble{0, 0});
      w_[k].set(n + k, own);
      w_[k].set(c_, c[k]);
      for (std::size_t i = 0; i < kLanes * eights_; ++i) size_[k][i] = std::abs(w_[k].hi[i]);
      size_[k][c_] = size[k];
    }
  }

  // the size of numbers that are left and there, else 0
  [[nodiscard]] PINTLE_INLINE Lanes left(std::size_t k, std::size_t at) const noexcept {
    const Lanes value = magnitude(load(&w_[k].hi[at])) * load(&open_[at]);
    return select(kRankTolerance * load(&size_[k][at]) < value, value, all_lanes(0));
  }

  // the largest of them
  bool next_pivot() noexcept {
    double most = 0;
    for (std::size_t k = 0; k < kAxes; ++k) {
      if (has_pivot(k)) continue;
      Lanes largest = all_lanes(0);
      for (std::size_t at = 0; at < c_; at += kLanes) largest = greater_of(largest, left(k, at));
      if (greatest_of(largest) > most) row_ = k;
      most = std::max(most, greatest_of(largest));
    }
    if (!(most > 0)) return false;
    unsigned here = 0;
    for (column_ = 0; here == 0; column_ += kLanes)
      here = bits_of(left(row_, column_) == all_lanes(most));
    column_ += static_cast<std::size_t>(std::countr_zero(here)) - kLanes;
    pivots_ |= 1U << row_;
    open_[column_] = 0;
    return true;
  }

  // the pivot's column becomes that of a unit matrix
  void sweep() noexcept {
    const DoubleDouble inverse = inverse_of(w_[row_][column_]);
    for (std::size_t i = 0; i < kLanes * eights_; ++i) {
      w_[row_].set(i, w_[row_][i] * inverse);
      size_[row_][i] *= std::abs(inverse.hi);
    }
    for (std::size_t k = 0; k < kAxes; ++k)
      if (k != row_ && w_[k].hi[column_] != 0) subtract(k, w_[k][column_], row_);
  }

  // row k less so many times another
  void subtract(std::size_t k, const DoubleDouble times, std::size_t other) noexcept {
    Row& own = w_[k];
    const Row& from = w_[other];
    for (std::size_t i = 0; i < kLanes * eights_; ++i) {
      const DoubleDouble value = plus_product(own[i], -times, from[i]);
      size_[k][i] += std::abs(times.hi) * size_[other][i];
      const bool none = std::abs(value.hi) <= kNothingLeft * size_[k][i];
      own.set(i, {none ? 0 : value.hi, none ? 0 : value.lo});
    }
  }

  // what lies outside the span: its directions orthogonal, and everything else without them
  void split() noexcept {
    for (std::size_t f = 0; f < kAxes; ++f) {
      if (has_pivot(f)) continue;
      for (std::size_t i = 0; i < n_; ++i)
        if ((free_ >> i & 1) != 0 || std::abs(w_[f].hi[i]) <= kRankTolerance * size_[f][i])
          w_[f].set(i, {0, 0});
      if (std::abs(w_[f].hi[c_]) <= kRounding * size_[f][c_]) w_[f].set(c_, {0, 0});
      for (std::size_t earlier = 0; earlier < f; ++earlier)
        if (!has_pivot(earlier)) take_off(f, earlier);
      weight_[f] = inverse_of(product_of_axes(f, f));
      along_[f] = weight_[f] * w_[f][c_];
      through_[f] = weight_[f].hi * size_[f][c_];
      for (std::size_t k = 0; k < kAxes; ++k)
        if (has_pivot(k)) take_off(k, f);
    }
  }

  // a row without its part along a direction outside the span
  void take_off(std::size_t k, std::size_t f) noexcept {
    const DoubleDouble part = weight_[f] * product_of_axes(k, f);
    if (part.hi != 0) subtract(k, part, f);
  }

  [[nodiscard]] DoubleDouble product_of_axes(std::size_t j, std::size_t k) const noexcept {
    DoubleDouble sum{0, 0};
    for (std::size_t i = n_; i < c_; ++i)
      if (w_[k].hi[i] != 0) sum = plus_product(sum, w_[j][i], w_[k][i]);
    return sum;
  }

  // (I + T T') y = z over the rows with a pivot
  void solve() noexcept {
    for (std::size_t k = 0; k < kAxes; ++k) y_[k] = has_pivot(k) ? w_[k][c_] : DoubleDouble{0, 0};
    if (std::find(open_.begin(), open_.begin() + c_, 1) == open_.begin() + c_) return;
    std::array<Row, kAxes> t;
    std::array<std::array<DoubleDouble, kAxes>, kAxes> m{};
    for (std::size_t j = 0; j < kAxes; ++j) {
      m[j][j] = {1, 0};
      if (!has_pivot(j)) continue;
      for (std::size_t i = 0; i < kLanes * eights_; ++i)
        t[j].set(i, {open_[i] * w_[j].hi[i], open_[i] * w_[j].lo[i]});
      for (std::size_t k = 0; k <= j; ++k)
        if (has_pivot(k)) m[k][j] = m[k][j] + dot(t[k], t[j], eights_);
    }
    std::array<std::array<DoubleDouble, kAxes>, kAxes> upper;
    std::array<DoubleDouble, kAxes> inverse;
    for (std::size_t j = 0; j < kAxes; ++j) {
      inverse[j] = inverse_of(m[j][j]);
      for (std::size_t k = j + 1; k < kAxes; ++k) {
        upper[j][k] = inverse[j] * m[j][k];
        for (std::size_t i = k; i < kAxes; ++i) m[k][i] -= upper[j][k] * m[j][i];
      }
    }
    solve_factored(upper, inverse, y_);
  }

  unsigned pivots_ = 0;                     // rows with one, one bit each
  std::size_t n_ = 0, c_ = 0, eights_ = 0;  // channels, the column of c, columns in eights
  std::array<Row, kAxes> w_;
  std::array<std::array<double, kColumns>, kAxes> size_;  // of what entered w
  ChannelMask free_ = 0;
  alignas(64) std::array<double, kColumns> open_;  // 1: to be brought to a unit column, else 0
  std::size_t row_ = 0, column_ = 0;               // of the present pivot
  std::array<DoubleDouble, kAxes> y_;              // 0 in rows without a pivot; of those
  std::array<DoubleDouble, kAxes> weight_;         // one over the square of their length,
  std::array<DoubleDouble, kAxes> along_;          // how often c has them,
  std::array<double, kAxes> through_;              // and what enters that
};

}  // namespace pintle::allocation::PINTLE_LEVEL
