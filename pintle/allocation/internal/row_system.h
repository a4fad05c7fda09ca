/// Up to eight columns as six equations: A A' from their rows, the directions that none of them
/// gives, and whether channels are uneven. Internal to this room.
#pragma once
#include <cmath>

#include "pintle/allocation/internal/bounded_least_squares.h"
#include "pintle/allocation/internal/definite.h"
#include "pintle/allocation/internal/sums.h"

namespace pintle::allocation::PINTLE_LEVEL {

// of the largest diagonal
inline constexpr double kNoRow = 1e-28;
// sizes further apart are too far for double: see Unevenness
inline constexpr double kMostUneven = 3e5;

/// Row by row the columns of up to eight channels, those of `used`.
PINTLE_INLINE SixLanes rows_of(const Vec6* column, unsigned used) noexcept {
  Uncleared<Lanes, kLanes> eight;
  if (used == 0xFF)
    unrolled<kLanes>([&](auto i) PINTLE_EACH { eight[i] = pad(column[i].v.data()); });
  else
    for (std::size_t i = 0; i < kLanes; ++i)
      eight[i] = (used >> i & 1) != 0 ? pad(column[i].v.data()) : all_lanes(0);
  SixLanes row;
  transpose(eight.data(), row.data());
  return row;
}

/// |row_k| for each k.
PINTLE_INLINE SixLanes magnitudes(SixLanes row) noexcept {
  for (Lanes& each : row) each = magnitude(each);
  return row;
}

/// The magnitudes of each column's numbers, added up.
PINTLE_INLINE Lanes sizes_of(const SixLanes& row) noexcept {
  Lanes size = magnitude(row[0]);
  for (std::size_t k = 1; k < kAxes; ++k) size += magnitude(row[k]);
  return size;
}

/// Channels in units so far apart that double does not do.
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
/// double-double from the start (search_in_double_double).
///
/// Eight channels after the other, or a channel of eight problems after the other.
class Unevenness {
 public:
  /// `most`: h of each.
  PINTLE_INLINE void add(const SixLanes& row, const LaneMask& moves, const Lanes& most) noexcept {
    const Lanes size = select(moves, sizes_of(row), all_lanes(0));
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

/// left_j right_k, summed over the lanes: row j, of which the lanes from j on count.
[[gnu::noinline]] inline void gram_of_eight(const SixLanes& left, const SixLanes& right,
                                            SixLanes& gram) noexcept {
  gram =
      matrix_of_sums([&](std::size_t j, std::size_t k) PINTLE_EACH { return left[j] * right[k]; });
}

/// The same of a row with itself, of the free columns.
PINTLE_INLINE SixLanes gram_of_free(const SixLanes& row, unsigned free) noexcept {
  SixLanes gram, some = row;
  for (std::size_t k = 0; k < kAxes && free != 0xFF; ++k)
    some[k] = select(lanes_of(free), row[k], all_lanes(0));
  gram_of_eight(some, row, gram);
  return gram;
}

PINTLE_INLINE void add_outer(SixLanes& gram, double share, const Lanes& a) noexcept {
  const Lanes b = share * a;
  unrolled<kAxes>([&](auto j) PINTLE_EACH { gram[j] += b[j] * a; });
}

/// Takes out rows that are nothing beside the largest: rounding (the cosine of a right angle).
inline void clear_rounding(SixLanes& gram) noexcept {
  Vec6 own;
  store_six(diagonal_of(gram), own.v.data());
  const Lanes square = pad(own.v.data());
  const unsigned some = bits_of(all_lanes(kNoRow * greatest_of(square)) < square);
  for (std::size_t k = 0; k < kAxes && some != 0x3F; ++k)
    gram[k] = select(lanes_of((some >> k & 1) != 0 ? some : 0), gram[k], all_lanes(0));
}

/// Orthonormal directions along which a gram matrix is nothing.
struct Lost {
  std::size_t count = 0;
  SixLanes direction;

  /// One more, made orthonormal.
  const Lanes& add(Lanes v) noexcept {
    for (std::size_t s = 0; s < count; ++s) v -= sum_of(direction[s] * v) * direction[s];
    return direction[count++] = (1 / std::sqrt(sum_of(v * v))) * v;
  }
};

}  // namespace pintle::allocation::PINTLE_LEVEL
