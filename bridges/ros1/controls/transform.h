/// The pose of a state message, from tf.
#pragma once
#include <ros/time.h>
#include <tf2/buffer_core.h>

#include <string>

#include "common/plain.h"

namespace pintle::ros1 {

/// Any two stamps have a difference, s; ROS's own subtraction throws beyond 68 years.
[[nodiscard]] double seconds_between(const ros::Time& from, const ros::Time& to);
[[nodiscard]] std::string in_seconds(double value);

struct TransformWanted {
  std::string odom_frame, base_frame;
  bool at_stamp = false;  ///< Of the state; else the latest.
  double limit_s = 0.5;   ///< How far the newest may be from the state.
};

/// Empty, or why there is none. A state without a stamp is of `now`; a static transform is never
/// old. One that lies ahead of state and clock would keep all right ones out: it is forgotten.
[[nodiscard]] std::string find_transform(tf2::BufferCore& tf, const TransformWanted& wanted,
                                         const ros::Time& state, const ros::Time& now,
                                         PlainPose& found);

}  // namespace pintle::ros1
