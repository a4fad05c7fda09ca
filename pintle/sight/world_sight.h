/// The camera of a simulated world: pictures of it are drawn (world/renderer.h), searched
/// (vision/detector.h), and what is found becomes sightings.
///
///   truth -> scene, pose of the camera, motion while the shutter is open -> picture
///   picture, attitude with the odometry's noise -> markers, ring -> sightings, delay_s later
///
/// Painted is what the vehicle's camera looks for: its first marker on each target `marker`, ring
/// and markers of the pad on each target `pad`, and the bodies in their colours. Pictures are taken
/// while the craft is off the ground, at ticks, at most rate_Hz of them. Of `sightings` of the
/// world drop_out, false_alarms and delay_s hold, of device faults silent, hangs, slow and lies.
///
/// Not modelled: what the craft's own feet and payload hide, shadows of bodies.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>

#include "pintle/simulation/sight.h"
#include "pintle/world/renderer.h"

namespace pintle::sight {

/// What a test may change before a picture is drawn.
using Retouch = std::function<void(Time, world::Scene&, world::Exposure&)>;

/// The world as its camera may see it. Ground, then what lies on pads, then bodies from below.
[[nodiscard]] world::Scene scene_of(const world::WorldParams& params, const vehicle::Camera& camera,
                                    const world::Truth& truth, std::uint64_t seed);

/// Takes pictures of the world: the same truth and number give the same picture.
class WorldCamera {
 public:
  /// Keeps a reference to `params`.
  WorldCamera(const vehicle::Camera& camera, const world::WorldParams& params, std::uint64_t seed,
              Retouch retouch = {});

  /// `number`: which picture it is, for its grain. `out` becomes red, green, blue.
  void take(const world::Truth& truth, std::uint64_t number, Image& out);

 private:
  [[nodiscard]] world::Exposure exposure_of(const world::Truth& truth, const Pose& X_WC,
                                            std::uint64_t number) const;

  vehicle::Camera camera_;
  const world::WorldParams& params_;
  std::uint64_t seed_;
  Retouch retouch_;
  world::Renderer renderer_;
};

/// For simulation::SiteOptions. `real`: the camera as it is, where that is not what its file says.
[[nodiscard]] simulation::SightFactory sight_factory(Retouch retouch = {},
                                                     std::optional<CameraModel> real = {});

}  // namespace pintle::sight
