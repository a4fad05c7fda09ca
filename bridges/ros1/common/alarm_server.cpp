#include "common/alarm_server.h"

#include <ros_alarms/AlarmGet.h>
#include <ros_alarms/AlarmSet.h>

#include <chrono>

#include "common/service.h"

namespace pintle::ros1 {

AlarmServer::AlarmServer()
    : updates_(node_.subscribe("/alarm/updates", 100, &AlarmServer::hear, this)),
      thread_([this] { run(); }) {}

AlarmServer::~AlarmServer() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void AlarmServer::tell(const ros_alarms::Alarm& alarm) {
  hear(alarm);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    untold_[alarm.alarm_name] = alarm;
    has_news_ = true;
  }
  changed_.notify_all();
}

void AlarmServer::hear(const ros_alarms::Alarm& alarm) {
  const std::lock_guard<std::mutex> lock(mutex_);
  heard_[alarm.alarm_name] = {ros::Time::now(), alarm};
}

void AlarmServer::stand_in() {
  // once: while a master comes back nothing may stand in the way of the others' registrations
  if (get_ || !ros::master::check() || ros::service::exists("/alarm/get", false)) return;
  get_ = advertise_service<ros_alarms::AlarmGet>(
      node_, "/alarm/get", [this](const auto& request, auto& response) {
        const std::lock_guard<std::mutex> lock(mutex_);
        response.alarm.alarm_name = request.alarm_name;
        response.alarm.parameters = "{}";
        if (const auto found = heard_.find(request.alarm_name); found != heard_.end()) {
          response.header.stamp = found->second.first;
          response.alarm = found->second.second;
        }
        return std::string();
      });
}

void AlarmServer::run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stop_) {
    std::map<std::string, ros_alarms::Alarm> batch;
    batch.swap(untold_);
    lock.unlock();
    stand_in();
    for (auto it = batch.begin(); it != batch.end() && ros::ok();) {
      ros_alarms::AlarmSet call;
      call.request.alarm = it->second;
      const bool told = ros::service::exists("/alarm/set", false) &&
                        ros::service::call("/alarm/set", call) && call.response.succeed;
      it = told ? batch.erase(it) : std::next(it);
    }
    lock.lock();
    // what is newer has come meanwhile
    untold_.insert(batch.begin(), batch.end());
    changed_.wait_for(lock, std::chrono::seconds(1), [this] { return stop_ || has_news_; });
    has_news_ = false;
  }
}

}  // namespace pintle::ros1
