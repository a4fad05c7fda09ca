// Random allocation problems by the million, each through everything in allocation_checks.h.
//
//   allocation_campaign COUNT [SEED [THREADS]]     prints one JSON object; 0 when all laws hold
//
// A quarter are random bytes (see allocation_decode.h), half come from the classes of suite.h, a
// quarter are such with something hostile put in: not a number, infinities, denormals, zero
// columns, crossed bounds, numbers of 1e+-300. Half of those that are sound follow on the problem
// before with another demand; one in 128 begins a way of about a hundred such. Of the classes one
// in eight has its axes in two or three groups, as has every second of the bytes.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "fuzz/allocation_decode.h"
#include "pintle/allocation_suite/suite.h"

namespace {

using namespace pintle;
using namespace pintle::allocation;
using namespace pintle::allocation::fuzz;

struct Totals {
  std::uint64_t problems = 0, hostile = 0, bytes = 0, followed = 0, compared = 0, groups = 0;
  std::array<std::uint64_t, 4> grade{};
  std::array<std::uint64_t, 16> reason{};
  std::uint64_t kept_beyond_12 = 0, refined_beyond_9 = 0, refined_beyond_6 = 0;
  Worst worst;
  std::uint64_t broken = 0;
  std::string first_broken;

  void add(const Totals& o) {
    problems += o.problems;
    hostile += o.hostile;
    bytes += o.bytes;
    followed += o.followed;
    compared += o.compared;
    groups += o.groups;
    for (std::size_t i = 0; i < grade.size(); ++i) grade[i] += o.grade[i];
    for (std::size_t i = 0; i < reason.size(); ++i) reason[i] += o.reason[i];
    kept_beyond_12 += o.kept_beyond_12;
    refined_beyond_9 += o.refined_beyond_9;
    refined_beyond_6 += o.refined_beyond_6;
    worst.cost = std::max(worst.cost, o.worst.cost);
    worst.free = std::max(worst.free, o.worst.free);
    worst.held = std::max(worst.held, o.worst.held);
    worst.kept = std::max(worst.kept, o.worst.kept);
    worst.groups = std::max(worst.groups, o.worst.groups);
    worst.refined = std::max(worst.refined, o.worst.refined);
    if (first_broken.empty()) first_broken = o.first_broken;
    broken += o.broken;
  }
};

// mostly few channels, as most vehicles have; now and then all
std::uint32_t some_channels(RandomStream& random) {
  const std::uint64_t most = random.bits() % 64 == 0 ? 64 : random.bits() % 8 == 0 ? 16 : 8;
  return 1 + static_cast<std::uint32_t>(random.bits() % most);
}

Input from_bytes(RandomStream& random) {
  std::array<std::uint8_t, 1024> data;
  // a byte of 0 to 159 is a small round number: sound problems are not to be rare
  const std::uint64_t most = random.bits() % 4 == 0 ? 256 : 160;
  for (std::uint8_t& b : data) b = static_cast<std::uint8_t>(random.bits() % most);
  data[0] = static_cast<std::uint8_t>(some_channels(random));
  data[2] = static_cast<std::uint8_t>(random.bits() & 0x77);
  Bytes bytes(data.data(), data.size());
  return decode(bytes);
}

Input from_class(RandomStream& random) {
  const auto c = static_cast<ProblemClass>(random.bits() % kProblemClasses);
  const Problem p = make_problem(c, some_channels(random), random);
  Input in{p.settings, p.effectiveness, p.demand, {}};
  if (random.bits() % 8 == 0) {
    const std::uint64_t groups = 2 + random.bits() % 2;
    for (std::uint8_t& g : in.demand.group) g = static_cast<std::uint8_t>(random.bits() % groups);
  }
  return in;
}

double hostile_number(RandomStream& random) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr std::array kNumbers{std::numeric_limits<double>::quiet_NaN(),
                                kInfinity,
                                -kInfinity,
                                std::numeric_limits<double>::denorm_min(),
                                -1e-310,
                                1e300,
                                -1e300,
                                1e-300,
                                0.0,
                                -0.0};
  return kNumbers[random.bits() % kNumbers.size()];
}

void make_hostile(Input& in, RandomStream& random) {
  Effectiveness& e = in.effectiveness;
  const std::size_t i = random.bits() % e.n;
  switch (random.bits() % 8) {
    case 0: e.column[i][random.bits() % kAxes] = hostile_number(random); break;
    case 1: e.column[i] = {}; break;
    case 2: e.lower[i] = hostile_number(random); break;
    case 3: e.upper[i] = hostile_number(random); break;
    case 4: std::swap(e.lower[i], e.upper[i]); break;
    case 5: {
      Vec6 w = to_vec6(in.demand.F_Bo_B);
      w[random.bits() % kAxes] = hostile_number(random);
      in.demand.F_Bo_B = to_wrench(w);
      break;
    }
    case 6: in.demand.weight[random.bits() % kAxes] = std::abs(hostile_number(random)); break;
    default: e.preferred[i] = hostile_number(random);
  }
}

// the same vehicle, another demand
void move_demand(Input& in, RandomStream& random) {
  Vec6 w = to_vec6(in.demand.F_Bo_B);
  for (double& x : w.v) x *= 1 + 0.2 * random.normal();
  in.demand.F_Bo_B = to_wrench(w);
}

// everything about a problem, as far as six digits show it
void show(const Input& in, const Allocation& out) {
  const Effectiveness& e = in.effectiveness;
  const Vec6 w = to_vec6(in.demand.F_Bo_B);
  std::fprintf(stderr, "  n %u k2 %a grade %d, axes (demand, weight, group, bias):", e.n,
               in.settings.objective.k2, static_cast<int>(out.grade));
  for (std::size_t k = 0; k < kAxes; ++k)
    std::fprintf(stderr, " (%g %g %d %g)", w[k], in.demand.weight[k], in.demand.group[k],
                 to_vec6(e.bias)[k]);
  for (std::size_t i = 0; i < std::min<std::size_t>(e.n, kMaxChannels); ++i) {
    std::fprintf(stderr, "\n  %2zu [%g, %g] prefers %g, health %d (%g %g), got %.17g:", i,
                 e.lower[i], e.upper[i], e.preferred[i], static_cast<int>(in.health[i].health),
                 in.health[i].efficiency, in.health[i].stuck_effort, out.effort[i]);
    for (double x : e.column[i].v) std::fprintf(stderr, " %g", x);
  }
  std::fprintf(stderr, "\n");
}

void run(std::uint64_t count, std::uint64_t seed, std::uint64_t share, Totals& totals) {
  RandomStream random(seed, "allocation campaign " + std::to_string(share));
  auto prepared = std::make_unique<Prepared>();
  Input in;
  bool sound = false;
  std::uint64_t length = 2;
  for (; totals.problems < count; ++totals.problems) {
    const bool follows = sound && random.bits() % length != 0;
    if (!follows) length = random.bits() % 128 == 0 ? 100 : 2;
    if (follows) {
      move_demand(in, random);
      ++totals.followed;
    } else if (random.bits() % 4 == 0) {
      in = from_bytes(random);
      sound = is_moderate(in);
      ++totals.bytes;
    } else {
      in = from_class(random);
      sound = random.bits() % 3 != 0;
      if (!sound) make_hostile(in, random);
      totals.hostile += sound ? 0U : 1U;
    }
    Worst worst;
    Allocation out;
    const char* broken = check_all(in, *prepared, sound, worst, out);
    ++totals.grade[static_cast<std::size_t>(out.grade)];
    if (out.grade == AllocationGrade::kRejected)
      ++totals.reason[static_cast<std::size_t>(
          why_rejected(in.settings, in.effectiveness, in.demand, in.health.data()).reason)];
    const bool levels = sound && has_levels(in.settings, in.demand);
    totals.compared += sound && !levels ? 1U : 0U;
    totals.groups += levels ? 1U : 0U;
    totals.kept_beyond_12 += worst.kept > 1e-12 ? 1U : 0U;
    totals.refined_beyond_9 += worst.refined > 1e-9 ? 1U : 0U;
    totals.refined_beyond_6 += worst.refined > 1e-6 ? 1U : 0U;
    Totals one;
    one.worst = worst;
    if (broken != nullptr) {
      one.broken = 1;
      one.first_broken = std::string(broken) + ", share " + std::to_string(share) + ", problem " +
                         std::to_string(totals.problems);
      if (totals.broken < 3) {
        std::fprintf(stderr, "does not hold: %s\n", one.first_broken.c_str());
        show(in, out);
      }
    }
    totals.add(one);
  }
}

void print(const Totals& t) {
  const auto n = [](std::uint64_t x) { return static_cast<unsigned long long>(x); };
  std::printf(
      "{\"problems\": %llu, \"compared_with_a_second_solver\": %llu, \"followed_on\": %llu,\n"
      " \"in_groups\": %llu, \"groups_broken_by\": %.3g,\n"
      " \"of_random_bytes\": %llu, \"hostile\": %llu, \"broken_laws\": %llu, \"first\": \"%s\",\n"
      " \"exact\": %llu, \"bounded\": %llu, \"capped\": %llu, \"rejected\": %llu,\n"
      " \"cost_above\": %.3g, \"certificate_free\": %.3g, \"certificate_held\": %.3g,\n"
      " \"kept_apart\": %.3g, \"kept_apart_beyond_1e-12\": %llu,\n"
      " \"refined_apart\": %.3g, \"refined_apart_beyond_1e-9\": %llu, "
      "\"refined_apart_beyond_1e-6\": %llu,\n \"refusals\": {",
      n(t.problems), n(t.compared), n(t.followed), n(t.groups), t.worst.groups, n(t.bytes),
      n(t.hostile), n(t.broken), t.first_broken.c_str(), n(t.grade[0]), n(t.grade[1]),
      n(t.grade[2]), n(t.grade[3]), t.worst.cost, t.worst.free, t.worst.held, t.worst.kept,
      n(t.kept_beyond_12), t.worst.refined, n(t.refined_beyond_9), n(t.refined_beyond_6));
  const char* separator = "";
  for (std::size_t i = 1; i < t.reason.size(); ++i) {
    if (t.reason[i] == 0) continue;
    const std::string name(to_string(static_cast<RejectionReason>(i)));
    std::printf("%s\"%s\": %llu", separator, name.c_str(), n(t.reason[i]));
    separator = ", ";
  }
  std::printf("}}\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "allocation_campaign COUNT [SEED [THREADS]]\n");
    return 2;
  }
  const std::uint64_t count = std::strtoull(argv[1], nullptr, 10);
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const std::uint64_t threads =
      argc > 3 ? std::strtoull(argv[3], nullptr, 10) : std::thread::hardware_concurrency();
  // always as many streams, so that the problems do not depend on the machine
  constexpr std::uint64_t kShares = 16;
  std::vector<Totals> totals(kShares);
  std::atomic<std::uint64_t> next{0};
  std::vector<std::thread> workers;
  for (std::uint64_t w = 0; w < std::max<std::uint64_t>(threads, 1); ++w)
    workers.emplace_back([&] {
      for (std::uint64_t s = next++; s < kShares; s = next++)
        run((count + kShares - 1) / kShares, seed, s, totals[s]);
    });
  for (std::thread& w : workers) w.join();
  Totals all;
  for (const Totals& t : totals) all.add(t);
  print(all);
  return all.broken == 0 && all.problems >= count ? 0 : 1;
}
