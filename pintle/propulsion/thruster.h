/// A propeller in a duct, driven by a speed controller: one channel, thrust along the mount's x
/// axis.
///
///   command --curve--> thrust wanted --slew, first-order lag--> thrust
///
/// Effort is the channel's unit (newtons, or the vehicle's normalised unit); command is what goes
/// to the driver: pulse width in µs, or M5 effort in -1..1. `invert` clips the effort to the thrust
/// bounds BEFORE the curve (a polynomial turns over outside its range). Forward model for a
/// constant command, with target T, ramp r and thrust y:
///
///   r' = slew towards T,   y' = (r - y) / tau,   solved exactly over the step: y relaxes by
///   1 - exp(-dt / tau)
///
/// Speed, current and heat: electrical.h. Does not model: inflow losses, cavitation, reaction
/// torque. Sources: Blue
/// Robotics T200 tables as used on the Duke robots; VideoRay M5 tables and polynomials of
/// SubjuGator 8.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/base/fields.h"
#include "pintle/base/finding.h"
#include "pintle/base/signals.h"
#include "pintle/propulsion/ambient.h"
#include "pintle/propulsion/electrical.h"

namespace pintle::propulsion {

/// How effort becomes a command.
enum class CurveKind : std::uint8_t {
  kLinear,  ///< command = effort / max |bound|.
  /// Four coefficients each way, highest order first, no constant (M5 of 2017 on); or six, the last a
  /// constant that a thrust of 0 does not get (the CAN board's).
  kPolynomial,
  kTable,       ///< Effort against command, linear between points (M5 of 2016).
  kPulseWidth,  ///< Pulse width against effort at several bus voltages (T200).
};

/// One static curve at one voltage.
struct CurvePoints {
  double bus_V = 0;             ///< 0: any.
  std::vector<double> effort;   ///< Rising.
  std::vector<double> command;  ///< Not falling.
};

struct ThrusterParams {
  double min_effort = -1, max_effort = 1;  ///< Thrust bounds, unit of the channel.
  CurveKind curve = CurveKind::kLinear;
  /// Named curve, see library_names(); "" = the curve given here. It supplies the curve alone
  /// (kind, coefficients, points, nearest_point) and, where they are 0, command_quantum and
  /// rest_command; bounds and margin are always those written here.
  std::string library;
  std::vector<double> forward, backward;  ///< Of kPolynomial.
  std::vector<CurvePoints> points;        ///< Of kTable (one) and kPulseWidth (rising voltage).
  /// What 1 on the curve's effort axis is in the channel's unit: 1 where the two are the same,
  /// 34.5 for a normalised T200 table on a channel in newtons.
  double curve_unit = 1;
  bool nearest_point = false;  ///< Nearest point of an even table instead of a line between two.
  /// Of kPulseWidth: pulse width inside the driver's dead band. Commands between it and the table's
  /// entry for zero give no thrust; it is the neutral command. 0: the table's entry itself.
  double rest_command = 0;
  /// Effort is clipped to this part of the bounds (SubjuGator 2016: 0.8).
  double command_margin = 1;
  double dead_band = 0;         ///< Efforts smaller than this are sent as zero.
  double preferred_effort = 0;  ///< What it falls back to where the demand leaves freedom.
  double tau_s = 0;             ///< First-order lag of thrust; 0 is none.
  double slew_per_s = 0;        ///< Of the effort; 0 is unlimited.
  /// Commands are multiples of this (1 µs): pulse widths are cut downwards, others rounded; 0 is
  /// none.
  double command_quantum = 0;
  /// Not given: what is published of the library curve, if anything is.
  std::optional<ElectricalParams> electrical;
};

/// Bounds crossed, curve not monotone within the thrust bounds, wrong number of coefficients, …
[[nodiscard]] Findings check(const ThrusterParams& params);

struct ThrusterCommand {
  double command = 0;  ///< To the driver.
  double effort = 0;   ///< What that command really asks for after clip, dead band and quantum.
};

/// The parameters with the named curve filled in and everything the tick needs prepared. May throw
/// std::invalid_argument on what `check` reports as an error.
class Thruster {
 public:
  Thruster() = default;
  explicit Thruster(ThrusterParams params);
  [[nodiscard]] const ThrusterParams& params() const noexcept { return params_; }

  /// Most effort that is ever commanded each way: bounds, cut to what the curve covers, times the
  /// margin.
  [[nodiscard]] double lower() const noexcept { return lower_; }
  [[nodiscard]] double upper() const noexcept { return upper_; }

  /// Curve: effort (clipped to lower() and upper() first) to command, no dead band, no quantum. A
  /// non-finite effort gives the neutral command; voltages beyond the tables' give the outermost
  /// table, one that is not a number the lowest.
  [[nodiscard]] double command_for(double effort, double bus_V) const noexcept;
  /// Its inverse: steady thrust that a command gives at a bus voltage, the smallest one where the
  /// curve is flat, never beyond the bounds. A non-finite command gives 0.
  [[nodiscard]] double effort_for(double command, double bus_V) const noexcept {
    return effort_for(command, bus_V, 0);
  }
  /// The same to the last bit, found faster when the answer lies near `guess`.
  [[nodiscard]] double effort_for(double command, double bus_V, double guess) const noexcept;
  /// The command that means "no thrust".
  [[nodiscard]] double neutral_command(double bus_V) const noexcept;

  /// Command for an effort, in whole quanta, and what that command really asks for.
  [[nodiscard]] ThrusterCommand sent_for(double effort, double bus_V) const noexcept;

 private:
  /// A point of the tables at two neighbouring voltages.
  struct Knot {
    double effort;
    double command;  ///< At the lower voltage …
    double rise;     ///< … and how much more it is at the higher one.
  };
  /// From one voltage to the next.
  struct Sheet {
    double from_V, to_V;
    std::vector<Knot> knots;
  };
  /// The table at one voltage.
  struct TableAt {
    const Knot* knots;
    std::size_t n;
    double part;  ///< Of the way to the higher voltage.

    [[nodiscard]] double effort(std::size_t i) const noexcept { return knots[i].effort; }
    [[nodiscard]] double command(std::size_t i) const noexcept {
      return knots[i].command + knots[i].rise * part;
    }
  };
  /// Commands that give no thrust.
  struct DeadBand {
    double from, to;
    [[nodiscard]] bool has(double command) const noexcept {
      return command >= from && command <= to;
    }
  };

  [[nodiscard]] bool has_tables() const noexcept { return !sheets_.empty(); }
  [[nodiscard]] double curve_at(double x, double bus_V) const noexcept;
  [[nodiscard]] TableAt table_at(double bus_V) const noexcept;
  [[nodiscard]] std::size_t point_below(const TableAt& table, double x) const noexcept;
  [[nodiscard]] std::size_t nearest_point(const TableAt& table, double x) const noexcept;
  [[nodiscard]] double table_command(const TableAt& table, double x, bool nearest) const noexcept;
  [[nodiscard]] static std::size_t point_of(const TableAt& table, double command,
                                            std::size_t guess) noexcept;
  [[nodiscard]] double table_inverse(const TableAt& table, double command,
                                     double guess) const noexcept;
  [[nodiscard]] DeadBand dead_band(const TableAt& table) const noexcept;
  /// Effort of a command between points i and i + 1.
  [[nodiscard]] static double between(const TableAt& table, std::size_t i, double command, double c,
                                      double c_next, const DeadBand& dead) noexcept;
  /// Effort of the command c of point i.
  [[nodiscard]] static double at_point(const TableAt& table, std::size_t i, double c) noexcept;
  [[nodiscard]] double in_quanta(double command) const noexcept;
  [[nodiscard]] double polynomial_inverse(double command) const noexcept;
  void prepare_tables();
  void prepare_polynomial();

  ThrusterParams params_;
  double lower_ = -1, upper_ = 1;     ///< What may be commanded.
  double lowest_ = -1, highest_ = 1;  ///< What the curve can give: without the margin.
  double full_scale_ = 1;             ///< Of kLinear: effort of command 1.
  double per_unit_ = 1;               ///< 1 / curve_unit.
  std::vector<Sheet> sheets_;         ///< Of a table, by rising voltage; one if it has only one.
  double points_per_unit_ = 0;        ///< Of an even table; 0 for an uneven one.
  double first_position_ = 0;         ///< Its first effort times that.
  std::size_t points_ = 0;            ///< Of a table, at every voltage.
  std::size_t zero_point_ = 0;  ///< Of a table: the point of effort 0; its size if there is none.
  bool rests_ = false;          ///< It has a command that surely stops it.
  std::vector<double> grid_effort_, grid_command_;  ///< Brackets for the polynomial's inverse.
};

struct ThrusterState {
  double effort = 0;     ///< Thrust now, unit of the channel.
  double commanded = 0;  ///< Effort last asked for (driver side: for slew and horizon).
};

struct ThrusterStep {
  Wrench wrench_P;  ///< At the mount, mount coordinates, in the channel's unit.
  SupplyDemand demand;
};

/// Forward model over dt: exact for a constant command.
[[nodiscard]] ThrusterStep step(const Thruster&, ThrusterState&, double command, const Ambient&,
                                const Grant&, double dt_s) noexcept;

/// What the allocator may use: unit column along x, and bounds reachable within the horizon under
/// the slew limit.
struct ThrusterBox {
  double lower = 0, upper = 0, preferred = 0;
};
[[nodiscard]] ThrusterBox linearise(const Thruster&, const ThrusterState&, const Ambient&,
                                    double horizon_s) noexcept;

/// An effort inside the bounds, cut to what the slew limit lets it reach in this time.
[[nodiscard]] double slewed(const Thruster&, const ThrusterState&, double effort,
                            double dt_s) noexcept;

/// Effort to command; notes it in the state. A non-finite effort gives the neutral command.
[[nodiscard]] inline ThrusterCommand invert_at(const Thruster& thruster, ThrusterState& state,
                                               double effort, double bus_V, double dt_s) noexcept {
  if (!std::isfinite(effort)) {
    state.commanded = 0;
    return {thruster.neutral_command(bus_V), 0};
  }
  // bounds and slew first: a curve is only trusted inside its bounds
  const ThrusterParams& p = thruster.params();
  double wanted = std::clamp(effort, thruster.lower(), thruster.upper());
  if (p.slew_per_s > 0) wanted = slewed(thruster, state, wanted, dt_s);
  state.commanded = wanted;
  return thruster.sent_for(std::fabs(wanted) < p.dead_band ? 0 : wanted, bus_V);
}
[[nodiscard]] inline ThrusterCommand invert(const Thruster& thruster, ThrusterState& state,
                                            double effort, const Ambient& ambient,
                                            double dt_s) noexcept {
  return invert_at(thruster, state, effort, ambient.bus_V, dt_s);
}

/// Curves that ship with Pintle, by name; nullptr if there is none. Each is complete: with the
/// bounds, the margin and the quantum that its source used.
[[nodiscard]] const ThrusterParams* library_curve(std::string_view name) noexcept;
[[nodiscard]] std::vector<std::string_view> library_names();

/// The pulse width that Duke's T200 driver sends: nearest hundredth of the effort, linear between
/// voltages in [14, 18] V, cut to whole µs. An effort that is not a number gives 1500.
[[nodiscard]] std::uint16_t t200_pulse_us(double effort, double bus_V) noexcept;

}  // namespace pintle::propulsion

namespace pintle {
template <>
const EnumTable& enum_table<propulsion::CurveKind>();
template <>
const Table& table_of<propulsion::CurvePoints>();
template <>
const Table& table_of<propulsion::ThrusterParams>();
template <>
const Table& table_of<propulsion::ThrusterState>();
}  // namespace pintle
