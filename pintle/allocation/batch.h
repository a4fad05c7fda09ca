/// Many small problems side by side, for dispersions and learning: structure of arrays.
///
/// Every number of problem j lies at index j of its array, so that one array holds one number of
/// all problems. Eight problems go side by side through what most of them need: the optimum without
/// bounds and, up to eight channels, the rounds that put on their bounds the channels that leave
/// them. What does not settle so is solved one by one, from the set that was reached. The answers
/// are those of `solve` bit for bit, but for the sign of a zero.
#pragma once
#include <span>

#include "pintle/allocation/internal/bounded_least_squares.h"

namespace pintle::allocation {

/// `count` problems of n channels and one trade r, in numbers near 1 (rows weighted).
struct Batch {
  std::uint32_t n = 0;
  std::size_t count = 0;
  double r = 0;
  /// [(6 i + k) * count + j]: column i, axis k. With `same_columns`: [6 i + k], for all problems.
  std::span<const double> column;
  bool same_columns = false;
  std::span<const double> b;      ///< [k * count + j]
  std::span<const double> lower;  ///< [i * count + j]
  std::span<const double> upper;  ///< [i * count + j]

  /// One number of each problem: `row` counts those of b, lower and upper bounds, columns.
  [[nodiscard]] const double* numbers(std::size_t row) const noexcept {
    if (row < kAxes) return &b[row * count];
    row -= kAxes;
    if (row < n) return &lower[row * count];
    row -= n;
    return row < n ? &upper[row * count] : &column[(row - n) * count];
  }
};

/// Eight problems of a batch, one a lane. Internal to this room.
struct EightProblems {
  using Lane = std::array<double, 8>;

  [[nodiscard]] const Lane& b(std::size_t k) const noexcept { return row[k]; }
  [[nodiscard]] const Lane& lower(std::size_t i) const noexcept { return row[kAxes + i]; }
  [[nodiscard]] const Lane& upper(std::size_t i) const noexcept { return row[kAxes + n + i]; }
  /// Not where all have the same columns.
  [[nodiscard]] const Lane& column(std::size_t i, std::size_t k) const noexcept {
    return row[kAxes + 2 * n + kAxes * i + k];
  }

  std::size_t n = 0;
  const Lane* row = nullptr;  ///< b, lower and upper bounds, columns: each number of the eight.
  unsigned sound = 0;  ///< Lanes with nothing to refuse, one bit each; others may be as well.
  /// Systems solved until the set below, 0 where none is known.
  alignas(64) Lane systems;
  /// The channels free and held on the upper bound, one bit for each lane.
  std::array<std::uint8_t, 8> free, up;
};

/// x[i * count + j]. How many were solved: others (data not finite, bounds crossed, iterations out)
/// have the point of their box nearest to zero, or 0. Returns 0 when an array has not the size.
std::size_t solve_batch(const Batch& batch, std::span<double> x) noexcept;

}  // namespace pintle::allocation
