/// A_F A_F' of the free columns from the rows, eight channels at a time. Internal to this room.
///
/// Where many are free this takes a third of what summing column by column does: nothing is spread
/// over lanes, and no lane is padding. The order of the sums is the same at all levels.
#pragma once
#include <algorithm>

#include "pintle/allocation/internal/row_system.h"

namespace pintle::allocation {

namespace PINTLE_LEVEL {

/// The columns row by row, in whole lanes; what lies behind the last channel is zero.
class Rows {
 public:
  explicit Rows(const BoxProblem& problem) noexcept : n_(problem.n) {
    for (std::size_t at = 0; at < n_; at += kLanes)
      eight_[at / kLanes] = rows_of(problem.column.data() + at, used_of(n_, at));
  }

  /// So many times eight channels,
  [[nodiscard]] std::size_t chunks() const noexcept { return (n_ + kLanes - 1) / kLanes; }
  /// the rows of these,
  const SixLanes& operator[](std::size_t c) const noexcept { return eight_[c]; }
  /// and the bits of those that are there.
  [[nodiscard]] unsigned used(std::size_t c) const noexcept { return used_of(n_, kLanes * c); }

 private:
  std::size_t n_;
  Uncleared<SixLanes, kMaxChannels / kLanes> eight_;
};

namespace detail {

// products of rows First to Last - 1 with themselves and those behind, one part of the lanes: as
// many sums as registers hold
template <std::size_t First, std::size_t Last>
PINTLE_INLINE void add_products(const Rows& rows, ChannelMask free, std::size_t p,
                                std::array<SixLanes, kAxes>& sum) {
  Part total[Last - First][kAxes] = {};
  for (std::size_t c = 0; c < rows.chunks(); ++c) {
    const unsigned here = eight_at(free, kLanes * c);
    if (here == 0) continue;
    const LaneMask mask = lanes_of(here);
    unrolled<Last - First>([&](auto at) PINTLE_EACH {
      constexpr std::size_t j = First + at;
      const Part left = (Part)((PartMask)rows[c][j].part[p] & mask.part[p]);
      unrolled<kAxes - j>([&](auto rest) PINTLE_EACH {
        constexpr std::size_t k = j + rest;
        total[at][k] += left * rows[c][k].part[p];
      });
    });
  }
  for (std::size_t j = First; j < Last; ++j)
    for (std::size_t k = j; k < kAxes; ++k) sum[j][k].part[p] = total[j - First][k];
}

}  // namespace detail

/// `free`: none behind the last channel. The rows of Definite.
inline SixLanes gram_of_rows(const Rows& rows, ChannelMask free) noexcept {
  std::array<SixLanes, kAxes> sum;
  each_part([&](auto p) PINTLE_EACH {
    detail::add_products<0, 2>(rows, free, p, sum);
    detail::add_products<2, kAxes>(rows, free, p, sum);
  });
  return matrix_of_sums([&](std::size_t j, std::size_t k) PINTLE_EACH -> const Lanes& {
    return sum[std::min(j, k)][std::max(j, k)];
  });
}

}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
