/// Where the goal of a search is after so many metres of its way.
///
///   square spiral   east a, north a, west 2a, south 2a, east 3a …   a = step_m
///   climb           straight up
///   height          from the start's to climb_to_m, in step with the way made
#pragma once
#include "pintle/mission/aircraft.h"

namespace pintle::mission {

/// Length of the whole way, m; 0 for no pattern.
[[nodiscard]] double search_length(const SearchSpec& search, Vec3 from) noexcept;
[[nodiscard]] Vec3 search_point(const SearchSpec& search, Vec3 from, double way_m) noexcept;

}  // namespace pintle::mission
