#include "mapper/layout_param.h"

#include <ros/ros.h>

#include <stdexcept>

#include "mapper/convert.h"

namespace pintle::ros1 {

Layout layout_from_parameters(Use use) {
  ros::NodeHandle root;
  while (ros::ok()) {
    for (const char* name : {"/thruster_layout", "/busses"}) {
      XmlRpc::XmlRpcValue value;
      if (!root.getParam(name, value)) continue;
      Layout layout;
      try {
        layout = read_layout(to_yaml(value), use);
      } catch (const std::exception& e) {
        throw std::runtime_error(std::string("parameter ") + name + ":\n" + e.what());
      }
      for (const std::string& warning : layout.warnings) ROS_WARN("%s: %s", name, warning.c_str());
      ROS_INFO("thrusters of %s, in the order of columns: %s", name, layout.names().c_str());
      return layout;
    }
    ROS_WARN_THROTTLE(10, "waiting for the parameter /thruster_layout or /busses");
    ros::WallDuration(0.1).sleep();
  }
  throw std::runtime_error("ended while waiting for /thruster_layout or /busses");
}

}  // namespace pintle::ros1
