#include "pintle/allocation/internal/refine.h"

#include "pintle/allocation/internal/active_set.h"
#include "pintle/allocation/internal/dispatch.h"

namespace pintle::allocation {
bool is_unclear(const BoxProblem& problem, const BoxSolution& solution) noexcept {
  return kernels().is_unclear(problem, solution);
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
