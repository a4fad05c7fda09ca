/// How alarms stood before this node was there: asked of /alarm/get, in a thread of its own.
///
/// Until there is an answer; where the service is known to the master and nobody is behind it, until
/// somebody stands in (alarm_server.h). Where there has been no such service for longer than
/// others need to stand in, nobody knows of an alarm: it is not raised.
#pragma once
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace pintle::ros1 {

class AlarmsAtStart {
 public:
  using Answer = std::pair<std::string, bool>;  ///< Alarm, whether it is raised.

  explicit AlarmsAtStart(std::vector<std::string> names);
  /// After ros::shutdown(), which ends a call to a server that hangs.
  ~AlarmsAtStart();
  AlarmsAtStart(const AlarmsAtStart&) = delete;
  AlarmsAtStart& operator=(const AlarmsAtStart&) = delete;

  /// Answers since the last call.
  [[nodiscard]] std::vector<Answer> take();

 private:
  void run();

  std::vector<std::string> names_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Answer> answers_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace pintle::ros1
