#include "pintle/propulsion/azimuth.h"

#include <algorithm>
#include <cmath>

#include "pintle/propulsion/arithmetic.h"
#include "pintle/propulsion/check_numbers.h"

namespace pintle::propulsion {
namespace {

constexpr double kQuarter = kPi / 2;

/// How far the head turns in a step, a quarter turn at most.
double reach(const AzimuthParams& p, double dt_s) noexcept {
  const double turn = radians(p.turn_rate_deg_s) * (dt_s > 0 ? dt_s : 0);
  return turn < kQuarter ? turn : kQuarter;
}

double inside(const AzimuthParams& p, double thrust_N) noexcept {
  return clip(tame(thrust_N), -p.max_reverse_N, p.max_thrust_N);
}

/// Between -pi and pi.
double wrapped(double angle) noexcept { return std::remainder(tame(angle), 2 * kPi); }

}  // namespace

Wrench step(const AzimuthParams& p, AzimuthState& s, const AzimuthCommand& command,
            double dt_s) noexcept {
  if (dt_s > 0 && std::isfinite(dt_s)) {
    const double most = radians(p.turn_rate_deg_s) * dt_s;
    const double angle = wrapped(s.angle_rad);
    s.angle_rad = wrapped(angle + clip(wrapped(wrapped(command.angle_rad) - angle), -most, most));
    const double thrust = inside(p, s.thrust_N);
    s.thrust_N = thrust + lag_gain(Behaviour::kPhysical, dt_s, p.tau_s).end *
                              (inside(p, command.thrust_N) - thrust);
  }
  return {{s.thrust_N * std::cos(s.angle_rad), s.thrust_N * std::sin(s.angle_rad), 0}, {}};
}

Linearised linearise(const AzimuthParams& p, const AzimuthState& s, double horizon_s) noexcept {
  const double angle = wrapped(s.angle_rad);
  const Vec3 along{std::cos(angle), std::sin(angle), 0};
  const double across = std::sin(reach(p, horizon_s)) *
                        std::max(magnitude(inside(p, s.thrust_N)), kLeastShare * p.max_thrust_N);
  Linearised out;
  out.n = 2;
  out.column_P[0].force = along;
  out.column_P[1].force = {-along.y, along.x, 0};
  out.lower = {-p.max_reverse_N, -across};
  out.upper = {p.max_thrust_N, across};
  return out;
}

AzimuthCommand invert(const AzimuthParams& p, const AzimuthState& s, double& along_N,
                      double& across_N, double dt_s) noexcept {
  const double x = tame(along_N), y = tame(across_N), most = reach(p, dt_s);
  // astern it turns the other way for the same force across
  const double turn = clip(std::atan2(x < 0 ? -y : y, magnitude(x)), -most, most);
  const double c = std::cos(turn), sine = std::sin(turn);
  const double thrust = inside(p, x * c + y * sine);
  along_N = thrust * c;
  across_N = thrust * sine;
  return {thrust, wrapped(wrapped(s.angle_rad) + turn)};
}

Findings check(const AzimuthParams& p) {
  Findings out;
  check_above(out, "max_thrust_N", p.max_thrust_N, "write the bollard pull ahead");
  check_range(out, "max_reverse_N", p.max_reverse_N, 0, kLargest,
              "write the bollard pull astern, above 0; 0 for none");
  check_range(out, "tau_s", p.tau_s, 0, 60, "write seconds; 0 is no lag");
  check_above(out, "turn_rate_deg_s", p.turn_rate_deg_s, "write degrees a second; 12 is usual");
  return out;
}

}  // namespace pintle::propulsion

namespace pintle {

using propulsion::AzimuthParams;
using propulsion::AzimuthState;

template <>
const Table& table_of<AzimuthParams>() {
  static const Table table =
      TableBuilder<AzimuthParams>("Azimuth", "A propeller in water on a head that turns.")
          .field("max_thrust_N", &AzimuthParams::max_thrust_N, "N", "Most that it pushes ahead.")
          .above(0)
          .required()
          .field("max_reverse_N", &AzimuthParams::max_reverse_N, "N",
                 "Most that it pushes astern, written above 0; 0: ahead alone.")
          .at_least(0)
          .field("tau_s", &AzimuthParams::tau_s, "s", "Time constant of the thrust; 0 is none.")
          .range(0, 60)
          .field("turn_rate_deg_s", &AzimuthParams::turn_rate_deg_s, "deg/s",
                 "How fast the head turns.")
          .above(0)
          .build();
  return table;
}

template <>
const Table& table_of<AzimuthState>() {
  static const Table table =
      TableBuilder<AzimuthState>("AzimuthState", "Where an azimuth thruster stands.")
          .field("thrust_N", &AzimuthState::thrust_N, "N", "Now.")
          .field("angle_rad", &AzimuthState::angle_rad, "rad", "Of the head.")
          .build();
  return table;
}

}  // namespace pintle
