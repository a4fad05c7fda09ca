#include "common/health.h"

#include <diagnostic_msgs/DiagnosticArray.h>
#include <ros/ros.h>

namespace pintle::ros1 {

Health::Health(std::string name) : name_(std::move(name)) {
  ros::NodeHandle root;
  diagnostics_ = root.advertise<diagnostic_msgs::DiagnosticArray>("/diagnostics", 10);
  alarms_ = root.advertise<ros_alarms::Alarm>(
      "/alarm/updates", 100,
      [this](const ros::SingleSubscriberPublisher& newcomer) { greet(newcomer); });
}

bool Health::due(Level level, const std::string& message) const {
  return level != last_level_ || message != last_message_ ||
         ros::SteadyTime::now().toSec() - last_report_s_ >= 1.0;
}

void Health::report(Level level, const std::string& message, const Values& values) {
  if (!due(level, message)) return;
  last_level_ = level;
  last_message_ = message;
  last_report_s_ = ros::SteadyTime::now().toSec();
  diagnostic_msgs::DiagnosticArray array;
  array.header.stamp = ros::Time::now();
  diagnostic_msgs::DiagnosticStatus now;
  now.level = static_cast<std::int8_t>(level);
  now.name = name_;
  now.message = message;
  now.hardware_id = "pintle";
  for (const auto& [key, value] : values) {
    diagnostic_msgs::KeyValue entry;
    entry.key = key;
    entry.value = value;
    now.values.push_back(entry);
  }
  array.status.push_back(now);
  diagnostics_.publish(array);
}

void Health::raise(const std::string& alarm, int severity, const std::string& description,
                   const std::string& parameters_json) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = alarm_.find(alarm);
    if (found != alarm_.end() && found->second.raised && found->second.severity == severity &&
        found->second.problem_description == description &&
        ros::SteadyTime::now().toSec() - sent_s_[alarm] < 1.0)
      return;
  }
  send(alarm, true, severity, description, parameters_json);
}

void Health::clear(const std::string& alarm, const std::string& description,
                   const std::string& parameters_json) {
  if (raised(alarm)) send(alarm, false, 0, description, parameters_json);
}

void Health::tell(const std::string& alarm, const Faults& faults, const std::string& over) {
  if (faults.text.empty())
    clear(alarm, over);
  else
    raise(alarm, faults.severity, faults.text);
}

void Health::announce(const std::string& alarm, const std::string& description,
                      const std::string& parameters_json) {
  send(alarm, false, 0, description, parameters_json);
}

void Health::repeat(const std::string& alarm) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = alarm_.find(alarm);
  if (found != alarm_.end()) alarms_.publish(found->second);
}

bool Health::raised(const std::string& alarm) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = alarm_.find(alarm);
  return found != alarm_.end() && found->second.raised;
}

void Health::greet(const ros::SingleSubscriberPublisher& newcomer) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [name, message] : alarm_) newcomer.publish(message);
}

void Health::send(const std::string& alarm, bool raised, int severity,
                  const std::string& description, const std::string& parameters_json) {
  ros_alarms::Alarm message;
  message.alarm_name = alarm;
  message.raised = raised;
  message.node_name = ros::this_node::getName();
  message.problem_description = description;
  message.parameters = parameters_json;
  message.severity = static_cast<std::uint8_t>(severity);
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool is_news = alarm_.find(alarm) == alarm_.end() || alarm_[alarm].raised != raised ||
                       alarm_[alarm].severity != message.severity ||
                       alarm_[alarm].problem_description != description ||
                       alarm_[alarm].parameters != parameters_json;
  alarm_[alarm] = message;
  sent_s_[alarm] = ros::SteadyTime::now().toSec();
  alarms_.publish(message);
  if (is_news) server_.tell(message);
}

}  // namespace pintle::ros1
