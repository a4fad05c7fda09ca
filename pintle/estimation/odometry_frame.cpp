#include "pintle/estimation/odometry_frame.h"

#include <array>
#include <cmath>
#include <numbers>

namespace pintle::estimation {
namespace {

void decide(FrameVerdict& verdict, bool agrees) noexcept {
  // a disagreement is never talked away
  if (verdict == FrameVerdict::kDisagrees) return;
  verdict = agrees ? FrameVerdict::kAgrees : FrameVerdict::kDisagrees;
}

}  // namespace

Vec3 to_world(OdometryFrame declared, Vec3 v) noexcept {
  switch (declared) {
    case OdometryFrame::kNeu: return {v.y, v.x, v.z};
    case OdometryFrame::kNed: return {v.y, v.x, -v.z};
    case OdometryFrame::kEnu: break;
  }
  return v;
}

double yaw_to_world(OdometryFrame declared, double yaw_rad) noexcept {
  return wrap_angle(declared == OdometryFrame::kEnu ? yaw_rad : kPi / 2 - yaw_rad);
}

WorldOdometry to_world(OdometryFrame declared, const RawOdometry& raw) noexcept {
  return {to_world(declared, raw.position_m), to_world(declared, raw.velocity_m_s),
          yaw_to_world(declared, raw.yaw_rad)};
}

void FrameCheck::observe(const RawOdometry& raw, const std::optional<double>& witness_yaw_rad,
                         Time now) noexcept {
  if (!is_finite(raw.position_m) || !std::isfinite(raw.yaw_rad)) return;
  if (last_ && now <= *last_) return;
  const bool gap = last_ && now - *last_ > Duration::from_seconds(params_.odometry_gap_s);
  last_ = now;
  if (gap || lap_ != path_.lap()) windows_ = {};
  lap_ = path_.lap();
  if (const std::optional<Vec3> way = path_.way(now)) {
    const Vec3 position = to_world(declared_, raw.position_m);
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      std::optional<Window>& w = windows_[i];
      if (w) judge_moves(position - w->position, *way - w->way);
      // the second one is begun in the middle of the first
      const std::optional<Window>& other = windows_[1 - i];
      const double half_s = 0.5 * params_.window_s;
      const bool due = w ? (now - w->begun).seconds() > params_.window_s
                         : i == 0 || (other && (now - other->begun).seconds() > half_s);
      if (due) w = Window{now, position, *way};
    }
  }
  if (witness_yaw_rad && std::isfinite(*witness_yaw_rad)) judge_yaw(raw.yaw_rad, *witness_yaw_rad);
}

void FrameCheck::judge_moves(Vec3 moved, Vec3 witnessed) noexcept {
  // up: the same way, and by a similar amount
  if (std::abs(witnessed.z) >= params_.min_move_m)
    decide(up_, std::abs(moved.z - witnessed.z) < 0.5 * std::abs(witnessed.z));

  // across: nearer to what was witnessed than to the same with east and north exchanged
  const double apart = std::numbers::sqrt2 * std::abs(witnessed.x - witnessed.y);
  if (apart >= params_.min_move_m) {
    const double off = std::hypot(moved.x - witnessed.x, moved.y - witnessed.y);
    decide(horizontal_, off < 0.5 * apart);
  }
}

void FrameCheck::judge_yaw(double yaw_raw, double yaw_witness) noexcept {
  const double yaw = yaw_to_world(declared_, yaw_raw);
  // from the east or from the north: the other reading of the same number
  const double other = wrap_angle(kPi / 2 - yaw);
  const double apart = std::abs(wrap_angle(other - yaw));
  if (apart < params_.min_yaw_rad) return;
  decide(horizontal_, std::abs(wrap_angle(yaw - yaw_witness)) < 0.5 * apart);
}

}  // namespace pintle::estimation

namespace pintle {

template <>
const EnumTable& enum_table<estimation::FrameVerdict>() {
  using estimation::FrameVerdict;
  static constexpr std::array values{
      enum_value(FrameVerdict::kUndecided, "undecided", "It has not moved enough to tell."),
      enum_value(FrameVerdict::kAgrees, "agrees", "Odometry and witness moved the same way."),
      enum_value(FrameVerdict::kDisagrees, "disagrees", "The declared frame is wrong.")};
  static constexpr EnumTable table{"FrameVerdict", values};
  return table;
}

}  // namespace pintle
