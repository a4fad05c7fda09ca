/// Commands that a servo follows: shares of a range, at a limited rate.
#pragma once
#include <cmath>

#include "pintle/propulsion/arithmetic.h"
#include "pintle/propulsion/internal/numbers.h"

namespace pintle::propulsion {

struct ServoReach {
  double lower, upper;
};

/// Where a command may be dt_s after `commanded`, within [-1, 1]; a rate or a range of 0: anywhere.
[[nodiscard]] inline ServoReach servo_reach(double commanded, double max_rate_deg_s,
                                            double range_deg, double dt_s) noexcept {
  if (!(max_rate_deg_s > 0 && range_deg > 0)) return {-1, 1};
  const double at = clip(tame(commanded), -1, 1);
  const double turn = max_rate_deg_s * usable(dt_s) / range_deg;
  return {std::fmax(-1, at - turn), std::fmin(1, at + turn)};
}

}  // namespace pintle::propulsion
