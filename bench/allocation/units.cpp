// The certified suites in mixed units and of demands in groups.
#include <atomic>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#include "allocation/peers.h"
#include "allocation/runs.h"
#include "pintle/allocation/prepared.h"
#include "pintle/allocation_suite/groups.h"
#include "pintle/allocation_suite/units.h"

namespace pintle::bench {

using namespace allocation;
using allocation::testing::InUnits;

namespace {

bool is_milder(const InUnits& u) { return u.channels <= 3 && u.axes <= 3; }

struct Errors {
  std::size_t wrong = 0;  ///< Beyond 1e-9 of a channel's own bounds, or not an answer.
  std::size_t over_12 = 0, over_12_milder = 0;
  double worst = 0, worst_same_craft = 0;  ///< The second: of units within 10^+-3.

  void add(const InUnits& u, const Allocation& out) {
    const double error = u.error_of(out.effort.begin());
    const bool accepted =
        out.grade == AllocationGrade::kExact || out.grade == AllocationGrade::kBounded;
    wrong += error <= 1e-9 && accepted ? 0U : 1U;
    over_12 += error <= 1e-12 ? 0U : 1U;
    over_12_milder += error <= 1e-12 || !is_milder(u) ? 0U : 1U;
    worst = std::max(worst, error);
    if (is_milder(u) && u.same_craft) worst_same_craft = std::max(worst_same_craft, error);
  }
  void add(const Errors& o) {
    wrong += o.wrong;
    over_12 += o.over_12;
    over_12_milder += o.over_12_milder;
    worst = std::max(worst, o.worst);
    worst_same_craft = std::max(worst_same_craft, o.worst_same_craft);
  }
};

struct Share {
  std::size_t problems = 0, milder = 0, same_craft = 0, not_certified = 0;
  Errors cold, kept, refined;
  double kept_apart = 0, kept_apart_same_craft = 0;  ///< From the cold answer, over own bounds.
  int iterations = 0;
};

void run(std::size_t first, std::size_t count, std::size_t step, Share& s) {
  auto prepared = std::make_unique<Prepared>();
  for (std::size_t number = first; number < count; number += step) {
    const InUnits u = testing::in_units(number);
    ++s.problems;
    if (!u.is_certified()) {
      ++s.not_certified;
      continue;
    }
    s.milder += is_milder(u) ? 1U : 0U;
    s.same_craft += u.same_craft ? 1U : 0U;
    const Problem& p = u.certified.problem;
    Allocation cold, kept, refined;
    allocate(p.settings, p.effectiveness, p.demand, nullptr, cold);
    s.cold.add(u, cold);
    WrenchDemand other = p.demand;
    other.F_Bo_B = 0.7 * other.F_Bo_B;
    allocate(*prepared, p.settings, p.effectiveness, other, nullptr, kept);
    allocate(*prepared, p.settings, p.effectiveness, p.demand, nullptr, kept);
    s.kept.add(u, kept);
    double apart = 0;
    for (std::size_t i = 0; i < p.effectiveness.n; ++i)
      apart = std::max(apart, std::abs(cold.effort[i] - kept.effort[i]) / u.certified.own[i]);
    s.kept_apart = std::max(s.kept_apart, apart);
    if (is_milder(u) && u.same_craft)
      s.kept_apart_same_craft = std::max(s.kept_apart_same_craft, apart);
    Settings settings = p.settings;
    settings.objective.refine = true;
    allocate(settings, p.effectiveness, p.demand, nullptr, refined);
    s.refined.add(u, refined);
    s.iterations = std::max<int>(s.iterations, cold.iterations);
  }
}

}  // namespace

bool run_units(std::size_t count) {
  const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  std::vector<Share> shares(threads);
  std::vector<std::thread> workers;
  for (std::size_t t = 0; t < threads; ++t)
    workers.emplace_back([&, t] { run(t, count, threads, shares[t]); });
  for (std::thread& w : workers) w.join();
  Share all;
  for (const Share& s : shares) {
    all.problems += s.problems;
    all.milder += s.milder;
    all.same_craft += s.same_craft;
    all.not_certified += s.not_certified;
    all.cold.add(s.cold);
    all.kept.add(s.kept);
    all.refined.add(s.refined);
    all.kept_apart = std::max(all.kept_apart, s.kept_apart);
    all.kept_apart_same_craft = std::max(all.kept_apart_same_craft, s.kept_apart_same_craft);
    all.iterations = std::max(all.iterations, s.iterations);
  }
  std::printf(
      "{\"problems\": %zu, \"not_certified\": %zu, \"units_within_1e3\": %zu, "
      "\"weights_go_with_units\": %zu,\n \"most_iterations\": %d, \"kept_apart\": %.3g, "
      "\"kept_apart_same_craft_within_1e3\": %.3g",
      all.problems, all.not_certified, all.milder, all.same_craft, all.iterations, all.kept_apart,
      all.kept_apart_same_craft);
  const char* const names[3] = {"cold", "kept", "refined"};
  const Errors* const errors[3] = {&all.cold, &all.kept, &all.refined};
  for (std::size_t s = 0; s < 3; ++s)
    std::printf(
        ",\n \"%s\": {\"beyond_1e-9\": %zu, \"beyond_1e-12\": %zu, "
        "\"beyond_1e-12_within_1e3\": %zu, \"worst\": %.3g, "
        "\"worst_same_craft_within_1e3\": %.3g}",
        names[s], errors[s]->wrong, errors[s]->over_12, errors[s]->over_12_milder, errors[s]->worst,
        errors[s]->worst_same_craft);
  std::printf("}\n");
  const double same_craft = std::max({all.cold.worst_same_craft, all.kept.worst_same_craft,
                                      all.refined.worst_same_craft, all.kept_apart_same_craft});
  return all.cold.wrong + all.kept.wrong + all.refined.wrong == 0 && same_craft <= 1e-12 &&
         all.not_certified * 100 <= all.problems;
}

namespace {

// over what all channels move along an axis: the wrench of an optimum is one, its efforts may be many
double wrench_apart(const Problem& p, const double* a, const double* b) {
  const Effectiveness& e = p.effectiveness;
  double apart = 0;
  for (std::size_t k = 0; k < kAxes; ++k) {
    double sum = 0, size = 1e-300;
    for (std::size_t i = 0; i < e.n; ++i) {
      sum += e.column[i][k] * (a[i] - b[i]);
      size += std::abs(e.column[i][k]) * std::max(std::abs(e.lower[i]), std::abs(e.upper[i]));
    }
    if (p.demand.weight[k] != 0) apart = std::max(apart, std::abs(sum) / size);
  }
  return apart;
}

}  // namespace

bool run_groups(std::size_t count) {
  std::size_t certified = 0, over_6 = 0, over_9 = 0, over_12 = 0;
  std::size_t daqp_gave_up = 0, daqp_over_3 = 0, daqp_over_6 = 0;
  double worst = 0, broken = 0;
  for (std::size_t number = 0; number < count; ++number) {
    const testing::InGroups g = testing::in_groups(number);
    const Problem& p = g.problem;
    Allocation out;
    allocate(p.settings, p.effectiveness, p.demand, nullptr, out);
    broken = std::max(broken, testing::broken_conditions(p, out.effort.begin()));
    if (!g.certified) continue;
    ++certified;
    if (has_daqp()) {
      std::vector<double> x(p.effectiveness.n);
      const bool solved = solve_groups_by_daqp(p.effectiveness, p.demand, x.data());
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += p.effectiveness.preferred[i];
      const double error = solved ? wrench_apart(p, x.data(), out.effort.begin()) : 1e300;
      daqp_gave_up += solved ? 0U : 1U;
      daqp_over_3 += error <= 1e-3 ? 0U : 1U;
      daqp_over_6 += error <= 1e-6 ? 0U : 1U;
    }
    const double error = g.error_of(out.effort.begin());
    over_6 += error <= 1e-6 ? 0U : 1U;
    over_9 += error <= 1e-9 ? 0U : 1U;
    over_12 += error <= 1e-12 ? 0U : 1U;
    worst = std::max(worst, error);
  }
  std::printf(
      "{\"problems\": %zu, \"certified\": %zu, \"beyond_1e-6\": %zu, \"beyond_1e-9\": %zu, "
      "\"beyond_1e-12\": %zu, \"worst\": %.3g, \"conditions_broken_by\": %.3g",
      count, certified, over_6, over_9, over_12, worst, broken);
  if (has_daqp())
    std::printf(
        ", \"daqp_gave_up\": %zu, \"daqp_wrench_beyond_1e-3\": %zu, \"daqp_wrench_beyond_1e-6\": "
        "%zu",
        daqp_gave_up, daqp_over_3, daqp_over_6);
  std::printf("}\n");
  return over_9 == 0 && broken <= 1e-12 && certified * 10 >= count * 8;
}

}  // namespace pintle::bench
