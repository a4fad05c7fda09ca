#include "pintle/simulation/failure_log.h"

#include <algorithm>

namespace pintle::simulation {

FailureLog::FailureLog(const MissionFile& mission, const Model& model)
    : faults_(mission.world.faults) {
  for (const world::FaultSpec& f : faults_)
    propulsor_.push_back(model.vehicle.index_of(f.propulsor));
  for (std::size_t k = 0; k < faults_.size(); ++k) {
    const bool earlier =
        first_ < 0 || faults_[k].at_s < faults_[static_cast<std::size_t>(first_)].at_s;
    if (!faults_[k].announced && propulsor_[k] >= 0 && earlier)
      first_ = static_cast<std::int32_t>(k);
  }
  if (first_ < 0) return;
  const auto k = static_cast<std::size_t>(first_);
  bound_.emplace(mission, model, static_cast<std::size_t>(propulsor_[k]), faults_[k].at_s);
}

bool FailureLog::is_faulty(std::int32_t propulsor, double t_s) const {
  for (std::size_t k = 0; k < faults_.size(); ++k)
    if (propulsor_[k] == propulsor && t_s >= faults_[k].at_s && t_s < faults_[k].until_s)
      return true;
  return false;
}

void FailureLog::take(const Outputs& out, const world::Truth& truth) {
  if (bound_) bound_->take(out, truth);
  most_alarms_ = std::max(most_alarms_, out.alarms.size());
  for (const Event& e : out.events) {
    if (e.code != EventCode::kFailureSuspected) continue;
    ++suspicions_;
    const double t = e.time.seconds();
    const bool any =
        std::any_of(faults_.begin(), faults_.end(), [&](const auto& f) { return t >= f.at_s; });
    if (!any) ++false_alarms_;
    if (any && !is_faulty(e.subject, t)) ++wrong_;
    if (suspected_ >= 0) continue;
    suspected_ = e.subject;
    suspicion_s_ = t;
    efficiency_ = e.value;
  }
}

std::vector<std::pair<std::string, double>> FailureLog::figures() const {
  const bool fault = first_ >= 0;
  const auto k = static_cast<std::size_t>(std::max(first_, 0));
  return {{"first_fault_s", fault ? faults_[k].at_s : -1},
          {"fault_needed_s", bound_ ? bound_->detectable_s() : -1},
          {"faulty_propulsor", fault ? propulsor_[k] : -1.0},
          {"first_suspicion_s", suspicion_s_},
          {"suspected_propulsor", static_cast<double>(suspected_)},
          {"suspected_efficiency", efficiency_},
          {"suspicions", suspicions_},
          {"false_alarms", false_alarms_},
          {"wrong_suspicions", wrong_},
          {"most_alarms", static_cast<double>(most_alarms_)}};
}

}  // namespace pintle::simulation
