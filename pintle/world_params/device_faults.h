/// Flight controller, gripper, camera, battery and hull that misbehave on purpose (`device_faults:`),
/// beside propulsors (faults.h) and messages spoilt on the way (stack/input_faults.h).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "pintle/base/fields.h"
#include "pintle/base/finding.h"
#include "pintle/base/time.h"

namespace pintle::world {

enum class Device : std::uint8_t { kFlightController, kGripper, kCamera, kBattery, kHull };

enum class DeviceFaultKind : std::uint8_t {
  kSilent,   ///< Hears nothing, says nothing. A flight controller then flies by itself.
  kRefuses,  ///< Every request. Not of a camera.
  kHangs,    ///< Takes requests on and never does them; a camera shows its last picture for ever.
  kSlow,     ///< Answers or pictures come `value` seconds later.
  kPilot,    ///< Of a flight controller: its pilot has control.
  kOpens,    ///< Of a gripper: it opens by itself at that time, and says so.
  kLies,     ///< A gripper says the opposite of what is; a camera is `value` metres wrong.
  kEmpties,  ///< Of a battery: its charge falls to `value`.
  kLeaks,    ///< Of a hull: water inside.
  kHeats,    ///< Of a hull: `value` C inside.
  kPresses,  ///< Of a hull: `value` kPa inside.
};

struct DeviceFault {
  Device device = Device::kFlightController;
  DeviceFaultKind kind = DeviceFaultKind::kSilent;
  double at_s = 0;
  double until_s = 1e9;
  double value = 0;
};

[[nodiscard]] Findings check(const DeviceFault& fault, const std::string& path);

/// Those of one device.
class DeviceFaults {
 public:
  DeviceFaults(const std::vector<DeviceFault>& all, Device device);
  void add(const DeviceFault& fault) { faults_.push_back(fault); }

  [[nodiscard]] bool active(DeviceFaultKind kind, Time now) const noexcept;
  /// Values of all that are active added up.
  [[nodiscard]] double value(DeviceFaultKind kind, Time now) const noexcept;

 private:
  std::vector<DeviceFault> faults_;
};

}  // namespace pintle::world

namespace pintle {
template <>
const EnumTable& enum_table<world::Device>();
template <>
const EnumTable& enum_table<world::DeviceFaultKind>();
template <>
const Table& table_of<world::DeviceFault>();
}  // namespace pintle
