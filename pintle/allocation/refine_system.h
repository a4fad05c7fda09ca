/// The 6 x 6 system of a set of free channels in double-double, for refine_kernel.h. Internal to
/// this room.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>

#include "pintle/allocation/bounded_least_squares.h"
#include "pintle/allocation/double_double.h"

namespace pintle::allocation::PINTLE_LEVEL {

// a row that keeps this share of itself is as good a pivot as any
inline constexpr double kGoodPivot = 1e-3;

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

PINTLE_INLINE DoubleDouble product(const Row& a, const Row& b) noexcept {
  SumOfProducts<double> sum;
  sum.begin(a.at(0), b.at(0));
  for (std::size_t k = 1; k < kAxes; ++k) sum.add(a.at(k), b.at(k));
  return sum.get();
}

/// v without its parts along orthogonal q, and these parts.
inline void split_off(Row& v, const std::array<Row, kAxes>& q,
                      const std::array<DoubleDouble, kAxes>& weight, std::size_t count,
                      std::array<DoubleDouble, kAxes>& part) noexcept {
  for (std::size_t f = 0; f < count; ++f) {
    part[f] = weight[f] * product(q[f], v);
    v.set(minus_product(v.lanes(), all_lanes(part[f]), q[f].lanes()));
  }
}

/// L D L' of a semidefinite 6 x 6 matrix; what is left without a pivot is its null space.
struct Elimination {
  std::array<Row, kAxes> m;  ///< The matrix, and a right side as number 6.
  std::array<Row, kAxes> f;  ///< Rows of pivots over their pivots: L' and D^-1 L^-1 c.
  std::array<DoubleDouble, kAxes> inverse;
  std::array<std::size_t, kAxes> order;  ///< Of the pivots, then the rows without.
  std::size_t rank = 0;

  void run() noexcept {
    std::array<double, kAxes> least;
    double largest = 0;
    for (std::size_t j = 0; j < kAxes; ++j) largest = std::max(largest, m[j].hi[j]);
    constexpr double kSquared = kRankTolerance * kRankTolerance;
    // rows of nothing have no pivot
    for (std::size_t j = 0; j < kAxes; ++j)
      least[j] = m[j].hi[j] > kSquared * largest ? m[j].hi[j] : -1;
    unsigned left = (1U << kAxes) - 1;
    for (rank = 0; left != 0; ++rank) {
      const std::size_t p = pivot(left, least);
      if (p == kAxes) break;
      order[rank] = p;
      left &= ~(1U << p);
      inverse[p] = inverse_of(m[p].at(p));
      const LanesPair row = m[p].lanes();
      f[p].set(all_lanes(inverse[p]) * row);
      for (unsigned rest = left; rest != 0; rest &= rest - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(rest));
        m[i].set(minus_product(m[i].lanes(), all_lanes(f[p].at(i)), row));
      }
    }
    for (std::size_t j = rank; left != 0; left &= left - 1)
      order[j++] = static_cast<std::size_t>(std::countr_zero(left));
  }

  /// z with L' z = v over the pivots, 0 in the rows without.
  void solve_upper(const Row& v, Row& z) const noexcept {
    for (std::size_t k = rank; k < kAxes; ++k) z.set(order[k], {0, 0});
    for (std::size_t i = rank; i-- > 0;) {
      const std::size_t p = order[i];
      DoubleDouble y = v.at(p);
      for (std::size_t j = rank; --j > i;) y = minus_product(y, f[p].at(order[j]), z.at(order[j]));
      z.set(p, y);
    }
    z.hi[6] = z.hi[7] = z.lo[6] = z.lo[7] = 0;
  }

  /// z with G z = v in the rows that have a pivot, 0 in the others.
  void solve(const Row& v, Row& z) const noexcept {
    Row y;
    Row w;
    for (std::size_t i = 0; i < rank; ++i) {
      const std::size_t p = order[i];
      DoubleDouble x = v.at(p);
      for (std::size_t j = 0; j < i; ++j) x = minus_product(x, f[order[j]].at(p), y.at(order[j]));
      y.set(p, x);
      w.set(p, inverse[p] * x);
    }
    solve_upper(w, z);
  }

  /// Number `c` of the rows over the pivots.
  void column(std::size_t c, Row& v) const noexcept {
    for (std::size_t i = 0; i < rank; ++i) v.set(order[i], f[order[i]].at(c));
  }

  /// An orthogonal basis of the null space, and one over the square of each length.
  std::size_t null_space(std::array<Row, kAxes>& q,
                         std::array<DoubleDouble, kAxes>& weight) const noexcept {
    const std::size_t count = kAxes - rank;
    std::array<DoubleDouble, kAxes> part;
    for (std::size_t k = 0; k < count; ++k) {
      // minus the column without pivot, which then has weight 1
      Row v;
      for (std::size_t i = 0; i < rank; ++i) {
        const DoubleDouble x = f[order[i]].at(order[rank + k]);
        v.set(order[i], {-x.hi, -x.lo});
      }
      solve_upper(v, q[k]);
      q[k].set(order[rank + k], {1, 0});
      split_off(q[k], q, weight, k, part);
      weight[k] = inverse_of(product(q[k], q[k]));
    }
    return count;
  }

 private:
  // the first row that keeps much of itself, or the one that keeps most: rows of other units count
  // alike. kAxes where none keeps more than rounding
  [[nodiscard]] std::size_t pivot(unsigned left,
                                  const std::array<double, kAxes>& size) const noexcept {
    std::size_t best = kAxes;
    double most = kRankTolerance * kRankTolerance;
    for (; left != 0; left &= left - 1) {
      const auto j = static_cast<std::size_t>(std::countr_zero(left));
      if (m[j].hi[j] > kGoodPivot * size[j] && size[j] > 0) return j;
      const double share = size[j] > 0 ? m[j].hi[j] / size[j] : 0;
      if (!(share > most)) continue;
      most = share;
      best = j;
    }
    return best;
  }
};

}  // namespace pintle::allocation::PINTLE_LEVEL
