/// What a propulsor feels and draws.
#pragma once
#include "pintle/base/geometry.h"

namespace pintle::propulsion {

/// Surroundings at the mount.
struct Ambient {
  Vec3 flow_P{};  ///< Velocity of the fluid relative to the mount, mount coordinates, m/s.
  double density_kg_m3 = 1000;
  double bus_V = 16;
};

/// What a propulsor takes from its supplies during a step.
struct SupplyDemand {
  double current_A = 0;
  double mass_flow_kg_s = 0;
};

/// The share (0 to 1) of the demand that the supplies can give.
struct Grant {
  double share = 1;
};

}  // namespace pintle::propulsion
