#include "jet/flight_link.h"

namespace pintle::ros1 {
namespace {

bool is_seen(FlightRequestKind kind, const FlightReport& report) noexcept {
  switch (kind) {
    case FlightRequestKind::kNone: return false;
    case FlightRequestKind::kTakeControl: return report.has_control;
    case FlightRequestKind::kReleaseControl: return !report.has_control;
    case FlightRequestKind::kTakeOff: return report.phase == FlightPhase::kAirborne;
    case FlightRequestKind::kLand: return on_ground(report.phase);
  }
  return false;
}

}  // namespace

void FlightLink::ask(const FlightRequest& request) noexcept {
  if (request.kind == FlightRequestKind::kNone || request.number <= call_.number) return;
  call_ = request;
  accepted_ = false;
  outcome_ = RequestOutcome::kPending;
}

void FlightLink::answered(std::uint32_t number, CallAnswer answer) noexcept {
  if (number != call_.number || outcome_ != RequestOutcome::kPending) return;
  accepted_ = answer == CallAnswer::kAccepted;
  if (answer == CallAnswer::kRefused) outcome_ = RequestOutcome::kRefused;
  if (answer == CallAnswer::kFailed) outcome_ = RequestOutcome::kFailed;
}

void FlightLink::complete(FlightReport& report) noexcept {
  if (accepted_ && outcome_ == RequestOutcome::kPending && is_seen(call_.kind, report))
    outcome_ = RequestOutcome::kDone;
  report.request = call_.number;
  report.outcome = outcome_;
}

}  // namespace pintle::ros1
