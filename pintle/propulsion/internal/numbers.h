/// Numbers that a propulsor is told, made usable.
#pragma once
#include <cmath>

namespace pintle::propulsion {

[[nodiscard]] inline double finite_or_zero(double x) noexcept { return std::isfinite(x) ? x : 0; }

/// A time step that can be used; anything else is no time at all.
[[nodiscard]] inline double usable(double dt_s) noexcept {
  return dt_s > 0 && std::isfinite(dt_s) ? dt_s : 0;
}

/// NaN ends at `lo`.
[[nodiscard]] constexpr double clamp(double x, double lo, double hi) noexcept {
  return x >= lo ? (x <= hi ? x : hi) : lo;
}

}  // namespace pintle::propulsion
