/// What the two kinds of ports share. For sources of the core only (C++20).
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "mapper/driver.h"
#include "pintle/device/m5_protocol.h"
#include "pintle/device/propulsor_bus.h"

namespace pintle::ros1 {

/// @throws std::runtime_error with everything that is wrong with the ids.
[[nodiscard]] std::unique_ptr<device::PropulsorBus> bus_of(const Layout& layout,
                                                           const std::vector<std::string>& names,
                                                           const DriverSettings& settings);

/// Tells reports that are fresh.
class FreshReports {
 public:
  void take(std::span<const PropulsorReport> reports, std::vector<ThrusterReply>& out);

 private:
  std::vector<Time> told_;
};

}  // namespace pintle::ros1
