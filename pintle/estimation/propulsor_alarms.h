/// Which alarms follow from what propulsors report: the same in the tick and in a driver that has none.
///
/// Of each function `Severity::kInfo`: nothing is wrong. The subject is the propulsor; of a low bus there is none.
#pragma once
#include "pintle/base/alarm.h"
#include "pintle/base/propulsor_report.h"
#include "pintle/estimation/bus_voltage.h"
#include "pintle/estimation/heat.h"

namespace pintle::estimation {

/// Undervolt and overvolt alone come and go with the load.
[[nodiscard]] inline Alarm alarm_of_fault(std::size_t propulsor, std::uint8_t bits) noexcept {
  return {AlarmCode::kDeviceFault,
          bits > kFaultOvervolt ? Severity::kWarning : Severity::kInfo,
          static_cast<std::int32_t>(propulsor),
          {},
          static_cast<double>(bits)};
}

[[nodiscard]] inline Alarm alarm_of_heat(std::size_t propulsor, const HeatWatch& heat) noexcept {
  const int level = heat.severity(propulsor);
  return {AlarmCode::kTemperature,
          level >= 4  ? Severity::kError
          : level > 0 ? Severity::kWarning
                      : Severity::kInfo,
          static_cast<std::int32_t>(propulsor),
          {},
          heat.celsius(propulsor).value_or(0)};
}

[[nodiscard]] inline Alarm alarm_of_voltage(const BusVoltage::Estimate& e) noexcept {
  if (e.severity >= 3)
    return {AlarmCode::kBusVoltage,
            e.severity >= 5 ? Severity::kCritical : Severity::kWarning,
            -1,
            {},
            e.bus_V};
  return {AlarmCode::kConnector,
          e.severity > 0 ? Severity::kWarning : Severity::kInfo,
          static_cast<std::int32_t>(e.lowest),
          {},
          e.lowest_V};
}

}  // namespace pintle::estimation
