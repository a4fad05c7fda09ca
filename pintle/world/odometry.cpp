#include "pintle/world/odometry.h"

#include <algorithm>
#include <cmath>

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

Quat turned(Quat q, Vec3 by) noexcept {
  return by == Vec3{} ? q : normalized(q * from_rotation_vector(by));
}

}  // namespace

OdometrySource::OdometrySource(const OdometryParams& params, std::uint64_t seed)
    : params_(params),
      attitude_noise_(radians(params.attitude_noise_deg)),
      rate_noise_(radians(params.rate_noise_deg_s)),
      to_loss_(params.drop_out),
      to_sound_(1 - params.drop_out),
      delay_(Duration::from_seconds(params.delay_s)),
      position_(seed, "odometry position"),
      attitude_(seed, "odometry attitude"),
      velocity_(seed, "odometry velocity"),
      rate_(seed, "odometry rate"),
      losses_(seed, "odometry losses"),
      position_bias_(bias(seed, params.position_bias_m, "odometry bias x", "odometry bias y",
                          "odometry bias z")),
      attitude_bias_(turned({}, bias(seed, radians(params.attitude_bias_deg), "odometry bias roll",
                                     "odometry bias pitch", "odometry bias yaw"))),
      ring_(static_cast<std::size_t>(params.delay_s * params.rate_Hz) + 2) {
  if (params.drop_out_mean_s > 0 && params.drop_out > 0 && params.drop_out < 1) {
    // mean length of a gap 1 / to_sound, share lost to_loss / (to_loss + to_sound)
    const double odds = params.drop_out / (1 - params.drop_out);
    to_sound_ = 1 / std::max({1.0, odds, params.drop_out_mean_s * params.rate_Hz});
    to_loss_ = std::min(1.0, to_sound_ * odds);
  }
  losing_ = losses_.uniform() < params.drop_out;
}

bool OdometrySource::lost() noexcept {
  const double u = losses_.uniform();
  losing_ = losing_ ? !(u < to_sound_) : u < to_loss_;
  return losing_;
}

void OdometrySource::sample(Time now, const BodyState& state) noexcept {
  // the next one: from its number, so that periods that are no whole nanoseconds do not drift
  while (due_ <= now) due_ = Time::from_seconds(static_cast<double>(++count_) / params_.rate_Hz);

  OdometrySample s{now, state.X_WB, state.V_WB_B,
                   std::hypot(params_.position_noise_m, params_.position_bias_m)};
  s.X_WB.p += normals(position_, params_.position_noise_m) + position_bias_;
  s.X_WB.q = turned(s.X_WB.q, normals(attitude_, attitude_noise_));
  if (!(attitude_bias_ == Quat{})) s.X_WB.q = s.X_WB.q * attitude_bias_;
  s.V_WB_B.v += normals(velocity_, params_.velocity_noise_m_s);
  s.V_WB_B.w += normals(rate_, rate_noise_);
  if (lost()) return;

  // a full ring means that nobody takes: the oldest has arrived and been overtaken long ago
  if (on_their_way_ == ring_.size()) {
    first_ = (first_ + 1) % ring_.size();
    --on_their_way_;
  }
  ring_[(first_ + on_their_way_++) % ring_.size()] = s;
}

std::optional<OdometrySample> OdometrySource::take(Time now) noexcept {
  std::optional<OdometrySample> newest;
  while (on_their_way_ > 0 && ring_[first_].stamp + delay_ <= now) {
    newest = ring_[first_];
    first_ = (first_ + 1) % ring_.size();
    --on_their_way_;
  }
  return newest;
}

}  // namespace pintle::world
