/// The alarm server of an original vehicle, and what stands in for it where there is none.
///
/// Where there is one, its service /alarm/set is called: it runs the handlers and the alarms that
/// follow from others, such as kill, which a message on /alarm/updates does not. Where nobody
/// answers /alarm/get, this does, with what was last said on /alarm/updates; an alarm that nobody
/// spoke of is not raised, as there. A server that comes later takes over, and when it goes this
/// answers again: looked at once a second. In a thread of its own: a call may wait, a node must not.
#pragma once
#include <ros/ros.h>
#include <ros_alarms/Alarm.h>

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace pintle::ros1 {

class AlarmServer {
 public:
  AlarmServer();
  ~AlarmServer();
  AlarmServer(const AlarmServer&) = delete;
  AlarmServer& operator=(const AlarmServer&) = delete;

  /// The newest of each name is told; one that could not be told is tried again every second. A
  /// server that comes, or comes back, is told of all.
  void tell(const ros_alarms::Alarm& alarm);

  /// Of all that comes on /alarm/updates, in the thread of the node's callbacks. A second subscription in one
  /// process would end it: roscpp reads an empty message, as a rogue publisher may send, for the second from
  /// memory that it has freed.
  using Listener = std::function<void(const ros_alarms::Alarm&)>;
  void listen(Listener listener) { listener_ = std::move(listener); }

 private:
  void run();
  void stand_in();
  void hear(const ros_alarms::Alarm& alarm);
  void on_update(const ros_alarms::Alarm& alarm);

  ros::NodeHandle node_;
  double born_s_;
  Listener listener_;
  ros::Subscriber updates_;
  ros::ServiceServer get_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, ros_alarms::Alarm> said_, untold_;
  std::string server_;  ///< Who takes /alarm/set.
  std::map<std::string, std::pair<ros::Time, ros_alarms::Alarm>> heard_;
  bool has_news_ = false, stop_ = false;
  std::thread thread_;
};

}  // namespace pintle::ros1
