/// One step of one gimballed booster, all in doubles and without branches. For sources of this
/// room.
#pragma once
#include "pintle/propulsion/booster_kernel.h"
#include "pintle/propulsion/engine.h"
#include "pintle/propulsion/gimbal_kernel.h"

namespace pintle::propulsion {

struct EngineConsts {
  BoosterConsts booster;
  GimbalConsts gimbal;
  double x, y, z;  ///< Thrust axis at rest.
};
struct EngineCommand {
  double ignition, pwm, noise, share, command_1, command_2;
};
struct EngineThrust {
  double fx, fy, fz, thrust, burnt;
};

[[nodiscard]] EngineConsts prepare(const EngineParams& p, double dt_s) noexcept;

template <class Booster>
struct EngineKernel {
  using Consts = EngineConsts;
  using State = EngineState;
  using In = EngineCommand;
  using Out = EngineThrust;
  PINTLE_INLINE static Out update(const Consts& c, State& s, const In& in) noexcept {
    lag_gimbal(c.gimbal, s.gimbal, {in.command_1, in.command_2});
    const BoosterThrust t =
        Booster::update(c.booster, s.booster, {in.ignition, in.pwm, in.noise, in.share});
    // axis 2 turns the thrust first, axis 1 carries both
    const Turn a = turn_of(s.gimbal.q_1 * c.gimbal.half_1),
               b = turn_of(s.gimbal.q_2 * c.gimbal.half_2);
    const GimbalRotation r2 = axis_rotation(b, c.gimbal.x2, c.gimbal.y2, c.gimbal.z2);
    const double x = r2.r11 * c.x + r2.r12 * c.y + r2.r13 * c.z;
    const double y = r2.r21 * c.x + r2.r22 * c.y + r2.r23 * c.z;
    const double z = r2.r31 * c.x + r2.r32 * c.y + r2.r33 * c.z;
    const GimbalRotation r1 = axis_rotation(a, c.gimbal.x1, c.gimbal.y1, c.gimbal.z1);
    const double thrust = tame(t.thrust);
    return {thrust * (r1.r11 * x + r1.r12 * y + r1.r13 * z),
            thrust * (r1.r21 * x + r1.r22 * y + r1.r23 * z),
            thrust * (r1.r31 * x + r1.r32 * y + r1.r33 * z), thrust, t.burnt};
  }
};
using EngineReferenceKernel = EngineKernel<BoosterReferenceKernel>;
using EnginePhysicalKernel = EngineKernel<BoosterPhysicalKernel>;

}  // namespace pintle::propulsion
