/// The ROS shell of the controls node: one thread, the global callback queue.
///
/// ~allocate_on: timer   callbacks wait for the period's end, are handled, and the allocation
///                       follows at once, so that nothing is a cycle late (the original publishes
///                       what the callbacks of the period before gave)
/// ~allocate_on: state   each state is answered on arrival; without states, cycles go on at ~rate
/// ~tf_at: stamp         the transform of the state's own stamp, waited for up to ~tf_wait
#pragma once
#include <geometry_msgs/Pose.h>
#include <nav_msgs/Odometry.h>
#include <ros/ros.h>
#include <std_msgs/Bool.h>

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/health.h"
#include "common/stop.h"
#include "common/tf_listener.h"
#include "controls/controller.h"
#include "controls/services.h"
#include "controls/topics.h"

namespace pintle::ros1 {

struct NodeOptions {
  ControllerOptions controller;
  bool on_state = false;     ///< Allocate on each state instead of on the timer.
  bool tf_at_stamp = false;  ///< Else the latest.
  double tf_wait_s = 0.1;    ///< Of the steady clock.
  double rate_Hz = 0;        ///< 0: what the file asks for.
  std::uint32_t queue_size = 1;
  std::string odom_frame = "odom", base_frame = "base_link";
};

/// From the private parameters and the environment. @throws std::runtime_error
[[nodiscard]] NodeOptions read_options(const ros::NodeHandle& own);

class ControlsNode {
 public:
  explicit ControlsNode(const NodeOptions& options);
  /// Until ros::ok() or `stop` says otherwise; ends with the safe allocation if it was on.
  void run(const Stop& stop);
  [[nodiscard]] std::vector<std::string> services() const { return services_.names(); }

 private:
  void run_on_timer(const Stop& stop);
  void run_on_state(const Stop& stop);
  void wait_for_period(const Stop& stop);
  void on_state(const nav_msgs::Odometry::ConstPtr& message);
  void on_enabled(const ros::MessageEvent<std_msgs::Bool const>& event);
  /// False: the transform may still come.
  bool use_state(const nav_msgs::Odometry& message, bool last_chance);
  void use_waiting_states();
  void cycle();
  void publish(const CycleReport& report, const ros::Time& stamp, const StateReport* state);
  void note_refusal(const char* topic, const std::string& why);
  void report(const CycleReport& report);

  NodeOptions options_;
  Controller controller_;
  ros::NodeHandle root_;
  ControlsTopics topics_;
  Health health_;
  tf2::BufferCore tf_;
  TfListener listener_;
  ControlsServices services_;
  std::vector<ros::Subscriber> subscribers_;
  struct Waiting {
    nav_msgs::Odometry::ConstPtr message;
    double since_s;
  };
  std::deque<Waiting> waiting_;
  std::set<std::string> before_;  ///< Who published controls/enabled before this node was there.
  std::int64_t next_ns_ = 0;      ///< No ros::Time, which throws beyond its last one.
  double next_steady_s_ = 0, last_cycle_steady_s_ = 0;
  std::string last_hold_, tf_error_;
  std::uint64_t states_ = 0, cycles_ = 0, tf_failures_ = 0;
  bool simulated_time_ = false, told_standing_ = false;
};

}  // namespace pintle::ros1
