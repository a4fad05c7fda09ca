/// For tests and campaigns: whether efforts are the optimum of a demand in groups, by conditions
/// that know no weights and ask for no solver.
///
/// What groups before it got is held for a group by multipliers y of their rows: at its optimum
/// y exists with A_g'd + A_before'y - r x = 0 for each channel between its bounds, and of the sign
/// that points outwards for one on a bound (the conditions of Karush, Kuhn and Tucker). With r = 0
/// the last group of all is effort: -x + A'y. y is looked for as the least squares of what is broken,
/// with those as equations that stand in the way (Lawson and Hanson's non-negative least squares,
/// Solving Least Squares Problems, 1974, chapter 23).
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "pintle/allocation/prepared.h"
#include "pintle/allocation_suite/oracle.h"

namespace pintle::allocation::testing {

/// How channels stand: 0 free, 1 on the lower, 2 on the upper bound, 3 without width. Where a price
/// is small, what was held by weights leaves a bound by more than a last digit.
using Stand = std::vector<int>;
inline Stand stand_of(const Dense& p, const std::vector<Real>& x) {
  Stand stand;
  for (std::size_t i = 0; i < p.n(); ++i) {
    const Real near = Real(1e-13) * std::max(magnitude(p.lower[i]), magnitude(p.upper[i]));
    stand.push_back(!(p.lower[i] < p.upper[i])  ? 3
                    : x[i] <= p.lower[i] + near ? 1
                    : x[i] >= p.upper[i] - near ? 2
                                                : 0);
  }
  return stand;
}

class Lexicographic {
 public:
  Lexicographic(const Dense& p, const WrenchDemand& demand, const std::vector<Real>& x, Stand stand)
      : p_(p), demand_(demand), x_(x), stand_(std::move(stand)) {
    for (std::size_t k = 0; k < kAxes; ++k) {
      missing_[k] = p.b[k];
      size_[k] = magnitude(p.b[k]);
      for (std::size_t i = 0; i < p.n(); ++i) {
        missing_[k] -= p.a[i][k] * x[i];
        size_[k] += magnitude(p.a[i][k]) * std::max(magnitude(p.lower[i]), magnitude(p.upper[i]));
      }
    }
  }

  /// The most by which a condition of some group is broken, of what enters it. With r > 0 of the
  /// last one: those before had less effort to pay for.
  Real of_wrench() {
    Real worst = 0;
    for (int group = -1; (group = group_after(demand_, group)) < kNoGroup;)
      if (p_.r == 0 || group_after(demand_, group) == kNoGroup) worst = std::max(worst, of(group));
    return worst;
  }
  /// Who is held by what a group misses: at each of its optima on that bound.
  std::vector<bool> held_by(int group) {
    of(group);
    std::vector<bool> held;
    for (std::size_t i = 0; i < p_.n(); ++i)
      held.push_back((stand_[i] == 1 || stand_[i] == 2) &&
                     magnitude(gain_with_multipliers(i)) > Real(1e-12) * through_[i]);
    return held;
  }
  /// The same of the least effort, over the largest bound.
  Real of_effort() { return of(kNoGroup); }

 private:
  Real of(int group) {
    const std::size_t n = p_.n();
    rows_.clear();
    gain_.assign(n, 0);
    through_.assign(n, 0);
    for (std::size_t k = 0; k < kAxes; ++k) {
      if (demand_.weight[k] == 0) continue;
      if (demand_.group[k] < group) rows_.push_back(k);
      for (std::size_t i = 0; i < n && demand_.group[k] <= group; ++i) {
        if (demand_.group[k] == group) gain_[i] += p_.a[i][k] * missing_[k];
        if (group != kNoGroup) through_[i] += magnitude(p_.a[i][k]) * size_[k];
      }
    }
    Real largest = 0;
    for (std::size_t i = 0; i < n; ++i)
      largest = std::max({largest, magnitude(p_.lower[i]), magnitude(p_.upper[i])});
    for (std::size_t i = 0; i < n; ++i) {
      gain_[i] -= (group == kNoGroup ? Real(1) : p_.r) * x_[i];
      through_[i] += (group == kNoGroup ? Real(1) : p_.r) * largest;
    }
    find_multipliers();
    Real worst = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Real through = through_with_multipliers(i);
      if (through > 0) worst = std::max(worst, magnitude(broken_by(i)) / through);
    }
    return worst;
  }

  [[nodiscard]] Real gain_with_multipliers(std::size_t i) const {
    Real g = gain_[i];
    for (std::size_t j = 0; j < rows_.size(); ++j) g += p_.a[i][rows_[j]] * y_[j];
    return g;
  }

  [[nodiscard]] Real through_with_multipliers(std::size_t i) const {
    Real through = through_[i];
    for (std::size_t j = 0; j < rows_.size(); ++j) through += magnitude(p_.a[i][rows_[j]] * y_[j]);
    return through;
  }

  // 0 where the condition holds
  [[nodiscard]] Real broken_by(std::size_t i) const {
    const Real g = gain_with_multipliers(i);
    const int s = stand_[i];
    return s == 3 || (s == 1 && g <= 0) || (s == 2 && g >= 0) ? Real(0) : g;
  }

  // The least sum of squares of what is broken, each over what enters it, so that no channel counts
  // for nothing: that of those which count as equations, to which one is added that a step would
  // break, and from which the one is taken that would be kept anyway and stands most in the way.
  void find_multipliers() {
    y_ = {};
    std::vector<bool> counts;
    for (std::size_t i = 0; i < p_.n(); ++i) counts.push_back(stand_[i] == 0 || broken_by(i) != 0);
    for (std::size_t round = 0; round < 20 * p_.n(); ++round) {
      const Column from = y_, to = least_squares(counts);
      Real share = 1;
      std::size_t first = p_.n();
      for (std::size_t i = 0; i < p_.n(); ++i) {
        if (counts[i] || stand_[i] == 3) continue;
        y_ = from;
        const Real before = gain_with_multipliers(i);
        y_ = to;
        if (broken_by(i) == 0) continue;
        const Real until = before / (before - gain_with_multipliers(i));
        if (until < share || first == p_.n()) {
          share = std::max(Real(0), std::min(share, until));
          first = i;
        }
      }
      for (std::size_t j = 0; j < rows_.size(); ++j) y_[j] = from[j] + share * (to[j] - from[j]);
      if (first < p_.n()) {
        counts[first] = true;
        continue;
      }
      Real most = 1e-24;
      for (std::size_t i = 0; i < p_.n(); ++i) {
        if (!counts[i] || stand_[i] == 0 || broken_by(i) != 0) continue;
        const Real kept = magnitude(gain_with_multipliers(i)) / through_with_multipliers(i);
        if (kept > most) first = i;
        most = std::max(most, kept);
      }
      if (first == p_.n()) return;
      counts[first] = false;
    }
  }

  // by orthogonal columns; what the others give but for rounding stays 0
  [[nodiscard]] Column least_squares(const std::vector<bool>& counts) const {
    const std::size_t m = rows_.size();
    std::vector<std::vector<Real>> q(m);
    std::vector<Real> rest;
    for (std::size_t i = 0; i < p_.n(); ++i) {
      if (!counts[i] || !(through_[i] > 0)) continue;
      rest.push_back(-gain_[i] / through_[i]);
      for (std::size_t j = 0; j < m; ++j) q[j].push_back(p_.a[i][rows_[j]] / through_[i]);
    }
    const auto dot = [](const std::vector<Real>& a, const std::vector<Real>& b) {
      Real sum = 0;
      for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
      return sum;
    };
    const auto take_out = [](std::vector<Real>& a, const Real& times, const std::vector<Real>& b) {
      for (std::size_t i = 0; i < a.size(); ++i) a[i] -= times * b[i];
    };
    std::array<Column, kAxes> r{};  // q_before = sum_l r_lj q_l
    Column square{}, right{}, y{};
    for (std::size_t j = 0; j < m; ++j) {
      const Real whole = dot(q[j], q[j]);
      for (int twice = 0; twice < 2; ++twice)
        for (std::size_t l = 0; l < j; ++l) {
          if (!(square[l] > 0)) continue;
          const Real times = dot(q[l], q[j]) / square[l];
          take_out(q[j], times, q[l]);
          r[l][j] += times;
        }
      square[j] = dot(q[j], q[j]);
      if (!(square[j] > Real(1e-50) * whole)) square[j] = 0;
      if (!(square[j] > 0)) continue;
      right[j] = dot(q[j], rest) / square[j];
      take_out(rest, right[j], q[j]);
    }
    for (std::size_t j = m; j-- > 0;) {
      if (!(square[j] > 0)) continue;
      y[j] = right[j];
      for (std::size_t l = j + 1; l < m; ++l) y[j] -= r[j][l] * y[l];
    }
    return y;
  }

  const Dense& p_;
  const WrenchDemand& demand_;
  const std::vector<Real>& x_;
  const Stand stand_;
  Column missing_{}, size_{}, y_{};
  std::vector<std::size_t> rows_;
  std::vector<Real> gain_, through_;
};

}  // namespace pintle::allocation::testing
