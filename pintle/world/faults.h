/// Which faults are active now, and what they do to each propulsor.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "pintle/vehicle/vehicle.h"
#include "pintle/world/world.h"

namespace pintle::world {

/// What the active faults make of the effort a propulsor is asked for:
///   wanted -> (delay) -> stuck ? effort : wanted -> times gain -> lag, time stretched by slowness
struct FaultEffect {
  double gain = 1;  ///< 0 dead, negative reversed.
  double slowness = 1;
  bool dead = false, propeller_lost = false, fouled = false;
  bool stuck = false;
  double stuck_effort = 0;
  std::int32_t delay_line = -1;  ///< Number of the fault whose delay applies, -1 for none.
};

class FaultSchedule {
 public:
  /// @throws std::invalid_argument for a fault that names no propulsor.
  FaultSchedule(const vehicle::Vehicle& vehicle, const std::vector<FaultSpec>& faults);

  /// Brings the effects to an instant; `now` never runs backwards. Cheap while nothing changes.
  void update(Time now) noexcept {
    if (now >= next_change_) refresh(now);
  }
  [[nodiscard]] const FaultEffect& effect(std::size_t propulsor) const noexcept {
    return effects_[propulsor];
  }
  /// Propulsors whose announced health has changed since the last call; what does not fit comes
  /// with the next call.
  [[nodiscard]] FixedVector<Announcement, 16> take_announcements() noexcept;

 private:
  struct Fault {
    std::uint32_t propulsor;
    FaultKind kind;
    Time from, until;
    double value;
    bool announced;
  };

  void refresh(Time now) noexcept;

  std::vector<Fault> faults_;
  std::size_t propulsors_;
  std::array<FaultEffect, kMaxPropulsors> effects_{};
  std::array<PropulsorHealth, kMaxPropulsors> announced_{};
  std::uint64_t pending_ = 0;  ///< One bit a propulsor.
  Time next_change_{};
};

}  // namespace pintle::world
