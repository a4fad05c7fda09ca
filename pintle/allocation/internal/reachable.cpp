#include "pintle/allocation/internal/reachable.h"

#include "pintle/allocation/allocator.h"
#include "pintle/allocation/internal/dispatch.h"

namespace pintle::allocation {

bool remove_traces(const Reach& reach, Working& working) noexcept {
  for (std::size_t t = 0; t < reach.traces; ++t)
    for (std::size_t i = 0; i < working.n; ++i)
      working.column[i] =
          working.column[i] - dot(reach.from[t], working.column[i]) * reach.along[t];
  return reach.traces > 0;
}

AxisMask reachable_axes(const Effectiveness& effectiveness, const PropulsorHealth* health,
                        double threshold) noexcept {
  Working working;
  apply_health(effectiveness, health, working);
  Reach reach;
  kernels().update_reach(effectiveness, working, false, threshold, reach);
  return reach.axes;
}

}  // namespace pintle::allocation
