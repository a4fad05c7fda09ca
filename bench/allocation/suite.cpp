// The certified suite through every solver.
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "allocation/runs.h"
#include "pintle/allocation/internal/dispatch.h"
#include "pintle/allocation_suite/certified.h"

namespace pintle::bench {

using namespace allocation;
using allocation::testing::Certified;

namespace {

struct Score {
  std::string solver;
  std::size_t problems = 0;
  std::size_t wrong = 0;  ///< Cost too high by 1e-6, out of the box, or not a number.
  std::size_t over_3 = 0, over_6 = 0, over_9 = 0;
  std::size_t refused = 0;  ///< Says itself that it has no answer.
  double worst = 0;
};

// |A x - b|^2 + r |x|^2 against the optimum's, over |b|^2 + sum of |a_i|^2
double cost_gap(const BoxProblem& p, const double* x, const double* best) {
  long double ours = 0;
  long double least = 0;
  long double size = 0;
  for (std::size_t k = 0; k < kAxes; ++k) {
    long double e = p.b[k];
    long double f = p.b[k];
    size += e * e;
    for (std::size_t i = 0; i < p.n; ++i) {
      const long double a = p.column[i][k];
      e -= a * x[i];
      f -= a * best[i];
      size += a * a;
    }
    ours += e * e;
    least += f * f;
  }
  for (std::size_t i = 0; i < p.n; ++i) {
    ours += static_cast<long double>(p.r) * x[i] * x[i];
    least += static_cast<long double>(p.r) * best[i] * best[i];
  }
  return static_cast<double>((ours - least) / (size > 0 ? size : 1));
}

void judge(Score& score, const Certified& c, const Measured& m, const double* effort,
           bool accepted) {
  ++score.problems;
  const double error = testing::error_of(c, effort);
  score.worst = std::max(score.worst, error);
  score.over_3 += error > 1e-3 ? 1U : 0U;
  score.over_6 += error > 1e-6 ? 1U : 0U;
  score.over_9 += error > 1e-9 ? 1U : 0U;
  score.refused += accepted ? 0U : 1U;
  const Effectiveness& e = c.problem.effectiveness;
  std::array<double, kMaxChannels> x{}, best{};
  bool outside = false;
  for (std::size_t i = 0; i < e.n; ++i) {
    x[i] = (effort[i] - e.preferred[i]) / m.scaled.effort_unit;
    best[i] = (c.effort[i] - e.preferred[i]) / m.scaled.effort_unit;
    const double slack = 1e-5 * c.size;
    outside = outside || !(effort[i] >= e.lower[i] - slack && effort[i] <= e.upper[i] + slack);
  }
  // written so that NaN is wrong
  const bool right = !outside && cost_gap(m.scaled.box, x.data(), best.data()) <= 1e-6 && accepted;
  score.wrong += right ? 0U : 1U;
}

void judge_ours(std::vector<Score>& scores, const Certified& c, const Measured& m,
                Prepared& prepared) {
  const Problem& p = c.problem;
  Allocation out;
  const auto score = [&](Score& s) {
    const bool accepted =
        out.grade == AllocationGrade::kExact || out.grade == AllocationGrade::kBounded;
    judge(s, c, m, out.effort.begin(), accepted);
  };
  allocate(p.settings, p.effectiveness, p.demand, nullptr, out);
  score(scores[0]);
  allocate(prepared, p.settings, p.effectiveness, p.demand, nullptr, out);
  score(scores[1]);
  Settings refined = p.settings;
  refined.objective.refine = true;
  allocate(refined, p.effectiveness, p.demand, nullptr, out);
  score(scores[2]);
}

void judge_peer(Score& score, const Certified& c, const Measured& m, Peer& peer) {
  std::array<double, kMaxChannels> x{};
  const bool accepted = peer.cold(m.for_peers, x.data());
  for (std::size_t i = 0; i < c.effort.size(); ++i)
    x[i] = c.problem.effectiveness.preferred[i] + m.scaled.effort_unit * x[i];
  judge(score, c, m, x.data(), accepted);
}

double percent(std::size_t part, std::size_t all) {
  return all == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(all);
}

void print(const Score& s) {
  std::printf("  %-28s %9.3f %9.3f %9.3f %9.3f %9.3f %9.1e\n", s.solver.c_str(),
              percent(s.wrong, s.problems), percent(s.over_3, s.problems),
              percent(s.over_6, s.problems), percent(s.over_9, s.problems),
              percent(s.refused, s.problems), s.worst);
}

}  // namespace

bool run_suite(Table& table, std::size_t step, bool json) {
  const Peers peers = json ? Peers{} : make_peers(0);
  std::vector<Score> scores(3 + peers.size());
  scores[0].solver = "Pintle";
  scores[1].solver = "Pintle, kept from call to call";
  scores[2].solver = "Pintle, refined";
  for (std::size_t s = 0; s < peers.size(); ++s) scores[s + 3].solver = peers[s]->name();
  auto prepared = std::make_unique<Prepared>();
  std::size_t uncertified = 0;
  std::size_t problems = 0;
  double apart = 0;
  const std::size_t blocks = testing::kSuiteProblems / 16;
  for (std::size_t block = 0; block < blocks; block += step)
    for (std::size_t j = 0; j < 16; ++j) {
      const Certified c = testing::certified(16 * block + j);
      ++problems;
      apart = std::max(apart, c.disagreement);
      if (!c.certified()) {
        ++uncertified;
        continue;
      }
      const Measured m = measured(c.problem);
      judge_ours(scores, c, m, *prepared);
      for (std::size_t s = 0; s < peers.size(); ++s) judge_peer(scores[s + 3], c, m, *peers[s]);
    }
  const auto good = [](const Score& s, std::size_t beyond) {
    return s.wrong == 0 && s.over_6 == 0 && beyond * 100 <= s.problems;
  };
  const bool right = uncertified == 0 && good(scores[0], scores[0].over_9) &&
                     good(scores[1], scores[1].over_9) && good(scores[2], 100 * scores[2].over_9);
  if (json) {
    std::printf("{\"problems\": %zu, \"not_certified\": %zu, \"ways_apart_at_most\": %.3g",
                problems, uncertified, apart);
    const char* const names[3] = {"cold", "kept", "refined"};
    for (std::size_t s = 0; s < 3; ++s)
      std::printf(
          ", \"%s\": {\"wrong\": %zu, \"beyond_1e-6\": %zu, \"beyond_1e-9\": %zu, "
          "\"worst\": %.3g}",
          names[s], scores[s].wrong, scores[s].over_6, scores[s].over_9, scores[s].worst);
    std::printf("}\n");
    return right;
  }
  std::printf(
      "\nCertified suite: %zu problems of 4 to 64 channels, not certified: %zu; the two ways "
      "at most %.1e apart\n",
      problems, uncertified, apart);
  std::printf("  %-28s %9s %9s %9s %9s %9s %9s   %% of problems\n", "", "wrong", "> 1e-3", "> 1e-6",
              "> 1e-9", "refused", "worst");
  for (const Score& s : scores) print(s);
  table.goal({"wrong answers", static_cast<double>(scores[0].wrong + scores[1].wrong), 0, 0, "n"});
  table.goal(
      {"answers beyond 1e-6", static_cast<double>(scores[0].over_6 + scores[1].over_6), 0, 0, "n"});
  table.goal({"answers beyond 1e-9, %", percent(scores[0].over_9, scores[0].problems), 0, 1, "n"});
  table.goal({"refined answers beyond 1e-9", static_cast<double>(scores[2].over_9), 0, 0, "n"});
  return right;
}

// the one function that callgrind looks into
extern "C" __attribute__((noinline)) void counted(PintleCold* ours, Peer* peer, const Measured* m,
                                                  double* x) {
  if (ours != nullptr)
    (*ours)(m->problem);
  else
    peer->cold(m->for_peers, x);
}
extern "C" __attribute__((noinline)) void counted_warm(Prepared* ours, Peer* peer, const Problem* p,
                                                       const BoxProblem* box, Allocation* out,
                                                       double* x) {
  if (ours != nullptr)
    allocate(*ours, p->settings, p->effectiveness, p->demand, nullptr, *out);
  else
    peer->warm(*box, x);
}

extern "C" __attribute__((noinline)) void counted_changed(Prepared* ours, const Problem* p,
                                                          bool same, Allocation* out) {
  if (same)
    allocate(*ours, p->settings, p->demand, *out);
  else
    allocate(*ours, p->settings, p->effectiveness, p->demand, nullptr, *out);
}

namespace {

// what the stack calls in a tick whose columns are not those of the last: gimbals that turn, fins
// that fade, a thruster just lost; a demand well inside, and one beyond
std::size_t count_changed(const std::string& what, std::uint32_t n) {
  RandomStream random(3, "changed");
  Allocation out;
  auto prepared = std::make_unique<Prepared>();
  std::size_t solved = 0;
  for (int vehicle = 0; vehicle < 20; ++vehicle) {
    // nothing but the demand, far from any bound: said so, or found by comparing
    const bool said = what == "idle", idle = said || what == "nothing";
    Problem p = make_problem(idle ? ProblemClass::kAttainable : ProblemClass::kLayout, n, random);
    p.settings = {};
    p.settings.drop_traces = p.settings.prove = !idle;
    if (idle) p.settings.objective.k2 = 0;
    const Effectiveness first = p.effectiveness;
    allocate(*prepared, p.settings, p.effectiveness, p.demand, nullptr, out);
    for (int tick = 0; tick < 20; ++tick) {
      p.effectiveness = first;
      Effectiveness& e = p.effectiveness;
      const auto lost = static_cast<std::size_t>(tick) % e.n;
      if (idle) p.demand.F_Bo_B.force.x *= 1 + 1e-3;
      if (what == "lost") e.lower[lost] = e.upper[lost] = 0;
      for (std::size_t i = 0; i < e.n && !idle && what != "lost"; ++i) {
        Vec6& a = e.column[i];
        const double angle = 1e-3 * (tick + 1);
        if (what == "fading") a = (1 - angle) * a;
        if (what == "turning")
          for (const std::size_t k : {std::size_t{0}, std::size_t{3}}) {
            const double x = a[k];
            a[k] = std::cos(angle) * x - std::sin(angle) * a[k + 1];
            a[k + 1] = std::sin(angle) * x + std::cos(angle) * a[k + 1];
          }
      }
      // with the demand of the last tick: what is new are the columns
      counted_changed(prepared.get(), &p, said, &out);
      ++solved;
    }
  }
  return solved;
}

}  // namespace

int run_count(const std::string& solver, const std::string& problem_class, const std::string& n) {
  const auto channels = static_cast<std::uint32_t>(std::stoul(n));
  Peers peers = make_peers(channels);
  Peer* peer = nullptr;
  for (auto& p : peers)
    if (p->name() == solver) peer = p.get();
  if (solver == "list") {
    for (auto& p : peers) std::printf("%s\n", p->name().c_str());
    return 0;
  }
  if (peer == nullptr && solver != "Pintle") throw std::invalid_argument("no solver " + solver);
  if (problem_class.starts_with("changed ")) {
    if (peer != nullptr) throw std::invalid_argument("of Pintle alone");
    std::printf("%zu\n", count_changed(problem_class.substr(8), channels));
    return 0;
  }
  const bool warm = problem_class.starts_with("warm ");
  const std::string wanted = warm ? problem_class.substr(5) : problem_class;
  int only = -1;
  for (std::size_t c = 0; c < kProblemClasses; ++c)
    if (name_of(static_cast<ProblemClass>(c)) == wanted) only = static_cast<int>(c);
  // "each": as many of them as the times are of
  if (only < 0 && wanted != "all" && wanted != "each")
    throw std::invalid_argument("no class " + wanted);

  std::array<double, kMaxChannels> x{};
  std::size_t solved = 0;
  if (warm) {
    Allocation out;
    auto prepared = std::make_unique<Prepared>();
    for (const Sequence& s :
         sequences(channels, static_cast<ProblemClass>(only), 4, 200, Trade::kLittle)) {
      Problem p = s.first.problem;
      BoxProblem box = s.first.for_peers;
      allocate(*prepared, p.settings, p.effectiveness, p.demand, nullptr, out);
      if (peer != nullptr) peer->begin(box, x.data());
      for (const Sequence::Tick& tick : s.ticks) {
        p.demand.F_Bo_B = tick.demand;
        box.b = tick.b;
        counted_warm(peer == nullptr ? prepared.get() : nullptr, peer, &p, &box, &out, x.data());
        ++solved;
      }
    }
  } else {
    PintleCold ours;
    // peers take their memory with the first problem
    const int count = only >= 0 ? 100 : wanted == "all" ? 10 : channels > 8 ? 50 : 150;
    const auto problems = new_problems(channels, only, count, Trade::kLittle);
    if (peer != nullptr) peer->cold(problems[0].for_peers, x.data());
    for (const Measured& m : problems) {
      counted(peer == nullptr ? &ours : nullptr, peer, &m, x.data());
      ++solved;
    }
  }
  std::printf("%zu\n", solved);
  return 0;
}

std::string instruction_set() {
  switch (level_in_use()) {
    case Level::kAvx512: return "AVX-512";
    case Level::kAvx2: return "AVX2";
    case Level::kBaseline: break;
  }
  return "that of the build (SSE2 on x86-64)";
}

}  // namespace pintle::bench
