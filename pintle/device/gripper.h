/// Drives a gripper over a serial port: a command succeeds when the gripper says so.
///
///   request → frame sent → status frame with the same value within ack_timeout_s   confirmed
///                        → none: sent again, attempts times in all                   failed
///
/// Only a status that arrives after the frame was sent counts. A gripper that never answers can be
/// used with `acknowledged: false`: a command is then done when it was sent, and its status stays
/// unknown; the report says kSent and never kConfirmed.
///
/// A port that is missing or goes away fails a pending command at once: nothing is dropped later,
/// when the plug is back. The driver then tries to open it every reopen_s.
///
/// Source of the frame: gripper_frame.h. The original sends the frame anew in every cycle, takes a
/// write for a success, and opens its port for writing only, so that it never has a status.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "pintle/base/fields.h"
#include "pintle/base/finding.h"
#include "pintle/base/time.h"
#include "pintle/device/gripper_frame.h"
#include "pintle/device/serial_port.h"

namespace pintle::device {

enum class GripperCommand : std::uint8_t { kRelease = 0, kGrab = 1 };

enum class GripperProgress : std::uint8_t {
  kIdle,       ///< Nothing was asked yet.
  kPending,    ///< Asked, not answered.
  kSent,       ///< Sent to a gripper that does not answer.
  kConfirmed,  ///< The gripper reports what was asked.
  kFailed,     ///< Not answered, or no port.
};

struct GripperParams {
  std::string serial_port = "/dev/ttyTHS2";
  int serial_baudrate = 115200;
  double ack_timeout_s = 0.2;
  int attempts = 5;
  bool acknowledged = true;
  double reopen_s = 1;
  double status_timeout_s = 1;  ///< A status older than this is unknown.
};

[[nodiscard]] Findings check(const GripperParams& params);

struct GripperLineReport {
  PortError port = PortError::kMissing;  ///< kNone while it is open.
  GripperProgress progress = GripperProgress::kIdle;
  GripperCommand command = GripperCommand::kRelease;  ///< The last one asked.
  /// As last reported; kGripperUnknown without a fresh one.
  std::uint8_t status = kGripperUnknown;
  int attempt = 0;  ///< Of this command: frames sent so far.
};

class Gripper {
 public:
  explicit Gripper(const GripperParams& params) : params_(params) {}

  /// Takes effect in the next update. A new command replaces the one before it; the same one, still
  /// pending, changes nothing.
  void request(GripperCommand command) noexcept;
  /// Stops asking; what the gripper has already heard it will do.
  void cancel() noexcept;

  /// Once per tick: opens, reads, sends and judges. Never waits.
  const GripperLineReport& update(Time now) noexcept;
  [[nodiscard]] const GripperLineReport& report() const noexcept { return report_; }

 private:
  void open_when_due(Time now) noexcept;
  void read_statuses(Time now) noexcept;
  void send_when_due(Time now) noexcept;
  void lose(PortError error, Time now) noexcept;

  GripperParams params_;
  SerialPort port_;
  GripperDecoder decoder_;
  GripperLineReport report_;
  std::optional<Time> opened_or_tried_, sent_, status_heard_;
  std::size_t sent_bytes_ = 0;  ///< Of the frame that is on its way.
  bool is_sending_ = false;
  Time sending_since_{};
};

}  // namespace pintle::device

namespace pintle {
template <>
const EnumTable& enum_table<device::GripperCommand>();
template <>
const EnumTable& enum_table<device::GripperProgress>();
template <>
const Table& table_of<device::GripperParams>();
}  // namespace pintle
