/// What of a wrench exists only because the geometry is not perfect, and what is done about it. For
/// the sources of this room; reachable_axes stands in allocator.h.
#pragma once
#include "pintle/allocation/health.h"

namespace pintle::allocation {

/// Takes directions of wrench out of the columns that have less than geometry_share of the
/// strongest one, in the units of reachable_axes: columns of length one, torques per longest lever,
/// forces and torques each per strongest axis. What is left is of lower rank and near the columns
/// given: no effort is spent on a direction that would need 20 times as much of it as any other.
/// False where there are none, which is nearly always, and cheap to see.
bool remove_traces(const Effectiveness& effectiveness, Working& working) noexcept;

}  // namespace pintle::allocation
