#include "pintle/allocation/prepared.h"

#include <algorithm>
#include <cmath>

#include "pintle/allocation/internal/dispatch.h"
#include "pintle/allocation/internal/lanes.h"

#include "pintle/allocation/internal/reachable.h"
#include "pintle/allocation/internal/refine.h"

namespace pintle::allocation {
namespace {

// a channel that gains or loses its width changes the system of the free ones; in scaled numbers,
// where a preferred effort far away leaves none
ChannelMask channels_with_width(const BoxProblem& box) noexcept {
  ChannelMask wide = 0;
  for (std::size_t i = 0; i < box.n; ++i)
    if (box.lower[i] < box.upper[i]) wide |= ChannelMask{1} << i;
  return wide;
}

void keep_inputs(Prepared& p, const Settings& settings, const Effectiveness& e,
                 const std::array<double, kAxes>& weight, const PropulsorHealth* health) noexcept {
  const std::size_t n = std::min<std::size_t>(e.n, kMaxChannels);
  p.settings = settings;
  p.weight = weight;
  p.effectiveness.n = e.n;
  p.effectiveness.bias = e.bias;
  p.effectiveness.geometry_share = e.geometry_share;
  p.effectiveness.controlled = e.controlled;
  std::copy_n(e.column.begin(), n, p.effectiveness.column.begin());
  std::copy_n(e.lower.begin(), n, p.effectiveness.lower.begin());
  std::copy_n(e.upper.begin(), n, p.effectiveness.upper.begin());
  std::copy_n(e.preferred.begin(), n, p.effectiveness.preferred.begin());
  std::copy_n(e.effort_weight.begin(), n, p.effectiveness.effort_weight.begin());
  if (health != nullptr)
    std::copy_n(health, n, p.health.begin());
  else if (!p.all_good)
    p.health.fill({});
  p.all_good = health == nullptr;
}

void prepare_set(Prepared& p) noexcept {
  p.set_wrench = {};
  for (std::size_t i = 0; i < p.working.n; ++i) {
    if (p.set.held[i] == Held::kFree) continue;
    const BoxProblem& box = p.scaled.box;
    const double x = p.set.held[i] == Held::kUpper ? box.upper[i] : box.lower[i];
    p.set_wrench = p.set_wrench + x * box.column[i];
  }
}

// the last set as far as channels have the width for it; no more than a place to begin
void keep_set(Prepared& p) noexcept {
  p.set_due = p.set_first && (p.set.ready || p.set_due || p.map.ready);
  for (std::size_t i = 0; p.set_due && i < p.working.n; ++i)
    if ((p.scaled_wide >> i & 1) == 0)
      p.set.held[i] = Held::kFixed;
    else if (p.set.held[i] == Held::kFixed)
      p.set.held[i] = Held::kFree;
}

}  // namespace

void prepare(Prepared& p, const Settings& settings, const Effectiveness& effectiveness,
             const std::array<double, kAxes>& weight, const PropulsorHealth* health) noexcept {
  const bool made = p.made && same_settings(p, settings, effectiveness);
  p.settings.max_iterations = settings.max_iterations;
  const Kernels& k = kernels();
  if (made && k.same_inputs(p, effectiveness, weight, health)) return;
  p.plain = false;
  const bool same_map = made && k.same_map(p, effectiveness, weight, health);
  keep_inputs(p, settings, effectiveness, weight, health);
  p.made = true;
  apply_health(effectiveness, health, p.working);
  p.usable = p.working.usable && weights_are_near(weight);
  // boxes of other widths have other reaches: relative to each other they may lose an axis
  update_reach(effectiveness, p.working, same_map, kReachThreshold, p.reach);
  p.traces = settings.drop_traces && p.usable && remove_traces(p.reach, p.working);
  p.weighted = take_in_weights(effectiveness, p.working);
  p.usable = p.usable && p.working.usable;
  p.scaled.box.n = p.working.n;
  p.usable = p.usable && scale_box(p.working, p.scaled);
  const ChannelMask before = p.scaled_wide;
  p.scaled_wide = p.usable ? channels_with_width(p.scaled.box) : 0;
  const bool was_uneven = p.uneven;
  const bool all = !same_map || p.scaled_wide != before;
  if (all) {
    p.usable = p.usable && scale_columns(settings, p.working, weight, p.scaled);
    p.wide_rows = p.usable && p.scaled.wide_rows;
    p.set_first = p.set_first && made && p.usable && !p.wide_rows;
    keep_set(p);
    p.free_ready = p.set.ready = p.answered = p.known.ready = p.map.ready = false;
  }
  if (!p.usable) {
    // nothing of it may be taken over by the next call
    p.made = false;
    return;
  }
  k.prepare_rows(p);
  if (p.uneven) p.free_ready = p.set.ready = p.set_due = p.map.ready = false;
  // also where the columns turn, and the next call will not ask for it: which way an answer was found
  // must not depend on what was asked before
  if (all || p.uneven != was_uneven) k.prepare_gain(p);
  k.prepare_idle(p);
  p.plain = p.free_keeps_digits && !p.wide_rows && !p.traces && p.working.n > 0;
  if (p.set.ready) prepare_set(p);
  if (p.map.ready) k.refresh_map(p);
}

bool has_set(Prepared& p) noexcept {
  if (p.set_due) {
    p.set_due = false;
    std::copy_n(p.set.held.begin(), p.working.n, p.solution.held.begin());
    if (factor_set(p.scaled.box, p.solution, p.set)) prepare_set(p);
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
      p.set_due = false;
  }
  if (p.map.ready) {
    if (k.repeat_map(p)) return true;
    p.set_due = true;
    // with matrices only what was too close to call
    if (p.map.rest == 0) return false;
  }
  return has_set(p) && k.repeat_products(p);
}

bool leave_free(Prepared& p) noexcept {
  return p.working.n <= kLanes && !p.wide_rows && kernels().leave_free(p);
}

void solve_anew(Prepared& p) noexcept {
  const int n = static_cast<int>(p.working.n);
  const int cap = p.settings.max_iterations > 0 ? p.settings.max_iterations : 10 * n + 20;
  const bool warm = p.set.ready || p.set_due;
  if (warm) std::copy_n(p.set.held.begin(), n, p.solution.held.begin());
  // where double may not tell, refine.h goes on from the set that was reached
  if (p.wide_rows)
    solve_quickly(p.scaled.box, warm, cap / 2, p.solution);
  else
    solve(p.scaled.box, warm, cap, p.solution, &p.known);
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
