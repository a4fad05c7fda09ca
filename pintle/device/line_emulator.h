/// Emulated propulsors behind a pseudo-terminal, with the times of a real line.
///
/// Who runs it calls `update` when `descriptor` is readable or `wake_at` has come. Pulling the plug
/// takes the device node away; plugging it in makes another one, with another number, to which
/// `link` (a path as /dev/serial/by-id has them) points again.
#pragma once
#include <string>

#include "pintle/device/propulsor_emulator.h"
#include "pintle/device/serial_port.h"
#include "pintle/device/virtual_line.h"

namespace pintle::device {

class LineEmulator {
 public:
  /// `device` is not owned. An empty `link` makes none.
  explicit LineEmulator(PropulsorEmulator& device, std::string link = {}, int baudrate = 115200);
  ~LineEmulator() { unplug(); }
  LineEmulator(const LineEmulator&) = delete;
  LineEmulator& operator=(const LineEmulator&) = delete;

  /// False when the system gives no pseudo-terminal, or the link cannot be made.
  [[nodiscard]] bool plug();
  void unplug();
  [[nodiscard]] bool is_plugged() const { return end_.device.is_open(); }
  /// Where it is now: the link, or the device itself.
  [[nodiscard]] const std::string& path() const { return link_.empty() ? end_.path : link_; }

  /// Never waits.
  void update(Time now);
  [[nodiscard]] Time wake_at() const;
  [[nodiscard]] int descriptor() const { return end_.device.descriptor(); }

 private:
  PropulsorEmulator* device_;
  std::string link_;
  PseudoTerminal end_;
  SerialPort keeper_;  ///< Holds the other end open, else this one would be hung up without a host.
  Wire to_device_, to_host_;
};

}  // namespace pintle::device
