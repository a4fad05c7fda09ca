#include "pintle/propulsion/gimbal.h"

#include <cmath>

#include "pintle/propulsion/check_numbers.h"
#include "pintle/propulsion/gimbal_kernel.h"
#include "pintle/propulsion/internal/servo.h"

namespace pintle::propulsion {
namespace {

Mat3 to_mat3(const GimbalRotation& r) noexcept {
  return {{r.r11, r.r12, r.r13, r.r21, r.r22, r.r23, r.r31, r.r32, r.r33}};
}

/// The angle that turns `from` into `to` about a unit axis, as far as one turn can.
double angle_about(Vec3 axis, Vec3 from, Vec3 to) noexcept {
  const Vec3 a = from - dot(axis, from) * axis, b = to - dot(axis, to) * axis;
  const double s = dot(axis, cross(a, b)), c = dot(a, b);
  return s == 0 && c == 0 ? 0 : std::atan2(s, c);
}

}  // namespace

GimbalConsts prepare(const GimbalParams& p, double dt_s) noexcept {
  const Vec3 a = unit_or_x(p.unit_1), b = unit_or_x(p.unit_2);
  return {lag_gain(p.behaviour, dt_s, p.tau_s).end,
          0.5 * radians(p.range_deg[0]),
          0.5 * radians(p.range_deg[1]),
          a.x,
          a.y,
          a.z,
          b.x,
          b.y,
          b.z};
}

Mat3 step(const GimbalParams& p, GimbalState& state, const GimbalInput& input,
          double dt_s) noexcept {
  return to_mat3(GimbalKernel::update(prepare(p, dt_s), state, input));
}

Mat3 rotation_of(const GimbalParams& p, const GimbalState& state) noexcept {
  const GimbalState s{clip(state.q_1, -4, 4), clip(state.q_2, -4, 4)};
  return to_mat3(rotation(prepare(p, 0), s));
}

Linearised linearise(const GimbalParams& p, const GimbalState& state, Vec3 thrust_P,
                     double horizon_s) noexcept {
  const GimbalConsts c = prepare(p, horizon_s);
  const GimbalState s{clip(state.q_1, -4, 4), clip(state.q_2, -4, 4)};
  const Mat3 R1 = to_mat3(axis_rotation(turn_of(s.q_1 * c.half_1), c.x1, c.y1, c.z1));
  const Mat3 R2 = to_mat3(axis_rotation(turn_of(s.q_2 * c.half_2), c.x2, c.y2, c.z2));
  const Vec3 thrust = is_finite(thrust_P) ? thrust_P : Vec3{};
  const Vec3 turned = R1 * (R2 * thrust);
  // d/dq of R_1 R_2 F: the axis (turned by axis 1 for the second) cross the thrust
  const double reach = c.end < 1 ? c.end : 1;
  Linearised out;
  out.n = 2;
  out.column_P[0].force = (reach * 2 * c.half_1) * cross(Vec3{c.x1, c.y1, c.z1}, turned);
  out.column_P[1].force =
      (reach * 2 * c.half_2) * (R1 * cross(Vec3{c.x2, c.y2, c.z2}, R2 * thrust));
  out.bias_P.force = turned - s.q_1 * out.column_P[0].force - s.q_2 * out.column_P[1].force;
  for (std::size_t i = 0; i < 2; ++i) {
    const ServoReach within = servo_reach(i == 0 ? state.commanded_1 : state.commanded_2,
                                          p.max_rate_deg_s, p.range_deg[i], horizon_s);
    out.lower[i] = within.lower;
    out.upper[i] = within.upper;
  }
  return out;
}

GimbalInput invert(const GimbalParams& p, Vec3 from_P, Vec3 to_P) noexcept {
  const Vec3 w1 = unit_or_x(p.unit_1), w2 = unit_or_x(p.unit_2);
  const double from_length = norm(from_P), to_length = norm(to_P);
  if (!(from_length > 0 && to_length > 0) || !std::isfinite(from_length * to_length)) return {};
  const Vec3 from = from_P / from_length, to = to_P / to_length;
  const double range_1 = radians(p.range_deg[0]), range_2 = radians(p.range_deg[1]);
  const auto command = [](double angle, double range) {
    return range > 0 ? clip(angle / range, -1, 1) : 0;
  };

  const double c = dot(w1, w2);
  if (!(1 - c * c > 1e-12)) return {command(angle_about(w1, from, to), range_1), 0};
  // z = R_2 from = R_1^-1 to lies on both cones: two points, or none
  const double alpha = (c * dot(w2, from) - dot(w1, to)) / (c * c - 1);
  const double beta = (c * dot(w1, to) - dot(w2, from)) / (c * c - 1);
  const double rest = (1 - alpha * alpha - beta * beta - 2 * alpha * beta * c) / (1 - c * c);
  const double gamma = rest > 0 ? std::sqrt(rest) : 0;
  GimbalInput best;
  double least = 1e300;
  for (const double sign : {1.0, -1.0}) {
    const Vec3 z = alpha * w1 + beta * w2 + (sign * gamma) * cross(w1, w2);
    const double a2 = angle_about(w2, from, z), a1 = angle_about(w1, z, to);
    const double size = a1 * a1 + a2 * a2;
    if (!(size < least)) continue;
    least = size;
    best = {command(a1, range_1), command(a2, range_2)};
  }
  return best;
}

GimbalInput slewed(const GimbalParams& p, GimbalState& state, const GimbalInput& input,
                   double dt_s) noexcept {
  const ServoReach a = servo_reach(state.commanded_1, p.max_rate_deg_s, p.range_deg[0], dt_s);
  const ServoReach b = servo_reach(state.commanded_2, p.max_rate_deg_s, p.range_deg[1], dt_s);
  state.commanded_1 = clip(tame(input.command_1), a.lower, a.upper);
  state.commanded_2 = clip(tame(input.command_2), b.lower, b.upper);
  return {state.commanded_1, state.commanded_2};
}

Findings check(const GimbalParams& p) {
  Findings out;
  check_range(out, "max_rate_deg_s", p.max_rate_deg_s, 0, 1e5, "write how fast an axis turns");
  check_range(out, "tau_s", p.tau_s, 0, 60, "write seconds; 0 is no lag");
  for (std::size_t i = 0; i < 2; ++i)
    check_range(out, i == 0 ? "range_deg[0]" : "range_deg[1]", p.range_deg[i], 0, 180,
                "write the range either way in degrees");
  check_unit(out, "unit_1", p.unit_1, true);
  check_unit(out, "unit_2", p.unit_2, true);
  const double c = dot(unit_or_x(p.unit_1), unit_or_x(p.unit_2));
  if (std::fabs(c) > 1 - 1e-6)
    out.push_back({"unit_2", "expected an axis other than unit_1's",
                   "two turns about one line aim at nothing that one does not"});
  else if (std::fabs(c) > 1e-6)
    out.push_back({"unit_2", "the axes are not at right angles (cosine " + short_text(c) + ")",
                   "write axes at right angles, unless the gimbal is built so", false});
  return out;
}

}  // namespace pintle::propulsion

namespace pintle {

using propulsion::GimbalParams;
using propulsion::GimbalState;

template <>
const Table& table_of<GimbalParams>() {
  static const Table table =
      TableBuilder<GimbalParams>("Gimbal", "Two axes that turn an engine.")
          .field("unit_1", &GimbalParams::unit_1, "", "First axis, mount coordinates.")
          .field("unit_2", &GimbalParams::unit_2, "", "Second axis, carried by the first.")
          .field("tau_s", &GimbalParams::tau_s, "s", "Time constant; 0 is none.")
          .range(0, 60)
          .field("range_deg", &GimbalParams::range_deg, "deg", "Range of each axis, either way.")
          .range(0, 180)
          .required()
          .field("max_rate_deg_s", &GimbalParams::max_rate_deg_s, "deg/s",
                 "No command is further from the one before it than an axis this fast turns in "
                 "the time between them; 0: no limit.")
          .range(0, 1e5)
          .field("behaviour", &GimbalParams::behaviour, "",
                 "reference (the original simulator's numbers) or physical.")
          .build();
  return table;
}

template <>
const Table& table_of<GimbalState>() {
  static const Table table =
      TableBuilder<GimbalState>("GimbalState", "Where a gimbal stands.")
          .field("q_1", &GimbalState::q_1, "", "First angle as a share of its range.")
          .field("q_2", &GimbalState::q_2, "", "Second angle as a share of its range.")
          .field("commanded_1", &GimbalState::commanded_1, "",
                 "Last command of the first, -1 to 1.")
          .field("commanded_2", &GimbalState::commanded_2, "",
                 "Last command of the second, -1 to 1.")
          .build();
  return table;
}

}  // namespace pintle
