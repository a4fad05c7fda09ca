/// The six services of the controls node.
#pragma once
#include <custom_msgs/SetControlTypes.h>
#include <custom_msgs/SetPIDGains.h>
#include <custom_msgs/SetPowerScaleFactor.h>
#include <custom_msgs/SetStaticPower.h>
#include <ros/node_handle.h>
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
  std::vector<ros::ServiceServer> servers_;
};

}  // namespace pintle::ros1
