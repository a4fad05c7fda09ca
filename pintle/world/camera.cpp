#include "pintle/world/camera.h"

#include <algorithm>
#include <cmath>

#include "pintle/base/rotation.h"

namespace pintle::world {

CameraInWorld::CameraInWorld(const vehicle::Camera& camera, const WorldParams& p,
                             std::uint64_t seed)
    : camera_(camera),
      params_(p.sightings),
      faults_(p.device_faults, Device::kCamera),
      slowest_s_(p.sightings.delay_s),
      noise_(seed, "camera noise"),
      losses_(seed, "camera losses"),
      alarms_(seed, "camera false alarms") {
  for (const DeviceFault& f : p.device_faults)
    if (f.device == Device::kCamera && f.kind == DeviceFaultKind::kSlow) slowest_s_ += f.value;
  make_room();
  for (const TargetSpec& t : p.targets) {
    const int body = index_of(p.bodies, t.on);
    Target target{t, body, {}, {}};
    if (body >= 0) target.top = {0, 0, 0.5 * p.bodies[static_cast<std::size_t>(body)].size_m.z};
    for (const PadSpec& pad : p.pads)
      if (body < 0 && pad.name == t.on) target.X_WT = {pad.position_m, {}};
    targets_.push_back(target);
  }
}

void CameraInWorld::make_room() {
  // what is on its way stays in its order
  std::rotate(ring_.begin(), ring_.begin() + static_cast<std::ptrdiff_t>(first_), ring_.end());
  first_ = 0;
  const auto pictures = static_cast<std::size_t>(slowest_s_ * camera_.rate_Hz) + 2;
  ring_.resize(std::max(ring_.size(), std::min<std::size_t>(pictures, 100000)));
}

void CameraInWorld::break_it(const DeviceFault& fault) {
  faults_.add(fault);
  if (fault.kind != DeviceFaultKind::kSlow) return;
  slowest_s_ += fault.value;
  make_room();
}

Pose CameraInWorld::target(std::size_t i, const Plant& plant) const noexcept {
  const Target& t = targets_[i];
  if (t.body < 0) return t.X_WT;
  return plant.body(static_cast<std::size_t>(t.body)).X_WL * Pose{t.top, {}};
}

bool CameraInWorld::see(const Plant& plant, Time now, TargetSighting& sighting) noexcept {
  const Pose X_BW = inverse(plant.link(0).X_WL);
  bool found = false;
  double nearest = camera_.max_range_m;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const Pose X_BT = X_BW * target(i, plant);
    const Vec3 up_B = rotate(X_BT.q, {0, 0, 1});
    const Vec3 from_camera = X_BT.p - camera_.calibration.X_BC.p;
    const double range = norm(from_camera);
    if (!(range >= camera_.min_range_m && range <= nearest) || !(dot(up_B, from_camera) < 0))
      continue;
    if (vehicle::visible_share(camera_, X_BT.p, up_B, targets_[i].spec.radius_m) <
        camera_.min_visible)
      continue;
    sighting = {now, targets_[i].spec.kind, X_BT.p};
    nearest = range;
    found = true;
  }
  return found;
}

void CameraInWorld::take_picture(const Plant& plant, Time now) noexcept {
  while (due_ <= now) due_ = Time::from_seconds(static_cast<double>(++count_) / camera_.rate_Hz);
  // the same draws whatever there is to see
  const double x = noise_.normal(), y = noise_.normal(), z = noise_.normal();
  const bool lost = losses_.uniform() < params_.drop_out;
  const double alarm = alarms_.uniform(), where_x = alarms_.uniform(-1, 1),
               where_y = alarms_.uniform(-1, 1), deep = alarms_.uniform();
  if (faults_.active(DeviceFaultKind::kSilent, now)) return;

  TargetSighting s;
  if (faults_.active(DeviceFaultKind::kHangs, now)) {
    if (!has_last_) return;
    s = last_;  // the same picture under a new stamp
    s.stamp = now;
  } else if (alarm < params_.false_alarms && !targets_.empty()) {
    const double far = camera_.min_range_m + deep * (camera_.max_range_m - camera_.min_range_m);
    const Pose& X_BC = camera_.calibration.X_BC;
    s = {now, targets_[0].spec.kind,
         X_BC.p + rotate(X_BC.q, far * Vec3{0.3 * where_x, 0.3 * where_y, 1})};
  } else {
    if (lost || !see(plant, now, s)) return;
    const double sigma =
        params_.noise_m + params_.noise_ratio * norm(s.p_BT_B - camera_.calibration.X_BC.p);
    s.p_BT_B += sigma * Vec3{x, y, z};
    s.p_BT_B.y += faults_.value(DeviceFaultKind::kLies, now);
  }
  last_ = s;
  has_last_ = true;
  if (on_their_way_ == ring_.size()) {
    first_ = (first_ + 1) % ring_.size();
    --on_their_way_;
  }
  const double delay = params_.delay_s + faults_.value(DeviceFaultKind::kSlow, now);
  ring_[(first_ + on_their_way_++) % ring_.size()] = {s, now + Duration::from_seconds(delay)};
}

bool CameraInWorld::take(TargetSighting& sighting, Time now) noexcept {
  bool found = false;
  while (on_their_way_ > 0 && ring_[first_].arrives <= now) {
    sighting = ring_[first_].sighting;
    found = true;
    first_ = (first_ + 1) % ring_.size();
    --on_their_way_;
  }
  return found;
}

}  // namespace pintle::world
