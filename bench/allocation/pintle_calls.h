// The calls of this library that are measured.
#pragma once
#include "allocation/problems.h"
#include "pintle/allocation/internal/active_set.h"
#include "pintle/allocation/internal/dispatch.h"
#include "pintle/allocation/internal/health.h"
#include "pintle/allocation/internal/refine.h"
#include "pintle/allocation/prepared.h"

namespace pintle::bench {

/// Columns, weights, trade, bounds and demand all new, in the vehicle's numbers.
class PintleCold {
 public:
  void operator()(const allocation::Problem& p) noexcept {
    using namespace allocation;
    apply_health(p.effectiveness, nullptr, working_);
    if (!kernels().scale_columns(p.settings.objective.r(), working_, p.demand.weight, scaled_) ||
        !kernels().scale_box(working_, scaled_) ||
        !kernels().scale_demand(p.demand.F_Bo_B, scaled_))
      return;
    const int cap = 10 * static_cast<int>(working_.n) + 20;
    const bool wide = scaled_.wide_rows;
    if (wide)
      solve_quickly(scaled_.box, false, cap / 2, solution_);
    else
      solve(scaled_.box, false, cap, solution_);
    if (solution_.loses_digits ||
        (wide && (!solution_.converged || kernels().is_unclear(scaled_.box, solution_))))
      kernels().refine(working_, p.demand.F_Bo_B, scaled_, cap - solution_.iterations, solution_);
    if (!solution_.converged) solve(scaled_.box, false, cap - solution_.iterations, solution_);
  }
  [[nodiscard]] const double* x() const noexcept { return solution_.x.data(); }

 private:
  allocation::Working working_;
  allocation::Scaled scaled_;
  allocation::BoxSolution solution_;
};

}  // namespace pintle::bench
