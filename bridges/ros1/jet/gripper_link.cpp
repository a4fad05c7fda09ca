#include "jet/gripper_link.h"

namespace pintle::ros1 {

GripperLink::GripperLink(const std::optional<device::GripperParams>& params) {
  if (params) gripper_.emplace(*params);
}

void GripperLink::send(bool grab) noexcept {
  const auto command = grab ? device::GripperCommand::kGrab : device::GripperCommand::kRelease;
  if (gripper_) {
    // a new one begins anew, also when it is the same as the one under way
    gripper_->cancel();
    gripper_->request(command);
  }
}

void GripperLink::ask(const GripperRequest& request) noexcept {
  if (request.kind == GripperRequestKind::kNone || request.number <= number_) return;
  number_ = request.number;
  request_outcome_ = RequestOutcome::kPending;
  if (command_outcome_ == RequestOutcome::kPending) command_outcome_ = RequestOutcome::kFailed;
  by_hand_ = false;
  send(request.kind == GripperRequestKind::kGrab);
}

void GripperLink::command(bool grab) noexcept {
  command_outcome_ = RequestOutcome::kPending;
  if (request_outcome_ == RequestOutcome::kPending) request_outcome_ = RequestOutcome::kFailed;
  by_hand_ = true;
  send(grab);
}

GripperReport GripperLink::update(Time now) noexcept {
  GripperReport out;
  out.stamp = now;
  auto outcome = RequestOutcome::kDone;
  if (gripper_) {
    using device::GripperProgress;
    const device::GripperLineReport& r = gripper_->update(now);
    out.connected = r.port == device::PortError::kNone;
    out.hold = r.status == 0   ? GripperHold::kReleased
               : r.status == 1 ? GripperHold::kGrabbed
                               : GripperHold::kUnknown;
    outcome = r.progress == GripperProgress::kFailed    ? RequestOutcome::kFailed
              : r.progress == GripperProgress::kPending ? RequestOutcome::kPending
                                                        : RequestOutcome::kDone;
  }
  if (request_outcome_ == RequestOutcome::kPending) request_outcome_ = outcome;
  if (command_outcome_ == RequestOutcome::kPending) command_outcome_ = outcome;
  out.request = number_;
  out.outcome = request_outcome_;
  out.by_hand = by_hand_;
  return out;
}

std::uint8_t GripperLink::status() const noexcept {
  return gripper_ ? gripper_->report().status : device::kGripperUnknown;
}

device::PortError GripperLink::port() const noexcept {
  return gripper_ ? gripper_->report().port : device::PortError::kMissing;
}

}  // namespace pintle::ros1
