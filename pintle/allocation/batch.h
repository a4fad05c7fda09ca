/// Many small problems side by side, for dispersions and learning: structure of arrays.
///
/// Every number of problem j lies at index j of its array, so that one array holds one number of
/// all problems. Eight problems go side by side through what most of them need: the optimum without
/// bounds and, up to eight channels, the rounds that put on their bounds the channels that leave
/// them. What does not settle so is solved one by one, there from the set that was reached. The answers
/// are those of `solve` bit for bit.
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
};

/// x[i * count + j]. How many were solved: others (data not finite, bounds crossed, iterations out)
/// have the point of their box nearest to zero, one that misses less, or 0. Numbers beyond 1e100 are
/// outside what it is for: their products overflow. Returns 0 when an array has not the size, for
/// more than 64 channels, and for an r that is negative or not finite.
std::size_t solve_batch(const Batch& batch, std::span<double> x) noexcept;

}  // namespace pintle::allocation
