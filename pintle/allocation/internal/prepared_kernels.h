/// What allocate() does each tick for a vehicle it knows: eight channels at a time. Internal to
/// this room.
#pragma once
#include <algorithm>
#include <cmath>

#include "pintle/allocation/internal/lanes.h"
#include "pintle/allocation/internal/scaling_kernels.h"
#include "pintle/allocation/internal/set_search.h"
#include "pintle/allocation/prepared.h"

namespace pintle::allocation {

// a residual below this part of what passes through the axis is rounding
inline constexpr double kAchievedTolerance = 1e-9;
// of its larger bound: a free channel this near to one is on it
inline constexpr double kOnBound = 1e-14;

// of the largest bound: products beyond it may leave fewer than twelve digits of an effort
inline constexpr double kMostCancelled = 5e3;
// the same without bounds, whatever is demanded: of a weak direction the gain has lost as many
inline constexpr double kMostThrough = 50;
// and where lost directions were filled, which leaves their squares beside those of the columns
inline constexpr double kMostFilled = 15;

namespace PINTLE_LEVEL {
namespace {

/// Bit for bit: also NaN is what it was.
PINTLE_INLINE LaneMask differ(const Lanes& a, const Lanes& b) noexcept {
  LaneMask r;
  each_part([&](auto p) PINTLE_EACH { r.part[p] = (PartMask)a.part[p] ^ (PartMask)b.part[p]; });
  return r;
}

PINTLE_INLINE bool any(const LaneMask& mask) noexcept {
  PartMask all = mask.part[0];
  each_part([&](auto p) PINTLE_EACH { all |= mask.part[p]; });
#ifdef PINTLE_BY_HAND
  return _mm256_testz_si256((__m256i)all, (__m256i)all) == 0;
#else
  std::int64_t some = 0;
  for (std::size_t i = 0; i < kWidth; ++i) some |= all[i];
  return some != 0;
#endif
}

PINTLE_INLINE bool same_health(const Prepared& p, const PropulsorHealth* health,
                               std::size_t n) noexcept {
  return health == nullptr ? p.all_good : std::equal(health, health + n, p.health.begin());
}

// where columns and weights are others
PINTLE_INLINE LaneMask map_changes(const Prepared& p, const Effectiveness& e, std::size_t n,
                                   const std::array<double, kAxes>& weight) noexcept {
  const std::size_t count = kAxes * n;
  const double* now = e.column[0].v.data();
  const double* old = p.effectiveness.column[0].v.data();
  LaneMask changed = differ(pad(weight.data()), pad(p.weight.data()));
  std::size_t at = 0;
  for (; at + kLanes <= count; at += kLanes)
    changed = changed | differ(load(now + at), load(old + at));
  if (at < count)
    changed = changed | (differ(load(now + at), load(old + at)) & lanes_of(used_of(count, at)));
  return changed;
}

// where bounds, preferred efforts and bias are others; and the weights of efforts
struct BoxChanges {
  LaneMask box, weights;
};
PINTLE_INLINE BoxChanges box_changes(const Prepared& p, const Effectiveness& e,
                                     std::size_t n) noexcept {
  const Effectiveness& old = p.effectiveness;
  BoxChanges changed{differ(pad(six(e.bias)), pad(six(old.bias))), lanes_of(0)};
  for (std::size_t at = 0; at < n; at += kLanes) {
    const LaneMask used = lanes_of(used_of(n, at));
    const LaneMask box = differ(load(&e.lower[at]), load(&old.lower[at])) |
                         differ(load(&e.upper[at]), load(&old.upper[at])) |
                         differ(load(&e.preferred[at]), load(&old.preferred[at]));
    const LaneMask weights = differ(load(&e.effort_weight[at]), load(&old.effort_weight[at]));
    changed.box = changed.box | (n - at >= kLanes ? box : box & used);
    changed.weights = changed.weights | (n - at >= kLanes ? weights : weights & used);
  }
  return changed;
}

PINTLE_INLINE bool same_inputs_of(Prepared& p, const Effectiveness& e, std::size_t n,
                                  const std::array<double, kAxes>& weight,
                                  const PropulsorHealth* health) noexcept {
  if (any(map_changes(p, e, n, weight))) return false;
  const BoxChanges changed = box_changes(p, e, n);
  if (!any(changed.box | changed.weights) && same_health(p, health, n)) return true;
  p.box_alone = !any(changed.weights) && same_health(p, health, n);
  return false;
}

PINTLE_INLINE bool same_inputs(Prepared& p, const Effectiveness& e,
                               const std::array<double, kAxes>& weight,
                               const PropulsorHealth* health) noexcept {
  return e.n == kLanes
             ? same_inputs_of(p, e, kLanes, weight, health)
             : same_inputs_of(p, e, std::min<std::size_t>(e.n, kMaxChannels), weight, health);
}

// zero in the lanes that are not used
PINTLE_INLINE Lanes only(unsigned used, const Lanes& v) noexcept {
  return used == 0xFF ? v : select(lanes_of(used), v, all_lanes(0));
}

// how far the efforts run on along the line from idle through the answer
PINTLE_INLINE double margin_of(const Prepared& p, std::size_t n, const Allocation& out) noexcept {
  if (!p.idle_is_zero) return 1;
  Lanes used = all_lanes(1 / kLargestMargin);
  for (std::size_t at = 0; at < n; at += kLanes) {
    const Lanes effort = only(used_of(n, at), load(out.effort.data() + at));
    const Lanes step = effort - load(&p.idle[at]);
    used = greater_of(step * load(&p.per_room_up[at]), used);
    used = greater_of(step * load(&p.per_room_down[at]), used);
  }
  return 1 / greatest_of(used);
}

// what out.effort comes to. `unbounded`: no bound has changed it, so that nothing more can be had
PINTLE_INLINE void measure(const Prepared& p, const WrenchDemand& demand, std::size_t n,
                           ChannelMask at_lower, ChannelMask at_upper, bool unbounded,
                           Allocation& out) noexcept {
  Lanes achieved = pad(p.working.bias.v.data());
  const double* u = out.effort.data();
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    // what lies behind six of a column is not looked at
    const auto part = [&](std::size_t j)
                          PINTLE_EACH { return u[i + j] * load(p.working.column[i + j].v.data()); };
    achieved +=
        ((part(0) + part(4)) + (part(2) + part(6))) +
        ((part(1) + part(5)) + (part(3) + u[i + 7] * pad(p.working.column[i + 7].v.data())));
  }
  for (; i < n; ++i) achieved += u[i] * pad(p.working.column[i].v.data());
  const Lanes wanted = pad(six(demand.F_Bo_B)), residual = wanted - achieved;
  store_six(achieved, six(out.achieved));
  store_six(residual, six(out.residual));
  const Lanes limit = kAchievedTolerance * (magnitude(wanted) + pad(p.row_size.v.data()));
  const bool met = unbounded || (p.demanded & ~bits_of(magnitude(residual) <= limit)) == 0;
  out.at_lower = at_lower & p.wide;
  out.at_upper = at_upper & p.wide;
  out.grade = met ? AllocationGrade::kExact : AllocationGrade::kBounded;
  out.margin = met ? margin_of(p, n, out) : 0;
}

PINTLE_INLINE bool allocate_free_of(const Prepared& p, const WrenchDemand& demand, std::size_t n,
                                    Allocation& out) noexcept {
  const double* w = six(demand.F_Bo_B);
  out.effort.resize(n);
  ChannelMask at_lower = 0, at_upper = 0;
  for (std::size_t at = 0; at < n; at += kLanes) {
    // pairs of pairs: shorter than one after the other
    const auto part = [&](std::size_t k) PINTLE_EACH { return w[k] * load(&p.gain[k][at]); };
    const Lanes effort =
        ((part(0) + part(1)) + (part(2) + part(3))) + ((part(4) + part(5)) + load(&p.idle[at]));
    const Lanes lower = load(&p.working.lower[at]), upper = load(&p.working.upper[at]);
    const unsigned used = used_of(n, at);
    // written so that NaN fails
    if ((bits_of((lower <= effort) & (effort <= upper)) & used) != used) return false;
    store(only(used, effort), out.effort.data() + at);
    at_lower |= static_cast<ChannelMask>(bits_of(effort <= lower) & used) << at;
    at_upper |= static_cast<ChannelMask>(bits_of(upper <= effort) & used) << at;
  }
  out.iterations = 1;
  measure(p, demand, n, at_lower, at_upper, p.trades, out);
  return true;
}

bool allocate_free(const Prepared& p, const WrenchDemand& demand, Allocation& out) noexcept {
  return p.working.n == kLanes ? allocate_free_of(p, demand, kLanes, out)
                               : allocate_free_of(p, demand, p.working.n, out);
}

bool repeat_products(Prepared& p) noexcept {
  const BoxProblem& box = p.scaled.box;
  const HeldSet& set = p.set;
  const Vec6 c = box.b - p.set_wrench;
  const auto times = [&](const std::array<Vec6, kAxes>& six) {
    SixLanes row;
    for (std::size_t k = 0; k < kAxes; ++k) row[k] = pad(six[k].v.data());
    return combined(c, row);
  };
  // large products that cancel lose what a solve keeps: the same digits, cold or kept
  if (!(sum_of(magnitude(pad(c.v.data())) * pad(set.through.v.data())) <= kMostCancelled))
    return false;
  const Lanes l = times(set.slope), d = times(set.outside);
  double size = 0;
  for (std::size_t k = 0; k < kAxes; ++k)
    size = std::max({size, std::abs(box.b[k]), std::abs(p.set_wrench[k])});
  // only what is clear is taken: whatever is close goes to the solver
  for (std::size_t at = 0; at < box.n; at += kLanes) {
    const unsigned used = used_of(box.n, at), fixed = eight_at(set.fixed, at);
    const unsigned free = eight_at(set.free, at), up = eight_at(set.up, at);
    const Lanes lower = load(&box.lower[at]), upper = load(&box.upper[at]);
    const SixLanes row = kept_rows(p, at);
    const Lanes target = combined(numbers_of(l), row), bound = select(lanes_of(up), upper, lower);
    Lanes outwards = target - bound;
    if (!set.spanned) {
      // also where a column that does not move has set the unit, and the others are next to nothing; and where
      // held ones cancel each other for nothing
      const double clear = 1e-9 * size + 2 * kTied;
      const Lanes least = select(lanes_of(up), all_lanes(clear), all_lanes(-clear));
      outwards = select(lanes_of(eight_at(set.in_span, at)), outwards,
                        (combined(numbers_of(d), row) - least) + box.r * outwards);
    }
    const unsigned inside = bits_of((lower <= target) & (target <= upper)) & free;
    const unsigned above = bits_of(all_lanes(-kTied) <= outwards) & up;
    const unsigned below = bits_of(outwards <= all_lanes(kTied)) & ~free & ~up;
    if (((inside | above | below | fixed) & used) != used) return false;
    store(select(lanes_of(free), target, bound), &p.solution.x[at]);
  }
  p.solution.held = set.held;
  p.solution.iterations = 1;
  p.solution.converged = true;
  p.solution.loses_digits = false;
  return true;
}

void unscale(const Prepared& p, const Scaled& scaled, const WrenchDemand& demand,
             Allocation& out) noexcept {
  const BoxSolution& solution = p.solution;
  const std::size_t n = p.working.n;
  out.effort.resize(n);
  ChannelMask at_lower = 0, at_upper = 0;
  for (std::size_t at = 0; at < n; at += kLanes) {
    const unsigned used = used_of(n, at);
    const Lanes lower = load(&p.working.lower[at]), upper = load(&p.working.upper[at]);
    const Lanes x = load(&solution.x[at]);
    const Lanes low_bound = load(&scaled.box.lower[at]), high_bound = load(&scaled.box.upper[at]);
    const Lanes near = kOnBound * greater_of(magnitude(low_bound), magnitude(high_bound));
    // of a box as narrow as that each is held on its own bound
    const LaneMask low = (x <= low_bound + near) & (x < high_bound), high = high_bound - near <= x;
    Lanes effort = load(&p.working.preferred[at]) + scaled.effort_unit * x;
    effort = select(low, lower, select(high, upper, clamped(effort, lower, upper)));
    store(only(used, effort), out.effort.data() + at);
    at_lower |= static_cast<ChannelMask>(bits_of(effort == lower) & used) << at;
    at_upper |= static_cast<ChannelMask>(bits_of(effort == upper) & used) << at;
  }
  const bool unbounded =
      p.trades && std::all_of(solution.held.begin(), solution.held.begin() + n, [](Held held) {
        return held == Held::kFree || held == Held::kFixed;
      });
  out.iterations = static_cast<std::uint16_t>(std::min(solution.iterations, 65535));
  measure(p, demand, n, at_lower, at_upper, unbounded, out);
  if (solution.converged) return;
  out.grade = AllocationGrade::kIterationCapped;
  out.margin = 0;
}

PINTLE_INLINE bool is_plain(const Prepared& p, const Settings& settings, const Effectiveness& e,
                            const WrenchDemand& demand) noexcept {
  return p.plain & !settings.objective.refine & !settings.objective.preserve_direction &
         same_settings(p, settings, e) & one_group(demand);
}

bool allocate_again(Prepared& p, const Settings& settings, const Effectiveness& e,
                    const WrenchDemand& demand, const PropulsorHealth* health,
                    Allocation& out) noexcept {
  if (!is_plain(p, settings, e, demand) || !same_inputs(p, e, demand.weight, health)) return false;
  out.reachable = p.reach.axes;
  if (!p.set_first) return allocate_free(p, demand, out);
  if (!scale_demand(demand.F_Bo_B, p.scaled)) return false;
  p.settings.max_iterations = settings.max_iterations;
  const bool proved =
      p.map.ready ? follow_map(p) : p.set.ready && !p.set.weak && repeat_products(p);
  if (proved) unscale(p, p.scaled, demand, out);
  return proved;
}

// without a call, which would need a stack
void allocate_same(Prepared& p, const Settings& settings, const WrenchDemand& demand,
                   Allocation& out) noexcept {
  const bool free = is_plain(p, settings, p.effectiveness, demand) & !settings.prove & !p.weighted &
                    !p.set_first & (p.working.n == kLanes);
  if (!free || any(differ(pad(demand.weight.data()), pad(p.weight.data()))))
    return allocate_kept(p, settings, demand, out);
  out.reachable = p.reach.axes;
  out.gap = -1;
  if (!allocate_free_of(p, demand, kLanes, out)) return allocate_kept(p, settings, demand, out);
}

}  // namespace
}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
