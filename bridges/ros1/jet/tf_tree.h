/// /tf of the aircraft: world -> odom -> base_link -> camera -> object, REP 103 (east, north, up;
/// forward, left, up; the camera right, down, ahead).
///
/// The object's place in the camera is what the camera saw: the extrinsics count once. When another
/// node gives base_link a parent (the original's did, beside the odometry's own), this one is held
/// back and said so, instead of two that disagree.
#pragma once
#include <ros/ros.h>
#include <tf2_msgs/TFMessage.h>
#include <tf2_ros/transform_broadcaster.h>

#include "jet/aircraft.h"

namespace pintle::ros1 {

class TfTree {
 public:
  /// `camera`: of the camera (right, down, ahead) in the body (forward, left, up).
  TfTree(ros::NodeHandle& node, const PlainPose& camera);

  /// With each new odometry and target.
  void pose(const JetCycle& cycle, const ros::Time& stamp);
  void target(const JetCycle& cycle, const ros::Time& stamp);

 private:
  void on_tf(const ros::MessageEvent<tf2_msgs::TFMessage const>& event);

  PlainPose camera_;
  bool has_rival_ = false;
  tf2_ros::TransformBroadcaster out_;
  ros::Subscriber in_;
};

}  // namespace pintle::ros1
