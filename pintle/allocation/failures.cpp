#include "pintle/allocation/failures.h"

#include <algorithm>
#include <array>

#include "pintle/allocation/levels.h"

namespace pintle::allocation {
namespace {

using HealthOfAll = std::array<PropulsorHealth, kMaxChannels>;

FailureCase judge(const Effectiveness& e, HealthOfAll health, int first, int second) {
  for (const int out : {first, second})
    if (out >= 0) health[static_cast<std::size_t>(out)].health = Health::kOut;
  FailureCase result{first, second, reachable_axes(e, health.data()), {}};
  for (std::size_t k = 0; k < kAxes; ++k) {
    if ((result.kept & axis_bit(k)) == 0) continue;
    const AxisReach reach = reach_along(e, {}, health.data(), k);
    result.reach[k] = std::min(reach.most, -reach.least);
  }
  return result;
}

}  // namespace

std::vector<FailureCase> failure_cases(const Effectiveness& effectiveness,
                                       const PropulsorHealth* health) {
  const int n = static_cast<int>(std::min<std::size_t>(effectiveness.n, kMaxChannels));
  HealthOfAll now{};
  if (health != nullptr) std::copy_n(health, n, now.begin());
  std::vector<FailureCase> cases{judge(effectiveness, now, -1, -1)};
  for (int i = 0; i < n; ++i) cases.push_back(judge(effectiveness, now, i, -1));
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) cases.push_back(judge(effectiveness, now, i, j));
  return cases;
}

}  // namespace pintle::allocation
