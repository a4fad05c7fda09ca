#include "pintle/control/motion_profile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace pintle::control {
namespace {

struct Piece {
  double jerk, time;
};

/// A change of velocity that ends without acceleration.
struct Ramp {
  std::array<Piece, 3> pieces{};
  [[nodiscard]] double time() const noexcept {
    return pieces[0].time + pieces[1].time + pieces[2].time;
  }
};

struct Motion {
  double way = 0, velocity = 0, acceleration = 0;

  void follow(Piece p) noexcept {
    const double t = p.time;
    way += t * (velocity + t * (acceleration / 2 + t * p.jerk / 6));
    velocity += t * (acceleration + t * p.jerk / 2);
    acceleration += t * p.jerk;
  }
};

/// Where full jerk against the acceleration leads.
double released(const MotionLimit& limit, double v, double a) noexcept {
  return v + a * std::abs(a) / (2 * limit.max_jerk);
}

Ramp ramp_to(const MotionLimit& limit, double v, double a, double to) noexcept {
  const double A = limit.max_acceleration, J = limit.max_jerk;
  const double sign = to >= released(limit, v, a) ? 1 : -1;
  a *= sign;
  const double gain = sign * (to - v);
  const double peak = std::sqrt(std::max(J * gain + a * a / 2, 0.0));
  if (peak <= A)
    return {{Piece{sign * J, std::max(peak - a, 0.0) / J}, {0, 0}, {-sign * J, peak / J}}};
  const double way_up = a > A ? -J : J;
  const double held = (gain - (A * A - a * a) / (2 * way_up)) / A - A / (2 * J);
  return {{Piece{sign * way_up, (A - a) / way_up}, {0, std::max(held, 0.0)}, {-sign * J, A / J}}};
}

double way_of(const Ramp& ramp, double v, double a) noexcept {
  Motion m{0, v, a};
  for (const Piece& p : ramp.pieces) m.follow(p);
  return m.way;
}

/// From (v, a) over the cruising velocity to rest.
double way_over(const MotionLimit& limit, double v, double a, double cruise) noexcept {
  return way_of(ramp_to(limit, v, a, cruise), v, a) +
         cruise / 2 * ramp_to(limit, cruise, 0, 0).time();
}

struct Plan {
  double cruise = 0, time = 0;
};

/// For a way that is at least as long as stopping at once takes.
Plan plan_forward(const MotionLimit& limit, double v, double a, double way,
                  double stopping) noexcept {
  constexpr int kSteps = 100;
  const double V = limit.max_velocity;
  double high = V, over = way_over(limit, v, a, high) - way;
  if (!(over > 0)) return {V, -over / V};
  double low = 0, under = stopping - way;
  // keep the speed, rather than lose it and come back to it
  const double coasting = std::min(released(limit, v, a), V);
  if (coasting > 0) {
    const double there = way_over(limit, v, a, coasting) - way;
    if (there <= 0) low = coasting, under = there;
  }
  int side = 0;
  for (int i = 0; i < kSteps && under < 0; ++i) {
    // the secant, with an end that stands still counting for less; halves where that is slow
    const double secant = low + (high - low) * (under / (under - over));
    const double at = i % 4 == 3 || !(secant > low && secant < high) ? (low + high) / 2 : secant;
    if (!(at > low && at < high)) break;
    const double there = way_over(limit, v, a, at) - way;
    if (there <= 0) {
      low = at, under = there;
      if (std::exchange(side, -1) == -1) over /= 2;
    } else {
      high = at, over = there;
      if (std::exchange(side, 1) == 1) under /= 2;
    }
  }
  return {low, 0};
}

}  // namespace

void advance(const MotionLimit& limit, MotionState& state, double dt_s) noexcept {
  if (!limit.shapes() || !(dt_s > 0)) return;
  double v = state.velocity, a = state.acceleration, way = state.to_go;
  double stopping = way_of(ramp_to(limit, v, a, 0), v, a);
  const double sign = way >= stopping ? 1 : -1;
  v *= sign, a *= sign, way *= sign, stopping *= sign;

  const Plan plan = plan_forward(limit, v, a, way, stopping);
  const Ramp first = ramp_to(limit, v, a, plan.cruise), last = ramp_to(limit, plan.cruise, 0, 0);
  const std::array<Piece, 7> pieces{first.pieces[0],     first.pieces[1], first.pieces[2],
                                    Piece{0, plan.time}, last.pieces[0],  last.pieces[1],
                                    last.pieces[2]};
  Motion m{0, v, a};
  double left = dt_s;
  for (const Piece& p : pieces) {
    m.follow({p.jerk, std::min(p.time, left)});
    if (left <= p.time) {
      state = {sign * (way - m.way), sign * m.velocity, sign * m.acceleration};
      return;
    }
    left -= p.time;
  }
  state = {};
}

void advance_velocity(const MotionLimit& limit, MotionState& state, double wanted,
                      double dt_s) noexcept {
  if (!(dt_s > 0)) return;
  const double V = limit.max_velocity;
  if (V > 0) wanted = std::clamp(wanted, -V, V);
  double left = dt_s;
  if (limit.shapes()) {
    Motion m{0, state.velocity, state.acceleration};
    for (const Piece& p : ramp_to(limit, m.velocity, m.acceleration, wanted).pieces) {
      m.follow({p.jerk, std::min(p.time, left)});
      if (left <= p.time) {
        state.velocity = m.velocity;
        state.acceleration = m.acceleration;
        return;
      }
      left -= p.time;
    }
  }
  state.velocity = wanted;
  state.acceleration = 0;
}

double braking_error(double error, double kp, double max_acceleration) noexcept {
  if (!(kp > 0) || !(max_acceleration > 0)) return error;
  const double linear = max_acceleration / (kp * kp);
  const double size = std::abs(error);
  if (!(size > linear)) return error;
  return std::copysign(std::sqrt(linear) * std::sqrt(2 * size - linear), error);
}

Findings check(const MotionLimit& p) {
  Findings out;
  const auto want = [&out](const char* path, double x) {
    if (!(x >= 0 && x <= 1e9))
      out.push_back({path, "expected 0 for no limit, or a number above 0", "turn the sign", true});
  };
  want("max_velocity", p.max_velocity);
  want("max_acceleration", p.max_acceleration);
  want("max_jerk", p.max_jerk);
  if ((p.max_acceleration > 0) != (p.max_jerk > 0))
    out.push_back({p.max_jerk > 0 ? "max_acceleration" : "max_jerk",
                   "acceleration and jerk are limited together, and one of them is not given",
                   "write a jerk of two to ten times the acceleration, or neither", true});
  if (p.max_acceleration > 0 && !(p.max_velocity > 0))
    out.push_back({"max_velocity", "an acceleration is limited and the velocity is not",
                   "write the most that this axis is to move at", true});
  return out;
}

}  // namespace pintle::control

namespace pintle {

template <>
const Table& table_of<control::MotionLimit>() {
  using L = control::MotionLimit;
  static const Table table =
      TableBuilder<L>("MotionLimit", "How an axis may be asked to move.")
          .field("max_velocity", &L::max_velocity, "",
                 "Most that is asked for, m/s or rad/s; 0: no limit.")
          .range(0, 1e9)
          .field("max_acceleration", &L::max_acceleration, "",
                 "Most that the velocity asked for may change per second; with max_jerk.")
          .range(0, 1e9)
          .field("max_jerk", &L::max_jerk, "",
                 "Most that this acceleration may change per second; with max_acceleration.")
          .range(0, 1e9)
          .build();
  return table;
}

template <>
const Table& table_of<control::MotionState>() {
  using S = control::MotionState;
  static const Table table = TableBuilder<S>("MotionState", "An axis on its way to a goal.")
                                 .field("to_go", &S::to_go, "", "Goal minus position.")
                                 .field("velocity", &S::velocity, "", "Towards it, or away.")
                                 .field("acceleration", &S::acceleration, "", "Of that.")
                                 .build();
  return table;
}

}  // namespace pintle
