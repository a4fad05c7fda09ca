/// What a node says about itself: /diagnostics once a second and on every change, and alarms on
/// /alarm/updates when they are raised or cleared, and to each subscriber that comes later. An
/// alarm server that the vehicle has is told too; where there is none, /alarm/get is answered
/// (alarm_server.h).
#pragma once
#include <ros/publisher.h>
#include <ros_alarms/Alarm.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "common/alarm_server.h"
#include "common/plain.h"

namespace pintle::ros1 {

class Health {
 public:
  enum class Level { kOk = 0, kWarn = 1, kError = 2, kStale = 3 };
  using Values = std::vector<std::pair<std::string, std::string>>;

  /// `name` heads the entry in /diagnostics.
  explicit Health(std::string name);

  /// Publishes at once when level or message changed, else once a second (of the steady clock).
  void report(Level level, const std::string& message, const Values& values);

  /// Whether a report of this would be published now.
  [[nodiscard]] bool due(Level level, const std::string& message) const;

  /// severity: 5 worst, 0 least. Published when it was not raised, its severity or text changed,
  /// and then once a second with the parameters as they are, for as long as this is called.
  void raise(const std::string& alarm, int severity, const std::string& description,
             const std::string& parameters_json = "{}");
  void clear(const std::string& alarm, const std::string& description,
             const std::string& parameters_json = "{}");
  /// Raised while anything is wrong, in its words; cleared with `over`.
  void tell(const std::string& alarm, const Faults& faults, const std::string& over);
  /// Says that it is not raised although it never was: for what others remember of an earlier run.
  void announce(const std::string& alarm, const std::string& description,
                const std::string& parameters_json = "{}");
  /// Says again how it stands: somebody else has said otherwise.
  void repeat(const std::string& alarm) const;
  [[nodiscard]] bool raised(const std::string& alarm) const;
  /// What anybody says of alarms (alarm_server.h).
  void listen(AlarmServer::Listener listener) { server_.listen(std::move(listener)); }

 private:
  void send(const std::string& alarm, bool raised, int severity, const std::string& description,
            const std::string& parameters_json);
  void greet(const ros::SingleSubscriberPublisher& newcomer) const;

  std::string name_;
  ros::Publisher diagnostics_, alarms_;
  Level last_level_ = Level::kStale;
  std::string last_message_;
  double last_report_s_ = -1e9;
  mutable std::mutex mutex_;                        ///< Subscribers come while alarms are raised.
  std::map<std::string, ros_alarms::Alarm> alarm_;  ///< As last sent, by name …
  std::map<std::string, double> sent_s_;            ///< … and when.
  AlarmServer server_;
};

}  // namespace pintle::ros1
