// Thrusters of a simulated vehicle that say how they are: what is found, how soon, and what is not.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "pintle/simulation/run.h"
#include "pintle/testing/thorough.h"

namespace pintle::simulation {
namespace {

MissionFile pool() {
  return load_mission(std::filesystem::path(PINTLE_SOURCE_DIR) / "missions/pool_m5.yaml");
}

double figure(const RunResult& r, std::string_view name) {
  for (const auto& [key, value] : r.figures)
    if (key == name) return value;
  ADD_FAILURE() << "no figure " << name;
  return 0;
}

TEST(FailureReports, RaiseNoAlarmOverCleanMissions) {
  const MissionFile mission = pool();
  for (std::uint64_t seed = 1; seed <= testing::cases(10U); ++seed) {
    RunOptions options;
    options.seed = seed;
    std::size_t alarms = 0;
    options.witness = [&](const Outputs& out, const world::Truth&) { alarms += out.alarms.size(); };
    const RunResult r = run(mission, options);
    EXPECT_EQ(r.verdict, flight::Verdict::kPass) << seed;
    EXPECT_EQ(figure(r, "suspicions"), 0) << seed;
    EXPECT_EQ(alarms, 0u) << seed;
  }
}

/// When a failure is found, counted from when its thruster has failed and been asked for a tenth of
/// its thrust, one way, for the time that lag and line take; negative: never. By this alarm.
struct Found {
  double after_s = -1;
  AlarmCode alarm = AlarmCode::kNone;
  std::int32_t subject = -1;
};

Found find(std::size_t propulsor, world::FaultKind kind, double at_s, std::uint64_t seed) {
  MissionFile mission = pool();
  world::FaultSpec fault;
  fault.propulsor = mission.vehicle.vehicle.propulsors[propulsor].name;
  fault.kind = kind;
  fault.at_s = at_s;
  mission.world.faults = {fault};
  RunOptions options;
  options.seed = seed;
  Found found;
  double asked_since = -1, last = 0;
  options.witness = [&](const Outputs& out, const world::Truth&) {
    const double t = out.now.seconds();
    if (found.after_s >= 0 || t < at_s) return;
    if (!out.alarms.empty()) {
      found = {asked_since < 0 ? 0 : t - asked_since, out.alarms[0].code, out.alarms[0].subject};
      return;
    }
    const double u = out.actuation.effort[propulsor];
    const bool asked = std::abs(u) >= 0.1 * (u > 0 ? 65 : 100) && u * last > 0;
    last = u;
    if (!asked)
      asked_since = -1;
    else if (asked_since < 0)
      asked_since = t;
  };
  (void)run(mission, options);
  return found;
}

TEST(FailureReports, NameEachThrusterThatStopsWithinThreeTenthsOfBeingAsked) {
  for (std::size_t i = 0; i < 8; ++i) {
    const Found f = find(i, world::FaultKind::kDead, 7.3, 3 + i);
    EXPECT_EQ(f.alarm, AlarmCode::kThrusterOut) << i;
    EXPECT_EQ(f.subject, static_cast<std::int32_t>(i));
    // what is asked takes its lag to be expected, too
    EXPECT_LE(f.after_s, 0.3 + 0.2) << i;
  }
}

TEST(FailureReports, TellALostPropellerFromAFouledOne) {
  for (const std::size_t i : {0U, 4U, 6U}) {
    const Found lost = find(i, world::FaultKind::kPropellerLost, 7.3, 3 + i);
    EXPECT_EQ(lost.alarm, AlarmCode::kPropellerLost) << i;
    EXPECT_EQ(lost.subject, static_cast<std::int32_t>(i));
    const Found fouled = find(i, world::FaultKind::kFouled, 7.3, 3 + i);
    EXPECT_EQ(fouled.alarm, AlarmCode::kFouled) << i;
    EXPECT_EQ(fouled.subject, static_cast<std::int32_t>(i));
  }
}

TEST(FailureReports, AThrusterLostOnTheWayDoesNotEndTheMission) {
  for (std::size_t i = 0; i < 8; ++i) {
    MissionFile mission = pool();
    world::FaultSpec fault;
    fault.propulsor = mission.vehicle.vehicle.propulsors[i].name;
    fault.at_s = 9;
    mission.world.faults = {fault};
    EXPECT_EQ(run(mission, {}).verdict, flight::Verdict::kPass) << fault.propulsor;
  }
}

}  // namespace
}  // namespace pintle::simulation
