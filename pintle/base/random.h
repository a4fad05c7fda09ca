/// Reproducible random numbers in independent streams.
///
/// A stream is named by a seed and a label ("imu noise", "thruster 3"), so that adding a consumer
/// never shifts the numbers of another. Generator: xoshiro256** (Blackman & Vigna 2018) seeded
/// through SplitMix64. Normal deviates come from the inverse of the normal distribution (Wichura
/// 1988, AS 241, relative accuracy about 1e-16): one uniform number in, one normal number out.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace pintle {

class RandomStream {
 public:
  RandomStream() noexcept : RandomStream(0, {}) {}
  RandomStream(std::uint64_t seed, std::string_view label) noexcept;

  [[nodiscard]] std::uint64_t bits() noexcept;
  /// In the open interval (0, 1).
  [[nodiscard]] double uniform() noexcept;
  [[nodiscard]] double uniform(double lower, double upper) noexcept {
    return lower + (upper - lower) * uniform();
  }
  /// Mean 0, variance 1.
  [[nodiscard]] double normal() noexcept;

 private:
  std::array<std::uint64_t, 4> state_{};
};

/// Quantile of the standard normal distribution, p in (0, 1).
[[nodiscard]] double normal_quantile(double p) noexcept;

}  // namespace pintle
