#include "pintle/allocation/internal/refine.h"

#include <algorithm>
#include <cmath>

#include "pintle/allocation/internal/active_set.h"
#include "pintle/allocation/internal/dispatch.h"

namespace pintle::allocation {
namespace {

// of what enters a multiplier of a free channel: more is no rounding any more
constexpr double kOffBalance = 1e-10;
// what efforts are off shows in the free multipliers, and at most so many times more in held ones
constexpr double kFreeToHeld = 16;
// of what enters a multiplier: less may be rounding where r = 0
constexpr double kUnclearLimit = 1e-12;

}  // namespace

bool is_unclear(const BoxProblem& p, const BoxSolution& solution) noexcept {
  Vec6 missing = p.b, size;
  for (std::size_t i = 0; i < p.n; ++i) missing = missing - solution.x[i] * p.column[i];
  bool met = true;
  for (std::size_t k = 0; k < kAxes; ++k) {
    size[k] = std::abs(p.b[k]);
    for (std::size_t i = 0; i < p.n; ++i) size[k] += std::abs(solution.x[i] * p.column[i][k]);
    met = met && std::abs(missing[k]) <= kRankTolerance * size[k];
  }
  if (met) return false;
  double least_held = 1;
  double most_free = 0;
  for (std::size_t i = 0; i < p.n; ++i) {
    const double own = p.r * solution.x[i];
    const double gain = dot(missing, p.column[i]) - own;
    double through = std::abs(own);
    for (std::size_t k = 0; k < kAxes; ++k) through += size[k] * std::abs(p.column[i][k]);
    // NaN, of a column of zeros, changes neither
    const double share = std::abs(gain) / through;
    if (solution.held[i] == Held::kFree)
      most_free = std::max(most_free, share);
    else if (solution.held[i] != Held::kFixed)
      least_held = std::min(least_held, share);
  }
  // sums of n and of six, and what the efforts are away from where free multipliers vanish; where
  // nothing is traded a column nearly parallel to a free one turns on less
  const double rounding = p.r > 0 ? 0x1p-52 * static_cast<double>(p.n + 8) : kUnclearLimit;
  return most_free > kOffBalance || least_held <= std::max(rounding, kFreeToHeld * most_free);
}

bool refine(const Working& working, const Wrench& demand, const Scaled& scaled, int max_rounds,
            BoxSolution& solution) noexcept {
  return kernels().refine(working, demand, scaled, max_rounds, solution);
}

void finish_solving(bool refined, const Working& working, const Wrench& demand,
                    const Scaled& scaled, int cap, BoxSolution& solution) noexcept {
  if (refined) refine(working, demand, scaled, cap - solution.iterations, solution);
  const int used = solution.iterations;
  if (solution.converged || used >= cap) return;
  solve(scaled.box, false, cap - used, solution);
  solution.iterations += used;
}

}  // namespace pintle::allocation
