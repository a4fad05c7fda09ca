// How long an allocation takes: medians and tails over problems, not over repetitions of one.
//
// Each problem is solved five times with all others in between, so that neither caches nor branch
// predictors know it; its time is the least of the five minus that of reading the clock. Peers are
// measured in the same rounds where their headers are found (qpmad), never required.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "pintle/allocation/allocator.h"
#include "pintle/allocation/prepared.h"
#include "pintle/allocation/suite.h"

#if __has_include(<qpmad/solver.h>)
#include <qpmad/solver.h>
#define PINTLE_BENCH_QPMAD 1
#endif

namespace pintle::allocation {
namespace {

constexpr int kRounds = 5;
constexpr int kProblems = 400;

double now_ns() {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                 std::chrono::steady_clock::now().time_since_epoch())
                                 .count());
}

double clock_ns() {
  double least = 1e9;
  for (int i = 0; i < 1000; ++i) {
    const double t = now_ns();
    least = std::min(least, now_ns() - t);
  }
  return least;
}

// the scaled problem of a vehicle's, as the solver sees it
Scaled scaled_of(const Problem& p) {
  Working working;
  Scaled scaled;
  apply_health(p.effectiveness, nullptr, working);
  if (!scale_columns(p.settings, working, p.demand.weight, scaled) || !scale_box(working, scaled) ||
      !scale_demand(p.demand.F_Bo_B, scaled))
    scaled.box.n = 0;
  return scaled;
}

void report(benchmark::State& state, std::vector<double> ns) {
  std::sort(ns.begin(), ns.end());
  const auto at = [&](double part) {
    return ns[std::min(ns.size() - 1,
                       static_cast<std::size_t>(part * static_cast<double>(ns.size())))];
  };
  state.counters["p50_ns"] = at(0.5);
  state.counters["p99_ns"] = at(0.99);
  state.counters["p999_ns"] = at(0.999);
  state.counters["problems"] = static_cast<double>(ns.size());
}

template <class F>
void measure(benchmark::State& state, std::size_t count, F&& solve_one) {
  const double clock = clock_ns();
  std::vector<double> least(count, 1e12);
  for (auto _ : state) {
    for (int round = 0; round < kRounds; ++round)
      for (std::size_t i = 0; i < count; ++i) {
        const double begin = now_ns();
        solve_one(i);
        least[i] = std::min(least[i], now_ns() - begin - clock);
      }
  }
  report(state, least);
}

std::vector<Problem> problems_of(std::uint32_t n, int problem_class, int count) {
  RandomStream random(n, "allocation bench");
  std::vector<Problem> problems;
  for (int i = 0; i < count; ++i) {
    const auto c = problem_class < 0 ? static_cast<std::size_t>(i) % kProblemClasses
                                     : static_cast<std::size_t>(problem_class);
    problems.push_back(make_problem(static_cast<ProblemClass>(c), n, random));
  }
  return problems;
}

// columns, weights, trade, bounds and demand all new: scaling included
void cold(benchmark::State& state) {
  const auto problems = problems_of(static_cast<std::uint32_t>(state.range(0)),
                                    static_cast<int>(state.range(1)), kProblems);
  BoxSolution solution;
  measure(state, problems.size(), [&](std::size_t i) {
    const Scaled scaled = scaled_of(problems[i]);
    solve(scaled.box, false, 10 * static_cast<int>(scaled.box.n) + 20, solution);
    benchmark::DoNotOptimize(solution.x[0]);
  });
  state.SetLabel(state.range(1) < 0
                     ? "all classes"
                     : std::string(name_of(static_cast<ProblemClass>(state.range(1)))));
}

// one vehicle, a demand that wanders and now and then jumps
void warm(benchmark::State& state) {
  const auto n = static_cast<std::uint32_t>(state.range(0));
  const auto problem_class = static_cast<ProblemClass>(state.range(1));
  constexpr int kVehicles = 8;
  constexpr int kTicks = 200;
  auto vehicles = problems_of(n, static_cast<int>(state.range(1)), kVehicles);
  RandomStream random(n, "allocation bench warm");
  std::vector<WrenchDemand> demands;
  for (auto& v : vehicles) {
    v.settings.objective.k2 = 0;
    Vec6 drift;
    const Vec6 base = to_vec6(v.demand.F_Bo_B);
    for (int t = 0; t < kTicks; ++t) {
      if (t % 50 == 0)
        for (double& x : drift.v) x = 0.3 * random.normal();
      Vec6 w = base;
      for (std::size_t k = 0; k < kAxes; ++k)
        w[k] *= 1 + drift[k] + 0.05 * std::sin(0.1 * t + static_cast<double>(k));
      WrenchDemand d = v.demand;
      d.F_Bo_B = to_wrench(w);
      demands.push_back(d);
    }
  }
  std::vector<Prepared> prepared(kVehicles);
  Allocation out;
  measure(state, demands.size(), [&](std::size_t i) {
    const std::size_t v = i / kTicks;
    allocate(prepared[v], vehicles[v].settings, vehicles[v].effectiveness, demands[i], nullptr,
             out);
    benchmark::DoNotOptimize(out.effort[0]);
  });
  state.SetLabel(std::string(name_of(problem_class)));
}

// the whole stateless call: health, reachable axes, margin
void stateless(benchmark::State& state) {
  const auto problems = problems_of(static_cast<std::uint32_t>(state.range(0)), -1, kProblems);
  Allocation out;
  measure(state, problems.size(), [&](std::size_t i) {
    allocate(problems[i].settings, problems[i].effectiveness, problems[i].demand, nullptr, out);
    benchmark::DoNotOptimize(out.effort[0]);
  });
}

// nothing saturated, nothing changed, each call waits for the last
void inactive(benchmark::State& state) {
  auto p = problems_of(static_cast<std::uint32_t>(state.range(0)), 0, 1)[0];
  p.settings.objective.k2 = 0;
  Prepared prepared;
  Allocation out;
  for (auto _ : state) {
    allocate(prepared, p.settings, p.effectiveness, p.demand, nullptr, out);
    p.demand.F_Bo_B.force.x += 1e-18 * out.effort[0];
  }
  if (out.grade != AllocationGrade::kExact) state.SkipWithError("not the inactive path");
}

void reachable(benchmark::State& state) {
  const auto p = problems_of(static_cast<std::uint32_t>(state.range(0)), 0, 1)[0];
  for (auto _ : state) benchmark::DoNotOptimize(reachable_axes(p.effectiveness, nullptr));
}

#ifdef PINTLE_BENCH_QPMAD
// min 1/2 x'Hx + h'x inside the box, H formed in the time measured; r = 0 has no place in it and
// becomes 1e-8 of the largest gain
void qpmad_cold(benchmark::State& state) {
  const auto n = static_cast<Eigen::Index>(state.range(0));
  const auto problems =
      problems_of(static_cast<std::uint32_t>(n), static_cast<int>(state.range(1)), kProblems);
  Eigen::MatrixXd b(6, n), hessian(n, n);
  Eigen::VectorXd h(n), lower(n), upper(n), x(n);
  qpmad::Solver solver;
  solver.reserve(n, n, 0);
  measure(state, problems.size(), [&](std::size_t i) {
    const Scaled s = scaled_of(problems[i]);
    for (Eigen::Index j = 0; j < n; ++j) {
      const auto c = static_cast<std::size_t>(j);
      for (std::size_t k = 0; k < 6; ++k) b(static_cast<Eigen::Index>(k), j) = s.box.column[c][k];
      lower[j] = s.box.lower[c];
      upper[j] = s.box.upper[c];
    }
    const Eigen::Map<const Eigen::Matrix<double, 6, 1>> v(s.box.b.v.data());
    hessian.noalias() = b.transpose() * b;
    hessian.diagonal().array() += std::max(s.box.r, 1e-8);
    h.noalias() = -b.transpose() * v;
    solver.solve(x, hessian, h, lower, upper);
    benchmark::DoNotOptimize(x[0]);
  });
}
BENCHMARK(qpmad_cold)
    ->Args({8, -1})
    ->Args({8, 0})
    ->Args({8, 1})
    ->Args({8, 2})
    ->Args({16, -1})
    ->Args({64, -1})
    ->Iterations(1);
#endif

BENCHMARK(cold)
    ->Args({8, -1})
    ->Args({8, 0})
    ->Args({8, 1})
    ->Args({8, 2})
    ->Args({4, -1})
    ->Args({6, -1})
    ->Args({12, -1})
    ->Args({16, -1})
    ->Args({64, -1})
    ->Iterations(1);
BENCHMARK(warm)->Args({8, 0})->Args({8, 1})->Args({8, 2})->Args({64, 1})->Args({64, 2})->Iterations(
    1);
BENCHMARK(stateless)->Arg(8)->Arg(64)->Iterations(1);
BENCHMARK(inactive)->Arg(8)->Arg(16);
BENCHMARK(reachable)->Arg(8);

}  // namespace
}  // namespace pintle::allocation
