/// SubjuGator's thruster driver without ROS: thrusts in newtons to efforts on ports, answers to
/// status, thruster-out, bus voltage, temperature.
///
///   thrust --bounds--> --curve of the layout--> effort in -1..1 --> port
///
/// The thrust is clipped before the curve: beyond its bounds the published polynomial turns over
/// and asks for full reverse. What is different from the original, each because its way hurt
/// somebody:
///   - a number that is not finite, or a name that is not known, concerns that entry alone;
///   - a thruster without a command for `command_timeout_s` gets zero, which its line sees to
///     (propulsor_bus.h); it goes on being polled, which commands nothing, so that status goes on and
///     one that comes back is noticed;
///   - a failed thruster gets zero whatever the message says;
///   - out is who was asked and did not answer for `silent_after_s`, not once; CONFIDENT_MODE is
///     never out for silence; one good answer brings it back unless it was failed by hand;
///   - a value that a thruster does not say, or that is no number, says nothing about the others;
///   - while killed, all get zero, and neither silence nor low voltage mean anything; afterwards a
///     thruster moves only once it was commanded to stand still;
///   - failing and unfailing twice is no error, an unknown name is one.
///
/// Nothing waits for a thruster. Times are seconds of a clock that does not go back.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/plain.h"
#include "mapper/layout.h"
#include "mapper/thruster_port.h"

namespace pintle::ros1 {

/// Limits are at first those of propulsor_bus.h, bus_voltage.h and heat.h.
struct DriverSettings {
  DriverSettings();

  double command_timeout_s, poll_period_s, silent_after_s;
  double warn_V, kill_V, voltage_hysteresis_V, voltage_window_s;
  double temperature_warn_C, temperature_high_C, temperature_hysteresis_C;
  /// All on a line are commanded by one frame, where their motor_IDs let it.
  bool multicast = false;
  int fifo_priority = 0;  ///< Above 0: SCHED_FIFO of the thread of the lines, its memory locked.
};

/// A port and the thrusters on it, in the port's order.
struct PortWiring {
  std::shared_ptr<ThrusterPort> port;
  std::vector<std::string> names;
};

/// As sub8_msgs/ThrusterStatus has it.
struct ThrusterStatus {
  std::string name;
  int node_id = 0;
  double effort = 0, thrust_N = 0;  ///< What was commanded, after the clip; 0 while 0 is sent.
  double power_W = 0, rpm = 0, bus_V = 0, bus_A = 0, temperature_C = 0;
  std::uint8_t fault = 0;
  unsigned sent = 0, received = 0;
  double latency_s = 0;  ///< Mean.
};

struct ThrusterFacts {
  std::string name, port;
  int node_id = 0;
  double lower_N = 0, upper_N = 0;  ///< What it will really be asked for at most.
  std::array<double, 3> position_m{}, direction{};
};

/// What is to be raised (severity above 0) or cleared.
struct DriverAlarm {
  int severity = 0;  ///< 5 worst.
  std::string description;
  std::string parameters = "{}";  ///< JSON, of a clear, too.
};

/// The bus voltage, as pintle/estimation/bus_voltage.h has it.
struct BusView {
  bool known = false;
  double bus_V = 0, lowest_V = 0;
  std::size_t lowest = 0;  ///< Thruster.
  int severity = 0;
};

class Driver {
 public:
  /// Thrusters on no port are out from the start.
  /// @throws std::runtime_error
  Driver(Layout layout, std::vector<PortWiring> ports, DriverSettings settings);
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  using Commands = std::vector<std::pair<std::string, double>>;
  /// Sends at once. What was wrong with entries, one sentence each; the others are obeyed.
  std::vector<std::string> command(const Commands& commands, double now_s);

  /// Picks up answers, polls who is due, ends what is forbidden. To be called often.
  std::vector<ThrusterStatus> step(double now_s);

  /// All thrusters to 0 and kept there. `power_is_cut`: by a switch, so that voltages say nothing.
  void kill(bool killed, bool power_is_cut, double now_s);

  /// False, with the reason.
  [[nodiscard]] bool fail(const std::string& name, std::string& why_not);
  [[nodiscard]] bool unfail(const std::string& name, std::string& why_not);
  [[nodiscard]] bool info(const std::string& name, ThrusterFacts& facts,
                          std::string& why_not) const;
  [[nodiscard]] std::vector<ThrusterFacts> all() const;

  /// Out: failed by hand or silent. Order of the layout.
  [[nodiscard]] std::vector<std::string> out() const;
  /// What is wrong, in the words and on the scale of a tick's alarms …
  [[nodiscard]] Faults faults() const;
  /// … and as the original's alarms say it.
  [[nodiscard]] DriverAlarm thruster_out() const;
  [[nodiscard]] DriverAlarm temperature() const;
  [[nodiscard]] BusView bus(double now_s);
  /// The view must be of this driver's bus().
  [[nodiscard]] DriverAlarm voltage(const BusView& view) const;
  /// Readings of voltage that cannot be, so far.
  [[nodiscard]] unsigned implausible() const;

  /// "running", "failed by hand", "silent", "port: …".
  [[nodiscard]] std::string state_of(std::size_t thruster) const;
  /// What of the settings the lines cannot do, one sentence each.
  [[nodiscard]] std::vector<std::string> remarks() const;
  /// The last answer of a thruster; false before the first.
  [[nodiscard]] bool last_status(std::size_t thruster, ThrusterStatus& status) const;
  [[nodiscard]] const Layout& layout() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Sentences for the bits of a fault byte; undervolt and overvolt alone (1, 2) are not trusted.
[[nodiscard]] std::string fault_text(std::uint8_t bits);

}  // namespace pintle::ros1
