/// What is left of a vehicle when propulsors are out: every single one, every pair. Not for the
/// tick.
///
/// Reach of an axis: the most wrench along it, both ways the smaller, with the other axes exactly
/// zero (attainable_scale). An axis is kept where reachable_axes says so. Pairs of n channels are
/// n (n - 1) / 2; each case costs twelve exact solves.
#pragma once
#include <vector>

#include "pintle/allocation/allocator.h"

namespace pintle::allocation {

struct FailureCase {
  int first = -1, second = -1;  ///< Channels that are out; -1: none.
  AxisMask kept = 0;
  Vec6 reach;  ///< Both ways, in the vehicle's unit; 0 where the axis is not kept.
};

/// First of all nothing out, then every single failure, then every pair, in the order of channels.
/// `health` is what already holds (may be null).
[[nodiscard]] std::vector<FailureCase> failure_cases(const Effectiveness& effectiveness,
                                                     const PropulsorHealth* health = nullptr);

}  // namespace pintle::allocation
