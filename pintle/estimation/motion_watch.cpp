#include "pintle/estimation/motion_watch.h"

#include <algorithm>
#include <cmath>

namespace pintle::estimation {

void MotionWatch::restart(bool climbing) noexcept {
  count_ = 0;
  lap_ = 0;
  has_ground_ = false;
  from_ground_ = climbing;
  off_m_ = 0;
}

bool MotionWatch::climbs(const Note& now) noexcept {
  const double seen = now.position.z - ground_.position.z;
  const double told = now.way.z - ground_.way.z;
  const double most = std::max(std::abs(seen), std::abs(told));
  if (!(most >= params_.climb_m)) return true;
  off_m_ = std::abs(seen - told);
  return off_m_ <= 0.5 * most && seen > -params_.climb_m;
}

bool MotionWatch::agrees(Vec3 position_W, const DeadReckoning& witness, Time stamp,
                         bool taking_off) noexcept {
  const std::optional<Vec3> way = witness.way(stamp);
  if (!way || !is_finite(position_W)) return true;
  if (lap_ != 0 && witness.lap() != lap_) {
    // what was noted says nothing of the way that begins here
    count_ = 0;
    has_ground_ = from_ground_ = false;
  }
  lap_ = witness.lap();
  const Note now{stamp, position_W, *way};
  if (from_ground_ && !has_ground_) {
    ground_ = now;
    has_ground_ = true;
  }
  if (has_ground_ && taking_off && !climbs(now)) return false;

  bool good = true;
  for (std::size_t i = 0; i < count_ && good; ++i) {
    const Vec3 gone = now.way - notes_[i].way;
    off_m_ = norm(now.position - notes_[i].position - gone);
    good = off_m_ <= params_.slack_m + params_.share * norm(gone);
  }
  const Duration between = Duration::from_seconds(params_.window_s / double(kNotes));
  if (count_ == 0 || stamp - notes_[count_ - 1].stamp >= between) {
    if (count_ == kNotes) std::move(notes_.begin() + 1, notes_.end(), notes_.begin());
    count_ = std::min(count_ + 1, kNotes);
    notes_[count_ - 1] = now;
  }
  return good;
}

}  // namespace pintle::estimation
