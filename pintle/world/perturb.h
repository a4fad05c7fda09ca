/// The vehicle that really flies: the file's, a little wrong everywhere.
///
/// Every quantity has a stream of its own, named after it ("truth mass", "truth thrust FL"), so
/// that a new quantity or propulsor never changes what the others draw. Deviates are normal, cut at
/// two standard deviations by mapping one uniform number through the cut distribution (its standard
/// deviation is 0.88 of the nominal one). The mass factor is that of the dry body: fuel is weighed
/// when it is filled in.
#pragma once
#include <cstdint>
#include <string_view>

#include "pintle/vehicle/vehicle.h"
#include "pintle/world_params/params.h"

namespace pintle::world {

struct TruthVehicle {
  vehicle::Vehicle vehicle;
  ChannelVector thrust_factor;  ///< Thrust delivered over thrust of the model, per propulsor.
};

/// A standard normal number, never beyond 2: the first of a stream of this name.
[[nodiscard]] double cut_normal(std::uint64_t seed, std::string_view label) noexcept;

/// Inertia: the second moments of the mass (Ixx = Syy + Szz …) are scaled along each axis, so that
/// the result belongs to a possible body whenever the nominal one does. Drag: one factor an axis,
/// for linear and quadratic part alike, and one each for the axes of every drag body.
[[nodiscard]] TruthVehicle perturbed(const vehicle::Vehicle& nominal, const TruthParams& params,
                                     std::uint64_t seed);

}  // namespace pintle::world
