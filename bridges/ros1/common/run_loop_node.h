/// The main function of a node that has a loop of its own: until Ctrl-C or roslaunch's end.
#pragma once
#include <ros/ros.h>

#include <cstdio>
#include <exception>

#include "common/master_watch.h"
#include "common/stop.h"

namespace pintle::ros1 {

/// `make` gives the node, which has services() and run(stop). The status is 0, or 3 when it cannot
/// start or its loop fails. What must be done before the end is done when run() returns: a master
/// that hangs may keep the node from anything more (stop.h).
template <class Make>
int run_loop_node(int argc, char** argv, const char* name, Make make) {
  ros::init(argc, argv, name, ros::init_options::NoSigintHandler);
  // a log file or roslaunch sees each line when it is written
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  Stop stop;
  try {
    auto node = make();
    {
      const MasterWatch watch(node.services());
      node.run(stop);
      stop.leave(0);
    }
    // what was published leaves in another thread
    ros::WallDuration(0.1).sleep();
    // before the node ends: a thread of it may wait for a service that hangs
    ros::shutdown();
  } catch (const std::exception& e) {
    // not by rosconsole: what failed may have ended it
    std::fprintf(stderr, "%s: %s\n", argv[0], e.what());
    stop.leave(3);
    ros::shutdown();
    return 3;
  }
  return 0;
}

}  // namespace pintle::ros1
