/// For tests and campaigns: whether efforts are the optimum of a demand in groups, by conditions
/// that know no weights and ask for no solver.
///
/// What groups before it got is held for a group by multipliers y of their rows: at its optimum
/// y exists with A_g'd + A_before'y - r x = 0 for each channel between its bounds, and of the sign
/// that points outwards for one on a bound (the conditions of Karush, Kuhn and Tucker). With r = 0
/// the last group of all is effort: -x + A'y. y is looked for as the minimum of what is broken, a
/// convex function of pieces of squares, by Newton's method.
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
    y_ = {};
    Real broken = sum();
    for (int round = 0; round < 100 && broken > 0; ++round) {
      const Column step = step_of_all();
      const Column before = y_;
      Real share = 1, now = broken;
      for (int halving = 0; halving < 40 && !(now < broken); ++halving, share /= 2) {
        for (std::size_t j = 0; j < rows_.size(); ++j) y_[j] = before[j] + share * step[j];
        now = sum();
      }
      if (!(now < broken)) y_ = before;
      if (!(now < broken)) break;
      broken = now;
    }
    Real worst = 0;
    for (std::size_t i = 0; i < n; ++i) {
      Real through = through_[i];
      for (std::size_t j = 0; j < rows_.size(); ++j)
        through += magnitude(p_.a[i][rows_[j]] * y_[j]);
      if (through > 0) worst = std::max(worst, magnitude(broken_by(i)) / through);
    }
    return worst;
  }

  [[nodiscard]] Real gain_with_multipliers(std::size_t i) const {
    Real g = gain_[i];
    for (std::size_t j = 0; j < rows_.size(); ++j) g += p_.a[i][rows_[j]] * y_[j];
    return g;
  }

  // 0 where the condition holds
  [[nodiscard]] Real broken_by(std::size_t i) const {
    const Real g = gain_with_multipliers(i);
    const int s = stand_[i];
    return s == 3 || (s == 1 && g <= 0) || (s == 2 && g >= 0) ? Real(0) : g;
  }

  // each over what enters it, so that no channel counts for nothing
  [[nodiscard]] Real sum() const {
    Real s = 0;
    for (std::size_t i = 0; i < p_.n(); ++i) {
      if (!(through_[i] > 0)) continue;
      const Real part = broken_by(i) / through_[i];
      s += part * part;
    }
    return s;
  }

  // with those whose condition holds to the last digit, and would not after the step
  [[nodiscard]] Column step_of_all() const {
    std::vector<bool> counts;
    for (std::size_t i = 0; i < p_.n(); ++i) counts.push_back(stand_[i] == 0 || broken_by(i) != 0);
    for (bool more = true;;) {
      const Column step = newton(counts);
      more = false;
      for (std::size_t i = 0; i < p_.n(); ++i) {
        if (counts[i] || stand_[i] == 3) continue;
        Real change = 0;
        for (std::size_t j = 0; j < rows_.size(); ++j) change += p_.a[i][rows_[j]] * step[j];
        const bool at = magnitude(gain_with_multipliers(i)) <= Real(1e-20) * through_[i];
        counts[i] = at && (stand_[i] == 1 ? change > 0 : change < 0);
        more = more || counts[i];
      }
      if (!more) return step;
    }
  }

  // of the pieces that count where it stands; directions that none of them sees stay
  [[nodiscard]] Column newton(const std::vector<bool>& counts) const {
    const std::size_t m = rows_.size();
    std::array<Column, kAxes> h{};
    Column right{};
    for (std::size_t i = 0; i < p_.n(); ++i) {
      const Real g = broken_by(i);
      if (!counts[i] || !(through_[i] > 0)) continue;
      const Real weight = 1 / (through_[i] * through_[i]);
      for (std::size_t j = 0; j < m; ++j) {
        right[j] -= weight * p_.a[i][rows_[j]] * g;
        for (std::size_t l = 0; l < m; ++l)
          h[j][l] += weight * p_.a[i][rows_[j]] * p_.a[i][rows_[l]];
      }
    }
    Column step{}, diagonal{};
    std::array<bool, kAxes> seen{};
    for (std::size_t j = 0; j < m; ++j) diagonal[j] = h[j][j];
    for (std::size_t j = 0; j < m; ++j) {
      seen[j] = h[j][j] > Real(1e-28) * diagonal[j];
      for (std::size_t l = j + 1; l < m && seen[j]; ++l) {
        const Real f = h[l][j] / h[j][j];
        for (std::size_t q = j; q < m; ++q) h[l][q] -= f * h[j][q];
        right[l] -= f * right[j];
      }
    }
    for (std::size_t j = m; j-- > 0;) {
      if (!seen[j]) continue;
      step[j] = right[j];
      for (std::size_t l = j + 1; l < m; ++l) step[j] -= h[j][l] * step[l];
      step[j] /= h[j][j];
    }
    return step;
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
