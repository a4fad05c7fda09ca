/// Is the camera mounted as its file says? Found while a craft that is not armed is carried by hand
/// over a pad, which stands still:
///
///   p_WT = p + q p_BT_B        the same wherever the craft is, if the mount is right
///   it disagrees when |p_WT - p_WT(reference)| > agree_m + share |p - p(reference)|
///                     for n sightings in a row, each from min_move_m off the reference and more
///
/// The reference are three sightings in a row that agree. A camera that is turned by a right angle or
/// mirrored shows once the craft is carried min_move_m sideways, the wrong size of a marker once it is
/// lifted by 0.3 m. Not modelled: a turn about the optical axis that only a sideways way could show,
/// where there was none; turns of less than 30 degrees; odometry that is wrong itself (FrameCheck).
#pragma once
#include <cstdint>

#include "pintle/base/vector.h"

namespace pintle::estimation {

struct MountCheckParams {
  double agree_m = 0.06;
  double share = 0.35;
  double min_move_m = 0.15;
  std::uint32_t n = 5;
};

class MountCheck {
 public:
  MountCheck() noexcept = default;
  explicit MountCheck(const MountCheckParams& params) noexcept : params_(params) {}

  /// A sighting of the pad, and where the craft was then; both in the world of one odometry. What is
  /// not finite is left out.
  void observe(Vec3 p_WB, Vec3 p_WT) noexcept;
  /// Stays until the check is begun anew.
  [[nodiscard]] bool disagrees() const noexcept { return off_ >= params_.n; }

 private:
  MountCheckParams params_;
  Vec3 p_WB_{}, p_WT_{};      ///< Of the reference.
  std::uint32_t agreed_ = 0;  ///< For the reference, up to three.
  std::uint32_t off_ = 0;     ///< In a row.
};

}  // namespace pintle::estimation
