/// The delivery without physics (delivery_rig.h), whose targets are found in pictures: what the
/// camera sees from where the craft is gets drawn, searched, and told to the tick.
#pragma once
#include <memory>
#include <optional>
#include <utility>

#include "pintle/sight/world_sight.h"
#include "pintle/testing/delivery_rig.h"
#include "pintle/testing/thorough.h"

namespace pintle::testing {

struct PicturedRig {
  /// `spoil`: makes the camera as it is of what the vehicle's file says. `share`: of the size of its
  /// pictures; half of it costs a quarter.
  explicit PicturedRig(std::uint64_t seed, sight::Retouch retouch = {},
                       const std::function<void(CameraModel&)>& spoil = {},
                       double rate_Hz = kThorough ? 8 : 4, double share = 0.5)
      : mission(craft::load_mission(std::string(PINTLE_SOURCE_DIR) + "/missions/delivery.yaml")),
        rig(craft::build_model(mission.vehicle, &mission.mission)) {
    mission.world.sightings.from = world::SightingSource::kImages;
    vehicle::Camera& camera = *mission.vehicle.vehicle.camera;
    camera.rate_Hz = rate_Hz;
    CameraModel& c = camera.calibration;
    c.width = static_cast<int>(std::lround(share * c.width));
    c.height = static_cast<int>(std::lround(share * c.height));
    c.fx *= share, c.fy *= share;
    c.cx = share * (c.cx + 0.5) - 0.5;
    c.cy = share * (c.cy + 0.5) - 0.5;
    if (spoil) spoil(real_.emplace(c));
    RandomStream random(seed, "pictured rig");
    rig.car = rig.car + Vec3{random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2), 0};
    rig.look = [this](Sightings& out) { look(out); };
    retouch_ = std::move(retouch);
    seed_ = seed;
  }
  PicturedRig(const PicturedRig&) = delete;
  PicturedRig& operator=(const PicturedRig&) = delete;

  craft::MissionFile mission;
  DeliveryRig rig;
  double lowest_m = 100, farthest_m = 0;  ///< While it looked for the car, and from home.

  /// Flown to its end, or for ten minutes.
  void fly(const std::function<void()>& each_tick = {}) {
    rig.start();
    const Vec3 home = rig.p;
    for (int k = 0; k < 50 * 600 && !rig.ended(); ++k) {
      if (each_tick) each_tick();
      rig.tick();
      farthest_m = std::max(farthest_m, std::hypot(rig.p.x - home.x, rig.p.y - home.y));
      if (rig.out->mission.state == 6 || rig.out->mission.state == 7)
        lowest_m = std::min(lowest_m, rig.p.z);
    }
  }
  [[nodiscard]] static double level(Vec3 a, Vec3 b) { return std::hypot(a.x - b.x, a.y - b.y); }

 private:
  void look(Sightings& out) {
    const double half_m = 0.5 * rig.car.z;
    if (!sight_) {
      mission.world.pads[0].position_m = rig.pad;
      mission.world.bodies[0].size_m.z = rig.car.z;
      sight_ = sight::sight_factory(retouch_, real_)(mission, seed_);
    }
    world::Truth truth;
    truth.time = rig.now;
    truth.X_WB = {rig.p, from_rpy({0, 0, rig.yaw})};
    truth.V_WB_B.v = rotate(conjugate(truth.X_WB.q), rig.v);
    truth.bodies.push_back({{rig.car.x, rig.car.y, half_m}, {}});
    truth.bodies.push_back({});
    truth.held = 1;
    sight_->look(truth, out);
  }

  sight::Retouch retouch_;
  std::optional<CameraModel> real_;
  std::uint64_t seed_ = 1;
  std::unique_ptr<simulation::Sight> sight_;
};

}  // namespace pintle::testing
