/// One step of one booster, all in doubles and without branches. For sources of this room.
#pragma once
#include "pintle/propulsion/arithmetic.h"
#include "pintle/propulsion/booster.h"

namespace pintle::propulsion {

/// What the parameters and the step come to.
struct BoosterConsts {
  double end, mean;  ///< Of the lag.
  double floor;      ///< r.
  double latch;      ///< 1: once lit, lit.
  double noise_ratio;
  double max_thrust;
  double burn;           ///< Reference: max_fuel_rate / total_fuel_mass.
  double kg_per_newton;  ///< Mass burnt in the step per newton.
  double fuel_mass;      ///< Own fuel when full.
  double own_fuel;       ///< 0: granted by a tank.
  double dt;
};
struct BoosterCommand {
  double ignition, pwm, noise, share;
};
struct BoosterThrust {
  double thrust;  ///< N, mean over the step.
  double burnt;   ///< kg.
};

[[nodiscard]] BoosterConsts prepare(const BoosterParams& p, double dt_s) noexcept;

struct BoosterReferenceKernel {
  using Consts = BoosterConsts;
  using State = BoosterState;
  using In = BoosterCommand;
  using Out = BoosterThrust;
  PINTLE_INLINE static Out update(const Consts& c, State& s, const In& in) noexcept {
    const bool lit = ((c.latch > 0.5) & (s.lit > 0.5)) | (in.ignition > 0.5);
    const double pwm = clip(in.pwm, 0, 1);
    const double target = lit ? pwm * (1.0 - c.floor) + c.floor : 0.0;
    double y = tame(s.throttle);
    y = y + c.end * (target - y);
    y = y + tame(in.noise) * y * c.noise_ratio;
    y = tame(y);
    const double before = tame(s.fuel_ratio);
    y = y * (before > 0 ? 1.0 : 0.0);
    const double after = clip(before - y * c.burn * c.dt, 0, 1);
    s.lit = lit ? 1.0 : 0.0;
    s.fuel_ratio = after;
    s.throttle = y;
    return {y * c.max_thrust, (before - after) * c.fuel_mass};
  }
};

struct BoosterPhysicalKernel {
  using Consts = BoosterConsts;
  using State = BoosterState;
  using In = BoosterCommand;
  using Out = BoosterThrust;
  PINTLE_INLINE static Out update(const Consts& c, State& s, const In& in) noexcept {
    const bool lit = ((c.latch > 0.5) & (s.lit > 0.5)) | (in.ignition > 0.5);
    const double pwm = clip(in.pwm, 0, 1);
    const double share = clip(in.share, 0, 1);
    const double ratio = clip(s.fuel_ratio, 0, 1);
    const bool own = c.own_fuel > 0.5;
    const bool fuelled = own ? ratio > 0 : share > 0;
    const double y = fuelled ? clip(s.throttle, 0, 1) : 0.0;
    const double target = (lit & fuelled) ? c.floor + (1.0 - c.floor) * pwm : 0.0;

    // thrust that is wanted, and the fuel for it
    const double wanted = (y + c.mean * (target - y)) * c.max_thrust;
    const double noisy = tame(wanted * (1.0 + tame(in.noise) * c.noise_ratio));
    const double force = noisy > 0 ? noisy : 0.0;
    const double need = force * c.kg_per_newton;
    const double have = ratio * c.fuel_mass;
    const bool enough = own ? need < have : share >= 1;
    const double used = enough ? need : (own ? have : need * share);
    const double part = need > 0 ? used / need : (fuelled ? 1.0 : 0.0);

    // what is left; a throttle too small to matter is none
    const double left = ratio - used / (c.fuel_mass > 0 ? c.fuel_mass : 1.0);
    const double after = own ? ((enough & (left > 0)) ? left : 0.0) : ratio;
    const double relaxed = y + c.end * (target - y);
    const bool alive = fuelled & (own ? after > 0 : share >= 1) & (relaxed > 1e-30);
    s.lit = lit ? 1.0 : 0.0;
    s.fuel_ratio = after;
    s.throttle = alive ? relaxed : 0.0;
    return {force * part, used};
  }
};

}  // namespace pintle::propulsion
