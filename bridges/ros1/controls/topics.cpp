#include "controls/topics.h"

#include <custom_msgs/PIDGains.h>
#include <ros/ros.h>
#include <std_msgs/Bool.h>
#include <std_msgs/Float64.h>

namespace pintle::ros1 {
namespace {

/// Makes the message only when somebody listens: at 1 kHz that is most of the node's time.
template <class Make>
void tell(const ros::Publisher& publisher, const Make& make) {
  if (publisher.getNumSubscribers() > 0) publisher.publish(make());
}

std_msgs::Float64 number(double value) {
  std_msgs::Float64 m;
  m.data = value;
  return m;
}

}  // namespace

ControlsTopics::ControlsTopics(ros::NodeHandle& node, std::uint32_t queue_size) {
  const auto allocs = [&](const char* name) {
    return node.advertise<custom_msgs::ThrusterAllocs>(name, queue_size);
  };
  const auto twist = [&](const char* name) {
    return node.advertise<geometry_msgs::Twist>(name, queue_size);
  };
  const auto vector = [&](const char* name) {
    return node.advertise<geometry_msgs::Vector3>(name, queue_size);
  };
  const auto float64 = [&](const char* name) {
    return node.advertise<std_msgs::Float64>(name, queue_size);
  };
  const auto infos = [&](const char* name) {
    return node.advertise<custom_msgs::PIDAxesInfo>(name, queue_size);
  };
  thruster_allocs_ = allocs("controls/thruster_allocs");
  constrained_ = allocs("controls/constrained_thruster_allocs");
  unconstrained_ = allocs("controls/unconstrained_thruster_allocs");
  base_ = twist("controls/base_power");
  unscaled_ = twist("controls/set_power_unscaled");
  set_ = twist("controls/set_power");
  actual_ = twist("controls/actual_power");
  disparity_ = twist("controls/power_disparity");
  disparity_norm_ = float64("controls/power_disparity_norm");
  control_types_ = node.advertise<custom_msgs::ControlTypes>("controls/control_types", queue_size);
  status_ = node.advertise<std_msgs::Bool>("controls/status", queue_size);
  pid_gains_ = node.advertise<custom_msgs::PIDGains>("controls/pid_gains", queue_size);
  static_global_ = vector("controls/static_power_global");
  scale_ = float64("controls/power_scale_factor");

  delta_time_ = float64("controls/delta_time");
  position_error_ = twist("controls/position_error");
  position_efforts_ = twist("controls/position_efforts");
  position_infos_ = infos("controls/position_pid_infos");
  velocity_error_ = twist("controls/velocity_error");
  velocity_efforts_ = twist("controls/velocity_efforts");
  velocity_infos_ = infos("controls/velocity_pid_infos");
  static_local_ = vector("controls/static_power_local");
}

void ControlsTopics::command(const CycleReport& r, const ros::Time& stamp,
                             const std::string& frame) const {
  if (r.send) thruster_allocs_.publish(message(r.allocs, stamp, frame));
}

void ControlsTopics::cycle_rate(const CycleReport& r, const ros::Time& stamp,
                                const std::string& frame) const {
  tell(constrained_, [&] { return message(r.constrained, stamp, frame); });
  tell(unconstrained_, [&] { return message(r.unconstrained, stamp, frame); });
  tell(base_, [&] { return message(r.base); });
  tell(unscaled_, [&] { return message(r.unscaled); });
  tell(set_, [&] { return message(r.set); });
  tell(actual_, [&] { return message(r.actual); });
  tell(disparity_, [&] { return message(r.disparity); });
  tell(disparity_norm_, [&] { return number(r.disparity_norm); });
  tell(control_types_, [&] { return message(r.control_types); });
  tell(status_, [&] {
    std_msgs::Bool m;
    m.data = r.status;
    return m;
  });
  tell(pid_gains_, [&] {
    custom_msgs::PIDGains m;
    for (const PlainGain& g : r.gains) m.pid_gains.push_back(message(g));
    return m;
  });
  tell(static_global_, [&] { return message(r.static_power_global); });
  tell(scale_, [&] { return number(r.power_scale_factor); });
}

void ControlsTopics::state_rate(const StateReport& r) const {
  if (r.outcome == StateOutcome::kRefused) return;
  tell(delta_time_, [&] { return number(r.delta_time_s); });
  if (r.outcome != StateOutcome::kUsed) return;
  tell(position_error_, [&] { return message(r.position_error); });
  tell(position_efforts_, [&] { return message(r.position_efforts); });
  tell(position_infos_, [&] { return message(r.position); });
  tell(velocity_error_, [&] { return message(r.velocity_error); });
  tell(velocity_efforts_, [&] { return message(r.velocity_efforts); });
  tell(velocity_infos_, [&] { return message(r.velocity); });
  tell(static_local_, [&] { return message(r.static_power_local); });
}

}  // namespace pintle::ros1
