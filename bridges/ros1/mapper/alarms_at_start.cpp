#include "mapper/alarms_at_start.h"

#include <ros/ros.h>
#include <ros/service_manager.h>
#include <ros_alarms/AlarmGet.h>

#include <chrono>

#include "common/node.h"

namespace pintle::ros1 {
namespace {

const std::string kService = "/alarm/get";
constexpr double kNobody_s = 1.5;  // others look once a second whether they must stand in

bool is_registered() {
  std::string host;
  std::uint32_t port = 0;
  return ros::ServiceManager::instance()->lookupService(kService, host, port);
}

}  // namespace

AlarmsAtStart::AlarmsAtStart(std::vector<std::string> names)
    : names_(std::move(names)), thread_([this] { run(); }) {}

AlarmsAtStart::~AlarmsAtStart() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::vector<AlarmsAtStart::Answer> AlarmsAtStart::take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(answers_, {});
}

void AlarmsAtStart::run() {
  double since_s = steady_s();
  std::unique_lock<std::mutex> lock(mutex_);
  for (std::size_t next = 0; next < names_.size() && !stop_ && ros::ok();) {
    lock.unlock();
    ros_alarms::AlarmGet call;
    call.request.alarm_name = names_[next];
    const bool answered =
        ros::service::exists(kService, false) && ros::service::call(kService, call);
    if (answered || is_registered()) since_s = steady_s();
    lock.lock();
    if (answered || steady_s() - since_s > kNobody_s)
      answers_.emplace_back(names_[next++], answered && call.response.alarm.raised);
    else
      changed_.wait_for(lock, std::chrono::milliseconds(100), [this] { return stop_; });
  }
}

}  // namespace pintle::ros1
