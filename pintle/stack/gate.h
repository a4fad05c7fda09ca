/// The last stop before a driver: every command passes here, the finite check comes last.
///
///   effort -> slew and bounds (again) -> curve, dead band, quantum -> finite? -> command
///
/// The answer says what is really sent, so that achieved wrench and residual are computed from
/// that.
#pragma once
#include "pintle/base/signals.h"
#include "pintle/propulsion/propulsor.h"

namespace pintle::stack {

struct GateResult {
  double command = 0;
  double effort = 0;     ///< What the command really asks for.
  bool changed = false;  ///< Bounds, slew or the finite check had to change it (dead band and
                         ///< quantum do not count).
};

/// `lower`, `upper`: the bounds that the allocation had.
[[nodiscard]] GateResult gate(const propulsion::Propulsor& propulsor,
                              propulsion::PropulsorState& state, double effort, double lower,
                              double upper, double bus_V, double dt_s) noexcept;

}  // namespace pintle::stack
