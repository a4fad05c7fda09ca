#include "pintle/allocation/allocator.h"

#include <algorithm>
#include <cmath>

#include "pintle/allocation/internal/dispatch.h"
#include "pintle/allocation/internal/refine.h"
#include "pintle/allocation/levels.h"
#include "pintle/allocation/prepared.h"
#include "pintle/allocation/proof.h"
#include "pintle/allocation/rejection.h"

namespace pintle::allocation {
namespace {

// of what all channels move along an axis
constexpr double kMet = 1e-14;

void reject(const Effectiveness& effectiveness, const WrenchDemand& demand,
            const PropulsorHealth* health, Allocation& out) noexcept {
  ChannelVector safe(effectiveness.n);
  for (std::size_t i = 0; i < safe.size(); ++i) {
    const bool is_out = health != nullptr && health[i].health == Health::kOut;
    safe[i] = is_out ? 0 : safe_effort(effectiveness.lower[i], effectiveness.upper[i]);
  }
  set_sent(effectiveness, demand, health, safe, out);
  out.at_lower = out.at_upper = 0;
  out.margin = 0;
  out.iterations = 0;
  out.grade = AllocationGrade::kRejected;
}

// numbers so far apart that nothing is left of them end as NaN: never as an effort
void keep_finite(const BoxProblem& box, BoxSolution& solution) noexcept {
  for (std::size_t i = 0; i < box.n; ++i) {
    if (std::isfinite(solution.x[i])) continue;
    solution.x[i] = safe_effort(box.lower[i], box.upper[i]);
    solution.converged = false;
  }
}

// efforts in the vehicle's units again, bounds bit for bit
void take_out_weights(const Prepared& prepared, const Effectiveness& e, Allocation& out) noexcept {
  for (std::size_t i = 0; i < out.effort.size(); ++i) {
    const ChannelMask bit = ChannelMask{1} << i;
    double& u = out.effort[i];
    if (prepared.health[i].health == Health::kOut) continue;
    u = (out.at_lower & bit) != 0   ? e.lower[i]
        : (out.at_upper & bit) != 0 ? e.upper[i]
                                    : std::clamp(u / e.effort_weight[i], e.lower[i], e.upper[i]);
    if (u == e.lower[i]) out.at_lower |= bit & prepared.wide;
    if (u == e.upper[i]) out.at_upper |= bit & prepared.wide;
  }
}

// to the last digits: what is graded as exact may still be a part of an earlier group
bool nothing_is_missing(const Prepared& p, const Allocation& out) noexcept {
  const Vec6 missing = to_vec6(out.residual);
  for (std::size_t k = 0; k < kAxes; ++k)
    if (p.weight[k] != 0 && !(std::abs(missing[k]) <= kMet * p.row_size[k])) return false;
  return true;
}

/// For what `prepare` has made ready; false where it, or the demand, is not sound.
bool allocate_prepared(Prepared& prepared, const Settings& settings, const WrenchDemand& demand,
                       Allocation& out) noexcept {
  const Kernels& k = kernels();
  const bool refined = settings.objective.refine, levels = has_levels(settings, demand);
  const bool by_products = prepared.usable && prepared.free_keeps_digits && !refined;
  const bool plain = by_products && !levels && !prepared.wide_rows && prepared.working.n > 0;
  const bool set_first = plain && prepared.set_first;
  // with new columns first of all, as a fresh call would
  const bool anew = !prepared.answered;
  const bool inside = anew && plain && k.allocate_free(prepared, demand, out);
  if (!inside && set_first && k.scale_demand(demand.F_Bo_B, prepared.scaled) &&
      repeat_set(prepared)) {
    k.unscale(prepared, prepared.scaled, demand, out);
    return true;
  }
  const bool free_last = plain && prepared.free_map.ready && !prepared.set_first;
  prepared.answered = true;
  prepared.set_first = false;
  // a demand that is not finite gives no effort inside its bounds
  if (inside || (!anew && plain && k.allocate_free(prepared, demand, out))) return true;
  if (!prepared.usable || !is_finite(to_vec6(demand.F_Bo_B))) return false;
  if (!prepared.weights_are_near && !weights_are_near(prepared.effectiveness, demand)) return false;
  if (levels) {
    // what all groups can have together is the plain problem, unless something is out of reach
    if (by_products && settings.objective.r() == 0 && k.allocate_free(prepared, demand, out) &&
        nothing_is_missing(prepared, out))
      return true;
    prepared.set.ready = prepared.set_due = prepared.map.ready = false;
    Scaled scaled;
    if (!solve_levels(settings, prepared.working, demand, scaled, prepared.solution)) return false;
    k.unscale(prepared, scaled, demand, out);
    return true;
  }
  if (!k.scale_demand(demand.F_Bo_B, prepared.scaled)) return false;
  prepared.set_first = true;
  if (set_first || !((free_last && leave_free(prepared)) || repeat_set(prepared)))
    solve_anew(prepared);
  const bool doubtful =
      prepared.solution.loses_digits ||
      (prepared.wide_rows &&
       (!prepared.set.ready || k.is_unclear(prepared.scaled.box, prepared.solution)));
  finish_solving(refined || doubtful, prepared.working, demand.F_Bo_B, prepared.scaled,
                 iteration_cap(settings, prepared.working.n), prepared.solution);
  keep_finite(prepared.scaled.box, prepared.solution);
  k.unscale(prepared, prepared.scaled, demand, out);
  return true;
}

[[gnu::noinline]] void allocate_anew(Prepared& prepared, const Settings& settings,
                                     const Effectiveness& effectiveness, const WrenchDemand& demand,
                                     const PropulsorHealth* health, Allocation& out) noexcept {
  kernels().prepare(prepared, settings, effectiveness, demand.weight, health);
  out.reachable = prepared.reach.axes;
  if (!allocate_prepared(prepared, settings, demand, out))
    reject(effectiveness, demand, health, out);
  out.gap = -1;
}

// what is asked for besides, and the vehicle's own numbers where others were solved with
[[gnu::noinline]] void finish(const Prepared& prepared, const Settings& settings,
                              const Effectiveness& effectiveness, const WrenchDemand& demand,
                              const PropulsorHealth* health, Allocation& out) noexcept {
  if (out.grade == AllocationGrade::kRejected) return;
  if (settings.prove && !settings.objective.preserve_direction)
    out.gap = gap_of(prepared, demand, out);
  if (out.gap > kGapOfAnOptimum) {
    out.grade = AllocationGrade::kIterationCapped;
    out.margin = 0;
  }
  if (prepared.weighted) take_out_weights(prepared, effectiveness, out);
  // what is achieved is what the true columns give
  if (prepared.traces) set_sent(effectiveness, demand, health, out.effort, out);
}

}  // namespace

double gap_of(const Prepared& prepared, const WrenchDemand& demand,
              const Allocation& answer) noexcept {
  return kernels().gap_of(prepared, demand, answer);
}

void allocate(Prepared& prepared, const Settings& settings, const Effectiveness& effectiveness,
              const WrenchDemand& demand, const PropulsorHealth* health, Allocation& out) noexcept {
  // nearly always
  if (kernels().allocate_again(prepared, settings, effectiveness, demand, health, out)) {
    out.gap = -1;
    if (!settings.prove && !prepared.weighted) return;
  } else {
    allocate_anew(prepared, settings, effectiveness, demand, health, out);
  }
  finish(prepared, settings, effectiveness, demand, health, out);
}

void allocate(Prepared& prepared, const Settings& settings, const WrenchDemand& demand,
              Allocation& out) noexcept {
  kernels().allocate_same(prepared, settings, demand, out);
}

void allocate_kept(Prepared& prepared, const Settings& settings, const WrenchDemand& demand,
                   Allocation& out) noexcept {
  const PropulsorHealth* const health = prepared.all_good ? nullptr : prepared.health.data();
  allocate(prepared, settings, prepared.effectiveness, demand, health, out);
}

void allocate(const Settings& settings, const Effectiveness& effectiveness,
              const WrenchDemand& demand, const PropulsorHealth* health, Allocation& out) noexcept {
  Prepared prepared;
  allocate(prepared, settings, effectiveness, demand, health, out);
}

AxisMask reachable_axes(const Effectiveness& effectiveness, const PropulsorHealth* health,
                        double threshold) noexcept {
  Working working;
  apply_health(effectiveness, health, working);
  Reach reach;
  kernels().update_reach(effectiveness, working, false, threshold, reach);
  return reach.axes;
}

}  // namespace pintle::allocation
