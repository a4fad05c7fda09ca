#include "jet/parameters.h"

#include <algorithm>
#include <numbers>
#include <stdexcept>
#include <utility>

namespace pintle::ros1 {
namespace {

/// The node's own fence and ceiling move none of the vehicle's rows.
void expect_within_failsafes(const craft::Configuration& c) {
  std::string why;
  for (const Finding& f : craft::check_goals(c.vehicle.failsafes, *c.mission))
    why += (why.empty() ? "" : "\n") + f.path + ": " + f.message + "; " + f.fix;
  if (!why.empty()) throw std::invalid_argument(why);
}

}  // namespace

std::shared_ptr<const craft::Generation> delivery(const craft::VehicleFile& vehicle,
                                                  const vehicle::JetParameters& parameters,
                                                  const DeliveryOptions& options,
                                                  std::uint32_t generation) {
  craft::JetMissionOptions mission = craft::options_for(parameters);
  mission.gripper_answers = options.gripper_answers;
  mission.fence_radius_m = options.fence_m;
  mission.ceiling_m = options.ceiling_m;
  mission.frame_proof =
      options.proof_by_carrying ? mission::FrameProof::kCarry : mission::FrameProof::kDeclared;
  craft::VehicleFile file = vehicle;
  craft::put_jet(parameters, file);
  // the loops count ticks, as the original's did
  file.control_rate_Hz = options.rate_Hz;
  mission::MissionSpec spec = craft::jet_mission(parameters, mission);
  // a goal is reached where the loops rest, axis by axis
  const auto& loops = parameters.pid.pid;
  spec.aircraft.navigation_tolerance_m = std::max(0.06, 1.05 * std::max(loops.xy.db, loops.z.db));
  spec.aircraft.navigation_tolerance_deg =
      std::max(3.0, 1.05 * loops.yaw.db * 180 / std::numbers::pi);
  auto made = std::make_shared<const craft::Generation>(
      craft::Configuration{generation, std::move(file), std::move(spec)});
  expect_within_failsafes(made->configuration);
  return made;
}

}  // namespace pintle::ros1
