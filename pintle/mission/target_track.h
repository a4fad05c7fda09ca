/// Where a target is in the world, and how it moves, from sightings in the tilted body.
///
///   p_WT = X_WB(stamp of the picture) p_BT      X_WB between two poses of the last 0.6 s
///
/// Looking for it: a target is found when n of the last 1.5 n pictures lie within spread_m of
/// their mean. Following it: a Kalman filter per axis of the world, of a place that stands
/// (speed_m_s 0) or of one with a velocity; its noise is what the sighting states, with a floor of
/// a quarter of the spread for odometry, or a third where nothing is stated.
///
///   d = z - p(t),  S = P + R,   sum d^2 / S <= 16.27       (99.9 % of three axes)
///
/// What is beyond that is left out, and keeps nothing fresh; n of them in a row begin anew. The
/// number of a marker counts from the second picture on in which it stood at the same place. An
/// estimate is good for memory_s without a sighting.
///
/// A camera looks down: what is not below the body origin is no sighting. Nor is what lies outside
/// the area where the target can be.
///
/// Not modelled: correlation between axes, targets that turn. Source of the gate: Bar-Shalom,
/// Li and Kirubarajan, "Estimation with Applications to Tracking and Navigation", 2001.
#pragma once
#include <array>
#include <cstdint>

#include "pintle/base/aircraft.h"
#include "pintle/base/fields.h"
#include "pintle/base/geometry.h"
#include "pintle/mission/aircraft.h"

namespace pintle::mission {

inline constexpr std::size_t kMostSightings = 16, kSightingsKept = 48, kPosesKept = 64;
inline constexpr double kPoseHistory_s = 0.6;
inline constexpr double kTargetGate = 16.27;

/// Poses of the last 0.6 s at any rate, newest last.
struct PoseHistory {
  struct At {
    Time stamp;
    Pose X_WB;
  };
  std::array<At, kPosesKept> at{};
  std::uint32_t count = 0;  ///< Ever kept.

  /// What is not newer than the newest is left out; of poses nearer than 0.01 s the newest stays.
  void take(Time stamp, const Pose& X_WB) noexcept;
  void clear() noexcept { count = 0; }
  /// The pose of that instant; false: it is not covered (a little before the newest at most).
  [[nodiscard]] bool find(Time stamp, Pose& X_WB) const noexcept;
};

/// False for what no camera can have seen: no number, nothing found (zeros), above, too far; and for what says
/// of itself that it does not know: a deviation that is none, or of more than half the way to the target.
[[nodiscard]] bool can_be_seen(const TargetSighting& seen) noexcept;
/// False for what is not where the target can be.
[[nodiscard]] bool can_be_at(const TargetArea& area, Vec3 p_WT) noexcept;

/// What became of a sighting; what stands last was left out.
enum class SightingFate : std::uint8_t {
  kCounted,      ///< It moved the estimate.
  kFound,        ///< By it enough agreed: the target is found.
  kKept,         ///< Nothing is found yet; later ones are held against it.
  kAlone,        ///< The first with this number at this place: it awaits a second picture.
  kBeyondGate,   ///< Too far from where the target is, for what both are sure of.
  kRepeated,     ///< Older than the newest, or its number twice in one picture.
  kOutsideArea,  ///< Not where the target can be.
  kNoSighting,   ///< What no camera can have seen, or of a picture yet to come.
  kNoPose,       ///< Nobody knows where the craft was when the picture was taken.
};

constexpr bool is_left_out(SightingFate f) noexcept { return f >= SightingFate::kBeyondGate; }

struct WorldSighting {
  Time stamp;  ///< Of the picture.
  std::uint32_t id = 0;
  Vec3 p_WT{};
  Vec3 variance_m2{};  ///< By axis of the world; 0: not stated.
};
/// In the world, from the craft's pose when the picture was taken.
[[nodiscard]] WorldSighting in_world(const TargetSighting& seen, const Pose& X_WB) noexcept;

struct TrackRules {
  std::uint32_t n = 5;     ///< Pictures that must agree.
  double spread_m = 0.15;  ///< Within this of their mean.
  double speed_m_s = 0;    ///< The most that the target moves; 0: it stands.
};

struct TargetTrack {
  /// Of a sighting, what later ones are held against.
  struct Kept {
    Time stamp;
    Vec3 p_WT{};
    std::uint32_t id = 0;
  };
  std::array<Kept, kSightingsKept> recent{};
  std::uint32_t count = 0;     ///< Taken since it was begun anew.
  std::uint32_t left_out = 0;  ///< In a row.
  std::uint32_t agreeing = 0;  ///< Pictures with the newest one, itself included.
  bool found = false;
  Time glimpsed_at{};  ///< The newest picture with a sighting, agreeing or not.
  Time seen_at{};      ///< The newest picture whose sighting agreed, once it is found.
  // of the estimate, at seen_at
  Vec3 p_WT{}, v_WT{};
  std::array<double, 3> pp{}, pv{}, vv{};  ///< Its covariance, axis by axis.

  SightingFate take(const WorldSighting& seen, const TrackRules& rules) noexcept;
  /// True: by now it is forgotten.
  bool forget(Time now, double memory_s) noexcept;
  /// Where it should be by now. Its way is carried on for a second at most.
  [[nodiscard]] Vec3 position(Time now) const noexcept;
  /// What it moves by, if it does: three standard deviations from standing.
  [[nodiscard]] Vec3 velocity() const noexcept;
  /// One standard deviation, the largest of the axes.
  [[nodiscard]] double sigma_m() const noexcept;
  /// Seen, and agreeing, within this time.
  [[nodiscard]] bool is_fresh(Time now, double within_s) const noexcept {
    return found && (now - seen_at).seconds() <= within_s;
  }

 private:
  [[nodiscard]] bool seen_before(const WorldSighting& seen, const TrackRules& rules) const noexcept;
  [[nodiscard]] bool look_for(const WorldSighting& seen, const TrackRules& rules) noexcept;
  [[nodiscard]] bool follow(const WorldSighting& seen, const TrackRules& rules) noexcept;
  [[nodiscard]] const Kept& back(std::uint32_t i) const noexcept {
    return recent[(count - 1 - i) % kSightingsKept];
  }
  [[nodiscard]] std::uint32_t kept() const noexcept {
    return count < kSightingsKept ? count : static_cast<std::uint32_t>(kSightingsKept);
  }
};

}  // namespace pintle::mission

namespace pintle {
template <>
const EnumTable& enum_table<mission::SightingFate>();
}  // namespace pintle
