#include "pintle/vehicle/equipment.h"

#include <cmath>

#include "pintle/base/rotation.h"

namespace pintle {

using vehicle::Battery;
using vehicle::Camera;
using vehicle::Gripper;
using vehicle::Imu;

template <>
const Table& table_of<Gripper>() {
  static const Table table =
      TableBuilder<Gripper>("Gripper", "Closes on whatever is near enough.")
          .field("position_m", &Gripper::position_m, "m", "Where it closes, from the body origin.")
          .required()
          .field("reach_m", &Gripper::reach_m, "m",
                 "From there to the surface of what it can hold.")
          .range(0.001, 10)
          .field("delay_s", &Gripper::delay_s, "s", "From a request to its being done.")
          .range(0, 60)
          .build();
  return table;
}

template <>
const Table& table_of<Camera>() {
  static const Table table =
      TableBuilder<Camera>("Camera", "What it sees targets with.")
          .field("file", &Camera::file, "",
                 "Path of its calibration with extrinsics, from this file's folder.")
          .field("marker", &Camera::marker, "", "File of the markers on the car.")
          .field("circle", &Camera::circle, "", "File of the ring of the pad.")
          .field("pad_marker", &Camera::pad_marker, "", "File of the markers of the pad.")
          .field("calibration", &Camera::calibration, "", "The same numbers, without a file.")
          .field("min_range_m", &Camera::min_range_m, "m", "Nearer targets are not made out.")
          .range(0, 100)
          .field("max_range_m", &Camera::max_range_m, "m", "Nor are farther ones.")
          .range(0.01, 1e4)
          .field("rate_Hz", &Camera::rate_Hz, "Hz", "Pictures a second.")
          .range(0.1, 1000)
          .field("min_visible", &Camera::min_visible, "",
                 "Share of the outline of a target that must be in view.")
          .range(0, 1)
          .build();
  return table;
}

template <>
const Table& table_of<Battery>() {
  static const Table table =
      TableBuilder<Battery>("BatteryOfVehicle", "Charge that the propellers draw on.")
          .inlined(&Battery::params)
          .field("starting_charge", &Battery::starting_charge, "", "How full it is at the start.")
          .range(0, 1)
          .field("drive_efficiency", &Battery::drive_efficiency, "",
                 "Of motors and their drivers: power of the shaft over electric power.")
          .range(0.05, 1)
          .field("avionics_W", &Battery::avionics_W, "W", "Drawn all the time.")
          .range(0, 1e5)
          .build();
  return table;
}

template <>
const Table& table_of<Imu>() {
  static const Table table =
      TableBuilder<Imu>("Imu", "An inertial sensor at the body origin, along the body's axes.")
          .field("rate_Hz", &Imu::rate_Hz, "Hz", "Samples a second, each the mean of its period.")
          .range(10, 10000)
          .field("rate_noise_deg_s", &Imu::rate_noise_deg_s, "deg/s",
                 "Standard deviation of a turn rate, per axis.")
          .range(0, 1000)
          .field("rate_bias_deg_s", &Imu::rate_bias_deg_s, "deg/s",
                 "Standard deviation of a constant error, drawn per seed.")
          .range(0, 1000)
          .field("acceleration_noise_m_s2", &Imu::acceleration_noise_m_s2, "m/s^2",
                 "Standard deviation of an acceleration, per axis.")
          .range(0, 1000)
          .field("acceleration_bias_m_s2", &Imu::acceleration_bias_m_s2, "m/s^2",
                 "Standard deviation of a constant error, drawn per seed.")
          .range(0, 1000)
          .build();
  return table;
}

}  // namespace pintle

namespace pintle::vehicle {

Findings check(const Gripper& gripper) {
  if (is_finite(gripper.position_m)) return {};
  return {{"position_m", "expected finite numbers", "write three numbers"}};
}

Findings check(const Camera& camera) {
  Findings out = check(camera.calibration);
  for (Finding& f : out) f.path = "calibration." + f.path;
  if (!(camera.max_range_m > camera.min_range_m))
    out.push_back({"max_range_m", "expected more than min_range_m", "write metres"});
  return out;
}

Findings check(const Battery& battery) { return check(battery.params); }

double visible_share(const Camera& camera, Vec3 p_BT_B, Vec3 up_B, double radius_m) noexcept {
  const CameraModel& c = camera.calibration;
  const Pose X_CB = inverse(c.X_BC);

  const Vec3 side_raw = cross(up_B, std::abs(up_B.x) < 0.9 ? Vec3{1, 0, 0} : Vec3{0, 1, 0});
  const double side_length = norm(side_raw);
  if (!(side_length > 0)) return 0;
  const Vec3 side = side_raw / side_length;
  const Vec3 other = cross(up_B, side);
  constexpr int kPoints = 32;
  int seen = 0;
  for (int i = 0; i < kPoints; ++i) {
    const double angle = 2 * kPi * i / kPoints;
    const Vec3 rim_B = p_BT_B + radius_m * (std::cos(angle) * side + std::sin(angle) * other);
    Pixel at;
    seen += project(c, X_CB.p + rotate(X_CB.q, rim_B), at) && at.u >= -0.5 &&
                    at.u <= c.width - 0.5 && at.v >= -0.5 && at.v <= c.height - 0.5
                ? 1
                : 0;
  }
  return static_cast<double>(seen) / kPoints;
}

}  // namespace pintle::vehicle
