// The longest call of the allocation in a loop that knows its vehicle: every set of propulsors that
// can be announced as lost, from one tick to the next, for every vehicle file named.
//
//   worst_tick VEHICLE…        one line of JSON; 1 where a call takes longer than 20 medians of the
//                              calls in which only the demand is new, of all vehicles
//
// Called as the stack does: with what the file asks of the allocation, and weights and groups of its
// law. Vehicles whose axes come in groups are apart: where not all groups are met each costs a solve
// and its refinement, lost or not. No call of theirs takes longer than 6 of the longest of the others.
//
// Each time is the least of seven rounds: what is said of far percentiles are problems, not what
// else the machine did.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "allocation/measure.h"
#include "pintle/allocation/levels.h"
#include "pintle/allocation/prepared.h"
#include "pintle/base/random.h"
#include "pintle/craft/load.h"

namespace {

using namespace pintle;
using namespace pintle::allocation;
using bench::clock_ns;
using bench::now_ns;

constexpr int kRounds = 7;
constexpr int kDemands = 8;
// with more propulsors than this sets of up to three
constexpr std::size_t kAllSets = 10;
constexpr double kMost = 20, kMostInGroups = 6;

using HealthOfAll = std::array<PropulsorHealth, kMaxChannels>;

struct Fleet {
  std::vector<double> usual, lost;
  double worst = 0;  // over the usual median of its own vehicle
  std::string where;
};

double quantile(std::vector<double>& of, double q) {
  std::sort(of.begin(), of.end());
  return of[std::min(of.size() - 1, static_cast<std::size_t>(q * static_cast<double>(of.size())))];
}

// what some efforts give, inside the bounds or beyond them
WrenchDemand demand_of(const Effectiveness& e, WrenchDemand demand, double size,
                       RandomStream& random) {
  Vec6 w = to_vec6(e.bias);
  for (std::size_t i = 0; i < e.n; ++i) {
    const double middle = (e.upper[i] + e.lower[i]) / 2, half = (e.upper[i] - e.lower[i]) / 2;
    w = w + (middle + size * random.uniform(-1, 1) * half) * e.column[i];
  }
  demand.F_Bo_B = to_wrench(w);
  return demand;
}

void fly(const std::string& file, Fleet& alone, Fleet& in_groups) {
  // as the stack calls it: what the file asks for, weights and groups of its law
  const craft::Model model = craft::build_model(craft::load_vehicle(file), nullptr, 0);
  const vehicle::Vehicle& v = model.vehicle;
  const Effectiveness& e = model.effectiveness;
  const std::size_t propulsors = v.propulsors.size();
  const Settings& settings = model.allocation;
  RandomStream random(1, file.substr(file.find_last_of('/') + 1));
  std::vector<WrenchDemand> demands;
  for (int d = 0; d < kDemands; ++d)
    demands.push_back(demand_of(e, control::priorities(model.law), 0.25 * (d + 1), random));
  Fleet& fleet = has_levels(settings, demands[0]) ? in_groups : alone;
  const auto prepared = std::make_unique<Prepared>();
  const double clock = clock_ns();
  Allocation out;
  std::vector<double> usual, lost;
  std::uint64_t worst_set = 0;
  double worst = 0;
  for (std::uint64_t set = 1; set < std::uint64_t{1} << propulsors; ++set) {
    if (propulsors > kAllSets && std::popcount(set) > 3) continue;
    HealthOfAll health{};
    for (std::size_t i = 0; i < e.n; ++i)
      if ((set >> model.owner[i] & 1) != 0) health[i].health = Health::kOut;
    for (int d = 0; d < kDemands; ++d) {
      const auto& from = demands[static_cast<std::size_t>((d + 1) % kDemands)];
      const auto& to = demands[static_cast<std::size_t>(d)];
      double before = 1e12, when = 1e12;
      for (int round = 0; round < kRounds; ++round) {
        const HealthOfAll good{};
        for (int tick = 0; tick < 3; ++tick)
          allocate(*prepared, settings, e, tick == 1 ? from : to, good.data(), out);
        double begin = now_ns();
        allocate(*prepared, settings, e, from, good.data(), out);
        before = std::min(before, now_ns() - begin - clock);
        begin = now_ns();
        allocate(*prepared, settings, e, to, health.data(), out);
        when = std::min(when, now_ns() - begin - clock);
      }
      usual.push_back(before);
      lost.push_back(when);
      if (when > worst) {
        worst = when;
        worst_set = set;
      }
    }
  }
  const double ratio = worst / quantile(usual, 0.5);
  std::fprintf(
      stderr, "%-32s %2zu propulsors, %6zu losses: usual %5.0f, lost %5.0f, at most %6.0f ns\n",
      file.c_str(), propulsors, lost.size(), quantile(usual, 0.5), quantile(lost, 0.5), worst);
  if (ratio > fleet.worst) {
    fleet.worst = ratio;
    fleet.where = v.name + ", lost:";
    for (std::size_t i = 0; i < propulsors; ++i)
      if ((worst_set >> i & 1) != 0) fleet.where += " " + v.propulsors[i].name;
  }
  fleet.usual.insert(fleet.usual.end(), usual.begin(), usual.end());
  fleet.lost.insert(fleet.lost.end(), lost.begin(), lost.end());
}

}  // namespace

int main(int argc, char** argv) try {
  Fleet alone, in_groups;
  for (int i = 1; i < argc; ++i) fly(argv[i], alone, in_groups);
  if (alone.lost.empty()) {
    std::fprintf(stderr,
                 "usage: worst_tick VEHICLE.yaml…, one at least whose axes are one group\n");
    return 2;
  }
  const double ratio = quantile(alone.lost, 1) / quantile(alone.usual, 0.5);
  std::printf(
      "{\"vehicles\": %d, \"losses\": %zu, \"usual_median_ns\": %.0f, \"lost_median_ns\": %.0f, "
      "\"lost_p99_99_ns\": %.0f, \"lost_max_ns\": %.0f, \"max_over_usual_median\": %.1f, "
      "\"max_over_usual_median_of_its_vehicle\": %.1f, \"worst_vehicle\": \"%s\"",
      argc - 1, alone.lost.size(), quantile(alone.usual, 0.5), quantile(alone.lost, 0.5),
      quantile(alone.lost, 0.9999), quantile(alone.lost, 1), ratio, alone.worst,
      alone.where.c_str());
  double over = 0;
  if (!in_groups.lost.empty()) {
    over = quantile(in_groups.lost, 1) / quantile(alone.lost, 1);
    std::printf(
        ",\n \"in_groups_losses\": %zu, \"in_groups_usual_median_ns\": %.0f, "
        "\"in_groups_lost_median_ns\": %.0f, \"in_groups_lost_max_ns\": %.0f, "
        "\"in_groups_max_over_max\": %.1f",
        in_groups.lost.size(), quantile(in_groups.usual, 0.5), quantile(in_groups.lost, 0.5),
        quantile(in_groups.lost, 1), over);
  }
  std::printf("}\n");
  return ratio <= kMost && over <= kMostInGroups ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "worst_tick: %s\n", e.what());
  return 2;
}
