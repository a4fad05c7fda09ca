/// The last digits of an answer: the system of the proved set once more, in double-double.
///
///   A = diag(weight) B,  c = b - A_H x_H  (held channels)
///   r > 0:  (A_F A_F' + r I) l = c,  x_F = A_F' l,  held ones want out when a_i' l lies beyond x_i
///   r = 0:  c = d + (part in the span of A_F), of which x_F are the least efforts and l in the
///           span their prices; multipliers are s a_i' d + a_i' l - x_i with s without limit: the
///           first term decides where it is not 0
///
/// The system is not squared (refine_system.h): elimination with complete pivoting says how every
/// column is made of a few, whatever the units of channels and axes. Data enters as it was given,
/// products of weights and columns are exact. One round is enough where the set was right. Otherwise a
/// search inside the box goes on from it: towards the optimum of the free channels as far as the box
/// allows, then those held ones are released that want in, only the keenest where the last release
/// moved nothing. Its cost falls with each move, and there are finitely many sets.
///
/// What is left of a number below kRankTolerance of what entered it is taken for none. Of
/// demands in groups, and where a direction is kept, each of the solves is refined; those that
/// hold what groups before got are so always (levels.h). Compiled once per
/// instruction set (refine_kernel.h), with the same bits.
#pragma once
#include "pintle/allocation/internal/active_set.h"
#include "pintle/allocation/internal/dispatch.h"
#include "pintle/allocation/internal/scaling.h"

namespace pintle::allocation {

/// What is left of a solve: refined where that is asked for or in doubt, and searched anew where nothing is
/// proved, within `cap` iterations altogether.
inline void finish_solving(bool refined, const Working& working, const Wrench& demand,
                           const Scaled& scaled, int cap, BoxSolution& solution) noexcept {
  if (refined) (void)kernels().refine(working, demand, scaled, cap - solution.iterations, solution);
  const int used = solution.iterations;
  if (solution.converged || used >= cap) return;
  solve(scaled.box, false, cap - used, solution);
  solution.iterations += used;
}

}  // namespace pintle::allocation
