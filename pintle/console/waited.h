/// The time by which a question lapses and an answer from the flight is late: what passes while no tick
/// is made is not counted, since nothing can have answered then. A flight that makes none for kHangs_s
/// is waited for no longer, and time is counted again. Two moments are never one: it creeps meanwhile.
#pragma once
#include <algorithm>

namespace pintle::console {

inline constexpr double kStands_s = 0.5, kHangs_s = 10, kCreeps = 1e-3;

class Waited {
 public:
  /// `dt_s` later, `since_tick_s` after the flight's last tick. Answers the time.
  double advance(double dt_s, double since_tick_s) noexcept {
    const bool stands = since_tick_s > kStands_s && since_tick_s <= kHangs_s;
    return time_s_ += stands ? kCreeps * dt_s : std::min(dt_s, kStands_s);
  }

 private:
  double time_s_ = 0;
};

}  // namespace pintle::console
