#include "common/alarm_server.h"

#include <ros/ros.h>
#include <ros_alarms/AlarmSet.h>

#include <chrono>

namespace pintle::ros1 {

AlarmServer::AlarmServer() : thread_([this] { run(); }) {}

AlarmServer::~AlarmServer() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void AlarmServer::tell(const ros_alarms::Alarm& alarm) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    untold_[alarm.alarm_name] = alarm;
  }
  changed_.notify_all();
}

void AlarmServer::run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stop_) {
    changed_.wait(lock, [this] { return stop_ || !untold_.empty(); });
    std::map<std::string, ros_alarms::Alarm> batch;
    batch.swap(untold_);
    lock.unlock();
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
    if (!batch.empty() && !stop_) changed_.wait_for(lock, std::chrono::seconds(1));
  }
}

}  // namespace pintle::ros1
