#include "pintle/control/setpoint_shaping.h"

#include "pintle/base/rotation.h"

namespace pintle::control {
namespace {

using Axes = std::array<MotionState, kAxes>;

/// Those that move along the goal's axes; the others stand.
Axes posing(const ShapingState& s) noexcept {
  Axes out = s.axis;
  for (std::size_t i = 0; i < kAxes; ++i)
    if (s.mode[i] != AxisMode::kPosition) out[i] = {};
  return out;
}

Vec3 linear(const Axes& axes, double MotionState::*part) noexcept {
  return {axes[0].*part, axes[1].*part, axes[2].*part};
}
Vec3 angular(const Axes& axes, double MotionState::*part) noexcept {
  return {axes[3].*part, axes[4].*part, axes[5].*part};
}

Pose reference_of(const ShapingState& s) noexcept {
  return {s.X_WD.p - rotate(s.X_WD.q, linear(s.axis, &MotionState::to_go)),
          s.X_WD.q * from_rotation_vector(-angular(s.axis, &MotionState::to_go))};
}

/// Goal minus pose along the axes of the goal.
Vec6 way(const Pose& X_WR, const Pose& X_WD) noexcept {
  const Vec3 p = rotate(conjugate(X_WD.q), X_WD.p - X_WR.p);
  const Vec3 r = to_rotation_vector(conjugate(normalized(X_WR.q)) * X_WD.q);
  return {{p.x, p.y, p.z, r.x, r.y, r.z}};
}

/// The same reference, on its way to another goal.
void turn_to(ShapingState& s, const Pose& X_WD) noexcept {
  const Vec6 left = way(reference_of(s), X_WD);
  const Quat q_DO = conjugate(X_WD.q) * s.X_WD.q;
  const Axes before = posing(s);
  for (double MotionState::*part : {&MotionState::velocity, &MotionState::acceleration}) {
    const Vec3 l = rotate(q_DO, linear(before, part)), a = rotate(q_DO, angular(before, part));
    for (std::size_t i = 0; i < kAxes; ++i)
      if (s.mode[i] == AxisMode::kPosition) s.axis[i].*part = i < 3 ? l[i] : a[i - 3];
  }
  for (std::size_t i = 0; i < kAxes; ++i)
    if (s.mode[i] == AxisMode::kPosition) s.axis[i].to_go = left[i];
  s.X_WD = X_WD;
}

}  // namespace

Shaped shape(const MotionLimits& limits, ShapingState& s, const Setpoint& wanted, const Pose& X_WB,
             const Twist& V_WB_B, double dt_s) noexcept {
  const Pose goal{wanted.X_WD.p, normalized(wanted.X_WD.q)};
  if (!(s.X_WD.p == goal.p && s.X_WD.q == goal.q)) turn_to(s, goal);

  const Quat q_DB = conjugate(goal.q) * normalized(X_WB.q);
  const Vec6 now = way(X_WB, goal), velocity_B = to_vec6(V_WB_B);
  const Vec3 v = rotate(q_DB, V_WB_B.v), w = rotate(q_DB, V_WB_B.w);
  const Vec6 wanted_velocity = to_vec6(wanted.V_WD_B);
  for (std::size_t i = 0; i < kAxes; ++i) {
    MotionState& axis = s.axis[i];
    const AxisMode mode = wanted.mode[i];
    const bool poses = mode == AxisMode::kPosition && limits[i].shapes();
    if (!poses && mode != AxisMode::kVelocity) {
      axis = {};
      s.begun = static_cast<AxisMask>(s.begun & ~axis_bit(i));
      continue;
    }
    if ((s.begun & axis_bit(i)) == 0 || s.mode[i] != mode) {
      axis = poses ? MotionState{now[i], i < 3 ? v[i] : w[i - 3]} : MotionState{0, velocity_B[i]};
      s.mode[i] = mode;
      s.begun = static_cast<AxisMask>(s.begun | axis_bit(i));
    }
    if (poses) {
      advance(limits[i], axis, dt_s);
    } else {
      axis.to_go = 0;
      advance_velocity(limits[i], axis, wanted_velocity[i], dt_s);
    }
  }

  const Axes moving = posing(s);
  const auto in_body = [&](double MotionState::*part) {
    const Vec3 l = rotate(conjugate(q_DB), linear(moving, part));
    const Vec3 a = rotate(conjugate(q_DB), angular(moving, part));
    Vec6 all{{l.x, l.y, l.z, a.x, a.y, a.z}};
    for (std::size_t i = 0; i < kAxes; ++i)
      if (wanted.mode[i] == AxisMode::kVelocity) all[i] = s.axis[i].*part;
    return all;
  };
  return {reference_of(s), in_body(&MotionState::velocity), in_body(&MotionState::acceleration)};
}

}  // namespace pintle::control

namespace pintle {

template <>
const Table& table_of<control::ShapingState>() {
  using S = control::ShapingState;
  static const Table table =
      TableBuilder<S>("ShapingState", "A setpoint on its way to its goal.")
          .field("axis", &S::axis, "", "Each axis: what is left to go, and how it moves.")
          .keyed(kAxisNames)
          .field("mode", &S::mode, "", "By which each has set out.")
          .keyed(kAxisNames)
          .field("begun", &S::begun, "", "Axes under way, one bit each.")
          .field("X_WD", &S::X_WD, "", "The goal that it counts from.")
          .build();
  return table;
}

}  // namespace pintle
