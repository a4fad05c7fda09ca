/// The 22 topics that the controls node publishes, in the originals' order.
#pragma once
#include <ros/publisher.h>

#include "controls/convert.h"

namespace pintle::ros1 {

class ControlsTopics {
 public:
  ControlsTopics(ros::NodeHandle& node, std::uint32_t queue_size);

  /// First of all in either order, because thrusters wait for it.
  void command(const CycleReport& report, const ros::Time& stamp, const std::string& frame) const;
  void state_rate(const StateReport& report) const;
  void cycle_rate(const CycleReport& report, const ros::Time& stamp,
                  const std::string& frame) const;

 private:
  // once a cycle
  ros::Publisher thruster_allocs_, constrained_, unconstrained_, base_, unscaled_, set_, actual_,
      disparity_, disparity_norm_, control_types_, status_, pid_gains_, static_global_, scale_;
  // once a state
  ros::Publisher delta_time_, position_error_, position_efforts_, position_infos_, velocity_error_,
      velocity_efforts_, velocity_infos_, static_local_;
};

}  // namespace pintle::ros1
