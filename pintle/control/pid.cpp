#include "pintle/control/pid.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pintle/base/rotation.h"

namespace pintle::control {
namespace {

using History = std::array<double, 3>;

// bilinear second-order Butterworth; c = 1 puts the cut-off at a quarter of the sample rate
constexpr double kC = 1;
constexpr double kB = 1 / (1 + kC * kC + 1.414 * kC);
constexpr double kY1 = 2 - 2 * kC * kC;
constexpr double kY2 = kC * kC - 1.414 * kC + 1;

double butterworth(const History& x, const History& y) noexcept {
  return kB * (x[2] + 2 * x[1] + x[0] - kY2 * y[2] - kY1 * y[1]);
}

void shift(History& h) noexcept {
  h[2] = h[1];
  h[1] = h[0];
}

double bounded(double x) noexcept { return std::clamp(x, -kLargest, kLargest); }

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

void filter(const PidParams& params, PidState& s, double dt_s) noexcept {
  shift(s.filtered_error);
  shift(s.filtered_derivative);
  if (params.filter_cutoff_Hz > 0) {
    const ExactLowPass low_pass(params.filter_cutoff_Hz, dt_s);
    low_pass.advance(s.filtered_error[0], s.filtered_error_rate, s.error[0]);
    low_pass.advance(s.filtered_derivative[0], s.filtered_derivative_rate, s.derivative[0]);
  } else {
    s.filtered_error[0] = butterworth(s.error, s.filtered_error);
    s.filtered_derivative[0] = butterworth(s.derivative, s.filtered_derivative);
  }
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

PidTerms terms_of(const PidParams& params, const PidState& s) noexcept {
  PidTerms t;
  t.p = params.kp * s.filtered_error[0];
  t.i = params.ki * s.integral;
  t.d = params.kd * s.filtered_derivative[0];
  t.ff = params.ff;
  t.filtered_error = s.filtered_error[0];
  t.integral = s.integral;
  t.filtered_derivative = s.filtered_derivative[0];
  return t;
}

PidTerms refuse(const PidParams& params, const PidState& s, double output) noexcept {
  PidTerms t = terms_of(params, s);
  t.output = output;
  t.refused = true;
  return t;
}

}  // namespace

PidTerms step(const PidParams& params, PidState& state, double error, double dt_s,
              double provided_derivative, Behaviour behaviour, bool hold_integral) noexcept {
  const bool safe = behaviour == Behaviour::kSafe;
  if (!(dt_s > 0) || !std::isfinite(dt_s) || !std::isfinite(error) ||
      !std::isfinite(provided_derivative))
    return refuse(params, state, !safe && dt_s <= 0 ? 0 : state.output);

  error = bounded(error);
  const double provided = bounded(provided_derivative);
  const bool use_provided = params.derivative == Derivative::kProvided;

  // work on a copy, so that a step that fails leaves no trace
  PidState s = state;
  const bool first = !s.has_history;
  s.has_history = true;
  if (safe && first) {
    s.error.fill(error);
    s.filtered_error.fill(error);
    s.derivative.fill(use_provided ? provided : 0);
    s.filtered_derivative = s.derivative;
  }

  shift(s.error);
  const double most = params.error_ramp_rate * dt_s;
  s.error[0] = std::max(s.error[1] - most, std::min(error, s.error[1] + most));
  const double calculated = bounded((s.error[0] - s.error[1]) / dt_s);
  shift(s.derivative);
  s.derivative[0] = use_provided ? provided : calculated;
  filter(params, s, dt_s);

  if (!hold_integral && !(safe && first)) {
    double wanted = std::max(-params.integral_limit,
                             std::min(s.integral + error * dt_s, params.integral_limit));
    if (safe) {
      const double rest = params.kp * s.filtered_error[0] + params.kd * s.filtered_derivative[0];
      wanted = stop_at_limits(params, s.integral, wanted, rest + params.ff);
    }
    s.integral = wanted;
  }

  PidTerms t = terms_of(params, s);
  t.calculated_derivative = calculated;
  t.provided_derivative = provided;
  const double u = t.p + t.i + t.d + t.ff;
  t.output = std::max(params.min_effort, std::min(u, params.max_effort));

  // only parameters that were never checked can get here
  if (!std::isfinite(u) || !std::isfinite(t.output)) return refuse(params, state, state.output);
  s.output = t.output;
  state = s;
  return t;
}

void reset(PidState& state, Behaviour behaviour) noexcept {
  if (behaviour == Behaviour::kReference)
    state.integral = 0;
  else
    state = {};
}

void feed_back(const PidParams& params, PidState& state, double asked, double achieved,
               double dt_s) noexcept {
  const double part = std::min(params.back_calculation * dt_s, 1.0);
  const double back = part * (achieved - asked);
  const double held = params.ki * state.integral;
  const bool unwinds = (back < 0 && held > 0) || (back > 0 && held < 0);
  if (!(part > 0) || !unwinds) return;
  state.integral = std::abs(back) < std::abs(held) ? state.integral * (1 + back / held) : 0;
}

}  // namespace pintle::control
