/// The loop of a node that serves a simulated world, and its time: ROS's clock, or /clock, which it then drives.
///
/// ~clock     publish /clock and stamp with it (from 1000 s on), else stamp with ROS's clock
/// ~speed     times real time, with ~clock
/// ~lockstep  with ~clock: time goes on only when whom it serves has answered; who that is, the node knows
#pragma once
#include <ros/ros.h>
#include <rosgraph_msgs/Clock.h>

#include <stdexcept>

#include "common/node.h"
#include "common/stop.h"
#include "common/world_time.h"

namespace pintle::ros1 {

class ServedWorld {
 public:
  /// @throws std::runtime_error
  ServedWorld(ros::NodeHandle& root, const ros::NodeHandle& own, double step_s)
      : step_s_(step_s),
        with_clock_(bool_param(own, "clock", false)),
        lockstep_(bool_param(own, "lockstep", false)),
        speed_(number_param(own, "speed", 1, 0.01, 1000)) {
    if (!with_clock_ && (lockstep_ || own.hasParam("speed")))
      throw std::runtime_error(
          "~speed and ~lockstep are of a time that this node gives: set ~clock, too");
    if (with_clock_) clock_ = root.advertise<rosgraph_msgs::Clock>("/clock", 10);
    time_ = WorldTime(with_clock_ ? kEpoch_ns : ros_ns());
  }

  [[nodiscard]] bool lockstep() const { return lockstep_; }
  [[nodiscard]] ros::Time stamp(std::int64_t world_ns) const {
    return ros::Time().fromNSec(static_cast<std::uint64_t>(time_.stamp_ns(world_ns)));
  }

  /// The world has come so far.
  void tell(std::int64_t world_ns) {
    if (!with_clock_) return time_.follow(ros_ns(), world_ns);
    rosgraph_msgs::Clock m;
    m.clock = stamp(world_ns);
    clock_.publish(m);
  }
  /// For as long as a step takes.
  void sleep() const { ros::WallDuration(step_s_ / speed_).sleep(); }

  template <class Step>
  void serve(const Stop& stop, Step step) const {
    double deadline_s = steady_s();
    while (ros::ok() && !stop) {
      step();
      deadline_s += step_s_ / speed_;
      const double left_s = deadline_s - steady_s();
      if (left_s > 0)
        ros::WallDuration(left_s).sleep();
      else if (left_s < -0.1)
        deadline_s = steady_s();  // what was lost is not made up for
    }
  }

 private:
  static constexpr std::int64_t kEpoch_ns = 1'000'000'000'000;
  [[nodiscard]] static std::int64_t ros_ns() {
    return static_cast<std::int64_t>(ros::Time::now().toNSec());
  }

  double step_s_;
  bool with_clock_, lockstep_;
  double speed_;
  ros::Publisher clock_;
  WorldTime time_;
};

}  // namespace pintle::ros1
