/// Demanded wrench to effort per channel: exact bounded least squares, six rows, up to 64 columns.
///
///   minimise | Wv (B u + bias - w) |^2 + r | Wu (u - u_preferred) |^2,   lower <= u <= upper
///
/// with Wv = diag(weight of the demand); weight 0: the axis is not demanded. r as in objective.h.
/// Wu = diag(effort_weight): a craft written in other units, Wv and Wu with it, gets the same
/// answer in those units.
/// Exact to rounding, the same answer for the same problem whatever came before, bounded in
/// iterations, no heap, no exception. Not in here: propulsor dynamics (propulsion/).
///
/// Groups of the demand are served in order, 0 first; see levels.h. Weights count inside a group.
///
/// Health of a channel:
///   weak      delivers efficiency * effort; the answer's effort is the command, `achieved` is what
///             is delivered.
///   reversed  delivers -effort.
///   out       delivers nothing whatever is commanded; its effort is 0.
///   stuck     delivers stuck_effort whatever is commanded, which counts as bias; its effort is the
///             command inside the bounds nearest to stuck_effort.
#pragma once
#include "pintle/allocation/objective.h"
#include "pintle/base/signals.h"

namespace pintle::allocation {

struct Settings {
  Objective objective;
  int max_iterations = 0;  ///< 0: 10 n + 20.
  /// Directions of wrench that only imperfect geometry gives (see reachable_axes) are not inverted:
  /// nothing is spent on them, what of the demand lies along them is missing.
  bool drop_traces = false;
  /// Every answer comes with its gap (proof.h), and one whose gap is no optimum's is not graded as
  /// one.
  bool prove = false;
};

struct Prepared;  ///< See prepared.h.

/// Margins are cut to this: "a thousand times the demand, or more".
inline constexpr double kLargestMargin = 1000;

/// One allocation. `health` (one a channel, may be null) as above. What cannot be used (a number
/// that is not finite or beyond range, crossed bounds, weights too far apart: Rejection lists all)
/// is graded kRejected and answered with the finite effort nearest to zero inside the bounds.
///
/// grade      kExact: every demanded axis is achieved, or (r > 0) no bound changed the answer: what
///            is then missing is the trade that r asked for. kBounded: the optimum, but bounds,
///            lost propulsors or geometry keep it from the demand.
/// at_lower,  effort equal to the bound, for channels that could move: not those without width, out
/// at_upper   or stuck.
/// margin     1 or more when the demand is met, a lower bound of the true one: the efforts run on
///            along the line from the answer without bounds for no demand, through the present
///            answer. Exact where no bound holds. Always 1 when met with r > 0, or where no demand
///            needs a wrench that efforts cannot give. 0 when the grade is not kExact.
/// reachable  reachable_axes(effectiveness, health).
void allocate(const Settings& settings, const Effectiveness& effectiveness,
              const WrenchDemand& demand, const PropulsorHealth* health, Allocation& out) noexcept;

/// The same with what does not depend on the demand kept from call to call: scaled columns, the
/// linear map of the case without bounds, reachable axes, the last proved set of held bounds. What
/// has changed since the last call is found by comparing, so any input may change at any time; the
/// answer is the one of the call above to rounding, whatever came before.
///
/// Cost: nothing saturated, nothing changed: one matrix-vector product. Bounds, bias or preferred
/// efforts changed: order n more. Columns, health or weights changed: all that the answer needs is
/// made anew, from the last set of held bounds; with another number of channels, k1, k2, drop_traces
/// or controlled axes as a fresh call. Other settings hold from that call on.
void allocate(Prepared& prepared, const Settings& settings, const Effectiveness& effectiveness,
              const WrenchDemand& demand, const PropulsorHealth* health, Allocation& out) noexcept;

/// The same for effectiveness and health of the last call with `prepared`, where they are known to be
/// still those: nothing is compared with eight channels in one group, weights as before, the last
/// answer not from a set with bounds held, without refine, preserve_direction, `prove` and weights of
/// efforts; otherwise it costs what the call above does. Before any call: no channels.
void allocate(Prepared& prepared, const Settings& settings, const WrenchDemand& demand,
              Allocation& out) noexcept;

/// bias + B u for what is really sent (after the gate), with health applied; fills effort, achieved
/// and residual. A sent value that is missing or not finite counts as 0.
void set_sent(const Effectiveness& effectiveness, const WrenchDemand& demand,
              const PropulsorHealth* health, const ChannelVector& sent, Allocation& out) noexcept;

inline constexpr double kReachThreshold = 1e-3;

/// Axes that the channels with width in their box can produce both ways about the middle of their
/// boxes, each to at least `threshold` of the largest axis of its kind (force or torque) without
/// the others. 6 bits. The authority of an axis is the radius of the ellipsoid of half-widths,
///   1 / sqrt( e_k' (A A')^+ e_k ),  A = columns * half-width,
/// within sqrt(n) of the exact one.
///
/// An axis that exists only because the geometry is not perfect (a thruster 1.3 deg off, 5 mm
/// beside) counts as lost. For this every column is scaled to length one (all of it, also what is not
/// controlled), torques in units of the longest lever: directions of A with less than geometry_share
/// of the strongest are geometry error, and an axis that lies more than a tenth along such a
/// direction is lost with it.
[[nodiscard]] AxisMask reachable_axes(const Effectiveness& effectiveness,
                                      const PropulsorHealth* health,
                                      double threshold = kReachThreshold) noexcept;

}  // namespace pintle::allocation
