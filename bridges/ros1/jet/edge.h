/// The one place where the conventions of the `jet` package and the world's meet.
///
///   odometry    position as declared (NEU or NED), yaw of its quaternion; its twist is not used,
///               as in the original: what frame it is in depends on the source. The velocity is the
///               way over the last 0.1 s and more; roll and pitch are the flight controller's,
///               where it says them, else level.
///   target      forward, right, down  ->  forward, left, up
///   NEU         of `pose_calied` and of navigation goals: north, east, up; yaw clockwise,
///               from north
#pragma once
#include <cstddef>
#include <optional>

#include "jet/aircraft.h"
#include "pintle/base/aircraft.h"
#include "pintle/base/fixed_vector.h"
#include "pintle/estimation/estimator.h"
#include "pintle/estimation/odometry_frame.h"

namespace pintle::ros1 {

/// Turns samples of odometry into measurements of the stack.
class OdometryEdge {
 public:
  explicit OdometryEdge(estimation::OdometryFrame declared) noexcept : declared_(declared) {}

  [[nodiscard]] estimation::Measurement take(Time stamp, const PlainPose& raw) noexcept;
  /// Attitude of the body in the world, by the flight controller.
  void attitude(Time stamp, const Quat& q_WB) noexcept;

 private:
  struct Sample {
    Time stamp;
    Vec3 p_W;
  };
  [[nodiscard]] Vec3 velocity(Time stamp, Vec3 p_W) noexcept;

  estimation::OdometryFrame declared_;
  FixedVector<Sample, 32> past_;  ///< Oldest first.
  std::optional<Time> tilt_at_;
  double roll_ = 0, pitch_ = 0;
};

[[nodiscard]] Vec3 from_forward_right_down(const Three& v) noexcept;
/// Both ways the same.
[[nodiscard]] Vec3 swap_north_east(Vec3 v) noexcept;
[[nodiscard]] double swap_yaw(double yaw_rad) noexcept;

}  // namespace pintle::ros1
