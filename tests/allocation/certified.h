/// For tests, benchmarks and campaigns: problems whose optimum is certified, and how far an answer
/// is from it.
///
/// Two ways that share nothing find the optimum in 34 digits; a problem counts as certified where
/// they agree to kAgreement of the largest bound:
///   a set    held bounds (begun from the slow solver's in double, then one by one: Murty 1974)
///            whose optimality conditions hold to 24 digits: the proof
///   inside   interior points, which know no sets: interior.h
/// Not certified: where the rank of some free columns is neither clear in double nor exactly what
/// it seems (a column with between 1e-24 and 1e-11 of itself outside the span of others), since
/// such a problem has no answer that rounding of its data leaves in place. The suite holds none.
#pragma once

#include "pintle/allocation/internal/dispatch.h"
#include "pintle/allocation/internal/scaling.h"
#include "pintle/allocation_suite/interior.h"
#include "pintle/allocation_suite/reference.h"
#include "pintle/allocation_suite/suite.h"

namespace pintle::allocation::testing {

inline constexpr double kAgreement = 1e-11;

struct Certified {
  Problem problem;
  std::size_t number = 0;  ///< In the suite.
  ProblemClass kind = ProblemClass::kAttainable;
  bool follows = false;         ///< The problem before, with another demand.
  std::vector<double> effort;   ///< The optimum to rounding,
  std::vector<double> inside;   ///< and as the second way has it.
  double size = 1;              ///< max(span, |lower|, |upper|) over the channels.
  std::vector<double> own;      ///< The same of each channel.
  double disagreement = 0;      ///< Of the two ways, over size.
  double own_disagreement = 0;  ///< Over the channel's own.
  bool proved = false;          ///< By conditions.
  bool unclear_rank = false;
  [[nodiscard]] bool certified() const {
    return proved && !unclear_rank && disagreement <= kAgreement;
  }
};

class SetProof {
 public:
  explicit SetProof(const Dense& p) : p_(p), x_(p.n()) {
    for (std::size_t i = 0; i < p.n(); ++i)
      span_.push_back(std::max({Real(1e-300), magnitude(p.lower[i]), magnitude(p.upper[i])}));
  }

  /// From the given set on; false when no set was found.
  bool run(std::vector<int> state) {
    std::size_t fewest = p_.n() + 1;
    for (std::size_t round = 0; round < 40 * p_.n() + 100; ++round) {
      solve(state);
      std::vector<int> next = state;
      std::size_t wrong = 0;
      std::size_t first = 0;
      for (std::size_t i = p_.n(); i-- > 0;) {
        next[i] = wanted(i, state[i]);
        if (next[i] == state[i]) continue;
        ++wrong;
        first = i;
      }
      if (wrong == 0) return true;
      if (wrong < fewest)
        state = next;
      else
        state[first] = next[first];
      fewest = std::min(fewest, wrong);
    }
    return false;
  }

  [[nodiscard]] const std::vector<Real>& x() const { return x_; }
  bool unclear = false;  ///< Of the last set.

 private:
  void look_at(Real rest, Real size) {
    if (rest > Real(1e-24) * size && rest < Real(1e-11) * size) unclear = true;
  }

  void solve(const std::vector<int>& state) {
    std::vector<Column> f;
    basis_ = {};
    unclear = false;
    Column c = p_.b;
    for (std::size_t k = 0; k < kAxes; ++k) size_[k] = magnitude(p_.b[k]);
    for (std::size_t i = 0; i < p_.n(); ++i) {
      const Column& a = p_.a[i];
      if (state[i] == 0) {
        f.push_back(a);
        look_at(norm(basis_.outside(a)), norm(a));
        basis_.add(a, Real(1e-20));
        continue;
      }
      x_[i] = state[i] == 1 ? p_.upper[i] : p_.lower[i];
      for (std::size_t k = 0; k < kAxes; ++k) {
        c[k] -= a[k] * x_[i];
        size_[k] += magnitude(a[k] * x_[i]);
      }
    }
    d_ = basis_.outside(c);
    l_ = normal_solve(f, basis_, p_.r, c);
    for (std::size_t i = 0; i < p_.n(); ++i)
      if (state[i] == 0) x_[i] = dot(p_.a[i], l_);
  }

  // where a channel belongs; nothing below 24 digits decides
  int wanted(std::size_t i, int state) {
    const Real tiny = Real(1e-24);
    if (state == 2) return 2;
    if (state == 0) {
      if (x_[i] < p_.lower[i] - tiny * span_[i]) return -1;
      return x_[i] > p_.upper[i] + tiny * span_[i] ? 1 : 0;
    }
    const Column outside = basis_.outside(p_.a[i]);
    look_at(norm(outside), norm(p_.a[i]));
    const bool spanned = norm(outside) <= Real(1e-20) * norm(p_.a[i]);
    Real first = spanned ? Real(0) : dot(outside, d_);
    Real through = 0;
    Real reach = span_[i];
    for (std::size_t k = 0; k < kAxes; ++k) {
      through += magnitude(outside[k]) * size_[k];
      reach += magnitude(p_.a[i][k] * l_[k]);
    }
    if (magnitude(first) <= tiny * through) first = 0;
    const Real second = dot(p_.a[i], l_) - x_[i];
    Real outwards = p_.r > 0 ? first + p_.r * second : first;
    if (p_.r > 0 ? magnitude(outwards) <= tiny * (through + p_.r * reach) : first == 0)
      outwards = magnitude(second) <= tiny * reach ? Real(0) : second;
    return state * outwards < 0 ? 0 : state;
  }

  const Dense& p_;
  std::vector<Real> x_;
  std::vector<Real> span_;
  Basis basis_;
  Column d_{}, l_{}, size_{};
};

// the set of the slow solver in double, to begin with
inline std::vector<int> reference_set(const Problem& p) {
  Working working;
  Scaled scaled;
  BoxSolution solution;
  std::vector<int> state(p.effectiveness.n, 0);
  apply_health(p.effectiveness, nullptr, working);
  (void)take_in_weights(p.effectiveness, working);
  if (!kernels().scale_columns(p.settings.objective.r(), working, p.demand.weight, scaled) ||
      !kernels().scale_box(working, scaled) || !kernels().scale_demand(p.demand.F_Bo_B, scaled))
    return state;
  solve_reference(scaled.box, 10 * static_cast<int>(working.n) + 20, solution);
  for (std::size_t i = 0; i < state.size(); ++i) state[i] = static_cast<int>(solution.held[i]);
  return state;
}

inline Certified certify(const Problem& problem, ProblemClass kind) {
  Certified c;
  c.problem = problem;
  c.kind = kind;
  const Effectiveness& e = problem.effectiveness;
  const Dense p = dense(e, problem.demand, problem.settings.objective.r());
  SetProof proof(p);
  c.proved = proof.run(reference_set(problem));
  c.unclear_rank = proof.unclear;
  const std::vector<Real> inside = interior_optimum(p);
  c.size = 1e-300;
  Real apart = 0;
  for (std::size_t i = 0; i < e.n; ++i) {
    c.own.push_back(std::max(
        {1e-300, std::abs(e.lower[i]), std::abs(e.upper[i]), std::abs(e.upper[i] - e.lower[i])}));
    c.size = std::max(c.size, c.own[i]);
    c.effort.push_back(static_cast<double>((proof.x()[i] + p.preferred[i]) / p.weight[i]));
    c.inside.push_back(static_cast<double>((inside[i] + p.preferred[i]) / p.weight[i]));
    const Real off = magnitude(proof.x()[i] - inside[i]) / p.weight[i];
    apart = std::max(apart, off);
    c.own_disagreement = std::max(c.own_disagreement, static_cast<double>(off / Real(c.own[i])));
  }
  c.disagreement = static_cast<double>(apart / Real(c.size));
  // written so that NaN fails
  if (!(c.disagreement >= 0)) c.proved = false;
  return c;
}

/// How many channels the problem with this number has: most vehicles have few, some have 64.
inline std::uint32_t channels_of(std::size_t number, RandomStream& random) {
  constexpr std::array<std::uint32_t, 4> kMost{8, 16, 32, 64};
  const std::uint32_t most = kMost[number % 20 < 9    ? 0
                                   : number % 20 < 15 ? 1
                                   : number % 20 < 18 ? 2
                                                      : 3];
  return 4 + static_cast<std::uint32_t>(random.bits() % (most - 3));
}

inline constexpr std::size_t kSuiteProblems = 12'288;

/// Problem `number` of the suite: the same on every machine up to rounding in the library of the
/// sine and the logarithm. Every sixteen of one vehicle follow each other with a demand that moves.
inline Problem suite_problem(std::size_t number, ProblemClass& kind, bool& follows) {
  constexpr std::size_t kLength = 16;
  const std::size_t block = number / kLength;
  kind = static_cast<ProblemClass>(block % kProblemClasses);
  // half of the blocks are sequences, in the others each problem is new
  const bool sequence = (block / kProblemClasses) % 2 == 1;
  follows = sequence && number % kLength != 0;
  RandomStream random(sequence ? block : number, sequence ? "certified sequence" : "certified");
  Problem p = make_problem(
      kind,
      channels_of(sequence ? block / (2 * kProblemClasses) : number / kProblemClasses, random),
      random);
  if (!sequence) return p;
  Vec6 w = to_vec6(p.demand.F_Bo_B);
  Vec6 drift;
  for (double& x : drift.v) x = 0.3 * random.normal();
  const double t = static_cast<double>(number % kLength);
  for (std::size_t k = 0; k < kAxes; ++k) w[k] *= 1 + 0.1 * t * drift[k];
  p.demand.F_Bo_B = to_wrench(w);
  return p;
}

inline Certified certified(std::size_t number) {
  ProblemClass kind{};
  bool follows = false;
  const Problem p = suite_problem(number, kind, follows);
  Certified c = certify(p, kind);
  c.number = number;
  c.follows = follows;
  return c;
}

/// Largest difference to the optimum over size; infinite for an answer that is not one.
inline double error_of(const Certified& c, const double* effort) {
  double largest = 0;
  for (std::size_t i = 0; i < c.effort.size(); ++i) {
    const double e = std::abs(effort[i] - c.effort[i]) / c.size;
    if (!(e <= 1e300)) return 1e300;
    largest = std::max(largest, e);
  }
  return largest;
}

}  // namespace pintle::allocation::testing
