#include "pintle/world/imu.h"

#include "pintle/base/rotation.h"
#include "pintle/world/perturb.h"

namespace pintle::world {
namespace {

Vec3 normals(RandomStream& stream, double sigma) noexcept {
  const double x = stream.normal(), y = stream.normal(), z = stream.normal();
  return {sigma * x, sigma * y, sigma * z};
}

Vec3 bias(std::uint64_t seed, double sigma, const char* x, const char* y, const char* z) noexcept {
  return {sigma * cut_normal(seed, x), sigma * cut_normal(seed, y), sigma * cut_normal(seed, z)};
}

Vec3 velocity_W(const BodyState& s) noexcept { return rotate(s.X_WB.q, s.V_WB_B.v); }

}  // namespace

ImuInWorld::ImuInWorld(const vehicle::Imu& imu, double gravity_m_s2, const BodyState& start,
                       std::uint64_t seed)
    : imu_(imu),
      gravity_m_s2_(gravity_m_s2),
      rate_(seed, "imu rate"),
      acceleration_(seed, "imu acceleration"),
      rate_bias_(bias(seed, radians(imu.rate_bias_deg_s), "imu rate bias x", "imu rate bias y",
                      "imu rate bias z")),
      acceleration_bias_(bias(seed, imu.acceleration_bias_m_s2, "imu acceleration bias x",
                              "imu acceleration bias y", "imu acceleration bias z")),
      last_(start),
      due_(Time::from_seconds(1 / imu.rate_Hz)) {}

void ImuInWorld::sample(Time now, const BodyState& state) noexcept {
  while (due_ <= now) due_ = Time::from_seconds(static_cast<double>(++count_) / imu_.rate_Hz);
  const double period_s = (now - last_at_).seconds();
  const Vec3 turn = to_rotation_vector(conjugate(last_.X_WB.q) * state.X_WB.q);
  const Quat middle = last_.X_WB.q * from_rotation_vector(0.5 * turn);
  const Vec3 force_W =
      (velocity_W(state) - velocity_W(last_)) / period_s + Vec3{0, 0, gravity_m_s2_};
  sum_.stamp = now;
  sum_.w_B += turn / period_s + rate_bias_ + normals(rate_, radians(imu_.rate_noise_deg_s));
  sum_.f_B += rotate(conjugate(middle), force_W) + acceleration_bias_ +
              normals(acceleration_, imu_.acceleration_noise_m_s2);
  ++samples_;
  last_ = state;
  last_at_ = now;
}

std::optional<ImuSample> ImuInWorld::take() noexcept {
  if (samples_ == 0) return std::nullopt;
  const ImuSample mean{sum_.stamp, sum_.w_B / samples_, sum_.f_B / samples_};
  sum_ = {};
  samples_ = 0;
  return mean;
}

}  // namespace pintle::world
