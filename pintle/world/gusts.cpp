#include "pintle/world/gusts.h"

#include <algorithm>
#include <cmath>

namespace pintle::world {
namespace {
constexpr double kFoot_m = 0.3048;
constexpr double kKnotsPerTime = 20;
}  // namespace

Gusts::Gusts(const GustParams& p, std::uint64_t seed) noexcept
    : blows_(p.wind_at_6m_m_s > 0),
      axes_{Axis{RandomStream(seed, "gust along")}, Axis{RandomStream(seed, "gust across")},
            Axis{RandomStream(seed, "gust up")}} {
  const double h_ft = p.height_m / kFoot_m;
  const double shape = 0.177 + 0.000823 * h_ft;
  const double up = 0.1 * p.wind_at_6m_m_s;
  const double level = up / std::pow(shape, 0.4);
  const double level_m = p.height_m / std::pow(shape, 1.2);
  sigma_ = {level, level, up};
  time_ = {level_m / p.airspeed_m_s, level_m / p.airspeed_m_s, p.height_m / p.airspeed_m_s};
  knot_s_ = std::min(time_.x, time_.z) / kKnotsPerTime;
  for (std::size_t i = 0; i < 3; ++i) axes_[i].start(sigma_[i], time_[i], knot_s_, i > 0);
}

// a' = -a/T + sqrt(2/T) n,  b' = (a - b)/T: stationary with E a^2 = 1, E ab = E b^2 = 1/2
void Gusts::Axis::start(double sigma, double time_s, double knot_s, bool filtered) noexcept {
  const double root3 = std::sqrt(3.0);
  const double gain = sigma / std::sqrt(2.0);
  from_a = filtered ? gain * root3 : sigma;
  from_b = filtered ? gain * (1 - root3) : 0;

  // what the noise between two knots adds: Q = P - A P A^T, as a product L L^T
  ratio = knot_s / time_s;
  memory = std::exp(-ratio);
  const double e2 = memory * memory;
  const double q_aa = 1 - e2, q_ab = 0.5 - e2 * (0.5 + ratio);
  const double q_bb = 0.5 - e2 * (0.5 + ratio + ratio * ratio);
  kick_a = std::sqrt(q_aa);
  kick_ba = q_ab / kick_a;
  kick_b = std::sqrt(std::max(q_bb - kick_ba * kick_ba, 0.0));

  a = noise.normal();
  b = 0.5 * a + 0.5 * noise.normal();
  after = from_a * a + from_b * b;
  next();
}

void Gusts::Axis::next() noexcept {
  const double n1 = noise.normal(), n2 = noise.normal();
  before = after;
  b = memory * (b + ratio * a) + kick_ba * n1 + kick_b * n2;
  a = memory * a + kick_a * n1;
  after = from_a * a + from_b * b;
}

Vec3 Gusts::at(Time t) noexcept {
  if (!blows_) return {};
  const double knots = t.seconds() / knot_s_;
  for (; static_cast<double>(knot_ + 1) <= knots; ++knot_)
    for (Axis& axis : axes_) axis.next();
  const double part = knots - static_cast<double>(knot_);
  const auto value = [part](const Axis& x) { return x.before + part * (x.after - x.before); };
  return {value(axes_[0]), value(axes_[1]), value(axes_[2])};
}

}  // namespace pintle::world
