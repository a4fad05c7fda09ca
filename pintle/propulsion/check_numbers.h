/// The usual checks of one number of a parameter struct. For sources of this room.
#pragma once
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "pintle/base/finding.h"
#include "pintle/base/vector.h"

namespace pintle::propulsion {

[[nodiscard]] inline std::string short_text(double x) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.6g", x);
  return buffer.data();
}

/// Beyond this nothing physical is meant, and sums would lose themselves.
inline constexpr double kLargest = 1e12;

inline void check_range(Findings& out, const char* name, double x, double lo, double hi,
                        const char* fix) {
  if (x >= lo && x <= hi) return;
  const std::string range = hi >= kLargest
                                ? "a number of at least " + short_text(lo)
                                : "a number from " + short_text(lo) + " to " + short_text(hi);
  out.push_back({name, "expected " + range + ", got " + short_text(x), fix});
}

inline void check_above(Findings& out, const char* name, double x, const char* fix) {
  if (x > 0 && x <= kLargest) return;
  out.push_back({name, "expected a number above 0, got " + short_text(x), fix});
}

/// Within a thousandth of length 1; a warning where the model makes it a unit vector anyway.
inline void check_unit(Findings& out, const char* name, Vec3 v, bool normalised_anyway = false) {
  const double length = norm(v);
  if (std::fabs(length - 1) <= 1e-3 + 1e-5) return;
  const bool usable = std::isfinite(length) && length > 0;
  const std::string fix = usable
                              ? "write  [" + short_text(v.x / length) + ", " +
                                    short_text(v.y / length) + ", " + short_text(v.z / length) + "]"
                              : "write a direction such as  [0, 0, 1]";
  out.push_back({name, "expected a unit vector, got length " + short_text(length), fix,
                 !(usable && normalised_anyway)});
}

}  // namespace pintle::propulsion
