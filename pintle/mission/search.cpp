#include "pintle/mission/search.h"

#include <algorithm>
#include <cmath>

namespace pintle::mission {
namespace {

/// Sides of the spiral until it is as wide as asked for; the last one ends a turn.
int sides_of(const SearchSpec& s) noexcept {
  const double turns = std::ceil(s.radius_m / std::max(s.step_m, 0.01));
  return 4 * static_cast<int>(std::clamp(turns, 1.0, 1000.0));
}

/// Side i is (i/2 + 1) steps long.
double side_m(const SearchSpec& s, int i) noexcept {
  const int steps = i / 2 + 1;
  return s.step_m * steps;
}

double height(const SearchSpec& s, Vec3 from, double share) noexcept {
  return s.climb_to_m > from.z ? from.z + share * (s.climb_to_m - from.z) : from.z;
}

}  // namespace

double search_length(const SearchSpec& s, Vec3 from) noexcept {
  if (s.pattern == SearchPattern::kClimb) return std::max(0.0, s.climb_to_m - from.z);
  if (s.pattern == SearchPattern::kNone) return 0;
  const int half = sides_of(s) / 2;
  return s.step_m * half * (half + 1);
}

Vec3 search_point(const SearchSpec& s, Vec3 from, double way_m) noexcept {
  const double length = search_length(s, from);
  if (!(length > 0)) return from;
  const double way = std::clamp(way_m, 0.0, length);
  Vec3 p = from;
  p.z = height(s, from, way / length);
  if (s.pattern == SearchPattern::kClimb) return p;
  double left = way;
  for (int i = 0; i < sides_of(s) && left > 0; ++i) {
    const double along = std::min(left, side_m(s, i));
    left -= along;
    const double sign = i % 4 < 2 ? 1 : -1;
    (i % 2 == 0 ? p.x : p.y) += sign * along;
  }
  return p;
}

}  // namespace pintle::mission
