#include "pintle/estimation/mount_check.h"

namespace pintle::estimation {
namespace {

constexpr std::uint32_t kForReference = 3;

}  // namespace

void MountCheck::observe(Vec3 p_WB, Vec3 p_WT) noexcept {
  if (!is_finite(p_WB) || !is_finite(p_WT) || disagrees()) return;
  const double off_m = norm(p_WT - p_WT_);
  if (agreed_ < kForReference) {
    agreed_ = agreed_ > 0 && off_m <= params_.agree_m ? agreed_ + 1 : 1;
    p_WB_ = p_WB;
    p_WT_ = p_WT;
    return;
  }
  const double moved_m = norm(p_WB - p_WB_);
  if (!(moved_m >= params_.min_move_m)) return;
  off_ = off_m > params_.agree_m + params_.share * moved_m ? off_ + 1 : 0;
}

}  // namespace pintle::estimation
