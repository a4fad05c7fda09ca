/// The proof on the edge of the reach (r = 0). Internal to this room.
///
/// There the residual d is rounding and the free channels span one row less than all. Then l is
/// known up to a multiple of the direction e that they leave out,
///
///   e = lim d / r,   l = l_0 + t e,
///
/// and the set is optimal if one t gives every held channel its sign: outwards (a_i'l - x_i) >= 0
/// for each of them is an interval of t.
#pragma once
#include <algorithm>
#include <cmath>

#include "pintle/allocation/internal/free_system.h"

namespace pintle::allocation {

// part of what enters a multiplier that rounding may make
inline constexpr double kNoise = 1e-13;
// and above this no closer look is needed
inline constexpr double kClear = 1e-9;

namespace PINTLE_LEVEL {

class Edge {
 public:
  /// To be called with each held column: the one that is most outside gives the direction.
  void find_normal(const FreeSystem& system, const Vec6& a) noexcept {
    const Vec6 outside = system.outside(a);
    const double share = dot(outside, outside) / dot(a, a);
    if (!(share > share_)) return;
    share_ = share;
    normal_ = (1 / norm(outside)) * outside;
  }

  /// And then once more: `second` is outwards (a'l_0 - x), `wrong` whether that fails by more than
  /// rounding.
  void narrow(const Vec6& a, double outwards, double second, bool wrong) noexcept {
    const double along = outwards * dot(a, normal_);
    if (std::abs(along) <= kClear * norm(a))
      open_ = open_ && !wrong;
    else if (along > 0)
      least_ = std::max(least_, -second / along);
    else
      most_ = std::min(most_, -second / along);
  }

  [[nodiscard]] bool open() const noexcept {
    return open_ && share_ > kIndependent && least_ <= most_;
  }

 private:
  Vec6 normal_;
  double share_ = 0;
  double least_ = -1e300;
  double most_ = 1e300;
  bool open_ = true;
};

}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
