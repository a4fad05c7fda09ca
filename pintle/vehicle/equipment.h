/// What a craft carries beside its propulsors: a gripper, a camera, a battery, an inertial sensor.
#pragma once
#include <optional>
#include <string>

#include "pintle/base/camera_model.h"
#include "pintle/base/fields.h"
#include "pintle/base/finding.h"
#include "pintle/base/geometry.h"
#include "pintle/base/visual_target.h"
#include "pintle/propulsion/supply.h"

namespace pintle::vehicle {

/// Closes on whatever is near enough.
struct Gripper {
  Vec3 position_m{};      ///< Where it closes, body coordinates.
  double reach_m = 0.05;  ///< From there to the surface of what it can hold.
  double delay_s = 0.5;   ///< From a request to its being done.
};

/// A camera for targets. What it is and how it is mounted stands in a file of its own, that of a
/// ROS calibration with extrinsics (vision_files.h), or here as `calibration`.
struct Camera {
  std::string file;  ///< From the vehicle file's folder; "": none.
  /// What is looked for in pictures, files of the `vision` package: markers on the car, the ring of
  /// the pad, markers of the pad. "": not that.
  std::string marker, circle, pad_marker;
  CameraModel calibration;  ///< As that file says, once it has been read.
  double min_range_m = 0.1, max_range_m = 6;
  double rate_Hz = 30;
  /// Share of the outline of a target that must be in view for it to be made out.
  double min_visible = 0.8;
  // as those files say, once they have been read
  std::optional<MarkerTargets> car_markers, pad_markers;
  std::optional<RingTarget> ring;
};

struct Battery {
  propulsion::BatteryParams params;
  double starting_charge = 1;
  double drive_efficiency = 0.7;  ///< Of motors and their drivers: shaft power over electric power.
  double avionics_W = 0;          ///< Drawn all the time.
};

/// An inertial sensor at the body origin, along the body's axes; means over its period.
struct Imu {
  double rate_Hz = 200;
  double rate_noise_deg_s = 0.1;  ///< Of a sample, per axis …
  double rate_bias_deg_s = 0.1;   ///< … and of a constant drawn per seed.
  double acceleration_noise_m_s2 = 0.05, acceleration_bias_m_s2 = 0.03;  ///< The same.
};

[[nodiscard]] Findings check(const Gripper& gripper);
[[nodiscard]] Findings check(const Camera& camera);
[[nodiscard]] Findings check(const Battery& battery);

/// The share of a disc's outline that a camera sees, and of what size it may be: radius 0 is a
/// point. p_BT_B: its middle, body coordinates; `up_B` its normal.
[[nodiscard]] double visible_share(const Camera& camera, Vec3 p_BT_B, Vec3 up_B,
                                   double radius_m) noexcept;

}  // namespace pintle::vehicle

namespace pintle {
template <>
const Table& table_of<vehicle::Gripper>();
template <>
const Table& table_of<vehicle::Camera>();
template <>
const Table& table_of<vehicle::Battery>();
template <>
const Table& table_of<vehicle::Imu>();
}  // namespace pintle
