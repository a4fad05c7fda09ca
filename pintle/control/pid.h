/// One axis of feedback: proportional, integral, derivative and a constant, filtered and limited.
///
///   e    = error, its rate limited to error_ramp_rate per second
///   ef   = B(e)            second-order Butterworth, cut-off at a quarter of the sample rate
///                          (or at filter_cutoff_Hz, whatever the sample rate)
///   I    = clamp(I + error dt, ± integral_limit)          of the raw error
///   d    = (e - e_previous) / dt   or the provided derivative;  df = B(d)
///   u    = clamp(kp ef + ki I + kd df + ff, min_effort, max_effort)
///
/// Source: the behaviour of Duke Robotics' `controls` PID. `Behaviour::kReference` reproduces it
/// for finite input with zero initial history. `kSafe` differs in five points:
///   - the first step takes the error as its own history and does not integrate: no derivative
///     kick, no filter run-up, no integral over a time this loop did not see;
///   - the integral stops where the output meets min_effort or max_effort, so that it never winds
///     up behind the loop's own limit;
///   - a change of ki changes no effort: the integral is counted anew, so that ki I stays; without
///     ki there is no integral;
///   - `reset` clears the history too;
///   - dt <= 0 keeps the last output (kReference answers 0, its state unchanged).
/// In both, a non-finite error, derivative or dt is refused: nothing changes, the last output is
/// kept and the refusal reported. Finite input always gives finite state and output.
///
/// Not modelled: what an axis is (units are the caller's), and set-point weighting. After a jump of
/// the set-point the calculated derivative sees the jump, limited by error_ramp_rate; use the
/// provided derivative (minus the measured rate), or `reset` at the jump, where that matters.
#pragma once
#include <array>
#include <cstdint>

#include "pintle/base/fields.h"
#include "pintle/base/finding.h"
#include "pintle/base/usable.h"

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
  /// Anti-windup: the integral gives up this part of the effort that was not achieved, per second
  /// (1 / tracking time constant). 0 is off. See `feed_back`.
  double back_calculation = 0;
  /// 0: the filter of the equation above, at a quarter of the sample rate. Above 0: the continuous
  /// second-order Butterworth with this cut-off, solved exactly over each dt (input held), so that
  /// gains keep their phase when the rate changes or samples are lost.
  double filter_cutoff_Hz = 0;
};

/// Every problem of one set; min_effort == max_effort is allowed, negative gains are a warning.
[[nodiscard]] Findings check(const PidParams& params);

/// History, newest first. Zero at the start.
struct PidState {
  std::array<double, 2> error{}, filtered_error{}, derivative{}, filtered_derivative{};
  /// Rates of the filtered values; in use with filter_cutoff_Hz only.
  double filtered_error_rate = 0, filtered_derivative_rate = 0;
  double integral = 0;
  double ki = 0;      ///< That the integral was made with; kSafe only.
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

/// One step. It answers for any input, see the top.
[[nodiscard]] PidTerms step(const PidParams& params, PidState& state, double error, double dt_s,
                            double provided_derivative, Behaviour behaviour) noexcept;

/// The same, into `terms`: for loops over many axes.
void step(const PidParams& params, PidState& state, double error, double dt_s,
          double provided_derivative, Behaviour behaviour, PidTerms& terms) noexcept;

/// kReference clears the integral only, kSafe everything.
void reset(PidState& state, Behaviour behaviour) noexcept;

/// Takes error and derivative as a history that has always been so: the next step sees their change
/// since then and nothing older. Integral and output stay. What is not finite changes nothing.
void refresh(const PidParams& params, PidState& state, double error,
             double provided_derivative) noexcept;

/// Tells the integral that `achieved` was done of `asked` (effort units) over dt_s:
///
///   ki I += min(back_calculation dt, 1) (achieved - asked)
///
/// but only towards zero and never through it: whatever the residual, it can take effort away from
/// the integral and never put any in.
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
