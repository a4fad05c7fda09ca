#include "jet/edge.h"

#include <cmath>
#include <numbers>

namespace pintle::ros1 {
namespace {

constexpr Duration kVelocityWindow{100'000'000};
constexpr Duration kTiltFresh{200'000'000};

bool is_unit(const Quat& q) noexcept {
  const double n = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return std::abs(n - 1) < estimation::kQuaternionTolerance;
}

}  // namespace

Vec3 OdometryEdge::velocity(Time stamp, Vec3 p_W) noexcept {
  // time that went back, or a gap, begins anew
  if (!past_.empty()) {
    const Duration since = stamp - past_[past_.size() - 1].stamp;
    if (since.ns <= 0 || since > kTiltFresh) past_.clear();
  }
  if (past_.full()) {
    for (std::size_t i = 1; i < past_.size(); ++i) past_[i - 1] = past_[i];
    past_.resize(past_.size() - 1);
  }
  // the newest sample that is old enough; else the oldest there is
  Vec3 v{};
  for (std::size_t i = past_.size(); i-- > 0;) {
    const Duration age = stamp - past_[i].stamp;
    if (age < kVelocityWindow && i > 0) continue;
    v = (1 / age.seconds()) * (p_W - past_[i].p_W);
    break;
  }
  past_.push_back({stamp, p_W});
  return v;
}

estimation::Measurement OdometryEdge::take(Time stamp, const PlainPose& raw) noexcept {
  estimation::Measurement m;
  m.stamp = stamp;
  const Quat q{raw.orientation[0], raw.orientation[1], raw.orientation[2], raw.orientation[3]};
  m.X_WB.p =
      estimation::to_world(declared_, Vec3{raw.position[0], raw.position[1], raw.position[2]});
  // what is no number or no rotation goes on as it is: the stack refuses it and says so
  if (!is_finite(m.X_WB.p) || !is_unit(q)) {
    m.X_WB.q = q;
    return m;
  }
  const double yaw = estimation::yaw_to_world(declared_, yaw_of(q));
  const bool has_tilt = tilt_at_ && stamp - *tilt_at_ < kTiltFresh;
  m.X_WB.q = from_rpy({has_tilt ? roll_ : 0, has_tilt ? pitch_ : 0, yaw});
  m.V_WB_B.v = rotate(conjugate(m.X_WB.q), velocity(stamp, m.X_WB.p));
  return m;
}

void OdometryEdge::attitude(Time stamp, const Quat& q_WB) noexcept {
  if (!is_unit(q_WB)) return;
  const RollPitchYaw rpy = to_rpy(to_matrix(q_WB));
  roll_ = rpy.roll;
  pitch_ = rpy.pitch;
  tilt_at_ = stamp;
}

Vec3 from_forward_right_down(const Three& v) noexcept { return {v[0], -v[1], -v[2]}; }
Vec3 swap_north_east(Vec3 v) noexcept { return {v.y, v.x, v.z}; }
double swap_yaw(double yaw_rad) noexcept { return wrap_angle(std::numbers::pi / 2 - yaw_rad); }

}  // namespace pintle::ros1
