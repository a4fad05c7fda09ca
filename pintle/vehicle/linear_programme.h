/// The furthest push along one direction that a box of efforts can make, all others exactly zero.
///
///   maximise t   subject to   B u = t e,   lower <= u <= upper      (6 rows, up to 64 columns)
///
/// Primal simplex with bounded variables from u = 0, Bland's rule against cycling, the 6 x 6 basis
/// solved afresh in every step: exact to rounding. Needs lower <= 0 <= upper. For sources of this
/// room.
#pragma once
#include <span>

#include "pintle/base/vector.h"

namespace pintle::vehicle {

/// t at the optimum; 0 when nothing can be had along `e`. May allocate; not for the tick.
[[nodiscard]] double furthest_along(std::span<const Vec6> columns, std::span<const double> lower,
                                    std::span<const double> upper, const Vec6& e);

}  // namespace pintle::vehicle
