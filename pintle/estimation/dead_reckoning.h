/// Dead reckoning: the displacement by a velocity alone, of a sensor that is not the odometry.
///
///   way(t) = sum of (v_k + v_k-1) / 2 (t_k - t_k-1),  beyond the newest report with its velocity,
///            which says little of what a hand does later: no further than kAhead_s
///
/// Needs no odometry, so that a gap of the odometry is bridged by it. A gap of the velocity itself
/// ends the way and begins another one, which `lap` tells. Not modelled: a bias of the velocity,
/// whose part of the way grows with time: compare over some seconds, not over a flight.
#pragma once
#include <cstdint>
#include <optional>

#include "pintle/base/geometry.h"
#include "pintle/base/time.h"

namespace pintle::estimation {

class DeadReckoning {
 public:
  static constexpr double kAhead_s = 0.06;

  explicit DeadReckoning(double max_gap_s) noexcept : max_gap_s_(max_gap_s) {}

  /// Once a report. What is not finite or not newer is left out.
  void take(Vec3 v_W, Time stamp) noexcept {
    if (!is_finite(v_W) || (lap_ > 0 && !(stamp > last_))) return;
    const double dt_s = lap_ > 0 ? (stamp - last_).seconds() : 0;
    if (lap_ == 0 || dt_s > max_gap_s_) {
      ++lap_;
      way_ = {};
    } else {
      way_ = way_ + (0.5 * dt_s) * (v_W + v_W_);
    }
    v_W_ = v_W;
    last_ = stamp;
  }
  void restart() noexcept { *this = DeadReckoning(max_gap_s_); }

  /// None: it says nothing of that instant.
  [[nodiscard]] std::optional<Vec3> way(Time stamp) const noexcept {
    if (lap_ == 0) return std::nullopt;
    const double dt_s = (stamp - last_).seconds();
    if (!(dt_s <= kAhead_s && dt_s >= -max_gap_s_)) return std::nullopt;
    return way_ + dt_s * v_W_;
  }
  /// Number of the way; what was noted on another one says nothing of this.
  [[nodiscard]] std::uint32_t lap() const noexcept { return lap_; }

 private:
  double max_gap_s_;
  std::uint32_t lap_ = 0;
  Time last_{};
  Vec3 v_W_{}, way_{};
};

}  // namespace pintle::estimation
