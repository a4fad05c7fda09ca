#include "pintle/stack/gate.h"

#include <cmath>
#include <limits>

namespace pintle::stack {
namespace {

// rounding of the solver is not worth an event
constexpr double kTolerance = 1e-9;

// inside its bounds; none for an effort or bounds that say nothing
double bounded(double effort, double lower, double upper, bool& changed) noexcept {
  if (effort >= lower && effort <= upper) return effort;
  const double b = std::isfinite(effort) && lower <= upper ? (effort < lower ? lower : upper) : 0.0;
  changed =
      changed || !(std::abs(b - effort) <= kTolerance * (1 + std::abs(upper) + std::abs(lower)));
  return b;
}

}  // namespace

ThrusterGate gate(const propulsion::Thruster& thruster, propulsion::ThrusterState& state,
                  double effort, double lower, double upper, double bus_V, double dt_s) noexcept {
  bool changed = false;
  const propulsion::ThrusterCommand sent =
      propulsion::invert_at(thruster, state, bounded(effort, lower, upper, changed), bus_V, dt_s);
  if (std::isfinite(sent.command) && std::isfinite(sent.effort))
    return {sent.command, sent.effort, changed};
  const double neutral = thruster.neutral_command(bus_V);
  return {std::isfinite(neutral) ? neutral : 0, 0, true};
}

GateResult gate(const propulsion::Propulsor& propulsor, propulsion::PropulsorState& state,
                const GateInput& input, double dt_s) noexcept {
  GateResult out;
  const std::size_t n = propulsion::channels(propulsor);
  propulsion::ChannelNumbers effort = input.effort;
  for (std::size_t k = 0; k < n; ++k)
    effort[k] = bounded(input.effort[k], input.lower[k], input.upper[k], out.changed);

  const propulsion::PropulsorCommand sent =
      propulsion::invert(propulsor, state, effort, input.ambient, dt_s, input.ignition);
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

float single_inside(double value, double lower, double upper) noexcept {
  if (!std::isfinite(value)) return 0;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  auto f = static_cast<float>(value);
  if (static_cast<double>(f) > upper) f = std::nextafterf(f, -kInfinity);
  if (static_cast<double>(f) < lower) f = std::nextafterf(f, kInfinity);
  return f;
}

double effort_sent(double effort, double lower, double upper, double least,
                   bool single_precision) noexcept {
  if (!(std::abs(effort) >= least)) return 0;
  return single_precision ? static_cast<double>(single_inside(effort, lower, upper)) : effort;
}

}  // namespace pintle::stack
