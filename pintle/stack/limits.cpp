#include "pintle/stack/limits.h"

#include "pintle/allocation/allocator.h"

namespace pintle::stack {

Limits limits_of(const Effectiveness& whole, const Effectiveness& effectiveness,
                 const PropulsorHealth* health, const Allocation& allocation) noexcept {
  Limits limits;
  const ChannelMask held = allocation.at_lower | allocation.at_upper;
  if (held == 0 && health == nullptr) return limits;
  for (std::size_t i = 0; i < effectiveness.n; ++i) {
    const ChannelMask bit = ChannelMask{1} << i;
    if (health != nullptr &&
        (health[i].health == Health::kOut || health[i].health == Health::kStuck)) {
      limits.by_health |= bit;
    } else if ((held & bit) != 0) {
      // a box narrower than the propulsor's own was made so by its slew limit
      const bool own = (allocation.at_lower & bit) != 0
                           ? !(effectiveness.lower[i] > whole.lower[i])
                           : !(effectiveness.upper[i] < whole.upper[i]);
      (own ? limits.by_bound : limits.by_slew) |= bit;
    }
  }
  return limits;
}

AxisLossCause why_lost(const Effectiveness& whole, const Effectiveness& effectiveness,
                       const PropulsorHealth* health, std::size_t axis) noexcept {
  const auto there = [axis](const Effectiveness& e, const PropulsorHealth* h) {
    return (allocation::reachable_axes(e, h) & axis_bit(axis)) != 0;
  };
  if (there(effectiveness, health)) return AxisLossCause::kNone;
  if (!there(whole, nullptr)) return AxisLossCause::kNoAuthority;
  if (!there(whole, health) || there(effectiveness, nullptr)) return AxisLossCause::kFailure;
  return AxisLossCause::kNoRoom;
}

}  // namespace pintle::stack

namespace pintle {

template <>
const Table& table_of<stack::Limits>() {
  using stack::Limits;
  static const Table table =
      TableBuilder<Limits>("Limits", "Which limit each channel has met, one bit a channel.")
          .field("by_bound", &Limits::by_bound, "", "On their largest or least effort.")
          .field("by_slew", &Limits::by_slew, "", "As far as they can go within a period.")
          .field("by_health", &Limits::by_health, "", "Out or stuck.")
          .field("by_derating", &Limits::by_derating, "",
                 "At what heat or a low voltage leaves of their bounds.")
          .field("by_power", &Limits::by_power, "", "All together: the cap on power or current.")
          .build();
  return table;
}

}  // namespace pintle
