#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#ifdef PINTLE_HAS_MUJOCO
#include "pintle/mujoco/plant_factory.h"
#endif
#include "pintle/flight/replay.h"
#include "pintle/simulation/run.h"
#include "pintle/testing/thorough.h"

namespace pintle::simulation {
namespace {

namespace fs = std::filesystem;

fs::path source(const std::string& file) { return fs::path(PINTLE_SOURCE_DIR) / file; }

std::vector<fs::path> shipped_missions() {
  std::vector<fs::path> missions;
  for (const auto& entry : fs::directory_iterator(source("missions")))
    if (entry.path().extension() == ".yaml") missions.push_back(entry.path());
  std::sort(missions.begin(), missions.end());
  return missions;
}

double figure(const RunResult& r, std::string_view name) {
  for (const auto& [key, value] : r.figures)
    if (key == name) return value;
  ADD_FAILURE() << "no figure " << name;
  return 0;
}

TEST(PoolMission, PassesWithEveryStepInItsToleranceForSeveralSeeds) {
  const MissionFile mission = load_mission(source("missions/pool.yaml"));
  for (std::uint64_t seed = 1; seed <= testing::cases(5U); ++seed) {
    RunOptions options;
    options.seed = seed;
    const RunResult r = run(mission, options);
    EXPECT_EQ(r.verdict, Verdict::kPass) << "seed " << seed << ": " << r.reason;
    for (const StateRecord& s : r.states)
      EXPECT_EQ(s.outcome, "succeeded") << "seed " << seed << ": " << s.name;
    EXPECT_EQ(figure(r, "inputs_stale"), 0);
    EXPECT_GT(figure(r, "max_depth_m"), 1.3);
  }
}

TEST(PoolMission, LosesItsThrusterInTheMiddleOfTheSquareAndRidesItThrough) {
  const MissionFile mission = load_mission(source("missions/pool.yaml"));
  ASSERT_EQ(mission.world.faults.size(), 1U);
  EXPECT_FALSE(mission.world.faults[0].announced);
  const RunResult r = run(mission, {});
  const auto named = [&](std::string_view name) {
    return *std::find_if(r.states.begin(), r.states.end(),
                         [&](const StateRecord& s) { return s.name == name; });
  };
  EXPECT_GT(mission.world.faults[0].at_s, named("leg_east").entered_s);
  EXPECT_LT(mission.world.faults[0].at_s, named("leg_south").left_s);
  // without the fault it goes otherwise: the fault is felt
  MissionFile healthy = mission;
  healthy.world.faults.clear();
  EXPECT_NE(figure(run(healthy, {}), "effort_integral_s"), figure(r, "effort_integral_s"));
}

TEST(PoolMission, GivesTheSameFiguresForTheSameSeed) {
  const MissionFile mission = load_mission(source("missions/pool.yaml"));
  RunOptions options;
  options.seed = 11;
  const RunResult a = run(mission, options), b = run(mission, options);
  EXPECT_EQ(a.figures, b.figures);
  options.seed = 12;
  EXPECT_NE(run(mission, options).figures, a.figures);
}

TEST(PoolMission, AnswersALostSensorWithTheSafeActionAndNoVerdictOfSuccess) {
  MissionFile mission = load_mission(source("missions/pool.yaml"));
  mission.input_faults.push_back({InputCode::kOdometry, InputFaultKind::kOff, 20, 1e9, 0});
  const RunResult r = run(mission, {});
  EXPECT_EQ(r.verdict, Verdict::kAborted);
  EXPECT_LT(r.duration_s, 20 + mission.vehicle.safety.latch_after_s + mission.mission.time_limit_s);
}

TEST(PoolMission, RidesThroughAShortLossOfOdometry) {
  MissionFile mission = load_mission(source("missions/pool.yaml"));
  mission.input_faults.push_back({InputCode::kOdometry, InputFaultKind::kOff, 20, 22, 0});
  mission.input_faults.push_back({InputCode::kOdometry, InputFaultKind::kNan, 30, 31, 0});
  const RunResult r = run(mission, {});
  EXPECT_EQ(r.verdict, Verdict::kPass) << r.reason;
  // a refusal is said once, until a good one has come
  EXPECT_GE(figure(r, "inputs_rejected"), 1);
}

/// Flown with a log, and again from the log.
void replay_of_shipped(bool spoilt) {
  const fs::path log =
      fs::temp_directory_path() / ("pintle-scenario-" + std::to_string(::getpid()) + ".mcap");
  for (const fs::path& file : shipped_missions()) {
    MissionFile mission = load_mission(file);
    if (spoilt) {
      // spoilt inputs are in the log as they were met, so the mission's files need not know of
      // them
      mission.input_faults.push_back({InputCode::kOdometry, InputFaultKind::kNan, 5, 5.4, 0});
      mission.input_faults.push_back({InputCode::kOdometry, InputFaultKind::kGarbage, 8, 8.2, 0});
      mission.input_faults.push_back({InputCode::kBusVoltage, InputFaultKind::kNan, 3, 9, 0});
    }
    RunOptions options;
    options.log = log;
#ifdef PINTLE_HAS_MUJOCO
    options.site.world.mujoco = mujoco::plant_factory();
#else
    if (mission.world.plant == world::PlantKind::kMujoco) {
      EXPECT_THROW((void)run(mission, options), std::invalid_argument);
      continue;
    }
#endif
    const RunResult r = run(mission, options);
    const ReplayResult back = replay(log);
    EXPECT_EQ(back.ticks, r.ticks) << file;
    EXPECT_EQ(back.mismatches, 0U) << file << ": " << back.first_mismatch;
  }
  fs::remove(log);
}

// each replayed without and with what spoils it, where there is time for both
TEST(ShippedMissions, ReplayBitForBit) {
  if (testing::kThorough) replay_of_shipped(false);
}
TEST(ShippedMissions, ReplayBitForBitWithInjectedNan) { replay_of_shipped(true); }

}  // namespace
}  // namespace pintle::simulation
