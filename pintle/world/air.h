/// Air over the ground: density by height, wind with shear, gusts along the wind.
///
///   v(t, z) = wind (max(z - ground, 0.1 m) / 10 m)^shear + gust(t)
///
/// wind is `wind_m_s` and what the seed draws up to `wind_up_to_m_s`. Gusts are turned into the direction of the level wind (east when there is none).
#pragma once
#include <cstdint>
#include <optional>

#include "pintle/world/atmosphere.h"
#include "pintle/world/gusts.h"

namespace pintle::world {

/// What surrounds a point.
struct Medium {
  Vec3 velocity_W{};         ///< Of the medium, m/s.
  double density_kg_m3 = 0;  ///< 0 is vacuum.
};

class Air {
 public:
  /// Without parameters: vacuum that does not move.
  Air(const std::optional<AirParams>& params, double ground_m, std::uint64_t seed) noexcept;

  [[nodiscard]] bool exists() const noexcept { return params_.has_value(); }
  /// Brings the gusts to an instant; never runs backwards.
  void update(Time t) noexcept;
  /// At a height in the world, with the gusts of the last update.
  [[nodiscard]] Medium at(double height_m) const noexcept;

 private:
  std::optional<AirParams> params_;
  double ground_m_;
  Gusts gusts_;
  Vec3 along_{1, 0, 0}, across_{0, 1, 0};
  Vec3 gust_W_{};
};

}  // namespace pintle::world
