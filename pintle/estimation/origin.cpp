#include "pintle/estimation/origin.h"

namespace pintle::estimation {

void Origin::restart() noexcept {
  origin_.reset();
  window_begun_.reset();
  jumped_ = false;
}

void Origin::begin_window(Vec3 position, Time stamp) noexcept {
  window_begun_ = stamp;
  first_ = position;
  sum_ = {};  // of what differs from the first: exact where nothing moves
  samples_ = 1;
}

OriginSample Origin::update(Vec3 position_m, Time stamp) noexcept {
  if (!is_finite(position_m) || (last_ && stamp <= *last_)) return OriginSample::kRefused;
  const double dt_s = last_ ? (stamp - *last_).seconds() : 0;
  const bool too_far = last_ && !(norm(position_m - last_position_) <=
                                  params_.max_speed_m_s * dt_s + params_.jump_m);
  const bool gap = last_ && dt_s > params_.max_gap_s;
  last_ = stamp;
  last_position_ = position_m;

  if (jumped_) return OriginSample::kJumped;
  if (origin_) {
    if (!too_far) return OriginSample::kGood;
    origin_.reset();
    window_begun_.reset();
    jumped_ = true;
    return OriginSample::kJumped;
  }

  // standing still for long enough
  if (!window_begun_ || gap || !(norm(position_m - first_) <= params_.radius_m)) {
    begin_window(position_m, stamp);
    return OriginSample::kSettling;
  }
  sum_ += position_m - first_;
  samples_ += 1;
  if (stamp - *window_begun_ < Duration::from_seconds(params_.window_s))
    return OriginSample::kSettling;
  origin_ = first_ + sum_ / samples_;
  return OriginSample::kGood;
}

}  // namespace pintle::estimation
