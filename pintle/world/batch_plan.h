/// From a vehicle to the plan of its batch: what is where in a block. Internal to this room.
#pragma once
#include <vector>

#include "pintle/vehicle/vehicle.h"
#include "pintle/world/batch_step.h"
#include "pintle/world/vehicle_batch.h"

namespace pintle::world::batch {

enum class Kind : std::uint8_t { kEngine, kFin, kPropeller };

struct LaidOut {
  Plan plan;
  std::vector<Kind> kind;                ///< Of each propulsor …
  std::vector<std::size_t> row;          ///< … and its first row.
  std::vector<std::size_t> channel_row;  ///< Of each command.
};

/// @throws std::invalid_argument, see VehicleBatch.
[[nodiscard]] LaidOut lay_out(const vehicle::Vehicle& craft, const BatchSettings& settings);

}  // namespace pintle::world::batch
