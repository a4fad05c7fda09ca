#include "pintle/control/deadband_pid.h"

#include <cmath>
#include <string>

namespace pintle::control {
namespace {

double clamp_to(double x, double limit) noexcept {
  if (x > limit) return limit;
  if (x < -limit) return -limit;
  return x;
}

/// ki and kd are those of this very step.
DeadbandPidTerms advance(const DeadbandPidParams& p, double ki, double kd, DeadbandPidState& state,
                         double error) noexcept {
  const double size = std::abs(error);
  const double e = clamp_to(error, p.e_max);
  const double before = state.error;
  state.error = e;
  state.has_history = true;

  DeadbandPidTerms terms;
  if (size < p.db) {
    state.integral = 0;
    terms.inside = true;
    return terms;
  }
  terms.p = clamp_to(p.kp * e, p.p_max);
  state.integral = size < p.it ? clamp_to(state.integral + ki * e, p.i_max) : 0;
  terms.i = state.integral;
  terms.d = clamp_to(kd * (e - before), p.d_max);
  terms.output = clamp_to(terms.p + terms.i + terms.d, p.o_max);
  return terms;
}

DeadbandPidTerms refusal() noexcept {
  DeadbandPidTerms terms;
  terms.refused = true;
  return terms;
}

}  // namespace

DeadbandPidParams timed(const DeadbandPidParams& per_tick, double rate_Hz) noexcept {
  DeadbandPidParams out = per_tick;
  out.ki = per_tick.ki * rate_Hz;
  out.kd = per_tick.kd / rate_Hz;
  return out;
}

DeadbandPidParams per_tick(const DeadbandPidParams& timed, double rate_Hz) noexcept {
  DeadbandPidParams out = timed;
  out.ki = timed.ki / rate_Hz;
  out.kd = timed.kd * rate_Hz;
  return out;
}

DeadbandPidTerms step_per_tick(const DeadbandPidParams& params, DeadbandPidState& state,
                               double error) noexcept {
  if (!is_usable(error)) return refusal();
  return advance(params, params.ki, params.kd, state, error);
}

DeadbandPidTerms step_timed(const DeadbandPidParams& params, DeadbandPidState& state, double error,
                            double dt_s) noexcept {
  // a step too short to divide by is no step
  if (!is_usable(error) || !(dt_s >= 1e-9 && dt_s <= kLargest)) return refusal();
  if (!state.has_history) state.error = clamp_to(error, params.e_max);
  return advance(params, params.ki * dt_s, params.kd / dt_s, state, error);
}

Findings check(const DeadbandPidParams& p) {
  Findings out;
  struct Named {
    const char* name;
    double value;
  };
  for (const auto& [name, value] : {Named{"kp", p.kp}, Named{"ki", p.ki}, Named{"kd", p.kd}}) {
    if (!is_usable(value))
      out.push_back({name, "expected a finite number", "write a number", true});
    else if (value < 0)
      out.push_back({name, "a negative gain pushes away from the goal", "turn the sign", true});
  }
  for (const auto& [name, value] :
       {Named{"db", p.db}, Named{"it", p.it}, Named{"Emax", p.e_max}, Named{"Pmax", p.p_max},
        Named{"Imax", p.i_max}, Named{"Dmax", p.d_max}, Named{"Omax", p.o_max}})
    if (!is_usable(value) || value < 0)
      out.push_back({name, "expected a finite number that is not negative", "turn the sign", true});

  for (const auto& [name, value] : {Named{"Emax", p.e_max}, Named{"Omax", p.o_max}})
    if (value == 0)
      out.push_back(
          {name, "a limit of 0 clamps to 0: this axis never moves", "give a limit", false});
  if (p.db == 0)
    out.push_back({"db", "a dead band of 0 is never entered: the goal is never reached",
                   "give a tolerance", false});
  return out;
}

}  // namespace pintle::control

namespace pintle {

template <>
const Table& table_of<control::DeadbandPidParams>() {
  using P = control::DeadbandPidParams;
  constexpr double kMost = kLargest;
  static const Table table =
      TableBuilder<P>("DeadbandPidParams", "Gains, dead band and limits of one axis of position.")
          .field("kp", &P::kp, "", "Output per unit of error.")
          .range(-kMost, kMost)
          .field("ki", &P::ki, "", "Output per unit of error and step of the loop.")
          .range(-kMost, kMost)
          .field("kd", &P::kd, "", "Output per change of error from step to step.")
          .range(-kMost, kMost)
          .field("db", &P::db, "", "Errors below this count as none.")
          .range(0, kMost)
          .field("it", &P::it, "", "The integral works below this error; 0: never.")
          .range(0, kMost)
          .field("Emax", &P::e_max, "", "Most error that the loop sees; 0 is a dead axis.")
          .range(0, kMost)
          .field("Pmax", &P::p_max, "", "Most that the proportional part gives; 0: nothing.")
          .range(0, kMost)
          .field("Imax", &P::i_max, "", "Most that the integral part gives; 0: nothing.")
          .range(0, kMost)
          .field("Dmax", &P::d_max, "", "Most that the derivative part gives; 0: nothing.")
          .range(0, kMost)
          .field("Omax", &P::o_max, "", "Most output; 0 is a dead axis.")
          .range(0, kMost)
          .build();
  return table;
}

}  // namespace pintle
