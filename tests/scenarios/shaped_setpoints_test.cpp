// The pool mission with its setpoints shaped: every goal is reached, by a reference that keeps its
// limits, and which the loops keep near.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "pintle/simulation/run.h"

namespace pintle::simulation {
namespace {

struct Flown {
  double fastest_m_s = 0;  ///< Of the reference.
  double farthest_m = 0;   ///< That a position loop along x saw its goal.
};

Flown fly(bool shaped) {
  MissionFile mission =
      load_mission(std::filesystem::path(PINTLE_SOURCE_DIR) / "missions/pool.yaml");
  control::SixAxisParams& law = mission.vehicle.laws.control;
  law.shape_setpoints = shaped;
  for (std::size_t i = 0; i < 3 && shaped; ++i) law.motion_limits[i] = {0.3, 0.15, 0.4};
  if (shaped) law.motion_limits[5] = {0.5, 0.4, 1};
  EXPECT_TRUE(check(law).empty());

  Flown out;
  RunOptions options;
  options.watch = [&](const Model&, const Inputs&, const Outputs& o) {
    const Vec6& v = o.law.control.reference_velocity;
    out.fastest_m_s = std::max(out.fastest_m_s, std::hypot(v[0], v[1], v[2]));
    if (o.setpoint.mode[0] == AxisMode::kPosition)
      out.farthest_m = std::max(out.farthest_m, std::abs(o.law.control.position_error[0]));
  };
  const RunResult r = run(mission, options);
  EXPECT_EQ(r.verdict, Verdict::kPass) << r.reason;
  return out;
}

TEST(ShapedSetpoints, FlyThePoolMissionInsideTheirLimits) {
  const Flown shaped = fly(true), jumping = fly(false);
  EXPECT_GT(shaped.fastest_m_s, 0.25) << "they are used";
  // three axes at their limit at most
  EXPECT_LT(shaped.fastest_m_s, 0.3 * std::sqrt(3.0) + 1e-9);
  EXPECT_EQ(jumping.fastest_m_s, 0);
  EXPECT_GT(jumping.farthest_m, 1.8) << "the side of the square";
  EXPECT_LT(shaped.farthest_m, 0.5);
}

}  // namespace
}  // namespace pintle::simulation
