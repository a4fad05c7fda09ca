/// Sums over eight lanes, several side by side. Internal to this room.
#pragma once
#include "pintle/allocation/internal/bounded_least_squares.h"
#include "pintle/allocation/internal/lanes.h"

namespace pintle::allocation::PINTLE_LEVEL {

/// `sum_of` each of four, with the same bits.
PINTLE_INLINE void four_sums(const Lanes& a, const Lanes& b, const Lanes& c, const Lanes& d,
                             double* out) noexcept {
#ifdef PINTLE_BY_HAND
  const auto folded = [](const Lanes& v) PINTLE_EACH { return (__m256d)(v.part[0] + v.part[1]); };
  const __m256d s = folded(a), t = folded(b), u = folded(c), w = folded(d);
  const __m256d even =
      _mm256_add_pd(_mm256_permute2f128_pd(s, u, 0x20), _mm256_permute2f128_pd(s, u, 0x31));
  const __m256d odd =
      _mm256_add_pd(_mm256_permute2f128_pd(t, w, 0x20), _mm256_permute2f128_pd(t, w, 0x31));
  _mm256_storeu_pd(out, _mm256_hadd_pd(even, odd));
#else
  out[0] = sum_of(a);
  out[1] = sum_of(b);
  out[2] = sum_of(c);
  out[3] = sum_of(d);
#endif
}

/// Number k of row k; behind the last row those of the first.
template <std::size_t N>
PINTLE_INLINE Lanes diagonal_of(const std::array<Lanes, N>& rows) noexcept {
  Lanes own = rows[0];
  unrolled<N - 1>([&](auto i) PINTLE_EACH { own = select(lanes_of(2U << i), rows[i + 1], own); });
  return own;
}

using SixLanes = std::array<Lanes, kAxes>;

/// The rows of a unit matrix.
PINTLE_INLINE SixLanes units() noexcept {
  SixLanes unit;
  for (std::size_t k = 0; k < kAxes; ++k)
    unit[k] = select(lanes_of(1U << k), all_lanes(1), all_lanes(0));
  return unit;
}

PINTLE_INLINE Vec6 six_sums(const SixLanes& v) noexcept {
  alignas(32) double sum[8];
  four_sums(v[0], v[1], v[2], v[3], sum);
  four_sums(v[4], v[5], v[4], v[5], sum + 4);
  Vec6 all;
  for (std::size_t k = 0; k < kAxes; ++k) all[k] = sum[k];
  return all;
}

/// a b_k for each k.
PINTLE_INLINE SixLanes times_each(const Lanes& a, const SixLanes& b) noexcept {
  SixLanes product;
  for (std::size_t k = 0; k < kAxes; ++k) product[k] = a * b[k];
  return product;
}

/// sum_k v_k row_k
template <class Numbers, std::size_t N>
PINTLE_INLINE Lanes combined(const Numbers& v, const std::array<Lanes, N>& row) noexcept {
  Lanes sum = v[0] * row[0];
  unrolled<N - 1>([&](auto k) PINTLE_EACH { sum += v[k + 1] * row[k + 1]; });
  return sum;
}

/// The sum of at(j, k) as number k of row j, of which those from j on count.
template <class At>
PINTLE_INLINE SixLanes matrix_of_sums(const At& at) noexcept {
  alignas(64) double sum[kAxes][kLanes]{};
  unrolled<kAxes / 2>([&](auto half) PINTLE_EACH {
    constexpr std::size_t j = 2 * half;
    double two[4];
    four_sums(at(j, 4), at(j, 5), at(j + 1, 4), at(j + 1, 5), two);
    for (std::size_t i = 0; i < 2; ++i) {
      sum[j + i][4] = two[2 * i];
      sum[j + i][5] = two[2 * i + 1];
    }
  });
  unrolled<4>([&](auto j)
                  PINTLE_EACH { four_sums(at(j, 0), at(j, 1), at(j, 2), at(j, 3), sum[j]); });
  SixLanes matrix;
  for (std::size_t j = 0; j < kAxes; ++j) matrix[j] = load(sum[j]);
  return matrix;
}

}  // namespace pintle::allocation::PINTLE_LEVEL
