#include "pintle/allocation/levels.h"

#include <algorithm>
#include <cmath>

#include "pintle/allocation/internal/dispatch.h"
#include "pintle/allocation/internal/refine.h"

namespace pintle::allocation {
namespace {

// of what passes through an axis: a residual below this is none
constexpr double kMet = 1e-10;

// one group: its own rows, and those held for the groups before
struct GroupProblem {
  std::array<double, kAxes> weight{};
  Vec6 held;             // wrench to keep, on the rows of earlier groups
  Vec6 wanted;           // wrench of this group
  AxisMask earlier = 0;  // rows that are held
};

struct GroupSolver {
  Settings settings;
  Working w;  // who is held by what a group misses has no width for those after it
  bool refined;
  Scaled& scaled;
  BoxSolution& solution;
  int iterations = 0;
  bool converged = true;
  double scale = 1;

  // the best answer; `keep` starts at scale `most` and goes down to what can be met
  bool run(const GroupProblem& problem, bool keep, double most) noexcept {
    const int cap = iteration_cap(settings, w.n);
    scale = keep ? most : 1;
    // what keeps its direction misses nothing for less effort
    const double r = keep ? 0 : settings.objective.r();
    if (!kernels().scale_columns(r, w, problem.weight, scaled) || !kernels().scale_box(w, scaled))
      return false;
    for (int plane = 0; plane < kMaxPlanes; ++plane) {
      const Wrench demand = to_wrench(problem.held + scale * problem.wanted);
      if (!kernels().scale_demand(demand, scaled)) return false;
      // what is held leaves nothing of the others to double
      if (problem.earlier != 0)
        solve_quickly(scaled.box, false, cap / 2, solution);
      else
        solve(scaled.box, false, cap, solution);
      solution.decided = 0;
      const bool doubtful = solution.loses_digits || scaled.wide_rows;
      finish_solving(refined || doubtful, w, demand, scaled, cap, solution);
      iterations += solution.iterations;
      converged = converged && solution.converged;
      const double next = keep ? std::max(next_scale(problem), 0.0) : scale;
      if (!(next < scale)) return true;
      scale = next;
    }
    converged = false;
    return true;
  }

  // where the plane through the answer, normal to its residual, meets the line of demands
  [[nodiscard]] double next_scale(const GroupProblem& problem) const noexcept {
    const BoxProblem& box = scaled.box;
    bool met = true;
    // of the demand; what can enter it and what did; what more of it adds
    Vec6 left, size, entered, along;
    for (std::size_t k = 0; k < kAxes; ++k) {
      // what is held is so but for rounding, which has the weight of holding here
      if ((problem.earlier & axis_bit(k)) != 0) continue;
      left[k] = box.b[k];
      size[k] = entered[k] = std::abs(box.b[k]);
      for (std::size_t i = 0; i < w.n; ++i) {
        const double a = box.column[i][k], part = solution.x[i] * a;
        left[k] -= part;
        entered[k] += std::abs(part);
        size[k] += std::abs(a) * std::max(std::abs(box.lower[i]), std::abs(box.upper[i]));
      }
      met = met && std::abs(left[k]) <= kMet * size[k];
      along[k] = scaled.weight[k] * problem.wanted[k] / scaled.gain_unit / scaled.effort_unit;
    }
    const double slope = dot(left, along), square = dot(left, left), all = dot(entered, entered);
    // where little is left, rounding may have turned the plane: it says nothing of a next one
    if (met || (square <= kMet * kMet * all && slope <= kLeft * std::sqrt(all * dot(along, along))))
      return scale;
    // what no bound keeps from the demand geometry does, and from every share of it; the plane would
    // only say so as well as rounding lets it
    bool flat = problem.earlier == 0 && dot(w.bias, w.bias) == 0;
    for (std::size_t i = 0; i < w.n; ++i)
      flat = flat && (solution.held[i] == Held::kFree || (w.lower[i] == 0 && w.upper[i] == 0));
    return slope > 0 && !flat ? scale - square / slope : 0;
  }
};

}  // namespace

bool has_levels(const Settings& settings, const WrenchDemand& demand) noexcept {
  std::array<double, kAxes> weight;
  return settings.objective.preserve_direction ||
         (!one_group(demand) && first_group(demand, weight));
}

bool solve_levels(const Settings& settings, const Working& working, const WrenchDemand& demand,
                  Scaled& scaled, BoxSolution& solution) noexcept {
  GroupSolver solver{settings, working, settings.objective.refine || !one_group(demand), scaled,
                     solution};
  GroupProblem problem;
  const Vec6 wanted = to_vec6(demand.F_Bo_B);
  Vec6 size, got;  // of the rows; by the groups so far
  for (std::size_t i = 0; i < working.n; ++i)
    for (std::size_t k = 0; k < kAxes; ++k)
      size[k] = std::max(size[k], std::abs(working.column[i][k]));
  int group = group_after(demand, -1);
  do {
    double largest = 0;
    for (std::size_t k = 0; k < kAxes; ++k)
      if (demand.group[k] == group)
        largest = std::max(largest, std::abs(demand.weight[k]) * size[k]);
    // what earlier groups got, they keep against this one, and against what effort costs
    const double against = std::max(largest, std::sqrt(settings.objective.r()));
    for (std::size_t k = 0; k < kAxes; ++k) {
      const bool now = demand.weight[k] != 0 && demand.group[k] == group;
      const bool earlier = demand.weight[k] != 0 && demand.group[k] < group;
      problem.weight[k] = now ? demand.weight[k] : 0;
      if (earlier && size[k] > 0) problem.weight[k] = against > 0 ? kHold * against / size[k] : 1;
      problem.held[k] = earlier ? got[k] : 0;
      problem.wanted[k] = now ? wanted[k] : 0;
      if (earlier) problem.earlier = static_cast<AxisMask>(problem.earlier | axis_bit(k));
    }
    if (!solver.run(problem, settings.objective.preserve_direction, 1)) return false;
    for (std::size_t i = 0; i < working.n; ++i) {
      const bool up = solution.held[i] == Held::kUpper;
      double& other = (up ? solver.w.lower : solver.w.upper)[i];
      if ((solution.decided >> i & 1) != 0) other = (up ? solver.w.upper : solver.w.lower)[i];
    }
    got = working.bias;
    for (std::size_t i = 0; i < working.n; ++i)
      got = got + (working.preferred[i] + scaled.effort_unit * solution.x[i]) * working.column[i];
    group = group_after(demand, group);
  } while (group < kNoGroup);
  solution.iterations = solver.iterations;
  solution.converged = solver.converged;
  // with the bounds that were given
  const double unit = scaled.effort_unit;
  if (!kernels().scale_box(working, scaled)) return false;
  for (std::size_t i = 0; i < working.n; ++i) {
    solution.x[i] *= unit / scaled.effort_unit;
    // a bound or the direction has changed the answer
    if (settings.objective.preserve_direction ||
        (solution.held[i] == Held::kFixed && working.lower[i] < working.upper[i]))
      solution.held[i] = Held::kLower;
  }
  return true;
}

double attainable_scale(const Effectiveness& effectiveness, const WrenchDemand& demand,
                        const PropulsorHealth* health, double limit) noexcept {
  Working working;
  Scaled scaled;
  BoxSolution solution;
  apply_health(effectiveness, health, working);
  const GroupProblem problem{demand.weight, {}, to_vec6(demand.F_Bo_B)};
  if (!working.usable || !is_finite(problem.wanted)) return 0;
  GroupSolver solver{{}, working, false, scaled, solution};
  return solver.run(problem, true, limit) && solver.converged ? solver.scale : 0;
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
