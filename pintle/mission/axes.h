/// The goals of a state as six values in axis order.
#pragma once
#include "pintle/mission/mission.h"

namespace pintle::mission {

using AxisValues = std::array<std::optional<double>, kAxes>;

[[nodiscard]] inline AxisValues axes_of(const PoseGoal& g) {
  return {g.x_m, g.y_m, g.z_m, g.roll_deg, g.pitch_deg, g.yaw_deg};
}
[[nodiscard]] inline AxisValues axes_of(const VelocityGoal& g) {
  return {g.x_m_s, g.y_m_s, g.z_m_s, g.roll_deg_s, g.pitch_deg_s, g.yaw_deg_s};
}
[[nodiscard]] inline AxisValues axes_of(const WrenchGoal& g) {
  return {g.x, g.y, g.z, g.roll, g.pitch, g.yaw};
}

}  // namespace pintle::mission
