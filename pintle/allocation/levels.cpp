#include "pintle/allocation/levels.h"

#include <algorithm>
#include <cmath>

#include "pintle/allocation/internal/dispatch.h"
#include "pintle/allocation/internal/refine.h"

namespace pintle::allocation {
namespace {

// of what passes through an axis: a residual below this is none
constexpr double kMet = 1e-10;

// one group: its own rows, those held for the groups before, and how far to scale
struct GroupProblem {
  std::array<double, kAxes> weight{};
  Vec6 held;                           // wrench to keep, on the rows of earlier groups
  Vec6 wanted;                         // wrench of this group, times the scale
  std::array<bool, kAxes> held_row{};  // of earlier groups,
  bool holds = false;                  // some
};

class GroupSolver {
 public:
  GroupSolver(const Settings& settings, const Working& working, Scaled& scaled,
              BoxSolution& solution) noexcept
      : settings_(settings), w_(working), scaled_(scaled), solution_(solution) {
    cap_ = iteration_cap(settings, working.n);
    solution_.converged = true;
    solution_.iterations = 0;
  }

  int iterations = 0;
  bool converged = true;
  double scale = 1;

  // the best answer; `keep` starts at scale `most` and goes down to what can be met
  bool run(const GroupProblem& problem, bool keep, double most) noexcept {
    scale = keep ? most : 1;
    if (!kernels().scale_columns(settings_.objective.r(), w_, problem.weight, scaled_) ||
        !kernels().scale_box(w_, scaled_))
      return false;
    for (int plane = 0; plane < kMaxPlanes; ++plane) {
      if (!solve_at(problem)) return false;
      if (!keep || scale == 0) return true;
      const double next = next_scale(problem);
      if (!(next < scale)) return true;
      scale = std::max(next, 0.0);
    }
    converged = false;
    return true;
  }

  [[nodiscard]] Vec6 achieved() const noexcept {
    Vec6 sum = w_.bias;
    for (std::size_t i = 0; i < w_.n; ++i)
      sum = sum + (w_.preferred[i] + scaled_.effort_unit * solution_.x[i]) * w_.column[i];
    return sum;
  }

 private:
  bool solve_at(const GroupProblem& problem) noexcept {
    if (!kernels().scale_demand(to_wrench(problem.held + scale * problem.wanted), scaled_))
      return false;
    // what is held leaves nothing of the others to double
    if (problem.holds)
      solve_quickly(scaled_.box, false, cap_ / 2, solution_);
    else
      solve(scaled_.box, false, cap_, solution_);
    finish_solving(settings_.objective.refine || problem.holds || solution_.loses_digits, w_,
                   to_wrench(problem.held + scale * problem.wanted), scaled_, cap_, solution_);
    iterations += solution_.iterations;
    converged = converged && solution_.converged;
    return true;
  }

  // where the plane through the answer, normal to its residual, meets the line of demands
  [[nodiscard]] double next_scale(const GroupProblem& problem) const noexcept {
    Vec6 residual = scaled_.box.b;
    Vec6 size;
    for (std::size_t k = 0; k < kAxes; ++k) size[k] = std::abs(residual[k]);
    for (std::size_t i = 0; i < w_.n; ++i) {
      residual = residual - solution_.x[i] * scaled_.box.column[i];
      const double reach = std::max(std::abs(scaled_.box.lower[i]), std::abs(scaled_.box.upper[i]));
      for (std::size_t k = 0; k < kAxes; ++k) size[k] += std::abs(scaled_.box.column[i][k]) * reach;
    }
    bool met = true;
    double slope = 0;
    for (std::size_t k = 0; k < kAxes; ++k) {
      // what is held is so but for rounding, which has the weight of holding here
      if (problem.held_row[k]) residual[k] = 0;
      met = met && std::abs(residual[k]) <= kMet * size[k];
      slope += residual[k] * scaled_.weight[k] * problem.wanted[k] / scaled_.gain_unit /
               scaled_.effort_unit;
    }
    if (met) return scale;
    return slope > 0 ? scale - dot(residual, residual) / slope : 0;
  }

  Settings settings_;
  const Working& w_;
  Scaled& scaled_;
  BoxSolution& solution_;
  int cap_ = 0;
};

// the size of a row of the effectiveness
double row_size(const Working& w, std::size_t k) noexcept {
  double size = 0;
  for (std::size_t i = 0; i < w.n; ++i) size = std::max(size, std::abs(w.column[i][k]));
  return size;
}

}  // namespace

bool has_levels(const Settings& settings, const WrenchDemand& demand) noexcept {
  std::array<double, kAxes> weight;
  return settings.objective.preserve_direction ||
         (!one_group(demand) && first_group(demand, weight));
}

bool solve_levels(const Settings& settings, const Working& working, const WrenchDemand& demand,
                  Scaled& scaled, BoxSolution& solution) noexcept {
  GroupSolver solver(settings, working, scaled, solution);
  GroupProblem problem;
  const Vec6 wanted = to_vec6(demand.F_Bo_B);
  int group = -1;
  for (std::size_t served = 0; served <= kAxes; ++served) {
    int next = 256;
    for (std::size_t k = 0; k < kAxes; ++k)
      if (demand.weight[k] != 0 && demand.group[k] > group)
        next = std::min(next, static_cast<int>(demand.group[k]));
    if (next == 256) break;
    // what earlier groups got, they keep
    double largest = 0;
    for (std::size_t k = 0; k < kAxes; ++k)
      if (demand.group[k] == next)
        largest = std::max(largest, std::abs(demand.weight[k]) * row_size(working, k));
    const Vec6 got = group < 0 ? Vec6{} : solver.achieved();
    for (std::size_t k = 0; k < kAxes; ++k) {
      const bool earlier = demand.weight[k] != 0 && demand.group[k] < next;
      const bool now = demand.weight[k] != 0 && demand.group[k] == next;
      const double size = row_size(working, k);
      problem.weight[k] = now ? demand.weight[k] : 0;
      if (earlier && size > 0) problem.weight[k] = largest > 0 ? kHold * largest / size : 1;
      problem.held[k] = earlier ? got[k] : 0;
      problem.wanted[k] = now ? wanted[k] : 0;
      problem.held_row[k] = earlier;
      problem.holds = problem.holds || earlier;
    }
    group = next;
    if (!solver.run(problem, settings.objective.preserve_direction, 1)) return false;
  }
  if (group < 0 && !solver.run(problem, false, 1)) return false;
  solution.iterations = solver.iterations;
  solution.converged = solver.converged;
  return true;
}

double attainable_scale(const Effectiveness& effectiveness, const WrenchDemand& demand,
                        const PropulsorHealth* health, double limit) noexcept {
  Working working;
  Scaled scaled;
  BoxSolution solution;
  apply_health(effectiveness, health, working);
  GroupProblem problem;
  problem.weight = demand.weight;
  problem.wanted = to_vec6(demand.F_Bo_B);
  if (!working.usable || !is_finite(problem.wanted)) return 0;
  GroupSolver solver({}, working, scaled, solution);
  if (!solver.run(problem, true, limit) || !solver.converged) return 0;
  return solver.scale;
}

AxisReach reach_along(const Effectiveness& effectiveness, WrenchDemand demand,
                      const PropulsorHealth* health, std::size_t axis) noexcept {
  AxisReach reach;
  for (std::size_t i = 0; i < effectiveness.n; ++i)
    reach.size += std::abs(effectiveness.column[i][axis]) *
                  std::max(std::abs(effectiveness.lower[i]), std::abs(effectiveness.upper[i]));
  if (!(reach.size > 0)) return reach;
  const auto share = [&](double sign) {
    Vec6 along;
    along[axis] = sign * reach.size;
    demand.F_Bo_B = to_wrench(along);
    return sign * reach.size * attainable_scale(effectiveness, demand, health, 1);
  };
  reach.most = share(1);
  reach.least = share(-1);
  return reach;
}

}  // namespace pintle::allocation
