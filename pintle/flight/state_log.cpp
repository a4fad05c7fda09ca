#include "pintle/flight/state_log.h"

namespace pintle::flight {

void StateLog::take(const Event& event) {
  const double t = event.time.seconds();
  switch (event.code) {
    case EventCode::kStateSucceeded: outcome_ = "succeeded"; break;
    case EventCode::kStateTimedOut: outcome_ = "timed_out"; break;
    case EventCode::kMissionAborted: outcome_ = "aborted"; break;
    case EventCode::kStateRetried: close(t); break;
    case EventCode::kStateEntered: {
      close(t);
      const auto index = static_cast<std::size_t>(event.subject);
      if (index < names_.size()) records_.push_back({names_[index], t, t, "", event.subject});
      break;
    }
    default: break;
  }
}

void StateLog::close(double t_s) {
  if (records_.empty() || !records_.back().outcome.empty()) return;
  records_.back().left_s = t_s;
  records_.back().outcome = outcome_.empty() ? "interrupted" : outcome_;
  outcome_.clear();
}

}  // namespace pintle::flight
