/// Where a craft that stands still is: the origin of its flight, and jumps of the odometry after
/// it.
///
///   origin = mean position over window_s in which no sample is further than radius_m from the
///   first jump: |p - p_before| > max_speed_m_s dt + jump_m
///
/// Source: the `jet` package takes its first sample for the origin, and again the first one after
/// each landing. Here a sample that moves, a gap or a jump begins the window anew, and a jump in
/// flight is told: it is not a movement of the craft. After each landing call `restart`.
///
/// Not modelled: slow drift, which looks like movement.
#pragma once
#include <cstdint>
#include <optional>

#include "pintle/base/geometry.h"
#include "pintle/base/time.h"

namespace pintle::estimation {

struct OriginParams {
  double window_s = 1;
  double radius_m = 0.05;
  double max_gap_s = 0.2;
  double max_speed_m_s = 5;  ///< A craft is no faster than this.
  double jump_m = 0.2;       ///< Noise that is no jump.
};

enum class OriginSample : std::uint8_t {
  kRefused,   ///< Not finite, or not newer than the one before.
  kSettling,  ///< There is no origin yet.
  kGood,      ///< `relative` answers for this sample.
  kJumped,    ///< It cannot have moved so fast; the origin no longer holds.
};

class Origin {
 public:
  explicit Origin(const OriginParams& params) noexcept : params_(params) {}

  /// Once per sample, any frame.
  OriginSample update(Vec3 position_m, Time stamp) noexcept;
  /// Forgets the origin: at start, after a landing, and to go on after a jump.
  void restart() noexcept;

  [[nodiscard]] bool is_known() const noexcept { return origin_.has_value(); }
  /// A jump was seen since the last restart; there is no origin until then.
  [[nodiscard]] bool has_jumped() const noexcept { return jumped_; }
  /// The position from the origin; none without one.
  [[nodiscard]] std::optional<Vec3> relative(Vec3 position_m) const noexcept {
    if (!origin_) return std::nullopt;
    return position_m - *origin_;
  }

 private:
  void begin_window(Vec3 position, Time stamp) noexcept;

  OriginParams params_;
  std::optional<Vec3> origin_;
  bool jumped_ = false;
  std::optional<Time> last_, window_begun_;
  Vec3 last_position_, first_, sum_;
  double samples_ = 0;
};

}  // namespace pintle::estimation
