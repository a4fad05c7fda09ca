#include "mapper/bounds_from_driver.h"

#include <ros/ros.h>

#include <chrono>

namespace pintle::ros1 {

BoundsFromDriver::BoundsFromDriver(const std::vector<std::string>& names)
    : open_(names.begin(), names.end()), thread_([this] { ask(); }) {}

BoundsFromDriver::~BoundsFromDriver() {
  stop_ = true;
  thread_.join();
}

std::vector<BoundsFromDriver::Bounds> BoundsFromDriver::take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Bounds> out;
  out.swap(found_);
  return out;
}

void BoundsFromDriver::done(const std::string& name) {
  const std::lock_guard<std::mutex> lock(mutex_);
  open_.erase(name);
}

void BoundsFromDriver::ask() {
  const std::string service = ros::names::resolve("thrusters/thruster_info");
  while (!stop_ && ros::ok()) {
    std::set<std::string> names;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      names = open_;
    }
    if (names.empty()) return;
    for (const std::string& name : names) {
      if (stop_ || !ros::ok() || !ros::service::exists(service, false)) break;
      sub8_msgs::ThrusterInfo call;
      call.request.thruster_name = name;
      if (!ros::service::call(service, call)) continue;
      const std::lock_guard<std::mutex> lock(mutex_);
      found_.push_back({name, static_cast<double>(call.response.min_force),
                        static_cast<double>(call.response.max_force)});
    }
    for (int k = 0; k < 10 && !stop_; ++k)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace pintle::ros1
