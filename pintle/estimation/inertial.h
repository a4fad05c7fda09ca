/// Dead reckoning: how a craft that has lost its odometry goes on knowing how it moves, for
/// seconds.
///
///   q' = q exp((w - b_w) dt),   v' = v + (R (f - b_f) - g e_z) dt,   p' = p + v dt + a dt^2 / 2
///
/// w and f of an inertial sensor, R the attitude in the middle of the step. While odometry comes it
/// pulls q, v and p towards itself with the time constant kPull_s, and teaches the constant errors
/// b_w and b_f, as running means over kLearn_s at most; afterwards they stay what they were. Errors
/// that are left grow with time: of height and speed along with b_f, of the level ones with the
/// square and cube of time times b_w.
///
/// What disagrees with odometry while that is there (a sensor mounted otherwise, say) is not fit to
/// go by alone. Not modelled: the sensor's place off the body origin, correlation of the errors, a
/// world that turns.
#pragma once
#include "pintle/base/signals.h"
#include "pintle/estimation/estimator.h"

namespace pintle::estimation {

inline constexpr double kImuStale_s = 0.1;  ///< An older sample says nothing of now.
inline constexpr double kPull_s = 0.2;
inline constexpr double kLearn_s = 10;
inline constexpr double kLeast_s = 1;  ///< Odometry must have been there this long.
/// More than this off from odometry on the average: not fit.
inline constexpr double kMostOff_m_s = 0.3, kMostOff_rad = 0.1;
inline constexpr double kMostRateBias_rad_s = 0.05, kMostAccelerationBias_m_s2 = 0.5;

struct InertialState {
  bool has_sample = false;
  ImuSample last{};
  double step_s = 0;   ///< Of the last sample.
  bool begun = false;  ///< The motion below is known.
  Pose X_WB;
  Vec3 v_W, a_W;
  Vec3 rate_bias, acceleration_bias;
  double aided_s = 0;  ///< Odometry has been there for so long.
  double off_m_s = 0, off_rad = 0;
  // since the last odometry
  Measurement aid{};
  Vec3 gained_W, turned;  ///< Velocity and turn by the sensor alone.
  double span_s = 0;
};

/// A sample of this tick. Refused when not finite or beyond 100 rad/s or 1000 m/s^2, from the
/// future or from before the last one; one with the stamp of the last is nothing new. After a gap
/// of more than kImuStale_s the motion is not known until odometry comes.
[[nodiscard]] MeasurementVerdict feel(InertialState&, const ImuSample&, double gravity_m_s2,
                                      Time now) noexcept;

/// Odometry that the estimator has accepted.
void aid(InertialState&, const Measurement&) noexcept;

/// Fit to go by without odometry.
[[nodiscard]] bool is_fit(const InertialState&, Time now) noexcept;

/// Body coordinates.
[[nodiscard]] Twist twist_of(const InertialState&) noexcept;

}  // namespace pintle::estimation
