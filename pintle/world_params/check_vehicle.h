/// What a world says of the vehicle that is to fly in it.
#pragma once
#include "pintle/vehicle/vehicle.h"
#include "pintle/world_params/params.h"

namespace pintle::world {

/// What `check(params)` says, and faults that name no propulsor of this vehicle or cannot act on
/// it.
[[nodiscard]] Findings check(const WorldParams& params, const vehicle::Vehicle& vehicle);

}  // namespace pintle::world
