/// Where the goal is, while some axes follow it and others move freely.
///
/// A goal is x, y, z (world, m) and roll, pitch, yaw (rad): R_WD = Rz(yaw) Ry(pitch) Rx(roll).
/// Modes are of body axes. An axis in velocity or wrench mode is free: the vehicle moves along it
/// and the goal must not pull it back, neither now nor when the axis follows the pose again. So in
/// every tick with a valid state the goal slides with the vehicle along the free axes of the
/// desired frame D, and stays across them:
///
///   attitude  q_WD <- q_WD * t   where t is the turn about D's free angular axes that brings D
///                                nearest to B: what remains of q_DB has no part about them
///   position  g <- g + R_WD S R_WD^T (p - g)     S = diag(1 on free linear axes, else 0)
///
/// A leg along body x at any heading is thus a straight line through the goal in the desired
/// heading: y and z of the error are the distance from that line, whatever the way already made
/// and however the vehicle yaws about. While an angular axis is free too, the line turns with it.
///
/// Limits: roll, pitch and yaw are carried as three angles. One free axis that is an angle of its
/// own (roll; pitch at zero roll; yaw at zero roll and pitch) is exact through any number of turns.
/// Otherwise the turn is as exact, but which of the equal triples (roll, pitch, yaw), (roll + 180,
/// 180 - pitch, yaw + 180) is carried is the one nearest to that before; within about 1e-4 deg of
/// 90 degrees of pitch it is arbitrary, which matters only to a next state that names some of the
/// angles and not all.
#pragma once
#include "pintle/base/signals.h"
#include "pintle/mission/mission.h"

namespace pintle::mission {

/// x, y, z, roll, pitch, yaw of a pose.
[[nodiscard]] Vec6 goal_from(const Pose& X_WB) noexcept;
/// The attitude of a goal, a unit quaternion.
[[nodiscard]] Quat attitude_of(const Vec6& goal) noexcept;

/// Slides the goal with the vehicle along the axes whose mode is not kPosition. X_WB: finite, unit
/// quaternion; q_WD: the goal's attitude, kept up with it (it costs six sines). Doing it twice is
/// doing it once.
void slide(Vec6& goal, Quat& q_WD, const std::array<AxisMode, kAxes>& mode,
           const Pose& X_WB) noexcept;

}  // namespace pintle::mission
