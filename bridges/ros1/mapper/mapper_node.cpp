// thruster_mapper: mapper.h on ROS. Everything but the questions for bounds runs in one thread.
#include <geometry_msgs/WrenchStamped.h>
#include <ros/ros.h>
#include <ros_alarms/Alarm.h>
#include <std_msgs/String.h>
#include <sub8_msgs/BMatrix.h>
#include <sub8_msgs/Thrust.h>
#include <sub8_msgs/UpdateThrusterLayout.h>

#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "common/health.h"
#include "common/master_watch.h"
#include "common/node.h"
#include "common/run_node.h"
#include "common/service.h"
#include "common/tf_listener.h"
#include "mapper/backlog.h"
#include "mapper/bounds_from_driver.h"
#include "mapper/convert.h"
#include "mapper/layout_param.h"

namespace pintle::ros1 {
namespace {

/// Of the steady clock, or of simulated time where that is in use.
std::int64_t now_ns() {
  return static_cast<std::int64_t>(ros::Time::isSimTime() ? ros::Time::now().toNSec()
                                                          : ros::SteadyTime::now().toNSec());
}

MapperSettings settings_of(const ros::NodeHandle& own) {
  refuse_unknown_params(own, {"effort_weight", "least_thrust", "max_rate", "wrench_timeout",
                              "body_frame", "tf_tolerance", "queue_size", "follow_alarm", "log"});
  MapperSettings s;
  s.effort_weight = number_param(own, "effort_weight", s.effort_weight, 1e-9, 1e3);
  s.least_thrust_N = number_param(own, "least_thrust", s.least_thrust_N, 0, 1e3);
  s.max_rate_Hz = number_param(own, "max_rate", s.max_rate_Hz, 0, 1e5);
  s.wrench_timeout_s = number_param(own, "wrench_timeout", s.wrench_timeout_s, 0.01, 60);
  s.log = text_param(own, "log", "");
  return s;
}

class MapperNode {
 public:
  MapperNode();
  void stop() {
    if (const auto command = mapper_.stop(now_ns())) publish(*command);
    watch_.reset();
  }

 private:
  explicit MapperNode(const MapperSettings& settings);
  void on_wrench(const geometry_msgs::WrenchStamped& message);
  void on_alarm(const ros_alarms::Alarm& alarm);
  std::string on_drop(const std::vector<std::string>& names);
  std::string drop();
  void look_around();
  void publish(const MapperCommand& command);
  void report();
  [[nodiscard]] std::optional<Six> to_body(const geometry_msgs::WrenchStamped& message);
  void tell_axes();

  ros::NodeHandle node_, own_{"~"};
  Mapper mapper_;
  Backlog backlog_;
  Health health_{"thruster_mapper"};
  std::string body_frame_;
  double tf_tolerance_s_ = 0;
  tf2::BufferCore tf_;
  TfListener tf_listener_{tf_, node_};
  std::optional<BoundsFromDriver> bounds_;

  ros::Publisher actual_, error_, thrust_, names_;
  ros::Subscriber wrench_;
  ros::ServiceServer drop_, matrix_;
  ros::SteadyTimer timer_;
  std::optional<MasterWatch> watch_;

  unsigned long commands_ = 0, refused_ = 0;
  bool bounded_ = false, was_taken_ = false;
  std::string refusal_;  ///< Of the last wrench; "" when it was taken.

  // dropped is who is in any of these
  std::vector<std::string> dropped_by_service_;
  std::map<std::string, std::vector<std::string>>
      dropped_by_alarm_;  ///< By the node that raised it.
};

MapperNode::MapperNode() : MapperNode(settings_of(ros::NodeHandle("~"))) {}

MapperNode::MapperNode(const MapperSettings& settings)
    : mapper_(layout_from_parameters(Use::kAllocate), settings),
      backlog_(settings.wrench_timeout_s) {
  body_frame_ = without_slash(text_param(own_, "body_frame", "base_link"));
  tf_tolerance_s_ = number_param(own_, "tf_tolerance", 0.2, 0, 60);
  const auto queue = static_cast<std::uint32_t>(number_param(own_, "queue_size", 1, 1, 10000));

  actual_ = node_.advertise<geometry_msgs::WrenchStamped>("wrench_actual", queue);
  error_ = node_.advertise<geometry_msgs::WrenchStamped>("wrench_error", queue);
  // told by the connection itself: a driver that comes and dies between two looks was there
  thrust_ = node_.advertise<sub8_msgs::Thrust>(
      "thrusters/thrust", queue,
      [this](const ros::SingleSubscriberPublisher&) { was_taken_ = true; });
  names_ = node_.advertise<std_msgs::String>("thrusters/b_matrix_order", 1, true);
  std_msgs::String order;
  std::vector<std::string> names;
  for (const LayoutThruster& t : mapper_.layout().thrusters) names.push_back(t.name);
  order.data = to_json(names);
  names_.publish(order);

  drop_ = advertise_service<sub8_msgs::UpdateThrusterLayout>(
      node_, "update_thruster_layout",
      [this](const auto& request, auto&) { return on_drop(request.dropped_thrusters); });
  matrix_ =
      advertise_service<sub8_msgs::BMatrix>(node_, "b_matrix", [this](const auto&, auto& response) {
        response.B = mapper_.b_matrix();
        return std::string();
      });
  if (!mapper_.unbounded().empty()) bounds_.emplace(mapper_.unbounded());
  wrench_ = node_.subscribe("wrench", queue, &MapperNode::on_wrench, this, no_delay());
  if (bool_param(own_, "follow_alarm", true))
    health_.listen([this](const ros_alarms::Alarm& alarm) { on_alarm(alarm); });
  timer_ = node_.createSteadyTimer(ros::WallDuration(0.005),
                                   [this](const ros::SteadyTimerEvent&) { look_around(); });
  watch_.emplace(std::vector<std::string>{drop_.getService(), matrix_.getService()});
}

/// Nothing when it cannot be taken; refusal_ says why.
std::optional<Six> MapperNode::to_body(const geometry_msgs::WrenchStamped& message) {
  refusal_.clear();
  const Six wrench = from_ros(message.wrench);
  const std::string frame = without_slash(message.header.frame_id);
  if (frame.empty() || frame == body_frame_) return wrench;
  // what is not finite needs no frame to be answered
  for (const double x : wrench)
    if (!std::isfinite(x)) return wrench;
  // never waits: as of the stamp (without one, of now), or the latest that is not too far from it
  const ros::Time stamp = message.header.stamp.isZero() ? ros::Time::now() : message.header.stamp;
  if (tf_.canTransform(body_frame_, frame, stamp))
    return in_body(wrench, tf_.lookupTransform(body_frame_, frame, stamp).transform);
  if (tf_.canTransform(body_frame_, frame, ros::Time(0))) {
    const auto latest = tf_.lookupTransform(body_frame_, frame, ros::Time(0));
    // not as a ros::Duration: stamps that are too far apart throw
    if (std::abs(latest.header.stamp.toSec() - stamp.toSec()) <= tf_tolerance_s_)
      return in_body(wrench, latest.transform);
    refusal_ = "no transform from " + frame + " to " + body_frame_ + " near the wrench's stamp";
  } else {
    refusal_ = "no transform from " + frame + " to " + body_frame_;
  }
  return std::nullopt;
}

void MapperNode::on_wrench(const geometry_msgs::WrenchStamped& message) {
  if (backlog_.look(steady_s())) return;
  std::optional<Six> wrench;
  try {
    wrench = to_body(message);
  } catch (const std::exception& e) {
    refusal_ = e.what();
  }
  if (!wrench) {
    ++refused_;
    ROS_WARN_THROTTLE(1, "wrench refused: %s", refusal_.c_str());
    report();
    return;
  }
  if (const auto command = mapper_.take(*wrench, now_ns())) publish(*command);
  if (mapper_.rejected()) ++refused_;
  report();
}

void MapperNode::publish(const MapperCommand& command) {
  geometry_msgs::WrenchStamped told;
  told.header.stamp = ros::Time::now();
  told.header.frame_id = body_frame_;
  told.wrench = to_ros(command.actual);
  actual_.publish(told);
  told.wrench = to_ros(command.error);
  error_.publish(told);
  thrust_.publish(to_ros(mapper_.layout(), command.thrust_N));
  ++commands_;
  bounded_ = command.bounded && !command.safe;
}

void MapperNode::tell_axes() {
  const std::vector<std::string> lost = mapper_.lost_axes();
  if (lost.empty()) return health_.clear("axes-lost", "all axes can be moved again");
  std::string text;
  for (const std::string& axis : lost) text += (text.empty() ? "" : ", ") + axis;
  health_.raise(
      "axes-lost", 4, "cannot be moved both ways any more: " + text,
      "{\"axes\": " + to_json(lost) + ", \"dropped\": " + to_json(mapper_.dropped()) + "}");
}

/// Who is out for anybody is not used.
std::string MapperNode::drop() {
  std::set<std::string> all(dropped_by_service_.begin(), dropped_by_service_.end());
  for (const auto& [node, names] : dropped_by_alarm_) all.insert(names.begin(), names.end());
  std::string reason;
  if (!mapper_.set_dropped({all.begin(), all.end()}, now_ns(), reason)) return reason;
  ROS_INFO("dropped thrusters: %s", to_json(mapper_.dropped()).c_str());
  look_around();
  return {};
}

std::string MapperNode::on_drop(const std::vector<std::string>& names) {
  const std::vector<std::string> before = std::exchange(dropped_by_service_, names);
  const std::string reason = drop();
  if (reason.empty()) return {};
  dropped_by_service_ = before;
  ROS_WARN("update_thruster_layout refused: %s", reason.c_str());
  return reason;
}

void MapperNode::on_alarm(const ros_alarms::Alarm& alarm) {
  if (alarm.alarm_name != "thruster-out") return;
  const auto raised = dropped_by_alarm_.find(alarm.node_name);
  if (!alarm.raised) {
    // only who has said that a thruster is out can say that it is not
    if (raised == dropped_by_alarm_.end()) return;
    dropped_by_alarm_.erase(raised);
    (void)drop();
    return;
  }
  const auto told = names_in_alarm(alarm.parameters);
  if (!told) {
    ROS_WARN("thruster-out without offline_thruster_names: %s", alarm.parameters.c_str());
    return;
  }
  std::vector<std::string> known;
  for (const std::string& name : *told) {
    if (mapper_.layout().find(name))
      known.push_back(name);
    else
      ROS_WARN_THROTTLE(10, "thruster-out names %s, which this layout does not have", name.c_str());
  }
  // it is said again once a second
  if (raised != dropped_by_alarm_.end() && raised->second == known) return;
  dropped_by_alarm_[alarm.node_name] = known;
  (void)drop();
}

void MapperNode::look_around() {
  (void)backlog_.look(steady_s());
  if (bounds_) {
    for (const BoundsFromDriver::Bounds& b : bounds_->take()) {
      std::string reason;
      if (!mapper_.set_bounds(b.name, b.lower_N, b.upper_N, reason))
        ROS_WARN_THROTTLE(5, "thrusters/thruster_info: %s", reason.c_str());
      else
        bounds_->done(b.name);
    }
  }
  if (const auto command = mapper_.poll(now_ns())) publish(*command);
  report();
}

void MapperNode::report() {
  tell_axes();
  const Faults faults = mapper_.faults();
  health_.tell("mapper-faults", faults,
               "Nothing is wrong with the thrusters or the wrench any more.");
  if (mapper_.rejected())
    health_.raise("wrench-invalid", 3, "a wrench that is not finite; the thrusters are stopped");
  else
    health_.clear("wrench-invalid", "the wrench is finite");
  if (const std::string trouble = mapper_.log_trouble(); !trouble.empty())
    health_.raise("mapper-log", 1, trouble);

  // who has not started yet is no loss, who has died is
  const bool taken = thrust_.getNumSubscribers() > 0;
  if (was_taken_ && !taken)
    health_.raise("thrusts-untaken", 4, "nobody takes thrusts any more: has the driver died?");
  else
    health_.clear("thrusts-untaken", "thrusts are taken");

  Health::Level level = Health::Level::kOk;
  std::string text = "mapping";
  if (!mapper_.lost_axes().empty()) {
    level = Health::Level::kError;
    text = "axes lost";
  } else if (mapper_.rejected()) {
    level = Health::Level::kError;
    text = "the wrench is not finite";
  } else if (!mapper_.unbounded().empty()) {
    level = Health::Level::kError;
    text = "bounds not known yet: waiting for thrusters/thruster_info";
  } else if (!refusal_.empty()) {
    level = Health::Level::kWarn;
    text = refusal_;
  } else if (!mapper_.dropped().empty()) {
    level = Health::Level::kWarn;
    text = "thrusters dropped";
  } else if (!taken) {
    level = Health::Level::kWarn;
    text = "nobody takes thrusts";
  } else if (mapper_.silent()) {
    if (mapper_.wrench_lost()) level = Health::Level::kWarn;
    text = "no wrench";
  }
  if (!health_.due(level, text)) return;
  health_.report(level, text,
                 {{"dropped", to_json(mapper_.dropped())},
                  {"axes lost", to_json(mapper_.lost_axes())},
                  {"faults", faults.text},
                  {"bounds unknown", to_json(mapper_.unbounded())},
                  {"commands", std::to_string(commands_)},
                  {"wrenches refused", std::to_string(refused_)},
                  {"wrench beyond reach", bounded_ ? "yes" : "no"}});
}

}  // namespace
}  // namespace pintle::ros1

int main(int argc, char** argv) {
  return pintle::ros1::run_node<pintle::ros1::MapperNode>(argc, argv, "thruster_mapper");
}
