#include "pintle/mission/target_track.h"

#include <algorithm>
#include <cmath>

#include "pintle/base/rotation.h"

namespace pintle::mission {
namespace {

/// Odometry comes a little later than pictures may.
constexpr double kAhead_s = 0.1;
constexpr double kFarthestSighting_m = 100, kNearestSighting_m = 0.02;
constexpr double kMostOff = 0.5;
/// Between every second pose: any two are then half of it apart, in the mean.
constexpr double kLeastPoseStep_s = 2 * kPoseHistory_s / (kPosesKept - 4);
/// Over a longer gap of odometry nobody knows how it flew.
constexpr double kLongestPoseGap_s = 0.3;
/// A sighting is remembered for a second picture with the same number.
constexpr double kNumberMemory_s = 1;
constexpr double kCarriedOn_s = 1;
/// What stands wanders by the odometry; what moves changes its velocity.
constexpr double kDrift_m2_s = 1e-4, kManoeuvre_m2_s3 = 2.5e-3;

}  // namespace

bool can_be_seen(const TargetSighting& seen) noexcept {
  const Vec3& p = seen.p_BT_B;
  const Vec3& s = seen.sigma_B_m;
  const double most = kMostOff * norm(p);
  return std::abs(p.x) <= kFarthestSighting_m && std::abs(p.y) <= kFarthestSighting_m &&
         p.z >= -kFarthestSighting_m && p.z <= -kNearestSighting_m && s.x >= 0 && s.x <= most &&
         s.y >= 0 && s.y <= most && s.z >= 0 && s.z <= most;
}

bool can_be_at(const TargetArea& area, Vec3 p) noexcept {
  const bool near =
      !(area.radius_m > 0) || std::hypot(p.x - area.x_m, p.y - area.y_m) <= area.radius_m;
  return near && p.z >= area.lowest_m && p.z <= area.highest_m;
}

WorldSighting in_world(const TargetSighting& seen, const Pose& X_WB) noexcept {
  WorldSighting out{seen.stamp, seen.id, X_WB.p + rotate(X_WB.q, seen.p_BT_B), {}};
  const Vec3 s{square(seen.sigma_B_m.x), square(seen.sigma_B_m.y), square(seen.sigma_B_m.z)};
  const Mat3 R = to_matrix(X_WB.q);
  const auto along = [&](std::size_t i) {
    return R(i, 0) * R(i, 0) * s.x + R(i, 1) * R(i, 1) * s.y + R(i, 2) * R(i, 2) * s.z;
  };
  out.variance_m2 = {along(0), along(1), along(2)};
  return out;
}

void PoseHistory::take(Time stamp, const Pose& X_WB) noexcept {
  if (count > 0 && stamp <= at[(count - 1) % kPosesKept].stamp) return;
  const bool crowded =
      count > 1 && (stamp - at[(count - 2) % kPosesKept].stamp).seconds() < kLeastPoseStep_s;
  if (crowded) --count;
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
  if ((newest.stamp - stamp).seconds() > kPoseHistory_s) return false;
  const std::uint32_t kept = std::min<std::uint32_t>(count, kPosesKept);
  for (std::uint32_t back = 1; back < kept; ++back) {
    const At& before = at[(count - 1 - back) % kPosesKept];
    if (stamp < before.stamp) continue;
    const At& after = at[(count - back) % kPosesKept];
    const double step = (after.stamp - before.stamp).seconds();
    if (step > kLongestPoseGap_s) return false;
    const double share = (stamp - before.stamp).seconds() / step;
    X_WB.p = before.X_WB.p + share * (after.X_WB.p - before.X_WB.p);
    const Vec3 turn = to_rotation_vector(conjugate(before.X_WB.q) * after.X_WB.q);
    X_WB.q = normalized(before.X_WB.q * from_rotation_vector(share * turn));
    return true;
  }
  return false;
}

/// In another picture, at the same place, with the same number.
bool TargetTrack::seen_before(const WorldSighting& seen, const TrackRules& rules) const noexcept {
  for (std::uint32_t i = 0; i < kept(); ++i) {
    const Kept& s = back(i);
    const double ago_s = (seen.stamp - s.stamp).seconds();
    if (ago_s > kNumberMemory_s) return false;
    if (s.stamp == seen.stamp || s.id != seen.id) continue;
    if (norm(s.p_WT - seen.p_WT) <= 2 * rules.spread_m + rules.speed_m_s * ago_s) return true;
  }
  return false;
}

bool TargetTrack::look_for(const WorldSighting& seen, const TrackRules& rules) noexcept {
  // those that agree with the newest: one that is off among them spoils nothing
  const auto mean_of = [&](Vec3 about, double within_m, std::uint32_t& agree) {
    Vec3 sum{};
    double n = 0;
    std::uint32_t pictures = 0;
    agree = 0;
    for (std::uint32_t i = 0; i < kept(); ++i) {
      const Kept& s = back(i);
      const bool other = i == 0 || !(s.stamp == back(i - 1).stamp);
      if (other && ++pictures > rules.n + rules.n / 2) break;
      if (!(norm(s.p_WT - about) <= within_m)) continue;
      // two sightings in one picture are one witness
      bool counted = false;
      for (std::uint32_t k = i; k-- > 0 && back(k).stamp == s.stamp;)
        counted = counted || norm(back(k).p_WT - about) <= within_m;
      if (!counted) ++agree;
      sum += s.p_WT;
      ++n;
    }
    return n > 0 ? sum / n : about;
  };
  std::uint32_t agree = 0;
  Vec3 mean = mean_of(seen.p_WT, 2 * rules.spread_m, agree);
  agreeing = agree;
  mean = mean_of(mean, rules.spread_m, agree);
  if (agree < rules.n) return false;
  found = true;
  p_WT = mean;
  v_WT = {};
  seen_at = seen.stamp;
  left_out = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    pp[i] = rules.spread_m * rules.spread_m / agree;
    pv[i] = 0;
    vv[i] = 0.25 * rules.speed_m_s * rules.speed_m_s;
  }
  return true;
}

/// False: it lies beyond the gate.
bool TargetTrack::follow(const WorldSighting& seen, const TrackRules& rules) noexcept {
  // what one picture shows twice is of one instant; an older one was left out before
  const double t = std::max(0.0, (seen.stamp - seen_at).seconds());
  const bool moves = rules.speed_m_s > 0;
  const std::array<double, 3> z{seen.p_WT.x, seen.p_WT.y, seen.p_WT.z},
      stated{seen.variance_m2.x, seen.variance_m2.y, seen.variance_m2.z};
  std::array<double, 3> p{p_WT.x, p_WT.y, p_WT.z}, v{v_WT.x, v_WT.y, v_WT.z};
  std::array<double, 3> PP = pp, PV = pv, VV = vv, S{}, d{};
  double off = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    PP[i] += kDrift_m2_s * t;
    if (moves) {
      p[i] += t * v[i];
      PP[i] += 2 * t * PV[i] + t * t * VV[i] + kManoeuvre_m2_s3 * t * t * t / 3;
      PV[i] += t * VV[i] + kManoeuvre_m2_s3 * t * t / 2;
      VV[i] += kManoeuvre_m2_s3 * t;
    }
    const double least = rules.spread_m / (stated[i] > 0 ? 4 : 3);
    S[i] = PP[i] + stated[i] + least * least;
    d[i] = z[i] - p[i];
    off += d[i] * d[i] / S[i];
  }
  if (!(off <= kTargetGate)) return false;
  for (std::size_t i = 0; i < 3; ++i) {
    const double k = PP[i] / S[i], g = moves ? PV[i] / S[i] : 0;
    p[i] += k * d[i];
    v[i] = std::clamp(v[i] + g * d[i], -rules.speed_m_s, rules.speed_m_s);
    VV[i] -= g * PV[i];
    PV[i] -= k * PV[i];
    PP[i] -= k * PP[i];
  }
  p_WT = {p[0], p[1], p[2]};
  v_WT = {v[0], v[1], v[2]};
  pp = PP, pv = PV, vv = VV;
  seen_at = std::max(seen_at, seen.stamp);
  return true;
}

SightingFate TargetTrack::take(const WorldSighting& seen, const TrackRules& given) noexcept {
  TrackRules rules = given;
  rules.n = std::clamp<std::uint32_t>(rules.n, 1, kMostSightings);
  if (count > 0 && seen.stamp < back(0).stamp) return SightingFate::kRepeated;
  for (std::uint32_t i = 0; i < kept() && back(i).stamp == seen.stamp; ++i)
    if (back(i).id == seen.id) return SightingFate::kRepeated;
  recent[count % kSightingsKept] = {seen.stamp, seen.p_WT, seen.id};
  if (++count >= 1'000'000'000) count -= 999'999'936;  // the same places of the ring
  glimpsed_at = seen.stamp;
  // what one picture says of a number is not believed
  if (rules.n > 1 && !seen_before(seen, rules)) {
    if (!found) agreeing = 1;
    return SightingFate::kAlone;
  }
  if (!found) return look_for(seen, rules) ? SightingFate::kFound : SightingFate::kKept;
  if (follow(seen, rules)) {
    left_out = 0;
    return SightingFate::kCounted;
  }
  if (++left_out < rules.n) return SightingFate::kBeyondGate;
  // it is somewhere else, if anywhere
  found = false;
  agreeing = left_out = 0;
  (void)look_for(seen, rules);
  return SightingFate::kBeyondGate;
}

bool TargetTrack::forget(Time now, double memory_s) noexcept {
  const Time last = found ? seen_at : glimpsed_at;
  if (count == 0 || (now - last).seconds() <= memory_s) return false;
  const bool was = found;
  *this = {};
  return was;
}

Vec3 TargetTrack::position(Time now) const noexcept {
  return p_WT + std::clamp((now - seen_at).seconds(), 0.0, kCarriedOn_s) * velocity();
}

Vec3 TargetTrack::velocity() const noexcept {
  const double sigma2 = vv[0] + vv[1];
  const double level2 = v_WT.x * v_WT.x + v_WT.y * v_WT.y;
  return level2 > 9 * sigma2 ? Vec3{v_WT.x, v_WT.y, 0} : Vec3{};
}

double TargetTrack::sigma_m() const noexcept {
  return std::sqrt(std::max({pp[0], pp[1], pp[2], 0.0}));
}

}  // namespace pintle::mission
