#include "pintle/allocation/refine.h"

#include <algorithm>
#include <cmath>

#include "pintle/allocation/double_double.h"

namespace pintle::allocation {
namespace {

using Row = std::array<DoubleDouble, kAxes>;

// of what enters a condition: less is rounding
constexpr double kNothing = 1e-25;
constexpr double kLargest = 1e60;
// of what enters a multiplier in double: less may be rounding
constexpr double kUnclear = 1e-12;
// the same of a free channel: more is no rounding any more
constexpr double kOffBalance = 1e-10;

DoubleDouble product(const Row& a, const Row& b) noexcept {
  DoubleDouble sum;
  for (std::size_t k = 0; k < kAxes; ++k) sum = sum + a[k] * b[k];
  return sum;
}

// L D L' of a semidefinite 6 x 6 matrix with the largest pivot first; what is left without a pivot
// is its null space
struct Gram {
  std::array<Row, kAxes> m{};
  std::array<std::size_t, kAxes> order{};
  std::size_t rank = 0;

  void add(const Row& a) noexcept {
    for (std::size_t j = 0; j < kAxes; ++j)
      for (std::size_t k = 0; k <= j; ++k) m[j][k] = m[j][k] + a[j] * a[k];
  }

  void factor() noexcept {
    std::array<double, kAxes> size;
    double largest = 0;
    for (std::size_t j = 0; j < kAxes; ++j) {
      order[j] = j;
      size[j] = m[j][j].hi;
      largest = std::max(largest, size[j]);
      for (std::size_t k = 0; k < j; ++k) m[k][j] = m[j][k];
    }
    constexpr double kSquared = kRankTolerance * kRankTolerance;
    for (rank = 0; rank < kAxes; ++rank) {
      // the pivot that keeps most of its row: rows of other units count alike
      std::size_t best = rank;
      double share = 0;
      for (std::size_t j = rank; j < kAxes; ++j) {
        const std::size_t row = order[j];
        const double left = size[row] > kSquared * largest ? m[row][row].hi / size[row] : 0;
        if (left > share) {
          share = left;
          best = j;
        }
      }
      if (!(share > kSquared)) break;
      std::swap(order[rank], order[best]);
      const std::size_t p = order[rank];
      for (std::size_t i = rank + 1; i < kAxes; ++i) {
        const std::size_t row = order[i];
        const DoubleDouble factor_of_row = m[row][p] / m[p][p];
        for (std::size_t j = rank + 1; j < kAxes; ++j)
          m[row][order[j]] = m[row][order[j]] - factor_of_row * m[p][order[j]];
        m[row][p] = factor_of_row;  // what L has in this column
      }
    }
  }

  // z with G z = v in the rows that have a pivot, 0 in the others
  [[nodiscard]] Row solve(const Row& v) const noexcept {
    Row z = v;
    for (std::size_t i = 0; i < rank; ++i)
      for (std::size_t j = i + 1; j < rank; ++j)
        z[order[j]] = z[order[j]] - m[order[j]][order[i]] * z[order[i]];
    return solve_upper(z);
  }

  // an orthonormal basis of the null space
  std::size_t null_space(std::array<Row, kAxes>& q) const noexcept {
    const std::size_t count = kAxes - rank;
    for (std::size_t f = 0; f < count; ++f) {
      // minus the column without pivot, which then has weight 1
      Row v;
      for (std::size_t k = 0; k < kAxes; ++k) v[k] = 0;
      for (std::size_t i = 0; i < rank; ++i) v[order[i]] = -m[order[i]][order[rank + f]];
      Row z = solve_upper(v);
      z[order[rank + f]] = 1;
      for (int pass = 0; pass < 2; ++pass)
        for (std::size_t g = 0; g < f; ++g) {
          const DoubleDouble part = product(q[g], z);
          for (std::size_t k = 0; k < kAxes; ++k) z[k] = z[k] - part * q[g][k];
        }
      const DoubleDouble length2 = product(z, z);
      // one Newton step on the root of a double
      const double start = std::sqrt(length2.hi);
      const DoubleDouble length = (DoubleDouble(start) + length2 / start) * DoubleDouble(0.5);
      for (std::size_t k = 0; k < kAxes; ++k) q[f][k] = z[k] / length;
    }
    return count;
  }

 private:
  [[nodiscard]] DoubleDouble pivot(std::size_t i) const noexcept { return m[order[i]][order[i]]; }

  // rows with a pivot hold D L' to the right of it
  [[nodiscard]] Row solve_upper(const Row& v) const noexcept {
    Row z = v;
    for (std::size_t i = rank; i-- > 0;) {
      DoubleDouble y = z[order[i]];
      for (std::size_t j = i + 1; j < rank; ++j) y = y - m[order[i]][order[j]] * z[order[j]];
      z[order[i]] = y / pivot(i);
    }
    for (std::size_t i = rank; i < kAxes; ++i) z[order[i]] = 0;
    return z;
  }
};

Row without(Row v, const std::array<Row, kAxes>& q, std::size_t count) noexcept {
  for (int pass = 0; pass < 2; ++pass)
    for (std::size_t f = 0; f < count; ++f) {
      const DoubleDouble part = product(q[f], v);
      for (std::size_t k = 0; k < kAxes; ++k) v[k] = v[k] - part * q[f][k];
    }
  return v;
}

class Refiner {
 public:
  Refiner(const Working& working, const Scaled& scaled) noexcept : n_(working.n), r_(scaled.box.r) {
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t k = 0; k < kAxes; ++k)
        a_[i][k] = exact_product(scaled.weight[k] / scaled.gain_unit, working.column[i][k]);
      lower_[i] = exact_sum(working.lower[i] / scaled.effort_unit,
                            -working.preferred[i] / scaled.effort_unit);
      upper_[i] = exact_sum(working.upper[i] / scaled.effort_unit,
                            -working.preferred[i] / scaled.effort_unit);
    }
  }

  bool set_demand(const Working& working, const Wrench& demand, const Scaled& scaled) noexcept {
    const Vec6 wanted = to_vec6(demand);
    double largest = r_;
    for (std::size_t k = 0; k < kAxes; ++k) {
      const double unit = scaled.weight[k] / scaled.gain_unit;
      b_[k] = exact_sum(wanted[k] / scaled.effort_unit, -working.bias[k] / scaled.effort_unit) *
              DoubleDouble(unit);
      for (std::size_t i = 0; i < n_; ++i)
        if (working.preferred[i] != 0)
          b_[k] = b_[k] - a_[i][k] * DoubleDouble(working.preferred[i] / scaled.effort_unit);
      // written so that NaN fails
      if (!(std::abs(b_[k].hi) < kLargest)) return false;
      largest = std::max(largest, std::abs(b_[k].hi));
    }
    return largest < kLargest;
  }

  bool run(const BoxProblem& box, int max_rounds, BoxSolution& solution) noexcept {
    for (std::size_t i = 0; i < n_; ++i) held_[i] = solution.held[i];
    int fewest = static_cast<int>(n_) + 1;
    for (int round = 1; round <= max_rounds; ++round) {
      solve_free();
      int wrong = 0;
      std::size_t first = 0;
      for (std::size_t i = n_; i-- > 0;) {
        next_[i] = wanted(i);
        if (next_[i] == held_[i]) continue;
        ++wrong;
        first = i;
      }
      if (wrong == 0) return accept(box, round, solution);
      const bool all = wrong < fewest;
      fewest = std::min(fewest, wrong);
      if (all)
        held_ = next_;
      else
        held_[first] = next_[first];
    }
    return false;
  }

 private:
  // numbers out of range end as NaN: those are not taken
  bool accept(const BoxProblem& box, int rounds, BoxSolution& solution) const noexcept {
    for (std::size_t i = 0; i < n_; ++i)
      if (!(std::abs(x_[i].hi) < kLargest)) return false;
    for (std::size_t i = 0; i < n_; ++i) {
      solution.held[i] = held_[i];
      solution.x[i] = std::clamp(x_[i].hi, box.lower[i], box.upper[i]);
    }
    solution.iterations += rounds;
    solution.converged = true;
    return true;
  }

  void solve_free() noexcept {
    Row c = b_;
    gram_ = {};
    for (std::size_t k = 0; k < kAxes; ++k) size_[k] = std::abs(b_[k].hi);
    for (std::size_t i = 0; i < n_; ++i) {
      if (held_[i] == Held::kFree) {
        gram_.add(a_[i]);
        continue;
      }
      x_[i] = held_[i] == Held::kUpper ? upper_[i] : lower_[i];
      for (std::size_t k = 0; k < kAxes; ++k) {
        const DoubleDouble part = a_[i][k] * x_[i];
        c[k] = c[k] - part;
        size_[k] += std::abs(part.hi);
      }
    }
    for (std::size_t k = 0; k < kAxes; ++k) gram_.m[k][k] = gram_.m[k][k] + DoubleDouble(r_);
    gram_.factor();
    nulls_ = gram_.null_space(q_);
    const Row in_span = without(c, q_, nulls_);
    for (std::size_t k = 0; k < kAxes; ++k) d_[k] = nulls_ > 0 ? c[k] - in_span[k] : 0;
    for (std::size_t f = 0; f < nulls_; ++f) {
      along_[f] = product(q_[f], d_);
      through_[f] = 0;
      for (std::size_t k = 0; k < kAxes; ++k) through_[f] += std::abs(q_[f][k].hi) * size_[k];
    }
    l_ = without(gram_.solve(in_span), q_, nulls_);
    for (std::size_t i = 0; i < n_; ++i) {
      target_[i] = product(a_[i], l_);
      if (held_[i] == Held::kFree) x_[i] = target_[i];
    }
  }

  // where a channel belongs, given the present multipliers
  [[nodiscard]] Held wanted(std::size_t i) const noexcept {
    if (held_[i] == Held::kFixed) return Held::kFixed;
    if (held_[i] == Held::kFree) {
      if (x_[i] < lower_[i] - DoubleDouble(kNothing)) return Held::kLower;
      return x_[i] > upper_[i] + DoubleDouble(kNothing) ? Held::kUpper : Held::kFree;
    }
    DoubleDouble outwards = first_multiplier(i);
    if (outwards.hi == 0) {
      double size = std::abs(x_[i].hi);
      for (std::size_t k = 0; k < kAxes; ++k) size += std::abs(a_[i][k].hi * l_[k].hi);
      outwards = target_[i] - x_[i];
      if (!(std::abs(outwards.hi) > kNothing * size)) return held_[i];
    }
    if (held_[i] == Held::kLower) outwards = -outwards;
    return outwards.hi < 0 ? Held::kFree : held_[i];
  }

  // a_i' d, 0 where the column lies in the span of the free ones or rounding made it
  [[nodiscard]] DoubleDouble first_multiplier(std::size_t i) const noexcept {
    if (nulls_ == 0) return 0;
    double length2 = 0;
    double noise = 0;
    DoubleDouble sum;
    for (std::size_t f = 0; f < nulls_; ++f) {
      const DoubleDouble part = product(q_[f], a_[i]);
      length2 += part.hi * part.hi;
      sum = sum + part * along_[f];
      noise += std::abs(part.hi) * through_[f];
    }
    double own = 0;
    for (std::size_t k = 0; k < kAxes; ++k) own += a_[i][k].hi * a_[i][k].hi;
    if (length2 <= kRankTolerance * kRankTolerance * own) return 0;
    return std::abs(sum.hi) > kNothing * noise ? sum : DoubleDouble(0);
  }

  std::size_t n_;
  double r_;
  std::array<Row, kMaxChannels> a_;
  Row b_, l_, d_;
  std::array<DoubleDouble, kMaxChannels> lower_, upper_, x_, target_;
  std::array<Held, kMaxChannels> held_, next_;
  std::array<double, kAxes> size_;
  Gram gram_;
  std::array<Row, kAxes> q_;
  std::array<DoubleDouble, kAxes> along_;  // of d in the null space,
  std::array<double, kAxes> through_;      // and what enters it
  std::size_t nulls_ = 0;
};

}  // namespace

bool is_unclear(const BoxProblem& p, const BoxSolution& solution) noexcept {
  Vec6 missing = p.b;
  Vec6 size;
  for (std::size_t k = 0; k < kAxes; ++k) size[k] = std::abs(p.b[k]);
  for (std::size_t i = 0; i < p.n; ++i)
    for (std::size_t k = 0; k < kAxes; ++k) {
      const double part = solution.x[i] * p.column[i][k];
      missing[k] -= part;
      size[k] += std::abs(part);
    }
  bool met = true;
  for (std::size_t k = 0; k < kAxes; ++k)
    met = met && std::abs(missing[k]) <= kRankTolerance * size[k];
  if (met) return false;
  for (std::size_t i = 0; i < p.n; ++i) {
    if (solution.held[i] == Held::kFixed) continue;
    double through = 0;
    for (std::size_t k = 0; k < kAxes; ++k) through += std::abs(p.column[i][k]) * size[k];
    const double gain = dot(p.column[i], missing) - p.r * solution.x[i];
    const double part = std::abs(gain) / (through + p.r * std::abs(solution.x[i]));
    // written so that NaN, of a column of zeros, is clear
    if (solution.held[i] == Held::kFree ? part > kOffBalance : part <= kUnclear) return true;
  }
  return false;
}

bool refine(const Working& working, const Wrench& demand, const Scaled& scaled, int max_rounds,
            BoxSolution& solution) noexcept {
  Refiner refiner(working, scaled);
  return refiner.set_demand(working, demand, scaled) &&
         refiner.run(scaled.box, max_rounds, solution);
}

}  // namespace pintle::allocation
