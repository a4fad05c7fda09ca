#include <gtest/gtest.h>

#include <filesystem>

#include "pintle/simulation/run.h"

namespace pintle::simulation {
namespace {

TEST(HoverIronCub, TakesOffHoversAndLandsOnFourTurbinesForSeveralSeeds) {
  const MissionFile mission =
      load_mission(std::filesystem::path(PINTLE_SOURCE_DIR) / "missions/hover_ironcub.yaml");
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    RunOptions options;
    options.seed = seed;
    const RunResult r = run(mission, options);
    EXPECT_EQ(r.verdict, Verdict::kPass) << "seed " << seed << ": " << r.reason;
  }
}

}  // namespace
}  // namespace pintle::simulation
