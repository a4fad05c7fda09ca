/// Flies a mission in its simulated world, judged against the truth.
#pragma once
#include <functional>
#include <memory>

#include "pintle/flight/fly.h"
#include "pintle/simulation/site.h"

namespace pintle::simulation {

struct RunOptions : FlyOptions {
  SiteOptions site;
  /// What the world is made of, where the stack is told something else on purpose: a vehicle that is
  /// wired otherwise than its file says. Null: the mission.
  const MissionFile* truth = nullptr;
  /// A bus between the world and the stack: the site that the stack then flies at.
  std::function<std::unique_ptr<flight::Site>(SimulatedSite&)> over;
  /// After each tick, with what is really the case.
  std::function<void(const Outputs&, const world::Truth&)> witness;
};

using RunResult = FlightResult;

/// @throws std::invalid_argument or std::runtime_error for what keeps it from starting; nothing
/// afterwards.
[[nodiscard]] RunResult run(const MissionFile& mission, const RunOptions& options);

}  // namespace pintle::simulation
