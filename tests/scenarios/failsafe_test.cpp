// Failsafes in whole flights: what is declared is what the truth sees, in time, and told.
#include <gtest/gtest.h>

#include "pintle/testing/failsafe_flight.h"
#include "pintle/testing/thorough.h"

namespace pintle {
namespace {

using flight::Verdict;
using stack::FailsafeAction;
using stack::FailsafeCondition;
using testing::Flown;
using testing::fly;
using testing::shipped;

TEST(FailsafeFlight, ABoxThatLiesUpsideDownIsNotArmed) {
  craft::MissionFile mission = shipped("hover_box");
  mission.world.start_rpy_deg = {180, 0, 0};
  mission.world.start_position_m.z = 0.3;
  const Flown f = fly(mission);
  EXPECT_EQ(f.works_tilted_s, 0);
  EXPECT_FALSE(f.at(EventCode::kArmed));
  EXPECT_EQ(f.result.reason.find("the craft may not be armed: tilt: "), 0U) << f.result.reason;
  mission.vehicle.failsafes = {};
  EXPECT_GT(fly(mission, {.until_s = 20}).works_tilted_s, 10)
      << "without the row it works its jets on its back";
}

TEST(FailsafeFlight, ABoxThatTipsOverInTheAirIsOffBeforeItLies) {
  craft::MissionFile mission = shipped("hover_box");
  mission.world.faults.push_back({"JETCAT_P200-RX_BR", world::FaultKind::kDead, 18, 1e9, 0, false});
  const Flown f = fly(mission, {.until_s = 30});
  EXPECT_TRUE(f.latched) << f.result.reason;
  ASSERT_TRUE(f.told_at(FailsafeCondition::kTilt));
  EXPECT_LT(f.works_tilted_s, 0.4);
  EXPECT_EQ(f.effort_at_end, 0);
  EXPECT_NE(f.result.verdict, Verdict::kPass);
  mission.vehicle.failsafes = {};
  EXPECT_GT(fly(mission, {.until_s = 30}).effort_at_end, 100)
      << "without rows it hops about for ever";
}

TEST(FailsafeFlight, AfterACrashItIsSwitchedOffWhereItLies) {
  craft::MissionFile mission = shipped("hover_box");
  mission.vehicle.failsafes.tilt.reset();
  mission.world.faults.push_back({"JETCAT_P200-RX_BR", world::FaultKind::kDead, 18, 1e9, 0, false});
  const Flown f = fly(mission, {.until_s = 30});
  ASSERT_TRUE(f.at(EventCode::kImpact)) << f.result.reason;
  ASSERT_TRUE(f.told_at(FailsafeCondition::kCrash)) << f.result.reason;
  EXPECT_LT(*f.told_at(FailsafeCondition::kCrash) - *f.at(EventCode::kImpact), 5);
  EXPECT_TRUE(f.latched) << f.result.reason;
  EXPECT_EQ(f.effort_at_end, 0);
}

TEST(FailsafeFlight, WaterInTheHullBringsItUpWhateverTheMissionWants) {
  craft::MissionFile mission = shipped("pool");
  mission.world.device_faults.push_back(
      {world::Device::kHull, world::DeviceFaultKind::kLeaks, 20, 1e9, 0});
  const Flown f = fly(mission);
  ASSERT_TRUE(f.told_at(FailsafeCondition::kLeak));
  EXPECT_LT(*f.told_at(FailsafeCondition::kLeak), 21);
  EXPECT_GT(f.last.X_WB.p.z, -0.4) << f.result.reason;
  EXPECT_EQ(f.result.verdict, Verdict::kFail);
  EXPECT_EQ(f.result.reason, "a failsafe ended it: leak");
  EXPECT_LT(f.result.duration_s, 45);
}

/// Nobody says so, and `on_detection: report` is to be told of it and no more.
TEST(FailsafeFlight, WhatComesUpGoesByWhatWasFoundOutOfItsPropulsors) {
  const craft::MissionFile as_shipped = shipped("pool");
  constexpr double kLeaks_s = 40;
  using K = world::FaultKind;
  for (const auto& propulsor : as_shipped.vehicle.vehicle.propulsors)
    for (const K kind : testing::cases({K::kReversed, K::kStuck, K::kDead}))
      for (const double at_s : {kLeaks_s - 5, kLeaks_s, kLeaks_s + 2}) {
        craft::MissionFile mission = as_shipped;
        mission.world.faults = {{propulsor.name, kind, at_s, 1e9, 0.5, false}};
        mission.world.device_faults.push_back(
            {world::Device::kHull, world::DeviceFaultKind::kLeaks, kLeaks_s, 1e9, 0});
        const Flown f = fly(mission);
        const std::string what =
            propulsor.name + " " + std::string(to_string(kind)) + " at " + std::to_string(at_s);
        ASSERT_TRUE(f.told_at(FailsafeCondition::kLeak)) << what << ": " << f.result.reason;
        EXPECT_GT(f.last.X_WB.p.z, -0.4) << what;
        EXPECT_LT(f.result.duration_s, kLeaks_s + 15) << what;
        const auto out = f.at(EventCode::kPropulsorFailed);
        EXPECT_TRUE(!out || *out >= *f.told_at(FailsafeCondition::kLeak)) << what;
      }
}

TEST(FailsafeFlight, ASaidLeakIsALeakAndAnOperatorThatFallsSilentIsTheAbortPath) {
  const Flown wet = fly(shipped("pool"), {.schedule = {{15, "leak"}}});
  ASSERT_TRUE(wet.told_at(FailsafeCondition::kLeak));
  EXPECT_GT(wet.last.X_WB.p.z, -0.4);
  craft::MissionFile mission = shipped("pool");
  mission.vehicle.failsafes.heartbeat = {10, 0, FailsafeAction::kAbort};
  const Flown alone = fly(mission, {.schedule = {{15, "heartbeat"}}});
  ASSERT_TRUE(alone.told_at(FailsafeCondition::kHeartbeat));
  EXPECT_NEAR(*alone.told_at(FailsafeCondition::kHeartbeat), 25, 0.1);
  EXPECT_EQ(alone.result.verdict, Verdict::kAborted);
  EXPECT_GT(alone.last.X_WB.p.z, -0.5);
}

TEST(FailsafeFlight, ABatteryThatEmptiesIsToldThenBringsItHome) {
  craft::MissionFile mission = shipped("hover_box");
  mission.vehicle.failsafes.battery_low = {0.3, 0.5, FailsafeAction::kWarn};
  mission.vehicle.failsafes.battery_critical = {0.15, 0.5, FailsafeAction::kLand};
  using K = world::DeviceFaultKind;
  mission.world.device_faults.push_back({world::Device::kBattery, K::kEmpties, 15, 25, 0.25});
  mission.world.device_faults.push_back({world::Device::kBattery, K::kEmpties, 25, 1e9, 0.1});
  const Flown f = fly(mission);
  ASSERT_TRUE(f.told_at(FailsafeCondition::kBatteryLow));
  ASSERT_TRUE(f.told_at(FailsafeCondition::kBatteryCritical));
  EXPECT_LT(*f.told_at(FailsafeCondition::kBatteryLow), 16);
  EXPECT_LT(*f.told_at(FailsafeCondition::kBatteryCritical), 26);
  EXPECT_TRUE(f.latched) << "down and off: " << f.result.reason;
  EXPECT_LT(f.last.X_WB.p.z, 0.3);
  EXPECT_LT(norm(f.last.V_WB_B.v), 0.1);
  EXPECT_FALSE(f.at(EventCode::kImpact));
}

TEST(FailsafeFlight, HeatInTheHullIsToldAndFlownOn) {
  craft::MissionFile mission = shipped("hover_box");
  mission.vehicle.failsafes.temperature = {70, 1, FailsafeAction::kWarn};
  mission.world.device_faults.push_back(
      {world::Device::kHull, world::DeviceFaultKind::kHeats, 10, 30, 85});
  const Flown f = fly(mission);
  EXPECT_TRUE(f.told_at(FailsafeCondition::kTemperature));
  EXPECT_TRUE(f.at(EventCode::kFailsafeOver));
  EXPECT_EQ(f.result.verdict, Verdict::kPass) << f.result.reason;
}

TEST(FailsafeFlight, AFenceStopsWhatLeavesItAndAnOperatorHasTheLastWord) {
  craft::MissionFile mission = shipped("hover_box");
  stack::Fence fence;
  fence.radius_m = 4.5;  // the square has corners at 4, 4
  fence.action = FailsafeAction::kHold;
  mission.vehicle.failsafes.fence = fence;
  const Flown f = fly(mission, {.schedule = {{80, "resume"}}});
  ASSERT_TRUE(f.told_at(FailsafeCondition::kFence)) << f.result.reason;
  ASSERT_TRUE(f.at(EventCode::kMissionPaused));
  EXPECT_NEAR(*f.at(EventCode::kMissionPaused), *f.told_at(FailsafeCondition::kFence), 0.02);
  ASSERT_TRUE(f.at(EventCode::kMissionResumed));
  const Flown held = fly(mission, {.until_s = 60});
  EXPECT_GT(held.farthest_m, 4.5);
  EXPECT_LT(held.farthest_m, 5.2) << "no further than it takes to stop";
  EXPECT_LT(std::hypot(held.last.X_WB.p.x, held.last.X_WB.p.y), 5.2) << "and there it stays";
}

}  // namespace
}  // namespace pintle
