/// Where a craft that stands still is: the origin of its flight, and jumps of the odometry after
/// it.
///
///   origin = mean position over window_s in which no sample is further than radius_m from the mean
///            so far, and whose halves have means within 0.4 radius_m of each other
///   jump     |p - p_before| > max_speed_m_s dt + jump_m
///
/// Source: the `jet` package takes its first sample for the origin, and again the first one after
/// each landing. Here a sample that moves, a gap or a jump begins the window anew, and a jump in
/// flight is told: it is not a movement of the craft. After each landing call `touched_down`.
///
/// A hand can hold a craft as still as the ground does. So the ground is the lowest place where it
/// has stood still, and a place more than held_m above it is none to count from: it is held there.
/// Height that has jumped is another height: the next still place is new ground then. Where it
/// rests at the origin, ground and rest follow a slow drift.
///
/// Not modelled: drift faster than some mm/s, which looks like movement; how far level it was carried,
/// since it may be put down beside where it was taken up. Not seen: a hand that has held it at one
/// height ever since the first sample, and comes back to that height; odometry alone says the same of
/// a table.
#pragma once
#include <cstdint>
#include <optional>

#include "pintle/base/geometry.h"
#include "pintle/base/time.h"

namespace pintle::estimation {

struct OriginParams {
  double window_s = 1;
  double radius_m = 0.05;
  double max_gap_s = 0.5;    ///< Nobody lifts it and puts it back in less.
  double max_speed_m_s = 5;  ///< A craft is no faster than this.
  double jump_m = 0.2;       ///< Noise that is no jump.
  double held_m = 0;         ///< Above the ground: held by a hand. 0: any still place counts.
};

enum class OriginSample : std::uint8_t {
  kRefused,   ///< Not finite, or not newer than the one before.
  kSettling,  ///< There is no origin yet.
  kGood,      ///< `relative` answers for this sample.
  kJumped,    ///< It cannot have moved so fast; the origin no longer holds.
  kHeld,      ///< It stands still, but above the ground.
};

class Origin {
 public:
  explicit Origin(const OriginParams& params) noexcept : params_(params) {}

  /// Once per sample, any frame.
  OriginSample update(Vec3 position_m, Time stamp) noexcept;
  /// Forgets the origin, not the ground: once it is carried, and to go on after a jump.
  void restart() noexcept;
  /// It has landed: the origin is forgotten, and this height is the ground.
  void touched_down(double height_m) noexcept;

  [[nodiscard]] bool is_known() const noexcept { return origin_.has_value(); }
  /// A jump was seen since the last restart; there is no origin until then.
  [[nodiscard]] bool has_jumped() const noexcept { return jumped_; }
  /// Where it stood still last, it was held above the ground.
  [[nodiscard]] bool is_held() const noexcept { return held_; }
  /// How many times new ground was found: the first, a lower one, one after a jump.
  [[nodiscard]] std::uint32_t grounds() const noexcept { return grounds_; }
  /// How far it is from where it rested; 0 before there is an origin, and after a restart.
  [[nodiscard]] double from_rest_m(Vec3 position_m) const noexcept {
    return origin_ || jumped_ ? norm(position_m - rest_) : 0;
  }
  /// The position from the origin; none without one.
  [[nodiscard]] std::optional<Vec3> relative(Vec3 position_m) const noexcept {
    if (!origin_) return std::nullopt;
    return position_m - *origin_;
  }

 private:
  void begin_window(Vec3 position, Time stamp) noexcept;
  [[nodiscard]] bool stands_on_ground(double height_m) noexcept;
  void drift(Vec3 position, double dt_s) noexcept;

  OriginParams params_;
  std::optional<Vec3> origin_;
  bool jumped_ = false;
  Vec3 rest_;
  std::optional<double> ground_m_;
  bool leapt_ = false;  ///< Height may have jumped since the ground was found.
  bool held_ = false;
  std::uint32_t grounds_ = 0;
  std::optional<Time> last_, window_begun_;
  Vec3 last_position_, first_, sum_;
  double samples_ = 0;
  Vec3 half_sum_;  ///< Of the window's first half …
  double half_samples_ = 0;
  Time half_at_{};
};

}  // namespace pintle::estimation
