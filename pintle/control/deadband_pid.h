/// The position loop of a delivery aircraft: a PID with a dead band, in steps that know no time.
///
///   a = |error|,  e = clamp(error, ±Emax)
///   a < db:  P = I = D = out = 0, the integral too
///   P = clamp(kp e, ±Pmax)
///   I = a < it ? clamp(I + ki e, ±Imax) : 0
///   D = clamp(kd (e - e_previous), ±Dmax)
///   out = clamp(P + I + D, ±Omax)
///
/// Source: the behaviour of the `jet` package (its `pid.yaml`), run at 50 Hz. `step_per_tick`
/// reproduces it for finite input with zero history. There a limit of zero clamps to zero: Dmax 0
/// is no derivative, `it` 0 no integral, Emax or Omax 0 a dead axis, db 0 a band never entered.
///
/// `step_timed` is the native form: ki per second, kd in seconds, so that gains mean the same at
/// every rate. It differs in the first step, which takes the error as its own history (no kick).
/// `timed` converts the gains of a file; at that file's rate both forms then give the same answers
/// to rounding, after the first step.
///
/// Whether the goal is reached is `inside`, never "the output is zero": a dead axis has a zero
/// output too. In both forms input that is not usable is refused: nothing changes and the output is
/// 0, which for a loop that commands a velocity is to stay.
///
/// Not modelled: settling. The first step within the band counts as inside; who needs rest asks for
/// a time within it.
#pragma once
#include "pintle/base/fields.h"
#include "pintle/base/finding.h"
#include "pintle/control/pid.h"

namespace pintle::control {

/// Rate of the loop that the original's gains belong to.
inline constexpr double kDeadbandPidRate_Hz = 50;

/// As in the original's files. A key that is missing there is zero.
struct DeadbandPidParams {
  double kp = 0, ki = 0, kd = 0;  ///< ki and kd per step, or per second and in seconds.
  double db = 0;                  ///< Dead band; an error of exactly db is outside.
  double it = 0;                  ///< The integral works below this error only.
  double e_max = 0, p_max = 0, i_max = 0, d_max = 0, o_max = 0;

  friend bool operator==(const DeadbandPidParams&, const DeadbandPidParams&) = default;
};

/// Negative limits are errors, and what leaves an axis dead or never reached is a warning.
[[nodiscard]] Findings check(const DeadbandPidParams& params);

/// The same loop with gains per second: ki times the rate, kd divided by it.
[[nodiscard]] DeadbandPidParams timed(const DeadbandPidParams& per_tick,
                                      double rate_Hz = kDeadbandPidRate_Hz) noexcept;
/// And back.
[[nodiscard]] DeadbandPidParams per_tick(const DeadbandPidParams& timed,
                                         double rate_Hz = kDeadbandPidRate_Hz) noexcept;

struct DeadbandPidState {
  double error = 0;  ///< The last one, clamped.
  double integral = 0;
  bool has_history = false;
};

struct DeadbandPidTerms {
  double output = 0;
  double p = 0, i = 0, d = 0;
  bool inside = false;   ///< Within the dead band.
  bool refused = false;  ///< Nothing was updated: an input was not usable.
};

/// One step of the original.
[[nodiscard]] DeadbandPidTerms step_per_tick(const DeadbandPidParams& params,
                                             DeadbandPidState& state, double error) noexcept;

/// One step over dt_s, which must be above zero; gains as `timed` makes them.
[[nodiscard]] DeadbandPidTerms step_timed(const DeadbandPidParams& params, DeadbandPidState& state,
                                          double error, double dt_s) noexcept;

}  // namespace pintle::control

namespace pintle {
template <>
const Table& table_of<control::DeadbandPidParams>();
}  // namespace pintle
