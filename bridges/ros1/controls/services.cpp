#include "controls/services.h"

#include <ros/ros.h>

#include "controls/convert.h"

namespace pintle::ros1 {

ControlsServices::ControlsServices(ros::NodeHandle& node, Controller& controller, Health& health)
    : controller_(controller), health_(health), saver_(1, &save_queue_) {
  using S = ControlsServices;
  saving_.setCallbackQueue(&save_queue_);
  servers_.push_back(node.advertiseService("controls/enable", &S::on_enable, this));
  servers_.push_back(node.advertiseService("controls/set_control_types", &S::on_types, this));
  servers_.push_back(node.advertiseService("controls/reset_pid_loops", &S::on_reset, this));
  servers_.push_back(saving_.advertiseService("controls/set_pid_gains", &S::on_gains, this));
  servers_.push_back(
      saving_.advertiseService("controls/set_static_power_global", &S::on_static, this));
  servers_.push_back(
      saving_.advertiseService("controls/set_power_scale_factor", &S::on_scale, this));
  saver_.start();
}

std::vector<std::string> ControlsServices::names() const {
  std::vector<std::string> all;
  for (const ros::ServiceServer& s : servers_) all.push_back(s.getService());
  return all;
}

/// At the level of the call all is always well: a refusal is an answer.
template <class Response>
bool ControlsServices::answer(const char* service, const PlainAnswer& from, Response& to) {
  to.success = from.success;
  to.message = from.message;
  if (!from.success) ROS_WARN("%s: %s", service, from.message.c_str());
  return true;
}

/// One that saves: the alarm stands until everything is in the file.
static void note_save(Health& health, const PlainAnswer& answer) {
  if (!answer.warning.empty()) ROS_WARN("%s", answer.warning.c_str());
  if (answer.save_failed) {
    ROS_ERROR("%s", answer.message.c_str());
    health.raise("controls-save", 2, answer.message);
  } else if (answer.saved) {
    health.clear("controls-save", "Every change is saved.");
  }
}

PlainAnswer ControlsServices::enable(bool on) {
  PlainAnswer a = controller_.enable(on, now_ns());
  if (a.success)
    ROS_INFO("%s", a.message.c_str());
  else
    ROS_ERROR("%s", a.message.c_str());
  return a;
}

bool ControlsServices::on_enable(std_srvs::SetBool::Request& q, std_srvs::SetBool::Response& r) {
  return answer("enable", enable(q.data), r);
}

bool ControlsServices::on_types(custom_msgs::SetControlTypes::Request& q,
                                custom_msgs::SetControlTypes::Response& r) {
  return answer("set_control_types",
                controller_.set_control_types(plain(q.control_types), now_ns()), r);
}

bool ControlsServices::on_gains(custom_msgs::SetPIDGains::Request& q,
                                custom_msgs::SetPIDGains::Response& r) {
  std::vector<PlainGain> gains;
  for (const custom_msgs::PIDGain& g : q.pid_gains) gains.push_back(plain(g));
  const PlainAnswer a = controller_.set_pid_gains(gains);
  note_save(health_, a);
  return answer("set_pid_gains", a, r);
}

bool ControlsServices::on_reset(std_srvs::Trigger::Request&, std_srvs::Trigger::Response& r) {
  return answer("reset_pid_loops", controller_.reset_pid_loops(now_ns()), r);
}

bool ControlsServices::on_static(custom_msgs::SetStaticPower::Request& q,
                                 custom_msgs::SetStaticPower::Response& r) {
  const PlainAnswer a = controller_.set_static_power(plain(q.static_power));
  note_save(health_, a);
  return answer("set_static_power_global", a, r);
}

bool ControlsServices::on_scale(custom_msgs::SetPowerScaleFactor::Request& q,
                                custom_msgs::SetPowerScaleFactor::Response& r) {
  const PlainAnswer a = controller_.set_power_scale_factor(q.power_scale_factor);
  note_save(health_, a);
  return answer("set_power_scale_factor", a, r);
}

}  // namespace pintle::ros1
