/// The six services of the controls node. The three that build a model and save a file have a
/// thread of their own, so that no disk keeps the loops waiting.
#pragma once
#include <custom_msgs/SetControlTypes.h>
#include <custom_msgs/SetPIDGains.h>
#include <custom_msgs/SetPowerScaleFactor.h>
#include <custom_msgs/SetStaticPower.h>
#include <ros/callback_queue.h>
#include <ros/node_handle.h>
#include <ros/spinner.h>
#include <std_srvs/SetBool.h>
#include <std_srvs/Trigger.h>

#include <functional>
#include <string>
#include <vector>

#include "common/health.h"
#include "controls/controller.h"

namespace pintle::ros1 {

class ControlsServices {
 public:
  ControlsServices(ros::NodeHandle& node, Controller& controller, Health& health);
  ~ControlsServices() { saver_.stop(); }
  [[nodiscard]] std::vector<std::string> names() const;
  /// Both the service and the topic controls/enabled come here.
  PlainAnswer enable(bool on);

 private:
  template <class Response>
  bool answer(const char* service, const PlainAnswer& from, Response& to);

  bool on_enable(std_srvs::SetBool::Request& q, std_srvs::SetBool::Response& r);
  bool on_types(custom_msgs::SetControlTypes::Request& q,
                custom_msgs::SetControlTypes::Response& r);
  bool on_gains(custom_msgs::SetPIDGains::Request& q, custom_msgs::SetPIDGains::Response& r);
  bool on_reset(std_srvs::Trigger::Request& q, std_srvs::Trigger::Response& r);
  bool on_static(custom_msgs::SetStaticPower::Request& q, custom_msgs::SetStaticPower::Response& r);
  bool on_scale(custom_msgs::SetPowerScaleFactor::Request& q,
                custom_msgs::SetPowerScaleFactor::Response& r);

  Controller& controller_;
  Health& health_;
  ros::CallbackQueue save_queue_;
  ros::NodeHandle saving_;
  std::vector<ros::ServiceServer> servers_;
  ros::AsyncSpinner saver_;
};

}  // namespace pintle::ros1
