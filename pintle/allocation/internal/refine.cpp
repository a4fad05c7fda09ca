#include "pintle/allocation/internal/refine.h"

#include "pintle/allocation/internal/active_set.h"
#include "pintle/allocation/internal/dispatch.h"

namespace pintle::allocation {

void finish_solving(bool refined, const Working& working, const Wrench& demand,
                    const Scaled& scaled, int cap, BoxSolution& solution) noexcept {
  if (refined) (void)kernels().refine(working, demand, scaled, cap - solution.iterations, solution);
  const int used = solution.iterations;
  if (solution.converged || used >= cap) return;
  solve(scaled.box, false, cap - used, solution);
  solution.iterations += used;
}

}  // namespace pintle::allocation
