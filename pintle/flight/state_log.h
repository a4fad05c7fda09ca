/// Follows a mission from outside, by its events: when states began and how they ended.
#pragma once
#include <string>
#include <vector>

#include "pintle/flight/names.h"
#include "pintle/mission/mission.h"

namespace pintle::flight {

/// One attempt at a state.
struct StateRecord {
  std::string name;
  double entered_s = 0, left_s = 0;
  std::string outcome;       ///< succeeded, timed_out, aborted, interrupted.
  std::int32_t number = -1;  ///< Of the state, as in the mission file.
};

class StateLog {
 public:
  /// Names of the mission's states in its order.
  explicit StateLog(std::vector<std::string> names) : names_(std::move(names)) {}

  void take(const Event& event);
  /// At the end: what is still under way was interrupted, unless an event has said otherwise.
  void close(double t_s);

  [[nodiscard]] std::string_view current() const {
    return records_.empty() ? std::string_view{} : std::string_view(records_.back().name);
  }
  [[nodiscard]] const std::vector<StateRecord>& records() const { return records_; }

 private:
  std::vector<std::string> names_;
  std::vector<StateRecord> records_;
  std::string outcome_;
};

template <class States>
[[nodiscard]] std::vector<std::string> names_of(const States& states) {
  std::vector<std::string> names;
  names.reserve(states.size());
  for (const auto& state : states) names.push_back(state.name);
  return names;
}

}  // namespace pintle::flight
