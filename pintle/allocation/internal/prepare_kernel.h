/// What does not depend on the demand, eight channels at a time. Internal to this room.
#pragma once
#include <algorithm>
#include <cmath>

#include "pintle/allocation/internal/guess.h"
#include "pintle/allocation/internal/prepared_kernels.h"
#include "pintle/allocation/internal/set_search.h"
#include "pintle/allocation/internal/uneven.h"

namespace pintle::allocation::PINTLE_LEVEL {
namespace {

PINTLE_INLINE unsigned wide_at(ChannelMask wide, std::size_t at) noexcept {
  return static_cast<unsigned>(wide >> at) & 0xFFU;
}

/// The rows of the scaled columns, what they move, and whether channels are uneven.
void prepare_rows(Prepared& p) noexcept {
  const Working& w = p.working;
  const BoxProblem& box = p.scaled.box;
  p.wide = 0;
  p.trades = p.settings.objective.r() > 0;
  Lanes size = magnitude(pad(w.bias.v.data()));
  Lanes box_size2 = all_lanes(0);
  Lanes there = pad(p.scaled.offset.v.data());
  Unevenness unevenness;
  for (std::size_t at = 0; at < w.n; at += kLanes) {
    const unsigned used = used_of(w.n, at);
    const Lanes lower = load(&w.lower[at]), upper = load(&w.upper[at]);
    p.wide |= static_cast<ChannelMask>(bits_of(lower < upper) & used) << at;
    alignas(64) std::array<double, kLanes> reach;
    store(greater_of(magnitude(lower), magnitude(upper)), reach.data());
    Uncleared<Padded, kLanes> column;
    for (std::size_t i = 0; i < kLanes; ++i) {
      const bool is_there = at + i < w.n;
      column[i].v = is_there ? pad(box.column[at + i].v.data()) : all_lanes(0);
      if (is_there) size += reach[i] * magnitude(pad(w.column[at + i].v.data()));
      if (is_there && (p.scaled_wide >> (at + i) & 1) == 0)
        there += (w.lower[at + i] - w.preferred[at + i]) * pad(w.column[at + i].v.data());
    }
    std::array<Lanes, kAxes> row;
    transpose(column.data(), row.data());
    for (std::size_t k = 0; k < kAxes; ++k) store(row[k], &p.row[k][at]);
    const LaneMask moves = lanes_of(wide_at(p.scaled_wide, at));
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

/// effort = gain * demand of eight channels, from the map of scaled numbers.
PINTLE_INLINE void keep_gain(Prepared& p, std::size_t at, const SixLanes& map) noexcept {
  const Lanes unit = inverse_of_unit(p.scaled.gain_unit) * pad(p.scaled.weight.v.data());
  const LaneMask moves = lanes_of(wide_at(p.scaled_wide, at));
  for (std::size_t k = 0; k < kAxes; ++k)
    store(select(moves, unit[k] * map[k], all_lanes(0)), &p.gain[k][at]);
}

/// The linear map without bounds; its system stays while columns, health and weights do.
void prepare_gain(Prepared& p) noexcept {
  p.free_ready = p.free_weak = p.free_map.ready = false;
  if (p.uneven) return;
  if (p.working.n <= kLanes && !p.wide_rows && SetSearch(p).make_free()) {
    SixLanes gain;
    for (std::size_t k = 0; k < kAxes; ++k) gain[k] = load(p.free_map.gain[k].data());
    keep_gain(p, 0, gain);
    p.free_ready = true;
    return;
  }
  for (std::size_t i = 0; i < p.working.n; ++i)
    p.solution.held[i] = (p.scaled_wide >> i & 1) == 0 ? Held::kFixed : Held::kFree;
  p.scaled.box.b = {};
  HeldSet set;
  p.free_ready = Guess(p.scaled.box, p.solution).factor(set);
  if (!p.free_ready) return;
  p.free_weak = set.weak;
  for (std::size_t at = 0; at < p.working.n; at += kLanes) {
    SixLanes gain;
    for (std::size_t k = 0; k < kAxes; ++k) {
      gain[k] = set.slope[k][0] * load(&p.row[0][at]);
      for (std::size_t j = 1; j < kAxes; ++j) gain[k] += set.slope[k][j] * load(&p.row[j][at]);
    }
    keep_gain(p, at, gain);
  }
}

/// What of the box enters the case without bounds, as far as it is known.
void prepare_idle(Prepared& p) noexcept {
  const Working& w = p.working;
  p.free_keeps_digits = p.idle_is_zero = false;
  const bool rests = p.there == Vec6{};
  if (!p.free_ready && !rests) return;
  Lanes achieved = pad(w.bias.v.data());
  double through = 0;
  for (std::size_t at = 0; at < w.n; at += kLanes) {
    const unsigned used = used_of(w.n, at);
    const LaneMask moves = lanes_of(wide_at(p.scaled_wide, at));
    Lanes sum = all_lanes(0);
    if (p.free_ready) {
      Lanes most = all_lanes(0);
      for (std::size_t k = 0; k < kAxes; ++k) {
        const Lanes gain = load(&p.gain[k][at]);
        sum += p.there[k] * gain;
        most += p.row_size[k] * magnitude(gain);
      }
      through = std::max(through, greatest_of(most));
    }
    const Lanes lower = load(&w.lower[at]), upper = load(&w.upper[at]);
    const Lanes idle = only(used, select(moves, load(&w.preferred[at]) - sum, lower));
    store(idle, &p.idle[at]);
    for (std::size_t i = 0; i < kLanes && at + i < w.n; ++i)
      achieved += p.idle[at + i] * pad(w.column[at + i].v.data());
    const Lanes zero = all_lanes(0), most_per_room = all_lanes(1e300);
    const Lanes up = all_lanes(1) / (upper - idle), down = all_lanes(1) / (idle - lower);
    const Lanes up_cut = select(up < most_per_room, up, most_per_room);
    const Lanes down_cut = select(down < most_per_room, down, most_per_room);
    store(only(used, select(idle < upper, up_cut, zero)), &p.per_room_up[at]);
    store(only(used, select(lower < idle, zero - down_cut, zero)), &p.per_room_down[at]);
  }
  // a gain so large beside the effort that remains of it loses digits that a solve keeps
  p.free_keeps_digits =
      p.free_ready && (!p.free_weak || through <= kMostThrough * p.scaled.effort_unit);
  // written so that NaN fails
  const unsigned none = bits_of(magnitude(achieved) <= 1e-9 * pad(p.row_size.v.data()));
  p.idle_is_zero = !p.trades && (p.demanded & ~none) == 0;
}

}  // namespace
}  // namespace pintle::allocation::PINTLE_LEVEL
