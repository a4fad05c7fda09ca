/// Plain values of the border as the rooms' types, and back. For the half that knows Pintle's rooms.
/// (`ros1_site` has its own: a room includes rooms alone.)
#pragma once
#include "common/plain.h"
#include "pintle/base/geometry.h"

namespace pintle::ros1 {

[[nodiscard]] constexpr Three three(Vec3 v) noexcept { return {v.x, v.y, v.z}; }
[[nodiscard]] constexpr Vec3 vec3(const Three& v) noexcept { return {v[0], v[1], v[2]}; }
[[nodiscard]] constexpr Four four(const Quat& q) noexcept { return {q.x, q.y, q.z, q.w}; }
[[nodiscard]] constexpr Quat quat(const Four& q) noexcept { return {q[0], q[1], q[2], q[3]}; }
[[nodiscard]] constexpr PlainPose plain(const Pose& X) noexcept { return {three(X.p), four(X.q)}; }
[[nodiscard]] constexpr Pose pose(const PlainPose& X) noexcept {
  return {vec3(X.position), quat(X.orientation)};
}

}  // namespace pintle::ros1
