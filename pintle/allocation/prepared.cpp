#include "pintle/allocation/prepared.h"

#include <algorithm>
#include <cmath>

#include "pintle/allocation/internal/dispatch.h"
#include "pintle/allocation/internal/lanes.h"

#include "pintle/allocation/internal/reachable.h"
#include "pintle/allocation/internal/refine.h"

namespace pintle::allocation {
namespace {

// of the largest bound
constexpr double kMostThrough = 200;

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
  for (std::size_t i = 0; i < n; ++i)
    p.health[i] = health != nullptr ? health[i] : PropulsorHealth{};
  p.all_good = health == nullptr;
}

// zero as far as whole lanes reach
void clear_chunks(std::array<double, kMaxChannels>& numbers, std::size_t n) noexcept {
  std::fill_n(numbers.begin(), (n + kLanes - 1) / kLanes * kLanes, 0.0);
}

// the linear map without bounds; its system stays while columns, health and weights do
void prepare_gain(Prepared& p) noexcept {
  for (std::size_t i = 0; i < p.working.n; ++i) {
    const bool fixed = (p.scaled_wide >> i & 1) == 0;
    p.solution.held[i] = fixed ? Held::kFixed : Held::kFree;
  }
  p.scaled.box.b = {};
  if (!factor_set(p.scaled.box, p.solution, p.free)) return;
  for (std::size_t k = 0; k < kAxes; ++k) {
    clear_chunks(p.gain[k], p.working.n);
    for (std::size_t i = 0; i < p.working.n; ++i)
      if (p.free.held[i] != Held::kFixed)
        p.gain[k][i] =
            dot(p.free.slope[k], p.scaled.box.column[i]) * p.scaled.weight[k] / p.scaled.gain_unit;
  }
}

// what of the box enters the case without bounds
void prepare_idle(Prepared& p) noexcept {
  const Working& w = p.working;
  // what is there without the free channels leaving their preferred efforts
  Vec6 there = p.scaled.offset;
  for (std::size_t i = 0; i < w.n; ++i)
    if (p.free.held[i] == Held::kFixed) there = there + (w.lower[i] - w.preferred[i]) * w.column[i];
  Vec6 achieved = w.bias;
  for (auto* numbers : {&p.idle, &p.per_room_up, &p.per_room_down}) clear_chunks(*numbers, w.n);
  for (std::size_t i = 0; i < w.n; ++i) {
    double idle = w.lower[i];
    if (p.free.held[i] != Held::kFixed) {
      idle = 0;
      for (std::size_t k = 0; k < kAxes; ++k) idle += p.gain[k][i] * there[k];
      idle = w.preferred[i] - idle;
    }
    p.idle[i] = idle;
    achieved = achieved + p.idle[i] * w.column[i];
    const double up = w.upper[i] - p.idle[i];
    const double down = w.lower[i] - p.idle[i];
    p.per_room_up[i] = up > 0 ? std::min(1 / up, 1e300) : 0;
    p.per_room_down[i] = down < 0 ? std::max(1 / down, -1e300) : 0;
  }
  p.idle_is_zero = true;
  for (std::size_t k = 0; k < kAxes; ++k)
    if (p.weight[k] != 0 && p.settings.objective.r() == 0 &&
        !(std::abs(achieved[k]) <= 1e-9 * p.row_size[k]))
      p.idle_is_zero = false;
}

// a gain so large beside the effort that remains of it loses digits that a solve keeps
bool keeps_digits(const Prepared& p) noexcept {
  if (!p.free.weak) return true;
  double largest = 0;
  for (std::size_t i = 0; i < p.working.n; ++i) {
    double through = 0;
    for (std::size_t k = 0; k < kAxes; ++k) through += std::abs(p.gain[k][i]) * p.row_size[k];
    largest = std::max(largest, through);
  }
  return largest <= kMostThrough * p.scaled.effort_unit;
}

void prepare_rows(Prepared& p) noexcept {
  p.wide = 0;
  p.demanded = 0;
  p.trades = p.settings.objective.r() > 0;
  p.box_size2 = 0;
  for (std::size_t k = 0; k < kAxes; ++k) p.row_size[k] = std::abs(p.working.bias[k]);
  for (std::size_t i = 0; i < p.working.n; ++i) {
    const double reach = std::max(std::abs(p.working.lower[i]), std::abs(p.working.upper[i]));
    if (p.working.lower[i] < p.working.upper[i]) p.wide |= ChannelMask{1} << i;
    const BoxProblem& box = p.scaled.box;
    const double h = std::max(std::abs(box.lower[i]), std::abs(box.upper[i]));
    if (box.lower[i] < box.upper[i]) p.box_size2 += h * h;
    for (std::size_t k = 0; k < kAxes; ++k) {
      p.row_size[k] += std::abs(p.working.column[i][k]) * reach;
      p.row[k][i] = p.scaled.box.column[i][k];
    }
  }
  for (std::size_t k = 0; k < kAxes; ++k)
    if (p.weight[k] != 0) p.demanded = static_cast<AxisMask>(p.demanded | axis_bit(k));
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
    p.free.ready = p.set.ready = p.set_due = p.set_first = p.answered = p.known.ready = false;
    p.map.ready = false;
    p.usable = p.usable && scale_columns(settings, p.working, weight, p.scaled);
    p.wide_rows = p.usable && p.scaled.wide_rows;
  }
  if (!p.usable) {
    // nothing of it may be taken over by the next call
    p.made = false;
    return;
  }
  prepare_rows(p);
  p.uneven = k.uneven(p.scaled.box);
  if (p.uneven) p.free.ready = p.set.ready = p.map.ready = false;
  if (all || p.uneven != was_uneven) prepare_gain(p);
  p.free_keeps_digits = p.free.ready && keeps_digits(p);
  p.idle_is_zero = false;
  if (p.free.ready) prepare_idle(p);
  if (p.set.ready) prepare_set(p);
  if (p.map.ready) k.refresh_map(p);
  p.plain = p.free_keeps_digits && !p.wide_rows && !p.traces && p.working.n > 0;
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
  // whether they are well conditioned says there what has to be solved again
  if (p.wide_rows) static_cast<void>(has_set(p));
}

}  // namespace pintle::allocation
