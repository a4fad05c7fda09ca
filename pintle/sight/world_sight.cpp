#include "pintle/sight/world_sight.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <deque>
#include <stdexcept>

#include "pintle/base/random.h"
#include "pintle/base/rotation.h"
#include "pintle/sight/picture_log.h"
#include "pintle/vision/dictionary.h"
#include "pintle/vision/sightings.h"
#include "pintle/world_params/device_faults.h"

namespace pintle::sight {
namespace {

using world::Color;
using world::DeviceFaultKind;

constexpr Color kBlue{20, 60, 190}, kRed{200, 35, 30}, kPlain{140, 140, 135};
/// Off the ground by this much there is something to look at.
constexpr double kLeastHeight_m = 0.05;

Color color_of(const std::string& name) {
  unsigned rgb = 0;
  if (name.size() == 7 && name[0] == '#' &&
      std::from_chars(name.data() + 1, name.data() + 7, rgb, 16).ptr == name.data() + 7)
    return {float(rgb >> 16), float(rgb >> 8 & 255), float(rgb & 255)};
  return kPlain;
}

world::Face marker(const Pose& X_WF, MarkerFamily family, std::uint32_t id, double side_m) {
  return world::marker_face(X_WF, side_m, vision::cells_along(family),
                            vision::marker_cells(family, id));
}

Pose beside(const Pose& X_WT, double x, double y) { return X_WT * Pose{{x, y, 0}, {}}; }

void paint_pad(const vehicle::Camera& camera, const Pose& X_WT, world::Scene& scene) {
  if (camera.ring)
    scene.faces.push_back(world::ring_face(X_WT, camera.ring->inner_m, camera.ring->outer_m,
                                           camera.ring->color == RingColor::kRed ? kRed : kBlue));
  if (!camera.pad_markers) return;
  const MarkerTargets& m = *camera.pad_markers;
  if (!m.ids.empty()) scene.faces.push_back(marker(X_WT, m.family, m.ids[0], m.side_m));
  for (const MarkerSize& n : m.nested)
    scene.faces.push_back(marker(beside(X_WT, n.x_m, n.y_m), m.family, n.id, n.side_m));
}

/// @throws std::invalid_argument for what cannot be searched for together.
vision::Targets targets_of(const vehicle::Camera& camera) {
  vision::Targets out{camera.car_markers, camera.pad_markers, camera.ring};
  for (const Finding& f : check(out))
    if (f.is_error) throw std::invalid_argument("camera: marker and pad_marker: " + f.message);
  return out;
}

vehicle::Camera as_it_is(vehicle::Camera camera, const std::optional<CameraModel>& real) {
  if (real) camera.calibration = *real;
  return camera;
}

class WorldSight final : public simulation::Sight {
 public:
  WorldSight(const vehicle::Camera& camera, const world::WorldParams& params, std::uint64_t seed,
             Retouch retouch, const std::optional<CameraModel>& real)
      : camera_(camera),
        params_(params),
        targets_(targets_of(camera)),
        eye_(as_it_is(camera, real), params, seed, std::move(retouch)),
        faults_(params.device_faults, world::Device::kCamera),
        detector_(vision::settings_of(camera.calibration, targets_)),
        attitude_(seed, "attitude of pictures"),
        losses_(seed, "camera losses"),
        alarms_(seed, "camera false alarms") {
    if (params.sightings.log_Hz > 0) log_ = std::make_unique<PictureLog>();
  }

  void look(const world::Truth& truth, Sightings& out) override {
    const Time now = truth.time;
    if (now >= due_) picture(truth, now);
    while (!under_way_.empty() && under_way_.front().arrives <= now) {
      for (const TargetSighting& s : under_way_.front().seen) out.push_back(s);
      under_way_.pop_front();
    }
  }

  bool take_encoded(simulation::EncodedPicture& out, bool all) override {
    return log_ && log_->take(out, all);
  }

 private:
  void picture(const world::Truth& truth, Time now) {
    while (due_ <= now) due_ = Time::from_seconds(double(++count_) / camera_.rate_Hz);
    // the same draws whatever there is to see
    const double roll = attitude_.normal(), pitch = attitude_.normal();
    const bool lost = losses_.uniform() < params_.sightings.drop_out;
    const bool alarm = alarms_.uniform() < params_.sightings.false_alarms;
    const double x = alarms_.uniform(-1, 1), y = alarms_.uniform(-1, 1), deep = alarms_.uniform();
    if (!from_m_) from_m_ = truth.X_WB.p.z;
    if (truth.X_WB.p.z < *from_m_ + kLeastHeight_m) return;
    if (faults_.active(DeviceFaultKind::kSilent, now)) return;

    Shown shown;
    if (faults_.active(DeviceFaultKind::kHangs, now)) {
      shown.seen = last_;
      for (TargetSighting& s : shown.seen) s.stamp = now;
    } else if (!lost) {
      eye_.take(truth, static_cast<std::uint64_t>(count_), image_);
      if (log_ && now >= log_due_) {
        log_->put(image_, now);
        log_due_ = now + Duration::from_seconds(1 / params_.sightings.log_Hz);
      }
      const double s = radians(params_.odometry.attitude_noise_deg);
      const Quat told = normalized(truth.X_WB.q * from_rotation_vector({s * roll, s * pitch, 0}));
      search(rotate(conjugate(told), {0, 0, 1}), now, shown.seen);
      if (alarm) {
        const double far = camera_.min_range_m + deep * (camera_.max_range_m - camera_.min_range_m);
        const Pose& X_BC = camera_.calibration.X_BC;
        TargetSighting f;
        f.stamp = now;
        f.kind = count_ % 2 == 0 ? TargetKind::kMarker : TargetKind::kPad;
        f.p_BT_B = X_BC.p + rotate(X_BC.q, far * Vec3{0.5 * x, 0.4 * y, 1});
        shown.seen.push_back(f);
      }
      for (TargetSighting& f : shown.seen) f.p_BT_B.y += faults_.value(DeviceFaultKind::kLies, now);
    }
    last_ = shown.seen;
    const double delay = params_.sightings.delay_s + faults_.value(DeviceFaultKind::kSlow, now);
    shown.arrives = now + Duration::from_seconds(delay);
    if (!shown.seen.empty()) under_way_.push_back(std::move(shown));
  }

  void search(Vec3 up_B, Time now, std::vector<TargetSighting>& out) {
    std::string why;
    // a picture that could not be searched shows nothing
    if (!detector_.follow(image_.view(), up_B, found_, why)) return;
    for (const vision::Detection& d : found_)
      out.push_back(vision::sighting_of(d, targets_, camera_.calibration.X_BC, now));
  }

  struct Shown {
    std::vector<TargetSighting> seen;
    Time arrives;
  };

  vehicle::Camera camera_;
  const world::WorldParams& params_;
  vision::Targets targets_;
  WorldCamera eye_;
  world::DeviceFaults faults_;
  vision::Detector detector_;
  RandomStream attitude_, losses_, alarms_;
  vision::Detections found_;
  Image image_;
  std::deque<Shown> under_way_;
  std::vector<TargetSighting> last_;
  std::optional<double> from_m_;
  std::unique_ptr<PictureLog> log_;
  Time log_due_{};
  std::int64_t count_ = 0;
  Time due_{};
};

}  // namespace

WorldCamera::WorldCamera(const vehicle::Camera& camera, const world::WorldParams& params,
                         std::uint64_t seed, Retouch retouch)
    : camera_(camera),
      params_(params),
      seed_(seed),
      retouch_(std::move(retouch)),
      renderer_(camera.calibration) {}

void WorldCamera::take(const world::Truth& truth, std::uint64_t number, Image& out) {
  const Pose X_WC = truth.X_WB * camera_.calibration.X_BC;
  world::Scene scene = scene_of(params_, camera_, truth, seed_);
  world::Exposure exposure = exposure_of(truth, X_WC, number);
  if (retouch_) retouch_(truth.time, scene, exposure);
  renderer_.render(scene, X_WC, exposure, out);
}

world::Exposure WorldCamera::exposure_of(const world::Truth& truth, const Pose& X_WC,
                                         std::uint64_t number) const {
  const CameraModel& c = camera_.calibration;
  world::Exposure e;
  e.blur_px = params_.sightings.blur_px;
  e.noise = params_.sightings.grain;
  e.seed = seed_ * 1'000'003 + number;
  // how the ground under the optical axis moves through the picture
  const Quat q_CB = conjugate(c.X_BC.q);
  const Vec3 w = rotate(q_CB, truth.V_WB_B.w),
             v = rotate(q_CB, truth.V_WB_B.v + cross(truth.V_WB_B.w, c.X_BC.p));
  const double down = -rotate(X_WC.q, {0, 0, 1}).z;
  const double range = down > 0.1 ? std::max(0.1, X_WC.p.z / down) : 100;
  const double t = params_.sightings.shutter_s;
  e.motion = {-t * c.fx * (v.x / range + w.y), -t * c.fy * (v.y / range - w.x)};
  return e;
}

world::Scene scene_of(const world::WorldParams& params, const vehicle::Camera& camera,
                      const world::Truth& truth, std::uint64_t seed) {
  world::Scene scene;
  scene.ground.seed = seed;
  for (const world::TargetSpec& t : params.targets)
    for (const world::PadSpec& pad : params.pads)
      if (t.kind == TargetKind::kPad && pad.name == t.on)
        paint_pad(camera, {pad.position_m, {}}, scene);

  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < truth.bodies.size() && i < params.bodies.size(); ++i)
    order.push_back(i);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return truth.bodies[a].p.z < truth.bodies[b].p.z;
  });
  for (const std::size_t i : order) {
    // what hangs at the craft is not in the way of its camera
    if (static_cast<std::int32_t>(i) == truth.held) continue;
    const world::BodySpec& body = params.bodies[i];
    world::add_box(scene.faces, truth.bodies[i], body.size_m, color_of(body.colour));
    for (const world::TargetSpec& t : params.targets)
      if (t.on == body.name && t.kind == TargetKind::kMarker && camera.car_markers &&
          !camera.car_markers->ids.empty())
        scene.faces.push_back(marker(truth.bodies[i] * Pose{{0, 0, 0.5 * body.size_m.z}, {}},
                                     camera.car_markers->family, camera.car_markers->ids[0],
                                     camera.car_markers->side_m));
  }
  return scene;
}

simulation::SightFactory sight_factory(Retouch retouch, std::optional<CameraModel> real) {
  return [retouch, real](const craft::MissionFile& mission,
                         std::uint64_t seed) -> std::unique_ptr<simulation::Sight> {
    const auto& camera = mission.vehicle.vehicle.camera;
    if (!camera || (!camera->car_markers && !camera->pad_markers && !camera->ring))
      throw std::invalid_argument(
          "world.sightings.from: images: the vehicle's camera looks for nothing: write  marker,  "
          "circle  or  pad_marker  under its  camera");
    return std::make_unique<WorldSight>(*camera, mission.world, seed, retouch, real);
  };
}

}  // namespace pintle::sight
