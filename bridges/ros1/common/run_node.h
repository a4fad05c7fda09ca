/// The main function of a node that works in callbacks: until Ctrl-C or roslaunch's end, which
/// leave the node time for its last word.
#pragma once
#include <ros/callback_queue.h>
#include <ros/ros.h>

#include <atomic>
#include <csignal>
#include <exception>

namespace pintle::ros1 {

// atomic, not volatile: a signal is taken by any of roscpp's threads
inline std::atomic<bool> stop_asked{false};
static_assert(std::atomic<bool>::is_always_lock_free);
extern "C" inline void ask_to_stop(int) { stop_asked = true; }

/// `Node` has stop(), after which nothing of it talks to the master. The status is 0, or 3 when it
/// cannot start.
template <class Node>
int run_node(int argc, char** argv, const char* name) {
  ros::init(argc, argv, name, ros::init_options::NoSigintHandler);
  // the last handle to go takes ROS's log with it, and with that the reason of a failed start
  const ros::NodeHandle keep;
  try {
    Node node;
    // before this, while it may wait for parameters, a signal simply ends it
    std::signal(SIGINT, ask_to_stop);
    std::signal(SIGTERM, ask_to_stop);
    while (ros::ok() && !stop_asked)
      ros::getGlobalCallbackQueue()->callAvailable(ros::WallDuration(0.05));
    if (ros::ok()) {
      node.stop();
      // what was published leaves in another thread
      ros::WallDuration(0.1).sleep();
    }
    ros::shutdown();
  } catch (const std::exception& e) {
    ROS_FATAL("%s", e.what());
    ros::shutdown();
    return 3;
  }
  return 0;
}

}  // namespace pintle::ros1
