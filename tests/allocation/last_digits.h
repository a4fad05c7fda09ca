/// For tests and campaigns: by how much the last digits of a problem move its optimum.
#pragma once
#include <algorithm>
#include <cmath>

#include "pintle/allocation/allocator.h"
#include "pintle/base/random.h"

namespace pintle::allocation::testing {

/// Of columns, bias and demand, each up or down: the most of some draws that an effort moves.
inline double moved_by_last_digits(Settings settings, const Effectiveness& effectiveness,
                                   const WrenchDemand& demand,
                                   const PropulsorHealth* health = nullptr) {
  constexpr int kDraws = 8;
  settings.objective.refine = true;
  Allocation exact, other;
  allocate(settings, effectiveness, demand, health, exact);
  RandomStream random(1, "last digits");
  const auto shaken = [&](Vec6 v) {
    for (double& x : v.v) x = std::nextafter(x, random.bits() % 2 == 0 ? HUGE_VAL : -HUGE_VAL);
    return v;
  };
  double moved = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    Effectiveness e = effectiveness;
    WrenchDemand d = demand;
    for (std::size_t i = 0; i < e.n; ++i) e.column[i] = shaken(e.column[i]);
    e.bias = to_wrench(shaken(to_vec6(e.bias)));
    d.F_Bo_B = to_wrench(shaken(to_vec6(d.F_Bo_B)));
    allocate(settings, e, d, health, other);
    for (std::size_t i = 0; i < exact.effort.size(); ++i)
      moved = std::max(moved, std::abs(other.effort[i] - exact.effort[i]));
  }
  return moved;
}

}  // namespace pintle::allocation::testing
