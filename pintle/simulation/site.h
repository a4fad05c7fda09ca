/// The simulated world as a site: virtual time, as fast as the machine goes, or paced by the wall
/// clock.
///
///   world -> odometry in the source's frame -> the declared frame -> Inputs
///   Outputs -> commands and ignition -> world, until the next tick
///
/// A craft with a flight controller has that in between (aircraft_rig.h).
#pragma once
#include <functional>
#include <memory>
#include <optional>

#include "pintle/flight/pacer.h"
#include "pintle/flight/site.h"
#include "pintle/simulation/aircraft_rig.h"
#include "pintle/simulation/hull_sensors.h"
#include "pintle/simulation/names.h"
#include "pintle/simulation/sight.h"
#include "pintle/world/world.h"

namespace pintle::simulation {

struct SiteOptions {
  bool real_time = false;     ///< Wait for the wall clock.
  world::WorldOptions world;  ///< Plants that this program knows.
  SightFactory sight;         ///< For worlds with sightings from images; empty: it searches none.
  /// In real time: so much was missed and is dropped. Not more often than every ten seconds, summed
  /// up.
  std::function<void(double at_s, double missed_s)> missed;
};

class SimulatedSite final : public flight::Site {
 public:
  /// @throws std::invalid_argument for what keeps the world from being made.
  SimulatedSite(const MissionFile& mission, std::uint64_t seed, SiteOptions options);

  [[nodiscard]] Time now() const noexcept override { return now_; }
  bool sense(Time due, Inputs& in) override;
  void act(const Model& model, const Outputs& out) override;

  [[nodiscard]] bool outlasts() const noexcept override { return false; }
  [[nodiscard]] bool waits() const noexcept override { return !options_.real_time; }

  [[nodiscard]] const world::World& world() const noexcept { return world_; }
  /// Null where no pictures are searched.
  [[nodiscard]] Sight* sight() const noexcept { return sight_.get(); }
  [[nodiscard]] bool has_flight_controller() const noexcept { return rig_.has_value(); }

 private:
  void wait(Time due);

  const MissionFile& mission_;
  SiteOptions options_;
  world::World world_;
  std::optional<AircraftRig> rig_;
  std::unique_ptr<Sight> sight_;
  HullSensors hull_;
  Time now_{};
  std::optional<flight::Pacer> pacer_;
  flight::Pacer::Clock::time_point quiet_until_{};
  double missed_s_ = 0;
};

}  // namespace pintle::simulation
