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
#include <algorithm>

#include "pintle/allocation/internal/bounded_least_squares.h"
#include "pintle/allocation/internal/row_system.h"

namespace pintle::allocation {

inline constexpr double kMostUneven = 3e5;

namespace PINTLE_LEVEL {

/// |a_i| / h_i and |a_i| h_i of eight channels, 0 for those that do not move.
struct Gains {
  Lanes per_room, through;
};

PINTLE_INLINE Gains gains_of(const SixLanes& row, const LaneMask& moves,
                             const Lanes& most) noexcept {
  Lanes size = magnitude(row[0]);
  for (std::size_t k = 1; k < kAxes; ++k) size += magnitude(row[k]);
  return {select(moves, size / most, all_lanes(0)), select(moves, size * most, all_lanes(0))};
}

PINTLE_INLINE LaneMask is_uneven(const Gains& gains, double per_room, double through) noexcept {
  return (all_lanes(0) < gains.per_room) & ((kMostUneven * gains.per_room < all_lanes(per_room)) |
                                            (kMostUneven * gains.through < all_lanes(through)));
}

/// Eight channels after the other.
class Unevenness {
 public:
  PINTLE_INLINE void add(const SixLanes& row, const LaneMask& moves, const Lanes& most) noexcept {
    const Gains& now = gains_[chunks_++] = gains_of(row, moves, most);
    per_room_ = std::max(per_room_, greatest_of(now.per_room));
    through_ = std::max(through_, greatest_of(now.through));
  }

  [[nodiscard]] PINTLE_INLINE bool some() const noexcept {
    unsigned uneven = 0;
    for (std::size_t c = 0; c < chunks_; ++c)
      uneven |= bits_of(is_uneven(gains_[c], per_room_, through_));
    return uneven != 0;
  }

 private:
  Uncleared<Gains, kMaxChannels / kLanes> gains_;
  std::size_t chunks_ = 0;
  double per_room_ = 0, through_ = 0;
};

}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
