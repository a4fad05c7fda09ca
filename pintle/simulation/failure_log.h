/// How the finding of failures went, seen from outside: truth against suspicion.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pintle/simulation/detectability_bound.h"
#include "pintle/simulation/names.h"
#include "pintle/world/world.h"

namespace pintle::simulation {

/// Follows a run. Times are -1 for what has not happened. From when on a failure is
/// detectable (fault_needed_s): see detectability_bound.h.
class FailureLog {
 public:
  FailureLog(const MissionFile& mission, const Model& model);

  void take(const Outputs& out, const world::Truth& truth);
  /// first_fault_s, fault_needed_s, first_suspicion_s, suspected_propulsor, suspected_efficiency,
  /// faulty_propulsor, suspicions, false_alarms, wrong_suspicions, most_alarms.
  [[nodiscard]] std::vector<std::pair<std::string, double>> figures() const;

 private:
  [[nodiscard]] bool is_faulty(std::int32_t propulsor, double t_s) const;

  std::vector<world::FaultSpec> faults_;
  std::vector<std::int32_t> propulsor_;  ///< Of each fault.
  std::int32_t first_ = -1;              ///< Which fault begins first, unannounced.
  std::optional<DetectabilityBound> bound_;
  double suspicion_s_ = -1, efficiency_ = 0;
  std::int32_t suspected_ = -1;
  double suspicions_ = 0, false_alarms_ = 0, wrong_ = 0;
  std::size_t most_alarms_ = 0;  ///< At once.
};

}  // namespace pintle::simulation
