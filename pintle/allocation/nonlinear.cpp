#include "pintle/allocation/nonlinear.h"

#include <algorithm>
#include <cmath>

namespace pintle::allocation {
namespace {

// as in allocator.cpp: a residual below this part of what passes through the axis is rounding
constexpr double kAchievedTolerance = 1e-9;
// of the box's width: a smaller step, or trust region, is the end
constexpr double kSmallestStep = 1e-11;
constexpr double kSmallestTrust = 1e-9;
// of the squared sizes that enter it: a smaller difference of objectives is rounding
constexpr double kTie = 1e-22;

/// What is missing of each group, most important first, then the distance from preferred.
struct Merit {
  std::array<double, kAxes> missing{}, tie{};
  double distance = 0;
};

struct Work {
  const Settings& settings;
  const NonlinearProblem& problem;
  const WrenchDemand& demand;
  std::array<double, kMaxChannels> x{}, trial{};
  Vec6 wrench{}, trial_wrench{};
  std::array<Vec6, kMaxChannels> column{}, trial_column{};
  Merit merit{};
  Effectiveness linear{};
  Allocation step{};

  [[nodiscard]] std::size_t n() const noexcept { return problem.n; }
};

bool is_usable(const NonlinearProblem& p, const WrenchDemand& demand) noexcept {
  if (p.n > kMaxChannels || p.model.evaluate == nullptr || !is_finite(demand.F_Bo_B)) return false;
  for (std::size_t i = 0; i < p.n; ++i)
    if (!std::isfinite(p.lower[i]) || !std::isfinite(p.upper[i]) || !(p.lower[i] <= p.upper[i]) ||
        !std::isfinite(p.preferred[i]) || !std::isfinite(p.start[i]) || !(p.unit[i] > 0) ||
        !std::isfinite(p.unit[i]))
      return false;
  return true;
}

/// What passes through each axis: the demand and all that the channels move.
Vec6 axis_sizes(const Work& w, const std::array<Vec6, kMaxChannels>& column) noexcept {
  Vec6 size;
  const Vec6 wanted = to_vec6(w.demand.F_Bo_B);
  for (std::size_t k = 0; k < kAxes; ++k) {
    size[k] = std::abs(wanted[k]);
    for (std::size_t i = 0; i < w.n(); ++i)
      size[k] += std::abs(column[i][k]) * (w.problem.upper[i] - w.problem.lower[i]);
  }
  return size;
}

Merit merit_of(const Work& w, const std::array<double, kMaxChannels>& x, const Vec6& wrench,
               const std::array<Vec6, kMaxChannels>& column) noexcept {
  Merit merit;
  const Vec6 wanted = to_vec6(w.demand.F_Bo_B);
  const Vec6 size = axis_sizes(w, column);
  for (std::size_t k = 0; k < kAxes; ++k) {
    // groups may have any numbers: the rank of a group is how many axes come before it
    std::size_t rank = 0;
    for (std::size_t j = 0; j < kAxes; ++j) rank += w.demand.group[j] < w.demand.group[k] ? 1U : 0U;
    const double weight = w.demand.weight[k];
    const double miss = weight * (wrench[k] - wanted[k]);
    merit.missing[rank] += miss * miss;
    merit.tie[rank] += kTie * weight * weight * size[k] * size[k];
  }
  for (std::size_t i = 0; i < w.n(); ++i) {
    const double away = w.problem.unit[i] * (x[i] - w.problem.preferred[i]);
    merit.distance += away * away;
  }
  const double r = w.settings.objective.r();
  merit.missing[0] += r > 0 ? r * merit.distance : 0;
  return merit;
}

/// Negative: a is better. Zero: no telling.
int compare(const Merit& a, const Merit& b) noexcept {
  for (std::size_t g = 0; g < kAxes; ++g) {
    const double tie = std::max(a.tie[g], b.tie[g]);
    if (a.missing[g] < b.missing[g] - tie) return -1;
    if (!(a.missing[g] <= b.missing[g] + tie)) return 1;
  }
  if (a.distance < b.distance) return -1;
  return a.distance > b.distance ? 1 : 0;
}

/// The linear problem about w.x inside the trust region; its answer in w.trial.
void solve_linear(Work& w, double trust) noexcept {
  const NonlinearProblem& p = w.problem;
  w.linear.n = p.n;
  Vec6 bias = w.wrench;
  for (std::size_t i = 0; i < w.n(); ++i) {
    const double unit = p.unit[i];
    const double reach = trust * (p.upper[i] - p.lower[i]);
    bias = bias - w.x[i] * w.column[i];
    w.linear.column[i] = (1 / unit) * w.column[i];
    w.linear.lower[i] = unit * std::max(p.lower[i], w.x[i] - reach);
    w.linear.upper[i] = unit * std::min(p.upper[i], w.x[i] + reach);
    w.linear.preferred[i] = unit * p.preferred[i];
  }
  w.linear.bias = to_wrench(bias);
  Settings settings = w.settings;
  settings.objective.preserve_direction = false;
  allocate(settings, w.linear, w.demand, nullptr, w.step);
  for (std::size_t i = 0; i < w.n(); ++i)
    w.trial[i] = std::clamp(w.step.effort[i] / p.unit[i], p.lower[i], p.upper[i]);
  if (p.model.confine != nullptr) p.model.confine(p.model.context, {w.trial.data(), w.n()});
}

double largest_step(const Work& w) noexcept {
  double largest = 0;
  for (std::size_t i = 0; i < w.n(); ++i) {
    const double width = w.problem.upper[i] - w.problem.lower[i];
    if (width > 0) largest = std::max(largest, std::abs(w.trial[i] - w.x[i]) / width);
  }
  return largest;
}

void take_trial(Work& w, const Merit& merit) noexcept {
  w.x = w.trial;
  w.wrench = w.trial_wrench;
  w.column = w.trial_column;
  w.merit = merit;
}

void evaluate_trial(Work& w) noexcept {
  w.problem.model.evaluate(w.problem.model.context, {w.trial.data(), w.n()}, w.trial_wrench,
                           {w.trial_column.data(), w.n()});
}

/// Rounds made; capped when it is more than kMaxRounds.
int search(Work& w) noexcept {
  double trust = 1;
  for (int round = 1; round <= kMaxRounds; ++round) {
    solve_linear(w, trust);
    if (w.step.grade == AllocationGrade::kRejected) return kMaxRounds + 1;
    if (largest_step(w) <= kSmallestStep) return round;
    evaluate_trial(w);
    const Merit merit = merit_of(w, w.trial, w.trial_wrench, w.trial_column);
    if (compare(merit, w.merit) < 0) {
      take_trial(w, merit);
      trust = std::min(1.0, 2 * trust);
      continue;
    }
    trust *= 0.25;
    if (trust < kSmallestTrust) return round;
  }
  return kMaxRounds + 1;
}

void fill(Work& w, int rounds, Allocation& out) noexcept {
  const Vec6 size = axis_sizes(w, w.column);
  const Vec6 residual = to_vec6(w.demand.F_Bo_B) - w.wrench;
  bool met = true;
  for (std::size_t k = 0; k < kAxes; ++k)
    met = met && (w.demand.weight[k] == 0 || std::abs(residual[k]) <= kAchievedTolerance * size[k]);
  out.effort.resize(w.n());
  out.at_lower = out.at_upper = 0;
  for (std::size_t i = 0; i < w.n(); ++i) {
    out.effort[i] = w.x[i];
    if (!(w.problem.lower[i] < w.problem.upper[i])) continue;
    if (w.x[i] <= w.problem.lower[i]) out.at_lower |= ChannelMask{1} << i;
    if (w.x[i] >= w.problem.upper[i]) out.at_upper |= ChannelMask{1} << i;
  }
  out.achieved = to_wrench(w.wrench);
  out.residual = to_wrench(residual);
  out.reachable = w.step.reachable;
  out.margin = met ? 1 : 0;
  out.iterations = static_cast<std::uint16_t>(std::min(rounds, kMaxRounds));
  out.grade = met                    ? AllocationGrade::kExact
              : rounds <= kMaxRounds ? AllocationGrade::kBounded
                                     : AllocationGrade::kIterationCapped;
}

void reject(const NonlinearProblem& problem, const WrenchDemand& demand, Allocation& out) noexcept {
  const std::size_t n = std::min<std::size_t>(problem.n, kMaxChannels);
  std::array<double, kMaxChannels> x{};
  for (std::size_t i = 0; i < n; ++i) {
    const double start = std::isfinite(problem.start[i]) ? problem.start[i] : 0;
    x[i] = safe_effort_near(start, problem.lower[i], problem.upper[i]);
  }
  Vec6 wrench;
  std::array<Vec6, kMaxChannels> column{};
  if (problem.model.evaluate != nullptr)
    problem.model.evaluate(problem.model.context, {x.data(), n}, wrench, {column.data(), n});
  out = {};
  out.effort.resize(n);
  for (std::size_t i = 0; i < n; ++i) out.effort[i] = x[i];
  out.achieved = to_wrench(wrench);
  out.residual = demand.F_Bo_B - out.achieved;
  out.reachable = 0;
  out.grade = AllocationGrade::kRejected;
}

}  // namespace

double safe_effort_near(double wanted, double lower, double upper) noexcept {
  const bool has_lower = std::isfinite(lower);
  const bool has_upper = std::isfinite(upper);
  if (has_lower && !(wanted >= lower)) return lower;
  if (has_upper && !(wanted <= upper)) return upper;
  return wanted;
}

void allocate_nonlinear(const Settings& settings, const NonlinearProblem& problem,
                        const WrenchDemand& demand, Allocation& out) noexcept {
  if (!is_usable(problem, demand)) {
    reject(problem, demand, out);
    return;
  }
  Work w{settings, problem, demand};
  for (std::size_t i = 0; i < w.n(); ++i)
    w.trial[i] = std::clamp(problem.start[i], problem.lower[i], problem.upper[i]);
  if (problem.model.confine != nullptr)
    problem.model.confine(problem.model.context, {w.trial.data(), w.n()});
  evaluate_trial(w);
  take_trial(w, merit_of(w, w.trial, w.trial_wrench, w.trial_column));
  const int rounds = search(w);
  if (w.step.grade == AllocationGrade::kRejected) {
    reject(problem, demand, out);
    return;
  }
  fill(w, rounds, out);
}

}  // namespace pintle::allocation
