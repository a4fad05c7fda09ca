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
    const bool lit = ((c.latch > 0.5) & (s.lit > 0.5)) | (tame(in.ignition) > 0.5);
    const double pwm = clip(tame(in.pwm), 0, 1);
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
    // flags are numbers, 0 or 1: choices between truth values would be branches
    const double latched = s.lit > 0.5 ? c.latch : 0.0;
    const double lit = tame(in.ignition) > 0.5 ? 1.0 : latched;
    const double pwm = clip(tame(in.pwm), 0, 1);
    const double share = clip(tame(in.share), 0, 1);
    const double ratio = clip(s.fuel_ratio, 0, 1);
    const double supply = c.own_fuel > 0.5 ? ratio : share;
    const double y = supply > 0 ? clip(s.throttle, 0, 1) : 0.0;
    const double burning = supply > 0 ? lit : 0.0;
    const double target = burning > 0.5 ? c.floor + (1.0 - c.floor) * pwm : 0.0;

    // thrust that is wanted, and the fuel for it
    const double wanted = (y + c.mean * (target - y)) * c.max_thrust;
    const double noisy = tame(wanted * (1.0 + tame(in.noise) * c.noise_ratio));
    const double force = noisy > 0 ? noisy : 0.0;
    const double need = force * c.kg_per_newton;
    const double own_fuel = ratio * c.fuel_mass;
    const double own_used = need < own_fuel ? need : own_fuel;
    const double granted = share >= 1 ? need : need * share;
    const double used = c.own_fuel > 0.5 ? own_used : granted;
    const double idle = supply > 0 ? 1.0 : 0.0;
    const double part = need > 0 ? used / (need > 0 ? need : 1.0) : idle;

    // what is left; a throttle too small to matter is none
    const double left = ratio - used / (c.fuel_mass > 0 ? c.fuel_mass : 1.0);
    const double not_negative = left > 0 ? left : 0.0;
    const double remaining = need < own_fuel ? not_negative : 0.0;
    const double after = c.own_fuel > 0.5 ? remaining : ratio;
    const double granted_whole = share >= 1 ? 1.0 : 0.0;
    const double still = c.own_fuel > 0.5 ? after : granted_whole;
    const double relaxed = y + c.end * (target - y);
    const double kept = relaxed > 1e-30 ? relaxed : 0.0;
    const double fed = supply > 0 ? kept : 0.0;
    s.lit = lit;
    s.fuel_ratio = after;
    s.throttle = still > 0 ? fed : 0.0;
    return {force * part, used};
  }
};

}  // namespace pintle::propulsion
