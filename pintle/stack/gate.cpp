#include "pintle/stack/gate.h"

#include <cmath>

namespace pintle::stack {
namespace {

// rounding of the solver is not worth an event
constexpr double kTolerance = 1e-9;

}  // namespace

GateResult gate(const propulsion::Propulsor& propulsor, propulsion::PropulsorState& state,
                const GateInput& input, double dt_s) noexcept {
  GateResult out;
  const std::size_t n = propulsion::channels(propulsor);
  propulsion::ChannelNumbers bounded = input.effort;
  for (std::size_t k = 0; k < n; ++k) {
    const double effort = input.effort[k], lower = input.lower[k], upper = input.upper[k];
    if (effort >= lower && effort <= upper) continue;
    bounded[k] = std::isfinite(effort) && lower <= upper ? (effort < lower ? lower : upper) : 0.0;
    out.changed = out.changed || !(std::abs(bounded[k] - effort) <=
                                   kTolerance * (1 + std::abs(upper) + std::abs(lower)));
  }

  const propulsion::PropulsorCommand sent =
      propulsion::invert(propulsor, state, bounded, input.ambient, dt_s, input.ignition);
  out.command = sent.command;
  out.effort = sent.effort;
  bool finite = true;
  for (std::size_t k = 0; k < n; ++k)
    finite = finite && std::isfinite(out.command[k]) && std::isfinite(out.effort[k]);
  if (!finite) {
    out.command = propulsion::neutral_command(propulsor, input.ambient.bus_V);
    out.effort = {};
    out.changed = true;
    if (!std::isfinite(out.command[0])) out.command = {};
  }
  return out;
}

}  // namespace pintle::stack
