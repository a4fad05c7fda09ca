/// What may be computed with at all: finite, and small enough that a product of six is still finite.
#pragma once
#include "pintle/base/geometry.h"

namespace pintle {

/// Larger inputs, gains and limits are taken for garbage.
inline constexpr double kLargest = 1e50;

/// False for NaN too.
[[nodiscard]] constexpr bool is_usable(double x) noexcept {
  return x >= -kLargest && x <= kLargest;
}
[[nodiscard]] constexpr bool is_usable(const Vec3& v) noexcept {
  return is_usable(v.x) && is_usable(v.y) && is_usable(v.z);
}
[[nodiscard]] constexpr bool is_usable(const Quat& q) noexcept {
  return is_usable(Vec3{q.x, q.y, q.z}) && is_usable(q.w);
}
[[nodiscard]] constexpr bool is_usable(const Pose& X) noexcept {
  return is_usable(X.p) && is_usable(X.q) && squared_norm(X.q) > 0;
}

}  // namespace pintle
