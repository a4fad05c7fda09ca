#include "pintle/allocation/internal/active_set.h"

#include <algorithm>

#include "pintle/allocation/internal/dispatch.h"

namespace pintle::allocation {
namespace {

// ties broken by a right side a little aside; the set found then holds for the one given
bool solve_aside(const BoxProblem& problem, int max_iterations, BoxSolution& solution) noexcept {
  BoxProblem other = problem;
  other.b = aside(problem);
  const int used = std::min(solution.iterations, max_iterations);
  const bool proved = solve_blocks(other, false, max_iterations - used, solution);
  solution.iterations += used;
  return proved && kernels().settle(problem, solution);
}

// double does not tell the sets apart: more digits do
bool solve_refined(const BoxProblem& problem, int max_iterations, BoxSolution& solution) noexcept {
  solution.iterations = std::min(solution.iterations, max_iterations);
  solution.loses_digits = true;
  return kernels().refine_box(problem, max_iterations - solution.iterations, solution);
}

// some iterations are left to the reference whatever comes
int for_blocks(int max_iterations) noexcept { return max_iterations - max_iterations / 4; }

}  // namespace

void solve(const BoxProblem& problem, bool warm, int max_iterations, BoxSolution& solution,
           KnownColumns* known) noexcept {
  const int most = for_blocks(max_iterations);
  if (!solve_blocks(problem, warm, most, solution, known) &&
      !solve_refined(problem, most, solution) && !solve_aside(problem, most, solution)) {
    const int used = std::min(solution.iterations, most);
    solve_reference(problem, max_iterations - used, solution);
    solution.iterations += used;
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
  solution.converged = solve_blocks(problem, warm, max_iterations, solution);
  solution.iterations = std::min(solution.iterations, max_iterations);
}

bool solve_blocks(const BoxProblem& problem, bool warm, int max_iterations, BoxSolution& solution,
                  KnownColumns* known) noexcept {
  return kernels().solve_blocks(problem, warm, max_iterations, solution, known);
}

bool factor_set(const BoxProblem& problem, BoxSolution& solution, HeldSet& set) noexcept {
  return kernels().factor_set(problem, solution, set);
}

}  // namespace pintle::allocation
