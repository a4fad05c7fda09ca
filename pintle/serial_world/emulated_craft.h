/// The simulated craft behind emulated thrusters: what comes down the pseudo-terminals moves it.
///
///   bytes -> emulated thrusters -> efforts -> world;   world -> speed, current, heat -> answers
///
/// One thread serves all lines with the times of real ones and advances the world by the clock of
/// the machine. What the world measures is picked up by the site, under a lock that is held for
/// microseconds.
#pragma once
#include <atomic>
#include <filesystem>
#include <mutex>
#include <thread>

#include "pintle/device/line_emulator.h"
#include "pintle/serial_site/site.h"
#include "pintle/simulation/hull_sensors.h"
#include "pintle/world/world.h"

namespace pintle::serial_world {

class EmulatedCraft final : public serial_site::StandIn {
 public:
  /// Makes a folder with a link for each line, as /dev/serial/by-id has them.
  /// @throws std::invalid_argument for what keeps the world from being made, or is not wired;
  /// std::runtime_error where the system gives no pseudo-terminals.
  EmulatedCraft(const craft::MissionFile& mission, std::uint64_t seed,
                const world::WorldOptions& options);
  ~EmulatedCraft() override;
  EmulatedCraft(const EmulatedCraft&) = delete;
  EmulatedCraft& operator=(const EmulatedCraft&) = delete;

  [[nodiscard]] std::string path(std::size_t line) const override;
  /// The world stands still until then.
  void start(Time zero) override;
  void sense(Time now, stack::Inputs& in) override;

  /// The plug of a line.
  void plug(std::size_t line, bool in);
  /// What is wrong with one propulsor's electronics.
  void break_it(std::size_t propulsor, const device::PropulsorFaults& faults);
  /// The effort that it obeys now, -1 to 1, as its driver counts it.
  [[nodiscard]] double effort(std::size_t propulsor);

  [[nodiscard]] world::Truth truth();

 private:
  void run();
  void advance(Time now);

  const craft::MissionFile& mission_;
  std::vector<serial_site::WiredLine> lines_;
  simulation::HullSensors hull_;  ///< Of the thread that senses.
  std::filesystem::path folder_;
  std::mutex mutex_;  ///< Of all below.
  world::World world_;
  std::vector<std::unique_ptr<device::PropulsorEmulator>> emulators_;
  std::vector<std::unique_ptr<device::LineEmulator>> ends_;
  Time zero_{};
  bool started_ = false;
  std::atomic<bool> quit_{false};
  std::thread thread_;
};

}  // namespace pintle::serial_world
