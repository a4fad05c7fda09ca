// The module behind pintle/ros1_site/bus.h: one node, its topics, one queue.
#include <custom_msgs/ThrusterAllocs.h>
#include <nav_msgs/Odometry.h>
#include <pintle_msgs/Commands.h>
#include <pintle_msgs/Reports.h>
#include <ros/callback_queue.h>
#include <ros/ros.h>
#include <rosgraph_msgs/Clock.h>
#include <sensor_msgs/Imu.h>
#include <std_msgs/Bool.h>
#include <std_msgs/Float64.h>
#include <tf2_ros/transform_broadcaster.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>

#include "common/health.h"
#include "common/master_watch.h"
#include "common/plain.h"
#include "pintle/ros1_site/bus.h"

namespace pintle::ros1_site {
namespace {

constexpr std::chrono::seconds kLeave{3};
// of the steady clock: what comes back over the bus may take so long; when told to stop; a clock stands
// when it has not moved for so long, and counts as going on by a period so often then
constexpr double kPatience_s = 30, kStopped_s = 1, kStands_s = 1, kStandingTick_s = 0.1;
constexpr std::int64_t kSecond_ns = 1'000'000'000;

double steady_s() { return ros::SteadyTime::now().toSec(); }
std::int64_t steady_ns() { return static_cast<std::int64_t>(ros::SteadyTime::now().toNSec()); }

ros::Time time_of(std::int64_t ns) {
  return {static_cast<std::uint32_t>(ns / kSecond_ns), static_cast<std::uint32_t>(ns % kSecond_ns)};
}
std::int64_t ns_of(const ros::Time& t) { return std::int64_t{t.sec} * kSecond_ns + t.nsec; }

geometry_msgs::Vector3 message(const std::array<double, 3>& v) {
  geometry_msgs::Vector3 m;
  m.x = v[0];
  m.y = v[1];
  m.z = v[2];
  return m;
}
std::array<double, 3> plain(const geometry_msgs::Vector3& v) { return {v.x, v.y, v.z}; }

nav_msgs::Odometry message(const BusState& s) {
  nav_msgs::Odometry m;
  m.header.stamp = time_of(s.stamp_ns);
  m.header.frame_id = "odom";
  m.child_frame_id = "base_link";
  auto& [position, orientation] = m.pose.pose;
  position.x = s.position_m[0];
  position.y = s.position_m[1];
  position.z = s.position_m[2];
  orientation.x = s.orientation[0];
  orientation.y = s.orientation[1];
  orientation.z = s.orientation[2];
  orientation.w = s.orientation[3];
  m.twist.twist.linear = message(std::array<double, 3>{s.twist[0], s.twist[1], s.twist[2]});
  m.twist.twist.angular = message(std::array<double, 3>{s.twist[3], s.twist[4], s.twist[5]});
  if (s.position_std_m > 0)
    for (const std::size_t i : {0, 7, 14})
      m.pose.covariance[i] = s.position_std_m * s.position_std_m;
  return m;
}
BusState plain(const nav_msgs::Odometry& m) {
  const auto& p = m.pose.pose.position;
  const auto& q = m.pose.pose.orientation;
  const auto& [v, w] = m.twist.twist;
  return {ns_of(m.header.stamp),
          {p.x, p.y, p.z},
          {q.x, q.y, q.z, q.w},
          {v.x, v.y, v.z, w.x, w.y, w.z},
          ros1::position_std_m(m.pose.covariance)};
}

sensor_msgs::Imu message(const BusImu& s) {
  sensor_msgs::Imu m;
  m.header.stamp = time_of(s.stamp_ns);
  m.header.frame_id = "base_link";
  m.orientation_covariance[0] = -1;  // it says none
  m.angular_velocity = message(s.turn_rate_rad_s);
  m.linear_acceleration = message(s.specific_force_m_s2);
  return m;
}

pintle_msgs::Reports message(const BusSample& s) {
  pintle_msgs::Reports m;
  m.header.stamp = time_of(s.now_ns);
  m.has_state = s.state.has_value();
  m.has_imu = s.imu.has_value();
  m.has_bus_voltage = s.bus_V.has_value();
  for (const BusHealth& h : s.health) {
    pintle_msgs::PropulsorHealth to;
    to.propulsor = h.propulsor;
    to.health = h.health;
    to.efficiency = h.efficiency;
    to.stuck_effort = h.stuck_effort;
    m.health.push_back(to);
  }
  for (const BusPropulsor& r : s.propulsors) {
    pintle_msgs::PropulsorReport to;
    to.header.stamp = time_of(r.stamp_ns);
    to.propulsor = r.propulsor;
    to.contact = r.contact;
    to.valid = r.valid;
    to.fault = r.fault;
    to.effort = r.effort;
    to.rpm = r.rpm;
    to.voltage = r.bus_V;
    to.current = r.bus_A;
    to.temperature = r.temperature_C;
    to.latency = r.latency_s;
    to.sent = r.sent;
    to.received = r.received;
    to.unanswered = r.unanswered;
    m.propulsors.push_back(to);
  }
  if (s.housekeeping) {
    pintle_msgs::Housekeeping to;
    to.header.stamp = time_of(s.housekeeping->stamp_ns);
    to.valid = s.housekeeping->valid;
    to.leak = s.housekeeping->leak;
    to.pressure = s.housekeeping->pressure_kPa;
    to.temperature = s.housekeeping->temperature_C;
    to.charge = s.housekeeping->charge;
    to.range = s.housekeeping->range_m;
    to.wind = s.housekeeping->wind_m_s;
    m.housekeeping.push_back(to);
  }
  if (s.flight) {
    pintle_msgs::FlightReport to;
    to.header.stamp = time_of(s.flight->stamp_ns);
    to.phase = s.flight->phase;
    to.has_control = s.flight->has_control;
    to.velocity = message(s.flight->velocity_m_s);
    to.has_yaw = s.flight->has_yaw;
    to.yaw = s.flight->yaw_rad;
    to.has_battery = s.flight->has_battery;
    to.battery = s.flight->battery;
    to.request = s.flight->request;
    to.outcome = s.flight->outcome;
    m.flight.push_back(to);
  }
  if (s.gripper) {
    pintle_msgs::GripperReport to;
    to.header.stamp = time_of(s.gripper->stamp_ns);
    to.hold = s.gripper->hold;
    to.connected = s.gripper->connected;
    to.request = s.gripper->request;
    to.outcome = s.gripper->outcome;
    m.gripper.push_back(to);
  }
  for (const BusTarget& t : s.targets) {
    pintle_msgs::TargetSighting to;
    to.header.stamp = time_of(t.stamp_ns);
    to.kind = t.kind;
    to.id = t.id;
    to.position = message(t.position_m);
    to.sigma = message(t.sigma_m);
    to.visible_share = t.visible_share;
    to.confidence = t.confidence;
    m.targets.push_back(to);
  }
  return m;
}

void take(const pintle_msgs::Reports& m, BusSample& s) {
  for (const auto& h : m.health)
    s.health.push_back({h.propulsor, h.health, h.efficiency, h.stuck_effort});
  for (const auto& r : m.propulsors)
    s.propulsors.push_back({r.propulsor, ns_of(r.header.stamp), r.contact, r.valid, r.fault,
                            r.effort, r.rpm, r.voltage, r.current, r.temperature, r.latency, r.sent,
                            r.received, r.unanswered});
  for (const auto& h : m.housekeeping)
    s.housekeeping = BusHousekeeping{ns_of(h.header.stamp), h.valid,  h.leak != 0, h.pressure,
                                     h.temperature,         h.charge, h.range,     h.wind};
  for (const auto& f : m.flight)
    s.flight = BusFlight{
        ns_of(f.header.stamp), f.phase, f.has_control != 0, f.has_yaw != 0, f.has_battery != 0,
        plain(f.velocity),     f.yaw,   f.battery,          f.request,      f.outcome};
  for (const auto& g : m.gripper)
    s.gripper = BusGripper{ns_of(g.header.stamp), g.hold, g.connected != 0, g.request, g.outcome};
  for (const auto& t : m.targets)
    s.targets.push_back({ns_of(t.header.stamp), t.kind, t.id, plain(t.position), plain(t.sigma),
                         t.visible_share, t.confidence});
}

pintle_msgs::Commands message(const BusCommand& c) {
  pintle_msgs::Commands m;
  m.header.stamp = time_of(c.now_ns);
  m.armed = c.armed;
  m.command = c.command;
  m.effort = c.effort;
  m.ignition = c.ignition;
  m.velocity = message(c.velocity_m_s);
  m.yaw_rate = c.yaw_rate_rad_s;
  m.flight_request = c.flight_request;
  m.flight_number = c.flight_number;
  m.gripper_request = c.gripper_request;
  m.gripper_number = c.gripper_number;
  return m;
}
BusCommand plain(const pintle_msgs::Commands& m) {
  BusCommand c;
  c.now_ns = ns_of(m.header.stamp);
  c.armed = m.armed != 0;
  c.command = m.command;
  c.effort = m.effort;
  c.ignition = m.ignition;
  c.velocity_m_s = plain(m.velocity);
  c.yaw_rate_rad_s = m.yaw_rate;
  c.flight_request = m.flight_request;
  c.flight_number = m.flight_number;
  c.gripper_request = m.gripper_request;
  c.gripper_number = m.gripper_number;
  return c;
}

class RosBus final : public Bus {
 public:
  explicit RosBus(const BusOptions& options) : options_(options) {
    allocs_ = node_.advertise<custom_msgs::ThrusterAllocs>("controls/thruster_allocs", kDepth);
    status_ = node_.advertise<std_msgs::Bool>("controls/status", kDepth);
    commands_ = node_.advertise<pintle_msgs::Commands>("pintle/commands", kDepth);
    if (options.with_craft) {
      state_ = node_.advertise<nav_msgs::Odometry>("state", kDepth);
      imu_ = node_.advertise<sensor_msgs::Imu>("imu", kDepth);
      voltage_ = node_.advertise<std_msgs::Float64>("bus_voltage", kDepth);
      reports_ = node_.advertise<pintle_msgs::Reports>("pintle/reports", kDepth);
      if (options.with_clock) clock_ = node_.advertise<rosgraph_msgs::Clock>("/clock", kDepth);
      tf_.emplace();
      hear<pintle_msgs::Reports>("pintle/reports", [this](const auto& m) { heard_reports_ = m; });
      hear<pintle_msgs::Commands>("pintle/commands",
                                  [this](const auto& m) { heard_commands_ = m; });
    }
    hear<nav_msgs::Odometry>("state", [this](const auto& m) { newest_.state = plain(*m); });
    hear<sensor_msgs::Imu>("imu", [this](const auto& m) {
      newest_.imu =
          BusImu{ns_of(m->header.stamp), plain(m->angular_velocity), plain(m->linear_acceleration)};
    });
    hear<std_msgs::Float64>("bus_voltage", [this](const auto& m) { newest_.bus_V = m->data; });
    health_.emplace("pintle");
    watch_.emplace(std::vector<std::string>{});
  }

  /// Until the topics between the two halves of this program are connected.
  bool join() {
    const double until_s = steady_s() + kPatience_s;
    while (options_.with_craft && ok() && !stopped() && steady_s() < until_s) {
      const bool all =
          std::all_of(heard_.begin(), heard_.end(),
                      [](const ros::Subscriber& s) { return s.getNumPublishers() > 0; }) &&
          state_.getNumSubscribers() > 0 && imu_.getNumSubscribers() > 0 &&
          voltage_.getNumSubscribers() > 0 && reports_.getNumSubscribers() > 0 &&
          commands_.getNumSubscribers() > 0;
      if (all) return true;
      queue_.callAvailable(ros::WallDuration(0.01));
    }
    return !options_.with_craft;
  }

  /// roscpp waits without limit for a master that hangs: log and verdict do not wait with it.
  bool leave() override {
    watch_.reset();
    // what was published leaves in another thread
    if (ros::ok()) ros::WallDuration(0.1).sleep();
    std::promise<void> over;
    std::future<void> end = over.get_future();
    std::thread([this, over = std::move(over)]() mutable {
      health_.reset();
      ros::shutdown();
      over.set_value();
    }).detach();
    if (end.wait_for(kLeave) == std::future_status::ready) return true;
    std::fputs("the ROS master does not answer: ended without a word to it\n", stderr);
    // nor do the destructors of what roscpp has that is static
    on_exit(
        [](int status, void*) {
          std::fflush(nullptr);
          _exit(status);
        },
        nullptr);
    return false;
  }

  [[nodiscard]] bool ok() const override { return ros::ok(); }
  [[nodiscard]] bool is_gone() const noexcept override { return is_gone_; }
  [[nodiscard]] std::int64_t now_ns() override {
    return options_.with_clock ? 1000 * kSecond_ns : own_.at(ns_of(ros::Time::now()), steady_ns());
  }

  bool hear_until(std::int64_t due_ns, BusSample& heard) override {
    queue_.callAvailable();
    const double begin_s = steady_s();
    for (;;) {
      const double left_s = static_cast<double>(due_ns - now_ns()) * 1e-9;
      if (!(left_s > 0) || !ok()) {
        stands_ = false;
        break;
      }
      // simulated time may go faster, or stand
      const bool simulated = ros::Time::isSimTime();
      queue_.callAvailable(ros::WallDuration(std::min(left_s, simulated ? 1e-3 : 1e-2)));
      if (!simulated) continue;
      if (const ros::Time clock = ros::Time::now(); clock != clock_was_) {
        clock_was_ = clock;
        moved_s_ = steady_s();
        continue;
      }
      const double stood_s = steady_s() - moved_s_;
      // who is told to stop in the air comes down at its pace, unless the clock does not go on
      is_gone_ = stopped() && stood_s > kStopped_s;
      if (is_gone_) break;
      if (stood_s < kStands_s || steady_s() - begin_s < kStandingTick_s) continue;
      if (!std::exchange(stands_, true))
        std::fputs("/clock stands: it counts as going on by a period each tenth of a second\n",
                   stderr);
      // simulated time that has not begun is no time
      if (clock_was_.isZero()) continue;
      own_.go_on_to(due_ns);
      break;
    }
    if (std::exchange(set_back_, own_.set_back()) != own_.set_back())
      std::fputs("/clock was set back: the stack goes on from where it was\n", stderr);
    heard = std::exchange(newest_, {});
    heard.now_ns = ns_of(ros::Time::now());
    return ok();
  }

  void tell(const BusCommand& c) override {
    // others judge its age by ROS's clock; a craft in this program knows its tick by the stamp
    const ros::Time stamp = options_.with_craft ? time_of(c.now_ns) : ros::Time::now();
    pintle_msgs::Commands commands = message(c);
    commands.header.stamp = stamp;
    commands_.publish(commands);
    custom_msgs::ThrusterAllocs allocs;
    allocs.header.stamp = stamp;
    allocs.header.frame_id = "base_link";
    allocs.allocs = c.effort;
    allocs_.publish(allocs);
    std_msgs::Bool status;
    status.data = c.live;
    status_.publish(status);
    tell_faults(c);
  }

  void tell(const BusSample& s) override {
    if (options_.with_clock) {
      rosgraph_msgs::Clock m;
      m.clock = time_of(s.now_ns);
      clock_.publish(m);
    }
    if (s.state) {
      const nav_msgs::Odometry m = message(*s.state);
      geometry_msgs::TransformStamped t;
      t.header = m.header;
      t.child_frame_id = m.child_frame_id;
      t.transform.translation = message(s.state->position_m);
      t.transform.rotation = m.pose.pose.orientation;
      tf_->sendTransform(t);
      state_.publish(m);
    }
    if (s.imu) imu_.publish(message(*s.imu));
    if (s.bus_V) {
      std_msgs::Float64 m;
      m.data = *s.bus_V;
      voltage_.publish(m);
    }
    reports_.publish(message(s));
  }

  bool hear(std::int64_t now_ns, BusSample& heard) override {
    const bool come = wait([&] {
      return heard_reports_ && ns_of(heard_reports_->header.stamp) == now_ns &&
             newest_.state.has_value() >= (heard_reports_->has_state != 0) &&
             newest_.imu.has_value() >= (heard_reports_->has_imu != 0) &&
             newest_.bus_V.has_value() >= (heard_reports_->has_bus_voltage != 0);
    });
    heard = std::exchange(newest_, {});
    if (!come) return false;
    take(*heard_reports_, heard);
    return true;
  }

  bool hear(std::int64_t now_ns, BusCommand& heard) override {
    const bool come =
        wait([&] { return heard_commands_ && ns_of(heard_commands_->header.stamp) == now_ns; });
    if (come) heard = plain(*heard_commands_);
    return come;
  }

 private:
  static constexpr std::uint32_t kDepth = 10;

  void tell_faults(const BusCommand& c) {
    using ros1::Health;
    health_->tell("pintle-faults", {ros1::kLeastFault + c.gravest, c.faults},
                  "Nothing is wrong with the craft any more.");
    const Health::Level level = c.live    ? Health::Level::kOk
                                : c.armed ? Health::Level::kError
                                          : Health::Level::kWarn;
    const char* how = c.live ? "armed" : c.armed ? "holds the safe efforts" : "disarmed";
    if (health_->due(level, how)) health_->report(level, how, {{"faults", c.faults}});
  }

  [[nodiscard]] bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }

  template <class Condition>
  bool wait(Condition condition) {
    queue_.callAvailable();
    const double begin_s = steady_s();
    while (!condition()) {
      if (!ok() || steady_s() - begin_s > (stopped() ? kStopped_s : kPatience_s)) {
        is_gone_ = stopped();
        return false;
      }
      queue_.callAvailable(ros::WallDuration(0.01));
    }
    return true;
  }

  /// Of a craft in this program nobody else speaks.
  template <class Message, class Take>
  void hear(const char* topic, Take take) {
    const bool own = options_.with_craft;
    heard_.push_back(node_.subscribe<Message>(
        topic, kDepth,
        boost::function<void(const ros::MessageEvent<Message const>&)>(
            [take, own](const ros::MessageEvent<Message const>& event) {
              if (!own || event.getPublisherName() == ros::this_node::getName())
                take(event.getMessage());
            }),
        ros::VoidConstPtr(), ros::TransportHints().tcpNoDelay()));
  }

  BusOptions options_;
  ros::CallbackQueue& queue_ = *ros::getGlobalCallbackQueue();
  ros::NodeHandle node_;
  ros::Publisher allocs_, status_, commands_, state_, imu_, voltage_, reports_, clock_;
  std::optional<tf2_ros::TransformBroadcaster> tf_;
  std::vector<ros::Subscriber> heard_;
  BusSample newest_;
  pintle_msgs::Reports::ConstPtr heard_reports_;
  pintle_msgs::Commands::ConstPtr heard_commands_;
  std::optional<ros1::Health> health_;
  std::optional<ros1::MasterWatch> watch_;
  BusClock own_{ns_of(ros::Time::now()), steady_ns(), ros::Time::isSimTime()};
  std::uint32_t set_back_ = 0;
  ros::Time clock_was_;
  double moved_s_ = steady_s();  ///< When simulated time was last seen to move.
  bool stands_ = false;          ///< And that has been told.
  bool is_gone_ = false;         ///< See Bus.
};

}  // namespace
}  // namespace pintle::ros1_site

extern "C" pintle::ros1_site::Bus* pintle_ros1_open_bus(
    const pintle::ros1_site::BusOptions& options, std::string& why_not) {
  try {
    ros::init(ros::M_string(), options.node, ros::init_options::NoSigintHandler);
    if (!ros::master::check()) {
      why_not = "no ROS master answers at " + ros::master::getURI() +
                ": start  roscore , or set ROS_MASTER_URI";
      return nullptr;
    }
    auto bus = std::make_unique<pintle::ros1_site::RosBus>(options);
    if (bus->join()) return bus.release();
    why_not =
        "the topics of this program have not found each other: is ROS_IP or ROS_HOSTNAME "
        "an address of this machine?";
  } catch (const std::exception& e) {
    why_not = e.what();
  }
  return nullptr;
}
