/// ROS messages to plain values and back. Total: every message has a value, every value a message;
/// whether a value is acceptable is the core's business.
#pragma once
#include <custom_msgs/ControlTypes.h>
#include <custom_msgs/PIDAxesInfo.h>
#include <custom_msgs/PIDGain.h>
#include <custom_msgs/ThrusterAllocs.h>
#include <geometry_msgs/Pose.h>
#include <geometry_msgs/Transform.h>
#include <geometry_msgs/Twist.h>
#include <geometry_msgs/Vector3.h>
#include <ros/time.h>

#include "controls/controller.h"

namespace pintle::ros1 {

[[nodiscard]] inline Four plain(const geometry_msgs::Quaternion& q) { return {q.x, q.y, q.z, q.w}; }
[[nodiscard]] inline Three plain(const geometry_msgs::Vector3& v) { return {v.x, v.y, v.z}; }
[[nodiscard]] inline PlainPose plain(const geometry_msgs::Pose& m) {
  return {{m.position.x, m.position.y, m.position.z}, plain(m.orientation)};
}
[[nodiscard]] inline PlainPose plain(const geometry_msgs::Transform& m) {
  return {plain(m.translation), plain(m.rotation)};
}
[[nodiscard]] inline Six plain(const geometry_msgs::Twist& m) {
  return {m.linear.x, m.linear.y, m.linear.z, m.angular.x, m.angular.y, m.angular.z};
}
[[nodiscard]] inline std::array<int, 6> plain(const custom_msgs::ControlTypes& m) {
  return {m.x, m.y, m.z, m.roll, m.pitch, m.yaw};
}
[[nodiscard]] inline PlainGain plain(const custom_msgs::PIDGain& m) {
  return {m.loop, m.axis, m.gain, m.value};
}
[[nodiscard]] inline std::int64_t plain(const ros::Time& t) {
  return std::int64_t{t.sec} * 1'000'000'000 + t.nsec;
}
[[nodiscard]] inline std::int64_t now_ns() { return plain(ros::Time::now()); }

[[nodiscard]] geometry_msgs::Vector3 message(const Three& v);
[[nodiscard]] geometry_msgs::Twist message(const Six& v);
[[nodiscard]] custom_msgs::ControlTypes message(const std::array<int, 6>& types);
[[nodiscard]] custom_msgs::PIDGain message(const PlainGain& g);
[[nodiscard]] custom_msgs::PIDInfo message(const PlainPid& p);
[[nodiscard]] custom_msgs::PIDAxesInfo message(const std::array<PlainPid, 6>& p);
[[nodiscard]] custom_msgs::ThrusterAllocs message(const std::vector<double>& allocs,
                                                  const ros::Time& stamp, const std::string& frame);

}  // namespace pintle::ros1
