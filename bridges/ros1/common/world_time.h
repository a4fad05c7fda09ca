/// The time of a simulated world that goes along with a clock which is not its own.
#pragma once
#include <algorithm>
#include <cstdint>

namespace pintle::ros1 {

class WorldTime {
 public:
  /// More than this it does not lag: a world that could not keep up goes on from now.
  static constexpr std::int64_t kLate_ns = 20'000'000;

  explicit WorldTime(std::int64_t start_ns = 0) : start_ns_(start_ns) {}

  /// Each step. Never ahead of the clock: what is stamped so is of the future to who hears it.
  void follow(std::int64_t clock_ns, std::int64_t world_ns) noexcept {
    const std::int64_t late_ns = clock_ns - (start_ns_ + world_ns);
    if (late_ns > kLate_ns || late_ns < 0) start_ns_ += late_ns;
  }
  /// What was measured before the clock began, at zero, is of its beginning: ROS has no time before.
  [[nodiscard]] std::int64_t stamp_ns(std::int64_t world_ns) const noexcept {
    return std::max<std::int64_t>(0, start_ns_ + world_ns);
  }

 private:
  std::int64_t start_ns_;
};

}  // namespace pintle::ros1
