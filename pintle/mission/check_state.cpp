#include <fmt/format.h>

#include "pintle/mission/axes.h"
#include "pintle/mission/evidence.h"
#include "pintle/mission/graph.h"

namespace pintle::mission {
namespace {

using Optional = std::optional<double>;

/// The fields of one goal struct, by axis.
std::string field_name(std::string_view group, const Table& table, std::size_t axis) {
  return fmt::format("{}.{}", group, table.fields[axis].name);
}

class StateChecker {
 public:
  explicit StateChecker(const StateSpec& s)
      : s_(s), go_(axes_of(s.go)), velocity_(axes_of(s.velocity)), wrench_(axes_of(s.wrench)) {}

  Findings run() {
    one_master_an_axis();
    requests();
    targets();
    if (!has_condition(s_.success)) {
      warning("success", "no success condition: the state can only time out, to on_failure",
              "write  success: {position_m: 0.2}  or for a timed state  success: {after_s: 10}");
    } else {
      times();
      goals_to_measure();
      places();
      turns();
    }
    return std::move(out_);
  }

 private:
  void error(std::string path, std::string message, std::string fix = {}) {
    out_.push_back({std::move(path), std::move(message), std::move(fix), true});
  }
  void warning(std::string path, std::string message, std::string fix = {}) {
    out_.push_back({std::move(path), std::move(message), std::move(fix), false});
  }
  [[nodiscard]] bool follows_pose(std::size_t axis) const {
    return !velocity_[axis] && !wrench_[axis];
  }

  void one_master_an_axis() {
    for (std::size_t i = 0; i < kAxes; ++i) {
      const std::string velocity = field_name("velocity", table_of<VelocityGoal>(), i);
      const std::string wrench = field_name("wrench", table_of<WrenchGoal>(), i);
      const std::string fix =
          fmt::format("keep one of go, velocity and wrench for {}", kAxisNames[i]);
      if (velocity_[i] && go_[i])
        error(velocity, fmt::format("{} cannot follow a pose and a velocity", kAxisNames[i]), fix);
      if (wrench_[i] && go_[i])
        error(wrench, fmt::format("{} cannot follow a pose and a wrench", kAxisNames[i]), fix);
      if (velocity_[i] && wrench_[i])
        error(wrench, fmt::format("{} cannot follow a velocity and a wrench", kAxisNames[i]), fix);
    }
  }

  void times() {
    const double after = s_.success.after_s.value_or(0), settle = s_.success.settle_s + s_.dwell_s;
    if (!(s_.timeout_s > 0) || after + settle < s_.timeout_s) return;
    const bool by_after = s_.success.after_s && after >= settle;
    error(by_after ? "success.after_s" : "success.settle_s",
          fmt::format("after_s and settle_s take {} s, but the state times out after {} s",
                      after + settle, s_.timeout_s),
          fmt::format("raise timeout_s above {}", after + settle));
  }

  /// "Asked for" is no evidence.
  void requests() {
    const SuccessSpec& e = s_.success;
    const bool gripper = s_.request == Request::kGrab || s_.request == Request::kRelease;
    const bool seen =
        e.request_done || (gripper ? e.gripper != GripperEvidence::kAny
                                   : e.flight != FlightEvidence::kAny || e.control.has_value());
    if (s_.request != Request::kNone && !seen)
      error("request", "nothing says that what is asked for was done",
            gripper ? "write  success: {gripper: grabbed}  (or released)"
                    : "write  success: {flight: airborne}, {flight: on_ground} or {control: true}");
    if (s_.request == Request::kNone && e.request_done)
      error("success.request_done", "the state asks for nothing",
            "write a request, or take it out");
    if ((s_.request == Request::kGrab && e.gripper == GripperEvidence::kReleased) ||
        (s_.request == Request::kRelease && e.gripper == GripperEvidence::kGrabbed))
      error("success.gripper", "the opposite of what is asked for", "exchange one of the two");
    if (s_.request == Request::kTakeOff && e.flight != FlightEvidence::kAny &&
        e.flight != FlightEvidence::kAirborne)
      error("success.flight", "a take-off ends in the air", "write  success: {flight: airborne}");
    if (s_.request == Request::kLand && e.flight == FlightEvidence::kAirborne)
      error("success.flight", "a landing ends on the ground",
            "write  success: {flight: on_ground}");
  }

  void targets() {
    const bool servo = s_.servo.target != TargetChoice::kNone;
    const bool search = s_.search.pattern != SearchPattern::kNone;
    if (servo && search)
      error("search", "a state follows a target or searches for one, not both",
            "search in a state of its own before this one");
    if (servo && (go_[0] || go_[1] || go_[2]))
      error("servo", "x, y and z cannot follow a target and a place", "take x_m, y_m and z_m out");
    if (search && s_.success.target.kind == TargetChoice::kNone)
      error("search", "nothing says what is searched for",
            "write  success: {target: {kind: marker}}");
    for (std::size_t i = 0; i < 3; ++i)
      if ((servo || search) && !follows_pose(i))
        error(servo ? "servo" : "search",
              fmt::format("{} has a velocity or wrench of its own", kAxisNames[i]), "take it out");
  }

  /// A tolerance needs an axis to speak of, and one that the goal does not contradict.
  void goals_to_measure() {
    const SuccessSpec& e = s_.success;
    bool linear_pose = false, angular_pose = false, linear_velocity = false;
    double speed = 0, rate = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      linear_pose = linear_pose || follows_pose(i);
      angular_pose = angular_pose || follows_pose(i + 3);
      linear_velocity = linear_velocity || velocity_[i].has_value();
      speed = std::hypot(speed, velocity_[i].value_or(0));
      rate = std::hypot(rate, velocity_[i + 3].value_or(0));
    }
    if (e.position_m && !linear_pose)
      error("success.position_m", "no linear axis follows a pose, there is nothing to measure",
            "take it out, or let an axis out of velocity and wrench");
    if (e.attitude_deg && !angular_pose)
      error("success.attitude_deg", "no angular axis follows a pose, there is nothing to measure",
            "take it out, or let an axis out of velocity and wrench");
    if (e.velocity_error_m_s && !linear_velocity)
      error("success.velocity_error_m_s", "no linear axis follows a velocity",
            "take it out, or give a velocity");
    if (e.speed_m_s && speed > *e.speed_m_s)
      error("success.speed_m_s",
            fmt::format("the velocity wanted is {:.4g} m/s, which is never below {} m/s", speed,
                        *e.speed_m_s),
            "raise speed_m_s, or use velocity_error_m_s");
    if (e.rate_deg_s && rate > *e.rate_deg_s)
      error("success.rate_deg_s",
            fmt::format("the turn rate wanted is {:.4g} deg/s, which is never below {} deg/s", rate,
                        *e.rate_deg_s),
            "raise rate_deg_s");
  }

  void places() {
    const SuccessSpec& e = s_.success;
    const std::array<Optional, 3> above{e.x_above_m, e.y_above_m, e.z_above_m};
    const std::array<Optional, 3> below{e.x_below_m, e.y_below_m, e.z_below_m};
    const bool all_pose = follows_pose(0) && follows_pose(1) && follows_pose(2);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string up = fmt::format("success.{}_above_m", kAxisNames[i]);
      const std::string down = fmt::format("success.{}_below_m", kAxisNames[i]);
      if (above[i] && below[i] && *above[i] > *below[i])
        error(up, fmt::format("above {} and below {} is nowhere", *above[i], *below[i]),
              "exchange the two, or keep one");
      // with every linear axis on its pose, the vehicle ends at the goal
      if (!all_pose || !go_[i]) continue;
      if (above[i] && *go_[i] < *above[i])
        error(up, fmt::format("the goal itself, {} m, is not above {} m", *go_[i], *above[i]),
              "put the goal beyond it");
      if (below[i] && *go_[i] > *below[i])
        error(down, fmt::format("the goal itself, {} m, is not below {} m", *go_[i], *below[i]),
              "put the goal beyond it");
    }
  }

  void turns() {
    const std::array<Optional, 3> turns{s_.success.turned_roll_deg, s_.success.turned_pitch_deg,
                                        s_.success.turned_yaw_deg};
    for (std::size_t i = 0; i < 3; ++i) {
      if (!turns[i]) continue;
      const double turn = *turns[i];
      const std::string path = fmt::format("success.turned_{}_deg", kAxisNames[i + 3]);
      const Optional& rate = velocity_[i + 3];
      if (turn == 0) {
        error(path, "a turn by 0 is reached at once", "write the turn wanted, with its sign");
      } else if (follows_pose(i + 3) && std::abs(turn) > 180) {
        error(path, "an axis that follows a pose takes the shorter way, at most 180 degrees",
              fmt::format("turn by velocity: {{{}_deg_s: …}}", kAxisNames[i + 3]));
      } else if (rate && *rate * turn <= 0) {
        error(path, fmt::format("{} deg/s never turns by {} deg", *rate, turn),
              "give both the same sign");
      } else if (rate && s_.timeout_s > 0 && turn / *rate + s_.success.settle_s >= s_.timeout_s) {
        error(path,
              fmt::format("at {} deg/s it takes {:.4g} s, but the state times out after {} s",
                          *rate, turn / *rate, s_.timeout_s),
              fmt::format("raise timeout_s above {:.4g}", turn / *rate + s_.success.settle_s));
      }
    }
  }

  const StateSpec& s_;
  AxisValues go_, velocity_, wrench_;
  Findings out_;
};

}  // namespace

Findings check_state(const StateSpec& state) { return StateChecker(state).run(); }

}  // namespace pintle::mission
