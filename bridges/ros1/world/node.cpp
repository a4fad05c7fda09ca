/// The program `world`: a simulated vehicle on ROS, in place of the robot below the controls node.
///
///   controls/thruster_allocs -> thrusters, water, odometry -> /state, tf odom -> base_link
///
/// Allocations older than half a second count as none, as the robots' own thruster boards have it.
///
/// ~mission   the file whose vehicle, world and faults are flown      ~seed   instead of its own
/// ~clock, ~speed, ~lockstep: served_world.h; in lockstep it goes on only when the allocation for the
///            last state has come (~allocate_on: state), so that a slow machine changes nothing but the pace
#include <custom_msgs/ThrusterAllocs.h>
#include <nav_msgs/Odometry.h>
#include <ros/callback_queue.h>
#include <ros/ros.h>
#include <tf2_ros/transform_broadcaster.h>

#include "common/node.h"
#include "common/run_loop_node.h"
#include "common/served_world.h"
#include "world/simulation.h"

namespace pintle::ros1 {

constexpr int kStepsPerState = 5;  ///< Of the clock.
constexpr std::int64_t kAllocsTimeout_ns = 500'000'000;
constexpr double kGiveUp_s = 10;  ///< Of real time without an answer.

class WorldNode {
 public:
  WorldNode()
      : own_("~"),
        simulation_(text_param(own_, "mission", ""),
                    static_cast<std::uint64_t>(number_param(own_, "seed", 0, 0, 1e9))),
        served_(root_, own_, simulation_.period_s() / kStepsPerState) {
    refuse_unknown_params(own_, {"mission", "seed", "clock", "speed", "lockstep"});
    state_ = root_.advertise<nav_msgs::Odometry>("state", 10);
    allocs_ =
        root_.subscribe("controls/thruster_allocs", 10, &WorldNode::on_allocs, this, no_delay());
    if (served_.lockstep())
      answers_ = root_.subscribe("controls/constrained_thruster_allocs", 10, &WorldNode::on_answer,
                                 this, no_delay());
    ROS_INFO("%s swims, %.0f states a second", simulation_.name().c_str(),
             1 / simulation_.period_s());
  }

  void run(const Stop& stop) {
    served_.serve(stop, [this] { step(); });
  }
  [[nodiscard]] std::vector<std::string> services() const { return {}; }

 private:
  void step() {
    if (steps_++ % kStepsPerState == 0) {
      publish_state();
      wait_for_answer();
    }
    ros::getGlobalCallbackQueue()->callAvailable();
    const bool fresh = simulation_.now_ns() - allocs_at_ns_ <= kAllocsTimeout_ns;
    simulation_.advance(simulation_.period_s() / kStepsPerState,
                        fresh ? efforts_ : std::vector<double>{});
    served_.tell(simulation_.now_ns());
  }
  void on_allocs(const custom_msgs::ThrusterAllocs::ConstPtr& message) {
    efforts_ = message->allocs;
    allocs_at_ns_ = simulation_.now_ns();
  }
  void on_answer(const custom_msgs::ThrusterAllocs::ConstPtr& message) {
    if (message->header.stamp == asked_) answered_ = asked_;
  }

  void publish_state() {
    WorldSample sample;
    if (!simulation_.take(sample)) return;
    nav_msgs::Odometry m;
    m.header.stamp = served_.stamp(sample.stamp_ns);
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
    if (!served_.lockstep() || answers_.getNumPublishers() == 0) return;
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
  ServedWorld served_;
  std::uint64_t steps_ = 0;
  ros::Publisher state_;
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
