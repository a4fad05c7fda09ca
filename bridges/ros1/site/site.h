/// A stack on ROS 1, as two sites.
///
///   SimulatedOverBus   a simulated world in this program, with the bus between it and the stack:
///                      what is sensed and what is commanded goes out as messages and counts only
///                      once it has come back as such. Nothing is lost or rounded on the way, so a
///                      flight has the bits of the one without a bus.
///   StackSite          a craft elsewhere: /state as its odometry says it (in the frame that the
///                      vehicle file declares), /imu and /bus_voltage where there are any; efforts
///                      on controls/thruster_allocs. The clock is BusClock. A stamp counts as old
///                      as it is by ROS's clock when it is heard: one of the future as of now where
///                      it is greater than all before it (or ahead by less than kSoon); what comes
///                      again ages. One of zero is as old as its arrival.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "pintle/flight/site.h"
#include "pintle/ros1_site/bus.h"

namespace pintle::ros1_site {

/// What /state and controls/thruster_allocs cannot carry of this vehicle; empty: nothing.
[[nodiscard]] std::string not_over_topics(const craft::VehicleFile& file);

/// The alarms that stand, put into words when they have changed.
class Faults {
 public:
  void put(const stack::Model& model, const stack::Outputs& out, BusCommand& command);

 private:
  AlarmList alarms_;
  std::string words_;
  Severity gravest_ = Severity::kInfo;
};

class SimulatedOverBus final : public flight::Site {
 public:
  /// `epoch_ns`: of the bus's clock, when the world's is zero.
  SimulatedOverBus(flight::Site& world, Bus& bus, std::int64_t epoch_ns)
      : world_(world), bus_(bus), epoch_ns_(epoch_ns) {}

  [[nodiscard]] Time now() const noexcept override { return world_.now(); }
  bool sense(Time due, stack::Inputs& in) override;
  void act(const stack::Model& model, const stack::Outputs& out) override;
  [[nodiscard]] bool outlasts() const noexcept override { return world_.outlasts(); }
  [[nodiscard]] bool is_gone() const noexcept override { return bus_.is_gone(); }
  [[nodiscard]] bool waits() const noexcept override { return world_.waits(); }

 private:
  flight::Site& world_;
  Bus& bus_;
  std::int64_t epoch_ns_;
  Faults faults_;
};

class StackSite final : public flight::Site {
 public:
  explicit StackSite(Bus& bus) : bus_(bus), epoch_ns_(bus.now_ns()) {}

  [[nodiscard]] Time now() const noexcept override { return now_; }
  bool sense(Time due, stack::Inputs& in) override;
  void act(const stack::Model& model, const stack::Outputs& out) override;
  [[nodiscard]] bool outlasts() const noexcept override { return true; }
  [[nodiscard]] bool is_gone() const noexcept override { return bus_.is_gone(); }

 private:
  /// The newest of one topic.
  struct Stamp {
    static constexpr std::int64_t kSoon_ns = 100'000'000;
    std::int64_t told_ns = 0;  ///< 0: none.
    std::int64_t counts_ns = 0, greatest_ns = 0, greatest_counts_ns = 0;
    std::int64_t take(std::int64_t stamp_ns, std::int64_t ros_ns, std::int64_t now_ns) noexcept;
  };

  Bus& bus_;
  std::int64_t epoch_ns_;
  Time now_{};
  Stamp state_, imu_;
  Faults faults_;
};

}  // namespace pintle::ros1_site
