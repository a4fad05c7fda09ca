/// `pintle run MISSION --on ros1`: the mission's vehicle as ROS 1 nodes, for planners outside.
///
/// The bridge's own programs do it, as processes: this command links nothing of ROS.
#pragma once
#include <cstdint>
#include <string>

namespace pintle::app {

struct RunOnRos1 {
  std::string mission;
  std::uint64_t seed = 0;  ///< 0: the mission's.
  bool with_world = true;  ///< Off: the stack alone; /state and tf come from elsewhere.
  bool quiet = false;
};

/// Until one of the programs ends or Ctrl-C. The exit code.
int run_on_ros1(const RunOnRos1& arguments);

}  // namespace pintle::app
