/// The gripper between two who may ask: the mission, by numbered requests, and an operator, by a
/// service. One command is under way at a time; the newest wins, and the one before it has failed.
///
/// Without a port (`enable_serial` false) nothing is sent and every command counts as done, as in
/// the original; `connected` then stays false and the status unknown.
#pragma once
#include <cstdint>
#include <optional>

#include "pintle/base/aircraft.h"
#include "pintle/device/gripper.h"

namespace pintle::ros1 {

class GripperLink {
 public:
  /// None: no port.
  explicit GripperLink(const std::optional<device::GripperParams>& params);

  /// Every tick.
  void ask(const GripperRequest& request) noexcept;
  /// By an operator.
  void command(bool grab) noexcept;
  /// Of the last `command`: none before the first.
  [[nodiscard]] RequestOutcome command_outcome() const noexcept { return command_outcome_; }

  /// Once per tick, after what was asked. Never waits.
  [[nodiscard]] GripperReport update(Time now) noexcept;
  /// As the gripper last said; device::kGripperUnknown without a fresh one.
  [[nodiscard]] std::uint8_t status() const noexcept;
  [[nodiscard]] device::PortError port() const noexcept;

 private:
  void send(bool grab) noexcept;

  std::optional<device::Gripper> gripper_;
  std::uint32_t number_ = 0;  ///< Newest request of the mission …
  RequestOutcome request_outcome_ = RequestOutcome::kNone;
  RequestOutcome command_outcome_ = RequestOutcome::kNone;
  bool by_hand_ = false;  ///< A command came after the newest request.
};

}  // namespace pintle::ros1
