/// A hand that carries the craft (`carry:`): springs and dampers that hold it level, where the
/// carrying asks for, and bear its weight.
///
///   F = m (w^2 (p* - p) + 2 w (v* - v) + g up)     torque = J (w^2 tilt - 2 w omega)
#pragma once
#include <optional>

#include "pintle/vehicle/structure.h"
#include "pintle/world/body_dynamics.h"
#include "pintle/world_params/site.h"

namespace pintle::world {

class Hand {
 public:
  Hand(const CarryParams& carry, double gravity_m_s2) noexcept
      : carry_(carry), gravity_(gravity_m_s2) {}

  /// On the body origin, body coordinates; nothing while it does not carry.
  [[nodiscard]] Wrench wrench(Time now, const BodyState& body,
                              const vehicle::MassProperties& mass) noexcept;

 private:
  CarryParams carry_;
  double gravity_;
  std::optional<Pose> from_;  ///< Where it took hold.
};

}  // namespace pintle::world
