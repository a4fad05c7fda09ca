/// Sends states at a rate and counts and times the allocations that come back, by stamp.
///
/// With ~echo true it sends in turns to the controls node and to the echo node, a tenth of a second
/// each, so that whatever else the machine does falls on both. Prints one JSON object.
#include <custom_msgs/ThrusterAllocs.h>
#include <nav_msgs/Odometry.h>
#include <ros/callback_queue.h>
#include <ros/ros.h>
#include <tf2_ros/transform_broadcaster.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

double steady_s() { return ros::SteadyTime::now().toSec(); }

/// One way out and back.
struct Lane {
  ros::Publisher out;
  ros::Subscriber in;
  std::unordered_map<std::uint64_t, double> under_way;
  std::vector<double> round_trips_us;
  std::uint64_t sent = 0;

  void open(ros::NodeHandle& node, const std::string& to, const std::string& from) {
    out = node.advertise<nav_msgs::Odometry>(to, 1000);
    in = node.subscribe<custom_msgs::ThrusterAllocs>(
        from, 1000,
        [this](const custom_msgs::ThrusterAllocs::ConstPtr& m) {
          const auto found = under_way.find(m->header.stamp.toNSec());
          if (found == under_way.end()) return;
          round_trips_us.push_back((steady_s() - found->second) * 1e6);
          under_way.erase(found);
        },
        {}, ros::TransportHints().tcpNoDelay());
  }
  [[nodiscard]] bool connected() const {
    return out.getNumSubscribers() > 0 && in.getNumPublishers() > 0;
  }
  void send(const nav_msgs::Odometry& state) {
    under_way[state.header.stamp.toNSec()] = steady_s();
    ++sent;
    out.publish(state);
  }
  void print(const char* name, const char* tail) {
    std::sort(round_trips_us.begin(), round_trips_us.end());
    const auto at = [this](double share) {
      const std::size_t n = round_trips_us.size();
      return n == 0 ? 0.0
                    : round_trips_us[static_cast<std::size_t>(share * static_cast<double>(n - 1))];
    };
    std::printf(
        "\"%s_sent\": %llu, \"%s_lost\": %zu, \"%s_median_us\": %.1f, \"%s_p99_us\": %.1f%s", name,
        static_cast<unsigned long long>(sent), name, under_way.size(), name, at(0.5), name,
        at(0.99), tail);
  }
};

}  // namespace

int main(int argc, char** argv) {
  ros::init(argc, argv, "round_trip");
  ros::NodeHandle node;
  double rate_Hz = 1000, seconds = 10;
  bool with_echo = false;
  std::string answer = "controls/thruster_allocs";
  ros::param::get("~rate", rate_Hz);
  ros::param::get("~seconds", seconds);
  ros::param::get("~echo", with_echo);
  ros::param::get("~answer", answer);
  Lane controls, echo;
  controls.open(node, "state", answer);
  if (with_echo) echo.open(node, "echo_in", "echo_out");
  tf2_ros::TransformBroadcaster tf;
  nav_msgs::Odometry state;
  state.header.frame_id = "odom";
  state.child_frame_id = "base_link";
  state.pose.pose.orientation.w = 1;
  state.pose.pose.position.x = 0.1;
  geometry_msgs::TransformStamped transform;
  transform.child_frame_id = "base_link";
  transform.transform.rotation.w = 1;

  ros::CallbackQueue& queue = *ros::getGlobalCallbackQueue();
  while (ros::ok() && !(controls.connected() && (!with_echo || echo.connected())))
    queue.callAvailable(ros::WallDuration(0.01));

  // a second of both beforehand warms up; it is not counted
  double next_s = steady_s(), tf_s = 0;
  const double start_s = next_s + 1;
  bool warm = false;
  while (ros::ok() && steady_s() < start_s + seconds) {
    if (!warm && steady_s() >= start_s) {
      warm = true;
      for (Lane* lane : {&controls, &echo}) {
        lane->sent = 0;
        lane->under_way.clear();
        lane->round_trips_us.clear();
      }
    }
    state.header.stamp = ros::Time::now();
    if (steady_s() - tf_s > 0.02) {
      tf_s = steady_s();
      transform.header = state.header;
      tf.sendTransform(transform);
    }
    const bool to_echo = with_echo && static_cast<long>(steady_s() * 10) % 2 == 0;
    (to_echo ? echo : controls).send(state);
    next_s += 1 / rate_Hz;
    double left_s = next_s - steady_s();
    while (left_s > 0) {
      queue.callAvailable(ros::WallDuration(left_s));
      left_s = next_s - steady_s();
    }
  }
  const double end_s = steady_s() + 5;
  while (ros::ok() && steady_s() < end_s && !(controls.under_way.empty() && echo.under_way.empty()))
    queue.callAvailable(ros::WallDuration(0.01));
  std::printf("{");
  controls.print("controls", with_echo ? ", " : "}\n");
  if (with_echo) echo.print("echo", "}\n");
  return 0;
}
