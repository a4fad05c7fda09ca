/// The program `world`: a simulated vehicle on ROS, in place of the robot below the controls node.
///
///   controls/thruster_allocs -> thrusters, water, odometry -> /state, tf odom -> base_link
///
/// Allocations older than half a second count as none, as the robots' own thruster boards have it.
///
/// ~mission   the file whose vehicle, world and faults are flown      ~seed   instead of its own
/// ~clock     publish /clock and stamp with it (from 1000 s on), else stamp with the wall clock
/// ~speed     times real time, with ~clock
/// ~lockstep  with ~clock: go on only when the allocation for the last state has come
///            (~allocate_on: state), so that a slow machine changes nothing but the pace
#include <custom_msgs/ThrusterAllocs.h>
#include <nav_msgs/Odometry.h>
#include <ros/callback_queue.h>
#include <ros/ros.h>
#include <rosgraph_msgs/Clock.h>
#include <tf2_ros/transform_broadcaster.h>

#include "common/node.h"
#include "common/run_loop_node.h"
#include "world/simulation.h"

namespace pintle::ros1 {

constexpr int kStepsPerState = 5;  ///< Of the clock.
constexpr std::int64_t kAllocsTimeout_ns = 500'000'000;
constexpr double kEpoch_s = 1000;
constexpr double kGiveUp_s = 10;  ///< Of real time without an answer.

class WorldNode {
 public:
  WorldNode()
      : own_("~"),
        simulation_(text_param(own_, "mission", ""),
                    static_cast<std::uint64_t>(number_param(own_, "seed", 0, 0, 1e9))),
        with_clock_(bool_param(own_, "clock", false)),
        lockstep_(with_clock_ && bool_param(own_, "lockstep", false)),
        speed_(with_clock_ ? number_param(own_, "speed", 1, 0.01, 1000) : 1) {
    state_ = root_.advertise<nav_msgs::Odometry>("state", 10);
    if (with_clock_) clock_ = root_.advertise<rosgraph_msgs::Clock>("/clock", 10);
    allocs_ =
        root_.subscribe("controls/thruster_allocs", 10, &WorldNode::on_allocs, this, no_delay());
    if (lockstep_)
      answers_ = root_.subscribe("controls/constrained_thruster_allocs", 10, &WorldNode::on_answer,
                                 this, no_delay());
    ROS_INFO("%s swims, %.0f states a second", simulation_.name().c_str(),
             1 / simulation_.period_s());
  }

  void run(const Stop& stop) {
    double deadline_s = steady_s();
    const double step_s = simulation_.period_s() / kStepsPerState;
    while (ros::ok() && !stop) {
      publish_state();
      wait_for_answer();
      for (int i = 0; i < kStepsPerState && ros::ok(); ++i) {
        ros::getGlobalCallbackQueue()->callAvailable();
        const bool fresh = simulation_.now_ns() - allocs_at_ns_ <= kAllocsTimeout_ns;
        simulation_.advance(step_s, fresh ? efforts_ : std::vector<double>{});
        publish_clock();
        deadline_s += step_s / speed_;
        const double left_s = deadline_s - steady_s();
        if (left_s > 0)
          ros::WallDuration(left_s).sleep();
        else if (left_s < -0.1)
          deadline_s = steady_s();  // what was lost is not made up for
      }
    }
  }
  [[nodiscard]] std::vector<std::string> services() const { return {}; }

 private:
  void on_allocs(const custom_msgs::ThrusterAllocs::ConstPtr& message) {
    efforts_ = message->allocs;
    allocs_at_ns_ = simulation_.now_ns();
  }
  void on_answer(const custom_msgs::ThrusterAllocs::ConstPtr& message) {
    if (message->header.stamp == asked_) answered_ = asked_;
  }
  [[nodiscard]] ros::Time stamp_of(std::int64_t world_ns) const {
    return ros::Time(kEpoch_s) + ros::Duration().fromNSec(world_ns);
  }

  void publish_clock() {
    if (!with_clock_) return;
    rosgraph_msgs::Clock m;
    m.clock = stamp_of(simulation_.now_ns());
    clock_.publish(m);
  }

  void publish_state() {
    WorldSample sample;
    if (!simulation_.take(sample)) return;
    nav_msgs::Odometry m;
    m.header.stamp = with_clock_ ? stamp_of(sample.stamp_ns) : ros::Time::now();
    m.header.frame_id = "odom";
    m.child_frame_id = "base_link";
    const auto& [x, y, z] = sample.pose.position;
    m.pose.pose.position.x = x;
    m.pose.pose.position.y = y;
    m.pose.pose.position.z = z;
    const auto& [qx, qy, qz, qw] = sample.pose.orientation;
    m.pose.pose.orientation.x = qx;
    m.pose.pose.orientation.y = qy;
    m.pose.pose.orientation.z = qz;
    m.pose.pose.orientation.w = qw;
    m.twist.twist.linear.x = sample.twist[0];
    m.twist.twist.linear.y = sample.twist[1];
    m.twist.twist.linear.z = sample.twist[2];
    m.twist.twist.angular.x = sample.twist[3];
    m.twist.twist.angular.y = sample.twist[4];
    m.twist.twist.angular.z = sample.twist[5];

    geometry_msgs::TransformStamped t;
    t.header = m.header;
    t.child_frame_id = m.child_frame_id;
    t.transform.translation.x = x;
    t.transform.translation.y = y;
    t.transform.translation.z = z;
    t.transform.rotation = m.pose.pose.orientation;
    tf_.sendTransform(t);
    state_.publish(m);
    asked_ = m.header.stamp;
  }

  void wait_for_answer() {
    if (!lockstep_ || answers_.getNumPublishers() == 0) return;
    // nobody may listen to the first states yet
    const double until_s = steady_s() + (answered_.isZero() ? 0.1 : kGiveUp_s);
    while (answered_ != asked_ && ros::ok() && !stop_asked()) {
      ros::getGlobalCallbackQueue()->callAvailable(ros::WallDuration(0.01));
      if (steady_s() > until_s) {
        if (answered_.isZero()) return;
        ROS_WARN("no allocation for the last state within %.0f seconds: time goes on", kGiveUp_s);
        answered_ = asked_;
      }
    }
  }

  ros::NodeHandle root_, own_;
  Simulation simulation_;
  bool with_clock_, lockstep_;
  double speed_;
  ros::Publisher state_, clock_;
  ros::Subscriber allocs_, answers_;
  tf2_ros::TransformBroadcaster tf_;
  std::vector<double> efforts_;
  std::int64_t allocs_at_ns_ = -1'000'000'000;
  ros::Time asked_, answered_;
};

}  // namespace pintle::ros1

int main(int argc, char** argv) {
  return pintle::ros1::run_loop_node(argc, argv, "world", [] { return pintle::ros1::WorldNode(); });
}
