#include "pintle/allocation/internal/health.h"

#include <algorithm>
#include <cmath>

#include "pintle/allocation/internal/dispatch.h"

namespace pintle::allocation {

double safe_effort(double lower, double upper) noexcept {
  double effort = 0;
  if (std::isfinite(lower) && effort < lower) effort = lower;
  if (std::isfinite(upper) && effort > upper) effort = upper;
  return effort;
}

void take_in_weights(const Effectiveness& effectiveness, Working& working) noexcept {
  for (std::size_t i = 0; i < working.n; ++i) {
    const double weight = effectiveness.effort_weight[i];
    // written so that NaN fails
    if (!(weight > 0 && std::isfinite(weight))) working.usable = false;
    for (double& x : working.column[i].v) x /= weight;
    working.lower[i] *= weight;
    working.upper[i] *= weight;
    working.preferred[i] *= weight;
  }
}

void apply_health(const Effectiveness& effectiveness, const PropulsorHealth* health,
                  Working& working) noexcept {
  working.usable = kernels().take_over(effectiveness, working);
  if (health == nullptr) return;
  for (std::size_t i = 0; i < working.n; ++i) {
    double fixed = 0;
    switch (health[i].health) {
      case Health::kGood: continue;
      case Health::kReversed: working.column[i] = -1.0 * working.column[i]; continue;
      case Health::kWeak:
        if (!(health[i].efficiency >= 0 && health[i].efficiency <= 1)) working.usable = false;
        working.column[i] = health[i].efficiency * working.column[i];
        continue;
      case Health::kStuck:
        if (!std::isfinite(health[i].stuck_effort)) working.usable = false;
        fixed = health[i].stuck_effort;
        working.bias = working.bias + fixed * working.column[i];
        if (working.usable) fixed = std::clamp(fixed, working.lower[i], working.upper[i]);
        break;
      case Health::kOut: break;
    }
    working.column[i] = {};
    working.lower[i] = working.upper[i] = working.preferred[i] = fixed;
  }
  if (!is_finite(working.bias)) working.usable = false;
}

}  // namespace pintle::allocation
