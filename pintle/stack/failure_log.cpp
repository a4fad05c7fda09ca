#include "pintle/stack/failure_log.h"

#include <algorithm>
#include <cmath>

namespace pintle::stack {

namespace {
constexpr double kWindow_s = 0.5, kShare = 0.04;
}

FailureLog::FailureLog(const MissionFile& mission, const Model& model)
    : faults_(mission.world.faults), period_s_(model.period.seconds()) {
  for (const world::FaultSpec& f : faults_)
    propulsor_.push_back(model.vehicle.index_of(f.propulsor));
  for (std::size_t k = 0; k < faults_.size(); ++k) {
    const bool earlier =
        first_ < 0 || faults_[k].at_s < faults_[static_cast<std::size_t>(first_)].at_s;
    if (!faults_[k].announced && propulsor_[k] >= 0 && earlier)
      first_ = static_cast<std::int32_t>(k);
  }
  missing_.assign(static_cast<std::size_t>(std::max(1.0, kWindow_s / period_s_)), 0.0);
  if (first_ < 0) return;
  const auto i = static_cast<std::size_t>(propulsor_[static_cast<std::size_t>(first_)]);
  tau_s_ = model.body.tau_s[i];
  largest_ = model.body.largest[i];
  newtons_ = model.vehicle.unit.one_unit_N;
}

bool FailureLog::is_faulty(std::int32_t propulsor, double t_s) const {
  for (std::size_t k = 0; k < faults_.size(); ++k)
    if (propulsor_[k] == propulsor && t_s >= faults_[k].at_s && t_s < faults_[k].until_s)
      return true;
  return false;
}

/// What was asked of the first faulty propulsor, behind its lag, against what it gave.
void FailureLog::follow_need(const Outputs& out, const world::Truth& truth) {
  const world::FaultSpec& fault = faults_[static_cast<std::size_t>(first_)];
  const auto i = static_cast<std::size_t>(propulsor_[static_cast<std::size_t>(first_)]);
  const double t = out.now.seconds();
  // truth is that of now, before what this tick sends
  const double given = i < truth.thrust_N.size() ? truth.thrust_N[i] / newtons_ : 0;
  const double missing = t >= fault.at_s ? period_s_ * (expected_ - given) : 0;
  sum_ += missing - missing_[next_];
  missing_[next_] = missing;
  next_ = (next_ + 1) % missing_.size();
  if (needed_s_ < 0 && std::abs(sum_) >= kShare * kWindow_s * largest_) needed_s_ = t;
  const double asked = i < out.actuation.effort.size() ? out.actuation.effort[i] : 0;
  expected_ = asked + (tau_s_ > 0 ? std::exp(-period_s_ / tau_s_) : 0) * (expected_ - asked);
}

void FailureLog::take(const Outputs& out, const world::Truth& truth) {
  if (first_ >= 0) follow_need(out, truth);
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
          {"fault_needed_s", needed_s_},
          {"faulty_propulsor", fault ? propulsor_[k] : -1.0},
          {"first_suspicion_s", suspicion_s_},
          {"suspected_propulsor", static_cast<double>(suspected_)},
          {"suspected_efficiency", efficiency_},
          {"suspicions", suspicions_},
          {"false_alarms", false_alarms_},
          {"wrong_suspicions", wrong_}};
}

}  // namespace pintle::stack
