/// Which held channels gain by moving inwards, eight at a time. Internal to this room.
///
/// With the multipliers l and what is missing d of the free ones (free_system.h) the cost falls, per
/// unit of effort inwards, by
///
///   first + r second,     first = a_i'd,  second = a_i'l - x_i      (of the other sign on an upper bound)
///
/// for r = 0 compared as polynomials in an infinitesimal r. What rounding may have made is zero: of
/// `second` by what entered it, of `first`, where that is close, by what of a_i lies outside the
/// span of the free columns.
#pragma once
#include <cmath>

#include "pintle/allocation/internal/free_system.h"
#include "pintle/allocation/internal/row_system.h"

namespace pintle::allocation::PINTLE_LEVEL {

class Multipliers {
 public:
  /// `moved`: eight numbers a row that add up to at least what the held channels move along it.
  /// Nothing is missing that could be told from rounding, but more than rounding is: digits are lost.
  void set_missing(FreeSystem& system, const Vec6& b, const SixLanes& moved) noexcept {
    const Lanes size = magnitude(pad(b.v.data())) + pad(six_sums(moved).v.data());
    const Lanes d = magnitude(pad(system.d.v.data()));
    store_six(size, size_.v.data());
    met_ = bits_of(d <= kNoise * size) == 0xFF;
    system.loses = system.loses || (met_ && bits_of(d <= kLeft * size) != 0xFF);
  }

  /// Those of `held` that want in. `only_second`: nothing is missing, or nothing of it can be had.
  [[nodiscard]] PINTLE_INLINE unsigned wrong(FreeSystem& system, bool only_second, double r,
                                             const SixLanes& row, const Lanes& x,
                                             const Lanes& target, unsigned up,
                                             unsigned held) const noexcept {
    const Lanes zero = all_lanes(0);
    const LaneMask is_up = lanes_of(up);
    Lanes size = magnitude(x);
    for (std::size_t k = 0; k < kAxes; ++k) size += magnitude(system.l[k] * row[k]);
    const Lanes second = select(is_up, x - target, target - x);
    const unsigned second_in = bits_of((second > zero) & (second > kNoise * size)) & held;
    if (only_second) return second_in;
    const Lanes first = met_ ? zero : missing_along(system, row, held);
    const Lanes inwards = select(is_up, zero - first, first);
    if (r > 0) {
      const Lanes gain = inwards + r * second;
      return bits_of((gain > zero) & (gain > kNoise * (magnitude(first) + r * size))) & held;
    }
    return (bits_of(inwards > zero) & held) | (second_in & bits_of(first == zero));
  }

 private:
  // a_i'd, 0 where rounding made it
  [[nodiscard]] PINTLE_INLINE Lanes missing_along(FreeSystem& system, const SixLanes& row,
                                                  unsigned held) const noexcept {
    const Lanes first = combined(system.d, row), through = combined(size_, magnitudes(row));
    const unsigned clear = bits_of(magnitude(first) > kClear * through);
    return (held & ~clear) == 0 ? first
                                : select(lanes_of(clear), first, closely(system, row, held));
  }

  // what is less than noise, but more than rounding, loses digits
  [[nodiscard]] PINTLE_SELDOM Lanes closely(FreeSystem& system, const SixLanes& row,
                                            unsigned held) const noexcept {
    const SixLanes outside = system.outside(row);
    const Lanes sum = combined(system.d, outside);
    const Lanes left = combined(outside, outside), whole = combined(row, row);
    Lanes size = all_lanes(0);
    for (std::size_t k = 0; k < kAxes; ++k)
      size += size_[k] * magnitude(outside[k]) + std::abs(system.d[k]) * magnitude(row[k]);
    const LaneMask outwards = kRankTolerance * kRankTolerance * whole < left;
    const LaneMask there = outwards & (kNoise * size < magnitude(sum));
    const unsigned some = bits_of(outwards & (kLeft * size < magnitude(sum))) & held;
    system.loses = system.loses || (some & ~bits_of(there)) != 0;
    return select(there, sum, all_lanes(0));
  }

  Vec6 size_;         // what passes through each row,
  bool met_ = false;  // and whether what is missing there may be its rounding
};

}  // namespace pintle::allocation::PINTLE_LEVEL
