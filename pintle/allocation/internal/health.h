/// What a channel still does: the effectiveness as its health leaves it.
#pragma once
#include "pintle/allocation/internal/bounded_least_squares.h"

namespace pintle::allocation {

/// Delivered wrench = bias + sum column[i] * effort[i]; out and stuck have an empty column and no
/// width, and what a stuck one gives is in the bias.
struct Working {
  std::uint32_t n = 0;
  Vec6 bias;
  Uncleared<Vec6, kMaxChannels> column;
  std::array<double, kMaxChannels> lower;
  std::array<double, kMaxChannels> upper;
  std::array<double, kMaxChannels> preferred;
  bool usable = false;  ///< All finite, no bounds crossed, at most kMaxChannels.
};

/// Efforts times their weights in place of efforts, so that all weigh 1: columns over them, bounds
/// and preferred efforts times them. Not usable where one is no finite number above 0.
void take_in_weights(const Effectiveness& effectiveness, Working& working) noexcept;

/// Writes only the first n entries.
void apply_health(const Effectiveness& effectiveness, const PropulsorHealth* health,
                  Working& working) noexcept;

/// The finite effort nearest to zero inside the bounds, whatever they hold.
[[nodiscard]] double safe_effort(double lower, double upper) noexcept;

}  // namespace pintle::allocation
