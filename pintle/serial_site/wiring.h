/// From the `devices:` of a vehicle to buses, and to emulated thrusters in their place.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "pintle/craft/load.h"
#include "pintle/device/bus_thread.h"
#include "pintle/device/propulsor_emulator.h"

namespace pintle::serial_site {

/// One device: a line, and which propulsor each of its channels drives.
struct WiredLine {
  std::string name, type, path;
  int baudrate = 115200;
  bool rs485 = false, multicast = false;
  std::vector<device::BusChannel> channels;
  std::vector<std::size_t> propulsor;  ///< Of each channel.

  /// Between what the vehicle's curve counts in and efforts of -1 to 1: of pulses in us (type pwm),
  /// of others the same number.
  [[nodiscard]] double effort_of(double command) const noexcept;
  [[nodiscard]] double command_of(double effort) const noexcept;
};

/// In the order of the file, which must have passed its check. @throws std::invalid_argument where
/// there are no devices.
[[nodiscard]] std::vector<WiredLine> wiring_of(const craft::VehicleFile& file);

[[nodiscard]] std::unique_ptr<device::PropulsorBus> bus_of(const WiredLine& line,
                                                           const device::BusSettings& settings);
[[nodiscard]] std::unique_ptr<device::PropulsorEmulator> emulator_of(const WiredLine& line);

}  // namespace pintle::serial_site
