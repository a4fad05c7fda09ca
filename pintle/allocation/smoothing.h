/// Efforts that are smooth from tick to tick: freedom used slowly, dead bands not chattered through.
///
/// Preferred efforts. p is what the allocation gets as preferred: it starts at the efforts nearest
/// to zero and goes straight towards `preferred`, at most `preferred_rate` in a second:
///   p' = p + (preferred - p) min(1, rate dt / |preferred - p|)
/// With r = 0 the answer is the point nearest to p among those with the best wrench, a convex set;
/// nearest points move no further than p does. So the achieved wrench is the same as without smoothing, and
/// between two ticks of equal demand no effort moves by more than rate dt, bounds or not.
///
/// Dead bands. A propulsor takes nothing between 0 and b. What it would give without the band, x,
/// decides with hysteresis h of (0, 1]:
///   resting   gives 0, until |x| > b (1 + h) / 2; the others take its share over
///   working   gives b or more in its direction, until x falls below b (1 - h) / 2
/// x does not depend on who rests, so no resting can cause another: with a demand that shakes by
/// less than what moves x by b h nobody chatters. Two allocations a tick.
///
/// Where the others cannot take over (they rest as well, or are on bounds), a resting one costs at
/// most b (1 + h) / 2 of its thrust. Not done: a search over who should rest.
#pragma once
#include "pintle/allocation/allocator.h"

namespace pintle::allocation {

/// Dead bands of the channels, with the bounds that hold without slew limits.
struct DeadBands {
  bool any = false;
  std::array<double, kMaxChannels> band{};  ///< 0: none.
  std::array<double, kMaxChannels> lower{}, upper{};
};

/// `band` one a channel of `whole`.
[[nodiscard]] DeadBands dead_bands(const ChannelVector& band, const Effectiveness& whole) noexcept;

enum class Side : std::int8_t { kBackward = -1, kResting = 0, kForward = 1 };

struct SmoothingState {
  bool started = false;
  std::array<double, kMaxChannels> preferred{};  ///< p.
  std::array<Side, kMaxChannels> side{};
};

/// Whether there is anything to do.
[[nodiscard]] bool has_smoothing(const Objective& objective, const DeadBands& bands) noexcept;

/// What `smooth` knows and `restore` needs.
struct Smoothed {
  Effectiveness box;              ///< For allocate() or allocate_within().
  AxisMask reachable = kAllAxes;  ///< With no channel narrowed …
  bool narrowed = false;          ///< … where any is.
};

/// The effectiveness of this tick with p as preferred efforts and with boxes that keep resting
/// channels at zero and working ones outside their band.
void smooth(const Settings& settings, const DeadBands& bands, const Effectiveness& effectiveness,
            const WrenchDemand& demand, const PropulsorHealth* health, double dt_s,
            SmoothingState& state, Smoothed& out) noexcept;

/// Makes the answer for `smoothed.box` speak of the real bounds: a channel at the edge of its dead
/// band is not saturated, one that rests has not lost its axes.
void restore(const Smoothed& smoothed, const Effectiveness& effectiveness,
             Allocation& answer) noexcept;

}  // namespace pintle::allocation
