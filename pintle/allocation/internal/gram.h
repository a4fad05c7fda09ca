/// A_F A_F' of the free columns from the rows, eight channels at a time. Internal to this room.
///
/// Where many are free this takes a third of what summing column by column does: nothing is spread
/// over lanes, and no lane is padding. The order of the sums is the same at all levels.
#pragma once
#include <algorithm>
#include <cstring>

#include "pintle/allocation/internal/free_system.h"

namespace pintle::allocation {

// up to so many free columns are summed one by one
inline constexpr std::size_t kFewColumns = 16;

namespace PINTLE_LEVEL {

namespace detail {

// products of rows First to Last - 1 with themselves and those behind, one part of the lanes: as
// many sums as registers hold
template <std::size_t First, std::size_t Last, bool kAll, class Rows>
PINTLE_INLINE void add_products(const Rows& row, std::size_t chunks, const std::uint8_t* free,
                                std::size_t p, std::array<std::array<Lanes, kAxes>, kAxes>& sum) {
  Part total[kAxes][kAxes] = {};
  for (std::size_t c = 0; c < chunks; ++c) {
    if (!kAll && free[c] == 0) continue;
    const LaneMask mask = lanes_of(kAll ? 0xFFU : free[c]);
    unrolled<Last - First>([&](auto at) PINTLE_EACH {
      constexpr std::size_t j = First + at;
      Part left = row[j][c].part[p];
      if constexpr (!kAll) left = (Part)((PartMask)left & mask.part[p]);
      unrolled<kAxes - j>([&](auto rest) PINTLE_EACH {
        constexpr std::size_t k = j + rest;
        total[j][k] += left * row[k][c].part[p];
      });
    });
  }
  for (std::size_t j = First; j < Last; ++j)
    for (std::size_t k = j; k < kAxes; ++k) sum[j][k].part[p] = total[j][k];
}

}  // namespace detail

/// `free`: the free channels of each chunk; none behind the last. The rows of Definite.
template <bool kAll, class Rows>
std::array<Lanes, kAxes> gram_of_rows(const Rows& row, std::size_t chunks,
                                      const std::uint8_t* free) noexcept {
  std::array<std::array<Lanes, kAxes>, kAxes> sum;
  each_part([&](auto p) PINTLE_EACH {
    detail::add_products<0, 2, kAll>(row, chunks, free, p, sum);
    detail::add_products<2, kAxes, kAll>(row, chunks, free, p, sum);
  });
  const auto at = [&](std::size_t j, std::size_t k)
                      PINTLE_EACH -> const Lanes& { return sum[std::min(j, k)][std::max(j, k)]; };
  alignas(64) double whole[kAxes][kLanes] = {};
  unrolled<kAxes>([&](auto j)
                      PINTLE_EACH { four_sums(at(j, 0), at(j, 1), at(j, 2), at(j, 3), whole[j]); });
  unrolled<kAxes / 2>([&](auto half) PINTLE_EACH {
    constexpr std::size_t j = 2 * half;
    double two[4];
    four_sums(at(j, 4), at(j, 5), at(j + 1, 4), at(j + 1, 5), two);
    std::copy_n(two, 2, &whole[j][4]);
    std::copy_n(two + 2, 2, &whole[j + 1][4]);
  });
  std::array<Lanes, kAxes> result;
  for (std::size_t j = 0; j < kAxes; ++j) result[j] = load(whole[j]);
  return result;
}

}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
