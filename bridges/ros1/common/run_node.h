/// The main function of a node that works in callbacks: until Ctrl-C or roslaunch's end, which
/// leave the node time for its last word.
#pragma once
#include <ros/callback_queue.h>
#include <ros/ros.h>

#include <exception>
#include <optional>

#include "common/stop.h"

namespace pintle::ros1 {

/// `Node` has stop(), its last word, after which nothing of it talks to the master by itself. The
/// status is 0, or 3 when it cannot start.
template <class Node>
int run_node(int argc, char** argv, const char* name) {
  ros::init(argc, argv, name, ros::init_options::NoSigintHandler);
  // the last handle to go takes ROS's log with it, and with that the reason of a failed start
  const ros::NodeHandle keep;
  // outlives the node, whose end may wait for the master
  std::optional<Stop> stop;
  try {
    Node node;
    // before this, while it may wait for parameters, a signal simply ends it
    stop.emplace();
    while (ros::ok() && !*stop)
      ros::getGlobalCallbackQueue()->callAvailable(ros::WallDuration(0.05));
    if (ros::ok()) {
      node.stop();
      // what was published leaves in another thread
      ros::WallDuration(0.1).sleep();
    }
    stop->leave(0);
    ros::shutdown();
  } catch (const std::exception& e) {
    ROS_FATAL("%s", e.what());
    ros::shutdown();
    return 3;
  }
  return 0;
}

}  // namespace pintle::ros1
