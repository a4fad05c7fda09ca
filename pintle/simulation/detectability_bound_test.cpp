#include "pintle/simulation/detectability_bound.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "pintle/craft/live.h"

namespace pintle::simulation {
namespace {

/// The pool's vehicle at rest in a world that is known but for `truth`; one thruster is asked for
/// something and gives it until 3 s.
struct Failing {
  MissionFile mission =
      load_mission(std::filesystem::path(PINTLE_SOURCE_DIR) / "missions/pool.yaml");
  std::size_t propulsor = 2;
  double asked = 0.3, share = 0;

  Failing() {
    mission.world.truth = {};
    mission.world.odometry.velocity_noise_m_s = mission.world.odometry.rate_noise_deg_s = 0;
  }

  /// Seconds from the failure until it is detectable, -1 for never.
  [[nodiscard]] double delay_s() const {
    LiveModel live(mission.vehicle, &mission.mission, {});
    const std::shared_ptr<const Model> model = live.current();
    constexpr double kAt_s = 3;
    DetectabilityBound bound(mission, *model, propulsor, kAt_s);
    const auto out = std::make_unique<Outputs>();
    out->actuation.effort.resize(model->body.n);
    out->actuation.effort[propulsor] = asked;
    world::Truth truth;
    truth.thrust_N.resize(model->body.n);
    for (int k = 0; k < 400; ++k) {
      out->now = Time::from_seconds(0.02 * k);
      const bool failed = out->now >= Time::from_seconds(kAt_s);
      truth.thrust_N[propulsor] = model->vehicle.unit.one_unit_N * asked * (failed ? share : 1.0);
      bound.take(*out, truth);
    }
    return bound.detectable_s() < 0 ? -1 : bound.detectable_s() - kAt_s;
  }
};

TEST(DetectabilityBound, IsTheMissingThrustOverWhatTheFileMayBeWrongBy) {
  // with nothing else unknown, d = (1 - share) / tolerance: 6.7 is reached or not
  Failing f;
  f.mission.world.truth.thrust = 0.1;
  f.share = 0.35;
  EXPECT_EQ(f.delay_s(), -1) << "d = 6.5";
  // a window of a quarter of a second has 13 ticks, d = 8 n / 13 behind n of them: the eleventh
  f.share = 0.2;
  EXPECT_NEAR(f.delay_s(), 10 * 0.02, 1e-9);
  f.mission.world.truth.thrust = 0.05;
  EXPECT_NEAR(f.delay_s(), 5 * 0.02, 1e-9) << "d = 16 n / 13";
}

TEST(DetectabilityBound, NobodyMissesWhatHeDoesNotAskForOrWhatDoesNotMatter) {
  Failing f;
  f.asked = 0;
  EXPECT_EQ(f.delay_s(), -1);
  f.asked = 0.9 * f.mission.vehicle.detector.least_effort;
  EXPECT_EQ(f.delay_s(), -1);
  f.asked = 1.2 * f.mission.vehicle.detector.least_effort;
  EXPECT_GT(f.delay_s(), 0);
}

TEST(DetectabilityBound, ComesTheLaterTheMoreTheOdometryIsNoisy) {
  Failing f;
  f.asked = 0.05;
  const double still = f.delay_s();
  f.mission.world.odometry.velocity_noise_m_s = 0.005;
  f.mission.world.odometry.rate_noise_deg_s = 0.2;
  const double pool = f.delay_s();
  EXPECT_GE(still, 0);
  EXPECT_GT(pool, still);
  EXPECT_LT(pool, 1);
  f.mission.world.odometry.velocity_noise_m_s = 0.5;
  f.mission.world.odometry.rate_noise_deg_s = 20;
  EXPECT_EQ(f.delay_s(), -1);
}

TEST(DetectabilityBound, WaitsUntilTheThrusterCanBeToldFromAnother) {
  // two of the upright ones on one spot: that one of them fails is plain, which one never is
  Failing f;
  f.propulsor = 0;
  EXPECT_GE(f.delay_s(), 0);
  auto& propulsors = f.mission.vehicle.vehicle.propulsors;
  propulsors[4].position_m = propulsors[0].position_m;
  EXPECT_EQ(f.delay_s(), -1);
}

}  // namespace
}  // namespace pintle::simulation
