#include "pintle/stack/gate.h"

#include <cmath>

namespace pintle::stack {
namespace {

// rounding of the solver is not worth an event
constexpr double kTolerance = 1e-9;

}  // namespace

GateResult gate(const propulsion::Propulsor& propulsor, propulsion::PropulsorState& state,
                double effort, double lower, double upper, double bus_V, double dt_s) noexcept {
  const auto* thruster = std::get_if<propulsion::Thruster>(&propulsor);
  auto* thruster_state = std::get_if<propulsion::ThrusterState>(&state);
  if (thruster == nullptr || thruster_state == nullptr) return {};

  GateResult out;
  double bounded = effort;
  if (!(effort >= lower && effort <= upper)) {
    bounded = std::isfinite(effort) && lower <= upper ? (effort < lower ? lower : upper) : 0.0;
    out.changed =
        !(std::abs(bounded - effort) <= kTolerance * (1 + std::abs(upper) + std::abs(lower)));
  }

  propulsion::Ambient ambient;
  ambient.bus_V = bus_V;
  const propulsion::ThrusterCommand sent =
      invert(*thruster, *thruster_state, bounded, ambient, dt_s);
  out.command = sent.command;
  out.effort = sent.effort;
  if (!std::isfinite(out.command) || !std::isfinite(out.effort)) {
    out.command = thruster->neutral_command(bus_V);
    out.effort = 0;
    out.changed = true;
    if (!std::isfinite(out.command)) out.command = 0;
  }
  return out;
}

}  // namespace pintle::stack
