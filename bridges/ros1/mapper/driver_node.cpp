// thruster_driver: driver.h on ROS, with real or simulated thrusters. Nothing waits.
#include <diagnostic_msgs/KeyValue.h>
#include <ros/ros.h>
#include <ros_alarms/Alarm.h>
#include <std_msgs/Float64.h>
#include <std_msgs/String.h>
#include <sub8_msgs/FailThruster.h>
#include <sub8_msgs/Thrust.h>
#include <sub8_msgs/ThrusterInfo.h>
#include <sub8_msgs/ThrusterStatus.h>
#include <sub8_msgs/UnfailThruster.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>

#include "common/health.h"
#include "common/master_watch.h"
#include "common/node.h"
#include "common/run_node.h"
#include "common/service.h"
#include "mapper/alarms_at_start.h"
#include "mapper/backlog.h"
#include "mapper/convert.h"
#include "mapper/kill_state.h"
#include "mapper/layout_param.h"
#include "mapper/serial_ports.h"
#include "mapper/simulated_port.h"

namespace pintle::ros1 {
namespace {

double now_s() { return ros::SteadyTime::now().toSec(); }

DriverSettings settings_of(const ros::NodeHandle& root, const ros::NodeHandle& own) {
  if (own.hasParam("log"))
    throw std::runtime_error(
        "~log: a log is of ticks, and this node serves thrusters without one: ~log of what "
        "commands them (thruster_mapper) has theirs, rosbag record of thrusters/thrust and "
        "thrusters/status/* what is here");
  refuse_unknown_params(own, {"command_timeout", "poll_period", "silent_after",
                              "voltage_hysteresis", "voltage_window", "temperature_warn",
                              "temperature_high", "queue_size", "multicast", "realtime"});
  DriverSettings s;
  s.command_timeout_s = number_param(own, "command_timeout", s.command_timeout_s, 0.05, 60);
  s.poll_period_s = number_param(own, "poll_period", s.poll_period_s, 0.02, 10);
  s.silent_after_s = number_param(own, "silent_after", s.silent_after_s, 0.1, 60);
  s.warn_V = number_param(root, "/battery/warn_voltage", s.warn_V, 10, 60);
  s.kill_V = number_param(root, "/battery/kill_voltage", s.kill_V, 10, 60);
  s.voltage_hysteresis_V = number_param(own, "voltage_hysteresis", s.voltage_hysteresis_V, 0, 10);
  s.voltage_window_s = number_param(own, "voltage_window", s.voltage_window_s, 2, 600);
  s.temperature_warn_C = number_param(own, "temperature_warn", s.temperature_warn_C, 0, 200);
  s.temperature_high_C = number_param(own, "temperature_high", s.temperature_high_C, 0, 200);
  s.multicast = bool_param(own, "multicast", s.multicast);
  s.fifo_priority = static_cast<int>(number_param(own, "realtime", s.fifo_priority, 0, 99));
  if (s.fifo_priority > 0 && bool_param(root, "/simulate", false))
    throw std::runtime_error("~realtime is of serial lines, and /simulate is true: leave one out");
  if (s.kill_V > s.warn_V)
    throw std::runtime_error("/battery/kill_voltage is above /battery/warn_voltage");
  if (s.temperature_warn_C > s.temperature_high_C)
    throw std::runtime_error("~temperature_warn is above ~temperature_high");
  return s;
}

class DriverNode {
 public:
  DriverNode() : DriverNode(layout_from_parameters(Use::kDrive)) {}
  void stop();

 private:
  explicit DriverNode(const Layout& layout);
  DriverNode(const Layout& layout, const DriverSettings& settings, bool simulates);
  void advertise();
  void on_thrust(const sub8_msgs::Thrust& message);
  void on_alarm(const ros_alarms::Alarm& alarm);
  void learn_of_before();
  void obey_kill();
  void on_trouble(const diagnostic_msgs::KeyValue& what);
  void step();
  void look_at_voltage();
  void look_at_thrusters();
  void report();
  void tell(const std::string& name, const DriverAlarm& alarm);

  ros::NodeHandle node_, own_{"~"};
  bool simulates_;
  std::vector<PortWiring> ports_;
  Driver driver_;
  Backlog backlog_;
  Health health_{"thruster_driver"};

  std::vector<ros::Publisher> status_;
  ros::Publisher voltage_, facts_;
  ros::Subscriber thrust_, trouble_;
  ros::ServiceServer info_, fail_, unfail_;
  ros::SteadyTimer timer_;
  std::optional<MasterWatch> watch_;
  std::optional<AlarmsAtStart> before_;

  KillState kill_;
  double voltage_told_s_ = -1e300;
  std::set<std::string> told_remarks_;
  unsigned long wrong_ = 0;
};

DriverNode::DriverNode(const Layout& layout)
    : DriverNode(layout, settings_of(ros::NodeHandle(), ros::NodeHandle("~")),
                 bool_param(ros::NodeHandle(), "/simulate", false)) {}

DriverNode::DriverNode(const Layout& layout, const DriverSettings& settings, bool simulates)
    : simulates_(simulates),
      ports_(simulates ? simulated_ports(layout, settings) : serial_ports(layout, settings)),
      driver_(layout, ports_, settings),
      backlog_(settings.command_timeout_s) {
  advertise();
  health_.announce("thruster-out", "all thrusters answer", driver_.thruster_out().parameters);
  health_.announce("bus-voltage", "the bus voltage is good");
  health_.announce("thruster-temperature", "no thruster is hot");
  const auto queue = static_cast<std::uint32_t>(number_param(own_, "queue_size", 10, 1, 10000));
  thrust_ = node_.subscribe("thrusters/thrust", queue, &DriverNode::on_thrust, this, no_delay());
  health_.listen([this](const ros_alarms::Alarm& alarm) { on_alarm(alarm); });
  if (simulates_)
    trouble_ = own_.subscribe("simulated_trouble", 10, &DriverNode::on_trouble, this, no_delay());
  timer_ = node_.createSteadyTimer(ros::WallDuration(0.02),
                                   [this](const ros::SteadyTimerEvent&) { step(); });
  watch_.emplace(
      std::vector<std::string>{info_.getService(), fail_.getService(), unfail_.getService()});
  before_.emplace(std::vector<std::string>{"kill", "hw-kill"});
}

void DriverNode::advertise() {
  for (const LayoutThruster& t : driver_.layout().thrusters)
    status_.push_back(node_.advertise<sub8_msgs::ThrusterStatus>("thrusters/status/" + t.name, 10));
  voltage_ = node_.advertise<std_msgs::Float64>("bus_voltage", 1);
  facts_ = node_.advertise<std_msgs::String>("thrusters/info", 1, true);
  std_msgs::String facts;
  facts.data = to_json(driver_.all());
  facts_.publish(facts);

  info_ = advertise_service<sub8_msgs::ThrusterInfo>(
      node_, "thrusters/thruster_info", [this](const auto& request, auto& response) {
        ThrusterFacts found;
        std::string reason;
        if (driver_.info(request.thruster_name, found, reason)) response = to_ros(found);
        return reason;
      });
  fail_ = advertise_service<sub8_msgs::FailThruster>(
      node_, "fail_thruster", [this](const auto& request, auto&) {
        std::string reason;
        if (driver_.fail(request.thruster_name, reason)) step();
        return reason;
      });
  unfail_ = advertise_service<sub8_msgs::UnfailThruster>(
      node_, "unfail_thruster", [this](const auto& request, auto&) {
        std::string reason;
        if (driver_.unfail(request.thruster_name, reason)) step();
        return reason;
      });
}

void DriverNode::on_thrust(const sub8_msgs::Thrust& message) {
  if (backlog_.look(now_s()) || !kill_.is_known()) return;
  for (const std::string& what : driver_.command(from_ros(message), now_s())) {
    ++wrong_;
    ROS_WARN_THROTTLE(1, "thrusters/thrust: %s", what.c_str());
  }
}

void DriverNode::obey_kill() {
  // where the power is cut by a switch, thrusters read low, or say nothing at all
  driver_.kill(kill_.killed(), kill_.power_is_cut(), now_s());
}

/// One that was killed and starts again stays killed.
void DriverNode::learn_of_before() {
  for (const auto& [alarm, raised] : before_->take()) {
    kill_.answered(alarm == "kill" ? KillState::Alarm::kKill : KillState::Alarm::kPower, raised);
    obey_kill();
  }
}

void DriverNode::on_alarm(const ros_alarms::Alarm& alarm) {
  if (alarm.alarm_name == "hw-kill" || alarm.alarm_name == "kill") {
    kill_.said(alarm.alarm_name == "kill" ? KillState::Alarm::kKill : KillState::Alarm::kPower,
               alarm.raised);
    obey_kill();
  }
  // who owns an alarm says again how it stands when another has said otherwise
  if (alarm.node_name == ros::this_node::getName()) return;
  for (const char* mine : {"thruster-out", "bus-voltage", "thruster-temperature"})
    if (alarm.alarm_name == mine && alarm.raised != health_.raised(mine)) health_.repeat(mine);
}

/// key: a thruster, or "all"; value: "silent", "bus_v=43.2", "temperature=90", "fault=8", "none".
void DriverNode::on_trouble(const diagnostic_msgs::KeyValue& what) {
  const std::size_t equals = what.value.find('=');
  const std::string word = what.value.substr(0, equals);
  const double value = equals == std::string::npos ? 0 : std::atof(what.value.c_str() + equals + 1);
  bool known = false;
  for (const PortWiring& wiring : ports_) {
    auto* port = dynamic_cast<SimulatedPort*>(wiring.port.get());
    if (port == nullptr) continue;
    for (std::size_t k = 0; k < wiring.names.size(); ++k) {
      if (what.key != "all" && what.key != wiring.names[k]) continue;
      known = true;
      if (word == "none")
        port->mend(k);
      else if (word == "silent")
        port->set_silent(k, true);
      else if (word == "bus_v")
        port->set_bus_V(k, value);
      else if (word == "temperature")
        port->set_temperature(k, value);
      else if (word == "fault")
        port->set_fault(k, value > 0 && value < 256 ? static_cast<std::uint8_t>(value) : 0);
      else
        known = false;
    }
  }
  if (!known)
    ROS_WARN("simulated_trouble: %s %s is not understood", what.key.c_str(), what.value.c_str());
}

void DriverNode::step() {
  (void)backlog_.look(now_s());
  learn_of_before();
  for (const ThrusterStatus& status : driver_.step(now_s())) {
    sub8_msgs::ThrusterStatus message = to_ros(status);
    message.header.stamp = ros::Time::now();
    status_[*driver_.layout().find(status.name)].publish(message);
    if (const std::string fault = fault_text(status.fault); !fault.empty())
      ROS_WARN_THROTTLE(5, "%s reports %s", status.name.c_str(), fault.c_str());
  }
  tell("thruster-out", driver_.thruster_out());
  tell("thruster-temperature", driver_.temperature());
  look_at_voltage();
  health_.tell("driver-faults", driver_.faults(), "Nothing is wrong with the thrusters any more.");
  report();
}

void DriverNode::tell(const std::string& name, const DriverAlarm& alarm) {
  if (alarm.severity > 0)
    health_.raise(name, alarm.severity, alarm.description, alarm.parameters);
  else
    health_.clear(name, alarm.description, alarm.parameters);
}

void DriverNode::look_at_voltage() {
  // 5 Hz
  if (now_s() - voltage_told_s_ < 0.2) return;
  voltage_told_s_ = now_s();
  const BusView estimate = driver_.bus(now_s());
  if (!estimate.known) return;
  std_msgs::Float64 message;
  message.data = estimate.bus_V;
  voltage_.publish(message);
  tell("bus-voltage", driver_.voltage(estimate));
}

void DriverNode::report() {
  const std::vector<std::string> out = driver_.out();
  Health::Level level = Health::Level::kOk;
  std::string text = "running";
  if (kill_.killed()) {
    level = Health::Level::kWarn;
    text = kill_.power_is_cut() ? "hw-kill" : "kill";
  } else if (!kill_.is_known()) {
    level = Health::Level::kWarn;
    text = "no thrust yet: waiting for /alarm/get to say whether it is killed";
  } else if (!out.empty()) {
    level = Health::Level::kError;
    text = driver_.thruster_out().description;
  } else if (health_.raised("bus-voltage")) {
    level = Health::Level::kError;
    text = "bus voltage";
  } else if (health_.raised("thruster-temperature")) {
    level = Health::Level::kWarn;
    text = "a thruster is hot";
  }
  if (!health_.due(level, text)) return;
  Health::Values values;
  for (std::size_t i = 0; i < driver_.layout().thrusters.size(); ++i) {
    ThrusterStatus s;
    std::string line = driver_.state_of(i);
    if (driver_.last_status(i, s)) {
      char numbers[120];
      std::snprintf(numbers, sizeof numbers,
                    ", %.1f N, %.0f rpm, %.1f V, %.1f A, %.0f C, %u of %u answered", s.thrust_N,
                    s.rpm, s.bus_V, s.bus_A, s.temperature_C, s.received, s.sent);
      line += numbers;
      if (const std::string fault = fault_text(s.fault); !fault.empty()) line += ", " + fault;
    }
    values.emplace_back(driver_.layout().thrusters[i].name, line);
  }
  for (const std::string& remark : driver_.remarks()) {
    if (told_remarks_.insert(remark).second) ROS_WARN("%s", remark.c_str());
    values.emplace_back("remark", remark);
  }
  values.emplace_back("entries refused or cut", std::to_string(wrong_));
  values.emplace_back("readings of voltage that cannot be", std::to_string(driver_.implausible()));
  values.emplace_back("simulated", simulates_ ? "yes" : "no");
  health_.report(level, text, values);
}

void DriverNode::stop() {
  Driver::Commands zero;
  for (const LayoutThruster& t : driver_.layout().thrusters) zero.emplace_back(t.name, 0.0);
  (void)driver_.command(zero, now_s());
  watch_.reset();
}

}  // namespace
}  // namespace pintle::ros1

int main(int argc, char** argv) {
  return pintle::ros1::run_node<pintle::ros1::DriverNode>(argc, argv, "thruster_driver");
}
