#include "allocation/runs.h"

#include <cmath>
#include <numeric>
#include <random>

#include "pintle/allocation/allocator.h"
#include "pintle/allocation/batch.h"
#include "pintle/allocation/internal/dispatch.h"

namespace pintle::bench {

using namespace allocation;

namespace {

// keeps a result from being optimised away
template <class T>
void use(const T& value) {
  asm volatile("" : : "m"(value) : "memory");
}

// rows for us and for every peer; OSQP is no exact rival and takes long
std::vector<Times> rows_for(const std::string& ours, const Peers& peers, std::size_t count) {
  std::vector<Times> rows(1 + peers.size());
  rows[0].solver = ours;
  for (std::size_t s = 0; s < peers.size(); ++s) {
    rows[s + 1].solver = peers[s]->name();
    rows[s + 1].exact = peers[s]->name() != "OSQP";
    if (!rows[s + 1].exact) rows[s + 1].max_rounds = 2;
  }
  for (Times& t : rows) t.least.assign(count, 1e12);
  return rows;
}

/// Solvers in an order drawn anew for each problem and round: none always comes after the same
/// other, which has left its own numbers in the caches.
class Turns {
 public:
  template <class F>
  void each(const std::vector<Times>& rows, int round, const F& f) {
    order_.resize(rows.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::shuffle(order_.begin(), order_.end(), random_);
    for (const std::size_t s : order_)
      if (round < rows[s].max_rounds) f(s);
  }

 private:
  std::vector<std::size_t> order_;
  std::minstd_rand random_;
};

std::vector<Times> cold_times(std::uint32_t n, int only, int count, Trade trade, int rounds) {
  const auto problems = new_problems(n, only, count, trade);
  const Peers peers = make_peers(n);
  auto rows = rows_for("Pintle", peers, problems.size());
  const double clock = clock_ns();
  PintleCold ours;
  Turns turns;
  std::array<double, kMaxChannels> x{};
  // what is asked was just computed, as in a control loop: it is not fetched from far memory
  Problem asked;
  BoxProblem asked_of_peers;
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < problems.size(); ++i) {
      asked = problems[i].problem;
      asked_of_peers = problems[i].for_peers;
      turns.each(rows, round, [&](std::size_t s) {
        const double begin = now_ns();
        if (s == 0)
          ours(asked);
        else
          peers[s - 1]->cold(asked_of_peers, x.data());
        rows[s].take(i, now_ns() - begin - clock);
        use(x);
      });
    }
  return rows;
}

std::vector<Times> warm_times(std::uint32_t n, ProblemClass c, int vehicles, Trade trade,
                              int rounds) {
  constexpr int kTicks = 200;
  const auto all = sequences(n, c, vehicles, kTicks, trade);
  const Peers peers = make_peers(n);
  auto rows = rows_for("Pintle, whole call", peers, all.size() * kTicks);
  const double clock = clock_ns();
  std::array<double, kMaxChannels> x{};
  auto prepared = std::make_unique<Prepared>();
  Allocation out;
  Turns turns;
  for (int round = 0; round < rounds; ++round)
    for (std::size_t v = 0; v < all.size(); ++v) {
      const Problem& first = all[v].first.problem;
      allocate(*prepared, first.settings, first.effectiveness, first.demand, nullptr, out);
      BoxProblem asked_of_peers = all[v].first.for_peers;
      WrenchDemand asked = first.demand;
      for (const auto& p : peers) p->begin(asked_of_peers, x.data());
      for (std::size_t t = 0; t < all[v].ticks.size(); ++t) {
        asked.F_Bo_B = all[v].ticks[t].demand;
        asked_of_peers.b = all[v].ticks[t].b;
        turns.each(rows, round, [&](std::size_t s) {
          const double begin = now_ns();
          if (s == 0)
            allocate(*prepared, first.settings, first.effectiveness, asked, nullptr, out);
          else
            peers[s - 1]->warm(asked_of_peers, x.data());
          rows[s].take(v * kTicks + t, now_ns() - begin - clock);
          use(out);
        });
      }
    }
  return rows;
}

int class_of(ProblemClass c) { return static_cast<int>(c); }

std::string with(Trade trade) {
  return trade == Trade::kLittle ? ""
                                 : ", r = 0 (1e-8 for the others, which is not the same problem)";
}

}  // namespace

void run_cold(Table& table, int rounds) {
  const auto one = [&](std::uint32_t n, int only, int count, Trade trade) {
    auto rows = cold_times(n, only, count, trade, rounds);
    const auto kind = static_cast<ProblemClass>(only);
    const std::string what = only < 0 ? "ten classes" : std::string(name_of(kind));
    table.times(std::to_string(n) + " channels, new problem, " + what + with(trade), rows);
    return rows;
  };
  table.line("r is 1e-8 to 1e-4 of the largest gain squared, the same for all, where not said.");
  for (const ProblemClass c : {ProblemClass::kAttainable, ProblemClass::kMild, ProblemClass::kHeavy,
                               ProblemClass::kLayout})
    one(8, class_of(c), 300, Trade::kLittle);
  // the traps are none where effort costs something
  for (const ProblemClass c : {ProblemClass::kEdge, ProblemClass::kScaledTies})
    one(8, class_of(c), 300, Trade::kLimit);
  auto rows = one(8, -1, 150, Trade::kLittle);
  table.goal("8 channels, new problem, median", rows, &Times::p50, 0.45);
  table.goal("8 channels, new problem, 99 %", rows, &Times::p99, 0.45);
  table.goal("8 channels, new problem, 99.9 %", rows, &Times::p999, 0.55);
  one(8, -1, 150, Trade::kLimit);
  for (const std::uint32_t n : {4U, 6U, 12U, 16U, 32U}) one(n, -1, 30, Trade::kLittle);
  rows = one(64, -1, 50, Trade::kLittle);
  table.goal("64 channels, new problem, median", rows, &Times::p50, 0.04);
  table.goal("64 channels, new problem, 99 %", rows, &Times::p99, 0.08);
  one(64, -1, 50, Trade::kLimit);
}

void run_warm(Table& table, int rounds) {
  const auto one = [&](std::uint32_t n, ProblemClass c, int vehicles, Trade trade) {
    auto rows = warm_times(n, c, vehicles, trade, rounds);
    table.times(
        std::to_string(n) + " channels, same vehicle, " + std::string(name_of(c)) + with(trade),
        rows);
    return rows;
  };
  one(8, ProblemClass::kAttainable, 12, Trade::kLittle);
  one(8, ProblemClass::kLayout, 12, Trade::kLittle);
  auto rows = one(8, ProblemClass::kMild, 24, Trade::kLittle);
  table.goal("8 channels, same vehicle, mild, median", rows, &Times::p50, 0.35);
  rows = one(8, ProblemClass::kHeavy, 24, Trade::kLittle);
  table.goal("8 channels, same vehicle, heavy, median", rows, &Times::p50, 0.35);
  table.goal("8 channels, same vehicle, heavy, 99 %", rows, &Times::p99, 0.52);
  rows = one(64, ProblemClass::kHeavy, 8, Trade::kLittle);
  table.goal("64 channels, same vehicle, heavy, median", rows, &Times::p50, 0.3);
  one(8, ProblemClass::kMild, 24, Trade::kLimit);
  one(8, ProblemClass::kHeavy, 24, Trade::kLimit);
  one(64, ProblemClass::kHeavy, 8, Trade::kLimit);
}

namespace {

// millions a second of the best of some runs
double batch_rate(ProblemClass c, double r, bool same_columns, std::size_t& solved) {
  constexpr std::size_t kCount = 8192;
  constexpr std::uint32_t n = 8;
  RandomStream random(5, "allocation bench batch");
  std::vector<double> column(kAxes * n * (same_columns ? 1 : kCount)), b(kAxes * kCount);
  std::vector<double> lower(n * kCount), upper(n * kCount), x(n * kCount);
  Problem shared = make_problem(c, n, random);
  for (std::size_t j = 0; j < kCount; ++j) {
    Problem p = make_problem(c, n, random);
    if (same_columns) {
      // the demand of this problem's efforts, from the columns of all
      Vec6 w;
      for (std::size_t i = 0; i < n; ++i)
        w = w + random.uniform(-1, 1) * (c == ProblemClass::kMild ? 1.2 : 0.3) *
                    shared.effectiveness.column[i];
      p.effectiveness.column = shared.effectiveness.column;
      p.demand.F_Bo_B = to_wrench(w);
    }
    const Measured m = measured(p);
    for (std::size_t k = 0; k < kAxes; ++k) {
      b[k * kCount + j] = m.scaled.box.b[k];
      for (std::size_t i = 0; i < n; ++i)
        column[same_columns ? kAxes * i + k : (kAxes * i + k) * kCount + j] =
            m.scaled.box.column[i][k];
    }
    for (std::size_t i = 0; i < n; ++i) {
      lower[i * kCount + j] = m.scaled.box.lower[i];
      upper[i * kCount + j] = m.scaled.box.upper[i];
    }
  }
  const Batch batch{n, kCount, r, column, same_columns, b, lower, upper};
  double least = 1e12;
  for (int run = 0; run < 100; ++run) {
    const double begin = now_ns();
    solved = solve_batch(batch, x);
    least = std::min(least, now_ns() - begin);
    use(x[0]);
  }
  return kCount * 1e3 / least;
}

// nothing saturated, nothing changed, each call waits for the last
double inactive_ns(std::uint32_t n) {
  RandomStream random(n, "allocation bench inactive");
  Problem p = make_problem(ProblemClass::kAttainable, n, random);
  p.settings.objective.k2 = 0;
  auto prepared = std::make_unique<Prepared>();
  Allocation out;
  double least = 1e12;
  for (int run = 0; run < 50; ++run) {
    constexpr int kCalls = 2000;
    const double begin = now_ns();
    for (int i = 0; i < kCalls; ++i) {
      allocate(*prepared, p.settings, p.effectiveness, p.demand, nullptr, out);
      p.demand.F_Bo_B.force.x += 1e-18 * out.effort[0];
    }
    least = std::min(least, (now_ns() - begin) / kCalls);
  }
  return out.grade == AllocationGrade::kExact ? least : 1e12;
}

// slew limits: every call gets `part` of the whole box each way of the last answer
double moving_box_ns(double part) {
  RandomStream random(8, "allocation bench moving box");
  Problem p = make_problem(ProblemClass::kAttainable, 8, random);
  p.settings.drop_traces = true;
  const Effectiveness wide = p.effectiveness;
  const Vec6 w = to_vec6(p.demand.F_Bo_B);
  auto prepared = std::make_unique<Prepared>();
  Allocation out;
  double least = 1e12;
  for (int run = 0; run < 50; ++run) {
    constexpr int kCalls = 500;
    double spent = 0;
    for (int i = 0; i < kCalls; ++i) {
      for (std::size_t k = 0; k < 8 && i > 0; ++k) {
        const double reach = part * (wide.upper[k] - wide.lower[k]);
        p.effectiveness.lower[k] = std::max(wide.lower[k], out.effort[k] - reach);
        p.effectiveness.upper[k] = std::min(wide.upper[k], out.effort[k] + reach);
      }
      p.demand.F_Bo_B = to_wrench((0.5 + 0.3 * std::sin(0.05 * i)) * w);
      const double begin = now_ns();
      allocate(*prepared, p.settings, p.effectiveness, p.demand, nullptr, out);
      spent += now_ns() - begin;
    }
    least = std::min(least, spent / kCalls);
  }
  return least;
}

}  // namespace

void run_rest(Table& table, int rounds) {
  char text[200];
  table.line("\n8 channels in batches of 8192, one core");
  for (const bool same : {true, false})
    for (const double r : {0.0, 1e-6})
      for (const ProblemClass c : {ProblemClass::kAttainable, ProblemClass::kMild}) {
        std::size_t solved = 0;
        const double rate = batch_rate(c, r, same, solved);
        std::snprintf(
            text, sizeof text, "  %-10s columns %-9s r = %-6g %8.2f million/s, solved %zu",
            std::string(name_of(c)).c_str(), same ? "the same" : "different", r, rate, solved);
        table.line(text);
        if (!same && r > 0 && level_in_use() != Level::kBaseline) {
          // millions a second
          const bool mild = c == ProblemClass::kMild;
          const bool eight_at_once = level_in_use() == Level::kAvx512;
          const double wanted = mild ? (eight_at_once ? 3.5 : 2.5) : (eight_at_once ? 15 : 10);
          table.goal({"batch, " + std::string(name_of(c)) + ", ns a problem, " + instruction_set(),
                      1e3 / rate, 0, 1e3 / wanted, "time"});
        }
      }
  std::snprintf(text, sizeof text, "\nNothing saturated, 8 channels, latency: %.1f ns; 16: %.1f ns",
                inactive_ns(8), inactive_ns(16));
  table.line(text);
  std::snprintf(text, sizeof text,
                "A box that moves in every call (slew limits), 8 channels: %.0f ns",
                moving_box_ns(0.1) - clock_ns());
  table.line(text);

  const auto problems = new_problems(8, -1, 40, Trade::kLittle);
  std::vector<Times> rows(3);
  rows[0].solver = "stateless call";
  rows[1].solver = "stateless call, refined";
  rows[2].solver = "reachable axes";
  for (Times& t : rows) t.least.assign(problems.size(), 1e12);
  const double clock = clock_ns();
  Allocation out;
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < problems.size(); ++i)
      for (std::size_t s = 0; s < rows.size(); ++s) {
        const Problem& p = problems[i].problem;
        Settings settings = p.settings;
        settings.objective.refine = s == 1;
        const double begin = now_ns();
        if (s < 2)
          allocate(settings, p.effectiveness, p.demand, nullptr, out);
        else
          out.reachable = reachable_axes(p.effectiveness, nullptr);
        rows[s].take(i, now_ns() - begin - clock);
        use(out);
      }
  table.times("8 channels, all classes, with masks, margin and reachable axes", rows);
}

}  // namespace pintle::bench
