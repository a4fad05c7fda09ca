/// A stack on ROS 1, as two sites.
///
///   SimulatedOverBus   a simulated world in this program, with the bus between it and the stack:
///                      what is sensed and what is commanded goes out as messages and counts only
///                      once it has come back as such. Nothing is lost or rounded on the way, so a
///                      flight has the bits of the one without a bus.
///   StackSite          a craft elsewhere: /state as its odometry says it (in the frame that the
///                      vehicle file declares), /imu and /bus_voltage where there are any; efforts
///                      on controls/thruster_allocs. The clock is ROS's; a stamp of the future is
///                      as of now, one of zero as old as its arrival.
#pragma once
#include <memory>
#include <optional>

#include "pintle/flight/site.h"
#include "pintle/ros1_site/bus.h"
#include "pintle/simulation/site.h"

namespace pintle::ros1_site {

/// What /state and controls/thruster_allocs cannot carry of this vehicle; empty: nothing.
[[nodiscard]] std::string not_over_topics(const craft::VehicleFile& file);

class SimulatedOverBus final : public flight::Site {
 public:
  /// `epoch_ns`: of the bus's clock, when the world's is zero.
  SimulatedOverBus(simulation::SimulatedSite& world, Bus& bus, std::int64_t epoch_ns)
      : world_(world), bus_(bus), epoch_ns_(epoch_ns) {}

  [[nodiscard]] Time now() const noexcept override { return world_.now(); }
  bool sense(Time due, stack::Inputs& in) override;
  void act(const stack::Model& model, const stack::Outputs& out) override;
  [[nodiscard]] bool outlasts() const noexcept override { return world_.outlasts(); }
  [[nodiscard]] bool waits() const noexcept override { return world_.waits(); }

 private:
  simulation::SimulatedSite& world_;
  Bus& bus_;
  std::int64_t epoch_ns_;
};

class StackSite final : public flight::Site {
 public:
  explicit StackSite(Bus& bus) : bus_(bus), epoch_ns_(bus.now_ns()) {}

  [[nodiscard]] Time now() const noexcept override { return now_; }
  bool sense(Time due, stack::Inputs& in) override;
  void act(const stack::Model& model, const stack::Outputs& out) override;
  [[nodiscard]] bool outlasts() const noexcept override { return true; }

 private:
  [[nodiscard]] std::int64_t stamp(std::int64_t stamp_ns) const noexcept;

  Bus& bus_;
  std::int64_t epoch_ns_;
  Time now_{};
};

}  // namespace pintle::ros1_site
