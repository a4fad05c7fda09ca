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
  if (found.kind == Detection::Kind::kMarker) {
    s.id = found.id;
    std::optional<Vec3> at = place_of(targets.pad, found.id);
    if (!at) {
      s.kind = TargetKind::kMarker;
      at = place_of(targets.car, found.id);
    }
    s.p_BT_B = s.p_BT_B - rotate(X_BC.q, rotate(found.X_CT.q, at.value_or(Vec3{})));
  }
  const Mat3& C = found.covariance_B;
  s.sigma_B_m = {std::sqrt(C(0, 0)), std::sqrt(C(1, 1)), std::sqrt(C(2, 2))};
  s.visible_share = found.visible_share;
  s.confidence = found.confidence;
  return s;
}

std::optional<std::size_t> surest(const Detections& found) {
  std::optional<std::size_t> best;
  const auto spread = [](const Detection& d) {
    return d.covariance_B(0, 0) + d.covariance_B(1, 1) + d.covariance_B(2, 2);
  };
  for (std::size_t i = 0; i < found.size(); ++i)
    if (!best || spread(found[i]) < spread(found[*best])) best = i;
  return best;
}

}  // namespace pintle::vision
