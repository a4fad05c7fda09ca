/// What a propulsor says of itself.
#pragma once
#include <cstdint>
#include <string>

#include "pintle/base/fields.h"
#include "pintle/base/time.h"

namespace pintle {

/// How a propulsor stands with its bus.
enum class PropulsorContact : std::uint8_t {
  kUnknown,  ///< Not asked for long enough to say, or silent and nevertheless to be relied on.
  kGood,
  kSilent,  ///< Asked for longer than the debounce, without a good answer.
  kNoPort,  ///< Its line is not there.
};

/// Bits of `PropulsorReport::valid`. A field that is not valid says nothing, and nothing must be
/// concluded from it: a temperature that is not a number is no dead thruster.
inline constexpr std::uint8_t kHasRpm = 1, kHasVoltage = 2, kHasCurrent = 4, kHasTemperature = 8,
                              kHasFault = 16;

/// Fault bits, the same for every device.
inline constexpr std::uint8_t kFaultUndervolt = 0x01, kFaultOvervolt = 0x02,
                              kFaultOvercurrent = 0x04, kFaultOvertemp = 0x08, kFaultStall = 0x10,
                              kFaultStallWarning = 0x20, kFaultDriver = 0x40;

/// Where a propulsor counts as warm and as hot unless its vehicle file says otherwise: alarms and what is
/// left of its thrust go by the same two.
inline constexpr double kWarm_C = 80, kHot_C = 95;

struct PropulsorReport {
  std::uint32_t propulsor = 0;  ///< Of the vehicle; on a bus, its channel there.
  Time stamp;                   ///< When the fields below were heard.
  PropulsorContact contact = PropulsorContact::kUnknown;
  std::uint8_t valid = 0;
  std::uint8_t fault = 0;
  double effort = 0;  ///< Last sent, -1 to 1, as the caller counts it (before `reversed`).
  double rpm = 0, bus_V = 0, bus_A = 0, temperature_C = 0;
  double latency_s = 0;  ///< Mean from sending to the whole answer.
  /// Frames to it that are to be answered, polls among them; good answers; those given up.
  std::uint32_t sent = 0, received = 0, unanswered = 0;

  [[nodiscard]] bool has(std::uint8_t field) const noexcept { return (valid & field) != 0; }
};

/// Sentences for fault bits; "" where none is worth one. Undervolt and overvolt alone come and go
/// with the load and are not told.
[[nodiscard]] std::string fault_text(std::uint8_t bits);

template <>
const EnumTable& enum_table<PropulsorContact>();
template <>
const Table& table_of<PropulsorReport>();

}  // namespace pintle
