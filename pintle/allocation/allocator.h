/// Demanded wrench to effort per channel: exact bounded least squares, six rows, up to 64 columns.
///
/// Solves the problem of objective.h for the weights of the demand (weight 0: the axis is not
/// demanded). Exact to rounding, the same answer for the same problem whatever came before, bounded
/// in iterations, no heap, no exception. Not in here: propulsor dynamics (propulsion/), priorities
/// between groups.
#pragma once
#include "pintle/allocation/objective.h"
#include "pintle/base/signals.h"

namespace pintle::allocation {

struct Settings {
  Objective objective;
  int max_iterations = 0;  ///< 0: 10 n + 20.
};

/// One allocation. `health` (one a channel, may be null) narrows the box: out gives 0, stuck its
/// effort, weak and reversed scale the column; the answer's effort is what to command. A demand
/// that is not finite, or crossed or non-finite bounds, is graded kRejected and answered with the
/// finite effort nearest to zero inside the bounds.
void allocate(const Settings& settings, const Effectiveness& effectiveness,
              const WrenchDemand& demand, const PropulsorHealth* health, Allocation& out) noexcept;

/// bias + B u for what is really sent (after the gate), with health applied; fills effort, achieved
/// and residual.
void set_sent(const Effectiveness& effectiveness, const WrenchDemand& demand,
              const PropulsorHealth* health, const ChannelVector& sent, Allocation& out) noexcept;

/// Axes that the channels with width in their box can produce both ways, each to at least
/// `threshold` of the largest axis of its kind (force or torque) without the others. 6 bits.
[[nodiscard]] AxisMask reachable_axes(const Effectiveness& effectiveness,
                                      const PropulsorHealth* health,
                                      double threshold = 1e-3) noexcept;

}  // namespace pintle::allocation
