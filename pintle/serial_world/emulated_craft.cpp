#include "pintle/serial_world/emulated_craft.h"

#include <poll.h>
#include <stdlib.h>  // NOLINT: mkdtemp is not in <cstdlib>

#include <algorithm>
#include <stdexcept>

#include "pintle/simulation/aircraft_rig.h"

namespace pintle::serial_world {
namespace {

using device::BusThread;

constexpr double kStep_s = 0.005;  ///< Efforts are held so long at most.

world::WorldParams with_meters(world::WorldParams world) {
  if (!world.meters) world.meters.emplace();
  return world;
}

std::filesystem::path fresh_folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "pintle-serial-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr)
    throw std::runtime_error("no folder for the ports of emulated thrusters: " + pattern);
  return pattern;
}

}  // namespace

EmulatedCraft::EmulatedCraft(const craft::MissionFile& mission, std::uint64_t seed,
                             const world::WorldOptions& options)
    : mission_(mission),
      lines_(serial_site::wiring_of(mission.vehicle)),
      hull_(mission),
      folder_(fresh_folder()),
      world_(vehicle::build(mission.vehicle.vehicle), with_meters(mission.world), seed, options) {
  for (std::size_t k = 0; k < lines_.size(); ++k) {
    emulators_.push_back(emulator_of(lines_[k]));
    emulators_[k]->model = [this, k](std::size_t i, double, Time) {
      const PropulsorReport r = world_.report_of(lines_[k].propulsor[i]);
      const double sign = lines_[k].channels[i].reversed ? -1 : 1;
      return device::PropulsorTruth{sign * r.rpm, r.bus_V, r.bus_A, r.temperature_C, r.fault};
    };
    ends_.push_back(
        std::make_unique<device::LineEmulator>(*emulators_[k], path(k), lines_[k].baudrate));
    if (!ends_[k]->plug()) {
      std::filesystem::remove_all(folder_);
      throw std::runtime_error("the system gives no pseudo-terminal for " + path(k));
    }
  }
  thread_ = std::thread([this] { run(); });
}

EmulatedCraft::~EmulatedCraft() {
  quit_ = true;
  thread_.join();
  ends_.clear();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string EmulatedCraft::path(std::size_t line) const {
  return (folder_ / ("if0" + std::to_string(line) + "-port0")).string();
}

void EmulatedCraft::start(Time zero) {
  const std::lock_guard lock(mutex_);
  zero_ = zero;
  started_ = true;
}

void EmulatedCraft::plug(std::size_t line, bool in) {
  const std::lock_guard lock(mutex_);
  if (!in)
    ends_[line]->unplug();
  else if (!ends_[line]->is_plugged())
    (void)ends_[line]->plug();
}

void EmulatedCraft::break_it(std::size_t propulsor, const device::PropulsorFaults& faults) {
  const std::lock_guard lock(mutex_);
  for (std::size_t k = 0; k < lines_.size(); ++k)
    for (std::size_t i = 0; i < lines_[k].propulsor.size(); ++i)
      if (lines_[k].propulsor[i] == propulsor) emulators_[k]->faults(i) = faults;
}

double EmulatedCraft::effort(std::size_t propulsor) {
  const std::lock_guard lock(mutex_);
  for (std::size_t k = 0; k < lines_.size(); ++k)
    for (std::size_t i = 0; i < lines_[k].propulsor.size(); ++i)
      if (lines_[k].propulsor[i] == propulsor) return emulators_[k]->effort(i, BusThread::clock());
  return 0;
}

void EmulatedCraft::sense(Time now, stack::Inputs& in) {
  const std::lock_guard lock(mutex_);
  if (const auto sample = world_.take_odometry()) {
    in.has_odometry = true;
    in.odometry = simulation::measurement_of(*sample, mission_.world.odometry.frame,
                                             mission_.vehicle.odometry_frame);
  }
  if (const auto sample = world_.take_imu()) {
    in.has_imu = true;
    in.imu = *sample;
  }
  hull_.sense(now, world_, in);
  for (const world::Announcement& a : world_.take_announcements())
    in.health.push_back({a.propulsor, a.health});
}

world::Truth EmulatedCraft::truth() {
  const std::lock_guard lock(mutex_);
  return world_.truth();
}

/// With what the thrusters obey now.
void EmulatedCraft::advance(Time now) {
  if (!started_) return;
  ChannelVector commands(world_.vehicle().channels());
  for (std::size_t k = 0; k < lines_.size(); ++k)
    for (std::size_t i = 0; i < lines_[k].channels.size(); ++i) {
      const double sign = lines_[k].channels[i].reversed ? -1 : 1;
      commands[lines_[k].propulsor[i]] = lines_[k].command_of(sign * emulators_[k]->effort(i, now));
    }
  world_.advance(commands, 0, {(now - zero_).ns});
}

void EmulatedCraft::run() {
  while (!quit_) {
    std::vector<pollfd> watched;
    Time at{};
    {
      const std::lock_guard lock(mutex_);
      const Time now = BusThread::clock();
      advance(now);
      at = now + Duration::from_seconds(kStep_s);
      for (auto& end : ends_) {
        end->update(now);
        at = std::min(at, end->wake_at());
        if (end->is_plugged()) watched.push_back({end->descriptor(), POLLIN, 0});
      }
    }
    const std::int64_t ns = std::max<std::int64_t>((at - BusThread::clock()).ns, 0);
    const timespec wait{ns / 1'000'000'000, ns % 1'000'000'000};
    (void)::ppoll(watched.data(), watched.size(), &wait, nullptr);
  }
}

}  // namespace pintle::serial_world
