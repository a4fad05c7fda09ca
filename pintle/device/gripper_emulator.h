/// A gripper that is not there: the same bytes on a pseudo-terminal, with the faults of a real one.
///
/// A good frame with release or grab moves it within move_s; it then reports its status, and again
/// for every good frame that it hears. Other values it reports on without moving. Frames with a
/// wrong end or checksum it does not hear.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "pintle/base/time.h"
#include "pintle/device/gripper_frame.h"
#include "pintle/device/serial_port.h"

namespace pintle::device {

struct GripperFaults {
  bool mute = false;              ///< Moves, but never reports.
  bool stuck = false;             ///< Reports, but never moves.
  int deaf_to = 0;                ///< Frames that it does not hear at first.
  std::uint8_t spoil = 0;         ///< Laid over the checksum of each report.
  std::vector<std::uint8_t> hum;  ///< Sent before each report.
};

class GripperEmulator {
 public:
  explicit GripperEmulator(double move_s = 0.1) : move_s_(move_s) {}

  /// Plugs it in; false when the system gives no pseudo-terminal. The path is a new one each time.
  [[nodiscard]] bool plug();
  void unplug() { line_.device.close(); }
  [[nodiscard]] const std::string& path() const { return line_.path; }

  /// Hears, moves and reports. Never waits.
  void update(Time now);
  /// Waits until something was sent to it; for tests and programs, not for a tick.
  [[nodiscard]] bool wait_for_input(int at_most_ms) const {
    return line_.device.wait_readable(at_most_ms);
  }

  [[nodiscard]] std::uint8_t status() const { return status_; }
  [[nodiscard]] int frames_heard() const { return heard_; }
  GripperFaults faults;

 private:
  void report();

  double move_s_;
  PseudoTerminal line_;
  GripperDecoder decoder_;
  std::uint8_t status_ = 0;
  std::optional<std::uint8_t> moving_to_;
  Time done_{};
  int heard_ = 0;
};

}  // namespace pintle::device
