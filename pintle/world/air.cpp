#include "pintle/world/air.h"

#include <algorithm>
#include <cmath>

#include "pintle/base/random.h"
#include "pintle/base/rotation.h"

namespace pintle::world {

Air::Air(const std::optional<AirParams>& params, double ground_m, std::uint64_t seed) noexcept
    : params_(params), ground_m_(ground_m), gusts_(params ? params->gusts : GustParams{}, seed) {
  if (!params_) return;
  if (params_->wind_up_to_m_s > 0) {
    const double drawn = RandomStream(seed, "wind speed").uniform(0, params_->wind_up_to_m_s);
    const double towards = RandomStream(seed, "wind direction").uniform(0, 2 * kPi);
    params_->wind_m_s += drawn * Vec3{std::cos(towards), std::sin(towards), 0};
  }
  const Vec3 wind{params_->wind_m_s.x, params_->wind_m_s.y, 0};
  const double speed = norm(wind);
  if (speed > 0) along_ = wind / speed;
  across_ = cross({0, 0, 1}, along_);
  update({});
}

void Air::update(Time t) noexcept {
  if (!params_) return;
  const Vec3 g = gusts_.at(t);
  gust_W_ = g.x * along_ + g.y * across_ + Vec3{0, 0, g.z};
}

Medium Air::at(double height_m) const noexcept {
  if (!params_) return {};
  const double over = std::max(height_m - ground_m_, 0.1);
  const double shear = params_->shear > 0 ? std::pow(0.1 * over, params_->shear) : 1;
  return {shear * params_->wind_m_s + gust_W_,
          standard_atmosphere(params_->altitude_m + height_m, params_->temperature_offset_K)
              .density_kg_m3};
}

}  // namespace pintle::world
