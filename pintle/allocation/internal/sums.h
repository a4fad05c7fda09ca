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

PINTLE_INLINE Vec6 six_sums(const std::array<Lanes, kAxes>& v) noexcept {
  alignas(32) double sum[8];
  four_sums(v[0], v[1], v[2], v[3], sum);
  four_sums(v[4], v[5], v[4], v[5], sum + 4);
  Vec6 all;
  for (std::size_t k = 0; k < kAxes; ++k) all[k] = sum[k];
  return all;
}

/// a b_k for each k.
PINTLE_INLINE std::array<Lanes, kAxes> times_each(const Lanes& a,
                                                  const std::array<Lanes, kAxes>& b) noexcept {
  std::array<Lanes, kAxes> product;
  for (std::size_t k = 0; k < kAxes; ++k) product[k] = a * b[k];
  return product;
}

}  // namespace pintle::allocation::PINTLE_LEVEL
