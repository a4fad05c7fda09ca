/// For tests and campaigns: the optimum of a demand in groups, in 34 digits.
///
/// One group after the other by the sets of certified.h; what earlier ones got is held with
/// all its digits by rows of 2^30 times the weight, which moves it by 1e-18. That it is the optimum
/// is then proved without any weight (lexicographic.h).
#pragma once
#include "pintle/allocation/levels.h"
#include "pintle/allocation_suite/certified.h"
#include "pintle/allocation_suite/lexicographic.h"

namespace pintle::allocation::testing {

struct InGroups {
  Problem problem;
  ProblemClass kind = ProblemClass::kAttainable;
  bool certified = false;
  std::vector<double> effort;
  double size = 1;    ///< The largest bound.
  double broken = 0;  ///< The most of a condition of the optimum, of what enters it.

  [[nodiscard]] double error_of(const double* answer) const {
    double largest = 0;
    for (std::size_t i = 0; i < effort.size(); ++i) {
      const double e = std::abs(answer[i] - effort[i]) / size;
      if (!(e <= 1e300)) return 1e300;
      largest = std::max(largest, e);
    }
    return largest;
  }
};

class GroupProof {
 public:
  explicit GroupProof(const Problem& p)
      : demand_(p.demand), full_(dense(p.effectiveness, p.demand, 0)) {}

  /// False where some group is not proved, or a rank is not clear.
  bool run(std::vector<Real>& x) {
    x.assign(full_.n(), 0);
    Column got{};
    for (int group = -1; (group = group_after(demand_, group)) < kNoGroup;) {
      const Dense d = level(group, got);
      std::vector<int> state;
      for (std::size_t i = 0; i < d.n(); ++i) state.push_back(d.lower[i] < d.upper[i] ? 0 : 2);
      SetProof proof(d);
      if (!proof.run(state) || proof.unclear) return false;
      x = proof.x();
      // who is held by what this group misses leaves its bound for no later one
      const Stand stand = stand_of(full_, x);
      const std::vector<bool> held = Lexicographic(full_, demand_, x, stand).held_by(group);
      for (std::size_t i = 0; i < d.n(); ++i) {
        if (!held[i]) continue;
        x[i] = full_.lower[i] = full_.upper[i] = stand[i] == 1 ? full_.lower[i] : full_.upper[i];
      }
      got = {};
      for (std::size_t i = 0; i < d.n(); ++i)
        for (std::size_t k = 0; k < kAxes; ++k) got[k] += full_.a[i][k] * x[i];
    }
    return true;
  }

 private:
  [[nodiscard]] Dense level(int group, const Column& got) const {
    Column size{};
    Real largest = 0;
    for (std::size_t k = 0; k < kAxes; ++k) {
      for (const Column& a : full_.a) size[k] = std::max(size[k], magnitude(a[k]));
      if (demand_.group[k] == group) largest = std::max(largest, size[k]);
    }
    Dense d = full_;
    for (std::size_t k = 0; k < kAxes; ++k) {
      const bool earlier = demand_.group[k] < group;
      Real times = demand_.group[k] == group ? 1 : 0;
      if (earlier && size[k] > 0)
        times = Real(0x1p30) * (largest > 0 ? largest : Real(1)) / size[k];
      for (Column& a : d.a) a[k] *= times;
      d.b[k] = times * (earlier ? got[k] : full_.b[k]);
    }
    return d;
  }

  WrenchDemand demand_;
  Dense full_;
};

inline constexpr double kMostBroken = 1e-16;

/// The same of an answer of the allocation, without a trade; without knowing the optimum.
inline double broken_conditions(const Problem& p, const double* effort) {
  const Dense d = dense(p.effectiveness, p.demand, 0);
  std::vector<Real> x;
  for (std::size_t i = 0; i < d.n(); ++i)
    x.push_back(d.weight[i] * Real(effort[i]) - d.preferred[i]);
  Lexicographic conditions(d, p.demand, x, stand_of(d, x));
  return static_cast<double>(std::max(conditions.of_wrench(), conditions.of_effort()));
}

/// Problem `number`: two or three groups, nothing traded.
inline InGroups in_groups(std::size_t number) {
  RandomStream random(number, "groups");
  constexpr std::array kKinds{ProblemClass::kAttainable, ProblemClass::kMild,
                              ProblemClass::kHeavy,      ProblemClass::kFailed,
                              ProblemClass::kLayout,     ProblemClass::kNarrow,
                              ProblemClass::kDegenerate, ProblemClass::kScaled};
  InGroups result;
  result.kind = kKinds[number % kKinds.size()];
  result.problem =
      make_problem(result.kind, 4 + static_cast<std::uint32_t>(random.bits() % 13), random);
  Problem& p = result.problem;
  p.settings.objective.k2 = 0;
  const std::uint64_t groups = 2 + number / kKinds.size() % 2;
  for (auto& group : p.demand.group) group = static_cast<std::uint8_t>(random.bits() % groups);
  std::vector<Real> x;
  const bool found = GroupProof(p).run(x);
  const Dense d = dense(p.effectiveness, p.demand, 0);
  Lexicographic conditions(d, p.demand, x, stand_of(d, x));
  result.broken = static_cast<double>(std::max(conditions.of_wrench(), conditions.of_effort()));
  result.certified = found && result.broken <= kMostBroken;
  const Effectiveness& e = p.effectiveness;
  result.size = 1e-300;
  for (std::size_t i = 0; i < e.n; ++i) {
    result.size = std::max({result.size, std::abs(e.lower[i]), std::abs(e.upper[i])});
    result.effort.push_back(static_cast<double>(x[i] + Real(e.preferred[i])));
  }
  return result;
}

}  // namespace pintle::allocation::testing
