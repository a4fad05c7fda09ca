/// Channels in units so far apart that double does not do. Internal to this room.
///
/// With multipliers l, an effort is a_i'l. Where one channel has a long column and a narrow box
/// beside another with a short column and a wide one, l is as large as the second needs, and what
/// is left of a_i'l in the box of the first are the digits below
///
///   max |a_i| / h_i  over  min |a_i| / h_i,     h = max(|lower|, |upper|)
///
/// And where all that one channel moves is next to nothing beside what another does, its effort is
/// what the rounding of the other leaves:  max |a_i| h_i  over  min |a_i| h_i. Zero columns and
/// channels without width aside. Where either is beyond kMostUneven the set is searched in
/// double-double from the start: refine.h.
#pragma once
#include "pintle/allocation/internal/bounded_least_squares.h"
#include "pintle/allocation/internal/row_system.h"

namespace pintle::allocation {

inline constexpr double kMostUneven = 3e5;

namespace PINTLE_LEVEL {

/// Eight channels after the other, or a channel of eight problems after the other.
class Unevenness {
 public:
  /// `most`: h of each.
  PINTLE_INLINE void add(const SixLanes& row, const LaneMask& moves, const Lanes& most) noexcept {
    Lanes size = magnitude(row[0]);
    for (std::size_t k = 1; k < kAxes; ++k) size += magnitude(row[k]);
    size = select(moves, size, all_lanes(0));
    per_room_.add(size / most);
    through_.add(size * most);
  }

  /// All lanes are channels of one problem: whether some of them are uneven.
  [[nodiscard]] PINTLE_INLINE bool some() const noexcept {
    return bits_of(per_room_.near(all_lanes(greatest_of(per_room_.largest))) &
                   through_.near(all_lanes(greatest_of(through_.largest)))) != 0xFF;
  }

  /// Each lane is a problem: those without.
  [[nodiscard]] PINTLE_INLINE LaneMask none() const noexcept {
    return per_room_.near(per_room_.largest) & through_.near(through_.largest);
  }

 private:
  // of numbers above 0
  struct Spread {
    Lanes largest = all_lanes(0), least = all_lanes(1e300);

    PINTLE_INLINE void add(const Lanes& x) noexcept {
      largest = greater_of(largest, x);
      least = select((all_lanes(0) < x) & (x < least), x, least);
    }
    [[nodiscard]] PINTLE_INLINE LaneMask near(const Lanes& most) const noexcept {
      return most <= kMostUneven * least;
    }
  };

  Spread per_room_, through_;
};

}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
