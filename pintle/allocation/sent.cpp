#include <algorithm>
#include <cmath>

#include "pintle/allocation/allocator.h"

namespace pintle::allocation {

void set_sent(const Effectiveness& effectiveness, const WrenchDemand& demand,
              const PropulsorHealth* health, const ChannelVector& sent, Allocation& out) noexcept {
  const std::size_t n = std::min<std::size_t>(effectiveness.n, kMaxChannels);
  Vec6 achieved = to_vec6(effectiveness.bias);
  // `sent` may be out.effort
  const std::size_t there = std::min(n, sent.size());
  out.effort.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double effort = i < there && std::isfinite(sent[i]) ? sent[i] : 0;
    double delivered = effort;
    if (health != nullptr && health[i].health != Health::kGood) [[unlikely]] {
      switch (health[i].health) {
        case Health::kGood: break;
        case Health::kWeak: delivered *= health[i].efficiency; break;
        case Health::kStuck: delivered = health[i].stuck_effort; break;
        case Health::kReversed: delivered = -delivered; break;
        case Health::kOut: delivered = 0; break;
      }
    }
    out.effort[i] = effort;
    const Vec6& column = effectiveness.column[i];
    for (std::size_t k = 0; k < kAxes; ++k) achieved[k] += delivered * column[k];
  }
  out.achieved = to_wrench(achieved);
  out.residual = demand.F_Bo_B - out.achieved;
}

}  // namespace pintle::allocation
