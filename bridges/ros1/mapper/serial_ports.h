/// Real VideoRay M5 thrusters behind the driver's ports: one line each for the ports of a layout,
/// all served by one thread (pintle/device/bus_thread.h).
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "mapper/driver.h"

namespace pintle::ros1 {

/// In the order of the layout.
/// @throws std::runtime_error where two thrusters have one id on a line, or one above 127.
[[nodiscard]] std::vector<PortWiring> serial_ports(const Layout& layout,
                                                   const DriverSettings& settings);
/// The same with simulated thrusters.
[[nodiscard]] std::vector<PortWiring> simulated_ports(const Layout& layout,
                                                      const DriverSettings& settings);

}  // namespace pintle::ros1
