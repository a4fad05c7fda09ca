/// Which axes are there, and what of a wrench exists only because the geometry is not perfect. For
/// the sources of this room; reachable_axes stands in allocator.h.
#pragma once
#include "pintle/allocation/internal/health.h"

namespace pintle::allocation {

/// What was found of columns, for the next box: slew limits move it in every tick.
struct Reach {
  bool ready = false;
  AxisMask leaning = 0;      ///< Axes that lie a little along directions that are not there,
  double least_lean = 0;     ///< at least so much of their square.
  ChannelMask moves = 0;     ///< Channels with width.
  AxisMask by_geometry = 0;  ///< Axes that are more than geometry error when these move.
  AxisMask axes = 0;         ///< See reachable_axes.
  double spread = 0;         ///< No two authorities of those, squared, are further apart.
  std::array<double, kMaxChannels> length2;  ///< Of the columns, torques per longest lever.
  /// Directions of less than geometry_share, taken out by  column -= (from' column) along.
  std::size_t traces = 0;
  std::array<Vec6, kAxes> from, along;
};

/// Takes directions of wrench out of the columns that have less than geometry_share of the
/// strongest one, in the units of reachable_axes: columns of length one, torques per longest lever,
/// forces and torques each per strongest axis. What is left is of lower rank and near the columns
/// given: no effort is spent on a direction that would need 20 times as much of it as any other.
/// `reach`: of these columns. False where there are none, which is nearly always.
inline bool remove_traces(const Reach& reach, Working& working) noexcept {
  for (std::size_t t = 0; t < reach.traces; ++t)
    for (std::size_t i = 0; i < working.n; ++i)
      working.column[i] =
          working.column[i] - dot(reach.from[t], working.column[i]) * reach.along[t];
  return reach.traces > 0;
}

}  // namespace pintle::allocation
