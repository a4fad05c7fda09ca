/// How the finding of failures went, seen from outside: truth against suspicion.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "pintle/stack/load.h"
#include "pintle/world/world.h"

namespace pintle::stack {

/// Follows a run. Times are -1 for what has not happened. A failure is needed once the impulse that
/// went missing in the last half second is what 4 % of the propulsor's largest thrust would give:
/// who asks nothing of a propulsor cannot miss it.
class FailureLog {
 public:
  FailureLog(const MissionFile& mission, const Model& model);

  void take(const Outputs& out, const world::Truth& truth);
  /// first_fault_s, fault_needed_s, first_suspicion_s, suspected_propulsor, suspected_efficiency,
  /// faulty_propulsor, suspicions, false_alarms, wrong_suspicions.
  [[nodiscard]] std::vector<std::pair<std::string, double>> figures() const;

 private:
  [[nodiscard]] bool is_faulty(std::int32_t propulsor, double t_s) const;
  void follow_need(const Outputs& out, const world::Truth& truth);

  std::vector<world::FaultSpec> faults_;
  std::vector<std::int32_t> propulsor_;  ///< Of each fault.
  std::int32_t first_ = -1;              ///< Which fault begins first, unannounced.
  double tau_s_ = 0, largest_ = 1, newtons_ = 1, period_s_;
  double expected_ = 0, sum_ = 0;  ///< Thrust behind the lag, missing impulse.
  std::vector<double> missing_;    ///< Of the last half second, a ring.
  std::size_t next_ = 0;
  double needed_s_ = -1, suspicion_s_ = -1, efficiency_ = 0;
  std::int32_t suspected_ = -1;
  double suspicions_ = 0, false_alarms_ = 0, wrong_ = 0;
};

}  // namespace pintle::stack
