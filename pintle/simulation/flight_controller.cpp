#include "pintle/simulation/flight_controller.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pintle/base/rotation.h"
#include "pintle/craft/load.h"

namespace pintle::simulation {
namespace {

using world::DeviceFaultKind;

// a craft that pushes less than this share of its weight and does not sink stands on something
constexpr double kStandingThrust = 0.7, kStandingSpeed_m_s = 0.15, kStandingTime_s = 0.3;
// slow enough to hold the place where it is
constexpr double kBraked_m_s = 0.15;
// how far the wanted heading may run ahead of the craft
constexpr double kHeadingAhead_rad = 0.5;

Vec3 cut_level(Vec3 v, double speed, double climb) noexcept {
  const double level = std::hypot(v.x, v.y);
  const double s = level > speed ? speed / level : 1;
  return {v.x * s, v.y * s, std::clamp(v.z, -climb, climb)};
}

VehicleFile inner_file(VehicleFile file, double rate_Hz) {
  file.laws.law = control::inner_law();
  file.control_rate_Hz = rate_Hz;
  file.detector.enable = false;
  // its inertial sensor is a part of it; how long it flies is for who sends it
  file.failsafes.imu_silent.reset();
  file.failsafes.flight_time.reset();
  return file;
}

}  // namespace

struct SimulatedFlightController::Impl {
  Impl(const VehicleFile& vehicle, const world::FlightControllerParams& params,
       const std::vector<world::DeviceFault>& all_faults, std::uint64_t seed)
      : p(params),
        faults(all_faults, world::Device::kFlightController),
        model(build_model(inner_file(vehicle, params.rate_Hz), nullptr)),
        state(std::make_unique<State>(initial_state(model))),
        work(std::make_unique<Workspace>()),
        in(std::make_unique<Inputs>()),
        out(std::make_unique<Outputs>()),
        noise(seed, "flight controller noise"),
        walk(seed, "flight controller position") {}

  // -------------------------------------------------------------------------------------------
  // requests

  void hear(const FlightRequest& r) noexcept {
    if (faults.active(DeviceFaultKind::kSilent, now)) return;
    if (r.kind == FlightRequestKind::kNone || static_cast<std::int32_t>(r.number - heard) <= 0)
      return;
    heard = r.number;
    outcome = RequestOutcome::kPending;
    asked = r.kind;
    taken_up = false;
    const double delay = p.answer_delay_s + faults.value(DeviceFaultKind::kSlow, now);
    due = now + Duration::from_seconds(delay);
  }

  void answer() noexcept {
    if (taken_up || asked == FlightRequestKind::kNone || now < due) return;
    if (faults.active(DeviceFaultKind::kHangs, now)) return;
    taken_up = true;
    outcome = faults.active(DeviceFaultKind::kRefuses, now) ? RequestOutcome::kRefused : take_up();
  }

  RequestOutcome take_up() noexcept {
    switch (asked) {
      case FlightRequestKind::kTakeControl:
        if (faults.active(DeviceFaultKind::kPilot, now) || lands_by_itself)
          return RequestOutcome::kRefused;
        has_control = true;
        has_motion = false;
        return RequestOutcome::kDone;
      case FlightRequestKind::kReleaseControl: has_control = false; return RequestOutcome::kDone;
      case FlightRequestKind::kTakeOff:
        if (!has_control || !is_down() || sensors.battery < p.min_battery_to_take_off ||
            out->used.validity != Validity::kValid)
          return RequestOutcome::kRefused;
        take_off();
        return RequestOutcome::kPending;
      case FlightRequestKind::kLand:
        if (is_down()) return RequestOutcome::kDone;
        land();
        return RequestOutcome::kPending;
      case FlightRequestKind::kNone: break;
    }
    return RequestOutcome::kRefused;
  }

  // whoever did what was asked says so
  void finish(FlightRequestKind kind, RequestOutcome how) noexcept {
    if (asked == kind && taken_up && outcome == RequestOutcome::kPending) outcome = how;
  }

  [[nodiscard]] bool is_down() const noexcept { return on_ground(phase); }

  // -------------------------------------------------------------------------------------------
  // phases

  void enter(FlightPhase next) noexcept {
    phase = next;
    entered = now;
    standing_since = now;
  }
  [[nodiscard]] double in_phase_s() const noexcept { return (now - entered).seconds(); }

  void take_off() noexcept {
    enter(FlightPhase::kTakingOff);
    ground_z = X.p.z;
    yaw_wanted = yaw_of(X.q);
    hold_at = X.p;
    holds = true;
    want_armed = true;
  }

  void land() noexcept {
    enter(FlightPhase::kLanding);
    finish(FlightRequestKind::kTakeOff, RequestOutcome::kFailed);
  }

  void proceed() noexcept {
    if (faults.active(DeviceFaultKind::kPilot, now)) has_control = false;
    if (phase != FlightPhase::kMotorsOff && phase != FlightPhase::kTouchingDown &&
        phase != FlightPhase::kLanding && sensors.battery < p.critical_battery) {
      lands_by_itself = true;
      has_control = false;
      land();
    }
    switch (phase) {
      case FlightPhase::kTakingOff:
        if (X.p.z - ground_z >= p.take_off_height_m - 0.1 && std::abs(v_W.z) < 0.2) {
          enter(FlightPhase::kAirborne);
          finish(FlightRequestKind::kTakeOff, RequestOutcome::kDone);
        } else if (in_phase_s() > p.take_off_timeout_s) {
          land();
        }
        break;
      case FlightPhase::kLanding:
        if (!stands()) standing_since = now;
        if ((now - standing_since).seconds() > kStandingTime_s) {
          enter(FlightPhase::kTouchingDown);
          want_armed = false;
        }
        break;
      case FlightPhase::kTouchingDown:
        if (in_phase_s() >= p.motors_off_after_s) {
          enter(FlightPhase::kMotorsOff);
          finish(FlightRequestKind::kLand, RequestOutcome::kDone);
        }
        break;
      case FlightPhase::kMotorsOff:
      case FlightPhase::kOnGround:
      case FlightPhase::kAirborne: break;
    }
  }

  [[nodiscard]] bool stands() const noexcept {
    const double lift = rotate(X.q, out->allocation.achieved.force).z;
    const double weight = model.vehicle.body.mass_kg * model.surroundings.gravity_m_s2;
    return lift < kStandingThrust * weight && std::abs(v_W.z) < kStandingSpeed_m_s;
  }

  // -------------------------------------------------------------------------------------------
  // what the inner loops are to do

  void fly_level(Setpoint& s, Vec3 v_H) noexcept {
    s.mode[0] = s.mode[1] = AxisMode::kVelocity;
    s.V_WD_B.v.x = v_H.x;
    s.V_WD_B.v.y = v_H.y;
    holds = false;
  }

  /// Brakes, then holds the place where it came to rest.
  void stay_level(Setpoint& s) noexcept {
    if (!holds && std::hypot(v_W.x, v_W.y) < kBraked_m_s) {
      holds = true;
      hold_at = X.p;
    }
    if (!holds) {
      s.mode[0] = s.mode[1] = AxisMode::kVelocity;
      return;
    }
    s.X_WD.p.x = hold_at.x;
    s.X_WD.p.y = hold_at.y;
  }

  void climb(Setpoint& s, double v_up) const noexcept {
    s.mode[2] = AxisMode::kVelocity;
    s.V_WD_B.v.z = v_up;
  }

  Setpoint wanted(double dt_s) noexcept {
    Setpoint s;
    s.X_WD.p = X.p;
    if (phase == FlightPhase::kTakingOff) {
      stay_level(s);
      // slower near the height that ends it
      const double left = ground_z + p.take_off_height_m - X.p.z;
      climb(s, std::clamp(1.2 * left, -p.take_off_speed_m_s, p.take_off_speed_m_s));
    } else if (phase == FlightPhase::kLanding) {
      stay_level(s);
      climb(s, -p.landing_speed_m_s);
    } else if (phase == FlightPhase::kAirborne) {
      const bool obeys = has_control && has_motion &&
                         (now - motion_at).seconds() <= p.motion_timeout_s &&
                         is_finite(motion.v_H) && std::isfinite(motion.yaw_rate_rad_s);
      if (obeys) {
        const Vec3 v = cut_level(motion.v_H, p.max_speed_m_s, p.max_climb_m_s);
        fly_level(s, v);
        climb(s, v.z);
        const double rate =
            std::clamp(motion.yaw_rate_rad_s, -p.max_yaw_rate_rad_s, p.max_yaw_rate_rad_s);
        const double yaw = yaw_of(X.q);
        const double ahead = wrap_angle(yaw_wanted + rate * dt_s - yaw);
        yaw_wanted = yaw + std::clamp(ahead, -kHeadingAhead_rad, kHeadingAhead_rad);
        held_z = X.p.z;
      } else {
        stay_level(s);
        s.X_WD.p.z = held_z;
      }
    } else {
      yaw_wanted = yaw_of(X.q);
    }
    if (phase != FlightPhase::kAirborne) held_z = X.p.z;
    s.X_WD.q = from_rpy({0, 0, yaw_wanted});
    return s;
  }

  void fly(double dt_s) noexcept {
    clear(*in);
    in->now = now;
    in->generation = model.generation;
    in->has_odometry = true;
    in->odometry = {now, X, V};
    in->has_bus_voltage = true;
    in->bus_V = sensors.bus_V;
    in->has_setpoint = true;
    in->setpoint = wanted(dt_s);
    if (want_armed && out->arm == ArmState::kDisarmed && out->used.validity == Validity::kValid) {
      control::reset(model.law, state->law, control::ResetCause::kArmed);
      in->commands.push_back({CommandCode::kArm, -1});
    }
    if (!want_armed && out->arm != ArmState::kDisarmed)
      in->commands.push_back({CommandCode::kDisarmForce, -1});
    tick(model, *state, *work, *in, *out);
  }

  void feel(const FlightSensors& s, double dt_s) noexcept {
    sensors = s;
    now = s.now;
    const double grows = p.position_walk_m * std::sqrt(std::max(dt_s, 0.0));
    const double a = walk.normal(), b = walk.normal();
    wandered += Vec3{grows * a, grows * b, 0};
    X = {s.X_WB.p + wandered, s.X_WB.q};
    V = s.V_WB_B;
    v_W = rotate(X.q, V.v);
  }

  void say() noexcept {
    const double x = noise.normal(), y = noise.normal(), z = noise.normal(), h = noise.normal();
    if (now < next_report) return;
    while (next_report <= now)
      next_report = Time::from_seconds(static_cast<double>(++reports) / p.report_rate_Hz);
    if (faults.active(DeviceFaultKind::kSilent, now)) return;
    report.stamp = now;
    report.phase = phase;
    report.has_control = has_control;
    report.v_W = v_W + p.velocity_noise_m_s * Vec3{x, y, z};
    report.has_yaw = true;
    report.yaw_rad = wrap_angle(yaw_of(sensors.X_WB.q) + radians(p.heading_noise_deg) * h);
    report.battery = sensors.battery;
    report.request = heard;
    report.outcome = outcome;
    has_report = true;
  }

  world::FlightControllerParams p;
  world::DeviceFaults faults;
  Model model;
  std::unique_ptr<State> state;
  std::unique_ptr<Workspace> work;
  std::unique_ptr<Inputs> in;
  std::unique_ptr<Outputs> out;
  RandomStream noise, walk;

  Time now{};
  bool started = false;
  FlightSensors sensors;
  Pose X;  ///< As it believes.
  Twist V;
  Vec3 v_W{};
  Vec3 wandered{};
  // requests
  std::uint32_t heard = 0;
  FlightRequestKind asked = FlightRequestKind::kNone;
  RequestOutcome outcome = RequestOutcome::kNone;
  bool taken_up = false;
  Time due{};
  // phase
  FlightPhase phase = FlightPhase::kMotorsOff;
  Time entered{}, standing_since{};
  bool has_control = false, lands_by_itself = false, want_armed = false;
  double ground_z = 0;
  // motion
  bool has_motion = false;
  MotionCommand motion;
  Time motion_at{};
  bool holds = false;
  Vec3 hold_at{};
  double held_z = 0, yaw_wanted = 0;
  // reports
  FlightReport report;
  bool has_report = false;
  Time next_report{};
  std::int64_t reports = 0;
};

SimulatedFlightController::SimulatedFlightController(const VehicleFile& vehicle,
                                                     const world::FlightControllerParams& params,
                                                     const std::vector<world::DeviceFault>& faults,
                                                     std::uint64_t seed)
    : impl_(std::make_unique<Impl>(vehicle, params, faults, seed)) {}
SimulatedFlightController::~SimulatedFlightController() = default;

void SimulatedFlightController::request(const FlightRequest& request) noexcept {
  impl_->hear(request);
}

void SimulatedFlightController::command(const MotionCommand& motion) noexcept {
  if (impl_->faults.active(DeviceFaultKind::kSilent, impl_->now)) return;
  impl_->motion = motion;
  impl_->motion_at = impl_->now;
  impl_->has_motion = true;
}

bool SimulatedFlightController::take_report(FlightReport& report) noexcept {
  if (!impl_->has_report) return false;
  report = impl_->report;
  impl_->has_report = false;
  return true;
}

const PropulsorCommands& SimulatedFlightController::step(const FlightSensors& sensors) noexcept {
  Impl& c = *impl_;
  const double dt_s = c.started ? (sensors.now - c.now).seconds() : c.model.period.seconds();
  c.started = true;
  c.feel(sensors, dt_s);
  c.answer();
  c.proceed();
  c.fly(dt_s);
  c.say();
  return c.out->actuation;
}

Duration SimulatedFlightController::period() const noexcept { return impl_->model.period; }
void SimulatedFlightController::break_it(const world::DeviceFault& fault) {
  impl_->faults.add(fault);
}
FlightPhase SimulatedFlightController::phase() const noexcept { return impl_->phase; }

}  // namespace pintle::simulation
