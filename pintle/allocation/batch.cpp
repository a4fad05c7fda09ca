#include "pintle/allocation/batch.h"

#include <cmath>

#include "pintle/allocation/active_set.h"
#include "pintle/allocation/health.h"

namespace pintle::allocation {
namespace {

bool gather(const Batch& batch, std::size_t j, BoxProblem& p) noexcept {
  bool usable = true;
  for (std::size_t k = 0; k < kAxes; ++k) {
    p.b[k] = batch.b[k * batch.count + j];
    usable = usable && std::isfinite(p.b[k]);
  }
  for (std::size_t i = 0; i < batch.n; ++i) {
    p.lower[i] = batch.lower[i * batch.count + j];
    p.upper[i] = batch.upper[i * batch.count + j];
    usable = usable && std::isfinite(p.lower[i]) && std::isfinite(p.upper[i]) &&
             p.lower[i] <= p.upper[i];
    for (std::size_t k = 0; k < kAxes; ++k) {
      const std::size_t at = kAxes * i + k;
      p.column[i][k] = batch.same_columns ? batch.column[at] : batch.column[at * batch.count + j];
      usable = usable && std::isfinite(p.column[i][k]);
    }
  }
  return usable;
}

}  // namespace

std::size_t solve_batch(const Batch& batch, std::span<double> x) noexcept {
  const std::size_t n = batch.n;
  const std::size_t count = batch.count;
  if (n > kMaxChannels || !(batch.r >= 0) || !std::isfinite(batch.r)) return 0;
  if (x.size() != n * count || batch.b.size() != kAxes * count || batch.lower.size() != n * count ||
      batch.upper.size() != n * count ||
      batch.column.size() != kAxes * n * (batch.same_columns ? 1 : count))
    return 0;
  BoxProblem problem;
  problem.n = batch.n;
  problem.r = batch.r;
  BoxSolution solution;
  std::size_t solved = 0;
  for (std::size_t j = 0; j < count; ++j) {
    bool done = gather(batch, j, problem);
    if (done) {
      solve(problem, false, 10 * static_cast<int>(n) + 20, solution);
      done = solution.converged;
    }
    for (std::size_t i = 0; i < n; ++i)
      x[i * count + j] = done ? solution.x[i] : safe_effort(problem.lower[i], problem.upper[i]);
    solved += done ? 1 : 0;
  }
  return solved;
}

}  // namespace pintle::allocation
