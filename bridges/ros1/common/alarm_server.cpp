#include "common/alarm_server.h"

#include <ros/service_manager.h>
#include <ros_alarms/AlarmGet.h>
#include <ros_alarms/AlarmSet.h>

#include <chrono>

#include "common/master_watch.h"
#include "common/node.h"
#include "common/service.h"

namespace pintle::ros1 {
namespace {

/// Who comes knows nothing of what was said before: those who do look once a second, and go first.
constexpr double kNewcomer_s = 1.5;

/// Who answers there, as the master knows it; "" nobody.
std::string who_serves(const std::string& service) {
  std::string host;
  std::uint32_t port = 0;
  if (!ros::ServiceManager::instance()->lookupService(service, host, port)) return {};
  return host + ":" + std::to_string(port);
}

}  // namespace

AlarmServer::AlarmServer()
    : born_s_(steady_s()),
      updates_(node_.subscribe("/alarm/updates", 100, &AlarmServer::on_update, this, no_delay())) {
  (void)own_address();
  thread_ = std::thread([this] { run(); });
}

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
    said_[alarm.alarm_name] = untold_[alarm.alarm_name] = alarm;
    has_news_ = true;
  }
  changed_.notify_all();
}

void AlarmServer::hear(const ros_alarms::Alarm& alarm) {
  const std::lock_guard<std::mutex> lock(mutex_);
  heard_[alarm.alarm_name] = {ros::Time::now(), alarm};
}

void AlarmServer::on_update(const ros_alarms::Alarm& alarm) {
  hear(alarm);
  if (listener_) listener_(alarm);
}

void AlarmServer::stand_in() {
  const bool is_answered = ros::service::exists("/alarm/get", false);
  // A service that came to a new master before the rest would be all that it knows (master_watch.h). Asked last:
  // one of this node's name that has come meanwhile has ended its services there, this one too, and to register
  // it again would end that one.
  if (bool reached = false; !is_known_to_master(reached)) return;
  // a server that comes takes the name over at the master: ours ends, and comes back after it
  if (get_ && !(is_answered && who_serves("/alarm/get") == own_address())) get_.shutdown();
  if (is_answered) return;
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
    const std::map<std::string, ros_alarms::Alarm> all = said_;
    lock.unlock();
    if (steady_s() - born_s_ > kNewcomer_s) stand_in();
    // one that was started anew knows nothing of what stands
    const std::string server = ros::master::check() ? who_serves("/alarm/set") : server_;
    if (server != server_ && !server.empty()) batch.insert(all.begin(), all.end());
    server_ = server;
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
