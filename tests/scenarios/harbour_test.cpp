// A launch holds its place in tide and swell, and goes where it is told: observer, azimuth heads and
// allocation together, in a world that differs from the file in another way for each seed.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "pintle/base/rotation.h"
#include "pintle/simulation/run.h"
#include "pintle/testing/thorough.h"

namespace pintle::simulation {
namespace {

MissionFile harbour() {
  return load_mission(std::filesystem::path(PINTLE_SOURCE_DIR) / "missions/harbour.yaml");
}

/// What a flight asks of the thrusters from 60 s on, and how its heads go.
struct Asked {
  double swell_N = 0;  ///< Of the demand eastwards, what swings with the swell: its amplitude.
  double fastest_head_rad_s = 0;
};
Asked asked_by(const MissionFile& mission, std::uint64_t seed, Verdict verdict) {
  Asked out;
  const double swell_rad_s = 2 * kPi / mission.world.water.current.wave_period_s;
  double sine = 0, cosine = 0, seconds = 0;
  std::array<double, 2> heads{};
  Time last{};
  RunOptions options;
  options.seed = seed;
  options.watch = [&](const Model&, const Inputs&, const Outputs& o) {
    const double dt = (o.now - last).seconds();
    last = o.now;
    const std::array<double, 2> angle{o.actuation.command[1], o.actuation.command[3]};
    const bool armed = o.arm == stack::ArmState::kArmed;
    if (armed && o.now.seconds() > 60 && dt > 0) {
      const double x = rotate(o.used.X_WB.q, o.demand.F_Bo_B.force).x * dt,
                   at = swell_rad_s * o.now.seconds();
      sine += x * std::sin(at);
      cosine += x * std::cos(at);
      seconds += dt;
      for (std::size_t i = 0; i < 2; ++i)
        out.fastest_head_rad_s =
            std::max(out.fastest_head_rad_s, std::abs(wrap_angle(angle[i] - heads[i])) / dt);
    }
    heads = angle;
  };
  const RunResult r = run(mission, options);
  EXPECT_EQ(r.verdict, verdict) << "seed " << seed << ": " << r.reason;
  if (seconds > 0) out.swell_N = 2 * std::hypot(sine, cosine) / seconds;
  return out;
}

TEST(HarbourMission, IsFlownForSeveralSeedsWithinTheRateOfItsHeads) {
  for (std::uint64_t seed = 1; seed <= testing::cases(4U); ++seed)
    EXPECT_LE(asked_by(harbour(), seed, Verdict::kPass).fastest_head_rad_s,
              radians(30.0) * (1 + 1e-6))
        << seed;
}

TEST(HarbourMission, WithoutItsWaveFilterFightsTheSwell) {
  MissionFile unfiltered = harbour();
  unfiltered.vehicle.laws.station.wave_frequency_rad_s = 0;
  const double calm = asked_by(harbour(), 1, Verdict::kPass).swell_N;
  const double busy = asked_by(unfiltered, 1, Verdict::kPass).swell_N;
  EXPECT_LT(calm, 0.4 * busy);
}

TEST(HarbourMission, GoesOnWithoutItsTunnelOrOneOfItsHeads) {
  for (const char* dead : {"bow", "port"}) {
    MissionFile mission = harbour();
    world::FaultSpec fault;
    fault.propulsor = dead;
    fault.kind = world::FaultKind::kDead;
    fault.at_s = 70;
    fault.announced = true;
    mission.world.faults.push_back(fault);
    (void)asked_by(mission, 1, Verdict::kPass);
  }
}

TEST(HarbourMission, OutOfTimeIsSeenToTheEndOfItsAbortPathHoweverLongThatIs) {
  MissionFile mission = harbour();
  mission.mission.time_limit_s = 100;
  mission.mission.states.back().success.settle_s = 100;
  const RunResult r = run(mission, {});
  EXPECT_EQ(r.verdict, Verdict::kAborted);
  EXPECT_EQ(r.reason, "the mission took its abort path");
  ASSERT_FALSE(r.states.empty());
  EXPECT_EQ(r.states.back().name, "abort_hold");
  EXPECT_EQ(r.states.back().outcome, "succeeded") << "a minute would not have sufficed";
}

}  // namespace
}  // namespace pintle::simulation
