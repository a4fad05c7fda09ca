#include "pintle/propulsion/fin.h"

#include <cmath>

#include "pintle/propulsion/check_numbers.h"
#include "pintle/propulsion/fin_kernel.h"
#include "pintle/propulsion/internal/servo.h"

namespace pintle::propulsion {
namespace {

constexpr double kSeaLevelAir = 1.225;

Wrench to_wrench(const FinWrench& w) noexcept { return {{w.fx, w.fy, w.fz}, {w.tx, w.ty, w.tz}}; }

Wrench update(const FinConsts& consts, FinState& state, double command,
              const Ambient& ambient) noexcept {
  const Vec3 v = -ambient.flow_P;
  return to_wrench(FinKernel::update(consts, state, {command, v.x, v.y, v.z}));
}

}  // namespace

FinConsts prepare(const FinParams& p, double density_kg_m3, double dt_s) noexcept {
  const Vec3 l = unit_or_x(p.lift_unit), f = unit_or_x(p.forward_unit);
  const bool reference = p.behaviour == Behaviour::kReference;
  const double density = reference ? kSeaLevelAir : clip(density_kg_m3, 0, 1e6);
  const double aspect = p.span_m / p.chord_m;
  const double theta = std::acos(clip(2 * p.flap_to_chord - 1, -1, 1));
  FinConsts c{};
  c.end = lag_gain(p.behaviour, dt_s, p.tau_s).end;
  c.lx = l.x, c.ly = l.y, c.lz = l.z;
  c.fx = f.x, c.fy = f.y, c.fz = f.z;
  c.cla = p.cl_alpha_2d * aspect / (aspect + 2 * (aspect + 4) / (aspect + 2));
  c.limit = radians(p.deflection_limit_deg);
  c.per_deflection = (1 - (theta - std::sin(theta)) / kPi) * p.eta;
  c.flap = p.flap_to_chord;
  c.alpha_0 = radians(p.alpha_0_deg);
  c.stall_positive = radians(p.stall_positive_deg);
  c.stall_negative = radians(p.stall_negative_deg);
  c.cd_0 = p.cd_0;
  c.per_lift = 1 / (kPi * aspect);
  c.plate = 0.41 * (1 - std::exp(-17 / aspect));
  c.half_rho_area = 0.5 * density * p.chord_m * p.span_m;
  c.chord = p.chord_m;
  return c;
}

Wrench step(const FinParams& p, FinState& state, double command, const Ambient& ambient,
            double dt_s) noexcept {
  return update(prepare(p, ambient.density_kg_m3, dt_s), state, command, ambient);
}

Wrench wrench_of(const FinParams& p, const FinState& state, const Ambient& ambient) noexcept {
  FinState copy = state;
  return update(prepare(p, ambient.density_kg_m3, 0), copy, 0, ambient);
}

Linearised linearise(const FinParams& p, const FinState& state, const Ambient& ambient,
                     double horizon_s, double period_s) noexcept {
  constexpr double kApart = 1e-5;
  const FinConsts c = prepare(p, ambient.density_kg_m3, 0);
  const double at = clip(tame(state.actuation), -1, 1);
  FinState centre{at}, above{at + kApart}, below{at - kApart};
  const Wrench now = update(c, centre, 0, ambient);
  const Wrench slope =
      (1 / (2 * kApart)) * (update(c, above, 0, ambient) - update(c, below, 0, ambient));
  const double end = lag_gain(p.behaviour, horizon_s, p.tau_s).end;
  const double reach = end < 1 ? end : 1;
  Linearised out;
  out.n = 1;
  out.column_P[0] = reach * slope;
  out.bias_P = now - at * out.column_P[0];
  const ServoReach within =
      servo_reach(state.commanded, p.max_rate_deg_s, p.deflection_limit_deg, period_s);
  out.lower[0] = within.lower;
  out.upper[0] = within.upper;
  return out;
}

double invert(const FinParams& p, FinState& state, double effort, double dt_s) noexcept {
  const ServoReach within =
      servo_reach(state.commanded, p.max_rate_deg_s, p.deflection_limit_deg, dt_s);
  state.commanded = clip(tame(effort), within.lower, within.upper);
  return state.commanded;
}

Findings check(const FinParams& p) {
  Findings out;
  check_range(out, "tau_s", p.tau_s, 0, 60, "write seconds; 0 is no lag");
  check_range(out, "max_rate_deg_s", p.max_rate_deg_s, 0, 1e5, "write how fast the servo turns");
  check_above(out, "chord_m", p.chord_m, "write the depth of the fin along the flow");
  check_above(out, "span_m", p.span_m, "write the width of the fin across the flow");
  check_range(out, "cl_alpha_2d", p.cl_alpha_2d, 0, 100, "write 6.283 for a thin profile");
  check_range(out, "flap_to_chord", p.flap_to_chord, 0, 1, "write 1 for a fin that moves whole");
  check_range(out, "eta", p.eta, 0, 1, "write a share");
  check_range(out, "alpha_0_deg", p.alpha_0_deg, -90, 90, "write 0 for a symmetric profile");
  check_range(out, "stall_positive_deg", p.stall_positive_deg, 0, 90, "write degrees above 0");
  check_range(out, "stall_negative_deg", p.stall_negative_deg, -90, 0, "write degrees below 0");
  check_range(out, "cd_0", p.cd_0, 0, 10, "write the drag coefficient without lift");
  check_range(out, "deflection_limit_deg", p.deflection_limit_deg, 0, 180,
              "write the deflection at command 1");
  check_unit(out, "lift_unit", p.lift_unit, true);
  check_unit(out, "forward_unit", p.forward_unit, true);
  const double c = dot(unit_or_x(p.lift_unit), unit_or_x(p.forward_unit));
  if (!(std::fabs(c) <= 1e-3))
    out.push_back({"forward_unit",
                   "expected a direction at right angles to lift_unit, got cosine " + short_text(c),
                   "lift acts across the chord, forward lies along it"});
  return out;
}

}  // namespace pintle::propulsion

namespace pintle {

using propulsion::FinParams;
using propulsion::FinState;

template <>
const Table& table_of<FinParams>() {
  static const Table table =
      TableBuilder<FinParams>("Fin", "A control surface in the wind.")
          .field("lift_unit", &FinParams::lift_unit, "", "Which way it lifts, mount coordinates.")
          .field("forward_unit", &FinParams::forward_unit, "",
                 "Along the chord towards the leading edge.")
          .field("cl_alpha_2d", &FinParams::cl_alpha_2d, "", "Lift slope of the profile, per rad.")
          .at_least(0)
          .field("chord_m", &FinParams::chord_m, "m", "Depth along the flow.")
          .above(0)
          .required()
          .field("span_m", &FinParams::span_m, "m", "Width across the flow.")
          .above(0)
          .required()
          .field("flap_to_chord", &FinParams::flap_to_chord, "",
                 "Share of the chord that moves; 1: the whole fin.")
          .range(0, 1)
          .field("eta", &FinParams::eta, "", "Efficiency of the flap.")
          .range(0, 1)
          .field("alpha_0_deg", &FinParams::alpha_0_deg, "deg", "Angle of no lift.")
          .range(-90, 90)
          .field("stall_positive_deg", &FinParams::stall_positive_deg, "deg", "Stall nose up.")
          .range(0, 90)
          .field("stall_negative_deg", &FinParams::stall_negative_deg, "deg", "Stall nose down.")
          .range(-90, 0)
          .field("cd_0", &FinParams::cd_0, "", "Drag coefficient without lift.")
          .at_least(0)
          .field("deflection_limit_deg", &FinParams::deflection_limit_deg, "deg",
                 "Deflection at command 1.")
          .range(0, 180)
          .field("tau_s", &FinParams::tau_s, "s", "Time constant of the deflection; 0 is none.")
          .range(0, 60)
          .field("max_rate_deg_s", &FinParams::max_rate_deg_s, "deg/s",
                 "No command is further from the one before it than a servo this fast turns in "
                 "the time between them; 0: no limit.")
          .range(0, 1e5)
          .field("behaviour", &FinParams::behaviour, "",
                 "reference (the original simulator's numbers) or physical.")
          .build();
  return table;
}

template <>
const Table& table_of<FinState>() {
  static const Table table =
      TableBuilder<FinState>("FinState", "Where a fin stands.")
          .field("actuation", &FinState::actuation, "", "Deflection as a share of its limit.")
          .field("commanded", &FinState::commanded, "", "Last command, -1 to 1.")
          .build();
  return table;
}

}  // namespace pintle
