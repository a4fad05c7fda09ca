#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "pintle/simulation/run.h"
#include "pintle/testing/thorough.h"

namespace pintle::simulation {
namespace {

MissionFile pool() {
  return load_mission(std::filesystem::path(PINTLE_SOURCE_DIR) / "missions/pool.yaml");
}

MissionFile clean_pool() {
  MissionFile mission = pool();
  mission.world.faults.clear();
  return mission;
}

RunResult fly(const MissionFile& mission, std::uint64_t seed) {
  RunOptions options;
  options.seed = seed;
  return run(mission, options);
}

double figure(const RunResult& r, std::string_view name) {
  for (const auto& [key, value] : r.figures)
    if (key == name) return value;
  ADD_FAILURE() << "no figure " << name;
  return 0;
}

world::FaultSpec fault(const MissionFile& mission, std::size_t propulsor, world::FaultKind kind,
                       double at_s, double value = 0) {
  world::FaultSpec f;
  f.propulsor = mission.vehicle.vehicle.propulsors[propulsor].name;
  f.kind = kind;
  f.at_s = at_s;
  f.value = value;
  return f;
}

TEST(FailureDetection, RaisesNoAlarmOverCleanMissions) {
  // a hundred seeds of it in the campaign of tests/soak/failure_detection
  const MissionFile mission = clean_pool();
  for (std::uint64_t seed = 1; seed <= testing::cases(5U); ++seed)
    EXPECT_EQ(figure(fly(mission, seed), "suspicions"), 0) << "seed " << seed;
}

/// The pool without a fault, flown by another vehicle with its own gains and an excitation that
/// never stops.
MissionFile pool_of_bluerov2() {
  std::ifstream file(std::filesystem::path(PINTLE_SOURCE_DIR) / "missions/pool.yaml");
  std::string text, line;
  for (bool others = false; std::getline(file, line);) {
    if (!line.empty() && line[0] != ' ')
      others = line.starts_with("control:") || line.starts_with("faults:");
    if (others) continue;
    if (line.starts_with("vehicle:")) line = "vehicle: ../vehicles/bluerov2_heavy.yaml";
    for (std::size_t at; (at = line.find(" ../")) != std::string::npos;)
      line.replace(at, 4, " " PINTLE_SOURCE_DIR "/");
    text += line + "\n";
  }
  const auto path = std::filesystem::path(::testing::TempDir()) / "pool_of_bluerov2.yaml";
  std::ofstream(path) << text << "failure_detection: {excitation: {effort: 0.1, when: always}}\n";
  return load_mission(path);
}

TEST(FailureDetection, ATurnInACurrentIsNoFailure) {
  // each of these was one, as long as drag was that of the way over the ground: across, the
  // vehicle has half as much again as along
  const MissionFile mission = pool_of_bluerov2();
  for (const std::uint64_t seed : {11U, 16U, 17U, 65U, 77U})
    EXPECT_EQ(figure(fly(mission, seed), "suspicions"), 0) << "seed " << seed;
}

TEST(FailureDetection, NamesTheThrusterThatThePoolMissionLosesWithinASecondOfNeedingIt) {
  const MissionFile mission = pool();
  for (std::uint64_t seed = 1; seed <= testing::cases(5U); ++seed) {
    const RunResult r = fly(mission, seed);
    EXPECT_EQ(figure(r, "suspected_propulsor"), figure(r, "faulty_propulsor")) << "seed " << seed;
    EXPECT_GE(figure(r, "first_suspicion_s"), mission.world.faults[0].at_s);
    EXPECT_LT(figure(r, "first_suspicion_s") - figure(r, "fault_needed_s"), 1) << "seed " << seed;
    EXPECT_LT(figure(r, "suspected_efficiency"), 0.6);
    EXPECT_EQ(figure(r, "suspicions"), 1);
  }
}

TEST(FailureDetection, NamesEveryThrusterThatDiesReversesOrSticksWithinASecondOfNeedingIt) {
  const MissionFile base = clean_pool();
  for (const world::FaultKind kind :
       {world::FaultKind::kDead, world::FaultKind::kReversed, world::FaultKind::kStuck}) {
    for (std::size_t i = 0; i < testing::cases(base.vehicle.vehicle.propulsors.size()); ++i) {
      MissionFile mission = base;
      mission.world.faults = {fault(base, i, kind, 38, 0.3)};
      const RunResult r = fly(mission, 3 + i);
      EXPECT_EQ(figure(r, "suspected_propulsor"), static_cast<double>(i));
      EXPECT_GE(figure(r, "fault_needed_s"), 38);
      EXPECT_LT(figure(r, "first_suspicion_s") - figure(r, "fault_needed_s"), 1) << i;
      EXPECT_EQ(figure(r, "false_alarms"), 0);
    }
  }
}

TEST(FailureDetection, DroppingAReversedThrusterSavesAMissionThatIsLostOtherwise) {
  MissionFile mission = clean_pool();
  mission.world.faults = {fault(mission, 2, world::FaultKind::kReversed, 40)};
  mission.vehicle.detector.on_detection = estimation::OnDetection::kReport;
  EXPECT_NE(fly(mission, 4).verdict, Verdict::kPass);
  mission.vehicle.detector.on_detection = estimation::OnDetection::kDrop;
  const RunResult r = fly(mission, 4);
  EXPECT_EQ(r.verdict, Verdict::kPass) << r.reason;
  EXPECT_EQ(figure(r, "suspected_propulsor"), 2);
}

TEST(FailureDetection, SaysNothingOfAFailureThatWasAnnouncedAndNothingWhenItIsOff) {
  MissionFile mission = pool();
  mission.world.faults[0].announced = true;
  EXPECT_EQ(figure(fly(mission, 1), "suspicions"), 0);
  mission.world.faults[0].announced = false;
  mission.vehicle.detector.enable = false;
  EXPECT_EQ(figure(fly(mission, 1), "suspicions"), 0);
}

}  // namespace
}  // namespace pintle::simulation
