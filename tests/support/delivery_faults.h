/// What can break on a delivery in its simulated world: every input, every device, every way.
#pragma once
#include "pintle/testing/mission_faults.h"
#include "pintle/testing/world_flight.h"

namespace pintle::testing {

using craft::InputFault;
using craft::InputFaultKind;
using stack::InputCode;
using world::Device;
using world::DeviceFault;
using world::DeviceFaultKind;

struct DeliveryFault {
  bool is_input;
  InputFault input;
  DeviceFault device;
  /// Whatever was going on, a mission that flies does not go on without it.
  [[nodiscard]] bool ends_the_mission() const {
    using K = InputFaultKind;
    if (!is_input)
      return device.device == Device::kBattery ||
             (device.device == Device::kFlightController && device.kind == DeviceFaultKind::kPilot);
    const bool vital = input.input == InputCode::kOdometry || input.input == InputCode::kFlight;
    const bool gone = input.kind == K::kOff || input.kind == K::kStuck || input.kind == K::kNan ||
                      input.kind == K::kInfinite || input.kind == K::kFromFuture;
    return vital && gone;
  }
  /// A craft whose flight controller cannot be told to land may only hover.
  [[nodiscard]] bool may_hover() const {
    return is_input ? input.input == InputCode::kFlight
                    : device.device == Device::kFlightController;
  }
  /// From now on, for so long.
  void happen(WorldFlight& flight, double lasts_s) const {
    const double from_s = flight.now.seconds();
    if (is_input) {
      InputFault f = input;
      f.at_s = from_s;
      f.until_s = from_s + lasts_s;
      flight.spoil(f);
    } else {
      DeviceFault f = device;
      f.at_s = from_s;
      f.until_s = from_s + lasts_s;
      flight.break_device(f);
    }
  }
  [[nodiscard]] std::string name() const {
    return is_input
               ? words(input)
               : std::string(to_string(device.device)) + " " + std::string(to_string(device.kind));
  }
};

inline std::vector<DeliveryFault> all_delivery_faults() {
  using K = InputFaultKind;
  std::vector<DeliveryFault> out;
  const auto input = [&out](InputCode code, K kind, double value = 0) {
    out.push_back({true, {code, kind, 0, 1e9, value}, {}});
  };
  const auto device = [&out](Device d, DeviceFaultKind kind, double value = 0) {
    out.push_back({false, {}, {d, kind, 0, 1e9, value}});
  };
  for (const InputCode code : {InputCode::kOdometry, InputCode::kFlight, InputCode::kTarget}) {
    for (const K kind :
         {K::kOff, K::kStuck, K::kFrozen, K::kNan, K::kInfinite, K::kGarbage, K::kTimeReversed})
      input(code, kind);
    input(code, K::kDelayed, 1);
    input(code, K::kFromFuture, 5);
    input(code, K::kIntermittent, 0.9);
    input(code, K::kShifted, code == InputCode::kFlight ? 1 : 3);
    input(code, K::kNoisy, 0.5);
  }
  for (const K kind : {K::kOff, K::kStuck, K::kFrozen, K::kGarbage, K::kTimeReversed})
    input(InputCode::kGripper, kind);
  input(InputCode::kGripper, K::kDelayed, 1);
  input(InputCode::kGripper, K::kFromFuture, 5);
  input(InputCode::kGripper, K::kIntermittent, 0.9);
  for (const InputFault& f : clock_faults(0)) out.push_back({true, f, {}});
  using D = DeviceFaultKind;
  for (const D kind : {D::kSilent, D::kRefuses, D::kHangs, D::kPilot})
    device(Device::kFlightController, kind);
  device(Device::kFlightController, D::kSlow, 3);
  for (const D kind : {D::kSilent, D::kRefuses, D::kHangs, D::kOpens, D::kLies})
    device(Device::kGripper, kind);
  device(Device::kGripper, D::kSlow, 3);
  for (const D kind : {D::kSilent, D::kHangs}) device(Device::kCamera, kind);
  device(Device::kCamera, D::kSlow, 2);
  device(Device::kCamera, D::kLies, 1.5);
  device(Device::kBattery, D::kEmpties, 0.18);
  device(Device::kBattery, D::kEmpties, 0.05);
  return out;
}

}  // namespace pintle::testing
