/// The proof of proof.h, eight channels at a time. Internal to this room.
#pragma once
#include <algorithm>
#include <cmath>

#include "pintle/allocation/internal/lanes.h"
#include "pintle/allocation/internal/prepared_kernels.h"

namespace pintle::allocation::PINTLE_LEVEL {
namespace {

double gap_of(const Prepared& p, const WrenchDemand& demand, const Allocation& answer) noexcept {
  const std::size_t n = p.working.n;
  if (!p.usable || answer.effort.size() != n) return -1;
  const BoxProblem& box = p.scaled.box;
  std::array<double, kAxes> weight = demand.weight;
  const double r = box.r;
  // what the first of several groups trades, later ones have changed since
  if (!one_group(demand) && first_group(demand, weight) && r > 0) return -1;

  const Vec6 wanted = to_vec6(demand.F_Bo_B), missing = to_vec6(answer.residual);
  const Lanes unit =
      pad(weight.data()) / all_lanes(p.scaled.gain_unit) / all_lanes(p.scaled.effort_unit);
  const Lanes size = magnitude(unit) * (magnitude(pad(wanted.v.data())) + pad(p.row_size.v.data()));
  const double most = std::max(std::sqrt(r), greatest_of(size));
  if (most == 0) return 0;
  // in units of the largest: squares of any demand stay in range
  const Lanes error = unit * pad(missing.v.data()) / all_lanes(most), part = size / all_lanes(most);
  const double trade = r / most, scale = sum_of(part * part) + trade / most * p.box_size2;

  double gap = 0;
  for (std::size_t at = 0; at < n; at += kLanes) {
    const Lanes x = (load(answer.effort.data() + at) - load(&p.working.preferred[at])) /
                    all_lanes(p.scaled.effort_unit);
    const Lanes lower = load(&box.lower[at]), upper = load(&box.upper[at]);
    const Lanes slope = trade * x - combined(numbers_of(error), kept_rows(p, at));
    const Lanes low = slope * (x - lower), high = slope * (x - upper);
    const Lanes most_here = select(low > high, low, high);
    // what is not a number counts
    const Lanes counted = select(most_here <= all_lanes(0), all_lanes(0), most_here);
    gap += sum_of(select((lower < upper) & lanes_of(used_of(n, at)), counted, all_lanes(0)));
  }
  if (scale == 0) return 0;
  const double rounding = 0x1p-49 * static_cast<double>(n + kAxes);
  const double share = 2 * gap / most / scale + rounding;
  return std::isfinite(share) ? share : -1;
}

}  // namespace
}  // namespace pintle::allocation::PINTLE_LEVEL
