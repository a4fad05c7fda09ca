/// Why channels are where they are: which limit each one has met in this tick.
#pragma once

#include "pintle/base/signals.h"

namespace pintle::stack {

/// One bit a channel. A channel is in one set at most, in none when nothing stops it.
struct Limits {
  ChannelMask by_bound = 0;     ///< On its largest or least effort.
  ChannelMask by_slew = 0;      ///< As far as it can go within this period.
  ChannelMask by_health = 0;    ///< Out or stuck: it does not follow what is asked.
  ChannelMask by_derating = 0;  ///< At what heat or a low voltage leaves of the bounds.
  bool by_power = false;        ///< All together: at the cap on power or current.
};

/// Why an axis cannot be produced both ways; kNone for one that can. `whole` and `health` as below.
[[nodiscard]] AxisLossCause why_lost(const Effectiveness& whole, const Effectiveness& effectiveness,
                                     const PropulsorHealth* health, std::size_t axis) noexcept;

/// All but by_power and by_derating, which the tick adds; `allocation` as allocate() left it, for the box in `effectiveness`. `whole`:
/// the box when nothing but the propulsors themselves limits them; `health`: one a channel;
/// null: all good.
[[nodiscard]] Limits limits_of(const Effectiveness& whole, const Effectiveness& effectiveness,
                               const PropulsorHealth* health,
                               const Allocation& allocation) noexcept;

}  // namespace pintle::stack

namespace pintle {
template <>
const Table& table_of<stack::Limits>();
}  // namespace pintle
