#include "pintle/mission/mission.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "pintle/mission/axes.h"

namespace pintle::mission {
namespace {

/// Files speak of degrees on the angular axes.
double si(std::size_t axis, double value) { return axis < 3 ? value : radians(value); }

Goal compile_goal(const StateSpec& spec) {
  Goal goal;
  const auto go = axes_of(spec.go), velocity = axes_of(spec.velocity),
             wrench = axes_of(spec.wrench);
  for (std::size_t i = 0; i < kAxes; ++i) {
    if (go[i]) {
      goal.given[i] = true;
      goal.pose[i] = si(i, *go[i]);
    }
    if (velocity[i]) {
      goal.mode[i] = AxisMode::kVelocity;
      goal.velocity[i] = si(i, *velocity[i]);
    }
    if (wrench[i]) {
      goal.mode[i] = AxisMode::kWrench;
      goal.wrench[i] = *wrench[i];
    }
  }
  return goal;
}

/// Index of a state or one of the ends. Names are known to exist.
std::int32_t resolve(const MissionSpec& spec, std::string_view name) {
  if (name == "pass") return kEndPass;
  if (name == "fail") return kEndFail;
  if (name == "abort") return kEndAbort;
  for (std::size_t i = 0; i < spec.states.size(); ++i)
    if (spec.states[i].name == name) return static_cast<std::int32_t>(i);
  throw std::invalid_argument(fmt::format("mission: no state \"{}\"", name));
}

}  // namespace

namespace {

/// Along the abort path, which has no circles.
std::int32_t landing_of(const Mission& mission) {
  for (const auto next : {&State::on_success, &State::on_failure})
    for (std::int32_t i = mission.abort; i >= 0;) {
      const State& s = mission.states[static_cast<std::size_t>(i)];
      if (s.land || s.request == Request::kLand) return i;
      i = s.*next;
    }
  return kEndAbort;
}

/// In s, from a state of the abort path on; of each state once. Negative in `known`: not asked yet.
double longest_from(const Mission& mission, std::int32_t at, std::vector<double>& known) {
  if (at < 0) return 0;
  const auto i = static_cast<std::size_t>(at);
  if (known[i] >= 0) return known[i];
  known[i] = 0;  // what comes back here does so by a success that cannot be
  const State& s = mission.states[i];
  const double after = std::max(longest_from(mission, s.on_success, known),
                                longest_from(mission, s.on_failure, known));
  return known[i] = s.timeout.seconds() * (1.0 + s.retries) + after;
}

}  // namespace

Duration longest_abort(const Mission& mission) {
  std::vector<double> known(mission.states.size(), -1.0);
  double longest_s = longest_from(mission, mission.abort, known);
  for (const State& s : mission.states)
    longest_s = std::max(longest_s, longest_from(mission, s.on_abort, known));
  return Duration::from_seconds(longest_s);
}

Mission compile(const MissionSpec& spec) {
  std::string errors;
  for (const Finding& f : check(spec))
    if (f.is_error)
      errors += fmt::format("{}{}: {}", errors.empty() ? "" : "; ", f.path, f.message);
  if (!errors.empty()) throw std::invalid_argument("mission: " + errors);

  Mission mission;
  mission.start = spec.start.empty() ? 0 : resolve(spec, spec.start);
  mission.abort = spec.abort.empty() ? kEndAbort : resolve(spec, spec.abort);
  mission.time_limit = Duration::from_seconds(spec.time_limit_s);
  mission.on_axis_lost = spec.on_axis_lost;
  mission.aircraft = spec.aircraft;
  for (std::size_t i = 0; i < spec.states.size(); ++i) {
    const StateSpec& from = spec.states[i];
    State& to = mission.states.emplace_back();
    to.name = from.name;
    to.note = from.note;
    to.goal = compile_goal(from);
    to.hold_here = from.hold_here;
    to.reset_control = from.reset_control;
    to.land = from.land;
    to.request = from.request;
    to.servo = from.servo;
    to.search = from.search;
    to.success = from.success;
    to.dwell = Duration::from_seconds(from.dwell_s);
    to.timeout = Duration::from_seconds(from.timeout_s);
    to.retries = static_cast<std::uint32_t>(from.retries);
    const bool last = i + 1 == spec.states.size();
    to.on_success = !from.on_success.empty() ? resolve(spec, from.on_success)
                    : last                   ? kEndPass
                                             : static_cast<std::int32_t>(i + 1);
    to.on_failure = resolve(spec, from.on_failure);
    to.on_abort = from.on_abort.empty() ? mission.abort : resolve(spec, from.on_abort);
    if (to.on_abort == kEndAbort) to.on_abort = mission.abort;
  }
  mission.landing = landing_of(mission);
  return mission;
}

}  // namespace pintle::mission

// ---------------------------------------------------------------------------------------------
// field tables

namespace pintle {

using namespace mission;

namespace {

constexpr double kFarthest_m = 1e6;
constexpr double kMostTurn_deg = 36000;
constexpr double kFastest_m_s = 1e4;
constexpr double kFastestTurn_deg_s = 3600;
constexpr double kLongest_s = 86400;

}  // namespace

template <>
const Table& table_of<PoseGoal>() {
  static const Table table =
      TableBuilder<PoseGoal>("PoseGoal", "Pose wanted in the world; a missing axis keeps its goal.")
          .field("x_m", &PoseGoal::x_m, "m", "East.")
          .range(-kFarthest_m, kFarthest_m)
          .field("y_m", &PoseGoal::y_m, "m", "North.")
          .range(-kFarthest_m, kFarthest_m)
          .field("z_m", &PoseGoal::z_m, "m", "Up; below the surface is negative.")
          .range(-kFarthest_m, kFarthest_m)
          .field("roll_deg", &PoseGoal::roll_deg, "deg", "About x, right side down is positive.")
          .range(-kMostTurn_deg, kMostTurn_deg)
          .field("pitch_deg", &PoseGoal::pitch_deg, "deg", "About y, nose down is positive.")
          .range(-kMostTurn_deg, kMostTurn_deg)
          .field("yaw_deg", &PoseGoal::yaw_deg, "deg", "Heading, 0 is east, 90 is north.")
          .range(-kMostTurn_deg, kMostTurn_deg)
          .build();
  return table;
}

template <>
const Table& table_of<VelocityGoal>() {
  static const Table table =
      TableBuilder<VelocityGoal>("VelocityGoal",
                                 "Body velocities wanted; an axis named here follows velocity.")
          .field("x_m_s", &VelocityGoal::x_m_s, "m/s", "Forward.")
          .range(-kFastest_m_s, kFastest_m_s)
          .field("y_m_s", &VelocityGoal::y_m_s, "m/s", "To the left.")
          .range(-kFastest_m_s, kFastest_m_s)
          .field("z_m_s", &VelocityGoal::z_m_s, "m/s", "Up.")
          .range(-kFastest_m_s, kFastest_m_s)
          .field("roll_deg_s", &VelocityGoal::roll_deg_s, "deg/s", "About x.")
          .range(-kFastestTurn_deg_s, kFastestTurn_deg_s)
          .field("pitch_deg_s", &VelocityGoal::pitch_deg_s, "deg/s", "About y.")
          .range(-kFastestTurn_deg_s, kFastestTurn_deg_s)
          .field("yaw_deg_s", &VelocityGoal::yaw_deg_s, "deg/s", "About z.")
          .range(-kFastestTurn_deg_s, kFastestTurn_deg_s)
          .build();
  return table;
}

template <>
const Table& table_of<WrenchGoal>() {
  static const Table table =
      TableBuilder<WrenchGoal>(
          "WrenchGoal", "Body wrenches wanted, in the vehicle's unit; an axis named here gets it.")
          .field("x", &WrenchGoal::x, "", "Force forward.")
          .field("y", &WrenchGoal::y, "", "Force to the left.")
          .field("z", &WrenchGoal::z, "", "Force up.")
          .field("roll", &WrenchGoal::roll, "", "Torque about x.")
          .field("pitch", &WrenchGoal::pitch, "", "Torque about y.")
          .field("yaw", &WrenchGoal::yaw, "", "Torque about z.")
          .build();
  return table;
}

template <>
const Table& table_of<SuccessSpec>() {
  using S = SuccessSpec;
  static const Table table =
      TableBuilder<S>("SuccessSpec",
                      "Evidence that a state has done its work; all of it together for settle_s.")
          .field("position_m", &S::position_m, "m",
                 "Distance from the goal, over linear axes that follow the pose, below this.")
          .above(0)
          .field("attitude_deg", &S::attitude_deg, "deg",
                 "Turn still to make, over angular axes that follow the pose, below this.")
          .above(0)
          .field("speed_m_s", &S::speed_m_s, "m/s", "Speed below this.")
          .above(0)
          .field("rate_deg_s", &S::rate_deg_s, "deg/s", "Turn rate below this.")
          .above(0)
          .field("velocity_error_m_s", &S::velocity_error_m_s, "m/s",
                 "Linear axes that follow a velocity, each within this of it.")
          .above(0)
          .field("x_above_m", &S::x_above_m, "m", "World x at least this.")
          .field("x_below_m", &S::x_below_m, "m", "World x at most this.")
          .field("y_above_m", &S::y_above_m, "m", "World y at least this.")
          .field("y_below_m", &S::y_below_m, "m", "World y at most this.")
          .field("z_above_m", &S::z_above_m, "m", "World z at least this.")
          .field("z_below_m", &S::z_below_m, "m", "World z at most this.")
          .field("turned_roll_deg", &S::turned_roll_deg, "deg",
                 "Turned by this about body x since entry, signed.")
          .field("turned_pitch_deg", &S::turned_pitch_deg, "deg",
                 "Turned by this about body y since entry, signed.")
          .field("turned_yaw_deg", &S::turned_yaw_deg, "deg",
                 "Turned by this about body z since entry, signed.")
          .field("after_s", &S::after_s, "s", "At least this long in the state.")
          .range(0, kLongest_s)
          .field("gripper", &S::gripper, "", "What the gripper itself says of its hold.")
          .field("flight", &S::flight, "", "What the flight controller says of the flight.")
          .field("control", &S::control, "", "Whether the flight controller obeys.")
          .field("request_done", &S::request_done, "",
                 "What the state asked for is reported as done.")
          .field("target", &S::target, "", "A target that is found and was seen not long ago.")
          .field("settle_s", &S::settle_s, "s", "All of it together for this long.")
          .range(0, kLongest_s)
          .build();
  return table;
}

template <>
const Table& table_of<StateSpec>() {
  using S = StateSpec;
  static const Table table =
      TableBuilder<S>("StateSpec", "One state of a mission: what is wanted, and what follows.")
          .field("name", &S::name, "", "Unique; not pass, fail or abort.")
          .required()
          .field("note", &S::note, "", "For the reader of the report.")
          .field("go", &S::go, "", "Pose wanted in the world, axis by axis.")
          .field("velocity", &S::velocity, "", "Body velocities wanted, axis by axis.")
          .field("wrench", &S::wrench, "", "Body wrenches wanted, axis by axis.")
          .field("hold_here", &S::hold_here, "",
                 "Take the pose at entry as the goal before go is applied.")
          .field("reset_control", &S::reset_control, "", "Reset the control loops on entry.")
          .field("land", &S::land, "",
                 "Land on the engine where `go` says that the body origin is to stand.")
          .field("request", &S::request, "",
                 "Asked of flight controller or gripper, once per attempt.")
          .field("servo", &S::servo, "", "The goal follows a target.")
          .field("search", &S::search, "", "The goal moves until a target is seen.")
          .field("success", &S::success, "", "When the state has done its work.")
          .field("dwell_s", &S::dwell_s, "s",
                 "Stays this much longer; leaving the condition begins it anew.")
          .range(0, kLongest_s)
          .field("timeout_s", &S::timeout_s, "s", "An attempt that takes longer has failed.")
          .required()
          .range(0, kLongest_s)
          .above(0)
          .field("retries", &S::retries, "", "More attempts after a time-out, before on_failure.")
          .range(0, 100)
          .field("on_success", &S::on_success, "",
                 "A state, pass, fail or abort; missing is the next state, after the last pass.")
          .field("on_failure", &S::on_failure, "", "A state, pass, fail or abort.")
          .field("on_abort", &S::on_abort, "", "A state; missing is the abort of the mission.")
          .build();
  return table;
}

template <>
const EnumTable& enum_table<mission::OnAxisLost>() {
  using mission::OnAxisLost;
  static constexpr std::array values{
      enum_value(OnAxisLost::kGoOn, "go_on", "Says so and goes on with what is left."),
      enum_value(OnAxisLost::kAbort, "abort", "Leaves for the abort path.")};
  static constexpr EnumTable table{"OnAxisLost", values};
  return table;
}

template <>
const Table& table_of<MissionSpec>() {
  using M = MissionSpec;
  static const Table table =
      TableBuilder<M>("MissionSpec", "What a vehicle is to do, as states.")
          .field("start", &M::start, "", "First state; missing is the first in the file.")
          .field("abort", &M::abort, "",
                 "First state of the abort path; missing is to end at once and hold.")
          .field("time_limit_s", &M::time_limit_s, "s",
                 "For the whole mission, pauses included; then the abort path.")
          .range(0, 1e6)
          .above(0)
          .field("on_axis_lost", &M::on_axis_lost, "",
                 "What follows when the propulsors lose an axis of the body that was there at the "
                 "start.")
          .field("aircraft", &M::aircraft, "",
                 "Of craft with a flight controller: what counts as lost, low, far, found.")
          .field("states", &M::states, "", "In the order in which they follow each other.")
          .required()
          .items_at_least(1)
          .build();
  return table;
}

}  // namespace pintle
