#include "pintle/control/six_axis.h"

#include <algorithm>
#include <cmath>

namespace pintle::control {
namespace {

const PerAxis<PidParams>& position_params(const SixAxisParams& params) noexcept {
  return params.cascaded ? params.position_cascaded : params.position;
}

int first_unusable(const Vec6& v) noexcept {
  // the usual case in one look: a sum that is usable has only usable parts
  double sum = 0;
  for (std::size_t i = 0; i < kAxes; ++i) sum += std::abs(v[i]);
  if (sum <= kLargest) return -1;
  for (std::size_t i = 0; i < kAxes; ++i)
    if (!is_usable(v[i])) return static_cast<int>(i);
  return -1;
}

/// First component of a setpoint that is no number, as an axis; -1 if there is none.
int first_not_finite(const Setpoint& s) noexcept {
  for (std::size_t i = 0; i < 3 && !is_usable(s.X_WD.p); ++i)
    if (!is_usable(s.X_WD.p[i])) return static_cast<int>(i);
  if (!is_usable(s.X_WD.q)) return static_cast<int>(Axis::kRoll);
  const int velocity = first_unusable(to_vec6(s.V_WD_B));
  return velocity >= 0 ? velocity : first_unusable(to_vec6(s.F_Bo_B));
}

bool are_usable(const SixAxisParams& params, const SixAxisInput& in) noexcept {
  if (!is_usable(in.X_WB.p) || !is_usable(in.X_WB.q) || !is_usable(in.q_static) ||
      first_unusable(to_vec6(in.V_WB_B)) >= 0)
    return false;
  return squared_norm(in.X_WB.q) > 0 &&
         (params.behaviour != Behaviour::kSafe || squared_norm(in.q_static) > 0);
}

/// Whose effort an axis uses now.
struct Use {
  bool position, velocity;
};

Use use_of(const SixAxisParams& params, AxisMode mode) noexcept {
  const bool position = mode == AxisMode::kPosition;
  return {position, mode == AxisMode::kVelocity || (position && params.cascaded)};
}

struct PidInput {
  double error, dt_s, provided_derivative;
  bool acts;
};

/// One loop of one axis. Off, its effort is zero, and in kSafe it forgets, so that it starts afresh
/// when it is turned on again. On but not used it rests in kSafe: it keeps its integral and takes
/// its history afresh when it is used.
[[gnu::always_inline]] inline void run(bool enabled, const PidParams& params, PidState& state,
                                       const PidInput& in, Behaviour behaviour, bool used,
                                       PidTerms& terms) noexcept {
  const bool safe = behaviour == Behaviour::kSafe;
  if (enabled && used && safe && !in.acts) {
    // what is not done is not made up for
    PidParams without = params;
    without.ki = 0;
    step(without, state, in.error, in.dt_s, in.provided_derivative, behaviour, terms);
    return;
  }
  if (enabled && (used || !safe)) {
    step(params, state, in.error, in.dt_s, in.provided_derivative, behaviour, terms);
    return;
  }
  terms = {};
  if (!safe) return;
  if (!enabled) {
    state = {};
    return;
  }
  state.has_history = false;
  state.output = 0;
  terms.integral = state.integral;
}

void keep_turning(Vec3& last_turn, Vec6& error) noexcept {
  last_turn = keep_direction({error[3], error[4], error[5]}, last_turn);
  for (std::size_t i = 0; i < 3; ++i) error[3 + i] = last_turn[i];
}

bool brakes_by(const SixAxisParams& params) noexcept {
  return params.position_law == PositionLaw::kSquareRoot && params.cascaded &&
         params.behaviour == Behaviour::kSafe;
}

void see_from_far(const SixAxisParams& params, Vec6& error) noexcept {
  for (std::size_t i = 0; i < kAxes; ++i)
    error[i] = braking_error(error[i], position_params(params)[i].kp,
                             params.motion_limits[i].max_acceleration);
}

/// A velocity setpoint, no more than the axis may have.
double inside(const MotionLimit& limit, double velocity) noexcept {
  const double most = limit.max_velocity;
  return most > 0 ? std::clamp(velocity, -most, most) : velocity;
}

/// One step of the reference; answers the velocity it has, or that is asked for.
Vec6 follow_shaped(const SixAxisParams& params, SixAxisState& state, const SixAxisInput& input,
                   double dt_s, SixAxisTrace& trace) noexcept {
  const Shaped s =
      shape(params.motion_limits, state.shaping, state.setpoint, input.X_WB, input.V_WB_B, dt_s);
  trace.reference = s.X_WR;
  trace.reference_velocity = s.V_R_B;
  return s.V_R_B;
}

Vec3 static_in_body(const SixAxisParams& params, Quat q_WB) noexcept {
  const Quat q = params.behaviour == Behaviour::kSafe ? normalized(q_WB) : q_WB;
  return rotate(conjugate(q), params.static_force);
}

}  // namespace

SetpointRefusal accept(const SixAxisParams& params, SixAxisState& state, const Setpoint& setpoint,
                       int* axis, bool wrench_is_new) noexcept {
  int offending = -1;
  const auto judge = [&]() noexcept {
    bool any_wrench = params.behaviour != Behaviour::kSafe || wrench_is_new;
    for (std::size_t i = 0; i < kAxes; ++i) {
      offending = static_cast<int>(i);
      if (static_cast<unsigned>(setpoint.mode[i]) > static_cast<unsigned>(AxisMode::kWrench))
        return SetpointRefusal::kBadMode;
      any_wrench = any_wrench || setpoint.mode[i] == AxisMode::kWrench;
    }
    offending = first_not_finite(setpoint);
    if (offending >= 0) return SetpointRefusal::kNotFinite;
    const double n2 = squared_norm(setpoint.X_WD.q);
    const bool surely_unit = std::abs(n2 - 1) < 1e-6;
    if (!surely_unit && !(std::abs(std::sqrt(n2) - 1) < 1e-6))
      return SetpointRefusal::kQuaternionNotUnit;
    const Vec6 wrench = to_vec6(setpoint.F_Bo_B);
    for (std::size_t i = 0; any_wrench && i < kAxes; ++i) {
      if (params.behaviour == Behaviour::kSafe && !wrench_is_new &&
          setpoint.mode[i] != AxisMode::kWrench)
        continue;
      const WrenchLimit& limit = params.desired_wrench_limits[i];
      offending = static_cast<int>(i);
      if (!(wrench[i] >= limit.min && wrench[i] <= limit.max)) return SetpointRefusal::kWrenchLimit;
    }
    offending = -1;
    return SetpointRefusal::kNone;
  };
  const SetpointRefusal why = judge();
  if (why == SetpointRefusal::kNone) state.setpoint = setpoint;
  if (axis != nullptr) *axis = offending;
  return why;
}

bool update(const SixAxisParams& params, SixAxisState& state, const SixAxisInput& input,
            double dt_s, SixAxisTrace& trace, bool acts) noexcept {
  const bool safe = params.behaviour == Behaviour::kSafe;
  const Vec6 velocity = to_vec6(input.V_WB_B);
  if (!std::isfinite(dt_s) || !are_usable(params, input)) return false;

  trace.delta_time_s = dt_s;
  state.has_update = true;
  if (dt_s <= 0) return true;

  const Setpoint& wanted = state.setpoint;
  const bool shaped = params.shape_setpoints && safe;
  Vec6 desired_velocity = to_vec6(wanted.V_WD_B), rate = -1.0 * velocity;
  if (shaped) {
    desired_velocity = follow_shaped(params, state, input, dt_s, trace);
    for (std::size_t i = 0; i < kAxes; ++i)
      if (wanted.mode[i] == AxisMode::kPosition) rate[i] += desired_velocity[i];
  }
  Vec6 position_error =
      pose_error(input.X_WB, shaped ? trace.reference : wanted.X_WD, params.behaviour);
  if (safe) keep_turning(state.last_turn, position_error);
  trace.position_error = position_error;
  const bool brakes = brakes_by(params), limited = shaped || brakes;
  if (brakes) see_from_far(params, position_error);
  for (std::size_t i = 0; i < kAxes; ++i) {
    const Use use = use_of(params, wanted.mode[i]);

    run(params.enable_position, position_params(params)[i], state.position[i],
        {position_error[i], dt_s, rate[i], acts}, params.behaviour, use.position,
        trace.position[i]);
    state.position_effort[i] = trace.position[i].output;

    const bool from_position = params.cascaded && wanted.mode[i] == AxisMode::kPosition;
    double setpoint = from_position ? state.position_effort[i] : desired_velocity[i];
    if (limited && from_position)
      setpoint =
          inside(params.motion_limits[i], shaped ? setpoint + desired_velocity[i] : setpoint);
    trace.velocity_error[i] = setpoint - velocity[i];
    run(params.enable_velocity, params.velocity[i], state.velocity[i],
        {trace.velocity_error[i], dt_s, -state.last_achieved[i], acts}, params.behaviour,
        use.velocity, trace.velocity[i]);
    state.velocity_effort[i] = trace.velocity[i].output;
  }
  state.static_local = static_in_body(params, input.q_static);
  return true;
}

bool refresh(const SixAxisParams& params, SixAxisState& state, const SixAxisInput& input) noexcept {
  if (!are_usable(params, input)) return false;
  const Vec6 velocity = to_vec6(input.V_WB_B);
  Vec6 wanted = to_vec6(state.setpoint.V_WD_B);
  Pose goal = state.setpoint.X_WD;
  if (params.shape_setpoints) {
    state.shaping = {};
    SixAxisTrace begun;
    wanted = follow_shaped(params, state, input, 0, begun);
    goal = begun.reference;
  }
  Vec6 error = pose_error(input.X_WB, goal, params.behaviour);
  if (brakes_by(params)) see_from_far(params, error);
  for (std::size_t i = 0; i < kAxes; ++i) {
    const bool from_position = params.cascaded && state.setpoint.mode[i] == AxisMode::kPosition;
    double setpoint = from_position ? state.position_effort[i] : wanted[i];
    if (from_position && (params.shape_setpoints || brakes_by(params)))
      setpoint =
          inside(params.motion_limits[i], params.shape_setpoints ? setpoint + wanted[i] : setpoint);
    refresh(position_params(params)[i], state.position[i], error[i], -velocity[i]);
    refresh(params.velocity[i], state.velocity[i], setpoint - velocity[i], -state.last_achieved[i]);
  }
  return true;
}

bool measure(const SixAxisParams& params, SixAxisState& state, const LawInput& in,
             SixAxisTrace& trace) noexcept {
  const SixAxisInput input{in.X_WB, in.q_static, in.V_WB_B};
  if (in.begins) (void)refresh(params, state, input);
  if (in.untimed) trace.delta_time_s = in.dt_s;
  if (!in.fresh) return true;
  return update(params, state, input, in.dt_s, trace, in.live);
}

bool needs_state(const SixAxisParams& params, const SixAxisState& state) noexcept {
  if (!(params.static_force == Vec3{})) return true;
  return std::any_of(state.setpoint.mode.begin(), state.setpoint.mode.end(),
                     [](AxisMode m) { return m != AxisMode::kWrench; });
}

WrenchDemand demand(const SixAxisParams& params, const SixAxisState& state,
                    SixAxisTrace& trace) noexcept {
  const Vec6 desired_wrench = to_vec6(state.setpoint.F_Bo_B);
  for (std::size_t i = 0; i < kAxes; ++i) {
    const AxisMode mode = state.setpoint.mode[i];
    if (mode == AxisMode::kWrench)
      trace.base[i] = desired_wrench[i];
    else if (use_of(params, mode).velocity)
      trace.base[i] = state.velocity_effort[i];
    else
      trace.base[i] = state.position_effort[i];
    trace.unscaled[i] = trace.base[i] + (i < 3 ? state.static_local[i] : 0);
    trace.demand[i] = trace.unscaled[i] * params.scale;
  }
  trace.static_local = state.static_local;
  return {to_wrench(trace.demand), params.weight, params.group};
}

[[gnu::flatten]] void note_achieved(const SixAxisParams& params, SixAxisState& state,
                                    const Vec6& demanded, const Vec6& achieved,
                                    double dt_s) noexcept {
  if (first_unusable(demanded) >= 0 || first_unusable(achieved) >= 0) return;
  state.last_demand = demanded;
  state.last_achieved = achieved;
  if (!params.anti_windup || !(dt_s > 0) || params.scale == 0) return;

  const double per_scale = 1 / params.scale;
  for (std::size_t i = 0; i < kAxes; ++i) {
    const Use use = use_of(params, state.setpoint.mode[i]);
    const double missing = (achieved[i] - demanded[i]) * per_scale;
    if (use.velocity) feed_back(params.velocity[i], state.velocity[i], 0, missing, dt_s);
    if (!use.position) continue;
    // the inner loop turns velocity into effort with its kp, so effort back into velocity
    const double through = use.velocity ? params.velocity[i].kp : 1;
    if (through != 0)
      feed_back(position_params(params)[i], state.position[i], 0, missing / through, dt_s);
  }
}

void achieved(const SixAxisParams& params, SixAxisState& state, const Vec6& demanded,
              const Vec6& allocated, const Vec6& sent, double dt_s, bool live) noexcept {
  if (params.behaviour == Behaviour::kReference)
    note_achieved(params, state, demanded, allocated, dt_s);
  else
    note_achieved(params, state, demanded, sent, live ? dt_s : 0.0);
}

void reset(const SixAxisParams& params, SixAxisState& state, ResetCause cause) noexcept {
  const bool safe = params.behaviour == Behaviour::kSafe;
  if (cause == ResetCause::kAsked || (safe && cause != ResetCause::kNewGoal)) reset(params, state);
}

void reset(const SixAxisParams& params, SixAxisState& state) noexcept {
  for (PidState& s : state.position) reset(s, params.behaviour);
  for (PidState& s : state.velocity) reset(s, params.behaviour);
  if (params.behaviour == Behaviour::kSafe) state.last_turn = {};
  state.shaping = {};
}

}  // namespace pintle::control
