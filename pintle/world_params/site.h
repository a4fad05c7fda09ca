/// What stands about in a world beside ground and pads: bodies, targets that a camera looks for,
/// and a hand that carries the craft before it flies.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "pintle/base/aircraft.h"
#include "pintle/base/fields.h"
#include "pintle/base/finding.h"

namespace pintle::world {

struct WorldParams;

inline constexpr std::size_t kMaxBodies = 8;

enum class BodyShape : std::uint8_t { kBox, kCylinder };

/// A solid thing: fixed where it stands, or free to be pushed, grabbed and dropped.
struct BodySpec {
  std::string name;
  BodyShape shape = BodyShape::kBox;
  Vec3 size_m{0.1, 0.1, 0.1};  ///< From side to side; of a cylinder diameter, diameter, height.
  double mass_kg = 0;          ///< 0: it is fixed.
  Vec3 position_m{};           ///< Of its middle.
  Vec3 rpy_deg{};
  std::string colour;  ///< Of reports and pictures.
};

/// What a camera can make out.
struct TargetSpec {
  TargetKind kind = TargetKind::kMarker;
  std::string on;         ///< A body: the middle of its top; or a pad.
  double radius_m = 0.1;  ///< Of its outline; half the diagonal of a square marker.
};

/// Where sightings come from: the ground truth, or pictures that are drawn and searched (noise_m and
/// noise_ratio have no meaning then).
enum class SightingSource : std::uint8_t { kTruth, kImages };

/// What is between a picture and the sighting that comes of it; where the camera is and what it
/// sees is in the vehicle file.
struct SightingParams {
  double delay_s = 0.05;
  double drop_out = 0;      ///< Probability that a picture gives nothing.
  double noise_m = 0.005;   ///< Standard deviation, each axis …
  double noise_ratio = 0;   ///< … and of the distance.
  double false_alarms = 0;  ///< Probability that a picture gives a target that is none.
  SightingSource from = SightingSource::kTruth;
  // of pictures
  double blur_px = 0.6;      ///< One sigma of the lens.
  double shutter_s = 0.004;  ///< The picture moves while it is open.
  double grain = 3;          ///< One sigma of a pixel, in steps of the picture.
  double log_Hz = 0;         ///< Into the log as JPEG, at most so many a second; 0: none.
};

/// A hand lifts the craft, holds it and puts it down: what tells the frame of the odometry before
/// take-off.
struct CarryParams {
  double at_s = 1;
  double height_m = 0.3;
  double lift_s = 2;  ///< Each way.
  double hold_s = 0.5;
  /// From its place, up there: in the upper half of the way up, and back likewise.
  Vec3 aside_m{};
};

/// Where a hand holds the craft, from its place, and how it moves; not active: false.
[[nodiscard]] bool carried(const CarryParams& carry, double t_s, Vec3& offset_m,
                           Vec3& velocity_m_s) noexcept;

/// What contradicts itself in bodies, targets and carrying.
[[nodiscard]] Findings check_site(const WorldParams& params);

/// Index of a body by name, -1.
[[nodiscard]] int index_of(const std::vector<BodySpec>& bodies, std::string_view name) noexcept;
/// Distance of a point, in the body's coordinates, from its surface; 0 inside.
[[nodiscard]] double distance_to(const BodySpec& body, Vec3 p_body) noexcept;
/// Moments of inertia of the solid body about its middle.
[[nodiscard]] Vec3 inertia_of(const BodySpec& body) noexcept;

}  // namespace pintle::world

namespace pintle {
template <>
const EnumTable& enum_table<world::BodyShape>();
template <>
const Table& table_of<world::BodySpec>();
template <>
const Table& table_of<world::TargetSpec>();
template <>
const EnumTable& enum_table<world::SightingSource>();
template <>
const Table& table_of<world::SightingParams>();
template <>
const Table& table_of<world::CarryParams>();
}  // namespace pintle
