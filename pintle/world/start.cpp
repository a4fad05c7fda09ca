#include "pintle/world/start.h"

#include <array>
#include <string_view>

#include "pintle/base/random.h"

namespace pintle::world {
namespace {

using Labels = std::array<std::string_view, 3>;
constexpr Labels kPosition{"start position x", "start position y", "start position z"};
constexpr Labels kAngles{"start roll", "start pitch", "start yaw"};
constexpr Labels kVelocity{"start velocity x", "start velocity y", "start velocity z"};

Vec3 spread(Vec3 about, Vec3 half_width, const Labels& labels, std::uint64_t seed) noexcept {
  for (std::size_t i = 0; i < 3; ++i)
    if (half_width[i] > 0)
      about[i] += RandomStream(seed, labels[i]).uniform(-half_width[i], half_width[i]);
  return about;
}

}  // namespace

BodyState start_of(const WorldParams& p, std::uint64_t seed) noexcept {
  const StartSpread s = p.start_spread.value_or(StartSpread{});
  const Vec3 a = spread(p.start_rpy_deg, s.rpy_deg, kAngles, seed);
  const Quat q_WB = from_rpy({radians(a.x), radians(a.y), radians(a.z)});
  const Vec3 v_W = spread(p.start_velocity_m_s, s.velocity_m_s, kVelocity, seed);
  const Vec3 w = p.start_rate_deg_s;
  return {{spread(p.start_position_m, s.position_m, kPosition, seed), q_WB},
          {v_W == Vec3{} ? Vec3{} : rotate(conjugate(q_WB), v_W),
           {radians(w.x), radians(w.y), radians(w.z)}}};
}

}  // namespace pintle::world
