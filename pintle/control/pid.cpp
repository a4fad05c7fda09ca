#include "pintle/control/pid.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pintle/base/rotation.h"

namespace pintle::control {
namespace {

using History = std::array<double, 2>;

// bilinear second-order Butterworth; c = 1 puts the cut-off at a quarter of the sample rate, where
// the weight of the output before, 2 - 2 c^2, is none
constexpr double kC = 1;
constexpr double kB = 1 / (1 + kC * kC + 1.414 * kC);
constexpr double kY2 = kC * kC - 1.414 * kC + 1;

/// From the newest x and the histories before it.
double butterworth(double x, const History& xs, const History& ys) noexcept {
  return kB * (xs[1] + 2 * xs[0] + x - kY2 * ys[1]);
}

void push(History& h, double newest) noexcept {
  h[1] = h[0];
  h[0] = newest;
}

double bounded(double x) noexcept { return std::max(-kLargest, std::min(x, kLargest)); }

/// y'' + 2 z y' + 2 z^2 y = 2 z^2 x with z = pi sqrt(2) cutoff, solved over dt for a constant x.
struct ExactLowPass {
  double z, decay, cosine, sine;
  bool passes;  // dt is so long that the output has reached the input

  ExactLowPass(double cutoff_Hz, double dt_s) noexcept
      : z(kPi * std::sqrt(2.0) * cutoff_Hz), decay(0), cosine(0), sine(0), passes(true) {
    const double a = z * dt_s;
    if (!(a < 100)) return;
    passes = false;
    decay = std::exp(-a);
    cosine = std::cos(a);
    sine = std::sin(a);
  }

  void advance(double& y, double& rate, double x) const noexcept {
    if (passes) {
      y = x;
      rate = 0;
      return;
    }
    const double r = y - x, v = rate;
    y = x + decay * ((cosine + sine) * r + sine / z * v);
    rate = bounded(decay * ((cosine - sine) * v - 2 * z * sine * r));
  }
};

/// What one step makes of error and derivative.
struct Filtered {
  double error, error_rate, derivative, derivative_rate;
};

/// Kept apart, so that the usual filter does not pay for its calls.
[[gnu::noinline]] Filtered filter_exactly(const PidParams& params, const PidState& s, double error,
                                          double derivative, double dt_s) noexcept {
  const ExactLowPass low_pass(params.filter_cutoff_Hz, dt_s);
  Filtered f{s.filtered_error[0], s.filtered_error_rate, s.filtered_derivative[0],
             s.filtered_derivative_rate};
  low_pass.advance(f.error, f.error_rate, error);
  low_pass.advance(f.derivative, f.derivative_rate, derivative);
  return f;
}

Filtered filter(const PidParams& params, const PidState& s, double error, double derivative,
                double dt_s) noexcept {
  if (params.filter_cutoff_Hz > 0) return filter_exactly(params, s, error, derivative, dt_s);
  return {butterworth(error, s.error, s.filtered_error), 0,
          butterworth(derivative, s.derivative, s.filtered_derivative), 0};
}

/// The integral after `wanted`, stopped where the output meets its limits. `rest` is the effort of
/// all but the integral.
double stop_at_limits(const PidParams& params, double before, double wanted, double rest) noexcept {
  const double u_before = rest + params.ki * before, u_wanted = rest + params.ki * wanted;
  const bool above = u_wanted > params.max_effort && u_wanted > u_before;
  const bool below = u_wanted < params.min_effort && u_wanted < u_before;
  if (!above && !below) return wanted;
  const double limit = above ? params.max_effort : params.min_effort;
  if (above ? u_before >= limit : u_before <= limit) return before;
  // between the two lies the integral that just reaches the limit
  return std::clamp((limit - rest) / params.ki, std::min(before, wanted), std::max(before, wanted));
}

/// The integral that gives with this ki what it gave with the one before.
double with_ki(const PidParams& params, const PidState& s) noexcept {
  if (params.ki == s.ki) return s.integral;
  const double anew = params.ki == 0 ? 0 : s.integral * (s.ki / params.ki);
  return is_usable(anew) ? anew : 0;
}

/// The terms that were in force already.
[[gnu::noinline]] void refuse(const PidParams& params, const PidState& s, double output,
                              PidTerms& t) noexcept {
  t = {};
  t.output = output;
  t.p = params.kp * s.filtered_error[0];
  t.i = params.ki * s.integral;
  t.d = params.kd * s.filtered_derivative[0];
  t.ff = params.ff;
  t.filtered_error = s.filtered_error[0];
  t.integral = s.integral;
  t.filtered_derivative = s.filtered_derivative[0];
  t.refused = true;
}

}  // namespace

PidTerms step(const PidParams& params, PidState& state, double error, double dt_s,
              double provided_derivative, Behaviour behaviour) noexcept {
  PidTerms terms;
  step(params, state, error, dt_s, provided_derivative, behaviour, terms);
  return terms;
}

void step(const PidParams& params, PidState& state, double error, double dt_s,
          double provided_derivative, Behaviour behaviour, PidTerms& t) noexcept {
  const bool safe = behaviour == Behaviour::kSafe;
  if (!(dt_s > 0) || !std::isfinite(dt_s) || !std::isfinite(error) ||
      !std::isfinite(provided_derivative))
    return refuse(params, state, !safe && dt_s <= 0 ? 0 : state.output, t);

  error = bounded(error);
  const double provided = bounded(provided_derivative);
  const bool use_provided = params.derivative == Derivative::kProvided;

  const bool first = !state.has_history;
  if (safe && first) {
    state.error.fill(error);
    state.filtered_error.fill(error);
    state.derivative.fill(use_provided ? provided : 0);
    state.filtered_derivative = state.derivative;
  }

  const double before = state.error[0], most = params.error_ramp_rate * dt_s;
  const double ramped = std::max(before - most, std::min(error, before + most));
  const double calculated = bounded((ramped - before) / dt_s);
  const double derivative = use_provided ? provided : calculated;
  const Filtered f = filter(params, state, ramped, derivative, dt_s);

  const double p = params.kp * f.error, d = params.kd * f.derivative;
  const double held = safe ? with_ki(params, state) : state.integral;
  double integral = held;
  if (!(safe && first)) {
    // counted anew it may be beyond its limit, and comes back by itself
    const double limit = std::max(params.integral_limit, std::abs(held));
    integral = std::max(-limit, std::min(held + error * dt_s, limit));
    if (safe)
      integral = params.ki == 0 ? 0 : stop_at_limits(params, held, integral, p + d + params.ff);
  }
  const double i = params.ki * integral;
  const double u = p + i + d + params.ff;
  const double output = std::max(params.min_effort, std::min(u, params.max_effort));

  // only parameters that were never checked can get here: their sum, or a limit, is not finite
  if (!std::isfinite(u - output)) return refuse(params, state, state.output, t);

  push(state.error, ramped);
  push(state.filtered_error, f.error);
  push(state.derivative, derivative);
  push(state.filtered_derivative, f.derivative);
  state.filtered_error_rate = f.error_rate;
  state.filtered_derivative_rate = f.derivative_rate;
  state.integral = integral;
  if (safe) state.ki = params.ki;
  state.output = output;
  state.has_history = true;
  t = {output, p, i, d, params.ff, f.error, integral, f.derivative, calculated, provided, false};
}

void reset(PidState& state, Behaviour behaviour) noexcept {
  if (behaviour == Behaviour::kReference)
    state.integral = 0;
  else
    state = {};
}

void refresh(const PidParams& params, PidState& state, double error,
             double provided_derivative) noexcept {
  if (!std::isfinite(error) || !std::isfinite(provided_derivative)) return;
  const bool use_provided = params.derivative == Derivative::kProvided;
  state.error.fill(bounded(error));
  state.filtered_error.fill(bounded(error));
  state.derivative.fill(use_provided ? bounded(provided_derivative) : 0);
  state.filtered_derivative = state.derivative;
  state.filtered_error_rate = state.filtered_derivative_rate = 0;
  state.has_history = true;
}

void feed_back(const PidParams& params, PidState& state, double asked, double achieved,
               double dt_s) noexcept {
  const double part = params.back_calculation * dt_s;
  const double back = (part < 1 ? part : 1.0) * (achieved - asked);
  const double held = params.ki * state.integral;
  const bool unwinds = (back < 0 && held > 0) || (back > 0 && held < 0);
  if (!unwinds || !(part > 0)) return;
  state.integral = std::abs(back) < std::abs(held) ? state.integral * (1 + back / held) : 0;
}

}  // namespace pintle::control
