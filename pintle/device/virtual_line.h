/// A bus and emulated propulsors on one wire in memory, with the times of a real one.
///
///   a byte takes 10 / baudrate seconds; what is said arrives when its last byte has
///
/// Times are the caller's and need not be real: tests fly minutes in milliseconds, and a simulation
/// has devices without ports.
#pragma once
#include <deque>
#include <vector>

#include "pintle/device/propulsor_bus.h"
#include "pintle/device/propulsor_emulator.h"

namespace pintle::device {

/// One direction of a wire.
class Wire {
 public:
  explicit Wire(int baudrate) : byte_s_(10.0 / baudrate) {}
  void put(std::span<const std::uint8_t> bytes, Time now);
  /// What has arrived, in the order in which it was put; empty: nothing more yet.
  [[nodiscard]] std::vector<std::uint8_t> take(Time now);
  /// When the next piece arrives.
  [[nodiscard]] Time next() const;
  void cut() {
    pieces_.clear();
    free_ = {};
  }

 private:
  struct Piece {
    Time arrives;
    std::vector<std::uint8_t> bytes;
  };
  double byte_s_;
  Time free_{};
  std::deque<Piece> pieces_;
};

class VirtualLine {
 public:
  /// Neither is owned.
  VirtualLine(PropulsorBus& bus, PropulsorEmulator& device)
      : bus_(&bus),
        device_(&device),
        to_device_(bus.settings().baudrate),
        to_bus_(bus.settings().baudrate) {}

  /// The plug.
  void plug(bool in, Time now);
  /// Plugged in anew at this time, which may also lie before the present one.
  void restart(Time now);
  /// Everything that happens until `until`.
  void run(Time until);
  [[nodiscard]] Time now() const { return now_; }

 private:
  PropulsorBus* bus_;
  PropulsorEmulator* device_;
  Wire to_device_, to_bus_;
  Time now_{};
  bool is_plugged_ = false;
};

}  // namespace pintle::device
