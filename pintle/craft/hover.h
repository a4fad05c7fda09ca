/// Whether a craft can stand still in the air, and with which efforts.
///
///   sum_i f_i u_i = m g along its z axis,   sum_i t_i u_i = 0 about its centre of mass,
///   lower_i <= u_i <= upper_i
///
/// in still air, with the fuel it starts with and everything running. Sideways force is not asked
/// for: what is left of it is balanced by a tilt, which is told. Two answers: the efforts that the
/// vehicle's own allocation gives, and those deepest inside the limits,
///
///   max s:   lower_i + s (upper_i - lower_i) <= u_i <= upper_i - s (upper_i - lower_i)
///
/// s is the margin: 0.5 is the middle of every range, 0 leaves no room. Not looked at: how fast the
/// propulsors follow, drag, ground effect.
#pragma once
#include <vector>

#include "pintle/craft/load.h"
#include "pintle/vehicle/structure.h"

namespace pintle::craft {

/// Efforts in the channel's unit.
struct HoverChannel {
  double lower = 0, upper = 0;
  double effort = 0;   ///< As allocated.
  double deepest = 0;  ///< With the largest margin.
};

struct HoverReport {
  vehicle::MassProperties craft;  ///< With its fuel, body coordinates.
  double weight_N = 0;
  double tilt_deg = 0;  ///< That stands still: 0 is level.
  /// Of the vehicle's own allocation: demand minus what it gives, N and Nm, body axes, about the
  /// centre of mass; x and y are not asked for.
  Wrench missing;
  bool balanced = false;  ///< The limits allow it at all.
  double margin = 0;      ///< s above.
  std::vector<HoverChannel> channels;

  /// With room to both limits of every channel that has any.
  [[nodiscard]] bool hovers() const noexcept { return balanced && margin > 0; }
};

/// @throws std::invalid_argument on what `check` of the file reports as an error.
[[nodiscard]] HoverReport hover_of(const VehicleFile& file);

}  // namespace pintle::craft
