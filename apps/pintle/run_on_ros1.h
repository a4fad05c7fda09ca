/// `pintle run --on ros1`: a mission with a ROS master between stack and craft, or the mission's
/// vehicle as nodes for a planner outside.
///
/// This command links nothing of ROS: the bridge's module is loaded, its nodes are processes.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>

#include "pintle/simulation/run.h"

namespace pintle::app {

struct RunOnRos1 {
  std::string mission;
  std::uint64_t seed = 0;  ///< Of the planner's world; 0: the mission's.
  bool with_world = true;  ///< Off: the stack alone; /state comes from elsewhere.
  bool lockstep = false, quiet = false;
  const std::atomic<bool>* stop = nullptr;
};

/// The nodes `controls` and `world`, until one of them ends or Ctrl-C. The exit code.
int run_planner_on_ros1(const RunOnRos1& arguments);
/// @throws config::ConfigError for a vehicle that its topics cannot fly elsewhere.
void check_over_topics(const craft::MissionFile& mission);
/// @throws std::runtime_error without the bridge, or without a master.
[[nodiscard]] simulation::RunResult fly_on_ros1(const RunOnRos1& arguments,
                                                const craft::MissionFile& mission,
                                                const simulation::RunOptions& options);

}  // namespace pintle::app
