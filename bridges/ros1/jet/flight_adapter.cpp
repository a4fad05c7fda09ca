#include "jet/flight_adapter.h"

#include <geometry_msgs/TwistStamped.h>
#include <std_srvs/SetBool.h>
#include <std_srvs/Trigger.h>

#include "common/node.h"

namespace pintle::ros1 {
namespace {

template <class Service>
ServiceCaller::Call to(ros::ServiceClient client, Service service, const char* what) {
  return [client, service, what]() mutable {
    if (!client.call(service)) {
      ROS_WARN("%s: %s does not answer", what, client.getService().c_str());
      return ServiceAnswer::kFailed;
    }
    if (service.response.success) return ServiceAnswer::kAccepted;
    ROS_WARN("%s: refused: %s", what, service.response.message.c_str());
    return ServiceAnswer::kRefused;
  };
}

std_srvs::SetBool set_bool(bool data) {
  std_srvs::SetBool s;
  s.request.data = data;
  return s;
}

}  // namespace

ServiceCaller::ServiceCaller(Answered answered)
    : answered_(std::move(answered)), thread_([this] { work(); }) {}

ServiceCaller::~ServiceCaller() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void ServiceCaller::ask(std::uint32_t number, Call call) {
  const std::lock_guard lock(mutex_);
  waiting_.emplace(number, std::move(call));
  wake_.notify_all();
}

void ServiceCaller::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stop_ || waiting_; });
    if (stop_) return;
    auto [number, call] = std::move(*waiting_);
    waiting_.reset();
    lock.unlock();
    const ServiceAnswer answer = call();
    answered_(number, answer);
    lock.lock();
  }
}

FlightAdapter::FlightAdapter(ros::NodeHandle& node, Aircraft& aircraft, ToReport clock)
    : aircraft_(aircraft), clock_(std::move(clock)) {
  const std::string root = "/flight_controller/";
  set_velocity_ = node.advertise<geometry_msgs::TwistStamped>(root + "set_velocity", 1);
  control_client_ = node.serviceClient<std_srvs::SetBool>(root + "control");
  take_off_client_ = node.serviceClient<std_srvs::Trigger>(root + "take_off");
  land_client_ = node.serviceClient<std_srvs::Trigger>(root + "land");

  subscribers_.push_back(node.subscribe<std_msgs::UInt8>(
      root + "flight_status", 1,
      [this](const std_msgs::UInt8::ConstPtr& m) { parts_.phase(m->data, steady_s()); }, {},
      no_delay()));
  subscribers_.push_back(node.subscribe<std_msgs::Bool>(
      root + "has_control", 1,
      [this](const std_msgs::Bool::ConstPtr& m) { parts_.control(m->data != 0, steady_s()); }, {},
      no_delay()));
  subscribers_.push_back(node.subscribe<std_msgs::Float32>(
      root + "battery", 1,
      [this](const std_msgs::Float32::ConstPtr& m) { parts_.battery(m->data, steady_s()); }, {},
      no_delay()));
  subscribers_.push_back(
      node.subscribe(root + "attitude", 1, &FlightAdapter::on_attitude, this, no_delay()));
  subscribers_.push_back(
      node.subscribe(root + "velocity", 1, &FlightAdapter::on_velocity, this, no_delay()));

  const auto answer = [this](std::uint32_t n, ServiceAnswer a) { answered(n, a); };
  control_ = std::make_unique<ServiceCaller>(answer);
  take_off_ = std::make_unique<ServiceCaller>(answer);
  land_ = std::make_unique<ServiceCaller>(answer);
}

void FlightAdapter::on_attitude(const geometry_msgs::QuaternionStamped::ConstPtr& m) {
  const auto& q = m->quaternion;
  parts_.attitude({q.x, q.y, q.z, q.w}, steady_s());
}

void FlightAdapter::on_velocity(const geometry_msgs::Vector3Stamped::ConstPtr& m) {
  const Three velocity{m->vector.x, m->vector.y, m->vector.z};
  if (const auto report = parts_.report(clock_(m->header.stamp), velocity, steady_s()))
    aircraft_.flight(*report);
}

void FlightAdapter::answered(std::uint32_t number, ServiceAnswer answer) {
  const std::lock_guard lock(mutex_);
  answers_.emplace_back(number, answer);
}

void FlightAdapter::take_answers() {
  std::vector<std::pair<std::uint32_t, ServiceAnswer>> answers;
  {
    const std::lock_guard lock(mutex_);
    answers.swap(answers_);
  }
  for (const auto& [number, answer] : answers) aircraft_.answered(number, answer);
}

void FlightAdapter::send(const JetCycle& cycle, const ros::Time& now) {
  for (const std::string& news : parts_.news(steady_s())) ROS_WARN("%s", news.c_str());
  geometry_msgs::TwistStamped m;
  m.header.stamp = now;
  m.header.frame_id = "base_link";
  m.twist.linear.x = cycle.velocity[0];
  m.twist.linear.y = cycle.velocity[1];
  m.twist.linear.z = cycle.velocity[2];
  m.twist.angular.z = cycle.yaw_rate;
  set_velocity_.publish(m);

  if (cycle.service == FlightService::kNone || cycle.service_number == called_) return;
  called_ = cycle.service_number;
  switch (cycle.service) {
    case FlightService::kTakeControl:
      control_->ask(called_, to(control_client_, set_bool(true), "request control"));
      break;
    case FlightService::kReleaseControl:
      control_->ask(called_, to(control_client_, set_bool(false), "release control"));
      break;
    case FlightService::kTakeOff:
      take_off_->ask(called_, to(take_off_client_, std_srvs::Trigger(), "take off"));
      break;
    case FlightService::kLand:
      land_->ask(called_, to(land_client_, std_srvs::Trigger(), "land"));
      break;
    case FlightService::kNone: break;
  }
}

}  // namespace pintle::ros1
