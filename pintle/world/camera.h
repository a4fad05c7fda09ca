/// Sightings of targets from the ground truth, as a camera with a detector behind it would give
/// them: what lies in its view and within its range, late, noisy, sometimes lost, sometimes false.
///
/// Of several targets in view the nearest is told. Noise is white, each axis: noise_m plus
/// noise_ratio times the distance. A false alarm lies anywhere in view. Every picture draws the
/// same random numbers whatever it shows. Does not model: occlusion, motion blur, light; targets
/// that are turned over are not seen.
#pragma once
#include <cstdint>
#include <vector>

#include "pintle/base/aircraft.h"
#include "pintle/base/random.h"
#include "pintle/vehicle/equipment.h"
#include "pintle/world/plant.h"
#include "pintle/world_params/device_faults.h"
#include "pintle/world_params/params.h"

namespace pintle::world {

class CameraInWorld {
 public:
  /// Keeps a reference to `params`.
  CameraInWorld(const vehicle::Camera& camera, const WorldParams& params, std::uint64_t seed);

  /// Takes a picture when one is due; called after every step.
  void update(const Plant& plant, Time now) noexcept {
    if (now >= due_) take_picture(plant, now);
  }
  /// The newest sighting that has arrived, once.
  [[nodiscard]] bool take(TargetSighting& sighting, Time now) noexcept;

  void break_it(const DeviceFault& fault);
  /// Where a target is now, the middle of its top face in the world.
  [[nodiscard]] Pose target(std::size_t i, const Plant& plant) const noexcept;

 private:
  struct Target {
    TargetSpec spec;
    int body;   ///< Or -1: it lies on a pad …
    Pose X_WT;  ///< … here.
    Vec3 top;   ///< Of a body: the middle of its top in its coordinates.
  };

  void take_picture(const Plant& plant, Time now) noexcept;
  [[nodiscard]] bool see(const Plant& plant, Time now, TargetSighting& sighting) noexcept;

  vehicle::Camera camera_;
  SightingParams params_;
  DeviceFaults faults_;
  double slowest_s_;
  std::vector<Target> targets_;
  RandomStream noise_, losses_, alarms_;
  std::int64_t count_ = 0;
  Time due_{};
  TargetSighting last_;  ///< Of a camera that hangs.
  bool has_last_ = false;

  void make_room();

  struct OnItsWay {
    TargetSighting sighting;
    Time arrives;
  };
  std::vector<OnItsWay> ring_;
  std::size_t first_ = 0, on_their_way_ = 0;
};

}  // namespace pintle::world
