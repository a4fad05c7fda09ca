/// Air drag of a body, each axis by itself:  force_i = -density/2 Cd_i area_i v_i |v_i|.
///
/// No channel and no state. Per axis, not along the speed: a body that slides sideways while it
/// falls meets the same side force as one that does not fall (as PyFlyt's BoringBodies, whose
/// density is the default). No torque. Does not model: lift, Mach number, wake.
#pragma once
#include "pintle/propulsion/model.h"

namespace pintle::propulsion {

struct DragBodyParams {
  Vec3 drag_coef{}, area_m2{};   ///< Per axis of the mount.
  double density_kg_m3 = 1.225;  ///< 0: that of the surroundings.
};

[[nodiscard]] Findings check(const DragBodyParams& params);

/// Force at the mount for the air of `ambient` (flow_P is minus the velocity relative to it).
[[nodiscard]] Wrench step(const DragBodyParams&, const Ambient&) noexcept;
/// Derivative of the force by the velocity of the mount, per axis, N s/m: never above 0.
[[nodiscard]] Vec3 damping(const DragBodyParams&, const Ambient&) noexcept;

}  // namespace pintle::propulsion

namespace pintle {
template <>
const Table& table_of<propulsion::DragBodyParams>();
}
