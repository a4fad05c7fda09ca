#include "pintle/control/hover_slam.h"

#include <algorithm>
#include <cmath>

#include "pintle/control/pid.h"

namespace pintle::control {
namespace {

constexpr double kLastBurn_m = 0.3;

constexpr int kStopSteps = 24, kFallSteps = 4;
/// Slower than this is no stop.
constexpr double kLeastDeceleration = 0.01;

bool is_plausible(const LandingCraft& c) noexcept {
  const bool numbers =
      is_usable(c.mass_kg) && is_usable(c.fuel_kg) && is_usable(c.max_thrust_N) &&
      is_usable(c.exhaust_speed_m_s) && is_usable(c.lag_s) && is_usable(c.thrust_N) &&
      is_usable(c.axial_drag_m2) && is_usable(c.side_drag_m2) && is_usable(c.density_kg_m3) &&
      is_usable(c.scale_height_m) && is_usable(c.gravity_m_s2) && is_usable(c.feet_below_m);
  return numbers && is_usable(c.wind_W) && is_usable(c.p_WL) && c.mass_kg > 1e-6 &&
         c.min_thrust_N >= 0 && c.max_thrust_N >= c.min_thrust_N && c.max_thrust_N > 0 &&
         c.gravity_m_s2 > 1e-6 && c.lag_s >= 0 && c.axial_drag_m2 >= 0 && c.side_drag_m2 >= 0 &&
         c.density_kg_m3 >= 0;
}

double density(const LandingCraft& craft, double height_m) noexcept {
  if (!(craft.scale_height_m > 0)) return craft.density_kg_m3;
  return craft.density_kg_m3 * std::exp(-std::max(height_m, 0.0) / craft.scale_height_m);
}

/// Upwards for a fall, N.
double axial_drag(const LandingCraft& craft, double height_m, double speed) noexcept {
  return 0.5 * density(craft, height_m) * craft.axial_drag_m2 * speed * std::abs(speed);
}

struct Fall {
  double height_m, speed;
};

/// The engine off, for a while: the classical Runge-Kutta method.
Fall fall(const LandingCraft& craft, Fall from, double time_s) noexcept {
  const auto rate = [&](Fall s) {
    return Fall{-s.speed,
                craft.gravity_m_s2 - axial_drag(craft, s.height_m, s.speed) / craft.mass_kg};
  };
  const double dt = time_s / kFallSteps;
  for (int i = 0; i < kFallSteps; ++i) {
    const Fall a = rate(from);
    const Fall b = rate({from.height_m + 0.5 * dt * a.height_m, from.speed + 0.5 * dt * a.speed});
    const Fall c = rate({from.height_m + 0.5 * dt * b.height_m, from.speed + 0.5 * dt * b.speed});
    const Fall d = rate({from.height_m + dt * c.height_m, from.speed + dt * c.speed});
    from.height_m += dt / 6 * (a.height_m + 2 * b.height_m + 2 * c.height_m + d.height_m);
    from.speed += dt / 6 * (a.speed + 2 * b.speed + 2 * c.speed + d.speed);
  }
  return from;
}

}  // namespace

double nominal_thrust_N(const HoverSlamParams& params, const LandingCraft& craft) noexcept {
  double reserve = params.throttle_reserve;
  // one that has one try only stays clear of both ends
  if (!craft.reignitable && craft.min_thrust_N > craft.mass_kg * craft.gravity_m_s2)
    reserve = std::min(reserve, 0.5);
  return craft.max_thrust_N - reserve * (craft.max_thrust_N - craft.min_thrust_N);
}

Stop stop(const LandingCraft& craft, double height_m, double speed_m_s, double thrust_N,
          double end_speed_m_s, double dead_s) noexcept {
  const Fall begin = fall(craft, {height_m, speed_m_s}, std::max(dead_s, 0.0));
  Stop out{height_m - begin.height_m, std::max(dead_s, 0.0), 0, true};
  const double range = begin.speed - end_speed_m_s;
  if (!(range > 0)) return out;

  const double flow = craft.exhaust_speed_m_s > 0 ? thrust_N / craft.exhaust_speed_m_s : 0;
  struct Rate {
    double height, time, burnt;
  };
  // per m/s lost
  const auto rate = [&](double v, double way, double burnt) {
    const double mass = std::max(craft.mass_kg - burnt, 1e-3 * craft.mass_kg);
    const double drag = axial_drag(craft, begin.height_m - way, v);
    const double a = (thrust_N + drag) / mass - craft.gravity_m_s2;
    if (!(a > kLeastDeceleration)) out.possible = false;
    const double t = 1 / std::max(a, kLeastDeceleration);
    return Rate{v * t, t, flow * t};
  };
  const double dv = range / kStopSteps;
  double way = 0, time = 0, burnt = 0;
  for (int i = 0; i < kStopSteps; ++i) {
    const double v = begin.speed - i * dv;
    const Rate a = rate(v, way, burnt);
    const Rate b = rate(v - 0.5 * dv, way + 0.5 * dv * a.height, burnt + 0.5 * dv * a.burnt);
    const Rate c = rate(v - 0.5 * dv, way + 0.5 * dv * b.height, burnt + 0.5 * dv * b.burnt);
    const Rate d = rate(v - dv, way + dv * c.height, burnt + dv * c.burnt);
    way += dv / 6 * (a.height + 2 * b.height + 2 * c.height + d.height);
    time += dv / 6 * (a.time + 2 * b.time + 2 * c.time + d.time);
    burnt += dv / 6 * (a.burnt + 2 * b.burnt + 2 * c.burnt + d.burnt);
  }
  out.height_m += way;
  out.time_s += time;
  out.fuel_kg = burnt;
  return out;
}

namespace {

/// What a step works with.
struct Now {
  const HoverSlamParams& params;
  LandingCraft craft;  ///< Mass as estimated.
  Vec3 v_W, axis_W;    ///< Velocity; the body's z axis.
  Vec3 felt, drag;     ///< Acceleration without gravity, m/s^2; air drag, N; world.
  Vec3 away;           ///< Level, from the landing point.
  double height = 0, falling = 0;
  double dt_s = 0, nominal_N = 0;
  double to_ignition_s = 0, to_go_s = 0;
  Vec3 missing{};  ///< Sideways velocity, for the stop to do the rest.
  bool cannot_hover = false;
};

double speed_change(const LandingCraft& craft, double fuel_kg) noexcept {
  const double end = craft.mass_kg - std::clamp(fuel_kg, 0.0, 0.999 * craft.mass_kg);
  return craft.exhaust_speed_m_s * std::log(craft.mass_kg / end);
}

/// Per body axis, as `propulsion`'s drag body; world coordinates.
Vec3 drag_W(const LandingCraft& craft, Quat q, Vec3 v_W, double height) noexcept {
  const Vec3 v = rotate(conjugate(q), v_W - craft.wind_W);
  const double half = 0.5 * density(craft, height);
  const Vec3 area{craft.side_drag_m2, craft.side_drag_m2, craft.axial_drag_m2};
  Vec3 f;
  for (std::size_t i = 0; i < 3; ++i) f[i] = -half * area[i] * v[i] * std::abs(v[i]);
  return rotate(q, f);
}

/// Of the lowest foot: a place has more noise than a speed summed up since the last one.
double height_of(const HoverSlamParams& params, const HoverSlamState& state, const Now& now,
                 double measured) noexcept {
  constexpr double kJump_m = 0.1;
  if (!state.has_velocity || !(params.height_time_s > 0)) return measured;
  const double summed =
      state.last_height_m - 0.5 * now.dt_s * (now.falling - state.last_velocity_W.z);
  const double off = measured - summed;
  if (!(std::abs(off) < kJump_m)) return measured;
  return summed + off * now.dt_s / (now.dt_s + params.height_time_s);
}

Now seen(const HoverSlamParams& params, const HoverSlamState& state, const LandingCraft& craft,
         const Pose& X, const Twist& V, double dt_s) noexcept {
  Now now{params, craft, {}, {}, {}, {}, {}, {}};
  now.v_W = rotate(X.q, V.v);
  now.axis_W = rotate(X.q, {0, 0, 1});
  now.dt_s = dt_s;
  now.falling = -now.v_W.z;
  now.height = height_of(params, state, now, X.p.z - craft.p_WL.z - craft.feet_below_m);
  now.away = {X.p.x - craft.p_WL.x, X.p.y - craft.p_WL.y, 0};
  now.drag = drag_W(craft, X.q, now.v_W, now.height);
  if (state.has_velocity && dt_s > 0)
    now.felt = (now.v_W - state.last_velocity_W) / dt_s + Vec3{0, 0, craft.gravity_m_s2};
  else
    now.felt = {0, 0, 0};
  return now;
}

/// Push along the axis that neither engine nor air explains, m/s^2; k follows on the way.
double learn(const Now& now, HoverSlamState& state) noexcept {
  if (!state.has_velocity || !(now.dt_s > 0)) return 0;
  const HoverSlamParams& p = now.params;
  const double along = dot(now.felt, now.axis_W);
  const double explained = now.craft.thrust_N + dot(now.drag, now.axis_W);
  const double unexplained = along - explained / (now.craft.mass_kg * state.mass_scale);
  if (p.push_time_s > 0 && now.height > p.push_height_m) {
    const Vec3 push =
        now.felt - (now.craft.thrust_N / (now.craft.mass_kg * state.mass_scale)) * now.axis_W;
    const double share = std::min(now.dt_s / p.push_time_s, 1.0), most = now.craft.gravity_m_s2;
    state.push_W.x = std::clamp(state.push_W.x + share * (push.x - state.push_W.x), -most, most);
    state.push_W.y = std::clamp(state.push_W.y + share * (push.y - state.push_W.y), -most, most);
  }
  // only a steady engine well above the ground tells something about the mass
  const bool tells = (state.phase == LandingPhase::kBurn || state.phase == LandingPhase::kSteer) &&
                     now.craft.thrust_N > 0.5 * now.craft.min_thrust_N &&
                     now.craft.thrust_N > 0.25 * now.craft.mass_kg * now.craft.gravity_m_s2 &&
                     state.in_phase_s > 3 * now.craft.lag_s + p.delay_s && now.height > 1;
  if (tells && p.estimate_time_s > 0 && along > 0.1 * now.craft.gravity_m_s2) {
    const double measured = explained / (now.craft.mass_kg * along);
    const double share = std::min(now.dt_s / p.estimate_time_s, 1.0);
    state.mass_scale = std::clamp(state.mass_scale + share * (measured - state.mass_scale),
                                  1 - p.estimate_limit, 1 + p.estimate_limit);
  }
  return unexplained;
}

void enter(HoverSlamState& state, LandingPhase phase) noexcept {
  state.phase = phase;
  state.in_phase_s = 0;
}

void fail(HoverSlamState& state, LandingReason reason) noexcept {
  enter(state, LandingPhase::kFailed);
  state.reason = reason;
}

struct Ahead {
  double falling, height;
};

/// Where a command of now takes effect.
Ahead ahead_of(const Now& now) noexcept {
  const double t = now.params.delay_s + now.craft.lag_s + 0.5 * now.dt_s;
  const double lift = now.craft.thrust_N * std::max(now.axis_W.z, 0.0) + now.drag.z;
  const double a = now.craft.gravity_m_s2 - lift / now.craft.mass_kg;
  return {now.falling + t * a, now.height - t * (now.falling + 0.5 * t * a)};
}

/// Deceleration that ends the fall at the ground, seen from there.
double wanted_deceleration(const Now& now) noexcept {
  const auto [v, h] = ahead_of(now);
  const double end = now.params.touch_speed_m_s;
  // slower than at contact: back to that speed, softly
  if (v <= end) return 2 * (v - end);
  return (v * v - end * end) / (2 * std::max(h, 0.02));
}

/// Until contact: the rest of the fall, then the stop. Closed form; it only paces the sideways law.
double time_to_ignition(const Now& now) noexcept {
  const double g = std::max(now.craft.gravity_m_s2 - now.drag.z / now.craft.mass_kg,
                            0.3 * now.craft.gravity_m_s2);
  const double a = std::max(now.nominal_N / now.craft.mass_kg - now.craft.gravity_m_s2, 0.1);
  const double v = now.falling;
  const double at_ignition =
      std::sqrt(std::max((v * v + 2 * g * std::max(now.height, 0.0)) / (1 + g / a), 0.0));
  return std::max((at_ignition - v) / g, 0.0);
}

double time_to_go(const Now& now, bool burning) noexcept {
  const double h = std::max(now.height, 0.0);
  if (burning) return 2 * h / std::max(now.falling + now.params.touch_speed_m_s, 0.1);
  const double coast = now.to_ignition_s;
  const double a = std::max(now.nominal_N / now.craft.mass_kg - now.craft.gravity_m_s2, 0.1);
  return coast + (now.falling + now.craft.gravity_m_s2 * coast) / a;
}

/// Speed at the ground if the engine were off from here.
double drop_speed(const Now& now) noexcept {
  return std::sqrt(now.falling * now.falling +
                   2 * now.craft.gravity_m_s2 * std::max(now.height, 0.0));
}

/// What a burn high above must change sideways, so that the stop can do the rest. On the way there
/// the air takes it along, with the axis held against the airflow.
Vec3 missing_velocity(const Now& now, const Stop& planned) noexcept {
  const double third = planned.time_s / 3;
  const double coast = std::max(now.to_go_s - 3 * third, 0.0);
  const double left = std::max(coast + third, 1.0);
  const double speed = now.falling + 0.5 * now.craft.gravity_m_s2 * coast;
  const double carry = now.params.drift_share * axial_drag(now.craft, now.height, speed) /
                       std::max(speed, 1.0) / now.craft.mass_kg * coast * (third + 0.5 * coast) /
                       left;
  Vec3 out;
  for (std::size_t i = 0; i < 2; ++i)
    out[i] = -now.away[i] / left - carry * (now.craft.wind_W[i] - now.v_W[i]) - now.v_W[i];
  return out;
}

/// Fuel for the stop after falling on from here.
double fuel_of_stop(const Now& now) noexcept {
  if (!(now.craft.exhaust_speed_m_s > 0)) return 0;
  const double g = now.craft.gravity_m_s2, lift = now.nominal_N / now.craft.mass_kg;
  const double speed = now.falling + g * now.to_ignition_s;
  return now.craft.mass_kg / now.craft.exhaust_speed_m_s * speed * lift / std::max(lift - g, 0.1);
}

/// Whether there is height for it: to lean, and then to stop from there with throttle to spare.
bool is_high(const Now& now, double lean_s) noexcept {
  const HoverSlamParams& p = now.params;
  const double hard =
      now.craft.min_thrust_N + p.steer_room * (now.craft.max_thrust_N - now.craft.min_thrust_N);
  const Stop s = stop(now.craft, now.height, now.falling, hard, p.touch_speed_m_s,
                      p.delay_s + now.craft.lag_s + lean_s);
  return s.possible && s.height_m < now.height - p.steer_height_m;
}

/// Room and fuel for a burn high above.
bool may_steer(const Now& now, double lean_s) noexcept {
  return now.params.steer_from_m_s > 0 && now.craft.reignitable &&
         now.craft.fuel_kg > 1.5 * fuel_of_stop(now) && is_high(now, lean_s);
}

/// So often more. Half an ignition is none.
bool may_light(const HoverSlamParams& p, const HoverSlamState& state, double times) noexcept {
  return state.burns + times <= p.most_burns;
}

void ignite(HoverSlamState& state) noexcept {
  ++state.burns;
  state.lit_s = 0;
}

void light(const Now& now, HoverSlamState& state, const Stop& planned) noexcept {
  const HoverSlamParams& p = now.params;
  const Stop hardest = stop(now.craft, now.height, now.falling, now.craft.max_thrust_N,
                            p.max_touch_speed_m_s, p.delay_s + now.craft.lag_s);
  if (drop_speed(now) > p.max_touch_speed_m_s &&
      (!hardest.possible || hardest.height_m > now.height))
    state.reason = LandingReason::kTooLate;
  else if (planned.fuel_kg > now.craft.fuel_kg)
    state.reason = LandingReason::kFuelShort;
  ignite(state);
  enter(state, LandingPhase::kIgnition);
}

void decide_burn(const Now& now, HoverSlamState& state) noexcept {
  const HoverSlamParams& p = now.params;
  const double floor = now.craft.min_thrust_N * std::max(now.axis_W.z, 0.0) / now.craft.mass_kg -
                       now.craft.gravity_m_s2;
  const bool again = now.craft.reignitable && may_light(p, state, 1);
  if (!(now.craft.fuel_kg > 0)) {
    state.reason = LandingReason::kBurntOut;
  } else if (now.cannot_hover && drop_speed(now) <= p.drop_speed_m_s) {
    enter(state, LandingPhase::kCoast);
  } else if (now.cannot_hover && again) {
    // next to the ground a fall costs more than a burn that goes on until the speed is the wanted
    // one
    const bool late = now.height < kLastBurn_m && ahead_of(now).falling > p.touch_speed_m_s;
    if (!late && wanted_deceleration(now) < 0.8 * floor) enter(state, LandingPhase::kCoast);
  } else if (now.cannot_hover && now.falling <= 0) {
    state.reason = LandingReason::kStoppedHigh;
    enter(state, LandingPhase::kTouchDown);
  }
}

/// Leant along `direction` (level, unit) while velocity is missing that way.
Vec3 steering_axis(const Now& now, Vec3 direction) noexcept {
  const HoverSlamParams& p = now.params;
  const double left = dot(now.missing, direction) / std::max(p.steer_soft_m_s, 1e-3);
  const double lean = p.steer_tilt_rad * std::clamp(left, 0.0, 1.0);
  return std::sin(lean) * direction + Vec3{0, 0, std::cos(lean)};
}

Vec3 direction_of(Vec3 level) noexcept {
  const double size = norm(level);
  return size > 1e-9 ? level / size : Vec3{1, 0, 0};
}

/// First the fins lean it, then it burns.
void steer(const Now& now, HoverSlamState& state) noexcept {
  const HoverSlamParams& p = now.params;
  if (!state.burning) state.steer_W = direction_of(now.missing);
  const bool aside = dot(now.missing, state.steer_W) > p.steer_to_m_s;
  if (!aside || !may_steer(now, 0) || now.falling < 0.5 * p.steer_fall_m_s) {
    enter(state, LandingPhase::kCoast);
    return;
  }
  constexpr double kNear = 0.996;  // 5 degrees
  if (state.burning) return;
  if (dot(now.axis_W, steering_axis(now, state.steer_W)) < kNear && state.in_phase_s < p.lean_s)
    return;
  state.burning = true;
  ignite(state);
}

/// A burn that has just begun is not cut, but for one that is out by itself or so low that a fall
/// does no harm.
bool may_be_cut(const Now& now, const HoverSlamState& state) noexcept {
  return state.lit_s >= now.params.min_burn_s || !(now.craft.fuel_kg > 0) ||
         (now.cannot_hover && drop_speed(now) <= now.params.drop_speed_m_s);
}

/// Ignition, burn and cut-off.
void decide(const Now& now, HoverSlamState& state, const Stop& planned) noexcept {
  const HoverSlamParams& p = now.params;
  const bool burns =
      state.phase == LandingPhase::kBurn || (state.phase == LandingPhase::kSteer && state.burning);
  if (burns && !may_be_cut(now, state)) return;
  const bool due = now.falling > 0 && now.craft.fuel_kg > 0 && drop_speed(now) > p.drop_speed_m_s &&
                   (!planned.possible || planned.height_m >= now.height);
  switch (state.phase) {
    case LandingPhase::kCoast:
      if (state.burns > 0 && !(state.in_phase_s >= p.min_off_s)) break;
      if (state.burns < p.steer_burns && may_light(p, state, 2) && now.falling > p.steer_fall_m_s &&
          norm(now.missing) > p.steer_from_m_s && may_steer(now, p.lean_s)) {
        enter(state, LandingPhase::kSteer);
        state.burning = false;
        state.steer_W = direction_of(now.missing);
      } else if (due && may_light(p, state, 1)) {
        light(now, state, planned);
      }
      break;
    case LandingPhase::kSteer: steer(now, state); break;
    case LandingPhase::kIgnition:
      if (now.craft.thrust_N > 0.5 * now.craft.min_thrust_N && now.craft.thrust_N > 0)
        enter(state, LandingPhase::kBurn);
      else if (state.in_phase_s > p.light_time_s)
        fail(state, LandingReason::kNotLit);
      break;
    case LandingPhase::kBurn: decide_burn(now, state); break;
    default: break;
  }
}

/// Contact, rest, and how it ended.
void feel(const Now& now, HoverSlamState& state, double unexplained) noexcept {
  const HoverSlamParams& p = now.params;
  const double speed = norm(now.v_W);
  if (state.phase <= LandingPhase::kBurn) {
    const bool near = now.height <= p.contact_height_m && speed <= p.contact_speed_m_s;
    const bool pushed = now.height <= p.contact_jump_height_m && unexplained >= p.contact_jump_m_s2;
    if (!now.craft.contact && !near && !pushed && now.height > -p.contact_jump_height_m) return;
    // a push has slowed it down already: the step before tells how fast it came
    const double came = state.has_velocity ? norm(state.last_velocity_W) : speed;
    if (std::max(came, speed) > p.max_touch_speed_m_s) {
      fail(state, LandingReason::kHardContact);
      return;
    }
    enter(state, LandingPhase::kTouchDown);
  }
  if (state.phase != LandingPhase::kTouchDown) return;
  state.at_rest_s = speed <= p.rest_speed_m_s ? state.at_rest_s + now.dt_s : 0;
  if (state.at_rest_s < p.settle_s) return;
  if (now.axis_W.z >= std::cos(p.max_rest_tilt_rad))
    enter(state, LandingPhase::kLanded);
  else
    fail(state, LandingReason::kTipped);
}

/// Axis and thrust of a burn.
void brake(const Now& now, Vec3 sideways, LandingCommand& out) noexcept {
  const HoverSlamParams& p = now.params;
  const double g = now.craft.gravity_m_s2, mass = now.craft.mass_kg;
  const double a = wanted_deceleration(now);
  out.acceleration_W = {sideways.x, sideways.y, a + g};
  const double lift =
      std::clamp(mass * (a + g) - now.drag.z, 0.1 * now.craft.max_thrust_N, now.craft.max_thrust_N);
  const double share = p.tilt_height_m > 0 ? std::clamp(now.height / p.tilt_height_m, 0.0, 1.0) : 1;
  const double most = p.touch_tilt_rad + share * (p.max_tilt_rad - p.touch_tilt_rad);
  Vec3 level = mass * Vec3{sideways.x, sideways.y, 0};
  const double size = norm(level), limit = lift * std::tan(most);
  out.tilt_limited = size > limit;
  if (out.tilt_limited) level = (limit / size) * level;
  const Vec3 force = level + Vec3{0, 0, lift};
  out.up_W = force / norm(force);
  const double wanted = (mass * (a + g) - now.drag.z) / std::max(now.axis_W.z, 0.5);
  out.thrust_N = std::clamp(wanted, now.craft.min_thrust_N, now.craft.max_thrust_N);
  out.thrust_limited = out.thrust_N != wanted;
}

/// Axis for a fall: against the airflow, and in time as the burn will want it.
Vec3 falling_axis(const Now& now, Vec3 axis_of_burn) noexcept {
  const HoverSlamParams& p = now.params;
  const Vec3 air = now.v_W - now.craft.wind_W;
  const double speed = norm(air);
  if (!(speed > p.airflow_speed_m_s) || !(air.z < 0)) return {0, 0, 1};
  const double share = p.lean_s > 0 ? std::clamp(1 - now.to_ignition_s / p.lean_s, 0.0, 1.0) : 0;
  const Vec3 mixed = share * axis_of_burn - ((1 - share) / speed) * air;
  return mixed / norm(mixed);
}

bool braking(LandingPhase phase) noexcept {
  return phase == LandingPhase::kIgnition || phase == LandingPhase::kBurn;
}

/// What the phase makes of the burn that would be wanted.
void answer(const Now& now, const HoverSlamState& state, LandingCommand& out) noexcept {
  const bool steering = state.phase == LandingPhase::kSteer;
  out.ignition = braking(state.phase) || (steering && state.burning);
  if (steering) {
    const LandingCraft& craft = now.craft;
    out.up_W = steering_axis(now, state.steer_W);
    out.thrust_N =
        craft.min_thrust_N + now.params.steer_throttle * (craft.max_thrust_N - craft.min_thrust_N);
  } else if (state.phase == LandingPhase::kCoast && now.height > now.params.tilt_height_m)
    out.up_W = falling_axis(now, out.up_W);
  else if (state.phase > LandingPhase::kBurn)
    out.up_W = {0, 0, 1};
  if (!out.ignition) out.thrust_N = 0;
  out.phase = state.phase;
  out.reason = state.reason;
  out.mass_scale = state.mass_scale;
}

}  // namespace

bool step(const HoverSlamParams& params, HoverSlamState& state, const LandingCraft& craft,
          const Pose& X_WB, const Twist& V_WB_B, double dt_s, LandingCommand& out) noexcept {
  if (!is_usable(X_WB.p) || !(squared_norm(X_WB.q) > 1e-12 && squared_norm(X_WB.q) < 1e12) ||
      !is_usable(V_WB_B.v) || !is_usable(V_WB_B.w) || !is_plausible(craft) ||
      !(dt_s >= 0 && is_usable(dt_s)))
    return false;
  const Quat q = normalized(X_WB.q);
  Now now = seen(params, state, craft, {X_WB.p, q}, V_WB_B, dt_s);
  const double unexplained = learn(now, state);
  now.craft.mass_kg *= state.mass_scale;
  now.nominal_N = nominal_thrust_N(params, now.craft);
  now.cannot_hover = craft.min_thrust_N > now.craft.mass_kg * craft.gravity_m_s2;

  out = {};
  out.height_m = now.height;
  out.stop = stop(now.craft, now.height, std::max(now.falling, 0.0), now.nominal_N,
                  params.touch_speed_m_s, params.delay_s + craft.lag_s + dt_s);
  out.spare_m_s =
      speed_change(now.craft, craft.fuel_kg) - speed_change(now.craft, out.stop.fuel_kg);
  now.to_ignition_s = time_to_ignition(now);
  now.to_go_s = time_to_go(now, braking(state.phase));
  now.missing = missing_velocity(now, out.stop);

  state.in_phase_s += dt_s;
  state.lit_s += dt_s;
  feel(now, state, unexplained);
  decide(now, state, out.stop);
  state.last_velocity_W = now.v_W;
  state.last_height_m = now.height;
  state.has_velocity = true;

  out.time_to_go_s = now.to_go_s;
  const double s = std::max(now.to_go_s, params.min_time_to_go_s);
  const Vec3 level{now.v_W.x, now.v_W.y, 0};
  brake(now, (-12 / (s * s)) * now.away - (6 / s) * level - state.push_W, out);
  answer(now, state, out);
  return true;
}

}  // namespace pintle::control
