/// A propeller in a duct, driven by a speed controller: one channel, thrust along the mount's x
/// axis.
///
///   command --curve--> thrust wanted --slew, first-order lag--> thrust
///
/// Effort is the channel's unit (newtons, or the vehicle's normalised unit); command is what goes
/// to the driver: pulse width in µs, or M5 effort in -1..1. `invert` clips the effort to the thrust
/// bounds BEFORE the curve (a polynomial turns over outside its range). Does not model: inflow
/// losses, cavitation, reaction torque. Sources: Blue Robotics T200 tables as used on the Duke
/// robots; VideoRay M5 tables and polynomials of SubjuGator 8.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "pintle/base/fields.h"
#include "pintle/base/finding.h"
#include "pintle/base/signals.h"
#include "pintle/propulsion/ambient.h"

namespace pintle::propulsion {

/// How effort becomes a command.
enum class CurveKind : std::uint8_t {
  kLinear,      ///< command = effort / max |bound|.
  kPolynomial,  ///< Four coefficients each way, highest order first, no constant (M5 of 2017 on).
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
  std::string library;  ///< Named curve: "t200", "m5_polynomial", "m5_table_2016"; "" = below.
  std::vector<double> forward, backward;  ///< Of kPolynomial.
  std::vector<CurvePoints> points;        ///< Of kTable (one) and kPulseWidth (rising voltage).
  double command_margin =
      1;                  ///< Effort is clipped to this part of the bounds (SubjuGator 2016: 0.8).
  double dead_band = 0;   ///< Efforts smaller than this are sent as zero.
  double tau_s = 0;       ///< First-order lag of thrust; 0 is none.
  double slew_per_s = 0;  ///< Of the effort; 0 is unlimited.
  double command_quantum = 0;  ///< Commands are multiples of this (1 µs); 0 is none.
};

/// Bounds crossed, curve not monotone within the thrust bounds, wrong number of coefficients, …
[[nodiscard]] Findings check(const ThrusterParams& params);

/// The parameters with the named curve filled in and everything the tick needs prepared. May throw
/// std::invalid_argument on what `check` reports as an error.
class Thruster {
 public:
  Thruster() = default;
  explicit Thruster(ThrusterParams params);
  [[nodiscard]] const ThrusterParams& params() const noexcept { return params_; }

  /// Curve: effort (clipped to the bounds and margin first) to command, no dead band, no quantum.
  [[nodiscard]] double command_for(double effort, double bus_V) const noexcept;
  /// Its inverse: steady thrust that a command gives at a bus voltage. A non-finite command gives
  /// 0.
  [[nodiscard]] double effort_for(double command, double bus_V) const noexcept;
  /// The command that means "no thrust".
  [[nodiscard]] double neutral_command(double bus_V) const noexcept;

 private:
  ThrusterParams params_;
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

struct ThrusterCommand {
  double command = 0;  ///< To the driver.
  double effort = 0;   ///< What that command really asks for after clip, dead band and quantum.
};
/// Effort to command; notes it in the state. A non-finite effort gives the neutral command.
[[nodiscard]] ThrusterCommand invert(const Thruster&, ThrusterState&, double effort, const Ambient&,
                                     double dt_s) noexcept;

/// Curves that ship with Pintle, by name; nullptr if there is none.
[[nodiscard]] const ThrusterParams* library_curve(std::string_view name) noexcept;
[[nodiscard]] std::vector<std::string_view> library_names();

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
