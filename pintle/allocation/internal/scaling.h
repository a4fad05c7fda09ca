/// From the units of a vehicle to numbers near one, by powers of two: exact. Internal to this room.
#pragma once
#include <bit>

#include "pintle/allocation/allocator.h"
#include "pintle/allocation/internal/bounded_least_squares.h"
#include "pintle/allocation/internal/health.h"

namespace pintle::allocation {

/// x = (effort - preferred) / effort_unit, rows weighted and divided by gain_unit.
struct Scaled {
  BoxProblem box;
  double effort_unit = 1;
  double gain_unit = 1;
  Vec6 weight;
  Vec6 offset;  ///< Wrench of the preferred efforts and the bias.
  /// Rows differ so much that double may not tell the multipliers of the small ones from the
  /// rounding of the large ones: see is_unclear in refine_kernel.h.
  bool wide_rows = false;
};

/// Of a power of two within 2^+-1000: its reciprocal, without a division.
[[nodiscard]] inline double inverse_of_unit(double unit) noexcept {
  constexpr std::uint64_t kTwiceBias = std::uint64_t{2046} << 52;
  return std::bit_cast<double>(kTwiceBias - std::bit_cast<std::uint64_t>(unit));
}

/// Gains below this part of the largest are taken for none.
inline constexpr double kNothing = 1e-70;

/// Largest over smallest row that is not rounding itself.
inline constexpr double kWideRows = 1e5;

}  // namespace pintle::allocation
