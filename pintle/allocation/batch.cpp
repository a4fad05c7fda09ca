#include "pintle/allocation/batch.h"

#include <algorithm>
#include <cmath>

#include "pintle/allocation/active_set.h"
#include "pintle/allocation/dispatch.h"
#include "pintle/allocation/health.h"
#include "pintle/allocation/lanes.h"

namespace pintle::allocation {
namespace {

// problems between two looks at what is left over
constexpr std::size_t kBlock = 512;

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
  std::array<std::uint8_t, kBlock / kLanes> done;
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, count);
    const std::size_t groups = n < kAxes ? 0 : (end - begin) / kLanes;
    kernels().batch(batch, begin, groups, x.data(), done.data());
    for (std::size_t j = begin; j < end; ++j) {
      const std::size_t g = (j - begin) / kLanes;
      if (g < groups && (done[g] >> (j - begin) % kLanes & 1) != 0) {
        ++solved;
        continue;
      }
      bool usable = gather(batch, j, problem);
      if (usable) {
        solve(problem, false, 10 * static_cast<int>(n) + 20, solution);
        usable = solution.converged;
      }
      for (std::size_t i = 0; i < n; ++i)
        x[i * count + j] = usable ? solution.x[i] : safe_effort(problem.lower[i], problem.upper[i]);
      solved += usable ? 1 : 0;
    }
  }
  return solved;
}

}  // namespace pintle::allocation
