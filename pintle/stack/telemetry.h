/// What the tick knows of its propulsors by what they say: kept from tick to tick.
#pragma once
#include <array>
#include <optional>

#include "pintle/base/alarm.h"
#include "pintle/base/propulsor_report.h"
#include "pintle/base/signals.h"
#include "pintle/estimation/bus_voltage.h"
#include "pintle/estimation/heat.h"
#include "pintle/estimation/report_watch.h"

namespace pintle::stack {

/// When voltages and temperatures that propulsors report are alarms.
struct AlarmParams {
  /// Not given: the voltage raises none. Its limits are those of the battery.
  std::optional<estimation::VoltageSettings> bus_voltage;
  estimation::HeatSettings temperature;
};

[[nodiscard]] Findings check(const AlarmParams& params);

/// Of one propulsor.
struct Heard {
  Time stamp{};        ///< Of its newest good report …
  Time at{};           ///< … and when that came; before the first: never.
  double drawn_W = 0;  ///< By that report, where it says so; below 0: it does not.
  double bus_V = 0;    ///< Its voltage, the mean of about a second; 0: not known.
  estimation::ReportSuspicion suspicion;
  Time vouched_at{};  ///< When it last turned as it should.
  estimation::ReportVerdict verdict = estimation::ReportVerdict::kNone;  ///< Until it is trusted.
  std::uint8_t fault = 0;                                                ///< Bits of that report.
};

struct Telemetry {
  bool begun = false;  ///< A propulsor has reported.
  std::array<Heard, kMaxPropulsors> of{};
  std::uint64_t by_operator = 0;  ///< Taken out by an operator, one bit a propulsor …
  std::uint64_t no_contact = 0;   ///< … silent, or without a line …
  std::uint64_t no_port = 0;      ///< … without a line …
  std::uint64_t derated = 0;      ///< … and those with less than their bounds.
  bool killed = false;            ///< The kill switch is pulled …
  std::uint64_t excused = 0;      ///< … and the silence of these says nothing.
  estimation::BusVoltage bus;
  estimation::BusVoltage::Estimate voltage;
  Time voltage_at{};  ///< When that was worked out.
  estimation::HeatWatch heat;
  double power_ratio = 1;  ///< Drawn over what the model says, the mean of a few seconds.
  AlarmList alarms;
  // what the alarms were last made from: as long as it is the same, so are they
  std::uint64_t alarmed_out = 0;
  AxisMask alarmed_axes = 0;
  std::uint64_t alarmed_port = 0;
  bool alarmed_kill = false, alarmed_state = false, alarmed_flight = false;
  std::uint8_t alarmed_limits = 0;
  std::uint32_t alarmed_failsafes = 0;
};

}  // namespace pintle::stack

namespace pintle {
template <>
const Table& table_of<stack::AlarmParams>();
}
