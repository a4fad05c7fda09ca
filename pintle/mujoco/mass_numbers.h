/// Small questions about masses. For sources of this room.
#pragma once
#include "pintle/vehicle/structure.h"

namespace pintle::mujoco {

inline bool positive_definite(const Mat3& a) noexcept {
  const double two = a(0, 0) * a(1, 1) - a(0, 1) * a(0, 1);
  const double three = a(0, 0) * (a(1, 1) * a(2, 2) - a(1, 2) * a(1, 2)) -
                       a(0, 1) * (a(0, 1) * a(2, 2) - a(1, 2) * a(0, 2)) +
                       a(0, 2) * (a(0, 1) * a(1, 2) - a(1, 1) * a(0, 2));
  return a(0, 0) > 0 && two > 0 && three > 0;
}

/// What turning about an axis through the frame's origin has to move.
inline double inertia_about(const vehicle::MassProperties& m, Vec3 axis) noexcept {
  const double along = dot(m.center_of_mass_m, axis);
  const double across = dot(m.center_of_mass_m, m.center_of_mass_m) - along * along;
  return dot(axis, m.inertia_kgm2 * axis) + m.mass_kg * across;
}

inline bool is_diagonal(const Mat3& a) noexcept {
  return a(0, 1) == 0 && a(0, 2) == 0 && a(1, 2) == 0;
}

}  // namespace pintle::mujoco
