#include "pintle/mission/goal.h"

namespace pintle::mission {
namespace {

double part(Quat q, std::size_t axis) noexcept { return Vec3{q.x, q.y, q.z}[axis]; }

/// The part of q that turns about one axis (swing-twist); none where q turns half way round across
/// it.
Quat twist_about(Quat q, std::size_t axis) noexcept {
  const double s = part(q, axis);
  if (!(s * s + q.w * q.w > 1e-20)) return {};
  Vec3 v{};
  v[axis] = s;
  return normalized({v.x, v.y, v.z, q.w});
}

/// Of the two triples of one attitude, the one nearer to `before`; angles in (-pi, pi].
RollPitchYaw nearest_triple(Quat q, RollPitchYaw before) noexcept {
  const RollPitchYaw a = to_rpy(to_matrix(q));
  const RollPitchYaw b{wrap_angle(a.roll + kPi), wrap_angle(kPi - a.pitch),
                       wrap_angle(a.yaw + kPi)};
  const auto distance = [&before](const RollPitchYaw& t) {
    return std::abs(wrap_angle(t.roll - before.roll)) +
           std::abs(wrap_angle(t.pitch - before.pitch)) + std::abs(wrap_angle(t.yaw - before.yaw));
  };
  return distance(b) < distance(a) ? b : a;
}

void slide_attitude(Vec6& goal, Quat q_WD, const std::array<bool, 3>& free, Quat q_WB) noexcept {
  const int n = int{free[0]} + int{free[1]} + int{free[2]};
  const Quat q_DB = conjugate(q_WD) * q_WB;

  Quat q_WD_new = q_WB;
  if (n == 1) {
    const std::size_t axis = free[0] ? 0 : free[1] ? 1 : 2;
    const Quat twist = twist_about(q_DB, axis);
    // where the axis is one of the three angles, adding to that angle is exact for ever
    const bool own_angle =
        axis == 0 || (axis == 1 && goal[3] == 0) || (axis == 2 && goal[3] == 0 && goal[4] == 0);
    if (own_angle) {
      const double turn = 2 * std::atan2(part(twist, axis), twist.w);
      goal[3 + axis] = wrap_angle(goal[3 + axis] + turn);
      return;
    }
    q_WD_new = q_WD * twist;
  } else if (n == 2) {
    const std::size_t held = !free[0] ? 0 : !free[1] ? 1 : 2;
    q_WD_new = q_WB * conjugate(twist_about(q_DB, held));
  }
  const RollPitchYaw now = nearest_triple(q_WD_new, {goal[3], goal[4], goal[5]});
  goal[3] = now.roll;
  goal[4] = now.pitch;
  goal[5] = now.yaw;
}

}  // namespace

Vec6 goal_from(const Pose& X_WB) noexcept {
  const RollPitchYaw a = to_rpy(to_matrix(X_WB.q));
  return {{X_WB.p.x, X_WB.p.y, X_WB.p.z, a.roll, a.pitch, a.yaw}};
}

Quat attitude_of(const Vec6& goal) noexcept {
  return normalized(from_rpy({goal[3], goal[4], goal[5]}));
}

void slide(Vec6& goal, Quat& q_WD, const std::array<AxisMode, kAxes>& mode,
           const Pose& X_WB) noexcept {
  std::array<bool, kAxes> free{};
  for (std::size_t i = 0; i < kAxes; ++i) free[i] = mode[i] != AxisMode::kPosition;

  // the attitude first: the linear axes are those of the frame that results
  if (free[3] || free[4] || free[5]) {
    slide_attitude(goal, q_WD, {free[3], free[4], free[5]}, X_WB.q);
    q_WD = attitude_of(goal);
  }
  if (!(free[0] || free[1] || free[2])) return;

  const Vec3 p_WD{goal[0], goal[1], goal[2]};
  const Vec3 d_D = rotate(conjugate(q_WD), X_WB.p - p_WD);
  const Vec3 along_D{free[0] ? d_D.x : 0.0, free[1] ? d_D.y : 0.0, free[2] ? d_D.z : 0.0};
  // all three free: exactly where the vehicle is, without the rounding of two rotations
  const Vec3 g = free[0] && free[1] && free[2] ? X_WB.p : p_WD + rotate(q_WD, along_D);
  goal[0] = g.x;
  goal[1] = g.y;
  goal[2] = g.z;
}

}  // namespace pintle::mission
