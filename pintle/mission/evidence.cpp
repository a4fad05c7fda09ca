#include "pintle/mission/evidence.h"

namespace pintle::mission {
namespace {

using Limit = std::optional<double>;

/// A limit that is not given is no obstacle.
bool within(const Limit& limit, double value) noexcept { return !limit || value <= *limit; }
bool above(const Limit& limit, double value) noexcept { return !limit || value >= *limit; }

bool turned_by(const Limit& turn_deg, double turned) noexcept {
  if (!turn_deg) return true;
  const double wanted = radians(*turn_deg);
  return wanted >= 0 ? turned >= wanted : turned <= wanted;
}

bool attitude_within(const Limit& limit_deg, const Seen& seen) noexcept {
  if (!limit_deg) return true;
  const Vec3 turn = to_rotation_vector(conjugate(seen.X_WB.q) * seen.X_WD.q);
  return degrees(norm(turn)) <= *limit_deg;
}

/// Largest difference over the linear axes that follow a velocity.
double velocity_error(const Goal& goal, Vec3 v) noexcept {
  double largest = 0;
  for (std::size_t i = 0; i < 3; ++i)
    if (goal.mode[i] == AxisMode::kVelocity)
      largest = std::fmax(largest, std::abs(goal.velocity[i] - v[i]));
  return largest;
}

}  // namespace

bool needs_pose(const SuccessSpec& s) noexcept {
  for (const Limit* limit :
       {&s.position_m, &s.attitude_deg, &s.speed_m_s, &s.rate_deg_s, &s.velocity_error_m_s,
        &s.x_above_m, &s.x_below_m, &s.y_above_m, &s.y_below_m, &s.z_above_m, &s.z_below_m,
        &s.turned_roll_deg, &s.turned_pitch_deg, &s.turned_yaw_deg})
    if (limit->has_value()) return true;
  return false;
}

bool speaks_of_aircraft(const SuccessSpec& s) noexcept {
  return s.gripper != GripperEvidence::kAny || s.flight != FlightEvidence::kAny ||
         s.control.has_value() || s.request_done || s.target.kind != TargetChoice::kNone;
}

bool has_condition(const SuccessSpec& s) noexcept {
  return needs_pose(s) || s.after_s.has_value() || speaks_of_aircraft(s);
}

bool holds(const SuccessSpec& s, const Goal& goal, const Seen& seen) noexcept {
  if (!has_condition(s)) return false;
  const Vec3 p = seen.X_WB.p;

  // the goal has slid along the free axes, so what is left is across them
  return within(s.position_m, norm(seen.X_WD.p - p)) && attitude_within(s.attitude_deg, seen) &&
         within(s.speed_m_s, norm(seen.V_WB_B.v)) &&
         within(s.rate_deg_s, degrees(norm(seen.V_WB_B.w))) &&
         within(s.velocity_error_m_s, velocity_error(goal, seen.V_WB_B.v)) &&
         above(s.x_above_m, p.x) && within(s.x_below_m, p.x) &&  //
         above(s.y_above_m, p.y) && within(s.y_below_m, p.y) &&  //
         above(s.z_above_m, p.z) && within(s.z_below_m, p.z) &&
         turned_by(s.turned_roll_deg, seen.turned.x) &&
         turned_by(s.turned_pitch_deg, seen.turned.y) &&
         turned_by(s.turned_yaw_deg, seen.turned.z) && above(s.after_s, seen.in_state.seconds());
}

}  // namespace pintle::mission
