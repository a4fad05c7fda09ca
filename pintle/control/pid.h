/// One axis of feedback: proportional, integral, derivative and a constant, filtered and limited.
///
///   e    = error, its rate limited to error_ramp_rate per second
///   ef   = B(e)            second-order Butterworth, cut-off at a quarter of the sample rate
///   I    = clamp(I + error dt, ± integral_limit)          of the raw error
///   d    = (e - e_previous) / dt   or the provided derivative;  df = B(d)
///   u    = clamp(kp ef + ki I + kd df + ff, min_effort, max_effort)
///
/// Source: the behaviour of Duke Robotics' `controls` PID. `Behaviour::kReference` reproduces it
/// for finite input with zero initial history; `kSafe` differs as said at each option below. In
/// both, a non-finite error or derivative or a bad dt is refused: the last output is kept and the
/// refusal reported. Does not know what an axis is; units are the caller's.
#pragma once
#include <array>
#include <cstdint>

#include "pintle/base/fields.h"
#include "pintle/base/finding.h"

namespace pintle::control {

/// Compatible numbers, or the safer native ones. See ARCHITECTURE.md, "one rule".
enum class Behaviour : std::uint8_t { kReference, kSafe };

/// Where the derivative comes from (numbers as in the original's files).
enum class Derivative : std::uint8_t {
  kCalculated = 0,  ///< From the change of the ramped error.
  kProvided = 1,    ///< Given by the caller: minus the measured rate of the quantity.
};

struct PidParams {
  double kp = 0, ki = 0, kd = 0;
  double ff = 0;  ///< Added as it is.
  double min_effort = -1, max_effort = 1;
  Derivative derivative = Derivative::kCalculated;
  double error_ramp_rate = 1000;  ///< Of the error, per second; not negative.
  double integral_limit = 1000;   ///< Of the integral itself, not of ki times it.
  /// Anti-windup: this part of (achieved - asked) effort goes back into the integral, per second. 0
  /// is off.
  double back_calculation = 0;
};

/// Every problem of one set; min_effort == max_effort is allowed.
[[nodiscard]] Findings check(const PidParams& params);

/// History, newest first. Zero at the start.
struct PidState {
  std::array<double, 3> error{}, filtered_error{}, derivative{}, filtered_derivative{};
  double integral = 0;
  double output = 0;  ///< The last one.
  bool has_history = false;
};

/// Everything that made the output, for tuning.
struct PidTerms {
  double output = 0;
  double p = 0, i = 0, d = 0, ff = 0;  ///< Before the clamp.
  double filtered_error = 0, integral = 0, filtered_derivative = 0;
  double calculated_derivative = 0, provided_derivative = 0;
  bool refused = false;  ///< Nothing was updated: dt or an input was not usable.
};

/// One step. In kSafe the first step takes the error as its own history, so that there is neither a
/// derivative kick nor a filter run-up (set-point changes are the caller's `reset`).
[[nodiscard]] PidTerms step(const PidParams& params, PidState& state, double error, double dt_s,
                            double provided_derivative, Behaviour behaviour) noexcept;

/// kReference clears the integral only, kSafe everything.
void reset(PidState& state, Behaviour behaviour) noexcept;

/// Tells the integral that `achieved` was done of `asked` (effort units) over dt_s.
void feed_back(const PidParams& params, PidState& state, double asked, double achieved,
               double dt_s) noexcept;

}  // namespace pintle::control

namespace pintle {
template <>
const EnumTable& enum_table<control::Behaviour>();
template <>
const EnumTable& enum_table<control::Derivative>();
template <>
const Table& table_of<control::PidParams>();
template <>
const Table& table_of<control::PidState>();
template <>
const Table& table_of<control::PidTerms>();
}  // namespace pintle
