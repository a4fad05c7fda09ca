/// Where a target is in the world, from sightings in the tilted body.
///
///   p_WT = X_WB(stamp of the picture) p_BT      X_WB between two poses of the last 0.6 s
///
/// A target is found when n of the last 1.5 n sightings lie within spread_m of their mean; the mean
/// is where it is, and stays so for memory_s without a sighting. A sighting away from a found
/// target by more than three times the spread is left out; n of them in a row begin anew.
///
/// A camera looks down: what is not below the body origin is no sighting. Nor is what lies outside
/// the area where the target can be.
///
/// Not modelled: targets that move, variances.
#pragma once
#include <array>
#include <cstdint>

#include "pintle/base/aircraft.h"
#include "pintle/base/geometry.h"
#include "pintle/mission/aircraft.h"

namespace pintle::mission {

inline constexpr std::size_t kMostSightings = 16, kPosesKept = 32;

/// Poses of the recent past, newest last.
struct PoseHistory {
  struct At {
    Time stamp;
    Pose X_WB;
  };
  std::array<At, kPosesKept> at{};
  std::uint32_t count = 0;  ///< Ever taken.

  /// What is not newer than the newest is left out.
  void take(Time stamp, const Pose& X_WB) noexcept;
  void clear() noexcept { count = 0; }
  /// The pose of that instant; false: it is not covered (a little before the newest at most).
  [[nodiscard]] bool find(Time stamp, Pose& X_WB) const noexcept;
};

/// False for what no camera can have seen: no number, nothing found (zeros), above, too far.
[[nodiscard]] bool can_be_seen(Vec3 p_BT_B) noexcept;
/// False for what is not where the target can be.
[[nodiscard]] bool can_be_at(const TargetArea& area, Vec3 p_WT) noexcept;

struct TargetTrack {
  std::array<Vec3, kMostSightings + kMostSightings / 2> recent{};
  std::uint32_t count = 0;     ///< Taken since it was begun anew.
  std::uint32_t left_out = 0;  ///< In a row.
  std::uint32_t agreeing = 0;  ///< With the newest one, itself included.
  bool found = false;
  Vec3 p_WT{};     ///< When found.
  Time seen_at{};  ///< The last one taken: stamp of its picture.

  /// A sighting in the world. True: by this one it was found.
  bool take(Vec3 p_WT_seen, Time stamp, std::uint32_t n, double spread_m) noexcept;
  /// True: by now it is forgotten.
  bool forget(Time now, double memory_s) noexcept;
};

}  // namespace pintle::mission
