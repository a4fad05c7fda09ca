/// Reproducible random numbers in independent streams.
///
/// A stream is named by a seed and a label ("imu noise", "thruster 3"), so that adding a consumer
/// never shifts the numbers of another. Generator: xoshiro256** (Blackman & Vigna 2018) seeded
/// through SplitMix64. Normal deviates come from the inverse of the normal distribution (Wichura
/// 1988, AS 241, relative accuracy about 1e-16): one uniform number in, one normal number out.
/// Bits and uniform numbers are the same on every machine; in the tails a normal one is as equal as
/// the logarithm of the C library.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace pintle {

class RandomStream {
 public:
  RandomStream() noexcept : RandomStream(0, {}) {}
  RandomStream(std::uint64_t seed, std::string_view label) noexcept;

  /// 64 random bits.
  [[nodiscard]] std::uint64_t bits() noexcept;
  /// In the open interval (0, 1), in steps of 2^-52.
  [[nodiscard]] double uniform() noexcept;
  /// Rounding may give the ends themselves.
  [[nodiscard]] double uniform(double lower, double upper) noexcept {
    return lower + (upper - lower) * uniform();
  }
  /// Mean 0, variance 1.
  [[nodiscard]] double normal() noexcept;

 private:
  std::array<std::uint64_t, 4> state_{};
};

/// Quantile of the standard normal distribution for p in (0, 1); NaN for every other p.
[[nodiscard]] double normal_quantile(double p) noexcept;

}  // namespace pintle
