#include "pintle/world/current.h"

#include <cmath>

namespace pintle::world {
namespace {
constexpr double kKnotsPerCorrelationTime = 20;
}

Current::Current(const CurrentParams& params, std::uint64_t seed) noexcept
    : params_(params),
      wave_rate_(2 * kPi / params.wave_period_s),
      knot_s_(params.wander_time_s / kKnotsPerCorrelationTime),
      memory_(std::exp(-1 / kKnotsPerCorrelationTime)),
      kick_(params.wander_m_s * std::sqrt(1 - memory_ * memory_)),
      waves_(!(params.wave_m_s == Vec3{})),
      wanders_(params.wander_m_s > 0),
      axes_{Axis{RandomStream(seed, "current x")}, Axis{RandomStream(seed, "current y")}} {
  // the first value already has the spread of all later ones
  for (Axis& a : axes_) {
    a.before = params.wander_m_s * a.noise.normal();
    a.after = memory_ * a.before + kick_ * a.noise.normal();
  }
}

Vec3 Current::at(Time t) noexcept {
  Vec3 v = params_.steady_m_s;
  const double seconds = t.seconds();
  if (waves_) v += std::sin(wave_rate_ * seconds) * params_.wave_m_s;
  if (wanders_) {
    const double knots = seconds / knot_s_;
    for (; static_cast<double>(knot_ + 1) <= knots; ++knot_) {
      for (Axis& a : axes_) {
        a.before = a.after;
        a.after = memory_ * a.before + kick_ * a.noise.normal();
      }
    }
    const double part = knots - static_cast<double>(knot_);
    v.x += axes_[0].before + part * (axes_[0].after - axes_[0].before);
    v.y += axes_[1].before + part * (axes_[1].after - axes_[1].before);
  }
  return v;
}

}  // namespace pintle::world
