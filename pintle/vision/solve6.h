/// Six equations with a symmetric positive matrix, by Cholesky.
#pragma once
#include <array>
#include <cmath>
#include <cstddef>

namespace pintle::vision {

/// H d = g; only the lower half of H is read. False: H is not positive.
[[nodiscard]] inline bool solve6(std::array<double, 36> H, const std::array<double, 6>& g,
                                 std::array<double, 6>& d) noexcept {
  for (std::size_t j = 0; j < 6; ++j) {
    double s = H[7 * j];
    for (std::size_t k = 0; k < j; ++k) s -= H[6 * j + k] * H[6 * j + k];
    if (!(s > 1e-15)) return false;
    H[7 * j] = std::sqrt(s);
    for (std::size_t i = j + 1; i < 6; ++i) {
      double t = H[6 * i + j];
      for (std::size_t k = 0; k < j; ++k) t -= H[6 * i + k] * H[6 * j + k];
      H[6 * i + j] = t / H[7 * j];
    }
  }
  d = g;
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t k = 0; k < i; ++k) d[i] -= H[6 * i + k] * d[k];
    d[i] /= H[7 * i];
  }
  for (std::size_t i = 6; i-- > 0;) {
    for (std::size_t k = i + 1; k < 6; ++k) d[i] -= H[6 * k + i] * d[k];
    d[i] /= H[7 * i];
  }
  return true;
}

}  // namespace pintle::vision
