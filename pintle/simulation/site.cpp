#include "pintle/simulation/site.h"

#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

namespace pintle::simulation {
SimulatedSite::SimulatedSite(const MissionFile& mission, std::uint64_t seed, SiteOptions options)
    : mission_(mission),
      options_(std::move(options)),
      world_(vehicle::build(mission.vehicle.vehicle), mission.world, seed, options_.world),
      hull_(mission) {
  if (!control::traits(mission.vehicle.laws.law).allocates) rig_.emplace(mission, seed);
  if (mission.world.sightings.from != world::SightingSource::kImages) return;
  if (!options_.sight)
    throw std::invalid_argument(
        "world.sightings.from: images: this build searches no pictures: install OpenCV "
        "(scripts/setup --vision) and build again");
  sight_ = options_.sight(mission, seed);
}

bool SimulatedSite::sense(Time due, Inputs& in) {
  if (options_.real_time) wait(due);
  now_ = due;
  in.now = due;
  if (const auto sample = world_.take_odometry()) {
    in.has_odometry = true;
    in.odometry =
        measurement_of(*sample, mission_.world.odometry.frame, mission_.vehicle.odometry_frame);
  }
  if (const auto sample = world_.take_imu()) {
    in.has_imu = true;
    in.imu = *sample;
  }
  in.has_bus_voltage = true;
  in.bus_V = world_.bus_V();
  for (const world::Announcement& a : world_.take_announcements())
    in.health.push_back({a.propulsor, a.health});
  world_.take_reports(in.reports);
  if (rig_) rig_->sense(world_, in);
  if (sight_) sight_->look(world_.truth(), in.targets);
  hull_.sense(now_, world_, in);
  return true;
}

void SimulatedSite::act(const Model& model, const Outputs& out) {
  const Time until = now_ + model.period;
  if (rig_)
    rig_->advance(world_, out, until);
  else
    world_.advance(out.actuation.command, out.actuation.ignition, until);
}

void SimulatedSite::wait(Time due) {
  using Clock = flight::Pacer::Clock;
  const Clock::time_point now = Clock::now();
  if (!pacer_) pacer_.emplace(now);
  std::this_thread::sleep_until(pacer_->due(due, now));
  missed_s_ += pacer_->missed_s();
  if (!(missed_s_ > 0) || now < quiet_until_ || !options_.missed) return;
  options_.missed(due.seconds(), missed_s_);
  missed_s_ = 0;
  quiet_until_ = now + std::chrono::seconds(10);
}

}  // namespace pintle::simulation
