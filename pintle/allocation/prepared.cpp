#include "pintle/allocation/prepared.h"

#include <algorithm>
#include <utility>

#include "pintle/allocation/internal/dispatch.h"
#include "pintle/allocation/internal/lanes.h"
#include "pintle/allocation/internal/refine.h"

namespace pintle::allocation {

int group_after(const WrenchDemand& demand, int group) noexcept {
  int next = kNoGroup;
  for (std::size_t k = 0; k < kAxes; ++k)
    if (demand.weight[k] != 0 && demand.group[k] > group)
      next = std::min<int>(next, demand.group[k]);
  return next;
}

bool first_group(const WrenchDemand& demand, std::array<double, kAxes>& weight) noexcept {
  const int first = group_after(demand, -1);
  for (std::size_t k = 0; k < kAxes; ++k)
    weight[k] = demand.group[k] == first ? demand.weight[k] : 0;
  return group_after(demand, first) < kNoGroup;
}

Vec6 wrench_of_set(const Prepared& p) noexcept {
  Vec6 wrench;
  const BoxProblem& box = p.scaled.box;
  for (std::size_t i = 0; i < p.working.n; ++i) {
    const double x = p.set.held[i] == Held::kUpper ? box.upper[i] : box.lower[i];
    if (p.set.held[i] != Held::kFree) wrench = wrench + x * box.column[i];
  }
  return wrench;
}

bool has_set(Prepared& p) noexcept {
  if (p.set_due) {
    p.set_due = false;
    std::copy_n(p.set.held.begin(), p.working.n, p.solution.held.begin());
    if (kernels().factor_set(p.scaled.box, p.solution, p.set)) p.set_wrench = wrench_of_set(p);
  }
  // of a weak set the system is solved as a new problem would: the same digits, cold or kept
  return p.set.ready && !p.set.weak;
}

bool repeat_set(Prepared& p) noexcept {
  const Kernels& k = kernels();
  if (p.uneven) return false;
  if (p.set_due && p.working.n <= kLanes && !p.wide_rows) {
    if (p.map.rest > 0)
      --p.map.rest;
    else if (k.make_map(p))
      return true;
  } else if (p.map.ready && k.repeat_map(p)) {
    return true;
  }
  if (std::exchange(p.map.tried, false)) {
    p.set_due = true;
    // with matrices only what was too close to call
    if (p.map.rest == 0) return false;
  }
  // and matrices only of columns that have come before
  return p.answered && has_set(p) && k.repeat_products(p);
}

bool leave_free(Prepared& p) noexcept {
  return p.working.n <= kLanes && !p.wide_rows && kernels().leave_free(p);
}

void solve_anew(Prepared& p) noexcept {
  const std::uint32_t n = p.working.n;
  const int cap = iteration_cap(p.settings, n);
  const bool warm = p.set.ready || p.set_due;
  if (warm) std::copy_n(p.set.held.begin(), n, p.solution.held.begin());
  // where double may not tell, refine.h goes on from the set that was reached
  if (p.wide_rows)
    solve_quickly(p.scaled.box, warm, cap / 2, p.solution);
  else
    solve(p.scaled.box, warm, cap, p.solution);
  // matrices only for a set that is asked for twice
  p.set.ready = p.map.ready = false;
  p.set_due = p.solution.converged;
  std::copy_n(p.solution.held.begin(), n, p.set.held.begin());
  p.set_first = std::any_of(p.set.held.begin(), p.set.held.begin() + n,
                            [](Held held) { return held == Held::kLower || held == Held::kUpper; });
  // whether they are well conditioned says there what has to be solved again
  if (p.wide_rows) static_cast<void>(has_set(p));
}

}  // namespace pintle::allocation
