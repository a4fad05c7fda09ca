/// The last stop before a driver: every command passes here, the finite check comes last.
///
///   effort -> bounds of this tick -> [ bounds, slew -> dead band -> curve, quantum ] -> finite? -> command
///
/// What takes efforts instead of commands gets what bounds and slew leave, through `effort_sent`: dead
/// band, curve and quantum are its own (Model::sends_efforts).
///
/// What stands in brackets is the propulsor's own `invert`: slew, dead band and quantum are its
/// parameters and live there. The bounds of a tick have its slew in them already, so that an effort
/// beyond them is an event and the propulsor's slew is a second look. The allocation knows dead bands
/// too (allocation/smoothing.h, where `dead_band_hysteresis` is above 0): it prefers efforts outside
/// them, the gate is what keeps them.
///
/// The answer says what is really sent, so that achieved wrench and residual are computed from
/// that.
#pragma once
#include "pintle/base/signals.h"
#include "pintle/propulsion/propulsor.h"

namespace pintle::stack {

/// What one propulsor is to do, one number a channel, with the bounds that the allocation had.
struct GateInput {
  propulsion::ChannelNumbers effort{}, lower{}, upper{};
  bool ignition = true;
  propulsion::Ambient ambient;
};

struct GateResult {
  propulsion::ChannelNumbers command{};
  propulsion::ChannelNumbers effort{};  ///< What the commands really ask for.
  /// The tick's bounds or the finite check had to change it; what the propulsor does with an effort
  /// inside them does not count.
  bool changed = false;
};

[[nodiscard]] GateResult gate(const propulsion::Propulsor& propulsor,
                              propulsion::PropulsorState& state, const GateInput& input,
                              double dt_s) noexcept;

/// The same for the one channel of a thruster.
struct ThrusterGate {
  double command = 0, effort = 0;
  bool changed = false;
};

[[nodiscard]] ThrusterGate gate(const propulsion::Thruster& thruster,
                                propulsion::ThrusterState& state, double effort, double lower,
                                double upper, double bus_V, double dt_s) noexcept;

/// For who takes efforts: zero below `least`; in single precision the nearest such number that is
/// inside the bounds.
[[nodiscard]] double effort_sent(double effort, double lower, double upper, double least,
                                 bool single_precision) noexcept;

/// `value`, which lies inside the bounds, as the nearest float that does too; 0 for what is not
/// finite.
[[nodiscard]] float single_inside(double value, double lower, double upper) noexcept;

}  // namespace pintle::stack
