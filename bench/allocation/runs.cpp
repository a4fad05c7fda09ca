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

/// Problems of one kind, all solvers side by side.
class Section {
 public:
  Section(std::string heading, int most_rounds) : title(std::move(heading)), rounds(most_rounds) {}
  virtual ~Section() = default;
  virtual void measure(int round) = 0;

  const std::string title;
  const int rounds;
  std::vector<Times> rows;
  // of the table's goals: what, which figure, at most
  struct Wanted {
    std::string what;
    double Times::*figure;
    double at_most;
  };
  std::vector<Wanted> goals;
};

class Cold final : public Section {
 public:
  Cold(std::string heading, int most_rounds, std::uint32_t n, int only, int count, Trade trade)
      : Section(std::move(heading), most_rounds),
        problems_(new_problems(n, only, count, trade)),
        peers_(make_peers(n)) {
    rows = rows_for("Pintle", peers_, problems_.size());
  }

  void measure(int round) override {
    const double clock = clock_ns();
    // what is asked was just computed, as in a control loop: it is not fetched from far memory
    Problem asked;
    BoxProblem asked_of_peers;
    for (std::size_t i = 0; i < problems_.size(); ++i) {
      asked = problems_[i].problem;
      asked_of_peers = problems_[i].for_peers;
      turns_.each(rows, round, [&](std::size_t s) {
        const double begin = now_ns();
        if (s == 0)
          ours_(asked);
        else
          peers_[s - 1]->cold(asked_of_peers, x_.data());
        rows[s].take(i, now_ns() - begin - clock);
        use(x_);
      });
    }
  }

 private:
  const std::vector<Measured> problems_;
  const Peers peers_;
  PintleCold ours_;
  std::array<double, kMaxChannels> x_{};
  Turns turns_;
};

class Warm final : public Section {
 public:
  Warm(std::string heading, int most_rounds, std::uint32_t n, ProblemClass c, int vehicles,
       Trade trade)
      : Section(std::move(heading), most_rounds),
        all_(sequences(n, c, vehicles, kTicks, trade)),
        peers_(make_peers(n)) {
    rows = rows_for("Pintle, whole call", peers_, all_.size() * kTicks);
  }

  void measure(int round) override {
    const double clock = clock_ns();
    Allocation out;
    for (std::size_t v = 0; v < all_.size(); ++v) {
      const Problem& first = all_[v].first.problem;
      allocate(*prepared_, first.settings, first.effectiveness, first.demand, nullptr, out);
      BoxProblem asked_of_peers = all_[v].first.for_peers;
      WrenchDemand asked = first.demand;
      for (const auto& p : peers_) p->begin(asked_of_peers, x_.data());
      for (std::size_t t = 0; t < all_[v].ticks.size(); ++t) {
        asked.F_Bo_B = all_[v].ticks[t].demand;
        asked_of_peers.b = all_[v].ticks[t].b;
        turns_.each(rows, round, [&](std::size_t s) {
          const double begin = now_ns();
          if (s == 0)
            allocate(*prepared_, first.settings, first.effectiveness, asked, nullptr, out);
          else
            peers_[s - 1]->warm(asked_of_peers, x_.data());
          rows[s].take(v * kTicks + t, now_ns() - begin - clock);
          use(out);
        });
      }
    }
  }

 private:
  static constexpr int kTicks = 200;
  const std::vector<Sequence> all_;
  const Peers peers_;
  std::unique_ptr<Prepared> prepared_ = std::make_unique<Prepared>();
  std::array<double, kMaxChannels> x_{};
  Turns turns_;
};

int class_of(ProblemClass c) { return static_cast<int>(c); }

std::string with(Trade trade) {
  return trade == Trade::kLittle ? ""
                                 : ", r = 0 (1e-8 for the others, which is not the same problem)";
}

// 8192 problems of eight channels at once
class BatchRun {
 public:
  BatchRun(ProblemClass c, double r, bool same_columns)
      : kind(c),
        trade(r),
        same(same_columns),
        column_(kAxes * kChannels * (same ? 1 : kCount)),
        b_(kAxes * kCount),
        lower_(kChannels * kCount),
        upper_(kChannels * kCount),
        x_(kChannels * kCount) {
    RandomStream random(5, "allocation bench batch");
    Problem shared = make_problem(c, kChannels, random);
    for (std::size_t j = 0; j < kCount; ++j) {
      Problem p = make_problem(c, kChannels, random);
      if (same) {
        // the demand of this problem's efforts, from the columns of all
        Vec6 w;
        for (std::size_t i = 0; i < kChannels; ++i)
          w = w + random.uniform(-1, 1) * (c == ProblemClass::kMild ? 1.2 : 0.3) *
                      shared.effectiveness.column[i];
        p.effectiveness.column = shared.effectiveness.column;
        p.demand.F_Bo_B = to_wrench(w);
      }
      const Measured m = measured(p);
      for (std::size_t k = 0; k < kAxes; ++k) {
        b_[k * kCount + j] = m.scaled.box.b[k];
        for (std::size_t i = 0; i < kChannels; ++i)
          column_[same ? kAxes * i + k : (kAxes * i + k) * kCount + j] = m.scaled.box.column[i][k];
      }
      for (std::size_t i = 0; i < kChannels; ++i) {
        lower_[i * kCount + j] = m.scaled.box.lower[i];
        upper_[i * kCount + j] = m.scaled.box.upper[i];
      }
    }
  }

  void measure() {
    const Batch batch{kChannels, kCount, trade, column_, same, b_, lower_, upper_};
    const double begin = now_ns();
    solved = solve_batch(batch, x_);
    least_ = std::min(least_, now_ns() - begin);
    use(x_[0]);
  }
  [[nodiscard]] double ns() const { return least_ / kCount; }

  const ProblemClass kind;
  const double trade;
  const bool same;
  std::size_t solved = 0;

 private:
  static constexpr std::size_t kCount = 8192;
  static constexpr std::uint32_t kChannels = 8;
  std::vector<double> column_, b_, lower_, upper_, x_;
  double least_ = 1e12;
};

using Sections = std::vector<std::unique_ptr<Section>>;

Section& add_cold(Sections& all, int rounds, std::uint32_t n, int only, int count, Trade trade) {
  const auto kind = static_cast<ProblemClass>(only);
  const std::string what = only < 0 ? "ten classes" : std::string(name_of(kind));
  all.push_back(
      std::make_unique<Cold>(std::to_string(n) + " channels, new problem, " + what + with(trade),
                             n > 32 ? std::min(rounds, 5) : rounds, n, only, count, trade));
  return *all.back();
}

Section& add_warm(Sections& all, int rounds, std::uint32_t n, ProblemClass c, int vehicles,
                  Trade trade) {
  all.push_back(std::make_unique<Warm>(
      std::to_string(n) + " channels, same vehicle, " + std::string(name_of(c)) + with(trade),
      n > 8 ? std::min(rounds, 4) : rounds, n, c, vehicles, trade));
  return *all.back();
}

}  // namespace

void run_times(Table& table, int rounds) {
  table.line("r is 1e-8 to 1e-4 of the largest gain squared, the same for all, where not said.");
  Sections all;
  for (const ProblemClass c : {ProblemClass::kAttainable, ProblemClass::kMild, ProblemClass::kHeavy,
                               ProblemClass::kLayout})
    add_cold(all, rounds, 8, class_of(c), 300, Trade::kLittle);
  // the traps are none where effort costs something
  for (const ProblemClass c : {ProblemClass::kEdge, ProblemClass::kScaledTies})
    add_cold(all, rounds, 8, class_of(c), 300, Trade::kLimit);
  add_cold(all, rounds, 8, -1, 150, Trade::kLittle).goals = {
      {"8 channels, new problem, median", &Times::p50, 0.45},
      {"8 channels, new problem, 99 %", &Times::p99, 0.45},
      {"8 channels, new problem, 99.9 %", &Times::p999, 0.55}};
  add_cold(all, rounds, 8, -1, 150, Trade::kLimit);
  for (const std::uint32_t n : {4U, 6U, 12U, 16U, 32U})
    add_cold(all, rounds, n, -1, 30, Trade::kLittle);
  add_cold(all, rounds, 64, -1, 50, Trade::kLittle).goals = {
      {"64 channels, new problem, median", &Times::p50, 0.04},
      {"64 channels, new problem, 99 %", &Times::p99, 0.08}};
  add_cold(all, rounds, 64, -1, 50, Trade::kLimit);
  add_warm(all, rounds, 8, ProblemClass::kAttainable, 12, Trade::kLittle);
  add_warm(all, rounds, 8, ProblemClass::kLayout, 12, Trade::kLittle);
  add_warm(all, rounds, 8, ProblemClass::kMild, 24, Trade::kLittle).goals = {
      {"8 channels, same vehicle, mild, median", &Times::p50, 0.35}};
  add_warm(all, rounds, 8, ProblemClass::kHeavy, 24, Trade::kLittle).goals = {
      {"8 channels, same vehicle, heavy, median", &Times::p50, 0.35},
      {"8 channels, same vehicle, heavy, 99 %", &Times::p99, 0.52}};
  add_warm(all, rounds, 64, ProblemClass::kHeavy, 8, Trade::kLittle).goals = {
      {"64 channels, same vehicle, heavy, median", &Times::p50, 0.3}};
  add_warm(all, rounds, 8, ProblemClass::kMild, 24, Trade::kLimit);
  add_warm(all, rounds, 8, ProblemClass::kHeavy, 24, Trade::kLimit);
  add_warm(all, rounds, 64, ProblemClass::kHeavy, 8, Trade::kLimit);
  std::vector<BatchRun> batches;
  for (const bool same : {true, false})
    for (const double r : {0.0, 1e-6})
      for (const ProblemClass c : {ProblemClass::kAttainable, ProblemClass::kMild})
        batches.emplace_back(c, r, same);
  for (const auto& section : all)
    for (int round = 0; round < std::min(rounds, section->rounds); ++round) section->measure(round);
  for (int round = 0; round < 3 * rounds; ++round)
    for (BatchRun& batch : batches) batch.measure();
  for (const auto& section : all) {
    table.times(section->title, section->rows);
    for (const auto& g : section->goals) table.goal(g.what, section->rows, g.figure, g.at_most);
  }
  table.line("\n8 channels in batches of 8192, one core");
  for (const BatchRun& batch : batches) {
    char text[200];
    const std::string name(name_of(batch.kind));
    std::snprintf(text, sizeof text, "  %-10s columns %-9s r = %-6g %8.2f million/s, solved %zu",
                  name.c_str(), batch.same ? "the same" : "different", batch.trade,
                  1e3 / batch.ns(), batch.solved);
    table.line(text);
    // millions a second
    const bool mild = batch.kind == ProblemClass::kMild;
    const bool eight_at_once = level_in_use() == Level::kAvx512;
    const double wanted = mild ? (eight_at_once ? 3.5 : 2.5) : (eight_at_once ? 15 : 10);
    if (!batch.same && batch.trade > 0 && level_in_use() != Level::kBaseline)
      table.goal({"batch, " + name + ", ns a problem, " + instruction_set(), batch.ns(), 0,
                  1e3 / wanted, "time"});
  }
}

namespace {

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
