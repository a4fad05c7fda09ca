/// The bare problem and its answer, as solvers hand them to each other.
///
///   minimise  | A x - b |^2 + r | x |^2   subject to  lower <= x <= upper      (A: at most 6 rows)
///
/// r = 0 is the limit r -> 0. All data finite, lower <= upper, of a magnitude near 1 (scaling.h).
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "pintle/base/signals.h"

namespace pintle::allocation {

/// An array that is not cleared first: Vec6 would be, and large ones take longer to clear than
/// small problems take to solve.
template <class T, std::size_t N>
struct Uncleared {
  T& operator[](std::size_t i) noexcept { return reinterpret_cast<T*>(bytes)[i]; }
  const T& operator[](std::size_t i) const noexcept { return reinterpret_cast<const T*>(bytes)[i]; }
  const T* data() const noexcept { return reinterpret_cast<const T*>(bytes); }

 private:
  alignas(64) std::byte bytes[N * sizeof(T)];
};

/// A is stored by columns; rows of unused axes are zero.
struct BoxProblem {
  std::uint32_t n = 0;
  double r = 0;
  Vec6 b;
  Uncleared<Vec6, kMaxChannels> column;
  std::array<double, kMaxChannels> lower;
  std::array<double, kMaxChannels> upper;
};

enum class Held : std::int8_t { kLower = -1, kFree = 0, kUpper = 1, kFixed = 2 };

struct BoxSolution {
  std::array<double, kMaxChannels> x;  ///< Held ones are on their bound bit for bit.
  std::array<Held, kMaxChannels> held;
  int iterations = 0;
  bool converged = false;  ///< False: nothing is proved, and x is what the solver says.
  /// Free columns are so nearly dependent, or were so hard to tell apart, that only arithmetic of
  /// more digits says what the efforts are.
  bool loses_digits = false;
  ChannelMask decided = 0;  ///< Of refine: held by what is missed, whatever effort costs.
};

/// Exchanges of channels that are to make the wrong ones fewer.
struct Fewer {
  int patience;  ///< In so many in a row they need not.
  int left = patience;
  int fewest = static_cast<int>(kMaxChannels) + 1;

  bool go_on(int wrong) noexcept {
    left = wrong < fewest ? patience : left - 1;
    fewest = wrong < fewest ? wrong : fewest;
    return left >= 0;
  }
};

/// Directions below this part of the largest are taken for rounding.
inline constexpr double kRankTolerance = 1e-13;
/// Of the largest bound: a free channel this far outside is inside to rounding.
inline constexpr double kInside = 1e-14;
/// Of the largest bound: sums of larger products may leave fewer than twelve digits of an effort.
inline constexpr double kMostSummed = 1e3;
/// Part of what enters a sum that rounding leaves of nothing,
inline constexpr double kLeft = 1e-15;
/// of what enters a multiplier, that it may make,
inline constexpr double kNoise = 1e-13;
/// and above this no closer look is needed.
inline constexpr double kClear = 1e-9;

}  // namespace pintle::allocation
