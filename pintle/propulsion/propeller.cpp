#include "pintle/propulsion/propeller.h"

#include <cmath>

#include "pintle/propulsion/check_numbers.h"
#include "pintle/propulsion/propeller_kernel.h"

namespace pintle::propulsion {
namespace {

double density_factor(const PropellerParams& p, const Ambient& ambient) noexcept {
  const double now = tame(ambient.density_kg_m3);
  return p.density_kg_m3 > 0 && now >= 0 ? now / p.density_kg_m3 : 1;
}

}  // namespace

PropellerConsts prepare(const PropellerParams& p, const Ambient& ambient, double dt_s) noexcept {
  const bool reference = p.behaviour == Behaviour::kReference;
  const double air = density_factor(p, ambient);
  const double spin = p.torque_coef < 0 ? -1 : 1;
  PropellerConsts c{};
  c.end = lag_gain(p.behaviour, dt_s, p.tau_s).end;
  c.feedback = reference ? p.noise_ratio : 0;
  c.on_output = reference ? 0 : p.noise_ratio;
  c.max_rpm = p.max_rpm;
  c.thrust = p.thrust_coef * air;
  c.torque = p.torque_coef * air;
  c.reaction = !reference && dt_s > 0 && std::isfinite(dt_s)
                   ? spin * p.rotor_inertia_kgm2 * (2 * kPi / 60) / dt_s
                   : 0;
  c.x = p.thrust_unit.x;
  c.y = p.thrust_unit.y;
  c.z = p.thrust_unit.z;
  return c;
}

PropellerStep step(const PropellerParams& p, PropellerState& state, const PropellerInput& input,
                   const Ambient& ambient, const Grant& grant, double dt_s) noexcept {
  const PropellerWrench w = PropellerKernel::update(prepare(p, ambient, dt_s), state,
                                                    {input.pwm, input.noise, grant.share});
  return {{{w.fx, w.fy, w.fz}, {w.tx, w.ty, w.tz}}, w.rpm};
}

Linearised linearise(const PropellerParams& p, const PropellerState& state, const Ambient& ambient,
                     double horizon_s) noexcept {
  const PropellerConsts c = prepare(p, ambient, horizon_s);
  const double reach = c.end < 1 ? c.end : 1;
  const double y = clip(tame(state.throttle), -1, 1);
  const double now = c.thrust * p.max_rpm * p.max_rpm * y * magnitude(y);
  const double per_newton = c.thrust > 0 ? c.torque / c.thrust : 0;
  const Wrench unit{p.thrust_unit, per_newton * p.thrust_unit};
  Linearised out;
  out.n = 1;
  out.column_P[0] = reach * unit;
  out.bias_P = ((1 - reach) * now) * unit;
  out.upper[0] = c.thrust * p.max_rpm * p.max_rpm;
  out.lower[0] = p.reversible ? -out.upper[0] : 0;
  return out;
}

double shaft_power_W(const PropellerParams& p, double thrust_N, const Ambient& ambient) noexcept {
  const double per_rpm2 = p.thrust_coef * density_factor(p, ambient);
  if (!(per_rpm2 > 0) || !std::isfinite(thrust_N)) return 0;
  const double thrust = std::fabs(thrust_N);
  const double rad_s = std::sqrt(thrust / per_rpm2) * (2 * 3.14159265358979323846 / 60);
  return thrust * std::fabs(p.torque_coef) / p.thrust_coef * rad_s;
}

PropellerInput invert(const PropellerParams& p, double effort_N, const Ambient& ambient) noexcept {
  const double full = p.thrust_coef * density_factor(p, ambient) * p.max_rpm * p.max_rpm;
  if (!(full > 0) || !std::isfinite(effort_N)) return {};
  const double share = clip(effort_N / full, p.reversible ? -1 : 0, 1);
  return {std::copysign(std::sqrt(std::fabs(share)), share), 0};
}

Findings check(const PropellerParams& p) {
  Findings out;
  check_range(out, "tau_s", p.tau_s, 0, 60, "write seconds; 0 is no lag");
  check_above(out, "max_rpm", p.max_rpm, "write sqrt(full thrust / thrust_coef)");
  check_above(out, "thrust_coef", p.thrust_coef, "write newtons per rpm squared");
  check_range(out, "torque_coef", p.torque_coef, -kLargest, kLargest,
              "write newton metres per rpm squared, negative for the other way round");
  check_range(out, "noise_ratio", p.noise_ratio, 0, 1, "write a share of the thrust");
  check_range(out, "rotor_inertia_kgm2", p.rotor_inertia_kgm2, 0, kLargest, "write 0 for none");
  check_range(out, "density_kg_m3", p.density_kg_m3, 0, kLargest,
              "write 1.225, or 0 where thrust does not depend on it");
  check_range(out, "radius_m", p.radius_m, 0, kLargest, "write 0 for no ground effect");
  check_unit(out, "thrust_unit", p.thrust_unit);
  return out;
}

}  // namespace pintle::propulsion

namespace pintle {

using propulsion::PropellerParams;
using propulsion::PropellerState;

template <>
const Table& table_of<PropellerParams>() {
  static const Table table =
      TableBuilder<PropellerParams>("Propeller", "A motor with a propeller.")
          .field("tau_s", &PropellerParams::tau_s, "s", "Ramp-up time constant; 0 is none.")
          .range(0, 60)
          .field("max_rpm", &PropellerParams::max_rpm, "", "Revolutions a minute at pwm 1.")
          .above(0)
          .required()
          .field("thrust_coef", &PropellerParams::thrust_coef, "", "Newtons per rpm squared.")
          .above(0)
          .required()
          .field("torque_coef", &PropellerParams::torque_coef, "",
                 "Newton metres per rpm squared, with the sign of the reaction.")
          .field("thrust_unit", &PropellerParams::thrust_unit, "",
                 "Direction of the force, mount coordinates.")
          .field("noise_ratio", &PropellerParams::noise_ratio, "",
                 "Standard deviation of the thrust as a share of it.")
          .range(0, 1)
          .field("rotor_inertia_kgm2", &PropellerParams::rotor_inertia_kgm2, "kg m^2",
                 "Of rotor and propeller: its reaction when it speeds up.")
          .at_least(0)
          .field("density_kg_m3", &PropellerParams::density_kg_m3, "kg/m^3",
                 "Air density of the coefficients; 0: thrust does not depend on it.")
          .at_least(0)
          .field("reversible", &PropellerParams::reversible, "",
                 "Whether it may be driven backwards.")
          .field("behaviour", &PropellerParams::behaviour, "",
                 "reference (the original simulator's numbers) or physical.")
          .field("radius_m", &PropellerParams::radius_m, "m",
                 "Of the disc, for the world's ground effect; 0: none.")
          .at_least(0)
          .build();
  return table;
}

template <>
const Table& table_of<PropellerState>() {
  static const Table table =
      TableBuilder<PropellerState>("PropellerState", "Where a propeller stands.")
          .field("throttle", &PropellerState::throttle, "", "Share of max_rpm, signed.")
          .build();
  return table;
}

}  // namespace pintle
