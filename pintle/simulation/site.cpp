#include "pintle/simulation/site.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

namespace pintle::simulation {
namespace {

constexpr Duration kHousekeepingPeriod{200'000'000};
constexpr double kDry_kPa = 101.3, kCool_C = 25;

/// What its failsafes need to know.
std::uint8_t asked_of(const stack::FailsafeParams& f) {
  unsigned all = 0;
  if (f.leak || f.housekeeping_silent) all |= kHasLeak;
  if (f.pressure) all |= kHasPressure;
  if (f.temperature) all |= kHasInnerTemperature;
  if (f.battery_low || f.battery_critical || f.battery_silent || f.way_home) all |= kHasCharge;
  return static_cast<std::uint8_t>(all);
}

}  // namespace

SimulatedSite::SimulatedSite(const MissionFile& mission, std::uint64_t seed, SiteOptions options)
    : mission_(mission),
      options_(std::move(options)),
      world_(vehicle::build(mission.vehicle.vehicle), mission.world, seed, options_.world),
      spoiler_(mission.input_faults, seed),
      hull_(mission.world.device_faults, world::Device::kHull),
      battery_(mission.world.device_faults, world::Device::kBattery),
      housekeeping_(asked_of(mission.vehicle.failsafes)) {
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
  if (housekeeping_ != 0) tell_housekeeping(in);
  spoiler_.apply(in);
  return true;
}

void SimulatedSite::tell_housekeeping(Inputs& in) {
  using K = world::DeviceFaultKind;
  if (now_ < housekeeping_due_) return;
  housekeeping_due_ = now_ + kHousekeepingPeriod;
  // a flight controller tells the charge by itself
  unsigned told = rig_ ? housekeeping_ & ~unsigned{kHasCharge} : housekeeping_;
  if (hull_.active(K::kSilent, now_)) told &= kHasCharge;
  if (told == 0) return;
  Housekeeping& h = in.housekeeping;
  in.has_housekeeping = true;
  h.stamp = now_;
  h.valid = static_cast<std::uint8_t>(told);
  h.leak = hull_.active(K::kLeaks, now_);
  h.pressure_kPa = hull_.active(K::kPresses, now_) ? hull_.value(K::kPresses, now_) : kDry_kPa;
  h.temperature_C = hull_.active(K::kHeats, now_) ? hull_.value(K::kHeats, now_) : kCool_C;
  h.charge = world_.battery();
  if (battery_.active(K::kEmpties, now_))
    h.charge = std::min(h.charge, battery_.value(K::kEmpties, now_));
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
