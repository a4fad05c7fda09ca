#include "pintle/estimation/origin.h"

#include <algorithm>
#include <cmath>

namespace pintle::estimation {
namespace {

constexpr double kDriftTime_s = 10;
constexpr double kHalvesApart = 0.4;  // of the radius

}  // namespace

void Origin::restart() noexcept {
  origin_.reset();
  window_begun_.reset();
  jumped_ = false;
}

void Origin::touched_down(double height_m) noexcept {
  restart();
  ground_m_ = height_m;
  leapt_ = held_ = false;
}

/// Of a place where it has stood still.
bool Origin::stands_on_ground(double height_m) noexcept {
  if (!(params_.held_m > 0)) return true;
  const bool same = ground_m_ && std::abs(height_m - *ground_m_) <= params_.held_m;
  held_ = !same && ground_m_ && height_m > *ground_m_ && !leapt_;
  if (held_) return false;
  leapt_ = false;
  if (same) return true;
  ground_m_ = height_m;
  ++grounds_;
  return true;
}

void Origin::drift(Vec3 position, double dt_s) noexcept {
  const double share = std::min(1.0, dt_s / kDriftTime_s);
  rest_ += share * (position - rest_);
  if (ground_m_ && std::abs(position.z - *ground_m_) <= params_.held_m)
    *ground_m_ += share * (position.z - *ground_m_);
}

void Origin::begin_window(Vec3 position, Time stamp) noexcept {
  window_begun_ = stamp;
  first_ = position;
  sum_ = {};  // of what differs from the first: exact where nothing moves
  samples_ = 1;
  half_samples_ = 0;
}

OriginSample Origin::update(Vec3 position_m, Time stamp) noexcept {
  if (!is_finite(position_m) || (last_ && stamp <= *last_)) return OriginSample::kRefused;
  const double dt_s = last_ ? (stamp - *last_).seconds() : 0;
  const bool too_far = last_ && !(norm(position_m - last_position_) <=
                                  params_.max_speed_m_s * dt_s + params_.jump_m);
  const bool gap = last_ && dt_s > params_.max_gap_s;
  last_ = stamp;
  last_position_ = position_m;
  leapt_ = leapt_ || too_far;

  if (jumped_) return OriginSample::kJumped;
  if (origin_) {
    if (!too_far) {
      drift(position_m, dt_s);
      return OriginSample::kGood;
    }
    origin_.reset();
    window_begun_.reset();
    jumped_ = true;
    return OriginSample::kJumped;
  }

  // standing still for long enough
  if (!window_begun_ || gap || !(norm(position_m - first_ - sum_ / samples_) <= params_.radius_m)) {
    begin_window(position_m, stamp);
    return OriginSample::kSettling;
  }
  sum_ += position_m - first_;
  samples_ += 1;
  const double in_window_s = (stamp - *window_begun_).seconds();
  if (half_samples_ == 0 && in_window_s >= 0.5 * params_.window_s) {
    half_sum_ = sum_;
    half_samples_ = samples_;
    half_at_ = stamp;
  }
  if (stamp - *window_begun_ < Duration::from_seconds(params_.window_s))
    return OriginSample::kSettling;
  // noise is even, a slow hand is not
  const double later = samples_ - half_samples_;
  const Vec3 apart = later > 0 ? (sum_ - half_sum_) / later - half_sum_ / half_samples_ : Vec3{};
  if (!(norm(apart) <= kHalvesApart * params_.radius_m)) {
    // what was still last may be the first half of a still second
    window_begun_ = half_at_;
    sum_ = sum_ - half_sum_;
    samples_ = later;
    half_samples_ = 0;
    return OriginSample::kSettling;
  }
  const Vec3 place = first_ + sum_ / samples_;
  if (!stands_on_ground(place.z)) {
    begin_window(position_m, stamp);
    return OriginSample::kHeld;
  }
  origin_ = rest_ = place;
  return OriginSample::kGood;
}

}  // namespace pintle::estimation
