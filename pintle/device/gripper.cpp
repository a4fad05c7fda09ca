#include "pintle/device/gripper.h"

#include <array>
#include <span>

namespace pintle::device {

void Gripper::request(GripperCommand command) noexcept {
  if (report_.progress == GripperProgress::kPending && report_.command == command) return;
  report_.command = command;
  report_.progress = GripperProgress::kPending;
  report_.attempt = 0;
  sent_.reset();
  // a frame that is half out is given up: completing it would do what is no longer asked
  is_sending_ = false;
}

void Gripper::cancel() noexcept {
  if (report_.progress == GripperProgress::kPending) report_.progress = GripperProgress::kIdle;
}

const GripperLineReport& Gripper::update(Time now) noexcept {
  open_when_due(now);
  if (port_.is_open()) read_statuses(now);
  if (port_.is_open()) send_when_due(now);
  if (!port_.is_open() && report_.progress == GripperProgress::kPending)
    report_.progress = GripperProgress::kFailed;
  if (status_heard_ && now - *status_heard_ > Duration::from_seconds(params_.status_timeout_s)) {
    status_heard_.reset();
    report_.status = kGripperUnknown;
  }
  return report_;
}

void Gripper::open_when_due(Time now) noexcept {
  if (port_.is_open()) return;
  if (opened_or_tried_ && now - *opened_or_tried_ < Duration::from_seconds(params_.reopen_s))
    return;
  opened_or_tried_ = now;
  report_.port = port_.open(params_.serial_port, params_.serial_baudrate);
  decoder_.reset();
  is_sending_ = false;
}

void Gripper::lose(PortError error, Time now) noexcept {
  port_.drop();
  report_.port = error;
  report_.status = kGripperUnknown;
  status_heard_.reset();
  opened_or_tried_ = now;
}

void Gripper::read_statuses(Time now) noexcept {
  std::array<std::uint8_t, 64> bytes{};
  const Transfer got = port_.read(bytes);
  if (got.error != PortError::kNone) return lose(got.error, now);
  for (const std::uint8_t byte : std::span(bytes).first(got.bytes)) {
    const std::optional<std::uint8_t> status = decoder_.push(byte);
    if (!status) continue;
    report_.status = *status;
    status_heard_ = now;
    // what it said before it was asked is no answer
    if (report_.progress == GripperProgress::kPending && sent_ && params_.acknowledged &&
        *status == static_cast<std::uint8_t>(report_.command))
      report_.progress = GripperProgress::kConfirmed;
  }
}

void Gripper::send_when_due(Time now) noexcept {
  if (report_.progress != GripperProgress::kPending) return;
  if (sent_) {
    if (now - *sent_ < Duration::from_seconds(params_.ack_timeout_s)) return;
    if (report_.attempt >= params_.attempts) {
      report_.progress = GripperProgress::kFailed;
      return;
    }
  }
  if (!is_sending_) {
    is_sending_ = true;
    sent_bytes_ = 0;
    sending_since_ = now;
  }
  const GripperFrame frame = encode_gripper(static_cast<std::uint8_t>(report_.command));
  const Transfer put = port_.write(std::span(frame).subspan(sent_bytes_));
  if (put.error != PortError::kNone) return lose(put.error, now);
  sent_bytes_ += put.bytes;
  if (sent_bytes_ < frame.size()) {  // the rest in the next tick
    if (now - sending_since_ >= Duration::from_seconds(params_.ack_timeout_s))
      lose(PortError::kStopped, now);
    return;
  }
  is_sending_ = false;
  sent_ = now;
  ++report_.attempt;
  if (!params_.acknowledged) report_.progress = GripperProgress::kSent;
}

Findings check(const GripperParams& p) {
  Findings out;
  const auto want = [&](bool fine, const char* path, const char* message, const char* fix) {
    if (!fine) out.push_back({path, message, fix, true});
  };
  want(!p.serial_port.empty(), "serial_port", "expected the path of a device", "/dev/ttyUSB0");
  want(p.ack_timeout_s > 0 && p.ack_timeout_s <= 60, "ack_timeout_s",
       "expected a time above 0 and up to 60 s", "0.2");
  want(p.attempts >= 1 && p.attempts <= 100, "attempts", "expected 1 to 100", "5");
  want(p.reopen_s > 0 && p.reopen_s <= 60, "reopen_s", "expected a time above 0 and up to 60 s",
       "1");
  want(p.status_timeout_s > 0 && p.status_timeout_s <= 60, "status_timeout_s",
       "expected a time above 0 and up to 60 s", "1");
  return out;
}

}  // namespace pintle::device

namespace pintle {

template <>
const EnumTable& enum_table<device::GripperCommand>() {
  using device::GripperCommand;
  static constexpr std::array values{enum_value(GripperCommand::kRelease, "release", "Let go."),
                                     enum_value(GripperCommand::kGrab, "grab", "Hold.")};
  static constexpr EnumTable table{"GripperCommand", values};
  return table;
}

template <>
const EnumTable& enum_table<device::GripperProgress>() {
  using device::GripperProgress;
  static constexpr std::array values{
      enum_value(GripperProgress::kIdle, "idle", "Nothing was asked yet, or it was called off."),
      enum_value(GripperProgress::kPending, "pending", "Asked, not answered."),
      enum_value(GripperProgress::kSent, "sent", "Sent to a gripper that does not answer."),
      enum_value(GripperProgress::kConfirmed, "confirmed", "The gripper reports what was asked."),
      enum_value(GripperProgress::kFailed, "failed", "Not answered, or there is no port.")};
  static constexpr EnumTable table{"GripperProgress", values};
  return table;
}

template <>
const Table& table_of<device::GripperParams>() {
  using P = device::GripperParams;
  static const Table table =
      TableBuilder<P>("GripperParams", "A gripper on a serial port.")
          .field("serial_port", &P::serial_port, "", "Path of the device.")
          .field("serial_baudrate", &P::serial_baudrate, "", "Bits per second, 8N1.")
          .range(9600, 921600)
          .field("ack_timeout_s", &P::ack_timeout_s, "s", "Time for an answer before the next try.")
          .above(0)
          .field("attempts", &P::attempts, "", "Frames sent for one command before it has failed.")
          .range(1, 100)
          .field("acknowledged", &P::acknowledged, "",
                 "The gripper answers; if not, a command is done when it was sent.")
          .field("reopen_s", &P::reopen_s, "s", "Time between tries to open a missing port.")
          .above(0)
          .field("status_timeout_s", &P::status_timeout_s, "s",
                 "A status older than this is unknown.")
          .above(0)
          .build();
  return table;
}

}  // namespace pintle
