/// Which axes are there, and what of a wrench exists only because the geometry is not perfect. For
/// the sources of this room; reachable_axes stands in allocator.h.
#pragma once
#include "pintle/allocation/internal/health.h"

namespace pintle::allocation {

/// What was found for a box, for the next one of the same columns and health: slew limits move the
/// box in every tick, and mostly leave it as wide as it was.
struct Reach {
  bool ready = false;
  /// No direction is near geometry_share of the strongest, or each axis lies by far or not at all
  /// along those that are not there.
  bool clear = false;
  ChannelMask moves = 0;     ///< Channels with width.
  AxisMask by_geometry = 0;  ///< Axes that are more than geometry error when these move.
  AxisMask axes = 0;         ///< See reachable_axes.
  Vec6 inverse;              ///< One over the squared authority of each axis by geometry; 0: none.
  std::array<double, kMaxChannels> width;    ///< Rounded, see below.
  std::array<double, kMaxChannels> length2;  ///< Of the columns, torques per longest lever.
  /// Directions of less than geometry_share, taken out by  column -= (from' column) along.
  std::size_t traces = 0;
  std::array<Vec6, kAxes> from, along;
};

/// reachable_axes of what apply_health made of these columns. What `reach` knows is taken over
/// where it is of the same columns and health. Widths are rounded to 2^-24 first, so that those
/// that are the same but for the rounding of their bounds are the same, whatever was there before.
void update_reach(const Effectiveness& effectiveness, const Working& working, bool same_columns,
                  double threshold, Reach& reach) noexcept;

/// Takes directions of wrench out of the columns that have less than geometry_share of the
/// strongest one, in the units of reachable_axes: columns of length one, torques per longest lever,
/// forces and torques each per strongest axis. What is left is of lower rank and near the columns
/// given: no effort is spent on a direction that would need 20 times as much of it as any other.
/// `reach`: of these columns. False where there are none, which is nearly always.
bool remove_traces(const Reach& reach, Working& working) noexcept;

}  // namespace pintle::allocation
