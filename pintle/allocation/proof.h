/// How far from the optimum an answer can be at most, from the answer alone.
///
///   f(u) = | Wv (B u + bias - w) |^2 + r | Wu (u - u_preferred) |^2,     g = df/du
///   G = sum_i max( g_i (u_i - lower_i), g_i (u_i - upper_i) )
///
/// f is convex, so no efforts inside the bounds have less than f(u) - G (Frank and Wolfe 1956),
/// whatever found u. The number given is G over what enters f,
///
///   F = sum_k ( Wv_k (|w_k| + what the channels move along k) )^2 + r sum_i (Wu_i h_i)^2,
///
/// h_i the most that effort i is from its preferred one, and what rounding may have made of it is
/// added: it is never too small. For an optimum it is next to nothing; efforts off by a share of
/// their bounds show with about that share.
///
/// With r = 0 it says nothing about which of equally good efforts were taken. With several groups
/// it is the proof of the first, and none with r above 0, where later ones change what effort the
/// first has traded. Where a direction is kept no least squares are solved: no proof.
#pragma once
#include "pintle/allocation/prepared.h"

namespace pintle::allocation {

/// An answer of more is no optimum, and graded kIterationCapped.
inline constexpr double kGapOfAnOptimum = 1e-9;

/// For an answer with the prepared's inputs (efforts times their weights: see Prepared::weighted).
/// Below 0: no proof.
[[nodiscard]] double gap_of(const Prepared& prepared, const WrenchDemand& demand,
                            const Allocation& answer) noexcept;

}  // namespace pintle::allocation
