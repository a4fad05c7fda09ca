#include "pintle/world/ground.h"

#include <algorithm>
#include <cmath>

namespace pintle::world {
namespace {
constexpr double kContactRate = 70;  // 1/s
}  // namespace

int Ground::pad_under(double x, double y) const noexcept {
  int best = -1;
  for (std::size_t i = 0; i < pads_.size(); ++i) {
    const double dx = x - pads_[i].position_m.x, dy = y - pads_[i].position_m.y;
    if (!(dx * dx + dy * dy <= pads_[i].radius_m * pads_[i].radius_m)) continue;
    // of two that overlap the higher one carries
    if (best < 0 || pads_[i].position_m.z > pads_[static_cast<std::size_t>(best)].position_m.z)
      best = static_cast<int>(i);
  }
  return best;
}

double Ground::height_m(double x, double y) const noexcept {
  const double level = ground_ ? ground_->height_m : 0;
  const int pad = pad_under(x, y);
  return pad < 0 ? level : std::max(level, pads_[static_cast<std::size_t>(pad)].position_m.z);
}

double Ground::push_N(Vec3 p_W, Vec3 v_W, double mass_kg) const noexcept {
  if (!ground_) return 0;
  const double depth = height_m(p_W.x, p_W.y) - p_W.z;
  if (!(depth > 0)) return 0;
  const double push = mass_kg * (kContactRate * kContactRate * depth - 2 * kContactRate * v_W.z);
  return push > 0 ? push : 0;
}

double ground_effect(double radius_m, double height_m) noexcept {
  if (!(radius_m > 0)) return 1;
  const double z = std::max(height_m, 0.5 * radius_m);
  const double ratio = radius_m / (4 * z);
  return 1 / (1 - ratio * ratio);
}

}  // namespace pintle::world
