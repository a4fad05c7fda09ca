#include "pintle/world_params/device_faults.h"

#include <algorithm>

namespace pintle {

using namespace world;

template <>
const EnumTable& enum_table<Device>() {
  static constexpr std::array values{
      enum_value(Device::kFlightController, "flight_controller", "It flies the craft."),
      enum_value(Device::kGripper, "gripper", "It carries the payload."),
      enum_value(Device::kCamera, "camera", "It sees the targets."),
      enum_value(Device::kBattery, "battery", "It feeds the propellers."),
      enum_value(Device::kHull, "hull", "It keeps water and heat from what is inside.")};
  static constexpr EnumTable table{"Device", values};
  return table;
}

template <>
const EnumTable& enum_table<DeviceFaultKind>() {
  using K = DeviceFaultKind;
  static constexpr std::array values{
      enum_value(K::kSilent, "silent", "Hears nothing, says nothing."),
      enum_value(K::kRefuses, "refuses", "Refuses every request; not of a camera."),
      enum_value(K::kHangs, "hangs",
                 "Takes requests on and never does them; a camera shows its last picture."),
      enum_value(K::kSlow, "slow", "Answers or pictures come `value` seconds later."),
      enum_value(K::kPilot, "pilot", "The pilot of the flight controller has control."),
      enum_value(K::kOpens, "opens", "The gripper opens by itself."),
      enum_value(K::kLies, "lies",
                 "The gripper says the opposite of what is; the camera is `value` metres wrong."),
      enum_value(K::kEmpties, "empties", "The charge of the battery falls to `value`."),
      enum_value(K::kLeaks, "leaks", "Water comes into the hull."),
      enum_value(K::kHeats, "heats", "It is `value` C inside the hull."),
      enum_value(K::kPresses, "presses", "The pressure inside the hull is `value` kPa.")};
  static constexpr EnumTable table{"DeviceFaultKind", values};
  return table;
}

template <>
const Table& table_of<DeviceFault>() {
  static const Table table =
      TableBuilder<DeviceFault>("DeviceFault", "A device of the aircraft that misbehaves.")
          .field("device", &DeviceFault::device, "", "Which one.")
          .required()
          .field("kind", &DeviceFault::kind, "", "What is wrong with it.")
          .required()
          .field("at_s", &DeviceFault::at_s, "s", "When it begins.")
          .range(0, 1e9)
          .field("until_s", &DeviceFault::until_s, "s", "When it is well again.")
          .range(0, 1e9)
          .field("value", &DeviceFault::value, "",
                 "Of slow: seconds later; of a camera that lies: metres to the left; of a battery "
                 "that empties: the charge left, 0 to 1; of a hull: C or kPa.")
          .range(0, 1e4)
          .build();
  return table;
}

}  // namespace pintle

namespace pintle::world {

Findings check(const DeviceFault& f, const std::string& path) {
  Findings out;
  using K = DeviceFaultKind;
  const bool of_hull = f.kind == K::kLeaks || f.kind == K::kHeats || f.kind == K::kPresses;
  const bool fits = of_hull || f.device == Device::kHull
                        ? f.device == Device::kHull && (of_hull || f.kind == K::kSilent)
                    : f.kind == K::kPilot ? f.device == Device::kFlightController
                    : f.kind == K::kOpens ? f.device == Device::kGripper
                    : f.kind == K::kEmpties || f.device == Device::kBattery
                        ? f.kind == K::kEmpties && f.device == Device::kBattery
                    : f.kind == K::kLies    ? f.device != Device::kFlightController
                    : f.kind == K::kRefuses ? f.device != Device::kCamera
                                            : true;
  if (!fits)
    out.push_back(
        {path + ".kind",
         "no " + std::string(to_string(f.device)) + " can be \"" + std::string(to_string(f.kind)) +
             "\"",
         "pilot is of a flight_controller, opens of a gripper, lies of a gripper or a "
         "camera, refuses not of a camera, empties of a battery; leaks, heats, presses and "
         "silent of a hull"});
  if (!(f.until_s > f.at_s))
    out.push_back({path + ".until_s", "expected a time after at_s",
                   "leave until_s out for a fault that stays"});
  if ((f.kind == K::kSlow || (f.kind == K::kLies && f.device == Device::kCamera)) && !(f.value > 0))
    out.push_back({path + ".value", "expected a number above 0",
                   "write seconds for slow, metres for a camera that lies"});
  return out;
}

DeviceFaults::DeviceFaults(const std::vector<DeviceFault>& all, Device device) {
  std::copy_if(all.begin(), all.end(), std::back_inserter(faults_),
               [device](const DeviceFault& f) { return f.device == device; });
}

bool DeviceFaults::active(DeviceFaultKind kind, Time now) const noexcept {
  const double t = now.seconds();
  return std::any_of(faults_.begin(), faults_.end(), [&](const DeviceFault& f) {
    return f.kind == kind && t >= f.at_s && t < f.until_s;
  });
}

double DeviceFaults::value(DeviceFaultKind kind, Time now) const noexcept {
  const double t = now.seconds();
  double sum = 0;
  for (const DeviceFault& f : faults_)
    if (f.kind == kind && t >= f.at_s && t < f.until_s) sum += f.value;
  return sum;
}

}  // namespace pintle::world
