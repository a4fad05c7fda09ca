/// Keeps simulated time from running ahead of the wall clock.
///
/// Time that was missed is dropped, not made up for in a rush: after a stop of the program (Ctrl-Z,
/// a debugger, a sleeping laptop), or where the machine is too slow, the pace goes on from where it
/// is. The steady clock alone counts.
#pragma once
#include <chrono>

#include "pintle/base/time.h"

namespace pintle::flight {

class Pacer {
 public:
  using Clock = std::chrono::steady_clock;
  /// Missed by less: made up for, which no one sees.
  static constexpr std::chrono::milliseconds kMakesUp{250};

  explicit Pacer(Clock::time_point now) noexcept : start_(now) {}

  /// When `time` of the simulation is due. `now` is past that by more than kMakesUp: the rest of
  /// the run is late by it, and `missed` says by how much.
  [[nodiscard]] Clock::time_point due(Time time, Clock::time_point now) noexcept {
    missed_ = {};
    Clock::time_point at = start_ + std::chrono::nanoseconds(time.ns);
    if (now - at > kMakesUp) {
      missed_ = now - at;
      start_ += missed_;
      at = now;
    }
    return at;
  }
  /// In the last call of `due`.
  [[nodiscard]] double missed_s() const noexcept {
    return std::chrono::duration<double>(missed_).count();
  }

 private:
  Clock::time_point start_;
  Clock::duration missed_{};
};

}  // namespace pintle::flight
