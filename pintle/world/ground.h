/// Level ground and pads, and what they do to points that touch them.
///
/// Each point of a craft below the surface under it is pushed back by a spring and damper,
/// critically damped for its share m of the craft's mass:
///
///   N = max(0, m (w^2 depth - 2 w v_up)),  w = 70 1/s
///
/// Friction up to mu N is the plant's business: it knows what stops a point (rigid_plant.h).
/// A craft at rest sinks in by g / w^2 = 2 mm. Does not model: rolling resistance, bounce, slopes.
/// Ground effect of a rotor of radius R at height z over the ground, thrust over thrust far away at
/// the same power: 1 / (1 - (R / 4 z)^2), held below z = R / 2. Source: Cheeseman and Bennett, "The
/// effect of the ground on a helicopter rotor in forward flight", ARC R&M 3021, 1955.
#pragma once
#include <optional>
#include <vector>

#include "pintle/base/geometry.h"
#include "pintle/world_params/params.h"

namespace pintle::world {

class Ground {
 public:
  Ground() = default;  ///< None: nothing is ever touched.
  Ground(const std::optional<GroundParams>& ground, std::vector<PadSpec> pads)
      : ground_(ground), pads_(std::move(pads)) {}

  [[nodiscard]] bool exists() const noexcept { return ground_.has_value(); }
  /// Height of what a point at x, y would come to stand on; meaningless when there is none.
  [[nodiscard]] double height_m(double x, double y) const noexcept;
  /// Index of the pad under a point, -1 for none.
  [[nodiscard]] int pad_under(double x, double y) const noexcept;
  /// N of the equation, upwards, on a point at p_W that moves at v_W and carries `mass_kg`.
  [[nodiscard]] double push_N(Vec3 p_W, Vec3 v_W, double mass_kg) const noexcept;
  [[nodiscard]] const std::vector<PadSpec>& pads() const noexcept { return pads_; }
  [[nodiscard]] const std::optional<GroundParams>& params() const noexcept { return ground_; }

 private:
  std::optional<GroundParams> ground_;
  std::vector<PadSpec> pads_;
};

/// Thrust over thrust far from the ground; 1 for a radius that is not above 0.
[[nodiscard]] double ground_effect(double radius_m, double height_m) noexcept;

}  // namespace pintle::world
