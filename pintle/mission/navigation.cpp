#include "pintle/mission/navigation.h"

#include <algorithm>
#include <cmath>

#include "pintle/base/rotation.h"

namespace pintle::mission {
namespace {

/// Beyond it differences and ratios would not be numbers any more.
constexpr double kFarthestGoal = 1e9;

bool is_usable(double x) noexcept { return x >= -kFarthestGoal && x <= kFarthestGoal; }

bool is_usable(const NavigationPose& pose) noexcept {
  return is_usable(pose.position_m.x) && is_usable(pose.position_m.y) &&
         is_usable(pose.position_m.z) && is_usable(pose.yaw_rad);
}

}  // namespace

NavigationEnd Navigation::end(NavigationOutcome outcome) noexcept {
  active_ = false;
  error_ = {};
  return {id_, outcome};
}

NavigationEnd Navigation::start(std::uint64_t id, const NavigationPose& goal, Time now) noexcept {
  if (!is_usable(goal)) return {id, NavigationOutcome::kRefused};
  NavigationEnd ended;
  if (active_) ended = end(NavigationOutcome::kPreempted);
  // nothing of the goal before stays
  active_ = true;
  id_ = id;
  goal_ = goal;
  begun_ = seen_ = now;
  inside_since_.reset();
  offset_.reset();
  error_ = {};
  progress_ = {};
  return ended;
}

NavigationEnd Navigation::cancel(std::uint64_t id) noexcept {
  if (!active_ || id != id_) return {};
  return end(NavigationOutcome::kCanceled);
}

NavigationEnd Navigation::update(const std::optional<NavigationPose>& pose, Time now) noexcept {
  if (!active_) return {};
  if (now - begun_ > Duration::from_seconds(params_.timeout_s))
    return end(NavigationOutcome::kTimedOut);
  if (!pose || !is_usable(*pose)) {
    error_ = {};
    inside_since_.reset();
    if (now - seen_ > Duration::from_seconds(params_.stale_s))
      return end(NavigationOutcome::kStale);
    return {};
  }
  seen_ = now;
  const Vec3 way = goal_.position_m - pose->position_m;
  error_ = {way.x, way.y, way.z, wrap_angle(goal_.yaw_rad - pose->yaw_rad)};
  const bool is_first = !offset_;
  if (is_first) offset_ = error_;

  bool inside = true;
  for (std::size_t i = 0; i < error_.size(); ++i) {
    const double off = std::abs(error_[i]);
    const double from = std::abs((*offset_)[i]);
    inside = inside && off <= tolerance(i);
    const bool was_there = from <= tolerance(i);
    const double percent =
        was_there ? 100 : std::clamp(100 - std::trunc(100 * off / from), 0., 100.);
    progress_[i] = std::max(progress_[i], static_cast<std::uint8_t>(percent));
  }
  if (!inside) {
    inside_since_.reset();
    return {};
  }
  if (!inside_since_) inside_since_ = now;
  if (!is_first && now - *inside_since_ < Duration::from_seconds(params_.settle_s)) return {};
  progress_.fill(100);
  return end(NavigationOutcome::kSucceeded);
}

}  // namespace pintle::mission

namespace pintle {

template <>
const EnumTable& enum_table<mission::NavigationOutcome>() {
  using mission::NavigationOutcome;
  static constexpr std::array values{
      enum_value(NavigationOutcome::kNone, "none", "It has not ended."),
      enum_value(NavigationOutcome::kSucceeded, "succeeded", "It is there."),
      enum_value(NavigationOutcome::kCanceled, "canceled", "Called off."),
      enum_value(NavigationOutcome::kPreempted, "preempted", "A newer goal took its place."),
      enum_value(NavigationOutcome::kRefused, "refused",
                 "The goal is not finite, or too far away."),
      enum_value(NavigationOutcome::kTimedOut, "timed_out", "It took too long."),
      enum_value(NavigationOutcome::kStale, "stale", "There was no pose to fly by.")};
  static constexpr EnumTable table{"NavigationOutcome", values};
  return table;
}

}  // namespace pintle
