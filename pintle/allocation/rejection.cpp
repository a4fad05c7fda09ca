#include "pintle/allocation/rejection.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace pintle::allocation {
namespace {

RejectionReason reason_of_channel(const Effectiveness& e, const PropulsorHealth* health,
                                  std::size_t i) noexcept {
  if (!is_finite(e.column[i])) return RejectionReason::kColumnNotFinite;
  if (!(std::isfinite(e.lower[i]) && std::isfinite(e.upper[i])))
    return RejectionReason::kBoundNotFinite;
  if (e.lower[i] > e.upper[i]) return RejectionReason::kBoundsCrossed;
  if (!std::isfinite(e.preferred[i])) return RejectionReason::kPreferredNotFinite;
  // written so that NaN fails
  if (!(e.effort_weight[i] > 0 && std::isfinite(e.effort_weight[i])))
    return RejectionReason::kEffortWeightNotSound;
  if (health == nullptr) return RejectionReason::kNone;
  const PropulsorHealth& h = health[i];
  if (h.health == Health::kWeak && !(h.efficiency >= 0 && h.efficiency <= 1))
    return RejectionReason::kHealthNotSound;
  if (h.health == Health::kStuck && !std::isfinite(h.stuck_effort))
    return RejectionReason::kHealthNotSound;
  return RejectionReason::kNone;
}

}  // namespace

bool weights_are_near(const std::array<double, kAxes>& weight, double most) noexcept {
  double largest = 0, least = HUGE_VAL;
  for (const double w : weight) {
    largest = std::max(largest, std::abs(w));
    if (w != 0) least = std::min(least, std::abs(w));
  }
  return largest <= most * least;
}

bool weights_are_near(const Effectiveness& e, const WrenchDemand& demand) noexcept {
  if (weights_are_near(demand.weight, kMostWeights)) return true;
  Vec6 moved;
  for (std::uint32_t i = 0; i < e.n; ++i)
    for (std::size_t k = 0; k < kAxes; ++k)
      moved[k] += std::abs(e.column[i][k]) * std::max(std::abs(e.lower[i]), std::abs(e.upper[i]));
  for (std::size_t j = 0; j < kAxes; ++j)
    for (std::size_t k = 0; k < kAxes; ++k) {
      const double large = std::abs(demand.weight[j]), small = std::abs(demand.weight[k]);
      if (small == 0 || demand.group[j] != demand.group[k]) continue;
      const double moves = large * moved[j], least = kMostWeights * (small * moved[k]);
      // written so that NaN fails
      if (!(large <= kMostWeights * small) && !(0 < moves && moves <= least)) return false;
    }
  return true;
}

Rejection why_rejected(const Settings& settings, const Effectiveness& effectiveness,
                       const WrenchDemand& demand, const PropulsorHealth* health) noexcept {
  if (effectiveness.n > kMaxChannels) return {RejectionReason::kTooManyChannels, 0};
  const double r = settings.objective.r();
  if (!(r >= 0 && std::isfinite(r))) return {RejectionReason::kTradeNotSound, 0};
  if (!is_finite(demand.F_Bo_B)) return {RejectionReason::kDemandNotFinite, 0};
  for (double w : demand.weight)
    if (!std::isfinite(w)) return {RejectionReason::kWeightNotFinite, 0};
  if (!weights_are_near(effectiveness, demand)) return {RejectionReason::kWeightsTooFarApart, 0};
  if (!is_finite(effectiveness.bias)) return {RejectionReason::kBiasNotFinite, 0};
  for (std::uint32_t i = 0; i < effectiveness.n; ++i) {
    const RejectionReason reason = reason_of_channel(effectiveness, health, i);
    if (reason != RejectionReason::kNone) return {reason, i};
  }
  Allocation out;
  allocate(settings, effectiveness, demand, health, out);
  return {out.grade == AllocationGrade::kRejected ? RejectionReason::kBeyondRange
                                                  : RejectionReason::kNone,
          0};
}

}  // namespace pintle::allocation

namespace pintle {

template <>
const EnumTable& enum_table<allocation::RejectionReason>() {
  using R = allocation::RejectionReason;
  static constexpr std::array values{
      enum_value(R::kNone, "none", "It did not refuse."),
      enum_value(R::kTooManyChannels, "too_many_channels", "More channels than there is room for."),
      enum_value(R::kTradeNotSound, "trade_not_sound", "k2 / k1 is negative or not finite."),
      enum_value(R::kDemandNotFinite, "demand_not_finite",
                 "A component of the wrench is not a finite number."),
      enum_value(R::kWeightNotFinite, "weight_not_finite",
                 "The weight of an axis is not a finite number."),
      enum_value(R::kWeightsTooFarApart, "weights_too_far_apart",
                 "The weight of an axis is more than 1e12 times that of another of its group, and "
                 "so is what can be moved along it times the weight: bring them nearer, or serve "
                 "the small one after the others with group."),
      enum_value(R::kBiasNotFinite, "bias_not_finite",
                 "The wrench without any effort is not finite."),
      enum_value(R::kColumnNotFinite, "column_not_finite",
                 "The effectiveness of a channel is not finite."),
      enum_value(R::kBoundNotFinite, "bound_not_finite", "A bound is not a finite number."),
      enum_value(R::kBoundsCrossed, "bounds_crossed", "A lower bound lies above its upper bound."),
      enum_value(R::kPreferredNotFinite, "preferred_not_finite",
                 "A preferred effort is not a finite number."),
      enum_value(R::kEffortWeightNotSound, "effort_weight_not_sound",
                 "The weight of an effort is not a finite number above 0."),
      enum_value(R::kHealthNotSound, "health_not_sound",
                 "An efficiency outside 0 to 1, or a stuck effort that is not finite."),
      enum_value(R::kBeyondRange, "beyond_range",
                 "All numbers are finite, but products and sums of them are not.")};
  static constexpr EnumTable table{"RejectionReason", values};
  return table;
}

}  // namespace pintle
