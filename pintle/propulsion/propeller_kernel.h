/// One step of one propeller, all in doubles and without branches. For sources of this room.
#pragma once
#include "pintle/propulsion/arithmetic.h"
#include "pintle/propulsion/propeller.h"

namespace pintle::propulsion {

struct PropellerConsts {
  double end;        ///< Of the lag.
  double feedback;   ///< Noise ratio on the throttle (reference) …
  double on_output;  ///< … and on what comes out (physical).
  double max_rpm;
  double thrust, torque;  ///< Coefficients at this density.
  double reaction;        ///< Torque per rpm of speeding up in this step.
  double x, y, z;
};
struct PropellerCommand {
  double pwm, noise, share;
};
struct PropellerWrench {
  double fx, fy, fz, tx, ty, tz, rpm;
};

[[nodiscard]] PropellerConsts prepare(const PropellerParams& p, const Ambient& ambient,
                                      double dt_s) noexcept;

struct PropellerKernel {
  using Consts = PropellerConsts;
  using State = PropellerState;
  using In = PropellerCommand;
  using Out = PropellerWrench;
  PINTLE_INLINE static Out update(const Consts& c, State& s, const In& in) noexcept {
    const double pwm = clip(tame(in.pwm), -1, 1) * clip(tame(in.share), 0, 1);
    const double noise = clip(tame(in.noise), -1e6, 1e6);
    const double before = clip(tame(s.throttle), -1e6, 1e6);
    double y = before + c.end * (pwm - before);
    y = y + noise * y * c.feedback;
    y = clip(y, -1e6, 1e6);
    s.throttle = y;
    const double rpm = y * c.max_rpm;
    const double q = rpm * magnitude(rpm) * (1.0 + noise * c.on_output);
    const double force = tame(q * c.thrust);
    const double torque = tame(q * c.torque + c.reaction * (y - before) * c.max_rpm);
    return {force * c.x, force * c.y, force * c.z, torque * c.x, torque * c.y, torque * c.z, rpm};
  }
};

}  // namespace pintle::propulsion
