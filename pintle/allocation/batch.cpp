#include "pintle/allocation/batch.h"

#include <cmath>

#include "pintle/allocation/internal/dispatch.h"

namespace pintle::allocation {

std::size_t solve_batch(const Batch& batch, std::span<double> x) noexcept {
  const std::size_t n = batch.n, count = batch.count;
  if (n > kMaxChannels || !(batch.r >= 0) || !std::isfinite(batch.r)) return 0;
  if (x.size() != n * count || batch.b.size() != kAxes * count || batch.lower.size() != n * count ||
      batch.upper.size() != n * count ||
      batch.column.size() != kAxes * n * (batch.same_columns ? 1 : count))
    return 0;
  return kernels().solve_batch(batch, x.data());
}

}  // namespace pintle::allocation
