#include "pintle/allocation/power.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pintle/allocation/prepared.h"

namespace pintle::allocation {
namespace {

constexpr int kSteps = 30;
// of the cap: near enough to it from below
constexpr double kNear = 1e-6;

double share(double effort, double largest) noexcept {
  if (!(largest > 0)) return 0;
  const double part = std::isfinite(effort) ? std::abs(effort) / largest : 1;
  return part * std::sqrt(part);
}

/// The groups there are, most important first.
struct Groups {
  std::array<std::uint8_t, kAxes> number{};
  std::size_t count = 0;
};

Groups groups_of(const WrenchDemand& demand) noexcept {
  Groups out;
  out.number = demand.group;
  std::sort(out.number.begin(), out.number.end());
  out.count = static_cast<std::size_t>(std::unique(out.number.begin(), out.number.end()) -
                                       out.number.begin());
  return out;
}

WrenchDemand scaled(const WrenchDemand& demand, std::uint8_t group, double part) noexcept {
  WrenchDemand out = demand;
  Vec6 wrench = to_vec6(demand.F_Bo_B);
  for (std::size_t k = 0; k < kAxes; ++k)
    if (demand.group[k] == group) wrench[k] *= part;
  out.F_Bo_B = to_wrench(wrench);
  return out;
}

/// One attempt: what a demand costs.
struct Attempt {
  const PowerModel& model;
  Prepared& prepared;
  const Settings& settings;
  const Effectiveness& effectiveness;
  const PropulsorHealth* health;
  Allocation& out;

  [[nodiscard]] double cost(const WrenchDemand& demand) noexcept {
    allocate(prepared, settings, effectiveness, demand, health, out);
    return power_of(model, health, out.effort);
  }
};

/// The largest part of one group that fits; the answer to it is in attempt.out. By false position
/// on the cost to the power of 2/3, which is nearly straight, kept inside its bracket.
void fit(Attempt& attempt, const WrenchDemand& demand, std::uint8_t group, double cost_of_none,
         double cost_of_all, double allowed) noexcept {
  const auto straight = [](double x) noexcept { return std::cbrt(x * x); };
  const double target = straight(allowed * (1 - 0.5 * kNear));
  double low = 0, high = 1, at_low = straight(cost_of_none), at_high = straight(cost_of_all);
  double cost = cost_of_none;
  for (int step = 0; step < kSteps && cost < allowed * (1 - kNear); ++step) {
    double part = low + (high - low) * (target - at_low) / (at_high - at_low);
    // every third step a plain halving, so that one end cannot stay for ever
    if (step % 3 == 2 || !(part > low && part < high)) part = 0.5 * (low + high);
    if (!(part > low && part < high)) break;
    const double here = attempt.cost(scaled(demand, group, part));
    if (here <= allowed) {
      low = part;
      at_low = straight(here);
      cost = here;
    } else {
      high = part;
      at_high = straight(here);
    }
  }
  (void)attempt.cost(scaled(demand, group, low));
}

/// Nothing is left to give up: all efforts towards zero by one factor, inside their bounds.
void shrink(Attempt& attempt, double allowed) noexcept {
  const ChannelVector from = attempt.out.effort;
  double low = 0, high = 1;
  const auto at = [&](double part) noexcept {
    for (std::size_t i = 0; i < from.size(); ++i)
      attempt.out.effort[i] = std::clamp(part * from[i], attempt.effectiveness.lower[i],
                                         attempt.effectiveness.upper[i]);
    return power_of(attempt.model, attempt.health, attempt.out.effort);
  };
  for (int step = 0; step < kSteps; ++step) {
    const double part = 0.5 * (low + high);
    (at(part) <= allowed ? low : high) = part;
  }
  (void)at(low);
}

}  // namespace

Findings check(const PowerParams& p) {
  Findings out;
  const auto want = [&out](std::string path, double x) {
    if (!(x >= 0 && std::isfinite(x)))
      out.push_back(
          {std::move(path), "expected a finite number of at least 0", "write 0 for none", true});
  };
  want("full_power_W", p.full_power_W);
  want("idle_power_W", p.idle_power_W);
  want("max_power_W", p.max_power_W);
  want("max_current_A", p.max_current_A);
  if (out.empty() && p.full_power_W == 0 && (p.max_power_W > 0 || p.max_current_A > 0))
    out.push_back({"full_power_W", "missing: a cap needs to know what the propulsors draw",
                   "write what one of them draws at full effort", true});
  return out;
}

PowerModel power_model(const PowerParams& params, const Effectiveness& effectiveness) noexcept {
  PowerModel model;
  model.params = params;
  model.n = effectiveness.n;
  for (std::size_t i = 0; i < model.n; ++i) {
    model.largest[i] = std::max(std::abs(effectiveness.lower[i]), std::abs(effectiveness.upper[i]));
    model.idle_W[i] = params.idle_power_W;
    model.full_W[i] = params.full_power_W;
  }
  return model;
}

double power_of(const PowerModel& model, const PropulsorHealth* health,
                const ChannelVector& effort) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(model.n, effort.size()); ++i) {
    double u = effort[i];
    if (health != nullptr && health[i].health == Health::kOut) continue;
    if (health != nullptr && health[i].health == Health::kStuck) u = health[i].stuck_effort;
    sum += model.idle_W[i] + model.full_W[i] * share(u, model.largest[i]);
  }
  return sum;
}

double allowed_power(const PowerParams& params, double bus_V) noexcept {
  double allowed = std::numeric_limits<double>::infinity();
  if (params.max_power_W > 0) allowed = params.max_power_W;
  if (params.max_current_A > 0 && bus_V > 0)
    allowed = std::min(allowed, params.max_current_A * bus_V);
  return allowed;
}

bool allocate_within(const PowerModel& model, double allowed_W, Prepared& prepared,
                     const Settings& settings, const Effectiveness& effectiveness,
                     const WrenchDemand& demand, const PropulsorHealth* health,
                     Allocation& out) noexcept {
  Attempt attempt{model, prepared, settings, effectiveness, health, out};
  double cost = attempt.cost(demand);
  if (cost <= allowed_W || out.grade == AllocationGrade::kRejected) return false;

  const Groups groups = groups_of(demand);
  WrenchDemand left = demand;
  bool fits = false;
  for (std::size_t g = groups.count; g-- > 0 && !fits;) {
    const WrenchDemand without = scaled(left, groups.number[g], 0);
    const double none = attempt.cost(without);
    fits = none <= allowed_W;
    if (fits) fit(attempt, left, groups.number[g], none, cost, allowed_W);
    left = without;
    cost = none;
  }
  if (!fits) shrink(attempt, allowed_W);

  // everything is told of the demand as it was given
  const ChannelVector sent = out.effort;
  const std::uint16_t iterations = out.iterations;
  set_sent(effectiveness, demand, health, sent, out);
  out.grade = AllocationGrade::kBounded;
  out.margin = 0;
  out.iterations = iterations;
  return true;
}

}  // namespace pintle::allocation

namespace pintle {

template <>
const Table& table_of<allocation::PowerParams>() {
  using P = allocation::PowerParams;
  static const Table table =
      TableBuilder<P>("PowerParams", "What all propulsors may draw together.")
          .field(
              "full_power_W", &P::full_power_W, "W",
              "Drawn by one propulsor at its largest effort, on top of idle_power_W; 0: as its own "
              "figures say, where it has any.")
          .at_least(0)
          .field("idle_power_W", &P::idle_power_W, "W", "Drawn by one propulsor at rest.")
          .at_least(0)
          .field("max_power_W", &P::max_power_W, "W",
                 "Most that all may draw together; 0: no cap. Demand is given up, the least "
                 "important group first.")
          .at_least(0)
          .field("max_current_A", &P::max_current_A, "A",
                 "Most that all may draw together at the present bus voltage; 0: no cap.")
          .at_least(0)
          .build();
  return table;
}

}  // namespace pintle
