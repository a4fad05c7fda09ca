/// The reference solver: slow, small, and hard to fool. Answers of the fast one are held against it.
///
///   minimise  | A x - b |^2 + r | x |^2   subject to  lower <= x <= upper      (A: at most 6 rows)
///
/// r = 0 is the limit r -> 0. A primal active set method; the free part of each step is solved
/// through a singular value decomposition (one-sided Jacobi), which is accurate also where rows
/// differ by many orders of magnitude. With free set F, c = b - A_A x_A and A_F = U S V':
///
///   x_F = V S / (S^2 + r) U' c,     residual e = d + r l,   d = c - U U' c,   l = U U'c / (S^2 +
///   r)
///
/// and the multiplier of a held x_i is  g_i = -a_i' d + r (x_i - a_i' l).  For r = 0 the first term
/// decides, and the bracket decides where the first vanishes: multipliers are compared as
/// polynomials in an infinitesimal r.
///
/// Why it ends: each step of a length above zero lowers the cost (as a polynomial in r) strictly,
/// so a set of held bounds cannot come back, and there are finitely many. A step of length zero (a
/// free channel that sits on its bound and wants out) only exchanges held channels at one point;
/// after n of them in a row the first candidate is taken instead of the best (Bland's rule).
/// Multipliers that are zero to rounding can break the argument: a released channel that wants out
/// of the box is put back and left alone until the next move, and the iterations are capped. The
/// iterate is inside the bounds at all times.
#pragma once
#include "pintle/allocation/internal/bounded_least_squares.h"

namespace pintle::allocation {

/// The right side a little aside (1e-11 of what the channels can move), always the same way. The
/// optimum is continuous in it; ties between held sets are not. For demands on the very edge of the
/// reach, where every set of several is as good as another and multipliers say nothing.
[[nodiscard]] Vec6 aside(const BoxProblem& problem) noexcept;

/// All data finite, lower <= upper, of a magnitude near 1 (see allocator.cpp, which scales).
void solve_reference(const BoxProblem& problem, int max_iterations, BoxSolution& solution) noexcept;

}  // namespace pintle::allocation
