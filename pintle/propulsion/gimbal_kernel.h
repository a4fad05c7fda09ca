/// One step of one gimbal, all in doubles and without branches. For sources of this room.
#pragma once
#include "pintle/propulsion/arithmetic.h"
#include "pintle/propulsion/gimbal.h"

namespace pintle::propulsion {

struct GimbalConsts {
  double end;                     ///< Of the lag.
  double half_1, half_2;          ///< Half ranges, rad.
  double x1, y1, z1, x2, y2, z2;  ///< Unit axes.
};
struct GimbalRotation {
  double r11, r12, r13, r21, r22, r23, r31, r32, r33;
};

[[nodiscard]] GimbalConsts prepare(const GimbalParams& p, double dt_s) noexcept;

PINTLE_INLINE void lag_gimbal(const GimbalConsts& c, GimbalState& s,
                              const GimbalInput& in) noexcept {
  const double q_1 = clip(s.q_1, -4, 4), q_2 = clip(s.q_2, -4, 4);
  s.commanded_1 = clip(tame(in.command_1), -1, 1);
  s.commanded_2 = clip(tame(in.command_2), -1, 1);
  s.q_1 = q_1 + c.end * (s.commanded_1 - q_1);
  s.q_2 = q_2 + c.end * (s.commanded_2 - q_2);
}

/// sin(a) and 1 - cos(a) from half the angle: exact next to 0.
struct Turn {
  double sin, versin;
};
PINTLE_INLINE Turn turn_of(double half) noexcept {
  const SinCos h = sincos(half);
  return {2.0 * h.sin * h.cos, 2.0 * h.sin * h.sin};
}

/// R = I + s K + v (k k^T - I).
PINTLE_INLINE GimbalRotation axis_rotation(Turn t, double x, double y, double z) noexcept {
  const double c = 1.0 - t.versin;
  return {c + t.versin * x * x,         t.versin * x * y - t.sin * z, t.versin * x * z + t.sin * y,
          t.versin * y * x + t.sin * z, c + t.versin * y * y,         t.versin * y * z - t.sin * x,
          t.versin * z * x - t.sin * y, t.versin * z * y + t.sin * x, c + t.versin * z * z};
}

PINTLE_INLINE GimbalRotation rotation(const GimbalConsts& c, const GimbalState& s) noexcept {
  const GimbalRotation a = axis_rotation(turn_of(s.q_1 * c.half_1), c.x1, c.y1, c.z1);
  const GimbalRotation b = axis_rotation(turn_of(s.q_2 * c.half_2), c.x2, c.y2, c.z2);
  return {
      a.r11 * b.r11 + a.r12 * b.r21 + a.r13 * b.r31, a.r11 * b.r12 + a.r12 * b.r22 + a.r13 * b.r32,
      a.r11 * b.r13 + a.r12 * b.r23 + a.r13 * b.r33, a.r21 * b.r11 + a.r22 * b.r21 + a.r23 * b.r31,
      a.r21 * b.r12 + a.r22 * b.r22 + a.r23 * b.r32, a.r21 * b.r13 + a.r22 * b.r23 + a.r23 * b.r33,
      a.r31 * b.r11 + a.r32 * b.r21 + a.r33 * b.r31, a.r31 * b.r12 + a.r32 * b.r22 + a.r33 * b.r32,
      a.r31 * b.r13 + a.r32 * b.r23 + a.r33 * b.r33};
}

struct GimbalKernel {
  using Consts = GimbalConsts;
  using State = GimbalState;
  using In = GimbalInput;
  using Out = GimbalRotation;
  PINTLE_INLINE static Out update(const Consts& c, State& s, const In& in) noexcept {
    lag_gimbal(c, s, in);
    return rotation(c, s);
  }
};

}  // namespace pintle::propulsion
