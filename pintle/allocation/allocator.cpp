#include "pintle/allocation/allocator.h"

#include <algorithm>
#include <cmath>

#include "pintle/allocation/levels.h"
#include "pintle/allocation/prepared.h"
#include "pintle/allocation/refine.h"

namespace pintle::allocation {
namespace {

// a residual below this part of what passes through the axis is rounding
constexpr double kAchievedTolerance = 1e-9;
// of the largest bound: a free channel this near to its bound is on it
constexpr double kOnBound = 1e-14;

void reject(const Effectiveness& effectiveness, const WrenchDemand& demand,
            const PropulsorHealth* health, AxisMask reachable, Allocation& out) noexcept {
  ChannelVector safe(effectiveness.n);
  for (std::size_t i = 0; i < safe.size(); ++i) {
    const bool is_out = health != nullptr && health[i].health == Health::kOut;
    safe[i] = is_out ? 0 : safe_effort(effectiveness.lower[i], effectiveness.upper[i]);
  }
  set_sent(effectiveness, demand, health, safe, out);
  out.at_lower = out.at_upper = 0;
  out.reachable = reachable;
  out.margin = 0;
  out.iterations = 0;
  out.grade = AllocationGrade::kRejected;
}

// achieved and residual of out.effort; whether every demanded axis is met
bool measure(const Prepared& p, const WrenchDemand& demand, Allocation& out) noexcept {
  Vec6 achieved = p.working.bias;
  const std::size_t n = p.working.n;
  for (std::size_t i = 0; i < n; ++i) achieved = achieved + out.effort[i] * p.working.column[i];
  const Vec6 wanted = to_vec6(demand.F_Bo_B);
  const Vec6 residual = wanted - achieved;
  out.achieved = to_wrench(achieved);
  out.residual = to_wrench(residual);
  bool met = true;
  for (std::size_t k = 0; k < kAxes; ++k) {
    const double size = std::abs(wanted[k]) + p.row_size[k];
    met = met && (demand.weight[k] == 0 || std::abs(residual[k]) <= kAchievedTolerance * size);
  }
  return met;
}

// how far the efforts run on along the line from idle through the answer
double margin_of(const Prepared& p, const ChannelVector& effort) noexcept {
  if (!p.idle_is_zero) return 1;
  double used = 1 / kLargestMargin;
  for (std::size_t i = 0; i < p.working.n; ++i) {
    const double step = effort[i] - p.idle[i];
    used = std::max({used, step * p.per_room_up[i], step * p.per_room_down[i]});
  }
  return 1 / used;
}

// the efforts without bounds; false when they leave the box
bool allocate_free(const Prepared& p, const WrenchDemand& demand, Allocation& out) noexcept {
  const Vec6 wanted = to_vec6(demand.F_Bo_B);
  const std::size_t n = p.working.n;
  out.effort.resize(n);
  bool inside = true;
  out.at_lower = out.at_upper = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double effort = p.idle[i] + dot(p.gain[i], wanted);
    out.effort[i] = effort;
    inside = inside && effort >= p.working.lower[i] && effort <= p.working.upper[i];
    if (!(effort > p.working.lower[i]) && p.working.lower[i] < p.working.upper[i])
      out.at_lower |= ChannelMask{1} << i;
    if (!(effort < p.working.upper[i]) && p.working.lower[i] < p.working.upper[i])
      out.at_upper |= ChannelMask{1} << i;
  }
  if (!inside) return false;
  const bool met = measure(p, demand, out) || p.settings.objective.r() > 0;
  out.grade = met ? AllocationGrade::kExact : AllocationGrade::kBounded;
  out.margin = met ? margin_of(p, out.effort) : 0;
  out.iterations = 1;
  return true;
}

// efforts, masks, grade and margin of a solution in scaled numbers
void unscale(const Prepared& p, const Scaled& scaled, const WrenchDemand& demand,
             Allocation& out) noexcept {
  const BoxSolution& solution = p.solution;
  const std::size_t n = p.working.n;
  out.effort.resize(n);
  out.at_lower = out.at_upper = 0;
  bool free = true;
  for (std::size_t i = 0; i < n; ++i) {
    const double lower = p.working.lower[i];
    const double upper = p.working.upper[i];
    const double x = solution.x[i];
    const Held held = solution.held[i];
    double effort = p.working.preferred[i] + scaled.effort_unit * x;
    if (held != Held::kUpper && (held != Held::kFree || x <= scaled.box.lower[i] + kOnBound))
      effort = lower;
    else if (held == Held::kUpper || x >= scaled.box.upper[i] - kOnBound)
      effort = upper;
    out.effort[i] = effort = std::clamp(effort, lower, upper);
    if (!(lower < upper)) continue;
    if (effort == lower) out.at_lower |= ChannelMask{1} << i;
    if (effort == upper) out.at_upper |= ChannelMask{1} << i;
    free = free && held == Held::kFree;
  }
  const bool met = measure(p, demand, out) || (free && p.settings.objective.r() > 0);
  out.iterations = static_cast<std::uint16_t>(std::min(solution.iterations, 65535));
  out.grade = !solution.converged ? AllocationGrade::kIterationCapped
              : met               ? AllocationGrade::kExact
                                  : AllocationGrade::kBounded;
  out.margin = out.grade == AllocationGrade::kExact ? margin_of(p, out.effort) : 0;
}

int max_iterations(const Settings& settings, std::uint32_t n) noexcept {
  return settings.max_iterations > 0 ? settings.max_iterations : 10 * static_cast<int>(n) + 20;
}

}  // namespace

void allocate(Prepared& prepared, const Settings& settings, const Effectiveness& effectiveness,
              const WrenchDemand& demand, const PropulsorHealth* health, Allocation& out) noexcept {
  prepare(prepared, settings, effectiveness, demand.weight, health);
  if (!prepared.usable || !is_finite(to_vec6(demand.F_Bo_B))) {
    reject(effectiveness, demand, health, prepared.reachable, out);
    return;
  }
  out.reachable = prepared.reachable;
  if (has_levels(settings, demand)) {
    // what all groups can have together is the plain problem, unless something is out of reach
    if (prepared.free.ready && settings.objective.r() == 0 &&
        allocate_free(prepared, demand, out) && out.grade == AllocationGrade::kExact)
      return;
    prepared.set.ready = false;
    Scaled scaled;
    if (!solve_levels(settings, prepared.working, demand, scaled, prepared.solution)) {
      reject(effectiveness, demand, health, prepared.reachable, out);
      return;
    }
    unscale(prepared, scaled, demand, out);
    return;
  }
  const bool refined = settings.objective.refine;
  if (!refined && prepared.free.ready && allocate_free(prepared, demand, out)) return;

  if (!scale_demand(demand.F_Bo_B, prepared.scaled)) {
    reject(effectiveness, demand, health, prepared.reachable, out);
    return;
  }
  if (!prepared.set.ready || !repeat_set(prepared)) solve_anew(prepared);
  if (refined)
    refine(prepared.working, demand.F_Bo_B, prepared.scaled,
           max_iterations(settings, prepared.working.n) - prepared.solution.iterations,
           prepared.solution);
  unscale(prepared, prepared.scaled, demand, out);
}

void allocate(const Settings& settings, const Effectiveness& effectiveness,
              const WrenchDemand& demand, const PropulsorHealth* health, Allocation& out) noexcept {
  Prepared prepared;
  allocate(prepared, settings, effectiveness, demand, health, out);
}

}  // namespace pintle::allocation
