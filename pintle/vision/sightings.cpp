#include "pintle/vision/sightings.h"

#include <algorithm>
#include <cmath>

#include "pintle/base/rotation.h"

namespace pintle::vision {
namespace {

/// Those of the pad after those of the car, each with its own size.
std::optional<MarkerTargets> together(const Targets& targets) {
  if (!targets.car) return targets.pad;
  MarkerTargets all = *targets.car;
  if (targets.pad) {
    const MarkerTargets& pad = *targets.pad;
    for (const std::uint32_t id : pad.ids) all.nested.push_back({id, pad.side_m, 0, 0});
    all.nested.insert(all.nested.end(), pad.nested.begin(), pad.nested.end());
  }
  return all;
}

/// Of p = t - l with an arm l that turns with the marker: dp = dt + l x omega.
Mat3 covariance_at_arm(const std::array<double, 36>& C, Vec3 arm) {
  const auto part = [&](std::size_t row, std::size_t column) {
    Mat3 m;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) m(i, j) = C[6 * (row + i) + column + j];
    return m;
  };
  const Mat3 by_turn = skew(arm), both = by_turn * part(3, 0),
             turned = by_turn * part(3, 3) * transpose(by_turn), place = part(0, 0);
  Mat3 out;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      out(i, j) = place(i, j) + both(i, j) + both(j, i) + turned(i, j);
  return out;
}

/// Where a number is on its target; none: it is not of these.
std::optional<Vec3> place_of(const std::optional<MarkerTargets>& markers, std::uint32_t id) {
  if (!markers) return std::nullopt;
  if (std::count(markers->ids.begin(), markers->ids.end(), id) > 0) return Vec3{};
  for (const MarkerSize& n : markers->nested)
    if (n.id == id) return Vec3{n.x_m, n.y_m, 0};
  return std::nullopt;
}

}  // namespace

Findings check(const Targets& targets) {
  if (targets.car && targets.pad && targets.car->family != targets.pad->family)
    return {{"pad_marker",
             "marker and pad_marker are of two dictionaries; one picture is searched for one",
             "print both from one dictionary", true}};
  const auto all = together(targets);
  Findings out = all ? check(*all) : Findings{};
  if (targets.ring)
    for (const Finding& f : check(*targets.ring)) out.push_back(f);
  return out;
}

DetectorSettings settings_of(const CameraModel& camera, const Targets& targets) {
  DetectorSettings s;
  s.camera = camera;
  s.markers = together(targets);
  s.ring = targets.ring;
  return s;
}

TargetSighting sighting_of(const Detection& found, const Targets& targets, const Pose& X_BC,
                           Time stamp) {
  TargetSighting s;
  s.stamp = stamp;
  s.p_BT_B = found.target_B;
  s.kind = TargetKind::kPad;
  Vec3 arm_C{};  // from the target's middle to the marker
  if (found.kind == Detection::Kind::kMarker) {
    s.id = found.id;
    std::optional<Vec3> at = place_of(targets.pad, found.id);
    if (!at) {
      s.kind = TargetKind::kMarker;
      at = place_of(targets.car, found.id);
    }
    arm_C = rotate(found.X_CT.q, at.value_or(Vec3{}));
    s.p_BT_B = s.p_BT_B - rotate(X_BC.q, arm_C);
  }
  const Mat3 R = to_matrix(X_BC.q),
             C = R * covariance_at_arm(found.covariance, arm_C) * transpose(R);
  s.sigma_B_m = {std::sqrt(C(0, 0)), std::sqrt(C(1, 1)), std::sqrt(C(2, 2))};
  s.visible_share = found.visible_share;
  s.confidence = found.confidence;
  return s;
}

std::optional<std::size_t> surest(const Detections& found, const Targets& targets,
                                  const Pose& X_BC) {
  std::optional<std::size_t> best;
  double least = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Vec3 sigma = sighting_of(found[i], targets, X_BC, {}).sigma_B_m;
    const double spread = dot(sigma, sigma);
    if (!best || spread < least) best = i, least = spread;
  }
  return best;
}

}  // namespace pintle::vision
