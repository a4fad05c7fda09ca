/// The battery of a craft with propellers: electric power is that of the shafts over the efficiency
/// of the drives, plus the avionics; the current is what gives that power at the terminals,
///
///   I V = P,  V = V_open - R I   =>   I = (V_open - sqrt(V_open^2 - 4 R P)) / 2 R
///
/// An empty battery gives no thrust less here: the flight controller has to land before. Does not
/// model: what other propulsors draw, temperature.
#pragma once
#include <algorithm>

#include "pintle/propulsion/ambient.h"
#include "pintle/vehicle/vehicle.h"

namespace pintle::world {

class BatteryInWorld {
 public:
  explicit BatteryInWorld(const vehicle::Battery& battery) noexcept
      : battery_(battery), state_{battery.starting_charge} {}

  /// A step with these thrusts, one a propulsor.
  void drain(const vehicle::Vehicle& craft, const ChannelVector& thrust_N, double density_kg_m3,
             double dt_s) noexcept;

  /// A cell that gives up: no more than this is left.
  void limit(double charge) noexcept {
    state_.charge_ratio = std::clamp(charge, 0.0, state_.charge_ratio);
  }

  [[nodiscard]] double charge() const noexcept { return state_.charge_ratio; }
  [[nodiscard]] double power_W() const noexcept { return power_W_; }

 private:
  vehicle::Battery battery_;
  propulsion::BatteryState state_;
  double power_W_ = 0;
};

}  // namespace pintle::world
