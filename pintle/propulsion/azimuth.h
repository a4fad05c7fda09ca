/// A propeller in water on a head that turns all the way round: two channels, thrust in the plane
/// of the mount's x and y.
///
///   angle' = rate,  |rate| <= turn_rate, the shorter way to the angle that is commanded
///   thrust' = (command - thrust) / tau,      force = thrust (cos angle, sin angle, 0)
///
/// Commands: thrust, N (negative: astern), and the angle of the head, rad, counted from the mount's
/// x axis towards its y axis. Efforts: steady thrust along the head as it stands now, and across it,
/// N. What can be had across is what the head turns within the horizon, with the thrust that there
/// is:
///
///   |across| <= sin(turn_rate horizon) max(|thrust|, kLeastShare max_thrust),   at most a quarter
///
/// The second part lets a head without thrust set out. Thrust is quasi-static: its lag is not made
/// up for by the allocation.
///
/// Does not model: inflow (crab and advance), thrust lost to the hull or to another head, the time
/// that a propeller takes through zero. Source of the coordinates: Fossen, "Handbook of Marine Craft
/// Hydrodynamics and Motion Control", 2011, chapter 12.3 (azimuth thrusters, extended thrust).
#pragma once
#include "pintle/propulsion/model.h"

namespace pintle::propulsion {

struct AzimuthParams {
  double max_thrust_N = 0;
  double max_reverse_N = 0;  ///< Astern, above 0; 0: ahead alone.
  double tau_s = 0;          ///< Of the thrust; 0 is none.
  double turn_rate_deg_s = 12;
};

[[nodiscard]] Findings check(const AzimuthParams& params);

struct AzimuthState {
  double thrust_N = 0;
  double angle_rad = 0;
};

/// Share of the full thrust that a head is taken to have at least, when it is asked to turn.
inline constexpr double kLeastShare = 0.02;

struct AzimuthCommand {
  double thrust_N = 0, angle_rad = 0;
};

/// Force at the end of the step. Commands beyond the range are cut.
[[nodiscard]] Wrench step(const AzimuthParams&, AzimuthState&, const AzimuthCommand& command,
                          double dt_s) noexcept;
[[nodiscard]] Linearised linearise(const AzimuthParams&, const AzimuthState&,
                                   double horizon_s) noexcept;
/// The command nearest to both efforts that the head can follow within dt_s; `along` and `across`
/// become what it gives.
[[nodiscard]] AzimuthCommand invert(const AzimuthParams&, const AzimuthState&, double& along_N,
                                    double& across_N, double dt_s) noexcept;

}  // namespace pintle::propulsion

namespace pintle {
template <>
const Table& table_of<propulsion::AzimuthParams>();
template <>
const Table& table_of<propulsion::AzimuthState>();
}  // namespace pintle
