#include "pintle/allocation/allocator.h"

#include <algorithm>
#include <cmath>

#include "pintle/allocation/active_set.h"
#include "pintle/allocation/bounded_least_squares.h"
#include "pintle/allocation/health.h"

namespace pintle::allocation {
namespace {

double largest_abs(const Vec6& v) noexcept {
  double m = 0;
  for (double x : v.v) m = std::max(m, std::abs(x));
  return m;
}

// a power of two, so that scaling by it is exact
double power_of_two(double magnitude) noexcept {
  if (!(magnitude > 0)) return 1;
  return std::ldexp(1.0, std::clamp(std::ilogb(magnitude), -1000, 1000));
}

struct Scaled {
  BoxProblem box;
  double effort_unit = 1;
};

// x = (u - preferred) / effort_unit; false when the numbers cannot be scaled into range
bool scale_problem(const Settings& settings, const Working& working, const WrenchDemand& demand,
                   Scaled& scaled) noexcept {
  BoxProblem& box = scaled.box;
  box.n = working.n;
  Vec6 wanted = to_vec6(demand.F_Bo_B) - working.bias;
  double gain = 0;
  double span = 0;
  for (std::size_t i = 0; i < working.n; ++i) {
    for (std::size_t k = 0; k < kAxes; ++k)
      box.column[i][k] = demand.weight[k] * working.column[i][k];
    gain = std::max(gain, largest_abs(box.column[i]));
    const double lower = working.lower[i] - working.preferred[i];
    const double upper = working.upper[i] - working.preferred[i];
    box.lower[i] = lower;
    box.upper[i] = upper;
    span = std::max({span, std::abs(lower), std::abs(upper)});
    wanted = wanted - working.preferred[i] * working.column[i];
  }
  if (!std::isfinite(gain) || !std::isfinite(span)) return false;
  const double gain_unit = power_of_two(gain);
  scaled.effort_unit = power_of_two(span);
  for (std::size_t i = 0; i < working.n; ++i) {
    box.column[i] = (1 / gain_unit) * box.column[i];
    box.lower[i] /= scaled.effort_unit;
    box.upper[i] /= scaled.effort_unit;
  }
  for (std::size_t k = 0; k < kAxes; ++k)
    box.b[k] = demand.weight[k] * wanted[k] / gain_unit / scaled.effort_unit;
  box.r = settings.objective.r() / gain_unit / gain_unit;
  return is_finite(box.b) && std::isfinite(box.r) && box.r >= 0;
}

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

// inside the bounds, and on them where only rounding keeps it off
double between(double effort, double lower, double upper, double rounding) noexcept {
  if (!(effort > lower + rounding)) return lower;
  return !(effort < upper - rounding) ? upper : effort;
}

// a residual below this part of what passes through the axis is rounding
constexpr double kAchievedTolerance = 1e-9;

bool is_achieved(const Working& working, const WrenchDemand& demand,
                 const Allocation& out) noexcept {
  const Vec6 wanted = to_vec6(demand.F_Bo_B);
  const Vec6 residual = to_vec6(out.residual);
  for (std::size_t k = 0; k < kAxes; ++k) {
    if (demand.weight[k] == 0) continue;
    double size = std::abs(wanted[k]) + std::abs(working.bias[k]);
    for (std::size_t i = 0; i < working.n; ++i)
      size += std::abs(working.column[i][k]) *
              std::max(std::abs(working.lower[i]), std::abs(working.upper[i]));
    if (!(std::abs(residual[k]) <= kAchievedTolerance * size)) return false;
  }
  return true;
}

// the efforts for no demand, bounds aside; false when the bias cannot be cancelled
bool idle_effort(const Settings& settings, const Working& working, const WrenchDemand& demand,
                 ChannelVector& idle) noexcept {
  idle.resize(working.n);
  bool zero = true;
  for (std::size_t k = 0; k < kAxes; ++k) zero = zero && working.bias[k] == 0;
  for (std::size_t i = 0; i < working.n; ++i) {
    zero = zero && working.preferred[i] == 0;
    idle[i] = 0;
  }
  if (zero) return true;
  WrenchDemand none = demand;
  none.F_Bo_B = {};
  Scaled scaled;
  if (!scale_problem(settings, working, none, scaled)) return false;
  for (std::size_t i = 0; i < working.n; ++i) {
    if (!(working.lower[i] < working.upper[i])) continue;
    scaled.box.lower[i] = -1e100;
    scaled.box.upper[i] = 1e100;
  }
  BoxSolution solution;
  solve_reference(scaled.box, 1, solution);
  Allocation answer;
  Vec6 achieved = working.bias;
  for (std::size_t i = 0; i < working.n; ++i) {
    idle[i] = solution.held[i] == Held::kFixed
                  ? working.lower[i]
                  : working.preferred[i] + scaled.effort_unit * solution.x[i];
    achieved = achieved + idle[i] * working.column[i];
  }
  answer.residual = -1.0 * to_wrench(achieved);
  return settings.objective.r() > 0 || is_achieved(working, none, answer);
}

// how far the efforts run on along the line through `idle` and the answer
double margin_from(const Working& working, const ChannelVector& idle,
                   const ChannelVector& effort) noexcept {
  double margin = kLargestMargin;
  for (std::size_t i = 0; i < working.n; ++i) {
    const double step = effort[i] - idle[i];
    const double bound = step > 0 ? working.upper[i] : working.lower[i];
    if (std::abs(step) * kLargestMargin > std::abs(bound - idle[i]))
      margin = std::min(margin, (bound - idle[i]) / step);
  }
  return margin;
}

}  // namespace

void allocate(const Settings& settings, const Effectiveness& effectiveness,
              const WrenchDemand& demand, const PropulsorHealth* health, Allocation& out) noexcept {
  Working working;
  apply_health(effectiveness, health, working);
  Scaled scaled;
  bool usable = working.usable && is_finite(to_vec6(demand.F_Bo_B));
  for (double w : demand.weight) usable = usable && std::isfinite(w);
  if (!usable || !scale_problem(settings, working, demand, scaled)) {
    reject(effectiveness, demand, health, out);
    return;
  }

  BoxSolution solution;
  const int cap =
      settings.max_iterations > 0 ? settings.max_iterations : 10 * static_cast<int>(working.n) + 20;
  if (!solve_blocks(scaled.box, false, cap, solution)) {
    const int used = solution.iterations;
    solve_reference(scaled.box, cap - used, solution);
    solution.iterations += used;
  }

  ChannelVector effort(working.n);
  out.at_lower = out.at_upper = 0;
  bool free = true;
  for (std::size_t i = 0; i < working.n; ++i) {
    const double lower = working.lower[i];
    const double upper = working.upper[i];
    if (solution.held[i] == Held::kLower || solution.held[i] == Held::kFixed)
      effort[i] = lower;
    else if (solution.held[i] == Held::kUpper)
      effort[i] = upper;
    else
      effort[i] = between(working.preferred[i] + scaled.effort_unit * solution.x[i], lower, upper,
                          1e-14 * scaled.effort_unit);
    if (!(lower < upper)) continue;
    if (effort[i] == lower) out.at_lower |= ChannelMask{1} << i;
    if (effort[i] == upper) out.at_upper |= ChannelMask{1} << i;
    free = free && solution.held[i] == Held::kFree;
  }
  set_sent(effectiveness, demand, health, effort, out);

  out.iterations = static_cast<std::uint16_t>(std::min(solution.iterations, 65535));
  out.reachable = reachable_axes(effectiveness, health);
  const bool met = is_achieved(working, demand, out) || (free && settings.objective.r() > 0);
  out.grade = !solution.converged ? AllocationGrade::kIterationCapped
              : met               ? AllocationGrade::kExact
                                  : AllocationGrade::kBounded;
  out.margin = 0;
  if (out.grade != AllocationGrade::kExact) return;
  ChannelVector idle;
  if (idle_effort(settings, working, demand, idle))
    out.margin = margin_from(working, idle, effort);
  else
    out.margin = 1;
}

void set_sent(const Effectiveness& effectiveness, const WrenchDemand& demand,
              const PropulsorHealth* health, const ChannelVector& sent, Allocation& out) noexcept {
  const std::size_t n = std::min<std::size_t>(effectiveness.n, kMaxChannels);
  Vec6 achieved = to_vec6(effectiveness.bias);
  ChannelVector effort(n);
  for (std::size_t i = 0; i < n; ++i) {
    effort[i] = i < sent.size() && std::isfinite(sent[i]) ? sent[i] : 0;
    double delivered = effort[i];
    if (health != nullptr) {
      switch (health[i].health) {
        case Health::kGood: break;
        case Health::kWeak: delivered *= health[i].efficiency; break;
        case Health::kStuck: delivered = health[i].stuck_effort; break;
        case Health::kReversed: delivered = -delivered; break;
        case Health::kOut: delivered = 0; break;
      }
    }
    achieved = achieved + delivered * effectiveness.column[i];
  }
  out.effort = effort;
  out.achieved = to_wrench(achieved);
  out.residual = demand.F_Bo_B - out.achieved;
}

}  // namespace pintle::allocation
