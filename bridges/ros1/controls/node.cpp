#include "controls/node.h"

#include <ros/callback_queue.h>

#include <cstdio>

#include "common/node.h"
#include "controls/convert.h"

namespace pintle::ros1 {
namespace {

double steady_s() { return ros::SteadyTime::now().toSec(); }

/// Any two stamps have a difference; ROS's own subtraction throws beyond 68 years.
double seconds_between(const ros::Time& from, const ros::Time& to) {
  return static_cast<double>(plain(to) - plain(from)) * 1e-9;
}

std::string text(double value) {
  char out[32];
  std::snprintf(out, sizeof out, "%.3f", value);
  return out;
}

}  // namespace

ControlsNode::ControlsNode(const NodeOptions& options)
    : options_(options),
      controller_(options.controller),
      topics_(root_, options.queue_size),
      health_("controls: state"),
      // in this node's own thread, so that transforms and states keep their order
      listener_(tf_, root_, false),
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
        note_refusal("desired_position", controller_.desired_position(plain(*m)));
      },
      {}, no_delay()));
  subscribers_.push_back(root_.subscribe<geometry_msgs::Twist>(
      "controls/desired_velocity", depth,
      [this](const geometry_msgs::Twist::ConstPtr& m) {
        note_refusal("desired_velocity", controller_.desired_velocity(plain(*m)));
      },
      {}, no_delay()));
  subscribers_.push_back(root_.subscribe<geometry_msgs::Twist>(
      "controls/desired_power", depth,
      [this](const geometry_msgs::Twist::ConstPtr& m) {
        note_refusal("desired_power", controller_.desired_power(plain(*m)));
      },
      {}, no_delay()));
  // the documented way to switch; the service is the one that its code has
  subscribers_.push_back(root_.subscribe<std_msgs::Bool>(
      "controls/enabled", depth,
      [this](const std_msgs::Bool::ConstPtr& m) { services_.enable(m->data); }, {}, no_delay()));
  ROS_INFO("%s from %s, allocations on %s", controller_.vehicle_name().c_str(),
           options_.controller.file.c_str(), options_.on_state ? "each state" : "a timer");
}

void ControlsNode::note_refusal(const char* topic, const std::string& why) {
  if (!why.empty()) ROS_WARN("%s: %s", topic, why.c_str());
}

/// What ages the state: the wall clock may be set, the steady one not; simulated time may stand.
std::int64_t ControlsNode::age_clock_ns() const {
  if (simulated_time_) return plain(ros::Time::now());
  const ros::SteadyTime now = ros::SteadyTime::now();
  return std::int64_t{now.sec} * 1'000'000'000 + now.nsec;
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
  bool found = true;
  try {
    const ros::Time when = options_.tf_at_stamp ? message.header.stamp : ros::Time(0);
    transform =
        plain(tf_.lookupTransform(options_.odom_frame, options_.base_frame, when).transform);
    // a transform that nobody renews is no better than none
    const auto newest = tf_.lookupTransform(options_.odom_frame, options_.base_frame, ros::Time(0));
    const double age_s = seconds_between(newest.header.stamp, message.header.stamp);
    if (age_s > options_.controller.state_timeout_s) {
      found = false;
      tf_error_ = "the newest transform is " + text(age_s) + " s older than the state";
    }
  } catch (const std::exception& e) {
    found = false;
    tf_error_ = e.what();
  }
  if (!found && !last_chance) return false;
  if (!found) {
    ++tf_failures_;
    ROS_WARN_THROTTLE(1.0, "no transform from %s to %s: %s", options_.odom_frame.c_str(),
                      options_.base_frame.c_str(), tf_error_.c_str());
  }
  const ros::Time at = options_.stamp_dt ? message.header.stamp : ros::Time::now();
  const StateReport& state =
      controller_.on_state(plain(message.pose.pose), plain(message.twist.twist),
                           found ? &transform : nullptr, plain(at), age_clock_ns());
  if (state.outcome == StateOutcome::kRefused)
    ROS_WARN_THROTTLE(1.0, "state: refused, a value is not finite or a quaternion is zero");
  if (options_.on_state)
    cycle(message.header.stamp, state.delta_time_s, &state);
  else
    topics_.state_rate(state);
  return true;
}

void ControlsNode::cycle(const ros::Time& stamp, double dt_s, const StateReport* state) {
  ++cycles_;
  const CycleReport& r = controller_.allocate(age_clock_ns(), dt_s);
  topics_.command(r, stamp, options_.base_frame);
  if (state != nullptr) topics_.state_rate(*state);
  topics_.cycle_rate(r, stamp, options_.base_frame);
  last_cycle_steady_s_ = steady_s();
  report(r);
}

void ControlsNode::report(const CycleReport& r) {
  const std::string hold = controller_.hold();
  if (hold != last_hold_) {
    if (r.status || hold == "disabled")
      ROS_INFO("status: %s", controller_.hold_text().c_str());
    else
      ROS_ERROR("status: %s", controller_.hold_text().c_str());
    last_hold_ = hold;
  }
  const bool lost = hold == "stale" || hold == "latched";
  if (lost)
    health_.raise("controls-stale", 4, controller_.hold_text());
  else
    health_.clear("controls-stale", "State and transform are fresh, or control is off.");
  const Health::Level level = r.status             ? Health::Level::kOk
                              : hold == "disabled" ? Health::Level::kWarn
                                                   : Health::Level::kError;
  // the strings below are made once a second, or when something has changed
  if (!health_.due(level, hold)) return;
  health_.report(level, hold,
                 {{"reason", controller_.hold_text()},
                  {"age_s", text(controller_.age_s(age_clock_ns()))},
                  {"states", std::to_string(states_)},
                  {"cycles", std::to_string(cycles_)},
                  {"refused", std::to_string(controller_.refused())},
                  {"transform_failures", std::to_string(tf_failures_)},
                  {"last_transform_error", tf_error_},
                  {"file", options_.controller.file}});
}

void ControlsNode::wait_for_period(const std::atomic<bool>& stop) {
  const double period_s = 1.0 / options_.rate_Hz;
  if (!simulated_time_) {
    next_steady_s_ += period_s;
    const double now = steady_s();
    // a cycle that was missed is not made up for
    if (next_steady_s_ < now) next_steady_s_ = now;
    ros::WallDuration(next_steady_s_ - now).sleep();
    return;
  }
  next_.fromNSec(static_cast<std::uint64_t>(plain(next_)) +
                 static_cast<std::uint64_t>(period_s * 1e9));
  while (ros::ok() && !stop) {
    const ros::Time now = ros::Time::now();
    const double late_s = seconds_between(next_, now);
    // either the time has come, or it has jumped away
    if (late_s >= 0 || late_s < -2 * period_s) {
      if (late_s > period_s || late_s < 0) next_ = now;
      return;
    }
    ros::WallDuration(0.0005).sleep();
  }
}

void ControlsNode::run_on_timer(const std::atomic<bool>& stop) {
  next_ = last_cycle_ = ros::Time::now();
  next_steady_s_ = steady_s();
  while (ros::ok() && !stop) {
    wait_for_period(stop);
    ros::getGlobalCallbackQueue()->callAvailable();
    use_waiting_states();
    const ros::Time now = ros::Time::now();
    cycle(now, std::max(0.0, seconds_between(last_cycle_, now)), nullptr);
    last_cycle_ = now;
  }
}

void ControlsNode::run_on_state(const std::atomic<bool>& stop) {
  const double period_s = 1.0 / options_.rate_Hz;
  last_cycle_steady_s_ = steady_s();
  while (ros::ok() && !stop) {
    const double left_s = waiting_.empty() ? period_s / 4 : 0.001;
    ros::getGlobalCallbackQueue()->callAvailable(ros::WallDuration(left_s));
    use_waiting_states();
    // nothing comes: the status and the safe allocation must all the same
    if (steady_s() - last_cycle_steady_s_ > 2 * period_s) cycle(ros::Time::now(), 0, nullptr);
  }
}

void ControlsNode::run(const std::atomic<bool>& stop) {
  if (options_.on_state)
    run_on_state(stop);
  else
    run_on_timer(stop);
  controller_.enable(false);
  if (ros::ok()) cycle(ros::Time::now(), 0, nullptr);
}

}  // namespace pintle::ros1
