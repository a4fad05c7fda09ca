/// A gripper that closes on a free body within its reach and carries it.
///
/// Taken hold of, a body is tied to the craft where it is (Plant::hold): no momentum is made. Its
/// report is that of its own sensor: grabbed only while something is held. A request to grab is
/// done when something is held and has failed when there was nothing.
#pragma once
#include <vector>

#include "pintle/base/aircraft.h"
#include "pintle/vehicle/equipment.h"
#include "pintle/world/plant.h"
#include "pintle/world_params/device_faults.h"
#include "pintle/world_params/site.h"

namespace pintle::world {

class GripperInWorld {
 public:
  /// Keeps a reference to `bodies`.
  GripperInWorld(const vehicle::Gripper& gripper, const std::vector<BodySpec>& bodies,
                 const std::vector<DeviceFault>& faults)
      : gripper_(gripper), bodies_(bodies), faults_(faults, Device::kGripper) {}

  /// Acted upon when its number is newer than the one before.
  void request(const GripperRequest& request, Time now) noexcept;
  /// Called after every step.
  void update(Plant& plant, Time now) noexcept;
  /// What it said last, once.
  [[nodiscard]] bool take_report(GripperReport& report) noexcept;
  /// Index of the body that it holds, -1.
  [[nodiscard]] int held() const noexcept { return held_; }
  void break_it(const DeviceFault& fault) { faults_.add(fault); }

 private:
  void act(Plant& plant, Time now) noexcept;
  void open(Plant& plant) noexcept;
  [[nodiscard]] int within_reach(const Plant& plant) const noexcept;

  vehicle::Gripper gripper_;
  const std::vector<BodySpec>& bodies_;
  DeviceFaults faults_;
  int held_ = -1;
  std::uint32_t heard_ = 0;
  GripperRequestKind asked_ = GripperRequestKind::kNone;
  RequestOutcome outcome_ = RequestOutcome::kNone;
  Time due_{}, next_report_{};
  std::int64_t reports_ = 0;
  bool has_report_ = false;
  GripperReport report_;
};

}  // namespace pintle::world
