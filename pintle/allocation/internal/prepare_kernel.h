/// What does not depend on the demand, eight channels at a time. Internal to this room.
#pragma once
#include <algorithm>
#include <bit>
#include <utility>

#include "pintle/allocation/internal/guess.h"
#include "pintle/allocation/internal/prepared_kernels.h"
#include "pintle/allocation/internal/reach_kernel.h"
#include "pintle/allocation/internal/set_search.h"
#include "pintle/allocation/rejection.h"

namespace pintle::allocation::PINTLE_LEVEL {
namespace {

PINTLE_INLINE void copy(const double* from, std::size_t count, double* to) noexcept {
  for (std::size_t at = 0; at < count; at += kLanes) store(load(from + at), to + at);
}

/// Keeps what is compared with the inputs of the next call.
void keep_inputs(Prepared& p, const Settings& settings, const Effectiveness& e, bool same_map,
                 const std::array<double, kAxes>& weight, const PropulsorHealth* health) noexcept {
  const std::size_t n = std::min<std::size_t>(e.n, kMaxChannels);
  Effectiveness& kept = p.effectiveness;
  p.settings = settings;
  p.weight = weight;
  kept.n = e.n;
  kept.geometry_share = e.geometry_share;
  kept.controlled = e.controlled;
  if (!same_map) {
    copy(e.column[0].v.data(), kAxes * n, kept.column[0].v.data());
    copy(e.effort_weight.data(), n, kept.effort_weight.data());
  }
  kept.bias = e.bias;
  copy(e.lower.data(), n, kept.lower.data());
  copy(e.upper.data(), n, kept.upper.data());
  copy(e.preferred.data(), n, kept.preferred.data());
  // which may be these very ones
  for (std::size_t i = 0; health != nullptr && i < n; ++i) p.health[i] = health[i];
  if (health == nullptr && !p.all_good) p.health.fill({});
  p.all_good = health == nullptr;
}

bool has_weights(const Effectiveness& e, std::size_t n) noexcept {
  unsigned others = 0;
  for (std::size_t at = 0; at < n; at += kLanes)
    others |= ~bits_of(load(&e.effort_weight[at]) == all_lanes(1)) & used_of(n, at);
  return others != 0;
}

// the last set as far as channels have the width for it; no more than a place to begin
void keep_set(Prepared& p) noexcept {
  p.set_due = p.set_first && (p.set.ready || p.set_due || p.map.ready);
  for (std::size_t at = 0; p.set_due && at < p.working.n; at += kLanes) {
    const HeldBits was = read_eight(&p.set.held[at]);
    const unsigned wide = eight_at(p.scaled_wide, at);
    write_eight({was.lower & wide, was.upper & wide, ~wide & used_of(p.working.n, at)},
                &p.set.held[at]);
  }
}

/// The rows of the scaled columns, what they move, and whether channels are uneven.
void prepare_rows(Prepared& p) noexcept {
  const Working& w = p.working;
  const BoxProblem& box = p.scaled.box;
  p.wide = channels_with_width(w);
  p.trades = p.settings.objective.r() > 0;
  Lanes size = magnitude(pad(w.bias.v.data())), box_size2 = all_lanes(0);
  Lanes there = pad(p.scaled.offset.v.data());
  Unevenness unevenness;
  for (std::size_t at = 0; at < w.n; at += kLanes) {
    const unsigned used = used_of(w.n, at);
    const Lanes reach = greater_of(magnitude(load(&w.lower[at])), magnitude(load(&w.upper[at])));
    for (std::size_t i = at; i < std::min(at + kLanes, std::size_t{w.n}); ++i)
      size += reach[i - at] * magnitude(pad(w.column[i].v.data()));
    const unsigned moving = eight_at(p.scaled_wide, at);
    SixLanes row = rows_of(box.column.data() + at, used);
    for (std::size_t k = 0; k < kAxes; ++k) {
      row[k] = only(moving, row[k]);
      store(row[k], &p.row[k][at]);
    }
    for (unsigned bits = used & ~moving; bits != 0; bits &= bits - 1) {
      const std::size_t i = at + static_cast<std::size_t>(std::countr_zero(bits));
      there += (w.lower[i] - w.preferred[i]) * pad(w.column[i].v.data());
    }
    const LaneMask moves = lanes_of(moving);
    const Lanes most = greater_of(magnitude(load(&box.lower[at])), magnitude(load(&box.upper[at])));
    box_size2 += select(moves, most * most, all_lanes(0));
    unevenness.add(row, moves, most);
  }
  p.box_size2 = sum_of(box_size2);
  store_six(size, p.row_size.v.data());
  const LaneMask unasked = pad(p.weight.data()) == all_lanes(0);
  store_six(select(unasked, all_lanes(0), there), p.there.v.data());
  p.demanded = static_cast<AxisMask>(~bits_of(unasked) & kAllAxes);
  p.uneven = unevenness.some();
}

/// The linear map without bounds; its system stays while columns, health and weights do.
void prepare_gain(Prepared& p) noexcept {
  p.free_ready = p.free_weak = p.free_map.ready = false;
  if (p.uneven) return;
  HeldSet set;
  p.free_ready = p.working.n <= kLanes && !p.wide_rows && SetSearch(p).make_free();
  if (!p.free_ready) {
    for (std::size_t i = 0; i < p.working.n; ++i)
      p.solution.held[i] = (p.scaled_wide >> i & 1) == 0 ? Held::kFixed : Held::kFree;
    p.scaled.box.b = {};
    p.free_ready = Guess(p.scaled.box, p.solution).factor(set);
    if (!p.free_ready) return;
    p.free_weak = set.weak || !set.spanned;
  }
  // effort = gain * demand, from the map of scaled numbers
  const Lanes unit = inverse_of_unit(p.scaled.gain_unit) * pad(p.scaled.weight.v.data());
  for (std::size_t at = 0; at < p.working.n; at += kLanes) {
    const SixLanes row = kept_rows(p, at);
    for (std::size_t k = 0; k < kAxes; ++k) {
      const bool mapped = p.free_map.ready;
      const Lanes gain = mapped ? load(p.free_map.gain[k].data()) : combined(set.slope[k], row);
      store(unit[k] * gain, &p.gain[k][at]);
    }
  }
}

/// What of the box enters the case without bounds, as far as it is known.
void prepare_idle(Prepared& p) noexcept {
  const Working& w = p.working;
  p.free_keeps_digits = p.idle_is_zero = false;
  const bool rests = bits_of(pad(p.there.v.data()) == all_lanes(0)) == 0xFF;
  if (!p.free_ready && !rests) return;
  Vec6 achieved = w.bias;
  bool keeps_digits = p.free_ready && p.weights_are_near;
  for (std::size_t at = 0; at < w.n; at += kLanes) {
    const unsigned used = used_of(w.n, at);
    const LaneMask moves = lanes_of(eight_at(p.scaled_wide, at));
    Lanes sum = all_lanes(0);
    for (std::size_t k = 0; k < kAxes && !rests; ++k) sum += p.there[k] * load(&p.gain[k][at]);
    if (p.free_weak) {
      Lanes through = all_lanes(0);
      for (std::size_t k = 0; k < kAxes; ++k)
        through += p.row_size[k] * magnitude(load(&p.gain[k][at]));
      // gains so large beside the efforts that remain of them lose digits that a solve keeps
      const double most = p.free_map.ready && p.map.lost != 0 ? kMostFilled : kMostThrough;
      keeps_digits = keeps_digits && greatest_of(through) <= most * p.scaled.effort_unit;
    }
    const Lanes zero = all_lanes(0), one = all_lanes(1), least_room = all_lanes(1e-300);
    const Lanes lower = load(&w.lower[at]), upper = load(&w.upper[at]);
    const Lanes idle = only(used, select(moves, load(&w.preferred[at]) - sum, lower));
    store(idle, &p.idle[at]);
    if (bits_of(idle == zero) != 0xFF)
      achieved = achieved + six_sums(times_each(idle, rows_of(w.column.data() + at, used)));
    const Lanes up = one / greater_of(upper - idle, least_room);
    const Lanes down = one / greater_of(idle - lower, least_room);
    store(only(used, select(idle < upper, up, zero)), &p.per_room_up[at]);
    store(only(used, select(lower < idle, zero - down, zero)), &p.per_room_down[at]);
  }
  p.free_keeps_digits = keeps_digits;
  // written so that NaN fails
  const unsigned none =
      bits_of(magnitude(pad(achieved.v.data())) <= 1e-9 * pad(p.row_size.v.data()));
  p.idle_is_zero = !p.trades && (p.demanded & ~none) == 0;
}

// everything behind the working columns; false where numbers leave the range. `same_columns`: those
// are what is scaled already, without traces taken out then or now
bool prepare_scaled(Prepared& p, bool made, bool same_map, bool same_columns) noexcept {
  p.scaled.box.n = p.working.n;
  const ChannelMask before = p.scaled_wide;
  p.usable = p.usable && scale_box(p.working, p.scaled);
  p.scaled_wide = p.usable ? channels_with_width(p.scaled.box) : 0;
  const bool was_uneven = p.uneven, all = !same_map || p.scaled_wide != before;
  if (all) {
    p.usable = p.usable && (same_columns ||
                            scale_columns(p.settings.objective.r(), p.working, p.weight, p.scaled));
    p.wide_rows = p.usable && p.scaled.wide_rows;
    p.set_first = p.set_first && made && p.usable && !p.wide_rows;
    keep_set(p);
    p.map.of_columns &= same_columns;
    p.free_ready = p.set.ready = p.answered = p.map.ready = p.map.tried = false;
  }
  if (!p.usable) return false;
  prepare_rows(p);
  if (p.uneven) p.free_ready = p.set.ready = p.set_due = p.map.ready = false;
  // also where the columns turn, and the next call will not ask for it: which way an answer was
  // found must not depend on what was asked before
  if (all || p.uneven != was_uneven) prepare_gain(p);
  prepare_idle(p);
  return true;
}

PINTLE_SELDOM void prepare(Prepared& p, const Settings& settings, const Effectiveness& e,
                           const std::array<double, kAxes>& weight,
                           const PropulsorHealth* health) noexcept {
  const std::size_t n = std::min<std::size_t>(e.n, kMaxChannels);
  const bool made = p.made && same_settings(p, settings, e);
  p.settings.max_iterations = settings.max_iterations;
  bool same_map = std::exchange(p.box_alone, false);
  if (made && !same_map && same_health(p, health, n)) {
    const BoxChanges changed = box_changes(p, e, n);
    same_map = !any(map_changes(p, e, n, weight) | changed.weights);
    if (same_map && !any(changed.box)) return;
  }
  p.plain = false;
  const bool was_weighted = p.weighted;
  // further apart they leave no map: what it would say of the light ones is rounding
  if (!made || weight != p.weight) p.weights_are_near = weights_are_near(weight, kWideRows);
  keep_inputs(p, settings, e, same_map, weight, health);
  const bool stay = same_map && health == nullptr && !p.traces && !was_weighted;
  if (stay) {
    p.working.usable = PINTLE_LEVEL::take_over_box(e, p.working);
  } else {
    apply_health(e, health, p.working);
  }
  p.usable = p.working.usable;
  p.weighted = has_weights(e, n);
  // the factor of new columns mostly says which axes are there; boxes of other widths have other
  // reaches: relative to each other they may lose an axis
  const bool known = p.reach.ready && same_map && channels_with_width(p.working) == p.reach.moves;
  const bool by_factor = (n <= kLanes) & p.usable & p.weights_are_near & !p.weighted & !known;
  const auto look_at_axes = [&] {
    update_reach(e, p.working, same_map, kReachThreshold, p.reach);
    p.traces = settings.drop_traces && p.usable && remove_traces(p.reach, p.working);
  };
  const bool had_traces = std::exchange(p.traces, false);
  if (!by_factor) look_at_axes();
  if (p.weighted) take_in_weights(e, p.working);
  p.usable = p.usable && p.working.usable;
  // nothing of what is not usable may be taken over by the next call
  p.made = prepare_scaled(p, made, same_map, same_map && !had_traces && !p.traces);
  if (by_factor && !(p.made && p.free_map.ready && !p.trades && p.wide == p.scaled_wide &&
                     ReachKernel(e, p.working, p.reach).by_factor(p, kReachThreshold))) {
    look_at_axes();
    if (p.traces) p.made = prepare_scaled(p, made, false, false);
  }
  if (!p.made) return;
  p.plain = p.free_keeps_digits && !p.wide_rows && !p.traces && p.working.n > 0;
  if (p.set.ready) p.set_wrench = wrench_of_set(p);
  if (p.map.ready) refresh_map(p);
}

}  // namespace
}  // namespace pintle::allocation::PINTLE_LEVEL
