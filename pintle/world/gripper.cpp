#include "pintle/world/gripper.h"

namespace pintle::world {
namespace {
constexpr double kReportRate_Hz = 20;
}

void GripperInWorld::request(const GripperRequest& r, Time now) noexcept {
  if (faults_.active(DeviceFaultKind::kSilent, now)) return;
  if (r.kind == GripperRequestKind::kNone || static_cast<std::int32_t>(r.number - heard_) <= 0)
    return;
  heard_ = r.number;
  asked_ = r.kind;
  outcome_ = RequestOutcome::kPending;
  due_ =
      now + Duration::from_seconds(gripper_.delay_s + faults_.value(DeviceFaultKind::kSlow, now));
}

int GripperInWorld::within_reach(const Plant& plant) const noexcept {
  const Pose X_WB = plant.link(0).X_WL;
  const Vec3 p_W = X_WB.p + rotate(X_WB.q, gripper_.position_m);
  int best = -1;
  double nearest = gripper_.reach_m;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (!(bodies_[i].mass_kg > 0)) continue;
    const Pose X_WT = plant.body(i).X_WL;
    const double d = distance_to(bodies_[i], rotate(conjugate(X_WT.q), p_W - X_WT.p));
    if (d <= nearest) {
      nearest = d;
      best = static_cast<int>(i);
    }
  }
  return best;
}

void GripperInWorld::open(Plant& plant) noexcept {
  if (held_ >= 0) plant.hold(static_cast<std::size_t>(held_), false);
  held_ = -1;
}

void GripperInWorld::act(Plant& plant, Time now) noexcept {
  if (outcome_ != RequestOutcome::kPending || now < due_) return;
  if (faults_.active(DeviceFaultKind::kHangs, now)) return;
  if (faults_.active(DeviceFaultKind::kRefuses, now)) {
    outcome_ = RequestOutcome::kRefused;
    return;
  }
  outcome_ = RequestOutcome::kDone;
  if (asked_ == GripperRequestKind::kRelease) {
    open(plant);
  } else if (held_ < 0) {
    const int body = within_reach(plant);
    if (body >= 0 && plant.hold(static_cast<std::size_t>(body), true))
      held_ = body;
    else
      outcome_ = RequestOutcome::kFailed;
  }
}

void GripperInWorld::update(Plant& plant, Time now) noexcept {
  act(plant, now);
  if (faults_.active(DeviceFaultKind::kOpens, now)) open(plant);
  if (now < next_report_) return;
  while (next_report_ <= now)
    next_report_ = Time::from_seconds(static_cast<double>(++reports_) / kReportRate_Hz);
  if (faults_.active(DeviceFaultKind::kSilent, now)) return;
  const bool lies = faults_.active(DeviceFaultKind::kLies, now);
  report_ = {now, (held_ >= 0) != lies ? GripperHold::kGrabbed : GripperHold::kReleased, true,
             heard_, outcome_};
  has_report_ = true;
}

bool GripperInWorld::take_report(GripperReport& report) noexcept {
  if (!has_report_) return false;
  report = report_;
  has_report_ = false;
  return true;
}

}  // namespace pintle::world
