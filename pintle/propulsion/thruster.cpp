#include "pintle/propulsion/thruster.h"

#include <algorithm>
#include <cmath>
#include "pintle/propulsion/internal/numbers.h"

namespace pintle::propulsion {
namespace {

/// First-order lag over `t` behind a reference that starts at `r` and moves at `rate`.
double lag(double y, double r, double rate, double t, double tau) noexcept {
  if (!(tau > 0)) return r + rate * t;
  const double decay = std::exp(-t / tau);
  return y * decay + (r + rate * t) * (1 - decay) +
         (rate == 0 ? 0 : rate * (t * decay + tau * std::expm1(-t / tau)));
}

}  // namespace

ThrusterStep step(const Thruster& thruster, ThrusterState& state, double command,
                  const Ambient& ambient, const Grant& grant, double dt_s) noexcept {
  const ThrusterParams& p = thruster.params();
  const double share = clamp(grant.share, 0, 1);
  double effort = finite_or_zero(state.effort);
  double reference = finite_or_zero(state.commanded);
  // mostly the command of the step before, whose target is the reference
  const double target = thruster.effort_for(command, ambient.bus_V, reference) * share;
  double t = usable(dt_s);

  if (t > 0) {
    // the reference runs to the target first, …
    if (p.slew_per_s > 0) {
      const double gap = target - reference;
      const double running = std::min(t, std::fabs(gap) / p.slew_per_s);
      if (running > 0) {
        const double rate = gap > 0 ? p.slew_per_s : -p.slew_per_s;
        effort = lag(effort, reference, rate, running, p.tau_s);
        reference += rate * running;
        t -= running;
      }
      if (t > 0) reference = target;
    } else {
      reference = target;
    }
    // … then stands there
    if (t > 0) effort = lag(effort, reference, 0, t, p.tau_s);
  }

  state.effort = finite_or_zero(effort);
  state.commanded = finite_or_zero(reference);
  return {Wrench{{state.effort, 0, 0}, {}}, SupplyDemand{}};
}

ThrusterBox linearise(const Thruster& thruster, const ThrusterState& state, const Ambient&,
                      double horizon_s) noexcept {
  ThrusterBox box{thruster.lower(), thruster.upper(), 0};
  const double slew = thruster.params().slew_per_s;
  if (slew > 0) {
    const double from = clamp(finite_or_zero(state.commanded), box.lower, box.upper);
    const double reach = slew * std::max(0.0, horizon_s);  // which may be for ever
    box = {std::max(box.lower, from - reach), std::min(box.upper, from + reach), 0};
  }
  box.preferred = clamp(thruster.params().preferred_effort, box.lower, box.upper);
  return box;
}

double slewed(const Thruster& thruster, const ThrusterState& state, double effort,
              double dt_s) noexcept {
  const double from = clamp(finite_or_zero(state.commanded), thruster.lower(), thruster.upper());
  const double reach = thruster.params().slew_per_s * usable(dt_s);
  return clamp(effort, from - reach, from + reach);
}

}  // namespace pintle::propulsion

namespace pintle {

using propulsion::CurveKind;
using propulsion::CurvePoints;
using propulsion::ThrusterParams;
using propulsion::ThrusterState;

template <>
const EnumTable& enum_table<CurveKind>() {
  static constexpr std::array<EnumValue, 4> kValues{{
      enum_value(CurveKind::kLinear, "linear", "Command is the effort over the larger bound."),
      enum_value(
          CurveKind::kPolynomial, "polynomial",
          "Coefficients each way, highest order first: four without a constant, or six with one."),
      enum_value(CurveKind::kTable, "table", "Effort against command, straight between points."),
      enum_value(CurveKind::kPulseWidth, "pulse_width",
                 "Effort against pulse width in µs at several bus voltages."),
  }};
  static constexpr EnumTable kTable{"CurveKind", kValues};
  return kTable;
}

template <>
const Table& table_of<CurvePoints>() {
  static const Table table =
      TableBuilder<CurvePoints>("CurvePoints", "One measured curve at one bus voltage.")
          .field("bus_V", &CurvePoints::bus_V, "V",
                 "Voltage at which it was measured; 0 where it holds for any.")
          .at_least(0)
          .field("effort", &CurvePoints::effort, "",
                 "Effort of each point, rising, in curve units.")
          .required()
          .items_at_least(2)
          .field("command", &CurvePoints::command, "",
                 "Command of each point, never falling: µs for pulse widths, else -1 to 1.")
          .required()
          .items_at_least(2)
          .build();
  return table;
}

template <>
const Table& table_of<ThrusterParams>() {
  static const Table table =
      TableBuilder<ThrusterParams>("Thruster", "How one kind of thruster answers a command.")
          .field("min_effort", &ThrusterParams::min_effort, "",
                 "Most reverse thrust, in the vehicle's unit (newtons unless normalised).")
          .field("max_effort", &ThrusterParams::max_effort, "",
                 "Most forward thrust, in the vehicle's unit.")
          .field("library", &ThrusterParams::library, "",
                 "A curve that ships with Pintle: t200, m5_polynomial, m5_table_2016 or "
                 "m5_table_video_ray; leave out to give your own.")
          .field("curve", &ThrusterParams::curve, "", "How effort becomes a command.")
          .field("forward", &ThrusterParams::forward, "",
                 "Polynomial for forward thrust: four coefficients, highest order first, or six "
                 "with the constant.")
          .field("backward", &ThrusterParams::backward, "",
                 "Polynomial for reverse thrust: four coefficients, highest order first, or six "
                 "with the constant.")
          .field("points", &ThrusterParams::points, "",
                 "Measured curves: one for table, one per voltage (rising) for pulse_width.")
          .field("curve_unit", &ThrusterParams::curve_unit, "",
                 "Effort that 1 on the curve stands for: 1 when the curve is in the vehicle's "
                 "unit, 34.5 for the normalised t200 curve on a vehicle in newtons.")
          .above(0)
          .field("nearest_point", &ThrusterParams::nearest_point, "",
                 "Take the nearest point of an evenly spaced table instead of a line between two.")
          .field("rest_command", &ThrusterParams::rest_command, "us",
                 "Pulse width that surely stops the thruster (1500); 0 for the curve's own zero.")
          .range(0, 20000)
          .field("command_margin", &ThrusterParams::command_margin, "",
                 "Part of the bounds that is used.")
          .range(0, 1)
          .above(0)
          .field("dead_band", &ThrusterParams::dead_band, "",
                 "Efforts smaller than this are sent as zero.")
          .at_least(0)
          .field("preferred_effort", &ThrusterParams::preferred_effort, "",
                 "What it falls back to where the demand leaves freedom: turning slowly against "
                 "the others rather than standing still.")
          .field("tau_s", &ThrusterParams::tau_s, "s", "Time constant of the thrust; 0 is no lag.")
          .range(0, 60)
          .field("slew_per_s", &ThrusterParams::slew_per_s, "",
                 "Most change of effort in a second; 0 is unlimited.")
          .at_least(0)
          .field("command_quantum", &ThrusterParams::command_quantum, "",
                 "Smallest step of the command that the driver takes (1 for whole µs); 0 is none.")
          .at_least(0)
          .field("electrical", &ThrusterParams::electrical, "",
                 "What it turns and draws; the library curves bring published figures.")
          .build();
  return table;
}

template <>
const Table& table_of<ThrusterState>() {
  static const Table table =
      TableBuilder<ThrusterState>("ThrusterState", "Where a thruster stands.")
          .field("effort", &ThrusterState::effort, "", "Thrust now, in the vehicle's unit.")
          .field("commanded", &ThrusterState::commanded, "", "Effort last asked for.")
          .build();
  return table;
}

}  // namespace pintle
