/// The border of the node jet_world: the world of a delivery (worlds/delivery_site.yaml) with its
/// car, pad and payload, wind and battery, an aircraft with its simulated flight controller in it,
/// and the aircraft's gripper on a pseudo-terminal; in plain values.
///
/// The aircraft starts on the pad. A hand lifts it by 0.3 m and puts it down again when it is asked
/// to, as somebody does who proves the frame of the odometry; the hand is laid over what is
/// measured, and not in the physics. The gripper's device moves the claw, and the claw holds the
/// payload when that is within its reach. Clean C++17; see common/plain.h.
///
/// A build without MuJoCo has neither car nor payload: targets are then seen where they would be,
/// within 45 degrees of the body's down and from 0.35 m on.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "jet/aircraft.h"
#include "vision/picture.h"

namespace pintle::ros1 {

struct SiteOptions {
  std::string vehicle_file;
  std::string world_file;
  std::uint64_t seed = 1;
  bool guidance = false;        ///< Odometry in north, east, down; else north, east, up.
  Three car{-1.9, -1.1, 0.25};  ///< Its marker: north, east, up of the pad.
};

struct SiteTarget {
  bool is_pad = false;
  Three forward_right_down{};
};

class Site {
 public:
  /// @throws std::exception with everything that is wrong in the vehicle file.
  explicit Site(const SiteOptions& options);
  ~Site();
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  [[nodiscard]] std::int64_t now_ns() const;
  /// One cycle of the flight controller.
  void advance();
  [[nodiscard]] double period_s() const;

  /// False: not while its motors turn.
  bool lift();
  void command(const Three& velocity, double yaw_rate);
  /// Answers the number of the request.
  std::uint32_t request(FlightService service);
  /// Of the request with that number: 1 taken on or done, 0 refused or failed, -1 not known yet.
  [[nodiscard]] int verdict(std::uint32_t number) const;

  /// As the source of odometry says it, in its frame; false: nothing new has come of it.
  [[nodiscard]] bool take_odometry(PlainPose& pose);
  [[nodiscard]] PlainFlight flight() const;
  /// False: nothing is seen.
  [[nodiscard]] bool look(SiteTarget& target);
  /// What its camera sees, red, green, blue; a hand's lift is not in it. False: a build that draws
  /// none, or a vehicle without a camera.
  [[nodiscard]] bool draw(PlainImage& picture);
  /// North, east, up of the pad; what is really so.
  [[nodiscard]] Three truth() const;

  /// False: there is none. The payload, as the truth above; and whether the claw holds it.
  [[nodiscard]] bool payload(Three& middle, bool& held) const;

  /// Path of the gripper's device.
  [[nodiscard]] std::string gripper_device() const;
  [[nodiscard]] int gripper_status() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pintle::ros1
