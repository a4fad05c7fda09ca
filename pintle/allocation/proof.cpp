#include "pintle/allocation/proof.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace pintle::allocation {
namespace {

// the weights of the group that is served first; whether there are others
bool first_group(const WrenchDemand& demand, Vec6& weight) noexcept {
  int first = 256;
  for (std::size_t k = 0; k < kAxes; ++k)
    if (demand.weight[k] != 0) first = std::min<int>(first, demand.group[k]);
  bool several = false;
  for (std::size_t k = 0; k < kAxes; ++k) {
    weight[k] = demand.group[k] == first ? demand.weight[k] : 0;
    several = several || (demand.weight[k] != 0 && demand.group[k] != first);
  }
  return several;
}

}  // namespace

double gap_of(const Prepared& p, const WrenchDemand& demand, const Allocation& answer) noexcept {
  if (!p.usable || answer.effort.size() != p.working.n) return -1;
  const BoxProblem& box = p.scaled.box;
  Vec6 weight, error, size;
  const double r = first_group(demand, weight) ? 0 : box.r;
  const Vec6 wanted = to_vec6(demand.F_Bo_B);
  const Vec6 missing = to_vec6(answer.residual);
  double most = std::sqrt(r);
  for (std::size_t k = 0; k < kAxes; ++k) {
    const double unit = weight[k] / p.scaled.gain_unit / p.scaled.effort_unit;
    error[k] = unit * missing[k];
    size[k] = std::abs(unit) * (std::abs(wanted[k]) + p.row_size[k]);
    most = std::max(most, size[k]);
  }
  if (most == 0) return 0;
  // in units of the largest: squares of any demand stay in range
  double scale = 0;
  for (std::size_t k = 0; k < kAxes; ++k) {
    error[k] /= most;
    scale += size[k] / most * (size[k] / most);
  }
  const double trade = r / most;
  scale += trade / most * p.box_size2;
  const std::size_t n = p.working.n;
  std::array<double, kMaxChannels> part;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = (answer.effort[i] - p.working.preferred[i]) / p.scaled.effort_unit;
    double slope = trade * x;
    for (std::size_t k = 0; k < kAxes; ++k) slope -= error[k] * p.row[k][i];
    const double low = slope * (x - box.lower[i]), high = slope * (x - box.upper[i]);
    const double most_here = low > high ? low : high;
    part[i] = box.lower[i] < box.upper[i] && !(most_here <= 0) ? most_here : 0;
  }
  double gap = 0;
  for (std::size_t i = 0; i < n; ++i) gap += part[i];
  if (scale == 0) return 0;
  const double rounding = 0x1p-49 * static_cast<double>(p.working.n + kAxes);
  const double share = 2 * gap / most / scale + rounding;
  return std::isfinite(share) ? share : -1;
}

}  // namespace pintle::allocation
