#include "matrix_worst_case.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#ifdef __linux__
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <csignal>
#endif

#include "pintle/allocation/worst_case.h"
#include "pintle/vehicle/effectiveness.h"
#include "printed.h"

namespace pintle::app {
namespace {

#if defined(__linux__) && defined(__x86_64__)
#define PINTLE_CAN_STEP
thread_local volatile std::int64_t stepped = 0;
void count_step(int) { stepped = stepped + 1; }
// the processor's trap flag: a signal after each instruction. The red zone is left alone
inline void begin_steps() {
  asm volatile(
      "lea -128(%%rsp), %%rsp\n pushfq\n orq $0x100, (%%rsp)\n popfq\n lea 128(%%rsp), %%rsp" ::
          : "memory", "cc");
}
inline void end_steps() {
  asm volatile(
      "lea -128(%%rsp), %%rsp\n pushfq\n andq $~0x100, (%%rsp)\n popfq\n lea 128(%%rsp), %%rsp" ::
          : "memory", "cc");
}
#endif

/// Instructions of this thread outside the kernel: by the machine's counter, where it lets a
/// program have it, else one after the other, which takes some ten microseconds each.
class InstructionCounter {
 public:
  InstructionCounter() {
#ifdef __linux__
    perf_event_attr how{};
    how.type = PERF_TYPE_HARDWARE;
    how.size = sizeof(how);
    how.config = PERF_COUNT_HW_INSTRUCTIONS;
    how.exclude_kernel = how.exclude_hv = 1;
    file_ = static_cast<int>(syscall(SYS_perf_event_open, &how, 0, -1, -1, 0));
#endif
    own_ = raw([] {});
  }
  ~InstructionCounter() {
#ifdef __linux__
    if (file_ >= 0) close(file_);
#endif
  }
  InstructionCounter(const InstructionCounter&) = delete;
  InstructionCounter& operator=(const InstructionCounter&) = delete;

  [[nodiscard]] bool is_quick() const { return file_ >= 0; }
  [[nodiscard]] bool counts() const {
#ifdef PINTLE_CAN_STEP
    return true;
#else
    return is_quick();
#endif
  }

  template <class Call>
  [[nodiscard]] std::int64_t of(const Call& call) const {
    return raw(call) - own_;
  }

 private:
  template <class Call>
  [[nodiscard]] std::int64_t raw(const Call& call) const {
    if (is_quick()) {
      const std::int64_t before = now();
      call();
      return now() - before;
    }
#ifdef PINTLE_CAN_STEP
    stepped = 0;
    begin_steps();
    call();
    end_steps();
    return stepped;
#else
    call();
    return 0;
#endif
  }

  [[nodiscard]] std::int64_t now() const {
    std::int64_t count = 0;
#ifdef __linux__
    if (::read(file_, &count, sizeof(count)) != sizeof(count)) return 0;
#endif
    return count;
  }

  int file_ = -1;
  std::int64_t own_ = 0;
};

struct Case {
  int first = -1, second = -1;  // channels that are out
  allocation::WorstCase proved;
  int steps_found = 0;
  Vec6 where, dearest;  // the most steps and instructions were found for
  std::int64_t instructions = -1, idle_instructions = -1;
  double dearest_step = 0;  // of what was found, instructions
};

struct Setup {
  Effectiveness effectiveness;
  WrenchDemand demand;
  allocation::Settings settings;
};

/// Calls as the first ever, for demands that come near the dearest.
class Search {
 public:
  Search(const Setup& setup, Case& of) : setup_(setup), case_(of) {
    for (const int out : {of.first, of.second})
      if (out >= 0) health_[static_cast<std::size_t>(out)].health = Health::kOut;
    for (std::size_t k = 0; k < kAxes; ++k)
      for (std::size_t i = 0; i < setup.effectiveness.n; ++i)
        reach_[k] += std::abs(setup.effectiveness.column[i][k]) *
                     std::max(std::abs(setup.effectiveness.lower[i]),
                              std::abs(setup.effectiveness.upper[i]));
  }

  void run() {
    std::mt19937_64 bits(1);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    std::vector<std::pair<std::int64_t, Vec6>> best;
    const auto look = [&](const Vec6& w) {
      best.emplace_back(ask(w, counter_.is_quick()), w);
      std::stable_sort(best.begin(), best.end(),
                       [](const auto& a, const auto& b) { return a.first > b.first; });
      if (best.size() > kClimbers) best.pop_back();
    };
    // what a call costs that holds nothing
    if (counter_.counts()) case_.idle_instructions = (call({}, false), call({}, true));
    for (const Vec6& w : case_.proved.dearest) look(w);
    for (int i = 0; i < kRandomDemands; ++i) {
      Vec6 w;
      const double size = std::exp(-1 + 6 * uniform(bits));
      for (std::size_t k = 0; k < kAxes; ++k) w[k] = size * reach_[k] * normal(bits);
      look(w);
    }
    for (int i = 0; i < kClimbs; ++i) {
      Vec6 w = best[static_cast<std::size_t>(i) % best.size()].second;
      const double part = std::exp(-16 * uniform(bits));
      for (std::size_t k = 0; k < kAxes; ++k)
        w[k] += part * (std::abs(w[k]) + 0.1 * reach_[k]) * normal(bits);
      look(w);
    }
    if (!counter_.counts() || counter_.is_quick()) return;
    best.resize(std::min(best.size(), kStepped));
    for (const auto& [steps, w] : best) static_cast<void>(ask(w, true));
  }

 private:
  static constexpr int kRandomDemands = 1000, kClimbs = 3000;
  static constexpr std::size_t kClimbers = 32, kStepped = 1;

  // instructions, where they are counted
  std::int64_t call(const Vec6& w, bool counted) {
    demand_ = setup_.demand;
    demand_.F_Bo_B = to_wrench(w);
    *prepared_ = allocation::Prepared{};
    const auto now = [&] {
      allocation::allocate(*prepared_, setup_.settings, setup_.effectiveness, demand_,
                           health_.data(), answer_);
    };
    if (counted) return counter_.of(now);
    now();
    return 0;
  }

  // the price: instructions, or steps
  std::int64_t ask(const Vec6& w, bool counted) {
    const std::int64_t instructions = call(w, counted);
    int steps = answer_.iterations;
    if (case_.proved.why_not.empty()) steps = allocation::call_path(*prepared_, answer_).steps;
    if (steps > case_.steps_found) {
      case_.steps_found = steps;
      case_.where = w;
    }
    if (!counted) return steps;
    if (instructions > case_.instructions) {
      case_.instructions = instructions;
      case_.dearest = w;
    }
    if (steps > 0)
      case_.dearest_step = std::max(
          case_.dearest_step, static_cast<double>(instructions - case_.idle_instructions) / steps);
    return instructions;
  }

  const Setup& setup_;
  Case& case_;
  InstructionCounter counter_;
  std::array<PropulsorHealth, kMaxChannels> health_{};
  Vec6 reach_;
  WrenchDemand demand_;
  Allocation answer_;
  std::unique_ptr<allocation::Prepared> prepared_ = std::make_unique<allocation::Prepared>();
};

std::string name_of(const std::vector<std::string>& channels, const Case& c) {
  std::string names;
  for (const int i : {c.first, c.second})
    if (i >= 0) names += (names.empty() ? "" : " + ") + channels[static_cast<std::size_t>(i)];
  return names.empty() ? "nothing" : names;
}

void solve(const Setup& setup, const std::vector<std::string>& channels, std::vector<Case>& cases,
           long most_parts) {
#ifdef PINTLE_CAN_STEP
  struct sigaction each {};
  each.sa_handler = count_step;
  sigaction(SIGTRAP, &each, nullptr);
#endif
  std::atomic<std::size_t> next{0}, done{0};
  std::mutex telling;
  const auto work = [&] {
    for (std::size_t i = next++; i < cases.size(); i = next++) {
      Case& c = cases[i];
      std::array<PropulsorHealth, kMaxChannels> health{};
      for (const int out : {c.first, c.second})
        if (out >= 0) health[static_cast<std::size_t>(out)].health = Health::kOut;
      c.proved = allocation::worst_case(setup.settings, setup.effectiveness, setup.demand,
                                        health.data(), most_parts);
      Search(setup, c).run();
      const std::scoped_lock lock(telling);
      fmt::print(stderr, "{} of {}: out: {}, {} parts\n", ++done, cases.size(),
                 name_of(channels, c), c.proved.parts);
    }
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
    others.emplace_back(work);
  work();
  for (std::thread& t : others) t.join();
}

/// What proved steps come to if each were the dearest found; nothing proved of instructions.
std::optional<double> estimate(const Case& c) {
  if (c.proved.proved_steps() == 0 || c.instructions < 0) return {};
  return static_cast<double>(c.idle_instructions) + c.proved.proved_steps() * c.dearest_step;
}

std::string remark(const Case& c) {
  if (!c.proved.why_not.empty()) return "not followed: " + c.proved.why_not;
  if (!c.proved.complete) return "more parts than --parts: not proved";
  if (c.proved.unsettled > 0)
    return fmt::format("{} parts go on to the searches for hard cases: not proved",
                       c.proved.unsettled);
  return "";
}

std::string as_table(const std::vector<std::string>& channels, const std::vector<Case>& cases) {
  std::size_t width = 7;
  for (const Case& c : cases) width = std::max(width, name_of(channels, c).size());
  const bool counted = cases.front().instructions >= 0;
  std::string out =
      fmt::format("{:<{}}{:>9}{:>10}{:>8}{:>7}{:>6}{:>14}{:>14}\n", "out", width, "sets", "parts",
                  "proved", "found", "cap", "instructions", "proved x most");
  std::size_t proved = 0;
  for (const Case& c : cases) {
    const allocation::WorstCase& p = c.proved;
    const bool is_proved = p.proved_steps() > 0;
    proved += is_proved ? 1 : 0;
    const std::string words = remark(c);
    const auto rough = estimate(c);
    out += fmt::format(
        "{:<{}}{:>9}{:>10}{:>8}{:>7}{:>6}{:>14}{:>14}{}{}\n", name_of(channels, c), width,
        p.regions, p.parts, is_proved ? fmt::format("{}", p.proved_steps()) : "-", c.steps_found,
        p.capped_steps, c.instructions >= 0 ? fmt::format("{}", c.instructions) : "-",
        rough ? fmt::format("{:.0f}", *rough) : "-", words.empty() ? "" : "   ", words);
  }
  return out +
         fmt::format(
             "\nsets: held sets that are optimal for some demand. parts: of all demands, in each "
             "of which the search goes one way.\nproved: no first call takes more steps (a held "
             "set tried, a pivot), in exact arithmetic, but for demands nearer\nthan 1e-7 of "
             "their size to a plane between two parts. cap: what every search may take by its own "
             "cap, for "
             "those too.\n"
             "found: the most steps of a first call that a search came to. {} of {} cases are "
             "proved.\n{}",
             proved, cases.size(),
             counted
                 ? "instructions: the most that were counted, of a first call. proved x most: "
                   "a call that holds nothing, and each\nproved step at the price of the "
                   "dearest found: an estimate, not a proof.\n"
                 : "instructions: not counted here: this machine lets no program count its own.\n");
}

std::string as_json(const vehicle::Vehicle& v, const std::vector<std::string>& channels,
                    const std::vector<Case>& cases) {
  nlohmann::ordered_json j;
  j["vehicle"] = v.name;
  j["margin"] = 1e-7;
  j["steps_before_search"] = allocation::steps_from_free();
  j["instructions_counted"] = cases.front().instructions >= 0;
  for (const Case& c : cases) {
    const allocation::WorstCase& p = c.proved;
    nlohmann::ordered_json one;
    one["out"] = nlohmann::ordered_json::array();
    for (const int i : {c.first, c.second})
      if (i >= 0) one["out"].push_back(channels[static_cast<std::size_t>(i)]);
    one["held_sets"] = p.regions;
    one["parts"] = p.parts;
    one["complete"] = p.complete;
    one["unsettled_parts"] = p.unsettled;
    if (p.proved_steps() > 0) {
      one["proved_steps"] = p.proved_steps();
      one["proved_systems"] = p.longest.systems;
      one["proved_pivots"] = p.longest.pivots;
    }
    if (const std::string words = remark(c); !words.empty()) one["not_proved"] = words;
    one["iteration_cap"] = p.cap;
    one["steps_cap"] = p.capped_steps;
    one["found_steps"] = c.steps_found;
    one["found_steps_for"] = c.where.v;
    if (c.instructions >= 0) {
      one["found_instructions"] = c.instructions;
      one["found_instructions_for"] = c.dearest.v;
      one["idle_instructions"] = c.idle_instructions;
      one["dearest_step_instructions"] = c.dearest_step;
    }
    if (const auto rough = estimate(c)) one["estimated_instructions"] = std::llround(*rough);
    j["cases"].push_back(one);
  }
  return printed(j) + "\n";
}

}  // namespace

std::string worst_case_report(const vehicle::Vehicle& v, const craft::VehicleFile& file, bool json,
                              long most_parts) {
  Setup setup;
  setup.effectiveness = vehicle::effectiveness_of(v);
  setup.demand = control::priorities(control::selected(file.laws));
  setup.settings.objective = allocation::resolved(file.allocation);
  setup.settings.drop_traces =
      control::behaviour(control::selected(file.laws)) == control::Behaviour::kSafe;
  const int n = static_cast<int>(setup.effectiveness.n);
  std::vector<Case> cases(1);
  const auto out = [&](int first, int second) {
    cases.emplace_back();
    cases.back().first = first;
    cases.back().second = second;
  };
  for (int i = 0; i < n; ++i) out(i, -1);
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) out(i, j);
  const std::vector<std::string> channels = v.channel_names();
  solve(setup, channels, cases, most_parts);
  return json ? as_json(v, channels, cases) : as_table(channels, cases);
}

}  // namespace pintle::app
