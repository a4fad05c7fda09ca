/// Transforms of /tf and /tf_static into a buffer, in the thread of the node's callbacks.
///
/// In place of tf2_ros's listener, out of whose callback ROS's own arithmetic throws where time goes
/// back by more than 68 years or a stamp is at the end of ROS's time: that ended the node. Here such a
/// transform is left out, and told.
#pragma once
#include <ros/ros.h>
#include <tf2/buffer_core.h>
#include <tf2_msgs/TFMessage.h>

#include <exception>
#include <string>

#include "common/node.h"

namespace pintle::ros1 {

class TfListener {
 public:
  TfListener(tf2::BufferCore& buffer, ros::NodeHandle& node) : buffer_(buffer) {
    using Event = ros::MessageEvent<tf2_msgs::TFMessage const>;
    moving_ = node.subscribe<tf2_msgs::TFMessage>(
        "/tf", kDepth, [this](const Event& e) { take(e, false); }, {}, no_delay());
    static_ = node.subscribe<tf2_msgs::TFMessage>(
        "/tf_static", kDepth, [this](const Event& e) { take(e, true); }, {}, no_delay());
  }

 private:
  static constexpr std::uint32_t kDepth = 100;

  void take(const ros::MessageEvent<tf2_msgs::TFMessage const>& event, bool is_static) {
    // what was before time was set back says nothing of now; static ones stay
    const ros::Time now = ros::Time::now();
    if (now < newest_) buffer_.clear();
    newest_ = now;
    const std::string from = event.getPublisherName();
    for (const auto& t : event.getConstMessage()->transforms) try {
        buffer_.setTransform(t, from, is_static);
      } catch (const std::exception& e) {
        ROS_WARN_THROTTLE(1.0, "/tf: %s to %s from %s is left out: %s", t.header.frame_id.c_str(),
                          t.child_frame_id.c_str(), from.c_str(), e.what());
      }
  }

  tf2::BufferCore& buffer_;
  ros::Time newest_;
  ros::Subscriber moving_, static_;
};

}  // namespace pintle::ros1
