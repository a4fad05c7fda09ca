// The calls of this library that are measured.
#pragma once
#include "allocation/problems.h"
#include "pintle/allocation/active_set.h"
#include "pintle/allocation/health.h"
#include "pintle/allocation/prepared.h"

namespace pintle::bench {

/// Columns, weights, trade, bounds and demand all new, in the vehicle's numbers.
class PintleCold {
 public:
  void operator()(const allocation::Problem& p) noexcept {
    using namespace allocation;
    apply_health(p.effectiveness, nullptr, working_);
    if (!scale_columns(p.settings, working_, p.demand.weight, scaled_) ||
        !scale_box(working_, scaled_) || !scale_demand(p.demand.F_Bo_B, scaled_))
      return;
    solve(scaled_.box, false, 10 * static_cast<int>(working_.n) + 20, solution_);
  }
  [[nodiscard]] const double* x() const noexcept { return solution_.x.data(); }

 private:
  allocation::Working working_;
  allocation::Scaled scaled_;
  allocation::BoxSolution solution_;
};

}  // namespace pintle::bench
