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
  std::vector<device::BusChannel> channels;
  std::vector<std::size_t> propulsor;  ///< Of each channel.
};

/// In the order of the file. @throws std::invalid_argument for what cannot be driven over a line:
/// no devices, propulsors that are no thrusters, commands that are not -1 to 1.
[[nodiscard]] std::vector<WiredLine> wiring_of(const craft::VehicleFile& file);

[[nodiscard]] std::unique_ptr<device::PropulsorBus> bus_of(const WiredLine& line,
                                                           const device::BusSettings& settings);
[[nodiscard]] std::unique_ptr<device::PropulsorEmulator> emulator_of(const WiredLine& line);

}  // namespace pintle::serial_site
