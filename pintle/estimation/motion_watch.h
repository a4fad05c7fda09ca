/// Does the odometry of a craft in flight move as a witness says that it does?
///
///   off(t) = (p(t) - p(t - w)) - (way(t) - way(t - w))      w: some of the last window_s
///   it disagrees when |off| > slack_m + share |way(t) - way(t - w)|
///
/// and while it takes off, from climb_m on that either of them has climbed,
///
///   it disagrees when |dz - dz_witness| > 0.5 max(|dz|, |dz_witness|), or dz < -climb_m:
///   nothing sinks through the ground it stood on, even if both should say so
///
/// Finds what no check before take-off and no check from sample to sample can: odometry that is
/// frozen, wanders off or counts height the wrong way round. Which of the two is wrong it does not
/// know: to fly by either would be a guess. Not modelled: a witness with a bias of more than
/// slack_m / window_s.
#pragma once
#include <array>
#include <cstddef>

#include "pintle/estimation/dead_reckoning.h"

namespace pintle::estimation {

struct MotionWatchParams {
  double window_s = 2;
  double slack_m = 0.7;
  double share = 0.3;
  double climb_m = 0.2;
};

class MotionWatch {
 public:
  explicit MotionWatch(const MotionWatchParams& params = {}) noexcept : params_(params) {}

  /// From here on; `climbing`: what is judged first is a take-off.
  void restart(bool climbing) noexcept;
  /// Once a fresh sample in flight, by the same witness. False: they disagree.
  [[nodiscard]] bool agrees(Vec3 position_W, const DeadReckoning& witness, Time stamp,
                            bool taking_off) noexcept;
  /// Of the last sample, m.
  [[nodiscard]] double off_m() const noexcept { return off_m_; }

 private:
  struct Note {
    Time stamp;
    Vec3 position, way;
  };
  [[nodiscard]] bool climbs(const Note& now) noexcept;

  MotionWatchParams params_;
  static constexpr std::size_t kNotes = 8;
  std::array<Note, kNotes> notes_{};  ///< The last window_s, oldest first.
  std::size_t count_ = 0;
  std::uint32_t lap_ = 0;
  bool has_ground_ = false, from_ground_ = false;
  Note ground_{};
  double off_m_ = 0;
};

}  // namespace pintle::estimation
