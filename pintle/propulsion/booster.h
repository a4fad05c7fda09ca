/// A fuelled rocket engine with ignition, a throttle floor and a lag: one channel.
///
///   lit     = ignition > 0.5, or lit before where it cannot be shut down (not reignitable)
///   target  = lit ? r + (1 - r) pwm : 0,   r = min_thrust / max_thrust
///   throttle' = (target - throttle) / tau
///
/// The published description of the original writes the floor as min + (min/max) pwm, which mixes
/// newtons with a ratio; the formula above is what its code computes, and what is meant: pwm 0 is
/// min_thrust, pwm 1 is max_thrust.
///
/// `physical` (default): exact lag; thrust is the mean over the step, so that its impulse is exact
/// for any step; noise (zero mean, one draw per booster) acts on the thrust and not on the
/// throttle; mass flow is thrust / (Isp g0), with Isp = max_thrust / (max_fuel_rate g0) where none
/// is given; a step for which fuel is short delivers the part of the impulse that there is fuel
/// for, and the engine is out. Without fuel the throttle is 0 at once.
///
/// `reference` reproduces PyFlyt's Boosters for one booster, number for number: Euler's lag, noise
/// that multiplies the throttle and is fed back through the lag (its raw draw is the input `noise`;
/// there the generator's mean is the number of boosters), burn after cut-off,
///   fuel_ratio = clip(fuel_ratio - throttle max_fuel_rate / total_fuel_mass dt, 0, 1),
/// a whole last step however little fuel is left, each booster its own fuel even where two share a
/// tank. Thrust is the throttle after the step times max_thrust, not clipped.
///
/// Does not model: start transients and restart limits, back pressure, nozzle losses, slosh.
/// Source: PyFlyt's Boosters component, description and behaviour.
#pragma once
#include <span>

#include "pintle/propulsion/model.h"
#include "pintle/propulsion/supply.h"

namespace pintle::propulsion {

struct BoosterParams {
  double tau_s = 0;               ///< Ramp-up time constant; 0 is none.
  double total_fuel_mass_kg = 0;  ///< Own fuel when full. 0 only where a shared tank feeds it.
  double max_fuel_rate_kg_s = 0;  ///< Mass flow at max_thrust.
  double specific_impulse_s = 0;  ///< 0: from max_thrust and max_fuel_rate. Physical only.
  Vec3 max_inertia_kgm2{};        ///< Of the own fuel when full, in proportion to the fuel.
  Vec3 fuel_position_m{};         ///< Of the middle of the own fuel, mount coordinates.
  double min_thrust_N = 0, max_thrust_N = 0;
  Vec3 thrust_unit{0, 0, 1};  ///< Mount coordinates; normalised.
  bool reignitable = true;
  double noise_ratio = 0;
  Behaviour behaviour = Behaviour::kPhysical;
};

[[nodiscard]] Findings check(const BoosterParams& params);

struct BoosterState {
  double lit = 0;         ///< 0 or 1.
  double fuel_ratio = 1;  ///< Of the own fuel.
  double throttle = 0;    ///< Share of max_thrust.
};

struct BoosterInput {
  double ignition = 0;               ///< On above 0.5.
  double pwm = 0;                    ///< 0 (min_thrust) to 1 (max_thrust); beyond is cut.
  double noise = 0;                  ///< A normal draw of this step.
  Mat3 rotation = Mat3::identity();  ///< Turns the thrust, such as a gimbal's.
};

struct BoosterStep {
  Wrench wrench_P;  ///< Force at the mount, no torque.
  double thrust_N = 0;
  SupplyDemand demand;  ///< What it took (mean over the step).
};

/// What it will ask of a shared tank in a step with this input, before anything is granted.
[[nodiscard]] SupplyDemand demand(const BoosterParams&, const BoosterState&, const BoosterInput&,
                                  double dt_s) noexcept;

/// `grant` is the share that a shared tank gives; for own fuel leave it 1.
[[nodiscard]] BoosterStep step(const BoosterParams&, BoosterState&, const BoosterInput&,
                               const Ambient&, const Grant& grant, double dt_s) noexcept;

/// Effort is steady thrust in N along thrust_unit. While lit the bounds are [min, max], while not
/// lit [0, max] (what lies between 0 and min_thrust cannot be had: `invert` takes the nearer), and
/// 0 without fuel. Linear in effort within the bounds of a lit engine.
[[nodiscard]] Linearised linearise(const BoosterParams&, const BoosterState&, const Ambient&,
                                   double horizon_s) noexcept;

/// Effort to ignition and pwm. Below half of min_thrust a reignitable engine is shut down, a lit
/// one that cannot be stays at its floor.
[[nodiscard]] BoosterInput invert(const BoosterParams&, const BoosterState&,
                                  double effort_N) noexcept;

/// Its own fuel as mass where it lies: ratio times mass and inertia, not moving (see Tank for one
/// whose centre of mass moves).
[[nodiscard]] MassProperties fuel_of(const BoosterParams&, const BoosterState&) noexcept;

// ---------------------------------------------------------------------------------------------
// several boosters

/// Which tank feeds a booster; kOwnFuel: its own.
inline constexpr std::int32_t kOwnFuel = -1;

/// One step of any number of boosters, some of which may share tanks: asks every booster, lets each
/// tank grant what it has to all that draw on it in equal shares, steps, and drains the tanks. All
/// spans are of one length, but `tanks` and `tank_states`, which are of another. In `reference`
/// boosters own fuel whatever `tank` says.
void step_all(std::span<const BoosterParams>, std::span<const std::int32_t> tank,
              std::span<BoosterState>, std::span<const TankParams> tanks,
              std::span<TankState> tank_states, std::span<const BoosterInput>, const Ambient&,
              double dt_s, std::span<BoosterStep> out) noexcept;

/// Cold, with this share of fuel, one for all …
void reset(std::span<BoosterState>, double starting_fuel_ratio = 1) noexcept;
/// … or one each.
void reset(std::span<BoosterState>, std::span<const double> starting_fuel_ratio) noexcept;

/// Ignitions, then fuel ratios, then throttles: 3 n numbers.
void get_states(std::span<const BoosterState>, std::span<double> out) noexcept;

}  // namespace pintle::propulsion

namespace pintle {
template <>
const Table& table_of<propulsion::BoosterParams>();
template <>
const Table& table_of<propulsion::BoosterState>();
}  // namespace pintle
