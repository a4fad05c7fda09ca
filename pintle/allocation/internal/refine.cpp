#include "pintle/allocation/internal/refine.h"

#include "pintle/allocation/internal/dispatch.h"

namespace pintle::allocation {

bool is_unclear(const BoxProblem& problem, const BoxSolution& solution) noexcept {
  return kernels().is_unclear(problem, solution);
}

bool refine(const Working& working, const Wrench& demand, const Scaled& scaled, int max_rounds,
            BoxSolution& solution) noexcept {
  return kernels().refine(working, demand, scaled, max_rounds, solution);
}

}  // namespace pintle::allocation
