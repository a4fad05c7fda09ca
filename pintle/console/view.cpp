#include "pintle/console/view.h"

#include <fmt/format.h>

#include "pintle/base/rotation.h"
#include "pintle/flight/event_words.h"

namespace pintle::console {
namespace {

constexpr std::size_t kMostEvents = 50;

using flight::spaced;

}  // namespace

/// Stamps are kept in the stack's own time (own_time.h), which outlives a clock that is set.
void ViewBuilder::take_reports(const stack::Inputs& in, Time now) {
  const Duration own = now - in.now;
  const auto age = [now](const std::optional<Time>& stamp) -> std::optional<double> {
    if (!stamp) return std::nullopt;
    return (now - *stamp).seconds();
  };
  if (in.has_odometry) odometry_ = in.odometry.stamp + own;
  if (!in.targets.empty()) {
    target_ = in.targets[0].stamp + own;
    view_.target = to_string(in.targets[0].kind);
  }
  if (in.has_gripper) {
    gripper_ = in.gripper.stamp + own;
    view_.gripper = to_string(in.gripper.hold);
  }
  if (in.has_flight) {
    flight_ = in.flight.stamp + own;
    view_.flight = spaced(to_string(in.flight.phase));
    view_.has_control = in.flight.has_control;
    view_.battery.reset();
    if (in.flight.has_battery) view_.battery = in.flight.battery;
    view_.comes_down = in.flight.phase >= FlightPhase::kLanding;
  }
  view_.odometry_age_s = age(odometry_);
  view_.target_age_s = age(target_);
  view_.gripper_age_s = age(gripper_);
  view_.flight_age_s = age(flight_);
}

void ViewBuilder::take(const stack::Model& model, const stack::Inputs& in,
                       const stack::Outputs& out) {
  View& v = view_;
  v.time_s = out.now.seconds();
  v.armed = out.arm == stack::ArmState::kArmed;
  v.latched = out.arm == stack::ArmState::kLatchedSafe;
  v.arm = spaced(to_string(out.arm));
  v.phase = spaced(to_string(out.mission.phase));
  v.moving =
      out.mission.phase == MissionPhase::kRunning || out.mission.phase == MissionPhase::kAborting;
  v.aborting = out.mission.phase == MissionPhase::kAborting;
  v.paused = out.mission.phase == MissionPhase::kPaused;
  const bool is_ours =
      out.commander == mission::Operator::kNobody || out.commander == mission::Operator::kConsole;
  v.commander = is_ours ? "" : spaced(to_string(out.commander));
  take_reports(in, out.now);
  v.in_flight = flight_ ? out.aircraft.in_flight : v.armed;
  v.owner = out.owner == mission::Owner::kNobody ? "" : spaced(to_string(out.owner));
  v.obstacle = flight::pre_arm_list(out.obstacles, out.failsafe);
  v.state = out.mission.state;
  const auto index = static_cast<std::size_t>(v.state);
  v.state_name =
      v.state >= 0 && index < model.mission.states.size() ? model.mission.states[index].name : "";
  v.attempt = out.mission.attempt;
  v.time_in_state_s = out.mission.time_in_state_s;
  v.settled_s = out.mission.settled_s;
  v.state_valid = out.used.validity == Validity::kValid;
  const Pose& X_WB = out.used.X_WB;
  v.position_m = X_WB.p;
  v.velocity_m_s = rotate(X_WB.q, out.used.V_WB_B.v);
  v.yaw_deg = degrees(yaw_of(X_WB.q));
  v.error_m = out.setpoint.X_WD.p - X_WB.p;
  v.yaw_error_deg = degrees(wrap_angle(yaw_of(out.setpoint.X_WD.q) - yaw_of(X_WB.q)));
  const flight::EventNames names =
      out.events.empty() && out.alarms.empty() ? flight::EventNames{} : flight::event_names(model);
  v.alarms.clear();
  for (const Alarm& a : out.alarms) v.alarms.push_back(flight::sentence(a, names));
  for (const Event& e : out.events) {
    // these come and go many times a second
    if (e.code == EventCode::kSaturated || e.code == EventCode::kUnsaturated) continue;
    events_.push_back(fmt::format("{:8.2f} s  {}", e.time.seconds(), flight::sentence(e, names)));
  }
  show_events();
}

void ViewBuilder::note(std::string text) {
  events_.push_back(fmt::format("{:8.2f} s  {}", view_.time_s, text));
  show_events();
}

void ViewBuilder::show_events() {
  while (events_.size() > kMostEvents) events_.pop_front();
  view_.events.assign(events_.begin(), events_.end());
}

}  // namespace pintle::console
