/// The delivery as a model of the tick: the vehicle, and the mission and loops that the five
/// parameter files make of it (stack/jet_mission.h).
#pragma once
#include <cstdint>
#include <memory>

#include "pintle/craft/jet_mission.h"
#include "pintle/craft/load.h"

namespace pintle::ros1 {

struct DeliveryOptions {
  bool gripper_answers = true;
  bool proof_by_carrying = true;
  double rate_Hz = 50;
  double fence_m = 15, ceiling_m = 8;
};

/// @throws std::exception with what the checks report.
[[nodiscard]] std::shared_ptr<const craft::Generation> delivery(
    const craft::VehicleFile& vehicle, const vehicle::JetParameters& parameters,
    const DeliveryOptions& options, std::uint32_t generation);

}  // namespace pintle::ros1
