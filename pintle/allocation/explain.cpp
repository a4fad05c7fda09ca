#include "pintle/allocation/explain.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "pintle/allocation/internal/dispatch.h"
#include "pintle/allocation/internal/health.h"
#include "pintle/allocation/internal/reachable.h"
#include "pintle/allocation/levels.h"

namespace pintle::allocation {
namespace {

Hold hold_of(const Allocation& answer, const Working& w, const PropulsorHealth* health,
             std::size_t i) noexcept {
  if (health != nullptr && health[i].health == Health::kOut) return Hold::kOut;
  if (health != nullptr && health[i].health == Health::kStuck) return Hold::kStuck;
  if (!(w.lower[i] < w.upper[i])) return Hold::kNoRoom;
  if (!(answer.effort[i] > w.lower[i])) return Hold::kLower;
  if (!(answer.effort[i] < w.upper[i])) return Hold::kUpper;
  return Hold::kFree;
}

void prove(const Objective& objective, const Effectiveness& effectiveness, const Working& w,
           const WrenchDemand& demand, const Allocation& answer, Explanation& e) noexcept {
  std::array<double, kAxes> weight;
  e.several_groups = first_group(demand, weight);
  const Vec6 wanted = to_vec6(demand.F_Bo_B);
  // what the first group shows is settled before effort is saved for later ones
  const long double r = e.several_groups ? 0.0 : objective.r();
  std::array<long double, kAxes> missing{};
  for (std::size_t k = 0; k < kAxes; ++k) {
    missing[k] = static_cast<long double>(wanted[k]) - w.bias[k];
    for (std::size_t i = 0; i < w.n; ++i)
      missing[k] -= static_cast<long double>(w.column[i][k]) * answer.effort[i];
    missing[k] *= weight[k];
  }
  long double error = 0, gap = 0;
  for (const long double m : missing) error += m * m;
  long double cost = error;
  for (std::size_t i = 0; i < w.n; ++i) {
    const long double u = answer.effort[i], weight_of_effort = effectiveness.effort_weight[i];
    const long double off = weight_of_effort * (u - w.preferred[i]);
    long double slope = 2 * r * weight_of_effort * off;
    for (std::size_t k = 0; k < kAxes; ++k)
      slope -= 2 * missing[k] * weight[k] * static_cast<long double>(w.column[i][k]);
    if (w.lower[i] < w.upper[i]) {
      cost += r * off * off;
      gap += std::max(slope * (u - w.lower[i]), slope * (u - w.upper[i]));
    }
    e.channels[i].price = static_cast<double>(-slope);
    e.channels[i].per_error = error > 0 ? static_cast<double>(-slope / (2 * std::sqrt(error))) : 0;
  }
  e.cost = static_cast<double>(cost);
  e.gap = static_cast<double>(std::max<long double>(gap, 0));
}

/// How far each axis goes alone. An axis that is not demanded is asked for as well here.
void reach_of_axes(const Effectiveness& effectiveness, const WrenchDemand& demand,
                   const PropulsorHealth* health, AxisMask reachable, Explanation& e) noexcept {
  for (std::size_t k = 0; k < kAxes; ++k) {
    WrenchDemand alone = demand;
    for (double& x : alone.weight) x = x != 0 ? 1 : 0;
    alone.weight[k] = 1;
    const AxisReach reach = reach_along(effectiveness, alone, health, k);
    e.most[k] = reach.most;
    e.least[k] = reach.least;
    const double trace = 1e-9 * reach.size;
    const bool up = reach.most > trace, down = reach.least < -trace;
    e.axis[k] = (reachable & axis_bit(k)) != 0 ? AxisLoss::kNone
                : !up && !down                 ? AxisLoss::kNoPush
                : up && down                   ? AxisLoss::kNearlyNone
                                               : AxisLoss::kOneWay;
  }
}

}  // namespace

Explanation explain(const Settings& settings, const Effectiveness& effectiveness,
                    const WrenchDemand& demand, const PropulsorHealth* health,
                    const Allocation& answer) noexcept {
  Explanation e;
  Working w;
  apply_health(effectiveness, health, w);
  if (settings.drop_traces) {
    Reach reach;
    kernels().update_reach(effectiveness, w, false, kReachThreshold, reach);
    (void)remove_traces(reach, w);
  }
  const std::size_t n = std::min<std::size_t>(effectiveness.n, answer.effort.size());
  e.channels.resize(n);
  e.proof = w.usable && n == w.n && answer.grade != AllocationGrade::kRejected;
  for (std::size_t i = 0; i < n; ++i) {
    ChannelExplanation& c = e.channels[i];
    c.effort = answer.effort[i];
    c.lower = effectiveness.lower[i];
    c.upper = effectiveness.upper[i];
    if (!e.proof) continue;
    c.hold = hold_of(answer, w, health, i);
    const bool stuck = c.hold == Hold::kStuck;
    c.share = to_wrench(stuck ? health[i].stuck_effort * effectiveness.column[i]
                              : c.effort * w.column[i]);
  }
  if (!e.proof) return e;
  prove(settings.objective, effectiveness, w, demand, answer, e);
  // nor of a trade that later groups have changed
  e.proof =
      !settings.objective.preserve_direction && !(e.several_groups && settings.objective.r() > 0);
  e.scale = attainable_scale(effectiveness, demand, health);
  reach_of_axes(effectiveness, demand, health, answer.reachable, e);
  return e;
}

}  // namespace pintle::allocation

namespace pintle {

template <>
const EnumTable& enum_table<allocation::Hold>() {
  using allocation::Hold;
  static constexpr std::array kValues{
      enum_value(Hold::kFree, "free", "Between its bounds."),
      enum_value(Hold::kLower, "lower", "On its lower bound."),
      enum_value(Hold::kUpper, "upper", "On its upper bound."),
      enum_value(Hold::kNoRoom, "no_room", "Lower and upper bound are the same."),
      enum_value(Hold::kStuck, "stuck", "Gives the same whatever is asked."),
      enum_value(Hold::kOut, "out", "Gives nothing.")};
  static constexpr EnumTable kTable{"Hold", kValues};
  return kTable;
}

template <>
const EnumTable& enum_table<allocation::AxisLoss>() {
  using allocation::AxisLoss;
  static constexpr std::array kValues{
      enum_value(AxisLoss::kNone, "none", "The axis is there."),
      enum_value(AxisLoss::kNoPush, "nothing", "Nothing pushes along it without the others."),
      enum_value(AxisLoss::kOneWay, "one_way", "Only one direction of it is there."),
      enum_value(AxisLoss::kNearlyNone, "nearly_none",
                 "Only a trace of it is there, from imperfect geometry: it is not counted on.")};
  static constexpr EnumTable kTable{"AxisLoss", kValues};
  return kTable;
}

}  // namespace pintle
