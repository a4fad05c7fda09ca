/// Moves one axis to a goal, and comes to rest there, inside limits on velocity, acceleration and
/// jerk.
///
///   |v| <= V,  |a| <= A,  |a'| <= J;   in three parts, each of constant jerk pieces:
///   (v, a) -> (c, 0),   cruise at c,   (c, 0) -> (0, 0)      c in [-V, V]
///
/// A change of velocity with full jerk passes (v + a |a| / 2J, 0) whatever comes after; to c it
/// builds up the acceleration sqrt(J |c - v| + a^2 / 2), or A with a piece held. The cruising
/// velocity c is what makes the way right: c = V where there is room, else the root of
///
///   way(c) = way to go,      way((0, 0) -> (c, 0)) = c / 2 (|c| / A + A / J)   once A is reached
///
/// The plan is made anew in every step and followed exactly over it: goals may move, limits may
/// change and dt may be anything. What is beyond a limit at the beginning is brought inside, as
/// fast as the other limits let it. Nothing has a size of its own: units may be chosen freely.
///
/// Not modelled: a goal that moves (it is followed as a row of goals that stand).
#pragma once
#include "pintle/base/fields.h"
#include "pintle/base/finding.h"

namespace pintle::control {

/// None: all 0. Velocity alone: a desired velocity is cut. All three: the motion is shaped.
struct MotionLimit {
  double max_velocity = 0;      ///< m/s or rad/s.
  double max_acceleration = 0;  ///< m/s^2 or rad/s^2.
  double max_jerk = 0;          ///< m/s^3 or rad/s^3.

  [[nodiscard]] constexpr bool shapes() const noexcept { return max_jerk > 0; }
};

[[nodiscard]] Findings check(const MotionLimit& limit);

struct MotionState {
  double to_go = 0;  ///< Goal minus position: 0 exactly once it is there.
  double velocity = 0, acceleration = 0;
};

/// One step towards the goal; nothing where the limit does not shape, or dt_s is not above 0.
void advance(const MotionLimit& limit, MotionState& state, double dt_s) noexcept;
/// The same to a velocity, cut to the limit; `to_go` is left alone. Without acceleration and jerk
/// it is there at once.
void advance_velocity(const MotionLimit& limit, MotionState& state, double wanted,
                      double dt_s) noexcept;

/// An error as a position law sees it that can brake: velocity = kp times the answer.
///
///   e                                                     for |e| <= L = a / kp^2
///   sign(e) sqrt(2 L |e| - L^2)                           beyond
///
/// Beyond L a craft that follows that velocity brakes at exactly a; the two meet with the same
/// slope. kp or a not above 0: the error as it is.
[[nodiscard]] double braking_error(double error, double kp, double max_acceleration) noexcept;

}  // namespace pintle::control

namespace pintle {
template <>
const Table& table_of<control::MotionLimit>();
template <>
const Table& table_of<control::MotionState>();
}  // namespace pintle
