/// Fuel on board while it burns: which tank feeds whom, what each gets, what the craft weighs.
///
///   demands of all on a tank -> one share for all of them -> steps -> the tank is drained
///
/// The simulated craft and the stack's own picture of it both go through here, each with its own
/// numbers. Not modelled: pumps, lines, tanks that feed each other.
#pragma once
#include <span>

#include "pintle/base/fixed_vector.h"
#include "pintle/vehicle/structure.h"
#include "pintle/vehicle/vehicle.h"

namespace pintle::vehicle {

inline constexpr std::size_t kMaxTanks = 16;

/// What is in each tank, kg. Fuel of their own is in the states of the propulsors.
using TankFill = FixedVector<double, kMaxTanks>;
using PropulsorStates = FixedVector<propulsion::PropulsorState, kMaxPropulsors>;
using PropulsorInputs = FixedVector<propulsion::PropulsorInput, kMaxPropulsors>;
using Grants = FixedVector<propulsion::Grant, kMaxPropulsors>;

[[nodiscard]] TankFill starting_fill(const Vehicle& vehicle) noexcept;
[[nodiscard]] PropulsorStates starting_states(const Vehicle& vehicle) noexcept;

/// Whether there is fuel for a propulsor; true for those that need none.
[[nodiscard]] bool has_fuel(const Vehicle& vehicle, const TankFill& fill, std::size_t propulsor,
                            const propulsion::PropulsorState& state) noexcept;

/// What each may take of its tank in a step; 1 where none feeds it.
void grant_all(const Vehicle& vehicle, const PropulsorStates& states, const PropulsorInputs& inputs,
               const TankFill& fill, double dt_s, Grants& grants) noexcept;
/// Drains the tank of a propulsor by what it took in its step.
void draw(const Vehicle& vehicle, TankFill& fill, std::size_t propulsor,
          const propulsion::SupplyDemand& taken, double dt_s) noexcept;

/// Of the whole craft: its body, and fuel where it is now. Body coordinates.
[[nodiscard]] MassProperties mass_of(const Vehicle& vehicle, const PropulsorStates& states,
                                     const TankFill& fill) noexcept;
/// Of all fuel on board, kg.
[[nodiscard]] double fuel_kg(const Vehicle& vehicle, const PropulsorStates& states,
                             const TankFill& fill) noexcept;

/// Force and torque of the air on the hull, at Bo, body coordinates.
[[nodiscard]] Wrench air_drag(const Vehicle& vehicle, const Twist& V_WB_B, Vec3 wind_B,
                              double density_kg_m3) noexcept;

}  // namespace pintle::vehicle
