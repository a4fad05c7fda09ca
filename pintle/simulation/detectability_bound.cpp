#include "pintle/simulation/detectability_bound.h"

#include <algorithm>
#include <cmath>

#include "pintle/base/geometry.h"
#include "pintle/estimation/hypothesis.h"

namespace pintle::simulation {
namespace {

constexpr std::array kWindows_s{0.25, 0.5, 1.0};
constexpr double kKnown = 6.7, kNamed = 5.4;
// a world without noise and tolerance: nobody sees less than this
constexpr double kLeastAcceleration = 1e-4;

void add_square(estimation::Triangle& S, const Vec6& b, double weight) {
  for (std::size_t r = 0; r < 6; ++r)
    for (std::size_t c = 0; c <= r; ++c) S[r][c] += weight * b[r] * b[c];
}

}  // namespace

DetectabilityBound::DetectabilityBound(const MissionFile& mission, const Model& model,
                                       std::size_t propulsor, double at_s)
    : body_(model.body),
      position_m_(body_.n),
      truth_(mission.world.truth),
      propulsor_(propulsor),
      at_s_(at_s),
      period_s_(model.period.seconds()),
      newtons_(model.vehicle.unit.one_unit_N) {
  const auto& propulsors = model.vehicle.propulsors;
  for (std::size_t i = 0; i < std::min<std::size_t>(body_.n, propulsors.size()); ++i)
    position_m_[i] = propulsors[i].mount.position_m;
  now_.effort.assign(body_.n, 0.0);
  if (propulsor_ >= body_.n) return;
  least_effort_ = model.detector.least_effort * body_.largest[propulsor_];
  const world::OdometryParams& o = mission.world.odometry;
  for (const double window_s : kWindows_s) {
    Window w{static_cast<std::size_t>(std::max(1.0, std::round(window_s / period_s_))), {}, {}, {}};
    const double samples = std::max(2.0, window_s * o.rate_Hz);
    for (std::size_t k = 0; k < 6; ++k)
      w.slope_variance[k] = square(k < 3 ? o.velocity_noise_m_s : radians(o.rate_noise_deg_s)) *
                            12 / (square(window_s) * samples);
    w.mean.effort.assign(body_.n, 0.0);
    windows_.push_back(w);
  }
  ring_.assign(windows_.back().ticks, now_);
}

void DetectabilityBound::slide(Window& w, const Moment& now) const {
  const Moment& old = ring_[(next_ + ring_.size() - w.ticks) % ring_.size()];
  const double share = 1 / static_cast<double>(w.ticks);
  w.mean.missing += share * (now.missing - old.missing);
  w.mean.nu = w.mean.nu + share * (now.nu - old.nu);
  for (std::size_t i = 0; i < body_.n; ++i)
    w.mean.effort[i] += share * (now.effort[i] - old.effort[i]);
  w.rate = (share / period_s_) * (now.nu - old.nu);
}

void DetectabilityBound::take(const Outputs& out, const world::Truth& truth) {
  if (detectable_s_ >= 0 || propulsor_ >= body_.n) return;
  // truth is that of now, before what this tick sends
  const double t = out.now.seconds();
  const double given =
      propulsor_ < truth.thrust_N.size() ? truth.thrust_N[propulsor_] / newtons_ : 0;
  now_.missing = t >= at_s_ ? now_.effort[propulsor_] - given : 0;
  now_.nu = to_vec6(truth.V_WB_B);
  for (Window& w : windows_) slide(w, now_);
  ring_[next_] = now_;
  next_ = (next_ + 1) % ring_.size();
  for (std::size_t i = 0; i < body_.n; ++i) {
    const double asked = i < out.actuation.effort.size() ? out.actuation.effort[i] : 0;
    const double kept = body_.tau_s[i] > 0 ? std::exp(-period_s_ / body_.tau_s[i]) : 0;
    now_.effort[i] = asked + kept * (now_.effort[i] - asked);
  }
  if (!(t >= at_s_)) return;
  if (std::any_of(windows_.begin(), windows_.end(), [&](const Window& w) { return is_plain(w); }))
    detectable_s_ = t;
}

estimation::Triangle DetectabilityBound::covariance(const Window& w) const {
  estimation::Triangle S{};
  for (std::size_t k = 0; k < 6; ++k) {
    // noise of the twist, through the mass
    for (std::size_t j = 0; j < 6; ++j)
      S[k][k] += square(body_.mass[6 * k + j]) * w.slope_variance[j];
    const double added = body_.added_mass[k], own = body_.mass[7 * k] - added;
    const double mass =
        square((k < 3 ? truth_.mass : truth_.inertia) * own) + square(truth_.added_mass * added);
    const double speed = std::abs(w.mean.nu[k]);
    const double drag =
        (body_.linear_damping[k] + body_.quadratic_damping[k] * speed) * speed * truth_.drag;
    S[k][k] +=
        mass * square(w.rate[k]) + square(drag) + square(kLeastAcceleration * body_.mass[7 * k]);
  }
  const double turned = square(radians(truth_.mount_angle_deg));
  for (std::size_t j = 0; j < body_.n; ++j) {
    const double used = square(w.mean.effort[j]);
    add_square(S, body_.column_N[j], used * square(truth_.thrust));
    // force turned by a small angle about any axis, at a place that is off a little
    const Vec6& b = body_.column_N[j];
    const Vec3 force{b[0], b[1], b[2]}, at = position_m_[j];
    for (std::size_t a = 0; a < 3; ++a) {
      const Vec3 axis{a == 0 ? 1.0 : 0.0, a == 1 ? 1.0 : 0.0, a == 2 ? 1.0 : 0.0};
      const Vec3 aside = cross(axis, force);
      add_square(S, to_vec6(Wrench{aside, cross(at, aside)}), used * turned);
      add_square(S, to_vec6(Wrench{{}, aside}), used * square(truth_.mount_position_m));
    }
  }
  return S;
}

/// It can be told from a healthy one, and from every other propulsor.
bool DetectabilityBound::is_plain(const Window& w) const {
  const double m2 = square(w.mean.missing);
  if (!(m2 >= square(least_effort_))) return false;
  estimation::Triangle S = covariance(w);
  if (!estimation::factor(S)) return false;
  const Vec6 z = estimation::forward(S, body_.column_N[propulsor_]);
  const double whole = dot(z, z);
  if (!(m2 * whole >= square(kKnown))) return false;
  for (std::size_t j = 0; j < body_.n; ++j) {
    if (j == propulsor_) continue;
    const Vec6 other = estimation::forward(S, body_.column_N[j]);
    const double length = dot(other, other);
    const double shared = length > 0 ? square(dot(z, other)) / length : 0;
    if (!(m2 * (whole - shared) >= square(kNamed))) return false;
  }
  return true;
}

}  // namespace pintle::simulation
