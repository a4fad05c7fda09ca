// What a craft that flies knows without odometry: how it moves, for seconds; whether it stands;
// that it has hit something.
#include <algorithm>
#include <cmath>
#include <utility>

#include "pintle/base/rotation.h"
#include "pintle/stack/tick_steps.h"

namespace pintle::stack {
namespace {

/// Odometry older than this is carried on.
constexpr double kCarryAfter_s = 0.1;
/// Off the ground: moving so fast, or so far from where it stood; without odometry also with so much
/// of its weight carried.
constexpr double kMoves_m_s = 0.5, kLeaves_m = 0.3, kLifts = 0.9;
/// Standing is to be asked to go down, or not to be carried, and not to move, for so long.
constexpr double kStands_s = 0.5, kStandsBlind_s = 1.5;
constexpr double kStill_m_s = 0.1, kAskedDown_m_s = 0.1, kCarried = 0.5;
constexpr double kMissedDown = 0.5, kStill_m_s2 = 0.2, kStill_rad_s = 0.3, kFeel_s = 0.2;
/// A change of velocity within about kBlow_s that is no more the propulsors' work.
constexpr double kBlow_s = 0.1, kBlow_m_s = 2;
constexpr double kSilence_s = 0.5;  // of odometry
/// Reports further apart tell braking from a blow no more.
constexpr double kReports_s = 0.2;

double share_left(double dt_s, double over_s) noexcept {
  return dt_s > 0 ? std::exp(-dt_s / over_s) : 1;
}

}  // namespace

/// The inertial sensor: it is taught while odometry comes, and goes on where that stops.
void Tick::carry_on() noexcept {
  using estimation::MeasurementVerdict;
  estimation::InertialState& s = state.inertial;
  bool felt = false;
  if (in.has_imu) {
    const MeasurementVerdict v = estimation::feel(s, in.imu, model.surroundings.gravity_m_s2, now);
    felt = v == MeasurementVerdict::kAccepted;
    // said once, until one is good again
    const bool by_time =
        v == MeasurementVerdict::kTimeReversed || v == MeasurementVerdict::kFromFuture;
    const bool bad = by_time || v == MeasurementVerdict::kNotFinite;
    FailsafeState& f = state.failsafe;
    if (v != MeasurementVerdict::kNotFinite && !(f.imu_at && in.imu.stamp == f.imu_stamp)) {
      f.imu_stamp = in.imu.stamp;
      f.imu_at = now;
    }
    if (felt) state.refuses_imu = false;
    if (bad && !std::exchange(state.refuses_imu, true))
      say(by_time ? EventCode::kTimeReversed : EventCode::kInputRejected, InputCode::kImu);
    if (felt) feel_vibration(s.step_s);
    const double dt = felt && s.begun ? s.step_s : 0;
    state.felt_W += (1 - share_left(dt, kFeel_s)) * (s.a_W - state.felt_W);
    state.gained_W += dt * s.a_W;
    state.gained_s += dt;
  }
  const bool carried = state.carried;
  state.carried = false;
  // what comes too late to go by is as good as none
  if (fresh && out.used.validity == Validity::kValid) {
    const estimation::Measurement& m = state.odometry.last;
    const Vec3 v_W = rotate(m.X_WB.q, m.V_WB_B.v);
    const bool has_sensor = s.begun && (now - s.last.stamp).seconds() <= estimation::kImuStale_s;
    if (!has_sensor && odometry_dt_s > 0) {
      state.gained_W += v_W - state.last_v_W;
      state.gained_s += odometry_dt_s;
    }
    // after a silence it is where it was, as fast as it was: not it has stood, but its clock
    if (odometry_dt_s > kSilence_s && norm(m.X_WB.p - state.last_p_W) < kLeaves_m &&
        norm(v_W - state.last_v_W) < kMoves_m_s) {
      state.gained_W = state.expected_W = state.blow_W = {};
      state.gained_s = 0;
    }
    state.last_v_W = v_W;
    state.last_p_W = m.X_WB.p;
    estimation::aid(s, m);
    // the loops have seen the gap
    if (carried) state.measured_dt_s -= std::max(odometry_dt_s - model.period.seconds(), 0.0);
    return;
  }
  const double age = (now - state.odometry.last.stamp).seconds();
  if (!state.odometry.has_measurement || !(age > kCarryAfter_s) || !estimation::is_fit(s, now))
    return;
  state.carried = true;
  if (fresh) state.measured_dt_s -= odometry_dt_s;
  if (felt) {
    state.measured = true;
    state.measured_dt_s += s.step_s;
  }
  out.used.stamp = s.last.stamp;
  out.used.X_WB = s.X_WB;
  out.used.V_WB_B = estimation::twist_of(s);
}

bool Tick::is_aloft() const noexcept {
  if (model.supervised) return state.aircraft.has_flight && !stands();
  return state.aloft;
}

bool Tick::lifts() const noexcept {
  return model.traits.carries_itself() && state.mass_kg > 0 &&
         pushed_B.z > kLifts * model.surroundings.gravity_m_s2 * state.mass_kg;
}

bool Tick::looks_standing() const noexcept {
  const Vec3 v_W = rotate(out.used.X_WB.q, out.used.V_WB_B.v);
  if (state.is_landing)
    return state.landing.phase == control::LandingPhase::kLanded && norm(v_W) < kMoves_m_s;
  const double wanted = control::wanted_up_m_s(state.law);
  if (out.used.validity == Validity::kValid)
    return norm(v_W) < kStill_m_s &&
           (wanted < -kAskedDown_m_s ||
            pushed_B.z < kCarried * model.surroundings.gravity_m_s2 * state.mass_kg);
  // speed is not known to a tenth any more, its change is: slower turbines than these would have
  // made one of what is missing
  return state.copes && wanted - v_W.z < -kMissedDown * model.safety.descend_m_s &&
         norm(state.felt_W) < kStill_m_s2 && norm(out.used.V_WB_B.w) < kStill_rad_s;
}

void Tick::watch_ground(mission::EngineInput& to_mission) noexcept {
  if (!model.traits.carries_itself()) return;
  const bool valid = out.used.validity == Validity::kValid;
  if (state.aloft) feel_blows(to_mission);
  if (!valid && !state.carried) return;
  const Vec3 p = out.used.X_WB.p;
  if (!state.aloft) {
    const bool moves = norm(out.used.V_WB_B.v) > kMoves_m_s || norm(p - state.stood_m) > kLeaves_m;
    if (state.arm != ArmState::kArmed || state.acts == 0) state.stood_m = p;
    state.aloft = state.arm == ArmState::kArmed && moves;
    state.flew_at = now;
    state.blow_W = state.expected_W = state.gained_W = {};
    state.gained_s = 0;
    return;
  }
  if (!looks_standing()) state.flew_at = now;
  if ((now - state.flew_at).seconds() < (valid ? kStands_s : kStandsBlind_s)) return;
  // that it has landed is its mission's to see before it is latched
  if (state.is_landing && state.failsafe.action == FailsafeAction::kLand) return;
  state.aloft = false;
  state.stood_m = p;
  if (state.copes || state.failsafe.action == FailsafeAction::kLand) latch(to_mission);
}

/// Velocity that the propulsors have not made.
void Tick::feel_blows(mission::EngineInput& to_mission) noexcept {
  const Vec3 weight_W{0, 0, model.surroundings.gravity_m_s2};
  if (!(state.mass_kg > 0)) return;
  // a sensor that is silent together with odometry: nothing is felt, and nothing missed
  const estimation::InertialState& sensor = state.inertial;
  if (sensor.begun && out.used.validity != Validity::kValid &&
      (now - sensor.last.stamp).seconds() > estimation::kImuStale_s)
    return;
  // what was while no tick was made nobody knows, nor whether it was the clock that leapt
  if (dt_s > kSilence_s) {
    state.gained_W = state.expected_W = state.blow_W = {};
    state.gained_s = 0;
    return;
  }
  state.expected_W += dt_s * (rotate(out.used.X_WB.q, pushed_B) / state.mass_kg - weight_W);
  if (!(state.gained_s > 0)) return;
  const double span_s = state.gained_s;
  state.blow_W += state.gained_W - state.expected_W;
  state.gained_W = state.expected_W = {};
  state.gained_s = 0;
  const double blow = norm(state.blow_W);
  state.blow_W = share_left(span_s, kBlow_s) * state.blow_W;
  if (!(blow > kBlow_m_s)) return;
  state.blow_W = {};
  struck(blow);
  to_mission.failed = true;
  // without a state nothing tells it from the ground
  if (state.lost && state.arm == ArmState::kArmed) latch(to_mission);
}

/// Velocity that no flight controller makes, by its own report (odometry may leap without a blow); the
/// report after it says so too.
void Tick::feel_flight(const FlightReport& before) noexcept {
  AircraftState& a = state.aircraft;
  const double span_s = (a.flight.stamp - before.stamp).seconds();
  const double suspected = std::exchange(a.suspected_m_s, 0);
  const bool is_silence = span_s > kReports_s;
  if (suspected > 0 && !is_silence && norm(a.flight.v_W - a.v_unstruck_W) > 0.5 * kBlow_m_s) {
    state.blow_W = {};
    blow_m_s = suspected;
    return;
  }
  // what was in a silence nobody knows; what stood is lifted or carried
  if (is_silence || on_ground(before.phase)) {
    state.blow_W = {};
    return;
  }
  state.blow_W += a.flight.v_W - before.v_W;
  const double blow = norm(state.blow_W);
  if (blow > kBlow_m_s) {
    a.suspected_m_s = blow;
    a.v_unstruck_W = a.flight.v_W - state.blow_W;
  }
  state.blow_W = share_left(span_s, kBlow_s) * state.blow_W;
}

/// What may be broken is flown nowhere.
void Tick::land_what_is_struck(mission::EngineInput& to_mission) noexcept {
  if (!(blow_m_s > 0)) return;
  struck(blow_m_s);
  if (state.arm == ArmState::kArmed) land_or_abort(to_mission);
}

void Tick::struck(double by_m_s) noexcept {
  state.failsafe.struck_m_s = std::max(state.failsafe.struck_m_s, by_m_s);
  say(EventCode::kImpact, -1, by_m_s);
}

/// Level, at no speed but downwards, heading left alone.
Setpoint Tick::blind_setpoint() const noexcept {
  Setpoint s;
  s.X_WD = out.used.X_WB;
  s.mode = {AxisMode::kVelocity, AxisMode::kVelocity, AxisMode::kVelocity,
            AxisMode::kPosition, AxisMode::kPosition, AxisMode::kVelocity};
  if (model.safety.on_state_lost == OnStateLost::kDescend) s.V_WD_B.v.z = -model.safety.descend_m_s;
  return s;
}

}  // namespace pintle::stack
