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
#include "pintle/allocation/internal/double_double.h"

namespace pintle::allocation::PINTLE_LEVEL {

// of what enters a number: less is the rounding of 32 digits
inline constexpr double kNothingLeft = 1e-28;
// and a condition within this is kept
inline constexpr double kRounding = 1e-25;
// a trade below this in scaled numbers is the limit of none
inline constexpr double kLeastTrade = 1e-100;

/// Six numbers and two more.
struct Row {
  alignas(64) std::array<double, kLanes> hi;
  alignas(64) std::array<double, kLanes> lo;

  PINTLE_INLINE void set(std::size_t k, const DoubleDouble& x) noexcept {
    hi[k] = x.hi;
    lo[k] = x.lo;
  }
  [[nodiscard]] PINTLE_INLINE DoubleDouble at(std::size_t k) const noexcept {
    return {hi[k], lo[k]};
  }
  [[nodiscard]] PINTLE_INLINE LanesPair lanes() const noexcept {
    return {load(hi.data()), load(lo.data())};
  }
  PINTLE_INLINE void set(const LanesPair& x) noexcept {
    store(x.hi, hi.data());
    store(x.lo, lo.data());
  }
};

PINTLE_INLINE DoubleDouble product_of_six(const Row& a, const Row& b) noexcept {
  SumOfProducts<double> sum;
  sum.begin(a.at(0), b.at(0));
  for (std::size_t k = 1; k < kAxes; ++k) sum.add(a.at(k), b.at(k));
  return sum.get();
}

class Echelon {
 public:
  static constexpr std::size_t kChunks = kMaxChannels / kLanes;
  using Columns = std::array<std::array<LanesPair, kAxes>, kChunks>;

  /// Every axis is in the span.
  [[nodiscard]] bool spanned() const noexcept { return pivots_ == kAllRows; }

  /// `free`: one bit a channel; c with the size of what entered it.
  void run(const Columns& a, std::size_t chunks, const unsigned* free, double r, const Row& c,
           const Vec6& size) noexcept {
    begin(a, chunks, free, r, c, size);
    while (!spanned() && next_pivot()) sweep();
    if (!spanned()) split();
    solve();
  }

  /// a_i'l of a chunk, and what enters it.
  [[nodiscard]] LanesPair target(std::size_t chunk, Lanes& size) const noexcept {
    SumOfProducts<Lanes> sum;
    sum.sum = {all_lanes(0), all_lanes(0)};
    size = all_lanes(0);
    for (unsigned rows = pivots_; rows != 0; rows &= rows - 1) {
      const std::size_t k = first_of(rows);
      sum.add(w_[chunk][k].value, all_lanes(y_[k]));
      size += magnitude(y_[k].hi * w_[chunk][k].value.hi);
    }
    return sum.get();
  }

  /// a_i'd, 0 where it is rounding.
  [[nodiscard]] Lanes outside(std::size_t chunk) const noexcept {
    SumOfProducts<Lanes> sum;
    sum.sum = {all_lanes(0), all_lanes(0)};
    Lanes noise = all_lanes(0);
    for (unsigned rows = kAllRows & ~pivots_; rows != 0; rows &= rows - 1) {
      const std::size_t f = first_of(rows);
      const Entry& own = w_[chunk][f];
      sum.add(own.value, all_lanes(along_[f]));
      noise += through_[f] * magnitude(own.value.hi) + std::abs(along_[f].hi) * own.size;
    }
    const Lanes value = sum.get().hi;
    return select(kRounding * noise < magnitude(value), value, all_lanes(0));
  }

 private:
  struct Entry {
    LanesPair value;
    Lanes size;  // of what entered it
  };
  static constexpr unsigned kAllRows = (1U << kAxes) - 1;

  static std::size_t first_of(unsigned bits) noexcept {
    return static_cast<std::size_t>(std::countr_zero(bits));
  }

  // the columns, and behind them those of the axes with c as the seventh
  void begin(const Columns& a, std::size_t chunks, const unsigned* free, double r, const Row& c,
             const Vec6& size) noexcept {
    chunks_ = chunks;
    pivots_ = 0;
    for (std::size_t j = 0; j < chunks; ++j) {
      open_[j] = free[j];
      free_[j] = free[j];
      for (std::size_t k = 0; k < kAxes; ++k) w_[j][k] = {a[j][k], magnitude(a[j][k].hi)};
    }
    const bool trades = r > kLeastTrade;
    DoubleDouble own{1, 0};
    if (trades) {
      const double root = std::sqrt(r);
      const DoubleDouble square = exact_product(root, root);
      own = exact_sum_sorted(root, ((r - square.hi) - square.lo) / (2 * root));
    }
    open_[chunks] = free_[chunks] = trades ? kAllRows : 0;
    for (std::size_t k = 0; k < kAxes; ++k) {
      Row row;
      row.hi.fill(0);
      row.lo.fill(0);
      row.set(k, own);
      row.set(6, c.at(k));
      Entry& e = w_[chunks][k];
      e.value = row.lanes();
      e.size = magnitude(e.value.hi);
      e.size.set(6, size[k]);
    }
  }

  // the largest number left that is one
  bool next_pivot() noexcept {
    double most = 0;
    for (std::size_t j = 0; j <= chunks_; ++j) {
      if (open_[j] == 0) continue;
      const LaneMask open = lanes_of(open_[j]);
      for (unsigned rows = kAllRows & ~pivots_; rows != 0; rows &= rows - 1) {
        const std::size_t k = first_of(rows);
        const Entry& e = w_[j][k];
        const Lanes value = magnitude(e.value.hi);
        const Lanes there = select(open & (kRankTolerance * e.size < value), value, all_lanes(0));
        const double largest = greatest_of(there);
        if (!(largest > most)) continue;
        most = largest;
        row_ = k;
        chunk_ = j;
        lane_ = first_of(bits_of(there == all_lanes(largest)));
      }
    }
    if (!(most > 0)) return false;
    pivots_ |= 1U << row_;
    open_[chunk_] &= ~(1U << lane_);
    return true;
  }

  // the pivot's column becomes that of a unit matrix
  void sweep() noexcept {
    std::array<DoubleDouble, kAxes> own;
    for (std::size_t k = 0; k < kAxes; ++k) own[k] = lane(w_[chunk_][k].value, lane_);
    const DoubleDouble inverse = inverse_of(own[row_]);
    for (std::size_t j = 0; j <= chunks_; ++j) {
      Entry& e = w_[j][row_];
      e.value = e.value * all_lanes(inverse);
      e.size = std::abs(inverse.hi) * e.size;
    }
    for (std::size_t k = 0; k < kAxes; ++k)
      if (k != row_ && own[k].hi != 0) subtract(k, own[k], row_);
  }

  // row k less so many times another
  void subtract(std::size_t k, const DoubleDouble& times, std::size_t other) noexcept {
    const LanesPair factor = all_lanes(times);
    const double size = std::abs(times.hi);
    const LanesPair zero{all_lanes(0), all_lanes(0)};
    for (std::size_t j = 0; j <= chunks_; ++j) {
      Entry& e = w_[j][k];
      const Entry& o = w_[j][other];
      const LanesPair value = minus_product(e.value, factor, o.value);
      e.size += size * o.size;
      e.value = select(magnitude(value.hi) <= kNothingLeft * e.size, zero, value);
    }
  }

  // what lies outside the span: its directions orthogonal, and everything else without them
  void split() noexcept {
    const LanesPair zero{all_lanes(0), all_lanes(0)};
    const unsigned without = kAllRows & ~pivots_;
    for (unsigned rows = without; rows != 0; rows &= rows - 1) {
      const std::size_t f = first_of(rows);
      for (std::size_t j = 0; j < chunks_; ++j) {
        Entry& e = w_[j][f];
        const LaneMask none =
            lanes_of(free_[j]) | (magnitude(e.value.hi) <= kRankTolerance * e.size);
        e.value = select(none, zero, e.value);
      }
      Entry& e = w_[chunks_][f];
      const LaneMask none = lanes_of(1U << 6) & (magnitude(e.value.hi) <= kRounding * e.size);
      e.value = select(none, zero, e.value);
      for (unsigned earlier = without & ((1U << f) - 1); earlier != 0; earlier &= earlier - 1)
        take_off(f, first_of(earlier));
      direction_[f].set(w_[chunks_][f].value);
      weight_[f] = inverse_of(product_of_six(direction_[f], direction_[f]));
      along_[f] = weight_[f] * direction_[f].at(6);
      through_[f] = weight_[f].hi * w_[chunks_][f].size[6];
      for (unsigned others = pivots_; others != 0; others &= others - 1)
        take_off(first_of(others), f);
    }
  }

  // a row without its part along a direction outside the span
  void take_off(std::size_t k, std::size_t f) noexcept {
    Row own;
    own.set(w_[chunks_][k].value);
    const DoubleDouble part = weight_[f] * product_of_six(own, direction_[f]);
    if (part.hi != 0) subtract(k, part, f);
  }

  // (I + T T') y = z over the rows with a pivot
  void solve() noexcept {
    Row own;
    bool some = false;
    for (std::size_t j = 0; j <= chunks_; ++j) some = some || open_[j] != 0;
    if (!some) {
      for (std::size_t k = 0; k < kAxes; ++k) y_[k] = lane(w_[chunks_][k].value, 6);
      return;
    }
    std::array<Row, kAxes> m;
    sum_products(m);
    for (std::size_t k = 0; k < kAxes; ++k) {
      const bool has = (pivots_ >> k & 1) != 0;
      m[k].set(k, has ? m[k].at(k) + DoubleDouble{1, 0} : DoubleDouble{1, 0});
      m[k].set(6, has ? lane(w_[chunks_][k].value, 6) : DoubleDouble{0, 0});
      m[k].set(7, {0, 0});
    }
    for (std::size_t j = 0; j < kAxes; ++j) {
      const LanesPair row = m[j].lanes();
      own.set(all_lanes(inverse_of(m[j].at(j))) * row);
      for (std::size_t i = j + 1; i < kAxes; ++i)
        m[i].set(minus_product(m[i].lanes(), all_lanes(own.at(i)), row));
      m[j] = own;
    }
    for (std::size_t j = kAxes; j-- > 0;) {
      DoubleDouble y = m[j].at(6);
      for (std::size_t i = j + 1; i < kAxes; ++i) y = minus_product(y, m[j].at(i), y_[i]);
      y_[j] = y;
    }
  }

  // T T', zero in the rows without a pivot
  void sum_products(std::array<Row, kAxes>& m) const noexcept {
    constexpr std::size_t kEntries = kAxes * (kAxes + 1) / 2;
    constexpr std::size_t kSums = 3 * kLanes;
    const LanesPair zero{all_lanes(0), all_lanes(0)};
    std::array<SumOfProducts<Lanes>, kSums> sums;
    for (auto& sum : sums) sum.sum = zero;
    for (std::size_t c = 0; c <= chunks_; ++c) {
      if (open_[c] == 0) continue;
      const LaneMask open = lanes_of(open_[c]);
      std::size_t t = 0;
      for (std::size_t j = 0; j < kAxes; ++j) {
        const LanesPair own = select(open, w_[c][j].value, zero);
        for (std::size_t k = 0; k <= j; ++k, ++t)
          if ((pivots_ >> j & pivots_ >> k & 1) != 0) sums[t].add(own, w_[c][k].value);
      }
    }
    static_assert(kEntries <= kSums);
    std::array<Row, kSums / kLanes> all;
    for (std::size_t g = 0; g < all.size(); ++g) all[g].set(sums_of_eight(&sums[kLanes * g]));
    std::size_t t = 0;
    for (std::size_t j = 0; j < kAxes; ++j)
      for (std::size_t k = 0; k <= j; ++k, ++t) {
        m[j].set(k, all[t / kLanes].at(t % kLanes));
        m[k].set(j, all[t / kLanes].at(t % kLanes));
      }
  }

  unsigned pivots_ = 0;  // rows with one, one bit each
  std::size_t chunks_ = 0;
  std::array<std::array<Entry, kAxes>, kChunks + 1> w_;
  std::array<unsigned, kChunks + 1> free_, open_;  // open: not yet brought to a unit column
  std::size_t row_ = 0, chunk_ = 0, lane_ = 0;     // of the present pivot
  std::array<DoubleDouble, kAxes> y_;
  std::array<Row, kAxes> direction_;        // of rows without a pivot,
  std::array<DoubleDouble, kAxes> weight_;  // one over the square of their length,
  std::array<DoubleDouble, kAxes> along_;   // how often c has them,
  std::array<double, kAxes> through_;       // and what enters that
};

}  // namespace pintle::allocation::PINTLE_LEVEL
