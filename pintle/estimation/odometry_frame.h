/// Odometry of three conventions, brought into the world frame (east, north, up) in one place.
///
///   declared   position, velocity        yaw
///   ENU        (x, y, z)                 counter-clockwise from east
///   NEU        (y, x, z)                 clockwise from north: pi/2 - yaw
///   NED        (y, x, -z)                clockwise from north: pi/2 - yaw
///
/// NEU is left-handed: no rotation leads from it to the world, so nothing here is done with
/// quaternions. Source of NEU and NED: the two odometry sources of the `jet` package, told apart
/// there by a flag; a wrong one turns the sign of the height loop.
///
/// FrameCheck finds a wrong declaration before take-off. A witness that does not depend on it (the
/// flight controller's own velocity and heading) is compared with what the odometry says was moved:
/// carry the craft up by min_move_m and it knows which way is up; carry it sideways, or let it
/// stand with a heading that tells the conventions apart, and it knows which way is north. Until
/// both are known, or when one disagrees, it may not be armed. Two windows, each begun in the
/// middle of the other, so that a movement of half a window lies in one of them whole. Odometry may
/// be missing meanwhile: the witness goes on.
///
/// Not modelled: roll and pitch, and the drift between odometry and witness beyond window_s.
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "pintle/base/fields.h"
#include "pintle/base/geometry.h"
#include "pintle/base/odometry_frame.h"
#include "pintle/base/time.h"
#include "pintle/estimation/dead_reckoning.h"

namespace pintle::estimation {

using pintle::OdometryFrame;

/// As the source says it, in the source's frame.
struct RawOdometry {
  Vec3 position_m;
  Vec3 velocity_m_s;
  double yaw_rad = 0;
};

/// In the world frame.
struct WorldOdometry {
  Vec3 position_m;
  Vec3 velocity_m_s;
  double yaw_rad = 0;  ///< In (-pi, pi].
};

[[nodiscard]] Vec3 to_world(OdometryFrame declared, Vec3 v) noexcept;
[[nodiscard]] double yaw_to_world(OdometryFrame declared, double yaw_rad) noexcept;
[[nodiscard]] WorldOdometry to_world(OdometryFrame declared, const RawOdometry& raw) noexcept;

/// What does not come from the odometry, in the world frame.
struct FrameWitness {
  Vec3 velocity_m_s;
  std::optional<double> yaw_rad;  ///< From a compass.
};

enum class FrameVerdict : std::uint8_t { kUndecided, kAgrees, kDisagrees };

struct FrameCheckParams {
  double min_move_m = 0.2;
  double window_s = 5;        ///< The witness is integrated no longer than this.
  double max_gap_s = 0.15;    ///< A longer gap of the witness begins the windows anew …
  double odometry_gap_s = 2;  ///< … and one of the odometry.
  double min_yaw_rad = 0.5;   ///< Headings closer than this to each other tell nothing.
};

class FrameCheck {
 public:
  FrameCheck(OdometryFrame declared, const FrameCheckParams& params) noexcept
      : declared_(declared), params_(params), path_(params.max_gap_s) {}

  /// The witness, as often as it speaks.
  void witnessed(Vec3 velocity_m_s, Time now) noexcept { path_.take(velocity_m_s, now); }
  /// Once per fresh sample. What is not finite, or not newer than the one before, is left out.
  void observe(const RawOdometry& raw, const std::optional<double>& witness_yaw_rad,
               Time now) noexcept;
  /// Both at the same instant.
  void update(const RawOdometry& raw, const FrameWitness& witness, Time now) noexcept {
    witnessed(witness.velocity_m_s, now);
    observe(raw, witness.yaw_rad, now);
  }

  [[nodiscard]] FrameVerdict up() const noexcept { return up_; }
  [[nodiscard]] FrameVerdict horizontal() const noexcept { return horizontal_; }
  /// Both are known and agree. A disagreement stays until the check is begun anew.
  [[nodiscard]] bool may_arm() const noexcept {
    return up_ == FrameVerdict::kAgrees && horizontal_ == FrameVerdict::kAgrees;
  }

 private:
  struct Window {
    Time begun;
    Vec3 position, way;
  };
  void judge_moves(Vec3 moved, Vec3 witnessed) noexcept;
  void judge_yaw(double yaw_raw, double yaw_witness) noexcept;

  OdometryFrame declared_;
  FrameCheckParams params_;
  FrameVerdict up_ = FrameVerdict::kUndecided, horizontal_ = FrameVerdict::kUndecided;
  DeadReckoning path_;
  std::optional<Time> last_;
  std::array<std::optional<Window>, 2> windows_;
  std::uint32_t lap_ = 0;  ///< Of the path that the windows lie on.
};

}  // namespace pintle::estimation

namespace pintle {
template <>
const EnumTable& enum_table<estimation::FrameVerdict>();
}  // namespace pintle
