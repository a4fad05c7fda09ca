#include "controls/node.h"

#include <ros/callback_queue.h>

#include <utility>

#include "common/ask_master.h"
#include "common/node.h"
#include "controls/convert.h"
#include "controls/transform.h"

namespace pintle::ros1 {
namespace {

constexpr double kStandingClock_s = 0.1;

/// Nodes that publish a topic already.
std::set<std::string> publishers_of(const std::string& topic) {
  XmlRpc::XmlRpcValue payload;
  std::set<std::string> names;
  if (ask_master("getSystemState", as_this_node(), payload) != MasterSays::kYes) return names;
  for (int i = 0; i < payload[0].size(); ++i) {
    XmlRpc::XmlRpcValue& entry = payload[0][i];
    if (static_cast<std::string>(entry[0]) != topic) continue;
    for (int k = 0; k < entry[1].size(); ++k) names.insert(static_cast<std::string>(entry[1][k]));
  }
  return names;
}

}  // namespace

ControlsNode::ControlsNode(const NodeOptions& options)
    : options_(options),
      controller_(options.controller),
      topics_(root_, options.queue_size),
      health_("controls: state"),
      // in this node's own thread, so that transforms and states keep their order
      listener_(tf_, root_),
      services_(root_, controller_, health_),
      simulated_time_(ros::Time::isSimTime()) {
  if (!(options_.rate_Hz > 0)) options_.rate_Hz = controller_.rate_Hz();
  for (const std::string& warning : controller_.warnings()) ROS_WARN("%s", warning.c_str());
  const std::uint32_t depth = options_.queue_size;
  subscribers_.push_back(
      root_.subscribe("state", depth, &ControlsNode::on_state, this, no_delay()));
  subscribers_.push_back(root_.subscribe<geometry_msgs::Pose>(
      "controls/desired_position", depth,
      [this](const geometry_msgs::Pose::ConstPtr& m) {
        note_refusal("desired_position", controller_.desired_position(plain(*m), now_ns()));
      },
      {}, no_delay()));
  subscribers_.push_back(root_.subscribe<geometry_msgs::Twist>(
      "controls/desired_velocity", depth,
      [this](const geometry_msgs::Twist::ConstPtr& m) {
        note_refusal("desired_velocity", controller_.desired_velocity(plain(*m), now_ns()));
      },
      {}, no_delay()));
  subscribers_.push_back(root_.subscribe<geometry_msgs::Twist>(
      "controls/desired_power", depth,
      [this](const geometry_msgs::Twist::ConstPtr& m) {
        note_refusal("desired_power", controller_.desired_power(plain(*m), now_ns()));
      },
      {}, no_delay()));
  // the documented way to switch; the service is the one that its code has
  before_ = publishers_of(root_.resolveName("controls/enabled"));
  subscribers_.push_back(
      root_.subscribe("controls/enabled", depth, &ControlsNode::on_enabled, this, no_delay()));
  ROS_INFO("%s from %s, allocations on %s", controller_.vehicle_name().c_str(),
           options_.controller.file.c_str(), options_.on_state ? "each state" : "a timer");
}

void ControlsNode::note_refusal(const char* topic, const std::string& why) {
  if (!why.empty()) ROS_WARN("%s: %s", topic, why.c_str());
}

/// A latched message of before this node was there is what somebody once wanted, not what he wants.
void ControlsNode::on_enabled(const ros::MessageEvent<std_msgs::Bool const>& event) {
  const bool on = event.getMessage()->data;
  const auto& header = event.getConnectionHeader();
  const auto latching = header.find("latching");
  const bool remembered = before_.erase(event.getPublisherName()) > 0 && latching != header.end() &&
                          latching->second == "1";
  if (remembered && on) {
    ROS_WARN(
        "controls/enabled: what %s published before this node started does not enable it; "
        "publish it again, or call controls/enable",
        event.getPublisherName().c_str());
    return;
  }
  services_.enable(on);
}

void ControlsNode::on_state(const nav_msgs::Odometry::ConstPtr& message) {
  ++states_;
  if (!waiting_.empty() || !use_state(*message, !options_.tf_at_stamp))
    waiting_.push_back({message, steady_s()});
}

void ControlsNode::use_waiting_states() {
  while (!waiting_.empty()) {
    const bool late = steady_s() - waiting_.front().since_s > options_.tf_wait_s;
    if (!use_state(*waiting_.front().message, late)) return;
    waiting_.pop_front();
  }
}

bool ControlsNode::use_state(const nav_msgs::Odometry& message, bool last_chance) {
  PlainPose transform;
  const std::string why =
      find_transform(tf_,
                     {options_.odom_frame, options_.base_frame, options_.tf_at_stamp,
                      options_.controller.state_timeout_s},
                     message.header.stamp, ros::Time::now(), transform);
  const bool found = why.empty();
  if (!found) tf_error_ = why;
  if (!found && !last_chance) return false;
  if (!found) {
    ++tf_failures_;
    ROS_WARN_THROTTLE(1.0, "no transform from %s to %s: %s", options_.odom_frame.c_str(),
                      options_.base_frame.c_str(), tf_error_.c_str());
  }
  StateMessage state_message;
  state_message.stamp_ns = plain(message.header.stamp);
  state_message.pose = plain(message.pose.pose);
  state_message.twist = plain(message.twist.twist);
  state_message.position_std_m = position_std_m(message.pose.covariance);
  state_message.transform = found ? &transform : nullptr;
  const StateReport& state = controller_.on_state(state_message, now_ns(), options_.on_state);
  if (state.outcome == StateOutcome::kRefused)
    ROS_WARN_THROTTLE(1.0, "state: refused, a value is not finite or a quaternion is zero");
  if (options_.on_state)
    publish(controller_.last_cycle(), message.header.stamp, &state);
  else
    topics_.state_rate(state);
  return true;
}

void ControlsNode::cycle() {
  const ros::Time now = ros::Time::now();
  publish(controller_.allocate(plain(now)), now, nullptr);
}

void ControlsNode::publish(const CycleReport& r, const ros::Time& stamp, const StateReport* state) {
  ++cycles_;
  topics_.command(r, stamp, options_.base_frame);
  if (state != nullptr) topics_.state_rate(*state);
  topics_.cycle_rate(r, stamp, options_.base_frame);
  last_cycle_steady_s_ = steady_s();
  report(r);
}

void ControlsNode::report(const CycleReport& r) {
  for (const std::string& event : controller_.take_events()) ROS_WARN("%s", event.c_str());
  const std::string hold = name_of(r.hold);
  if (hold != last_hold_) {
    if (r.status || r.hold == Hold::kDisabled)
      ROS_INFO("status: %s", words_of(r.hold));
    else
      ROS_ERROR("status: %s %s", words_of(r.hold), controller_.against().c_str());
    last_hold_ = hold;
  }
  if (r.hold == Hold::kStale || r.hold == Hold::kLatched)
    health_.raise("controls-stale", 4, words_of(r.hold));
  else
    health_.clear("controls-stale", "State and transform are fresh, or control is off.");
  if (const std::string trouble = controller_.log_trouble(); !trouble.empty())
    health_.raise("controls-log", 1, trouble);
  const Health::Level level = r.status                    ? Health::Level::kOk
                              : r.hold == Hold::kDisabled ? Health::Level::kWarn
                                                          : Health::Level::kError;
  // the strings below are made once a second, or when something has changed
  if (!health_.due(level, hold)) return;
  const Faults faults = controller_.faults();
  health_.tell("controls-thrusters", faults, "Every thruster is taken for good.");
  health_.report(level, hold,
                 {{"reason", words_of(r.hold)},
                  {"against", controller_.against()},
                  {"age_s", in_seconds(controller_.age_s())},
                  {"states", std::to_string(states_)},
                  {"cycles", std::to_string(cycles_)},
                  {"refused", std::to_string(controller_.refused())},
                  {"transform_failures", std::to_string(tf_failures_)},
                  {"last_transform_error", tf_error_},
                  {"faults", faults.text},
                  {"file", options_.controller.file}});
}

void ControlsNode::wait_for_period(const Stop& stop) {
  const double period_s = 1.0 / options_.rate_Hz;
  if (!simulated_time_) {
    next_steady_s_ += period_s;
    const double now = steady_s();
    // a cycle that was missed is not made up for
    if (next_steady_s_ < now) next_steady_s_ = now;
    ros::WallDuration(next_steady_s_ - now).sleep();
    return;
  }
  next_ns_ += static_cast<std::int64_t>(period_s * 1e9);
  ros::Time moved;
  double moved_s = steady_s();
  while (ros::ok() && !stop) {
    const ros::Time now = ros::Time::now();
    if (now != moved) {
      moved = now;
      moved_s = steady_s();
    }
    const double late_s = static_cast<double>(plain(now) - next_ns_) * 1e-9;
    // either the time has come, or it has jumped away
    if (late_s >= 0 || late_s < -2 * period_s) {
      told_standing_ = false;
      if (late_s > period_s || late_s < 0) next_ns_ = plain(now);
      return;
    }
    // it stands: the tick counts a period all the same, so that what is old becomes stale
    if (!now.isZero() && steady_s() - moved_s > kStandingClock_s) {
      if (!std::exchange(told_standing_, true)) ROS_WARN("simulated time stands");
      next_ns_ = plain(now);
      return;
    }
    ros::WallDuration(0.0005).sleep();
  }
}

void ControlsNode::run_on_timer(const Stop& stop) {
  next_ns_ = now_ns();
  next_steady_s_ = steady_s();
  while (ros::ok() && !stop) {
    wait_for_period(stop);
    ros::getGlobalCallbackQueue()->callAvailable();
    use_waiting_states();
    cycle();
  }
}

void ControlsNode::run_on_state(const Stop& stop) {
  const double period_s = 1.0 / options_.rate_Hz;
  last_cycle_steady_s_ = steady_s();
  while (ros::ok() && !stop) {
    const double left_s = waiting_.empty() ? period_s / 4 : 0.001;
    ros::getGlobalCallbackQueue()->callAvailable(ros::WallDuration(left_s));
    use_waiting_states();
    // nothing comes: the status and the safe allocation must all the same
    if (steady_s() - last_cycle_steady_s_ > 2 * period_s) cycle();
  }
}

void ControlsNode::run(const Stop& stop) {
  if (options_.on_state)
    run_on_state(stop);
  else
    run_on_timer(stop);
  controller_.enable(false, now_ns());
  if (ros::ok()) cycle();
  controller_.close_log();
}

}  // namespace pintle::ros1
