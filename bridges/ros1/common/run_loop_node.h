/// The main function of a node that has a loop of its own: until Ctrl-C or roslaunch's end.
#pragma once
#include <ros/ros.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>

#include "common/master_watch.h"

namespace pintle::ros1 {

// atomic, not volatile: a signal is taken by any of roscpp's threads
inline std::atomic<bool> loop_stop_asked{false};
static_assert(std::atomic<bool>::is_always_lock_free);
extern "C" inline void ask_loop_to_stop(int) { loop_stop_asked = true; }

/// `make` gives the node, which has services() and run(stop). The status is 0, or 3 when it cannot
/// start or its loop fails.
template <class Make>
int run_loop_node(int argc, char** argv, const char* name, Make make) {
  ros::init(argc, argv, name, ros::init_options::NoSigintHandler);
  // a log file or roslaunch sees each line when it is written
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  std::signal(SIGINT, ask_loop_to_stop);
  std::signal(SIGTERM, ask_loop_to_stop);
  try {
    auto node = make();
    MasterWatch watch(node.services());
    node.run(loop_stop_asked);
  } catch (const std::exception& e) {
    // not by rosconsole: what failed may have ended it
    std::fprintf(stderr, "%s: %s\n", argv[0], e.what());
    ros::shutdown();
    return 3;
  }
  ros::shutdown();
  return 0;
}

}  // namespace pintle::ros1
