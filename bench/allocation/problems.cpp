#include "allocation/problems.h"

#include <cmath>

#include "pintle/allocation/internal/dispatch.h"
#include "pintle/allocation/internal/health.h"

namespace pintle::bench {

using namespace allocation;

namespace {
constexpr double kPeersTrade = 1e-8;

void draw_trade(Trade trade, RandomStream& random, Problem& p) {
  const double share = std::pow(10.0, random.uniform(-8, -4));
  set_trade(p, trade == Trade::kLimit ? 0 : share);
}
}  // namespace

Measured measured(const Problem& problem) {
  Measured m;
  m.problem = problem;
  Working working;
  apply_health(problem.effectiveness, nullptr, working);
  if (!kernels().scale_columns(problem.settings.objective.r(), working, problem.demand.weight,
                               m.scaled) ||
      !kernels().scale_box(working, m.scaled) ||
      !kernels().scale_demand(problem.demand.F_Bo_B, m.scaled))
    m.scaled.box.n = 0;
  m.for_peers = m.scaled.box;
  if (m.for_peers.r == 0) m.for_peers.r = kPeersTrade;
  return m;
}

std::vector<Measured> new_problems(std::uint32_t n, int only, int count, Trade trade) {
  RandomStream random(n, "allocation bench");
  RandomStream trades(n, "allocation bench trade");
  std::vector<Measured> problems;
  for (int c = 0; c < static_cast<int>(kProblemClasses); ++c) {
    const auto kind = static_cast<ProblemClass>(c);
    if (only >= 0 && c != only) continue;
    if (only == -1 && (kind == ProblemClass::kEdge || kind == ProblemClass::kScaledTies)) continue;
    // the vehicles that ship have eight channels
    if (n != 8 && kind == ProblemClass::kLayout) continue;
    for (int i = 0; i < count; ++i) {
      Problem p = make_problem(kind, n, random);
      draw_trade(trade, trades, p);
      problems.push_back(measured(p));
    }
  }
  return problems;
}

std::vector<Sequence> sequences(std::uint32_t n, ProblemClass c, int vehicles, int ticks,
                                Trade trade) {
  RandomStream random(n, "allocation bench warm");
  RandomStream trades(n, "allocation bench trade");
  std::vector<Sequence> result;
  for (int v = 0; v < vehicles; ++v) {
    Sequence s;
    Problem p = make_problem(c, n, random);
    draw_trade(trade, trades, p);
    s.first = measured(p);
    Vec6 drift;
    const Vec6 base = to_vec6(p.demand.F_Bo_B);
    for (int t = 0; t < ticks; ++t) {
      if (t % 50 == 0)
        for (double& x : drift.v) x = 0.3 * random.normal();
      Vec6 w = base;
      for (std::size_t k = 0; k < kAxes; ++k)
        w[k] *= 1 + drift[k] + 0.05 * std::sin(0.1 * t + static_cast<double>(k));
      p.demand.F_Bo_B = to_wrench(w);
      s.ticks.push_back({p.demand.F_Bo_B, measured(p).scaled.box.b});
    }
    result.push_back(std::move(s));
  }
  return result;
}

}  // namespace pintle::bench
