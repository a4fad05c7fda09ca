// A box on four turbines flies its mission: both models of the turbine, wind, several seeds; and a
// quadrotor the same one.
#include <gtest/gtest.h>

#include <filesystem>

#include "pintle/simulation/run.h"
#include "pintle/testing/thorough.h"

namespace pintle::simulation {
namespace {

namespace fs = std::filesystem;

fs::path source(const std::string& file) { return fs::path(PINTLE_SOURCE_DIR) / file; }

/// The hover mission, flown by another vehicle.
MissionFile hover_with(const std::string& vehicle) {
  return load_mission(source("missions/hover_box.yaml"), [&](const fs::path& file) {
    return open_from_disk(
        file.filename() == "flying_box.yaml" ? source("vehicles") / (vehicle + ".yaml") : file);
  });
}

TEST(HoverMission, IsFlownByEveryCraftInTheWindForSeveralSeeds) {
  for (const char* vehicle : {"flying_box", "flying_box_nonlinear", "quad"}) {
    const MissionFile mission = hover_with(vehicle);
    ASSERT_EQ(mission.vehicle.vehicle.name, vehicle);
    for (std::uint64_t seed = 1; seed <= testing::cases(4U); ++seed) {
      RunOptions options;
      options.seed = seed;
      const RunResult r = run(mission, options);
      EXPECT_EQ(r.verdict, Verdict::kPass) << vehicle << " seed " << seed << ": " << r.reason;
      for (const StateRecord& s : r.states)
        EXPECT_EQ(s.outcome, "succeeded") << vehicle << " seed " << seed << ": " << s.name;
    }
  }
}

TEST(HoverMission, OneOfTheQuadrotorsMotorsThatFailsIsToldAndTheMissionFindsItsWayOut) {
  MissionFile mission = hover_with("quad");
  world::FaultSpec fault;
  fault.propulsor = "front_left";
  fault.kind = world::FaultKind::kDead;
  fault.at_s = 12;
  fault.announced = true;
  mission.world.faults.push_back(fault);
  const RunResult r = run(mission, {});
  // four fixed propellers cannot do without one of them: it comes down, and nobody says it passed
  EXPECT_NE(r.verdict, Verdict::kPass);
  EXPECT_GT(r.duration_s, 12);
}

}  // namespace
}  // namespace pintle::simulation
