/// Time as integer nanoseconds.
///
/// A `Time` counts from the start of a run (virtual clock) or from the caller's epoch (real clock);
/// a `Duration` is a difference. Both are exact, so that a replay meets the same values bit for
/// bit.
///
/// 64 bits hold 292 years either way. Sums and differences saturate: a stamp may hold any bits, and
/// what lies absurdly far apart is the largest duration, not a wrapped one.
#pragma once
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>

namespace pintle {

/// a + b and a - b, cut at the ends of 64 bits.
[[nodiscard]] constexpr std::int64_t saturated_sum(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<std::int64_t>::max()
               : std::numeric_limits<std::int64_t>::min();
}
[[nodiscard]] constexpr std::int64_t saturated_difference(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return b < 0 ? std::numeric_limits<std::int64_t>::max()
               : std::numeric_limits<std::int64_t>::min();
}

struct Duration {
  std::int64_t ns = 0;

  /// Nearest nanosecond. Beyond 9.2e9 s it is the largest (or smallest) duration; NaN gives zero.
  [[nodiscard]] static Duration from_seconds(double s) noexcept {
    const double ns = s * 1e9;
    if (!(ns > -9.2e18 && ns < 9.2e18)) {
      if (std::isnan(ns)) return {};
      return {ns > 0 ? std::numeric_limits<std::int64_t>::max()
                     : std::numeric_limits<std::int64_t>::min()};
    }
    return {static_cast<std::int64_t>(std::llround(ns))};
  }
  [[nodiscard]] constexpr double seconds() const noexcept { return static_cast<double>(ns) * 1e-9; }

  auto operator<=>(const Duration&) const = default;
  friend constexpr Duration operator+(Duration a, Duration b) noexcept {
    return {saturated_sum(a.ns, b.ns)};
  }
  friend constexpr Duration operator-(Duration a, Duration b) noexcept {
    return {saturated_difference(a.ns, b.ns)};
  }
};

struct Time {
  std::int64_t ns = 0;

  [[nodiscard]] static Time from_seconds(double s) noexcept {
    return {Duration::from_seconds(s).ns};
  }
  [[nodiscard]] constexpr double seconds() const noexcept { return static_cast<double>(ns) * 1e-9; }

  auto operator<=>(const Time&) const = default;
  friend constexpr Duration operator-(Time a, Time b) noexcept {
    return {saturated_difference(a.ns, b.ns)};
  }
  friend constexpr Time operator+(Time a, Duration d) noexcept {
    return {saturated_sum(a.ns, d.ns)};
  }
  friend constexpr Time operator-(Time a, Duration d) noexcept {
    return {saturated_difference(a.ns, d.ns)};
  }
};

}  // namespace pintle
