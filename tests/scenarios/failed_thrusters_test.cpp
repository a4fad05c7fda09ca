#include "failed_thrusters.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace pintle::simulation {
namespace {

namespace fs = std::filesystem;

MissionFile pool() { return load_mission(fs::path(PINTLE_SOURCE_DIR) / "missions/pool.yaml"); }

FailedThrusters fly(const MissionFile& mission, const std::vector<std::size_t>& thrusters,
                    std::uint64_t seed) {
  return fly_with_failures(
      mission, thrusters, seed,
      fs::temp_directory_path() / ("pintle-failed-" + std::to_string(::getpid()) + ".mcap"));
}

void expect_holds(const FailedThrusters& f) {
  EXPECT_GT(f.ticks, 0U);
  EXPECT_EQ(f.wrong_reach, 0U);
  EXPECT_EQ(f.untold, 0U);
  EXPECT_EQ(f.wrong_cause, 0U);
  EXPECT_LE(f.largest_unsent, 1e-9);
  EXPECT_LE(f.largest_loose, 1e-12);
}

TEST(FailedThrusters, AnyOneOutLeavesEveryAxisAndTheMissionPasses) {
  for (const std::size_t i : {1U, 4U}) {
    const FailedThrusters f = fly(pool(), {i}, 10 + i);
    expect_holds(f);
    EXPECT_EQ(f.lost, 0);
    EXPECT_TRUE(f.all_failed);
    EXPECT_EQ(f.verdict, Verdict::kPass) << i;
  }
}

TEST(FailedThrusters, APairOutLosesTheAxesThatWerePredictedAndTheMissionIsTold) {
  const MissionFile mission = pool();
  const auto cases =
      allocation::failure_cases(vehicle::effectiveness_of(vehicle::build(mission.vehicle.vehicle)));
  int losing = 0;
  for (const allocation::FailureCase& c : cases) {
    if (c.second < 0 || c.kept == kAllAxes || losing == 3) continue;
    ++losing;
    const FailedThrusters f =
        fly(mission, {static_cast<std::size_t>(c.first), static_cast<std::size_t>(c.second)}, 3);
    expect_holds(f);
    EXPECT_TRUE(!f.all_failed || f.lost == (kAllAxes & ~c.kept));
  }
  EXPECT_EQ(losing, 3);
}

TEST(FailedThrusters, AMissionThatMayNotGoOnWithoutAnAxisTakesItsAbortPath) {
  MissionFile mission = pool();
  mission.mission.on_axis_lost = mission::OnAxisLost::kAbort;
  // two upright ones of one side
  const FailedThrusters f = fly(mission, {0, 4}, 3);
  expect_holds(f);
  EXPECT_NE(f.lost, 0);
  EXPECT_EQ(f.verdict, Verdict::kAborted);
}

}  // namespace
}  // namespace pintle::simulation
