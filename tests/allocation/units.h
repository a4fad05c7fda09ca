/// For tests and campaigns: certified problems written in other units.
///
/// Units are powers of two, so that what is dependent stays so to the last bit. In a third of the
/// problems the weights of efforts and axes go with the units: the same craft. In the others they
/// stay 1, which is another problem. Each channel is judged against its own bounds.
///
/// Of the problem in its own units it must be clear which columns depend on which. With units 1e12
/// apart each of the two ways of certified.h keeps but 9 digits of its 34 in some problems;
/// where they agree so far the nearer of them counts, which is mostly exact.
#pragma once
#include "pintle/allocation_suite/certified.h"

namespace pintle::allocation::testing {

inline constexpr int kMostDecades = 6;

/// A problem of the mixed suite, with how far units lie apart.
struct InUnits {
  Certified certified;
  int channels = 0, axes = 0;  ///< Units of 10^-decades to 10^decades.
  bool same_craft = false;     ///< Weights go with the units.
  bool clear = false;          ///< The rank of the problem it was made of.

  [[nodiscard]] bool is_certified() const {
    return clear && certified.proved && certified.own_disagreement <= 1e-9;
  }
  /// Of efforts, over each channel's own bounds.
  [[nodiscard]] double error_of(const double* effort) const {
    return std::min(own_error(effort, certified.effort), own_error(effort, certified.inside));
  }

 private:
  [[nodiscard]] double own_error(const double* effort, const std::vector<double>& best) const {
    double largest = 0;
    for (std::size_t i = 0; i < best.size(); ++i) {
      const double e = std::abs(effort[i] - best[i]) / certified.own[i];
      if (!(e <= 1e300)) return 1e300;
      largest = std::max(largest, e);
    }
    return largest;
  }
};

inline double unit_within(int decades, RandomStream& random) {
  const auto most = static_cast<std::uint64_t>(std::lround(decades * 3.32));
  return std::ldexp(1.0, static_cast<int>(random.bits() % (2 * most + 1)) - static_cast<int>(most));
}

inline void change_channel(Effectiveness& e, std::size_t i, double unit) {
  e.column[i] = unit * e.column[i];
  e.lower[i] /= unit;
  e.upper[i] /= unit;
  e.preferred[i] /= unit;
}

inline void change_axis(Effectiveness& e, WrenchDemand& d, std::size_t k, double unit) {
  for (std::size_t i = 0; i < e.n; ++i) e.column[i][k] *= unit;
  Vec6 w = to_vec6(d.F_Bo_B);
  Vec6 bias = to_vec6(e.bias);
  w[k] *= unit;
  bias[k] *= unit;
  d.F_Bo_B = to_wrench(w);
  e.bias = to_wrench(bias);
}

/// Problem `number`: decades 1 to 6 of the channels and 0 to 6 of the axes in turn, half of them
/// without a trade, the others with one of 1e-10 to 1e-2 of the largest gain squared.
inline InUnits in_units(std::size_t number) {
  RandomStream random(number, "mixed units");
  constexpr std::array kKinds{
      ProblemClass::kAttainable, ProblemClass::kMild,       ProblemClass::kHeavy,
      ProblemClass::kDegenerate, ProblemClass::kDeficient,  ProblemClass::kFailed,
      ProblemClass::kNarrow,     ProblemClass::kUnweighted, ProblemClass::kLayout};
  const ProblemClass kind = kKinds[number % kKinds.size()];
  InUnits result;
  result.channels = 1 + static_cast<int>(number / kKinds.size() % kMostDecades);
  result.axes = static_cast<int>(random.bits() % (kMostDecades + 1));
  const std::uint64_t most = random.bits() % 8 == 0 ? 24 : 10;
  const auto n = static_cast<std::uint32_t>(1 + random.bits() % most);
  Problem p = make_problem(kind, n, random);
  p.settings.objective.k2 = 0;
  result.clear = !certify(p, kind).unclear_rank;
  result.same_craft = number % 3 == 2;
  for (std::size_t i = 0; i < p.effectiveness.n; ++i) {
    const double unit = unit_within(result.channels, random);
    change_channel(p.effectiveness, i, unit);
    if (result.same_craft) p.effectiveness.effort_weight[i] = unit;
  }
  for (std::size_t k = 0; k < kAxes; ++k) {
    const double unit = unit_within(result.axes, random);
    change_axis(p.effectiveness, p.demand, k, unit);
    if (result.same_craft) p.demand.weight[k] /= unit;
  }
  const double share = std::pow(10.0, random.uniform(-10, -2));
  if (random.bits() % 2 == 0) set_trade(p, share);
  result.certified = certify(p, kind);
  result.certified.number = number;
  return result;
}

}  // namespace pintle::allocation::testing
