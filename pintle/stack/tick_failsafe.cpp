// Failsafes, under every law: rows of the vehicle file against what is known, see failsafe.h.
#include <algorithm>
#include <cmath>
#include <utility>

#include "pintle/base/rotation.h"
#include "pintle/stack/tick_steps.h"

namespace pintle::stack {
namespace {

using Condition = FailsafeCondition;
using Action = FailsafeAction;

constexpr double kSlack = 0.05, kClears_s = 1;
constexpr double kUpright = 0.97;  // 14 deg: no limit is less, and nothing is worked out
constexpr double kNever_s = 1e9;   // the age of what was never heard
// lying: leant so far, or at rest where it is low or what is sent does not carry it
constexpr double kLies_rad = 0.8, kRests_m_s = 0.3, kRests_rad_s = 0.5, kUncarried = 0.3,
                 kNear_m = 0.5;
constexpr double kSurfaced_m = 0.5, kArrives_s = 3, kLead_m = 1;
constexpr double kRate_s = 30;  // what a flight takes is told by its rate from then on
constexpr double kHousekeepingAhead_s = 0.1, kHousekeepingOld_s = 1;
constexpr double kReadingHolds_s = 2;  // what is around it: an older one says nothing of now
// what shakes is what changes within the first, and is counted over the second
constexpr double kShakes_s = 0.1, kShaken_s = 1;

/// Of the body's z axis, the part that points up.
double up_z(const Quat& q) noexcept { return 1 - 2 * (q.x * q.x + q.y * q.y); }

std::uint32_t bit_of(Condition c) noexcept { return 1U << static_cast<unsigned>(c); }

}  // namespace

/// Voltage, charge, what the craft says of its inside, and the operator; stamps are judged here,
/// ages count from arrival, of what comes with each flight report from its stamp.
void Tick::take_housekeeping() noexcept {
  if (model.failsafes.empty()) return;
  FailsafeState& f = state.failsafe;
  const auto take_charge = [&](double charge, Time at) {
    f.battery_at = f.battery_at ? std::max(*f.battery_at, at) : at;
    f.charge = charge;
    if (!f.first_at) {
      f.first_at = now;
      f.first_charge = charge;
    }
  };
  if (in.has_bus_voltage && in.bus_V > 0 && in.bus_V < 1e4) f.bus_at = now;
  if (in.has_flight && state.aircraft.battery_known &&
      in.flight.stamp == state.aircraft.flight.stamp)
    take_charge(state.aircraft.flight.battery, in.flight.stamp);
  if (!in.has_housekeeping) return;
  const Housekeeping& h = in.housekeeping;
  const double age = (now - h.stamp).seconds();
  std::uint8_t good = 0;
  const auto judge = [&good](std::uint8_t field, bool can_be) {
    if (can_be) good = static_cast<std::uint8_t>(good | field);
  };
  if (age >= -kHousekeepingAhead_s && age <= kHousekeepingOld_s) {
    good = kHasLeak;
    judge(kHasCharge, h.charge >= 0 && h.charge <= 1);
    judge(kHasPressure, h.pressure_kPa >= 0 && h.pressure_kPa < 1e7);
    judge(kHasInnerTemperature, std::abs(h.temperature_C) < 1e4);
    judge(kHasRange, h.range_m >= 0);  // infinite: nothing is in its reach
    judge(kHasWind, h.wind_m_s >= 0 && h.wind_m_s < 1e3);
  }
  // one that cannot be takes nothing from the others
  const auto says = [&h, good](std::uint8_t field) { return (h.valid & good & field) != 0; };
  const bool refuses = (h.valid & ~unsigned{good}) != 0 || good == 0;
  if (refuses && !f.refuses) say(EventCode::kInputRejected, InputCode::kHousekeeping);
  f.refuses = refuses;
  if (says(kHasCharge)) take_charge(h.charge, now);
  const auto take = [&](std::uint8_t field, auto told, auto& to, std::optional<Time>& at) {
    if (!says(field)) return;
    to = told;
    at = now;
  };
  take(kHasLeak, h.leak, f.leak, f.leak_at);
  take(kHasPressure, h.pressure_kPa, f.pressure_kPa, f.pressure_at);
  take(kHasInnerTemperature, h.temperature_C, f.temperature_C, f.temperature_at);
  take(kHasRange, h.range_m, f.range_m, f.range_at);
  take(kHasWind, h.wind_m_s, f.wind_m_s, f.wind_at);
}

/// A good sample of the inertial sensor, `dt` after the one before; 0: there is none.
void Tick::feel_vibration(double dt) noexcept {
  if (!model.failsafe.vibration) return;
  FailsafeState& f = state.failsafe;
  const Vec3 off = in.imu.f_B - f.steady_B;
  // what has changed in a gap is no vibration, and what was before is no more
  if (!(dt > 0 && dt <= estimation::kImuStale_s)) {
    f.steady_B = in.imu.f_B;
    f.shakes_m2_s4 *= std::exp(-std::max(dt, 0.0) / kShaken_s);
    return;
  }
  f.felt_at = now;
  const double w = 1 - std::exp(-dt / kShakes_s);
  f.steady_B += w * off;
  // so much of it is the mean's own scatter, at any rate of the sensor
  const double shakes = (1 - w / 2) * dot(off, off);
  f.shakes_m2_s4 += (1 - std::exp(-dt / kShaken_s)) * (shakes - f.shakes_m2_s4);
}

double Tick::tilt_rad() const noexcept {
  return std::acos(std::clamp(up_z(out.used.X_WB.q), -1.0, 1.0));
}

/// Leant over, or at rest: near the height where it stood, or although what is sent would not hold it
/// up. What hovers on after a knock does neither.
bool Tick::looks_lying() const noexcept {
  if (tilt_rad() > kLies_rad) return true;
  const double up_N = rotate(out.used.X_WB.q, pushed_B).z;
  const double weight_N = model.surroundings.gravity_m_s2 * state.mass_kg;
  return norm(out.used.V_WB_B.v) < kRests_m_s && norm(out.used.V_WB_B.w) < kRests_rad_s &&
         (out.used.X_WB.p.z < state.stood_m.z + kNear_m ||
          std::abs(up_N - weight_N) > kUncarried * weight_N);
}

/// Of the charge, once it is back where it was armed, at the mean rate since then.
double Tick::charge_at_home() const noexcept {
  const FailsafeState& f = state.failsafe;
  const double per_s = std::max(0.0, f.first_charge - f.charge) / (now - *f.first_at).seconds();
  return f.charge - per_s * norm(out.used.X_WB.p - f.home_W) / model.failsafe.way_home->speed_m_s;
}

/// Home is where it was armed.
void Tick::note_home() noexcept {
  FailsafeState& f = state.failsafe;
  (is_aloft() ? f.aloft_at : f.rose_at) = now;
  if (out.used.validity != Validity::kValid) return;
  if (!f.has_home) f.home_W = out.used.X_WB.p;
  f.has_home = state.arm == ArmState::kArmed;
}

/// The height that is to be kept: one that was asked for and that it has had, so that a goal far
/// above is no loss. Where height is steered otherwise there is none.
void Tick::note_height() noexcept {
  if (out.used.validity != Validity::kValid) return;
  double& kept_m = state.failsafe.kept_m;
  const double z = out.used.X_WB.p.z;
  const bool keeps = state.arm == ArmState::kArmed && model.traits.allocates && !state.is_landing &&
                     out.setpoint.mode[2] == AxisMode::kPosition;
  kept_m = keeps ? std::min(out.setpoint.X_WD.p.z, std::max(kept_m, z)) : z;
}

/// The last word of who is to be there: who commands, where he has said that he is, so that no other
/// one's words stand for his; else whoever has.
std::optional<Time> Tick::operator_heard_at() const noexcept {
  const auto& heard = state.failsafe.heartbeat_at;
  const auto& his =
      heard[mission::is_operator(state.commander) ? static_cast<std::size_t>(state.commander) : 0];
  return his ? his : heard[0];
}

/// How far outside it would be in `ahead_s` at such a velocity, world coordinates.
double Tick::foreseen_m(const Fence& fence, const Vec3& v_W) const noexcept {
  return outside_m(fence, out.used.X_WB.p + fence.ahead_s * v_W);
}

/// The velocity that a planner asks for, world coordinates; turned as the laws turn it: level, but
/// where each axis is the body's.
Vec3 Tick::asked_W() const noexcept {
  const Setpoint& to = state.planner_setpoint;
  if (model.has_mission || !state.has_planner_setpoint || state.planner_stale) return {};
  Vec3 asked_B{};
  for (std::size_t i = 0; i < 3; ++i)
    if (to.mode[i] == AxisMode::kVelocity) asked_B[i] = to.V_WD_B.v[i];
  const Quat& q = out.used.X_WB.q;
  return rotate(model.traits.each_axis ? q : from_rpy({0, 0, yaw_of(q)}), asked_B);
}

/// Out of a fence that is foreseen, or further: by the velocity that it has, or that is asked for.
bool Tick::leads_out(const Fence& fence) const noexcept {
  const Pose& X = out.used.X_WB;
  const double outside = std::max(outside_m(fence, X.p), 0.0);
  return foreseen_m(fence, rotate(X.q, out.used.V_WB_B.v)) > outside ||
         foreseen_m(fence, asked_W()) > outside;
}

/// False: it is not known.
inline bool Tick::read(const FailsafeRow& row, double& x) const noexcept {
  const FailsafeState& f = state.failsafe;
  const bool armed = state.arm == ArmState::kArmed;
  const bool placed = out.used.validity == Validity::kValid;
  const auto age = [this](const std::optional<Time>& at) {
    return at ? (now - *at).seconds() : kNever_s;
  };
  const auto is_recent = [&](const std::optional<Time>& at) { return age(at) <= kReadingHolds_s; };
  // of what need not be there before it is armed
  const auto age_armed = [&](Time at) { return (now - std::max(at, f.armed_at)).seconds(); };
  x = 0;
  switch (row.condition) {
    case Condition::kTilt:
      if (up_z(out.used.X_WB.q) <= kUpright) x = degrees(tilt_rad());
      return placed || state.carried;
    case Condition::kCrash:
      // odometry that stands still shows no craft that does
      if (armed && f.struck_m_s > row.limit && (placed || !model.supervised) && looks_lying())
        x = f.struck_m_s;
      return true;
    case Condition::kBatteryLow:
    case Condition::kBatteryCritical: x = f.charge; return f.battery_at.has_value();
    case Condition::kBatterySilent: x = age(f.battery_at); return true;
    case Condition::kBusVoltage: x = state.bus_V; return f.bus_at || state.telemetry.voltage.known;
    case Condition::kBusSilent:
      x = state.telemetry.voltage.known ? (now - state.telemetry.voltage_at).seconds()
                                        : age(f.bus_at);
      return true;
    case Condition::kDepth: x = -out.used.X_WB.p.z; return placed;
    case Condition::kHeight: x = out.used.X_WB.p.z; return placed;
    case Condition::kFence: {
      const Fence& fence = *model.failsafe.fence;
      x = std::max(outside_m(fence, out.used.X_WB.p),
                   foreseen_m(fence, rotate(out.used.X_WB.q, out.used.V_WB_B.v)));
      // it is not over while the planner asks for what took it there
      if (f.watch[static_cast<std::size_t>(row.condition)].on)
        x = std::max(x, foreseen_m(fence, asked_W()));
      return placed;
    }
    case Condition::kLeak: x = f.leak || f.said_leak ? 1 : 0; return f.leak_at || f.said_leak;
    case Condition::kPressure: x = f.pressure_kPa; return f.pressure_at.has_value();
    case Condition::kTemperature: x = f.temperature_C; return f.temperature_at.has_value();
    case Condition::kHousekeepingSilent: {
      // what a row goes by must be told, and whatever was told once must go on; nobody ever has told
      // anything: that is silence too
      const FailsafeParams& p = model.failsafe;
      bool any = false;
      const auto hear = [&](const std::optional<Time>& at, bool goes_by) {
        if (at || goes_by) x = std::max(x, age(at));
        any = any || at;
      };
      hear(f.leak_at, p.leak.has_value());
      hear(f.pressure_at, p.pressure.has_value());
      hear(f.temperature_at, p.temperature.has_value());
      hear(f.range_at, p.ground_near.has_value());
      hear(f.wind_at, false);
      if (!any) x = kNever_s;
      return true;
    }
    case Condition::kHeartbeat:
      if (const auto heard = operator_heard_at(); armed && heard) x = age_armed(*heard);
      return true;
    case Condition::kWayHome:
      x = 1;
      if (armed && f.has_home && placed && f.first_at && (now - *f.first_at).seconds() >= kRate_s)
        x = charge_at_home();
      return f.battery_at.has_value();
    case Condition::kHeightLost: x = f.kept_m - out.used.X_WB.p.z; return placed;
    case Condition::kOnGround:
      if (armed && model.traits.flies && !is_aloft()) x = age_armed(f.aloft_at);
      return true;
    case Condition::kWind:
      x = f.wind_m_s;
      if (is_recent(f.wind_at)) return true;
      x = norm(estimation::wind_of(state.wind));
      return state.is_landing && state.wind.has_velocity;
    case Condition::kTickLate: x = dt_s; return true;
    case Condition::kFlightSilent: {
      const AircraftState& a = state.aircraft;
      x = (now - (a.has_flight ? a.flight.stamp : a.begun)).seconds();
      return model.supervised;
    }
    case Condition::kPlaceUncertain: x = f.place_std_m; return placed && is_recent(f.place_at);
    case Condition::kVibration: x = std::sqrt(f.shakes_m2_s4); return is_recent(f.felt_at);
    case Condition::kGroundNear:
      x = f.range_m;
      return model.traits.allocates && !model.traits.flies && is_recent(f.range_at);
    case Condition::kImuSilent: x = age(f.imu_at); return model.traits.carries_itself();
    case Condition::kFlightTime:
      if (armed && (!model.traits.flies || is_aloft()))
        x = (now - (model.traits.flies ? f.rose_at : f.armed_at)).seconds();
      return true;
    case Condition::kOperator: return false;
    case Condition::kPlanner:
      if (armed && !model.has_mission && state.has_planner_setpoint)
        x = age_armed(state.planner_setpoint_at);
      return true;
  }
  return false;
}

/// What 5 % are counted of; of a fence, whose limit is its edge, the shortest way from there to its
/// middle.
double Tick::size_of(const FailsafeRow& row) const noexcept {
  if (row.condition != Condition::kFence) return std::abs(row.limit);
  const Fence& f = *model.failsafe.fence;
  return -outside_m(f, {f.center_x_m, f.center_y_m, 0});
}

void Tick::watch_failsafes(mission::EngineInput& to_mission) noexcept {
  FailsafeState& f = state.failsafe;
  out.failsafe = {};
  if (model.failsafes.empty()) return;
  if (const double std_m = state.odometry.last.position_std_m; fresh && std_m > 0) {
    f.place_std_m = std_m;
    f.place_at = now;
  }
  bool holds = false;
  for (const FailsafeRow& row : model.failsafes) {
    FailsafeState::Watch& w = f.watch[static_cast<std::size_t>(row.condition)];
    double x = 0;
    const bool known = read(row, x);
    if (!w.on && !w.past && (!known || (row.below ? x >= row.limit : x <= row.limit))) continue;
    const double slack = w.on ? kSlack * size_of(row) : 0;
    // what is not known any more stays as it was
    bool past = w.on;
    if (known) past = row.below ? !(x >= row.limit + slack) : !(x <= row.limit - slack);
    if (past != w.past) {
      w.past = past;
      w.since = now;
    }
    const double needed_s = w.on ? std::max(row.after_s, kClears_s) : row.after_s;
    if (past != w.on && (now - w.since).seconds() >= needed_s) {
      w.on = past;
      say(past ? EventCode::kFailsafe : EventCode::kFailsafeOver,
          static_cast<std::int32_t>(row.condition), x);
      if (past) act_on(row, to_mission);
    }
    // before it is armed nobody waits for the time to pass
    if (w.on || (w.past && state.arm != ArmState::kArmed)) out.failsafe.on |= bit_of(row.condition);
    if (!w.on) continue;
    holds = holds || row.action == Action::kHold;
  }
  if (f.action == Action::kHold && !holds) f.action = Action::kWarn;
}

void Tick::begin_failsafe(Action action, Condition cause) noexcept {
  FailsafeState& f = state.failsafe;
  f.action = action;
  f.cause = cause;
  f.from_W = out.used.X_WB.p;
  f.yaw_rad = yaw_of(out.used.X_WB.q);
  f.rises_to_m = f.from_W.z;
  f.arrived_at = f.acted_at = now;
}

/// Of what no flight controller flies.
void Tick::come_down(mission::EngineInput& to_mission) noexcept {
  // a landing on the engine is under way already
  if (state.is_landing) return;
  // nor does what somebody asked for in this tick end it
  to_mission.command = mission::Command::kNone;
  asked = {};
  to_mission.failed = true;
  if (model.traits.flies && !state.aloft) latch(to_mission);
  reset(control::ResetCause::kNewGoal);
}

/// Of what a flight controller flies: it lands where it is, whatever was asked for in this tick; not
/// what a pilot flies.
void Tick::land_or_abort(mission::EngineInput& to_mission) noexcept {
  const AircraftState& a = state.aircraft;
  if (a.flight_fresh && !a.flight.has_control && !stands()) return;
  if (model.mission.landing < 0) {
    to_mission.abort = true;
    return;
  }
  if (asked.code != CommandCode::kNone) answered(asked, true);
  instead(to_mission, mission::Command::kLand);
}

/// Latched at once, and the mission is at its end.
void Tick::be_off(mission::EngineInput& to_mission) noexcept {
  latch(to_mission);
  to_mission.abort = false;
  to_mission.failed = true;
  if (model.supervised) instead(to_mission, mission::Command::kCutOff);
}

/// The propellers are the flight controller's: without velocities it would stay up until its battery is
/// empty. In each tick until it is down, whenever a take-off that was asked for may come.
void Tick::land_what_is_off(mission::EngineInput& to_mission) noexcept {
  const bool down = stands() && !state.mission.requests.rising;
  if (state.arm != ArmState::kLatchedSafe || down || model.mission.landing < 0) return;
  land_or_abort(to_mission);
  if (to_mission.command == mission::Command::kLand) to_mission.abort = to_mission.failed = false;
}

/// What carries itself comes down at an operator's word also where no mission lands it.
bool Tick::lands_by_itself() const noexcept {
  if (model.supervised || in.phase == Phase::kTake || state.arm != ArmState::kArmed || !is_aloft())
    return false;
  return state.is_landing || model.mission.landing < 0 ||
         !mission::is_under_way(state.mission.phase);
}

/// Once, when a row comes on.
void Tick::act_on(const FailsafeRow& row, mission::EngineInput& to_mission) noexcept {
  FailsafeState& f = state.failsafe;
  if (state.arm != ArmState::kArmed || row.action <= f.action) return;
  const bool under_way = mission::is_under_way(state.mission.phase);
  Action action = row.action;
  if (action == Action::kAbort && !under_way) action = Action::kLand;
  // without its engine it falls: a landing on it goes on, or is one elsewhere
  if (state.is_landing) {
    if (action == Action::kHold) return;
    const auto& states = model.mission.states;
    const auto at = static_cast<std::size_t>(state.mission.state);
    const bool elsewhere = state.mission.phase == MissionPhase::kRunning && at < states.size() &&
                           mission::lands(model.mission, states[at].on_abort);
    if (action == Action::kAbort && !elsewhere) action = Action::kLand;
  }
  begin_failsafe(action, row.condition);
  switch (action) {
    case Action::kWarn: return;
    case Action::kHold:
      if (under_way || model.supervised) instead(to_mission, mission::Command::kPause);
      reset(control::ResetCause::kNewGoal);
      return;
    case Action::kAbort: to_mission.abort = true; return;
    case Action::kLand:
      if (model.supervised)
        land_or_abort(to_mission);
      else
        come_down(to_mission);
      return;
    case Action::kOff: be_off(to_mission); return;
  }
}

/// Level, at the heading and over the place where it began; down, up, or neither.
Setpoint Tick::failsafe_setpoint() noexcept {
  FailsafeState& f = state.failsafe;
  Setpoint s;
  s.X_WD = {f.from_W, from_rpy({0, 0, f.yaw_rad})};
  const double z = out.used.X_WB.p.z;
  const bool lands = f.action == Action::kLand;
  // from a bottom that is near there is one way, and that is up
  const Setpoint& asked_for = state.planner_setpoint;
  if (f.action == Action::kHold && f.cause == Condition::kGroundNear &&
      (state.planner_parts & kPosePart) != 0 && state.planner_pose_at > f.acted_at &&
      asked_for.mode[2] == AxisMode::kPosition)
    s.X_WD.p.z = std::max(f.from_W.z, asked_for.X_WD.p.z);
  const bool dives = !model.traits.flies && (model.traits.axes & axis_bit(2)) != 0;
  if (lands && model.traits.flies) {
    s.mode[2] = AxisMode::kVelocity;
    s.V_WD_B.v.z = -model.safety.descend_m_s;
  } else if (lands && dives) {
    // no further ahead than what a stop under ice or a hull may push with
    const double top = f.from_W.z < 0 ? 0 : f.from_W.z;
    f.rises_to_m = std::max(f.rises_to_m, z) + model.failsafe.rise_m_s * dt_s;
    f.rises_to_m = std::min({f.rises_to_m, z + kLead_m, top});
    s.X_WD.p.z = f.rises_to_m;
    if (!(z >= top - kSurfaced_m)) f.arrived_at = now;
  }
  return s;
}

/// Held where it may not be, a craft whose planner has since then asked for a place where it may be;
/// of a fence that is foreseen for as long as that does not take it out, or further.
bool Tick::is_led_back() const noexcept {
  const FailsafeState& f = state.failsafe;
  const Setpoint& to = state.planner_setpoint;
  if ((state.planner_parts & kPosePart) == 0 || state.planner_pose_at <= f.acted_at) return false;
  switch (f.cause) {
    case Condition::kFence: {
      // not for a moment: it would be held and led in turns
      const bool led_out = f.led_out_at && (now - *f.led_out_at).seconds() < kClears_s;
      return !led_out && !is_beyond(to);
    }
    case Condition::kHeight:
    case Condition::kDepth: return !is_beyond(to);
    default: return false;
  }
}

/// What a failsafe does goes before mission and planner.
void Tick::follow_failsafe() noexcept {
  FailsafeState& f = state.failsafe;
  out.failsafe.action = f.action;
  out.failsafe.cause = f.cause;
  if (state.arm != ArmState::kArmed || (model.supervised && model.has_mission) || state.is_landing)
    return;
  // a mission that was under way is paused, and holds
  const bool under_way = mission::is_under_way(out.mission.phase);
  const bool by_fence = f.action == Action::kHold && f.cause == Condition::kFence;
  if (by_fence && leads_out(*model.failsafe.fence)) f.led_out_at = now;
  const bool holds = f.action == Action::kHold && !under_way && !is_led_back();
  if (f.action != Action::kLand && !holds) return;
  out.setpoint = failsafe_setpoint();
  out.authority = Authority::kSafe;
  out.failsafe.arrived = !model.traits.flies && (now - f.arrived_at).seconds() >= kArrives_s;
}

}  // namespace pintle::stack
