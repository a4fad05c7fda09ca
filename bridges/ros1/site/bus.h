/// What a stack and a craft say to each other over ROS 1, in plain values.
///
///   BusSample    from the craft, for one tick:  state, imu, bus_voltage, pintle/reports
///   BusCommand   from the stack, after it:      pintle/commands, controls/thruster_allocs,
///                                               controls/status, /alarm/updates, /diagnostics
///
/// Clean C++17 and nothing of the other rooms: the module that is behind it (bridges/ros1/bus) is
/// compiled with ROS's headers, and loaded when somebody asks for it, so that the command links
/// nothing of ROS. Times are integer nanoseconds of the bus's clock. Vectors are x, y, z,
/// quaternions x, y, z, w, six numbers x, y, z, roll, pitch, yaw; enumerations are the numbers of
/// pintle/base.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pintle::ros1_site {

struct BusState {
  std::int64_t stamp_ns = 0;
  std::array<double, 3> position_m{};
  std::array<double, 4> orientation{0, 0, 0, 1};
  std::array<double, 6> twist{};  ///< Body.
  double position_std_m = 0;      ///< 0: not told.
};

struct BusImu {
  std::int64_t stamp_ns = 0;
  std::array<double, 3> turn_rate_rad_s{}, specific_force_m_s2{};
};

struct BusHealth {
  std::uint32_t propulsor = 0;
  std::uint8_t health = 0;
  double efficiency = 1, stuck_effort = 0;
};

struct BusFlight {
  std::int64_t stamp_ns = 0;
  std::uint8_t phase = 0;
  bool has_control = false, has_yaw = false, has_battery = false;
  std::array<double, 3> velocity_m_s{};
  double yaw_rad = 0, battery = 0;
  std::uint32_t request = 0;
  std::uint8_t outcome = 0;
};

struct BusGripper {
  std::int64_t stamp_ns = 0;
  std::uint8_t hold = 0;
  bool connected = false;
  std::uint32_t request = 0;
  std::uint8_t outcome = 0;
};

/// What a propulsor says of itself: PropulsorReport.
struct BusPropulsor {
  std::uint32_t propulsor = 0;
  std::int64_t stamp_ns = 0;
  std::uint8_t contact = 0, valid = 0, fault = 0;
  double effort = 0, rpm = 0, bus_V = 0, bus_A = 0, temperature_C = 0, latency_s = 0;
  std::uint32_t sent = 0, received = 0, unanswered = 0;
};

/// Of the inside of a craft and its battery: Housekeeping.
struct BusHousekeeping {
  std::int64_t stamp_ns = 0;
  std::uint8_t valid = 0;
  bool leak = false;
  double pressure_kPa = 0, temperature_C = 0, charge = 1, range_m = 0, wind_m_s = 0;
};

struct BusTarget {
  std::int64_t stamp_ns = 0;
  std::uint8_t kind = 0;
  std::uint32_t id = 0;
  std::array<double, 3> position_m{}, sigma_m{};
  double visible_share = 1, confidence = 1;
};

/// What has come since the tick before.
struct BusSample {
  /// Now, by the clock that the stamps are of. Of a craft in this program that is the bus's; of one
  /// elsewhere ROS's, which may be set.
  std::int64_t now_ns = 0;
  std::optional<BusState> state;
  std::optional<BusImu> imu;
  std::optional<double> bus_V;
  std::vector<BusHealth> health;
  std::vector<BusPropulsor> propulsors;
  std::optional<BusHousekeeping> housekeeping;
  std::optional<BusFlight> flight;
  std::optional<BusGripper> gripper;
  std::vector<BusTarget> targets;
};

struct BusCommand {
  std::int64_t now_ns = 0;
  bool armed = false;
  bool live = false;  ///< Armed, and what it decides is sent: the status.
  std::vector<double> command, effort;
  std::uint64_t ignition = 0;
  std::array<double, 3> velocity_m_s{};
  double yaw_rate_rad_s = 0;
  std::uint8_t flight_request = 0, gripper_request = 0;
  std::uint32_t flight_number = 0, gripper_number = 0;
  std::string faults;        ///< The alarms that stand, in words; empty: none …
  std::uint8_t gravest = 0;  ///< … and the gravest of them.
};

struct BusOptions {
  std::string node;         ///< Its name.
  bool with_craft = false;  ///< The simulated craft is in this program, too.
  bool with_clock = false;  ///< Its time is on /clock, from 1000 s on.
  const std::atomic<bool>* stop = nullptr;
};

/// The clock that a stack on ROS 1 ticks by. It never goes back and is never set: without simulated
/// time it is the machine's steady clock, with the value of ROS's at the start; simulated time that
/// is set back goes on from where it was, one that has stood for a second goes on by a period each
/// tenth of a second, and a leap of it counts as an hour at most (the end of ROS's time, again and
/// again, is beyond all numbers).
class BusClock {
 public:
  BusClock(std::int64_t ros_ns, std::int64_t steady_ns, bool simulated)
      : simulated_(simulated), ros_ns_(ros_ns), steady_ns_(steady_ns), now_ns_(ros_ns) {}

  [[nodiscard]] std::int64_t at(std::int64_t ros_ns, std::int64_t steady_ns) {
    if (!simulated_) return now_ns_ + (steady_ns - steady_ns_);
    const std::int64_t step_ns = ros_ns - ros_ns_;
    ros_ns_ = ros_ns;
    if (step_ns < 0)
      ++set_back_;
    else
      now_ns_ += step_ns < kLongest_ns ? step_ns : kLongest_ns;
    return now_ns_;
  }
  /// Simulated time that stands goes on all the same, and from here when it moves again.
  void go_on_to(std::int64_t now_ns) { now_ns_ = std::max(now_ns_, now_ns); }
  /// How often simulated time was set back.
  [[nodiscard]] std::uint32_t set_back() const { return set_back_; }

 private:
  static constexpr std::int64_t kLongest_ns = 3'600'000'000'000;
  bool simulated_;
  std::int64_t ros_ns_;     ///< Of the last look; of the machine's clock that of the start.
  std::int64_t steady_ns_;  ///< Of the start.
  std::int64_t now_ns_;  ///< Its own: of the last look; of the machine's clock that of the start.
  std::uint32_t set_back_ = 0;
};

/// A node at a master. One thread.
class Bus {
 public:
  Bus() = default;
  Bus(const Bus&) = delete;
  Bus& operator=(const Bus&) = delete;
  virtual ~Bus() = default;
  /// Lets go of the master. False: the master hangs, and what waits for it lives on until the program
  /// ends, this object with it.
  virtual bool leave() { return true; }

  /// False: the node was shut down from outside.
  [[nodiscard]] virtual bool ok() const = 0;
  /// Told to stop, and what it would come down by does not come any more: its clock stands, or words
  /// are lost. There is nothing to wait for.
  [[nodiscard]] virtual bool is_gone() const noexcept { return false; }
  /// Of the bus's clock: BusClock.
  [[nodiscard]] virtual std::int64_t now_ns() = 0;
  /// Hears what comes until `due_ns`; of each kind the newest is left. False: stopped.
  virtual bool hear_until(std::int64_t due_ns, BusSample& heard) = 0;
  virtual void tell(const BusCommand& command) = 0;

  /// Of the craft in this program. `hear` waits for what was told with that time to have come over
  /// the bus; false when it has not come in half a minute.
  virtual void tell(const BusSample& sample) = 0;
  virtual bool hear(std::int64_t now_ns, BusSample& heard) = 0;
  virtual bool hear(std::int64_t now_ns, BusCommand& heard) = 0;
};

struct LeaveBus {
  void operator()(Bus* bus) const {
    if (bus->leave()) delete bus;
  }
};
using BusPtr = std::unique_ptr<Bus, LeaveBus>;

/// Loads the module and joins the master of $ROS_MASTER_URI.
/// @throws std::runtime_error that says what is missing.
[[nodiscard]] BusPtr open_bus(const std::string& module, const BusOptions& options);

/// The module's one function. Null, with the reason.
using OpenBus = Bus* (*)(const BusOptions& options, std::string& why_not);
inline constexpr const char* kOpenBus = "pintle_ros1_open_bus";

}  // namespace pintle::ros1_site
