/// One step of one jet, all in doubles and without branches. For sources of this room.
#pragma once
#include "pintle/propulsion/arithmetic.h"
#include "pintle/propulsion/jet.h"

namespace pintle::propulsion {

struct JetConsts {
  double dt, max_thrust;
  double inverse;  ///< a of first_order.
  double end;      ///< Of the stable lag.
  double per_tau;  ///< 1 / tau, 0 without the lag.
  double k_t, k_tt, k_d, k_dd, k_td, b_u, b_t, b_d, b_uu, c;
};
struct JetThrust {
  double thrust, rate;
};
struct JetLane {
  double thrust, rate;
};
struct JetCommand {
  double value;
};

[[nodiscard]] JetConsts prepare(const JetParams& p, double dt_s) noexcept;

/// To [0, max]; NaN gives 0.
PINTLE_INLINE double limited(double thrust, double max_thrust) noexcept {
  return clip(thrust, 0, max_thrust);
}

struct JetFirstOrderKernel {
  using Consts = JetConsts;
  using State = JetLane;
  using In = JetCommand;
  using Out = JetThrust;
  PINTLE_INLINE static Out update(const Consts& c, State& s, const In& in) noexcept {
    const double u = tame(in.value);
    const double before = tame(s.thrust);
    const double left = 1.0 - c.inverse * c.dt;
    const bool usable = left > 0;
    const double after = (before + u * c.dt) / (usable ? left : 1.0);
    s.thrust = limited(usable ? after : before, c.max_thrust);
    s.rate = u;
    return {s.thrust, u};
  }
};

struct JetLagKernel {
  using Consts = JetConsts;
  using State = JetLane;
  using In = JetCommand;
  using Out = JetThrust;
  PINTLE_INLINE static Out update(const Consts& c, State& s, const In& in) noexcept {
    const double u = limited(tame(in.value), c.max_thrust);
    const double before = limited(s.thrust, c.max_thrust);
    s.thrust = limited(before + c.end * (u - before), c.max_thrust);
    s.rate = (u - s.thrust) * c.per_tau;
    return {s.thrust, s.rate};
  }
};

struct JetDirectKernel {
  using Consts = JetConsts;
  using State = JetLane;
  using In = JetCommand;
  using Out = JetThrust;
  PINTLE_INLINE static Out update(const Consts& c, State& s, const In& in) noexcept {
    s.thrust = limited(tame(in.value), c.max_thrust);
    s.rate = 0;
    return {s.thrust, 0};
  }
};

struct JetNonlinearKernel {
  using Consts = JetConsts;
  using State = JetLane;
  using In = JetCommand;
  using Out = JetThrust;
  PINTLE_INLINE static double acceleration(const Consts& c, double T, double D, double u) noexcept {
    return c.k_t * T + c.k_tt * T * T + c.k_d * D + c.k_dd * D * D + c.k_td * T * D + c.c +
           (c.b_u + c.b_t * T + c.b_d * D) * (u + c.b_uu * u * u);
  }
  PINTLE_INLINE static Out update(const Consts& c, State& s, const In& in) noexcept {
    const double u = clip(tame(in.value), -1e6, 1e6);
    const double T = limited(s.thrust, c.max_thrust);
    const double D = clip(tame(s.rate), -1e9, 1e9);
    const double acc = acceleration(c, T, D, u);
    const double next = T + D * c.dt + 0.5 * acc * c.dt * c.dt;
    const double rate = clip(D + acc * c.dt, -1e9, 1e9);
    const double not_down = rate > 0 ? rate : 0.0, not_up = rate < 0 ? rate : 0.0;
    const double against = next >= c.max_thrust ? not_up : rate;
    s.rate = next <= 0 ? not_down : against;
    s.thrust = limited(next, c.max_thrust);
    return {s.thrust, s.rate};
  }
};

}  // namespace pintle::propulsion
