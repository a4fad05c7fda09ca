/// Tells the alarm server of an original vehicle, where there is one: its service /alarm/set runs
/// the handlers and the alarms that follow from others, such as kill, which a message on
/// /alarm/updates does not. In a thread of its own: a service call may wait, a node must not.
#pragma once
#include <ros_alarms/Alarm.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace pintle::ros1 {

class AlarmServer {
 public:
  AlarmServer();
  ~AlarmServer();
  AlarmServer(const AlarmServer&) = delete;
  AlarmServer& operator=(const AlarmServer&) = delete;

  /// The newest of each name is told; one that could not be told is tried again every second.
  void tell(const ros_alarms::Alarm& alarm);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, ros_alarms::Alarm> untold_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace pintle::ros1
