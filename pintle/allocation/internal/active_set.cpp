#include "pintle/allocation/internal/active_set.h"

#include <algorithm>

#include "pintle/allocation/internal/dispatch.h"

namespace pintle::allocation {

// some are left to the search in double-double whatever comes
static int for_blocks(int max_iterations) noexcept { return max_iterations - max_iterations / 4; }

void solve(const BoxProblem& problem, bool warm, int max_iterations,
           BoxSolution& solution) noexcept {
  if (!kernels().solve_blocks(problem, warm, for_blocks(max_iterations), solution)) {
    solution.loses_digits = true;
    // should nothing better be found: nearest to zero inside the box
    for (std::size_t i = 0; i < problem.n; ++i)
      solution.x[i] = std::clamp(0.0, problem.lower[i], problem.upper[i]);
    solution.converged = false;
    kernels().search_in_double_double(problem, max_iterations - solution.iterations, solution);
  }
  // a loop that gives up has counted the step that it no longer does
  solution.iterations = std::min(solution.iterations, max_iterations);
}

void solve_from(const BoxProblem& problem, const ReachedSet& set, int max_iterations,
                BoxSolution& solution) noexcept {
  if (set.systems == 0 ||
      !kernels().continue_from(problem, set, for_blocks(max_iterations), solution))
    solve(problem, false, max_iterations, solution);
}

void solve_quickly(const BoxProblem& problem, bool warm, int max_iterations,
                   BoxSolution& solution) noexcept {
  solution.converged = kernels().solve_blocks(problem, warm, max_iterations, solution);
  solution.iterations = std::min(solution.iterations, max_iterations);
}

}  // namespace pintle::allocation
