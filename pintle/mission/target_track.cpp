#include "pintle/mission/target_track.h"

#include <algorithm>
#include <cmath>

namespace pintle::mission {
namespace {

/// Odometry comes a little later than pictures may.
constexpr double kAhead_s = 0.1;
constexpr double kFarthestSighting_m = 100, kNearestSighting_m = 0.02;

}  // namespace

bool can_be_seen(Vec3 p) noexcept {
  return std::abs(p.x) <= kFarthestSighting_m && std::abs(p.y) <= kFarthestSighting_m &&
         p.z >= -kFarthestSighting_m && p.z <= -kNearestSighting_m;
}

bool can_be_at(const TargetArea& area, Vec3 p) noexcept {
  const bool near =
      !(area.radius_m > 0) || std::hypot(p.x - area.x_m, p.y - area.y_m) <= area.radius_m;
  return near && p.z >= area.lowest_m && p.z <= area.highest_m;
}

void PoseHistory::take(Time stamp, const Pose& X_WB) noexcept {
  if (count > 0 && stamp <= at[(count - 1) % kPosesKept].stamp) return;
  at[count % kPosesKept] = {stamp, X_WB};
  ++count;
  // the count never wraps onto an empty history
  if (count == 0) count = kPosesKept;
}

bool PoseHistory::find(Time stamp, Pose& X_WB) const noexcept {
  if (count == 0) return false;
  const At& newest = at[(count - 1) % kPosesKept];
  if (stamp >= newest.stamp) {
    X_WB = newest.X_WB;
    return (stamp - newest.stamp).seconds() <= kAhead_s;
  }
  const std::uint32_t kept = std::min<std::uint32_t>(count, kPosesKept);
  for (std::uint32_t back = 1; back < kept; ++back) {
    const At& before = at[(count - 1 - back) % kPosesKept];
    if (stamp < before.stamp) continue;
    const At& after = at[(count - back) % kPosesKept];
    const double share = (stamp - before.stamp).seconds() / (after.stamp - before.stamp).seconds();
    X_WB.p = before.X_WB.p + share * (after.X_WB.p - before.X_WB.p);
    X_WB.q = share < 0.5 ? before.X_WB.q : after.X_WB.q;
    return true;
  }
  return false;
}

bool TargetTrack::take(Vec3 seen, Time stamp, std::uint32_t n, double spread_m) noexcept {
  n = std::clamp<std::uint32_t>(n, 1, kMostSightings);
  if (count > 0 && stamp <= seen_at) return false;
  if (found && !(norm(seen - p_WT) <= 3 * spread_m)) {
    if (++left_out < n) return false;
    // it is somewhere else, if anywhere
    *this = {};
  }
  left_out = 0;
  const std::uint32_t window = n + n / 2;
  recent[count % window] = seen;
  ++count;
  seen_at = stamp;
  const std::uint32_t kept = std::min(count, window);
  if (count >= 2 * window) count -= window;

  // those that agree with the newest: one that is off among them spoils nothing
  const auto mean_of = [this, kept](Vec3 about, double within_m, std::uint32_t& agree) {
    Vec3 sum{};
    agree = 0;
    for (std::uint32_t i = 0; i < kept; ++i) {
      if (!(norm(recent[i] - about) <= within_m)) continue;
      sum += recent[i];
      ++agree;
    }
    return agree > 0 ? sum / agree : about;
  };
  std::uint32_t agree = 0;
  Vec3 mean = mean_of(seen, 2 * spread_m, agree);
  agreeing = agree;
  mean = mean_of(mean, spread_m, agree);
  if (agree < n) return false;
  const bool is_new = !found;
  found = true;
  p_WT = mean;
  return is_new;
}

bool TargetTrack::forget(Time now, double memory_s) noexcept {
  if (count == 0 || (now - seen_at).seconds() <= memory_s) return false;
  const bool was = found;
  *this = {};
  return was;
}

}  // namespace pintle::mission
