/// Demands in groups, and demands that keep their direction: several solves, one answer.
///
/// Groups (demand.group, 0 is served first): each group is met as well as the groups before it
/// allow, with what they got held. What they got is held by rows kHold times as heavy as the heaviest
/// of this group, or as what effort costs, in double-double (refine.h): another group, or the trade,
/// moves it by 1 / kHold^2 = 1e-18 of what it asks for.
///
/// Direction kept: the largest s of [0, 1] with s * demand within reach, by cutting planes: the
/// residual of an answer is normal to a plane that bounds the reach, and gives the next smaller s.
/// Each plane is a facet of the reach, s falls strictly, so it ends; also where so little is left
/// that rounding may have turned the plane.
#pragma once
#include "pintle/allocation/prepared.h"

namespace pintle::allocation {

inline constexpr double kHold = 0x1p30;
/// Solves of a direction that is kept.
inline constexpr int kMaxPlanes = 40;

/// Whether a demand needs more than one solve.
[[nodiscard]] bool has_levels(const Settings& settings, const WrenchDemand& demand) noexcept;

/// Solves them all. The answer is in `solution`, for `scaled`. False when numbers leave the range.
[[nodiscard]] bool solve_levels(const Settings& settings, const Working& working,
                                const WrenchDemand& demand, Scaled& scaled,
                                BoxSolution& solution) noexcept;

/// The largest s of [0, limit] with s * demand within reach of the demanded axes together, exact to
/// rounding; 0 when nothing along it is.
[[nodiscard]] double attainable_scale(const Effectiveness& effectiveness,
                                      const WrenchDemand& demand, const PropulsorHealth* health,
                                      double limit = kLargestMargin) noexcept;

/// How far one axis goes with the other demanded ones exactly zero, to both sides.
struct AxisReach {
  double least = 0, most = 0;
  double size = 0;  ///< What all channels together move along it: no less.
};

[[nodiscard]] AxisReach reach_along(const Effectiveness& effectiveness, WrenchDemand demand,
                                    const PropulsorHealth* health, std::size_t axis) noexcept;

}  // namespace pintle::allocation
