/// Included by kernels_baseline.cpp and kernels_avx2.cpp, PINTLE_LEVEL set. Internal to this room.
#pragma once
#include "pintle/allocation/internal/batch_kernel.h"
#include "pintle/allocation/internal/block_solver.h"
#include "pintle/allocation/internal/dispatch.h"
#include "pintle/allocation/internal/guess.h"
#include "pintle/allocation/internal/prepare_kernel.h"
#include "pintle/allocation/internal/prepared_kernels.h"
#include "pintle/allocation/internal/proof_kernel.h"
#include "pintle/allocation/internal/reach_kernel.h"
#include "pintle/allocation/internal/refine_kernel.h"
#include "pintle/allocation/internal/scaling_kernels.h"
#include "pintle/allocation/internal/set_search.h"
#include "pintle/allocation/internal/small_solver.h"

namespace pintle::allocation::PINTLE_LEVEL {
namespace {

bool solve_blocks(const BoxProblem& problem, bool warm, int max_iterations,
                  BoxSolution& solution) noexcept {
  solution.iterations = 0;
  if (problem.n <= kLanes && SmallSolver(problem, solution).run(warm, max_iterations)) return true;
  return BlockSolver(problem, solution).run(warm, max_iterations);
}

bool continue_from(const BoxProblem& problem, const ReachedSet& set, int max_iterations,
                   BoxSolution& solution) noexcept {
  return SmallSolver(problem, solution).run_from(set, max_iterations);
}

bool factor_set(const BoxProblem& problem, BoxSolution& solution, HeldSet& set) noexcept {
  Guess guess(problem, solution);
  Vec6 reach;
  return set.ready = !guess.uneven(reach) && guess.factor(set);
}

}  // namespace

const Kernels kKernels{solve_blocks,
                       continue_from,
                       factor_set,
                       take_over,
                       scale_columns,
                       scale_box,
                       scale_demand,
                       update_reach,
                       prepare,
                       allocate_again,
                       allocate_same,
                       allocate_free,
                       repeat_products,
                       make_map,
                       repeat_map,
                       leave_free,
                       solve_batch,
                       refine,
                       search_in_double_double,
                       is_unclear,
                       unscale,
                       gap_of};

}  // namespace pintle::allocation::PINTLE_LEVEL
