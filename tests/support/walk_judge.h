/// A random walk over what operators and the world may do to a delivery, judged tick by tick.
#pragma once
#include <cmath>
#include <cstdint>

#include "pintle/stack/tick.h"

namespace pintle::testing {

/// What has to hold in every tick, counted where it does not.
struct Found {
  std::uint64_t events = 0, ticks = 0, no_velocity = 0, overtime = 0, inherited = 0, two_owners = 0,
                pressed_while_unarmed = 0, ended = 0, states_seen = 0;
  [[nodiscard]] std::uint64_t wrong() const {
    return no_velocity + overtime + inherited + two_owners + pressed_while_unarmed;
  }
};

inline bool within_bounds(const MotionCommand& m, const control::VelocityLawParams& p) {
  return std::hypot(m.v_H.x, m.v_H.y) <= p.max_speed_m_s * (1 + 1e-9) &&
         m.v_H.z <= p.max_climb_m_s && m.v_H.z >= -p.max_descent_m_s &&
         std::abs(m.yaw_rate_rad_s) <= p.max_yaw_rate_rad_s;
}

template <class Rig>
void judge(const Rig& rig, const MissionStatus& before, Found& found) {
  const stack::Outputs& out = *rig.out;
  const bool armed = out.arm == stack::ArmState::kArmed;
  if (!within_bounds(out.motion, std::get<control::VelocityLawParams>(rig.model.law)))
    ++found.no_velocity;
  if (!armed && !(out.motion.v_H == Vec3{})) ++found.pressed_while_unarmed;
  const bool moves = mission::is_moving(out.mission.phase);
  const bool owned =
      out.owner == mission::Owner::kMission || out.owner == mission::Owner::kOperatorStep;
  if (moves != owned || (moves && out.navigation.active)) ++found.two_owners;
  // what held before a state was entered does not count towards its settling and dwelling
  for (const Event& e : out.events) {
    if (e.code != EventCode::kStateSucceeded) continue;
    const mission::State& s = rig.model.mission.states[std::size_t(e.subject)];
    if (e.value < s.success.settle_s + s.dwell.seconds() - 1e-9) ++found.inherited;
  }
  if (out.mission.state < 0) return;
  const mission::State& s = rig.model.mission.states[std::size_t(out.mission.state)];
  if (moves && out.mission.time_in_state_s > s.timeout.seconds() + 0.1) ++found.overtime;
  const bool entered = before.state != out.mission.state || before.attempt != out.mission.attempt;
  if (entered && (out.mission.settled_s > 0 || rig.state->mission.requests.sent)) ++found.inherited;
}

}  // namespace pintle::testing
