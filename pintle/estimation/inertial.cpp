#include "pintle/estimation/inertial.h"

#include <algorithm>
#include <cmath>

#include "pintle/base/rotation.h"

namespace pintle::estimation {
namespace {

constexpr double kFastest_rad_s = 100, kStrongest_m_s2 = 1000;
constexpr double kAhead_s = 0.005;
/// Odometry is older than the sensor by this at most, or not worth carrying on.
constexpr double kOldest_s = 0.5;
constexpr double kFarOff_m_s = 2, kFarOff_rad = 0.5;

Vec3 limited(Vec3 a, double most) noexcept {
  return {std::clamp(a.x, -most, most), std::clamp(a.y, -most, most), std::clamp(a.z, -most, most)};
}

/// Odometry carried on to the sensor's last sample.
Measurement at_sensor(const InertialState& s, const Measurement& m) noexcept {
  const double dt = std::clamp((s.last.stamp - m.stamp).seconds(), -kImuStale_s, kOldest_s);
  Measurement out = m;
  const Vec3 v_W = rotate(m.X_WB.q, m.V_WB_B.v);
  out.X_WB.p += dt * v_W + 0.5 * dt * dt * s.a_W;
  out.X_WB.q = normalized(m.X_WB.q * from_rotation_vector(dt * (s.last.w_B - s.rate_bias)));
  out.V_WB_B.v = v_W + dt * s.a_W;  // world
  return out;
}

}  // namespace

MeasurementVerdict feel(InertialState& s, const ImuSample& in, double gravity_m_s2,
                        Time now) noexcept {
  if (!(norm(in.w_B) <= kFastest_rad_s && norm(in.f_B) <= kStrongest_m_s2))
    return MeasurementVerdict::kNotFinite;
  if ((in.stamp - now).seconds() > kAhead_s) return MeasurementVerdict::kFromFuture;
  if (s.has_sample && in.stamp == s.last.stamp) return MeasurementVerdict::kNone;
  if (s.has_sample && in.stamp < s.last.stamp) return MeasurementVerdict::kTimeReversed;
  const double dt = s.has_sample ? (in.stamp - s.last.stamp).seconds() : 0;
  if (!(dt > 0 && dt <= kImuStale_s)) {
    s.begun = false;
    s.aided_s = 0;
  }
  s.last = in;
  s.step_s = dt;
  s.has_sample = true;
  if (!s.begun) return MeasurementVerdict::kAccepted;

  const Vec3 weight_W{0, 0, gravity_m_s2};
  const Vec3 turn = dt * (in.w_B - s.rate_bias);
  const Quat middle = s.X_WB.q * from_rotation_vector(0.5 * turn);
  s.a_W = rotate(middle, in.f_B - s.acceleration_bias) - weight_W;
  s.X_WB.p += dt * s.v_W + 0.5 * dt * dt * s.a_W;
  s.v_W += dt * s.a_W;
  s.X_WB.q = normalized(s.X_WB.q * from_rotation_vector(turn));
  s.gained_W += dt * (rotate(middle, in.f_B) - weight_W);
  s.turned += dt * in.w_B;
  s.span_s += dt;
  return MeasurementVerdict::kAccepted;
}

void aid(InertialState& s, const Measurement& m) noexcept {
  if (!s.has_sample) return;
  const Measurement at = at_sensor(s, m);
  const Vec3 v_W = at.V_WB_B.v;
  const double dt = s.begun ? (m.stamp - s.aid.stamp).seconds() : 0;
  const Vec3 off_v = v_W - s.v_W;
  const Vec3 off_q = to_rotation_vector(conjugate(s.X_WB.q) * at.X_WB.q);
  const bool far = !(norm(off_v) <= kFarOff_m_s && norm(off_q) <= kFarOff_rad);
  if (!(dt > 0 && dt <= kOldest_s) || far) {
    // begun anew from odometry alone; the constant errors stay what they were
    s.X_WB = at.X_WB;
    s.v_W = v_W;
    s.begun = true;
    if (far) s.aided_s = 0;
    s.off_m_s = s.off_rad = 0;
  } else {
    const double pull = 1 - std::exp(-dt / kPull_s);
    s.off_m_s += pull * (norm(off_v) - s.off_m_s);
    s.off_rad += pull * (norm(off_q) - s.off_rad);
    s.v_W += pull * off_v;
    s.X_WB.p += pull * (at.X_WB.p - s.X_WB.p);
    s.X_WB.q = normalized(s.X_WB.q * from_rotation_vector(pull * off_q));

    s.aided_s += dt;
    const double learn = dt / std::clamp(s.aided_s, 0.5, kLearn_s);
    if (s.span_s > 0) {
      const Vec3 gained = rotate(m.X_WB.q, m.V_WB_B.v) - rotate(s.aid.X_WB.q, s.aid.V_WB_B.v);
      // what odometry gained in its span against what the sensor gained in its own
      const Vec3 error_W = s.gained_W / s.span_s - gained / dt;
      const Vec3 mean_w = 0.5 * (m.V_WB_B.w + s.aid.V_WB_B.w);
      s.acceleration_bias =
          limited(s.acceleration_bias +
                      learn * (rotate(conjugate(s.X_WB.q), error_W) - s.acceleration_bias),
                  kMostAccelerationBias_m_s2);
      s.rate_bias = limited(s.rate_bias + learn * (s.turned / s.span_s - mean_w - s.rate_bias),
                            kMostRateBias_rad_s);
    }
  }
  s.aid = m;
  s.gained_W = s.turned = {};
  s.span_s = 0;
}

bool is_fit(const InertialState& s, Time now) noexcept {
  return s.begun && s.aided_s >= kLeast_s && (now - s.last.stamp).seconds() <= kImuStale_s &&
         s.off_m_s <= kMostOff_m_s && s.off_rad <= kMostOff_rad;
}

Twist twist_of(const InertialState& s) noexcept {
  return {rotate(conjugate(s.X_WB.q), s.v_W), s.last.w_B - s.rate_bias};
}

}  // namespace pintle::estimation
