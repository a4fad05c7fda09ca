/// What a node says about itself: /diagnostics once a second and on every change, and alarms on
/// /alarm/updates when they are raised or cleared.
#pragma once
#include <ros/publisher.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

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

  /// severity: 5 worst, 0 least. Published when it was not raised, or its severity or text changed.
  void raise(const std::string& alarm, int severity, const std::string& description,
             const std::string& parameters_json = "{}");
  void clear(const std::string& alarm, const std::string& description);
  [[nodiscard]] bool raised(const std::string& alarm) const;

 private:
  void send(const std::string& alarm, bool raised, int severity, const std::string& description,
            const std::string& parameters_json);

  std::string name_;
  ros::Publisher diagnostics_, alarms_;
  Level last_level_ = Level::kStale;
  std::string last_message_;
  double last_report_s_ = -1e9;
  std::map<std::string, std::pair<int, std::string>> raised_;
};

}  // namespace pintle::ros1
