// Rows of the failsafes that failsafe_test.cpp does not fly: each past its limit on the way, judged by
// the truth; and rows of a craft that is flown by velocity.
#include <gtest/gtest.h>

#include "pintle/testing/delivery_rig.h"
#include "pintle/testing/failsafe_flight.h"

namespace pintle {
namespace {

using craft::InputFaultKind;
using flight::Verdict;
using stack::FailsafeAction;
using stack::FailsafeCondition;
using stack::Inputs;
using testing::DeliveryRig;
using testing::Flown;
using testing::fly;
using testing::shipped;

constexpr double kFrom_s = 20;  // of what goes wrong; the craft is down in the pool then
constexpr double kSurface_m = -0.4;

/// Told within `limit_s` of its beginning, and the mission came to that end.
void expect_told(const Flown& f, FailsafeCondition c, double limit_s) {
  ASSERT_TRUE(f.told_at(c)) << to_string(c) << ": " << f.result.reason;
  EXPECT_GE(*f.told_at(c), kFrom_s) << to_string(c);
  EXPECT_LE(*f.told_at(c), kFrom_s + limit_s + 0.2) << to_string(c);
}
void expect_up(const Flown& f) {
  EXPECT_LT(f.lowest_m, -1) << "it was down";
  EXPECT_GT(f.last.X_WB.p.z, kSurface_m) << f.result.reason;
  EXPECT_LT(f.result.duration_s, 60);
}

TEST(FailsafeRows, ALowBusVoltageBringsItUp) {
  craft::MissionFile mission = shipped("pool");
  mission.vehicle.failsafes.bus_voltage = {12, 1, FailsafeAction::kLand};
  mission.input_faults.push_back(
      {stack::InputCode::kBusVoltage, InputFaultKind::kShifted, kFrom_s, 1e9, -6});
  const Flown f = fly(mission);
  expect_told(f, FailsafeCondition::kBusVoltage, 1);
  expect_up(f);
  EXPECT_EQ(f.result.verdict, Verdict::kFail);
  EXPECT_EQ(f.result.reason, "a failsafe ended it: bus_voltage");
}

TEST(FailsafeRows, MoreWindThanItMayLandInIsToldOnTheWayDown) {
  for (const bool blows : {false, true}) {
    craft::MissionFile mission = shipped("rocket_landing");
    mission.vehicle.failsafes.wind = {8, 1, FailsafeAction::kWarn};
    if (blows) mission.world.air->wind_m_s = {11, 0, 0};
    const Flown f = fly(mission);
    EXPECT_EQ(f.told_at(FailsafeCondition::kWind).has_value(), blows) << f.result.reason;
  }
}

TEST(FailsafeRows, MoreWindThanItsSensorMayTellIsALandingAndNoTakeOff) {
  craft::MissionFile mission = shipped("hover_box");
  mission.vehicle.failsafes.wind = {6, 1, FailsafeAction::kLand};
  const auto gale = [](double from_s) {
    return [from_s](Inputs& in) {
      if (in.now.seconds() >= from_s && in.has_housekeeping) in.housekeeping.wind_m_s = 7;
    };
  };
  const Flown still = fly(mission);
  EXPECT_FALSE(still.told_at(FailsafeCondition::kWind)) << "its own wind is less";
  EXPECT_EQ(still.result.verdict, Verdict::kPass) << still.result.reason;
  const Flown f = fly(mission, {.bend = gale(kFrom_s)});
  expect_told(f, FailsafeCondition::kWind, 1.2);
  EXPECT_TRUE(f.latched) << f.result.reason;
  EXPECT_FALSE(f.at(EventCode::kImpact));
  EXPECT_EQ(f.result.reason, "a failsafe ended it: wind");
  const Flown waits = fly(mission, {.bend = gale(0)});
  EXPECT_NE(waits.result.reason.find("may not be armed: wind"), std::string::npos)
      << waits.result.reason;
  EXPECT_LT(waits.highest_m, 1);
}

TEST(FailsafeRows, ABottomThatComesNearBringsItUp) {
  for (const double bottom_m : {-8.0, -1.9}) {
    craft::MissionFile mission = shipped("pool");
    mission.world.ground = world::GroundParams{};
    mission.world.ground->height_m = bottom_m;
    mission.vehicle.failsafes.ground_near = {0.7, 0.5, FailsafeAction::kLand};
    const Flown f = fly(mission);
    if (bottom_m < -5) {
      EXPECT_FALSE(f.told_at(FailsafeCondition::kGroundNear));
      EXPECT_EQ(f.result.verdict, Verdict::kPass) << f.result.reason;
      continue;
    }
    ASSERT_TRUE(f.told_at(FailsafeCondition::kGroundNear)) << f.result.reason;
    EXPECT_GT(f.lowest_m, bottom_m + 0.3);
    expect_up(f);
    EXPECT_EQ(f.result.reason, "a failsafe ended it: ground_near");
  }
}

TEST(FailsafeRows, WithoutABottomInReachItsRangeFinderIsNotSilent) {
  craft::MissionFile mission = shipped("pool");
  ASSERT_FALSE(mission.world.ground);
  mission.vehicle.failsafes.ground_near = {0.7, 0.5, FailsafeAction::kLand};
  mission.vehicle.failsafes.housekeeping_silent = {1, 0, FailsafeAction::kHold};
  const Flown f = fly(mission);
  EXPECT_EQ(f.result.verdict, Verdict::kPass) << f.result.reason;
}

TEST(FailsafeRows, AnEstimatorThatLosesItsPlaceBringsItUp) {
  craft::MissionFile mission = shipped("pool");
  mission.vehicle.failsafes.place_uncertain = {1, 0.5, FailsafeAction::kLand};
  const auto drifts = [](double from_s) {
    return [from_s](Inputs& in) {
      in.odometry.position_std_m += std::max(0.0, 0.5 * (in.now.seconds() - from_s));
    };
  };
  const Flown whole = fly(mission, {.bend = drifts(1e9)});
  EXPECT_EQ(whole.result.verdict, Verdict::kPass) << whole.result.reason;
  const Flown f = fly(mission, {.bend = drifts(kFrom_s)});
  expect_told(f, FailsafeCondition::kPlaceUncertain, 2 + 0.5);
  EXPECT_GE(*f.told_at(FailsafeCondition::kPlaceUncertain), kFrom_s + 1.9);
  expect_up(f);
  EXPECT_EQ(f.result.reason, "a failsafe ended it: place_uncertain");
}

TEST(FailsafeRows, APropellerThatShakesItIsALanding) {
  craft::MissionFile mission = shipped("hover_box");
  mission.vehicle.failsafes.vibration = {8, 1, FailsafeAction::kLand};
  const Flown whole = fly(mission);
  EXPECT_FALSE(whole.told_at(FailsafeCondition::kVibration));
  EXPECT_EQ(whole.result.verdict, Verdict::kPass) << whole.result.reason;
  const Flown f = fly(mission, {.bend = [](Inputs& in) {
                        const double t = in.now.seconds();
                        if (t >= kFrom_s) in.imu.f_B.x += 14 * std::sin(2 * kPi * 37 * t);
                      }});
  expect_told(f, FailsafeCondition::kVibration, 4);
  EXPECT_TRUE(f.latched) << f.result.reason;
  EXPECT_LT(f.last.X_WB.p.z, 0.3);
  EXPECT_FALSE(f.at(EventCode::kImpact));
  EXPECT_EQ(f.result.reason, "a failsafe ended it: vibration");
}

TEST(FailsafeRows, AFenceThatIsForeseenIsNotLeft) {
  for (const double ahead_s : {0.0, 4.0}) {
    craft::MissionFile mission = shipped("hover_box");
    mission.vehicle.failsafes.fence =
        stack::Fence{0, 0, 6, 0, 0, 0, FailsafeAction::kHold, ahead_s};
    const Flown f = fly(mission, {.until_s = 40,
                                  .bend =
                                      [](Inputs& in) {
                                        in.has_setpoint = true;
                                        in.setpoint = {};
                                        in.setpoint.X_WD.p.z = 2;
                                        in.setpoint.mode[0] = AxisMode::kVelocity;
                                        in.setpoint.V_WD_B.v.x = in.now.seconds() > 10 ? 1.0 : 0;
                                      },
                                  .planner = true});
    ASSERT_TRUE(f.told_at(FailsafeCondition::kFence)) << f.result.reason;
    EXPECT_EQ((f.farthest_m < 6), (ahead_s > 0)) << f.farthest_m;
    EXPECT_LT(norm(f.last.V_WB_B.v), 0.1) << "it holds";
  }
}

TEST(FailsafeRows, AGoalThatIsGivenAgainAndAgainTakesItThroughNoFenceThatIsForeseen) {
  for (const bool by_wrench : {false, true}) {
    craft::MissionFile mission = shipped("hover_box");
    mission.vehicle.failsafes.fence = stack::Fence{0, 0, 6, 0, 0, 0, FailsafeAction::kHold, 4};
    int changes = 0;
    stack::Authority by = stack::Authority::kSafe;
    const Flown f = fly(mission, {.until_s = 60,
                                  .bend =
                                      [by_wrench](Inputs& in) {
                                        in.has_setpoint = true;
                                        in.setpoint = {};
                                        in.setpoint.X_WD.p = {5.95, 0, 2};
                                        if (!by_wrench || in.now.seconds() < 10) return;
                                        in.setpoint.mode[0] = AxisMode::kWrench;
                                        in.setpoint.F_Bo_B.force.x = 20;
                                      },
                                  .planner = true,
                                  .watch =
                                      [&](const stack::Outputs& o, const world::Truth&) {
                                        changes += o.authority != by ? 1 : 0;
                                        by = o.authority;
                                      }});
    ASSERT_TRUE(f.told_at(FailsafeCondition::kFence)) << by_wrench;
    EXPECT_LT(f.farthest_m, 6) << by_wrench;
    const auto told = std::count_if(f.said.begin(), f.said.end(),
                                    [](const Event& e) { return e.code == EventCode::kFailsafe; });
    EXPECT_LE(told, 10) << by_wrench;
    EXPECT_LE(changes, 60) << by_wrench << ": held and led in turns, a second each";
  }
}

TEST(FailsafeRows, ABusThatNobodyMeasuresHoldsItUntilSomebodyDoes) {
  craft::MissionFile mission = shipped("pool");
  mission.vehicle.failsafes.bus_silent = {3, 0, FailsafeAction::kHold};
  mission.input_faults.push_back(
      {stack::InputCode::kBusVoltage, InputFaultKind::kOff, kFrom_s, kFrom_s + 15, 0});
  const Flown f = fly(mission, {.schedule = {{kFrom_s + 25, "resume"}}});
  expect_told(f, FailsafeCondition::kBusSilent, 3);
  ASSERT_TRUE(f.at(EventCode::kMissionPaused));
  EXPECT_NEAR(*f.at(EventCode::kMissionPaused), *f.told_at(FailsafeCondition::kBusSilent), 0.05);
  const auto over = f.told_at(FailsafeCondition::kBusSilent, EventCode::kFailsafeOver);
  ASSERT_TRUE(over);
  EXPECT_NEAR(*over, kFrom_s + 15 + 1, 0.2) << "a second within its limit";
  ASSERT_TRUE(f.at(EventCode::kMissionResumed));
  EXPECT_GT(*f.at(EventCode::kMissionResumed), *over) << "by its operator, not by itself";
}

TEST(FailsafeRows, TooDeepIsTheAbortPathAtOnce) {
  craft::MissionFile mission = shipped("pool");
  mission.vehicle.failsafes.depth = {1.2, 0.2, FailsafeAction::kAbort};
  const Flown f = fly(mission);
  ASSERT_TRUE(f.told_at(FailsafeCondition::kDepth)) << f.result.reason;
  EXPECT_EQ(f.result.verdict, Verdict::kAborted) << f.result.reason;
  EXPECT_GT(f.lowest_m, -1.5) << "the goal, which it never came to";
  EXPECT_GT(f.last.X_WB.p.z, kSurface_m);
}

TEST(FailsafeRows, TooHighIsALandingFromWhereItIs) {
  craft::MissionFile mission = shipped("hover_box");
  mission.vehicle.failsafes.height = {2.5, 0, FailsafeAction::kLand};
  const Flown f = fly(mission);
  ASSERT_TRUE(f.told_at(FailsafeCondition::kHeight)) << f.result.reason;
  EXPECT_LT(f.highest_m, 2.9) << "the goal was 3 m";
  EXPECT_TRUE(f.latched) << f.result.reason;
  EXPECT_LT(f.last.X_WB.p.z, 0.3);
  EXPECT_FALSE(f.at(EventCode::kImpact));
  EXPECT_NE(f.result.verdict, Verdict::kPass);
  EXPECT_EQ(f.result.reason, "a failsafe ended it: height");
}

TEST(FailsafeRows, PressureInTheHullBringsItUp) {
  craft::MissionFile mission = shipped("pool");
  mission.vehicle.failsafes.pressure = {105, 0.5, FailsafeAction::kLand};
  mission.world.device_faults.push_back(
      {world::Device::kHull, world::DeviceFaultKind::kPresses, kFrom_s, 1e9, 112});
  const Flown f = fly(mission);
  expect_told(f, FailsafeCondition::kPressure, 1);
  expect_up(f);
  EXPECT_EQ(f.result.reason, "a failsafe ended it: pressure");
}

TEST(FailsafeRows, AHullThatSaysNothingBringsItUp) {
  craft::MissionFile mission = shipped("pool");
  mission.vehicle.failsafes.housekeeping_silent = {2, 0, FailsafeAction::kLand};
  mission.world.device_faults.push_back(
      {world::Device::kHull, world::DeviceFaultKind::kSilent, kFrom_s, 1e9, 0});
  const Flown f = fly(mission);
  expect_told(f, FailsafeCondition::kHousekeepingSilent, 3);
  expect_up(f);
  EXPECT_EQ(f.result.reason, "a failsafe ended it: housekeeping_silent");
}

TEST(FailsafeRows, AChargeThatNobodyTellsIsTheAbortPath) {
  craft::MissionFile mission = shipped("pool");
  mission.vehicle.failsafes.battery_low = {0.2, 1, FailsafeAction::kWarn};
  mission.vehicle.failsafes.battery_silent = {2, 0, FailsafeAction::kAbort};
  const Flown f = fly(mission, {.bend = [](Inputs& in) {
                        if (in.now.seconds() >= kFrom_s)
                          in.housekeeping.valid &= static_cast<std::uint8_t>(~unsigned{kHasCharge});
                      }});
  expect_told(f, FailsafeCondition::kBatterySilent, 3);
  expect_up(f);
  EXPECT_EQ(f.result.verdict, Verdict::kAborted) << f.result.reason;
}

/// In place of a mission: dives, or climbs, and goes ahead until it dies.
testing::Bend planner(double dies_s, double z_m) {
  return [=](Inputs& in) {
    if (in.now.seconds() >= dies_s) return;
    in.has_setpoint = true;
    in.setpoint = {};
    in.setpoint.X_WD.p.z = z_m;
    in.setpoint.mode[0] = AxisMode::kVelocity;
    in.setpoint.V_WD_B.v.x = 0.2;
  };
}

TEST(FailsafeRows, WhatDivesComesUpWhenItsPlannerHasDied) {
  craft::MissionFile mission = shipped("pool");
  mission.vehicle.failsafes.planner = {3, 0, FailsafeAction::kLand};
  const Flown alive = fly(mission, {.until_s = 40, .bend = planner(1e9, -1.5), .planner = true});
  EXPECT_FALSE(alive.told_at(FailsafeCondition::kPlanner));
  EXPECT_LT(alive.last.X_WB.p.z, -1.2);
  const Flown f = fly(mission, {.until_s = 50, .bend = planner(kFrom_s, -1.5), .planner = true});
  expect_told(f, FailsafeCondition::kPlanner, 3);
  EXPECT_LT(f.lowest_m, -1.2);
  EXPECT_GT(f.last.X_WB.p.z, kSurface_m);
  EXPECT_LT(norm(f.last.V_WB_B.v), 0.1) << "held there, and nowhere else";
}

TEST(FailsafeRows, WhatFliesComesDownWhenItsPlannerHasDied) {
  craft::MissionFile mission = shipped("hover_box");
  mission.vehicle.failsafes.planner = {3, 0, FailsafeAction::kLand};
  const Flown f = fly(mission, {.until_s = 50, .bend = planner(kFrom_s, 2), .planner = true});
  expect_told(f, FailsafeCondition::kPlanner, 3);
  EXPECT_GT(f.highest_m, 1.5);
  EXPECT_TRUE(f.latched);
  EXPECT_LT(f.last.X_WB.p.z, 0.3);
  EXPECT_FALSE(f.at(EventCode::kImpact));
  EXPECT_EQ(f.effort_at_end, 0);
}

TEST(FailsafeRows, WithoutItsInertialSensorItIsNotArmedAndLandsWhereItWasFlying) {
  craft::MissionFile mission = shipped("hover_box");
  ASSERT_TRUE(mission.vehicle.failsafes.imu_silent) << "as it is shipped";
  const auto dies = [&mission](double from_s) {
    craft::MissionFile m = mission;
    m.input_faults.push_back({stack::InputCode::kImu, InputFaultKind::kOff, from_s, 1e9, 0});
    return fly(m);
  };
  const Flown never = dies(0);
  EXPECT_NE(never.result.reason.find("may not be armed: imu silent"), std::string::npos)
      << never.result.reason;
  EXPECT_LT(never.highest_m, 1);
  const Flown f = dies(kFrom_s);
  expect_told(f, FailsafeCondition::kImuSilent, 0.5);
  EXPECT_NE(f.result.verdict, Verdict::kPass);
  EXPECT_FALSE(f.at(EventCode::kImpact)) << "its odometry is there";
  EXPECT_LT(f.last.X_WB.p.z, 0.3) << f.result.reason;
}

TEST(FailsafeRows, ALongerFlightThanItMayMakeIsTheAbortPath) {
  craft::MissionFile mission = shipped("hover_box");
  mission.vehicle.failsafes.flight_time = {10, 0, FailsafeAction::kAbort};
  const Flown f = fly(mission);
  ASSERT_TRUE(f.told_at(FailsafeCondition::kFlightTime)) << f.result.reason;
  EXPECT_TRUE(f.at(EventCode::kMissionAborted));
  EXPECT_NE(f.result.verdict, Verdict::kPass);
  EXPECT_FALSE(f.at(EventCode::kImpact));
  EXPECT_LT(f.last.X_WB.p.z, 0.3) << f.result.reason;
  mission.vehicle.failsafes.flight_time = {1000, 0, FailsafeAction::kAbort};
  EXPECT_EQ(fly(mission).result.verdict, Verdict::kPass);
}

TEST(FailsafeRows, TheWayHomeIsTakenWhileTheChargeLastsForIt) {
  craft::MissionFile mission = shipped("pool");
  // 0.005 a second, as much for each of the way out as of the way back: 0.01 since it set out
  const auto drains = [](Inputs& in) {
    planner(1e9, -1.5)(in);
    in.housekeeping.charge = 1 - 0.005 * in.now.seconds();
  };
  mission.vehicle.failsafes.way_home = {0.6, 0.2, 0.5, FailsafeAction::kLand};
  const Flown f = fly(mission, {.until_s = 65, .bend = drains, .planner = true});
  ASSERT_TRUE(f.told_at(FailsafeCondition::kWayHome)) << f.result.reason;
  EXPECT_NEAR(*f.told_at(FailsafeCondition::kWayHome), 42, 4);
  EXPECT_GT(f.last.X_WB.p.z, kSurface_m);
}

TEST(FailsafeRows, AHeightThatIsLostIsToldAndOneThatIsToBeReachedIsNot) {
  craft::MissionFile mission = shipped("hover_box");
  mission.vehicle.failsafes.height_lost = {1, 0.2, FailsafeAction::kLand};
  const Flown whole = fly(mission);
  EXPECT_FALSE(whole.told_at(FailsafeCondition::kHeightLost));
  EXPECT_EQ(whole.result.verdict, Verdict::kPass) << whole.result.reason;
  for (const auto& p : mission.vehicle.vehicle.propulsors)
    mission.world.faults.push_back({p.name, world::FaultKind::kWeak, kFrom_s, 1e9, 0.5, false});
  const Flown f = fly(mission);
  ASSERT_TRUE(f.told_at(FailsafeCondition::kHeightLost)) << f.result.reason;
  ASSERT_TRUE(f.at(EventCode::kImpact)) << "half the thrust carries nothing";
  EXPECT_LT(*f.told_at(FailsafeCondition::kHeightLost), *f.at(EventCode::kImpact));
  EXPECT_TRUE(f.latched);
}

TEST(FailsafeRows, WhatHasHitTheGroundAndFliesOnHasFailed) {
  craft::MissionFile mission = shipped("hover_box");
  mission.vehicle.failsafes = {};
  for (const auto& p : mission.vehicle.vehicle.propulsors)
    mission.world.faults.push_back(
        {p.name, world::FaultKind::kWeak, kFrom_s, kFrom_s + 1.5, 0.3, false});
  const Flown f = fly(mission);
  ASSERT_TRUE(f.at(EventCode::kImpact)) << f.result.reason;
  EXPECT_EQ(f.result.verdict, Verdict::kFail) << f.result.reason;
  for (const Event& e : f.said)
    EXPECT_FALSE(e.code == EventCode::kStateSucceeded &&
                 e.time.seconds() > *f.at(EventCode::kImpact));
}

TEST(FailsafeRows, WhatStaysArmedOnTheGroundIsSwitchedOffAndWhatFliesIsNot) {
  craft::MissionFile mission = shipped("hover_box");
  mission.vehicle.failsafes.on_ground = {8, 0, FailsafeAction::kLand};
  const Flown waits = fly(mission, {.until_s = 20, .planner = true});
  ASSERT_TRUE(waits.told_at(FailsafeCondition::kOnGround)) << "nobody has it take off";
  ASSERT_TRUE(waits.at(EventCode::kArmed));
  EXPECT_NEAR(*waits.told_at(FailsafeCondition::kOnGround) - *waits.at(EventCode::kArmed), 8, 0.1);
  EXPECT_TRUE(waits.latched);
  EXPECT_EQ(waits.effort_at_end, 0);
  EXPECT_LT(waits.highest_m, 0.2);
  const Flown f = fly(mission, {.until_s = 130});
  ASSERT_TRUE(f.at(EventCode::kMissionFinished)) << f.result.reason;
  ASSERT_TRUE(f.told_at(FailsafeCondition::kOnGround)) << "it stays armed where it has landed";
  EXPECT_GT(*f.told_at(FailsafeCondition::kOnGround), *f.at(EventCode::kMissionFinished))
      << "turbines that spool up, and a minute in the air";
  EXPECT_LT(*f.told_at(FailsafeCondition::kOnGround), *f.at(EventCode::kMissionFinished) + 9);
  EXPECT_GT(f.highest_m, 2.5);
  EXPECT_TRUE(f.latched);
  EXPECT_FALSE(f.at(EventCode::kImpact));
}

TEST(FailsafeRows, AComputerThatStoppedForAWhileIsToldAndHoldsItOrBringsItDown) {
  craft::MissionFile pool = shipped("pool");
  pool.vehicle.failsafes.tick_late = {0.3, 0, FailsafeAction::kHold};
  const Flown brief = fly(pool, {.stands = {kFrom_s, 0.2}});
  EXPECT_FALSE(brief.told_at(FailsafeCondition::kTickLate));
  EXPECT_EQ(brief.result.verdict, Verdict::kPass) << brief.result.reason;
  const Flown held = fly(pool, {.schedule = {{kFrom_s + 5, "resume"}}, .stands = {kFrom_s, 0.5}});
  expect_told(held, FailsafeCondition::kTickLate, 0.5);
  ASSERT_TRUE(held.at(EventCode::kMissionPaused));
  EXPECT_EQ(*held.at(EventCode::kMissionPaused), *held.told_at(FailsafeCondition::kTickLate));
  const auto over = held.told_at(FailsafeCondition::kTickLate, EventCode::kFailsafeOver);
  ASSERT_TRUE(over);
  EXPECT_NEAR(*over, kFrom_s + 0.5 + 1, 0.1) << "ticks have come in time for a second";
  ASSERT_TRUE(held.at(EventCode::kMissionResumed));
  EXPECT_EQ(held.result.verdict, Verdict::kPass) << held.result.reason;

  craft::MissionFile box = shipped("hover_box");
  box.vehicle.failsafes.tick_late = {0.3, 0, FailsafeAction::kLand};
  const Flown down = fly(box, {.until_s = 60, .stands = {kFrom_s, 0.5}});
  expect_told(down, FailsafeCondition::kTickLate, 0.5);
  EXPECT_GT(down.highest_m, 1.5);
  EXPECT_TRUE(down.latched);
  EXPECT_LT(down.last.X_WB.p.z, 0.3);
  EXPECT_FALSE(down.at(EventCode::kImpact));
}

// ------------------------------------------------------------------ a landing on the engine

void heat(craft::MissionFile& mission, FailsafeAction action, double from_s) {
  mission.vehicle.failsafes.temperature = {70, 0.2, action};
  mission.world.device_faults = {
      {world::Device::kHull, world::DeviceFaultKind::kHeats, from_s, 1e9, 85}};
}

/// The beginning of the burn that brakes: the last one.
double burns_at(const Flown& f) {
  double at = 0;
  for (const Event& e : f.said)
    if (e.code == EventCode::kLandingPhase &&
        e.subject == static_cast<std::int32_t>(control::LandingPhase::kBurn))
      at = e.time.seconds();
  return at;
}

void expect_stands(const Flown& f, double x_m, const std::string& what) {
  EXPECT_FALSE(f.at(EventCode::kImpact)) << what;
  EXPECT_FALSE(f.at(EventCode::kMissionPaused)) << what;
  EXPECT_LT(std::hypot(f.last.X_WB.p.x - x_m, f.last.X_WB.p.y), 1.2) << what;
  EXPECT_LT(f.last.X_WB.p.z, 2.7) << what;
  EXPECT_GT(rotate(f.last.X_WB.q, {0, 0, 1}).z, 0.99) << what;
  EXPECT_LT(norm(f.last.V_WB_B.v), 0.3) << what;
}

// without its engine it falls: to hold it, or to end its mission, is to crash it
TEST(FailsafeRows, ALandingOnTheEngineGoesOnWhetherARowHoldsAbortsOrLands) {
  const Flown whole = fly(shipped("rocket_landing"));
  ASSERT_EQ(whole.result.verdict, Verdict::kPass) << whole.result.reason;
  const double burns_s = burns_at(whole);
  ASSERT_GT(burns_s, 6);
  for (const FailsafeAction action :
       {FailsafeAction::kHold, FailsafeAction::kAbort, FailsafeAction::kLand})
    for (const double hot_s : {4.0, burns_s + 0.5}) {
      const std::string what = std::string(to_string(action)) + " at " + std::to_string(hot_s);
      craft::MissionFile mission = shipped("rocket_landing");
      heat(mission, action, hot_s);
      FailsafeAction done = FailsafeAction::kWarn;
      const Flown f = fly(mission, {.watch = [&done](const stack::Outputs& out, const auto&) {
                            done = std::max(done, out.failsafe.action);
                          }});
      // a hold is not done, and not said to be
      EXPECT_EQ(done,
                action == FailsafeAction::kHold ? FailsafeAction::kWarn : FailsafeAction::kLand)
          << what;
      ASSERT_TRUE(f.told_at(FailsafeCondition::kTemperature)) << what;
      EXPECT_NEAR(*f.told_at(FailsafeCondition::kTemperature), hot_s + 0.2, 0.1) << what;
      EXPECT_EQ(f.result.verdict, Verdict::kPass) << what << ": " << f.result.reason;
      EXPECT_FALSE(f.at(EventCode::kMissionAborted)) << what;
      expect_stands(f, 0, what);
    }
}

TEST(FailsafeRows, WhatLandedOnItsEngineBecauseOfARowIsLatchedOnceItStands) {
  for (const FailsafeAction action :
       {FailsafeAction::kHold, FailsafeAction::kAbort, FailsafeAction::kLand}) {
    const std::string what(to_string(action));
    craft::MissionFile mission = shipped("rocket_landing");
    mission.mission.states.front().success.settle_s = 3;
    heat(mission, action, 4);
    const Flown f = fly(mission, {.until_s = 40});
    expect_stands(f, 0, what);
    EXPECT_EQ(f.latched, action != FailsafeAction::kHold) << what;
    // it has the time to see that it has landed
    double ended_as = -1;
    for (const Event& e : f.said)
      if (e.code == EventCode::kMissionFinished) ended_as = e.value;
    EXPECT_EQ(ended_as, static_cast<double>(MissionPhase::kPassed)) << what;
  }
}

TEST(FailsafeRows, AnAbortPathThatLandsOnTheEngineToo) {
  craft::MissionFile mission = shipped("rocket_landing");
  mission::StateSpec aside = mission.mission.states.front();
  aside.name = "aside";
  aside.go.x_m = 12;
  aside.go.z_m = 2.425;
  mission.mission.states.front().on_abort = "aside";
  aside.on_success = "abort";
  aside.on_failure = "abort";
  mission.mission.states.push_back(aside);
  heat(mission, FailsafeAction::kAbort, 3);
  const Flown f = fly(mission);
  ASSERT_TRUE(f.told_at(FailsafeCondition::kTemperature)) << f.result.reason;
  ASSERT_TRUE(f.at(EventCode::kMissionAborted)) << f.result.reason;
  EXPECT_EQ(f.result.verdict, Verdict::kAborted) << f.result.reason;
  expect_stands(f, 12, "is the path that is taken");
}

// ------------------------------------------------------------------ a ship

/// Where it really was when a row came on, how far it went from there, and within the last half minute.
struct Kept {
  Flown flown;
  double from_there_m = 0, at_last_m = 0, under_way_m_s = 0;
};
Kept keep(FailsafeAction action, double hot_s, double until_s) {
  craft::MissionFile mission = shipped("harbour");
  heat(mission, action, hot_s);
  Kept k;
  std::optional<Vec3> there;
  k.flown = fly(
      mission, {.until_s = until_s, .watch = [&](const stack::Outputs& o, const world::Truth& now) {
                  for (const Event& e : o.events)
                    if (e.code == EventCode::kFailsafe) {
                      there = now.X_WB.p;
                      k.under_way_m_s = norm(now.V_WB_B.v);
                    }
                  if (!there) return;
                  const Vec3 d = now.X_WB.p - *there;
                  const double off_m = std::hypot(d.x, d.y);
                  k.from_there_m = std::max(k.from_there_m, off_m);
                  if (o.now.seconds() > until_s - 30) k.at_last_m = std::max(k.at_last_m, off_m);
                }});
  return k;
}

TEST(FailsafeRows, AShipHoldsItsPlaceWhateverIsAskedForButOff) {
  // ahead, between its first two places
  constexpr double kHot_s = 70;
  for (const FailsafeAction action : {FailsafeAction::kHold, FailsafeAction::kLand}) {
    const Kept k = keep(action, kHot_s, kHot_s + 120);
    const Flown& f = k.flown;
    ASSERT_TRUE(f.told_at(FailsafeCondition::kTemperature)) << to_string(action);
    EXPECT_NEAR(*f.told_at(FailsafeCondition::kTemperature), kHot_s + 0.2, 0.2);
    EXPECT_GT(k.under_way_m_s, 0.3) << "it was under way: " << to_string(action);
    EXPECT_LT(k.from_there_m, 3) << "what it takes to stop: " << to_string(action);
    EXPECT_LT(k.at_last_m, 1) << to_string(action);
    EXPECT_FALSE(f.latched) << to_string(action);
    EXPECT_EQ(f.at(EventCode::kMissionPaused).has_value(), action == FailsafeAction::kHold);
    EXPECT_EQ(f.at(EventCode::kMissionFinished).has_value(), action == FailsafeAction::kLand);
  }
  const Kept off = keep(FailsafeAction::kOff, kHot_s, kHot_s + 120);
  ASSERT_TRUE(off.flown.told_at(FailsafeCondition::kTemperature));
  EXPECT_TRUE(off.flown.latched);
  EXPECT_EQ(off.flown.effort_at_end, 0);
  EXPECT_GT(off.at_last_m, 10) << "the tide takes it";
}

// ------------------------------------------------------------------ flown by velocity

/// In the air on the way to the car, with a row.
DeliveryRig flying(const stack::FailsafeParams& rows) {
  stack::Model model = testing::delivery_model();
  model.failsafe = rows;
  model.failsafes = stack::rows_of(rows);
  DeliveryRig rig(std::move(model));
  rig.start();
  EXPECT_TRUE(rig.run_until(rig.index_of("fly_to_car"), 200));
  rig.run(0.5);
  EXPECT_FALSE(rig.happened(EventCode::kFailsafe));
  rig.said.clear();
  return rig;
}

bool is_on(const DeliveryRig& rig, FailsafeCondition c) {
  return (rig.out->failsafe.on >> static_cast<unsigned>(c) & 1U) != 0;
}

TEST(FailsafeRowsByVelocity, ACriticalChargeIsALandingWhereItIs) {
  stack::FailsafeParams rows;
  rows.battery_critical = {0.3, 0.5, FailsafeAction::kLand};
  DeliveryRig rig = flying(rows);
  const Vec3 from = rig.p;
  rig.battery = 0.25;
  ASSERT_TRUE(rig.run_until_so([&] { return rig.phase == FlightPhase::kLanding; }, 3))
      << "asked of the flight controller";
  EXPECT_TRUE(is_on(rig, FailsafeCondition::kBatteryCritical));
  EXPECT_TRUE(rig.run_to_end(100));
  EXPECT_EQ(rig.phase, FlightPhase::kMotorsOff);
  EXPECT_LT(std::hypot(rig.p.x - from.x, rig.p.y - from.y), 1) << "and not at home";
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kAborted);
}

bool has_alarm(const DeliveryRig& rig, AlarmCode code, std::int32_t subject = -1) {
  return std::any_of(rig.out->alarms.begin(), rig.out->alarms.end(), [&](const Alarm& a) {
    return a.code == code && a.subject == subject && a.severity == Severity::kError;
  });
}

TEST(FailsafeRowsByVelocity, AFlightControllerThatIsSilentIsTheDeclaredActionAndAnAlarm) {
  for (const auto& [action, phase] : {std::pair{FailsafeAction::kWarn, MissionPhase::kRunning},
                                      std::pair{FailsafeAction::kHold, MissionPhase::kPaused},
                                      std::pair{FailsafeAction::kAbort, MissionPhase::kAborting}}) {
    stack::FailsafeParams rows;
    rows.flight_silent = {0.6, 0, action};
    DeliveryRig rig = flying(rows);
    ASSERT_FALSE(has_alarm(rig, AlarmCode::kFlightLost));
    rig.fail(testing::Part::kFlight, testing::Fault::kMissing);
    rig.run(0.5);
    EXPECT_FALSE(is_on(rig, FailsafeCondition::kFlightSilent)) << to_string(action);
    rig.run(0.3);
    EXPECT_TRUE(is_on(rig, FailsafeCondition::kFlightSilent)) << to_string(action);
    EXPECT_EQ(rig.out->mission.phase, phase) << to_string(action);
    EXPECT_FALSE(has_alarm(rig, AlarmCode::kFlightLost)) << "not yet stale";
    rig.run(0.5);
    EXPECT_TRUE(has_alarm(rig, AlarmCode::kFlightLost)) << to_string(action);
    rig.fault = {};
    rig.run(1.3);
    EXPECT_FALSE(is_on(rig, FailsafeCondition::kFlightSilent)) << to_string(action);
    EXPECT_FALSE(has_alarm(rig, AlarmCode::kFlightLost)) << to_string(action);
  }
}

TEST(FailsafeRowsByVelocity, PastTheMissionsOwnLimitsIsAnAlarm) {
  using mission::MissionLimit;
  const auto alarm = [](const DeliveryRig& rig, MissionLimit l) {
    return has_alarm(rig, AlarmCode::kMissionLimit, static_cast<std::int32_t>(l));
  };
  for (const MissionLimit past :
       {MissionLimit::kCharge, MissionLimit::kFence, MissionLimit::kCeiling}) {
    DeliveryRig rig = flying({});
    for (const MissionLimit l :
         {MissionLimit::kCharge, MissionLimit::kFence, MissionLimit::kCeiling})
      ASSERT_FALSE(alarm(rig, l)) << to_string(l);
    const mission::AircraftSpec& spec = rig.model.mission.aircraft;
    if (past == MissionLimit::kCharge) rig.battery = spec.battery_min - 0.01;
    if (past == MissionLimit::kFence) rig.wind = {0, 2.5, 0};
    if (past == MissionLimit::kCeiling) rig.wind = {0, 0, 2.5};
    ASSERT_TRUE(rig.run_until_so([&] { return alarm(rig, past); }, 60)) << to_string(past);
    EXPECT_EQ(rig.out->mission.phase, MissionPhase::kAborting) << to_string(past);
    rig.wind = {};
    EXPECT_TRUE(rig.run_to_end(300)) << to_string(past);
    EXPECT_FALSE(alarm(rig, past)) << "on the ground";
  }
}

TEST(FailsafeRowsByVelocity, AnAlarmIsNotOverWhileNobodyKnowsNorForAMoment) {
  using mission::MissionLimit;
  const auto charge = [](const DeliveryRig& rig) {
    return has_alarm(rig, AlarmCode::kMissionLimit,
                     static_cast<std::int32_t>(MissionLimit::kCharge));
  };
  DeliveryRig rig = flying({});
  const double least = rig.model.mission.aircraft.battery_min;
  // by a hair, to and fro
  int changes = 0;
  for (int i = 0; i < 200; ++i) {
    const bool before = charge(rig);
    rig.battery = least + (i % 2 == 0 ? -0.001 : 0.001);
    rig.tick();
    changes += charge(rig) != before ? 1 : 0;
  }
  EXPECT_EQ(changes, 1);
  EXPECT_TRUE(charge(rig));
  rig.tells_battery = false;
  rig.run(2);
  EXPECT_TRUE(charge(rig)) << "nobody says that it is charged";
  rig.tells_battery = true;
  rig.battery = 0.9;
  rig.run(0.8);
  EXPECT_TRUE(charge(rig));
  rig.run(0.4);
  EXPECT_FALSE(charge(rig));
}

TEST(FailsafeRowsByVelocity, OutsideItsFenceItHoldsAndAnOperatorHasTheLastWord) {
  stack::FailsafeParams rows;
  rows.fence = stack::Fence{};
  rows.fence->radius_m = 1.2;  // the car is 2.2 m away
  rows.fence->action = FailsafeAction::kHold;
  DeliveryRig rig = flying(rows);
  ASSERT_TRUE(rig.run_until_so([&] { return is_on(rig, FailsafeCondition::kFence); }, 30));
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kPaused);
  rig.run(10);
  const Vec3 at = rig.out->used.X_WB.p;
  EXPECT_LT(std::hypot(at.x, at.y), 1.7) << "no further than it takes to stop";
  EXPECT_LT(norm(rig.v), 0.05);
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kPaused);
  rig.command(stack::CommandCode::kMissionResume);
  rig.run(3);
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kRunning);
}

TEST(FailsafeRowsByVelocity, AGoalFromOutsideBeyondARowIsRefusedAtOnce) {
  stack::FailsafeParams rows;
  rows.fence = stack::Fence{};
  rows.fence->radius_m = 4;
  rows.fence->action = FailsafeAction::kHold;
  rows.height = {3, 0, FailsafeAction::kHold};
  DeliveryRig rig = flying(rows);
  rig.command(stack::CommandCode::kMissionPause);
  rig.run(1);
  std::uint64_t id = 0;
  for (const Vec3 goal : {Vec3{3, 0, 1.5}, Vec3{4.5, 0, 1.5}, Vec3{0, 0, 3.5}}) {
    rig.ask(NavigationAsk::kGoal, ++id, goal);
    rig.tick();
    EXPECT_EQ(rig.out->navigation.active, id == 1) << id;
    rig.ask(NavigationAsk::kCancel, id);
    rig.tick();
  }
}

TEST(FailsafeRowsByVelocity, NobodyFromOutsideFliesWhatAFailsafeHolds) {
  stack::FailsafeParams rows;
  rows.battery_low = {0.5, 0, FailsafeAction::kHold};
  DeliveryRig rig = flying(rows);
  rig.battery = 0.4;
  ASSERT_TRUE(rig.run_until_so([&] { return is_on(rig, FailsafeCondition::kBatteryLow); }, 3));
  ASSERT_EQ(rig.out->mission.phase, MissionPhase::kPaused);
  rig.run(5);
  rig.ask(NavigationAsk::kGoal, 1, rig.out->used.X_WB.p + Vec3{1, 0, 0});
  rig.run(1);
  EXPECT_FALSE(rig.out->navigation.active);
  EXPECT_EQ(rig.out->owner, mission::Owner::kNobody);
  EXPECT_LT(norm(rig.v), 0.05);
}

TEST(FailsafeRowsByVelocity, AChargeWhoseStampStandsIsNotTold) {
  stack::FailsafeParams rows;
  rows.battery_silent = {1, 0, FailsafeAction::kWarn};
  DeliveryRig rig = flying(rows);
  rig.fail(testing::Part::kFlight, testing::Fault::kStale);
  rig.run(0.8);
  EXPECT_FALSE(is_on(rig, FailsafeCondition::kBatterySilent));
  rig.run(0.5);
  EXPECT_TRUE(is_on(rig, FailsafeCondition::kBatterySilent));
}

TEST(FailsafeRowsByVelocity, WhatWasCutOffInTheAirIsDisarmedOnceItHasLanded) {
  DeliveryRig rig = flying({});
  rig.command(stack::CommandCode::kMissionCutoff);
  rig.run(1);
  rig.command(stack::CommandCode::kMissionStep, rig.index_of("landing"));
  ASSERT_TRUE(rig.run_until_so([&] { return rig.phase == FlightPhase::kMotorsOff; }, 60));
  rig.run(2);
  EXPECT_EQ(rig.out->arm, stack::ArmState::kArmed) << "a bounce is no landing";
  rig.run(3);  // the step is over after 4.4 s
  EXPECT_EQ(rig.out->arm, stack::ArmState::kDisarmed);
}

TEST(FailsafeRowsByVelocity, AnOperatorWhoFallsSilentIsTheWayHome) {
  stack::FailsafeParams rows;
  rows.heartbeat = {2, 0, FailsafeAction::kAbort};
  DeliveryRig rig = flying(rows);
  rig.pending.push_back({stack::CommandCode::kHeartbeat, -1, mission::Operator::kCli});
  rig.run(1.8);
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kRunning);
  rig.run(0.4);
  EXPECT_TRUE(is_on(rig, FailsafeCondition::kHeartbeat));
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kAborting);
  EXPECT_TRUE(rig.run_to_end(300));
  EXPECT_EQ(rig.phase, FlightPhase::kMotorsOff);
}

TEST(FailsafeRowsByVelocity, TooHighIsTheAbortPathAndItComesDown) {
  stack::FailsafeParams rows;
  rows.height = {0.9, 0.2, FailsafeAction::kAbort};  // it flies at 1.1 m
  stack::Model model = testing::delivery_model();
  model.failsafe = rows;
  model.failsafes = stack::rows_of(rows);
  DeliveryRig rig(std::move(model));
  rig.start();
  ASSERT_TRUE(rig.run_until_so([&] { return is_on(rig, FailsafeCondition::kHeight); }, 100));
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kAborting);
  EXPECT_TRUE(rig.run_to_end(300));
  EXPECT_EQ(rig.phase, FlightPhase::kMotorsOff);
}

TEST(FailsafeRowsByVelocity, ABusOrAHullThatSaysNothingHoldsIt) {
  for (const bool bus : {true, false}) {
    stack::FailsafeParams rows;
    (bus ? rows.bus_silent : rows.housekeeping_silent) = {0.5, 0, FailsafeAction::kHold};
    stack::Model model = testing::delivery_model();
    DeliveryRig rig(std::move(model));
    rig.start();
    ASSERT_TRUE(rig.run_until(rig.index_of("fly_to_car"), 200));
    rig.model.failsafe = rows;
    rig.model.failsafes = stack::rows_of(rows);
    rig.run(1);
    EXPECT_TRUE(
        is_on(rig, bus ? FailsafeCondition::kBusSilent : FailsafeCondition::kHousekeepingSilent));
    EXPECT_EQ(rig.out->mission.phase, MissionPhase::kPaused);
    rig.run(5);
    EXPECT_LT(norm(rig.v), 0.05);
  }
}

// its propellers are the flight controller's: hovering on it would be alone until its battery is empty
TEST(FailsafeRowsByVelocity, OffIsLatchedWithoutAVelocityAndALanding) {
  for (const bool by_row : {true, false}) {
    stack::FailsafeParams rows;
    rows.battery_critical = {0.3, 0, FailsafeAction::kOff};
    DeliveryRig rig = flying(rows);
    if (by_row)
      rig.battery = 0.25;
    else
      rig.command(stack::CommandCode::kTerminate);
    // a first landing is refused
    rig.fail(testing::Part::kFlight, testing::Fault::kJump);
    rig.tick();
    EXPECT_EQ(rig.out->arm, stack::ArmState::kLatchedSafe) << by_row;
    rig.run(1);
    EXPECT_EQ(rig.out->motion.v_H, Vec3{}) << by_row;
    EXPECT_EQ(rig.phase, FlightPhase::kAirborne) << by_row;
    rig.fault = {};
    ASSERT_TRUE(rig.run_until_so(
        [&] {
          EXPECT_EQ(rig.out->motion.v_H, Vec3{}) << by_row;
          return rig.ended();
        },
        30))
        << by_row;
    EXPECT_EQ(rig.phase, FlightPhase::kMotorsOff) << by_row;
    EXPECT_EQ(rig.out->mission.phase, MissionPhase::kAborted) << "what is off takes no more steps";
    EXPECT_EQ(rig.out->arm, stack::ArmState::kLatchedSafe) << by_row;
  }
}

TEST(FailsafeRowsByVelocity, OffLeavesAloneWhatAPilotFlies) {
  for (const bool selected : {false, true}) {
    DeliveryRig rig = flying({});
    rig.has_control = false;
    rig.run(0.5);
    ASSERT_TRUE(rig.happened(EventCode::kControlLost));
    if (selected) rig.command(stack::CommandCode::kMissionSelect, rig.index_of("fly_back"));
    rig.run(0.5);
    rig.command(stack::CommandCode::kTerminate);
    rig.run(5);
    EXPECT_EQ(rig.out->arm, stack::ArmState::kLatchedSafe);
    EXPECT_EQ(rig.phase, FlightPhase::kAirborne) << selected;
    rig.has_control = true;
    EXPECT_TRUE(rig.run_until_so([&] { return rig.phase == FlightPhase::kMotorsOff; }, 30))
        << "handed back it is alone, selected " << selected;
  }
}

TEST(FailsafeRowsByVelocity, WhateverIsAskedForWhatIsOffLands) {
  using C = stack::CommandCode;
  const std::vector<std::pair<const char*, std::function<void(DeliveryRig&)>>> ways{
      {"at rest, while the report is late",
       [](DeliveryRig& rig) {
         rig.command(C::kMissionCutoff);
         rig.run(1);
         rig.fail(testing::Part::kFlight, testing::Fault::kMissing);
         rig.run(1.5);
         rig.command(C::kTerminate);
         rig.run(1);
         rig.fail(testing::Part::kFlight, testing::Fault::kNone);
       }},
      {"an abort in the same tick",
       [](DeliveryRig& rig) {
         rig.command(C::kTerminate);
         rig.command(C::kMissionAbort);
       }},
      {"pause, start and a jump afterwards",
       [](DeliveryRig& rig) {
         for (const C c : {C::kTerminate, C::kMissionPause, C::kMissionStart, C::kMissionCutoff}) {
           rig.command(c);
           rig.tick();
         }
         rig.command(C::kMissionJump, rig.index_of("fly_back"));
       }},
      {"on a goal from outside",
       [](DeliveryRig& rig) {
         rig.command(C::kMissionCutoff);
         rig.run(1);
         rig.ask(NavigationAsk::kGoal, 1, rig.out->used.X_WB.p + Vec3{1, 0, 0});
         rig.run(0.5);
         ASSERT_TRUE(rig.out->navigation.active);
         rig.command(C::kTerminate);
       }},
      {"refused until all attempts are over",
       [](DeliveryRig& rig) {
         rig.fail(testing::Part::kFlight, testing::Fault::kJump);
         rig.command(C::kTerminate);
         ASSERT_TRUE(rig.run_to_end(300));
         rig.fail(testing::Part::kFlight, testing::Fault::kNone);
       }},
  };
  for (const auto& [what, way] : ways) {
    DeliveryRig rig = flying({});
    way(rig);
    EXPECT_TRUE(rig.run_until_so([&] { return rig.phase == FlightPhase::kMotorsOff; }, 45)) << what;
    EXPECT_EQ(rig.out->arm, stack::ArmState::kLatchedSafe) << what;
    EXPECT_EQ(rig.out->motion.v_H, Vec3{}) << what;
    rig.run(1);
    EXPECT_NE(rig.out->mission.phase, MissionPhase::kRunning) << what;
  }
}

TEST(FailsafeRowsByVelocity, ATakeOffThatComesLateAfterAllIsLanded) {
  for (const double late_s : {1.0, 2.5}) {
    stack::Model model = testing::delivery_model();
    DeliveryRig rig(std::move(model));
    rig.take_off_late_s = late_s;
    rig.start();
    ASSERT_TRUE(rig.run_until(rig.index_of("take_off"), 200));
    rig.run(0.5);
    ASSERT_FALSE(rig.airborne());
    rig.command(stack::CommandCode::kTerminate);
    ASSERT_TRUE(rig.run_until_so([&] { return rig.airborne(); }, 15)) << late_s;
    EXPECT_TRUE(rig.run_until_so([&] { return !rig.airborne(); }, 30)) << late_s;
  }
}

// a wall, a branch: its own velocity turns within a tick, and it hovers on
TEST(FailsafeRowsByVelocity, AfterABlowItLandsWhereItIsAndNothingSucceeds) {
  for (const double blow : {1.5, 2.5}) {
    for (const bool blind : {false, true}) {
      DeliveryRig rig = flying({});
      if (blind) rig.fail(testing::Part::kOdometry, testing::Fault::kMissing);
      rig.run(0.5);
      const Vec3 from = rig.p;
      rig.said.clear();
      rig.v.x -= blow;
      rig.run(0.2);
      const bool hurt = blow > 2;
      EXPECT_EQ(rig.happened(EventCode::kImpact), hurt) << blow << blind;
      if (!hurt) continue;
      ASSERT_TRUE(rig.run_to_end(60)) << blind;
      EXPECT_EQ(rig.phase, FlightPhase::kMotorsOff) << blind;
      EXPECT_EQ(rig.out->mission.phase, MissionPhase::kAborted) << blind;
      EXPECT_LT(std::hypot(rig.p.x - from.x, rig.p.y - from.y), 1.5) << "and not at home";
    }
  }
}

// it stands in the same report in which it has hit the ground
TEST(FailsafeRowsByVelocity, AHardTouchDownIsABlow) {
  for (const double wind_m_s : {-1.0, -4.5}) {
    DeliveryRig rig = flying({});
    rig.command(stack::CommandCode::kMissionJump, rig.index_of("landing"));
    rig.run(0.1);
    rig.wind.z = wind_m_s;
    ASSERT_TRUE(rig.run_until_so([&] { return !rig.airborne(); }, 20)) << wind_m_s;
    rig.wind = {};
    ASSERT_TRUE(rig.run_to_end(60)) << wind_m_s;
    const bool hard = wind_m_s < -4;
    EXPECT_EQ(rig.happened(EventCode::kImpact), hard);
    EXPECT_EQ(rig.out->mission.phase, hard ? MissionPhase::kAborted : MissionPhase::kPassed);
  }
}

// of a report that was away nobody knows how fast it turned: braking makes 2 m/s in 0.4 s
TEST(FailsafeRowsByVelocity, ASilenceOfTheReportIsNoBlow) {
  for (const double silence_s : {0.3, 0.48, 0.8}) {
    DeliveryRig rig = flying({});
    rig.fail(testing::Part::kFlight, testing::Fault::kMissing);
    rig.run(silence_s);
    rig.v = {2.5, 0, 0};
    rig.fault = {};
    rig.run(0.2);
    EXPECT_FALSE(rig.happened(EventCode::kImpact)) << silence_s;
  }
}

TEST(FailsafeRowsByVelocity, OneReportThatIsOffIsNoBlow) {
  DeliveryRig rig = flying({});
  const Vec3 v = rig.v;
  rig.v.x += 8;
  rig.p.x -= 8 * rig.model.period.seconds();
  rig.tick();
  rig.v = v;
  rig.run(1);
  EXPECT_FALSE(rig.happened(EventCode::kImpact));
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kRunning);
}

// what does less does not take it back
TEST(FailsafeRowsByVelocity, AHoldInTheMomentOfABlowDoesNotKeepItUp) {
  for (int k = 0; k < 5; ++k) {
    stack::FailsafeParams rows;
    rows.leak = {0, 0, FailsafeAction::kHold};
    DeliveryRig rig = flying(rows);
    for (int i = 0; i < 5; ++i) {
      if (i == 2) rig.v.x -= 3;
      if (i == k) rig.command(stack::CommandCode::kLeak, 1);
      rig.tick();
    }
    ASSERT_TRUE(rig.happened(EventCode::kImpact)) << k;
    rig.command(stack::CommandCode::kMissionResume);
    EXPECT_TRUE(rig.run_to_end(60)) << k;
    EXPECT_EQ(rig.out->mission.phase, MissionPhase::kAborted) << k;
    EXPECT_EQ(rig.phase, FlightPhase::kMotorsOff) << k;
  }
}

TEST(FailsafeRowsByVelocity, AfterACrashItIsLatchedOnceItLies) {
  for (const bool lies : {true, false}) {
    stack::FailsafeParams rows;
    rows.crash = {2, 1, FailsafeAction::kOff};
    DeliveryRig rig = flying(rows);
    rig.run(3);
    ASSERT_GT(rig.p.z, 0.8);
    if (lies) {
      rig.phase = FlightPhase::kLanding;
      ASSERT_TRUE(rig.run_until_so([&] { return rig.p.z < 0.25; }, 10));
      rig.phase = FlightPhase::kAirborne;
    }
    rig.v.x -= 3;
    // nor does it land any more
    rig.fail(testing::Part::kFlight, testing::Fault::kJump);
    rig.run(0.1);
    ASSERT_TRUE(rig.happened(EventCode::kImpact));
    EXPECT_NE(rig.out->arm, stack::ArmState::kLatchedSafe) << lies;
    rig.run(3);
    // what hovers on after a knock does not lie
    EXPECT_EQ(is_on(rig, FailsafeCondition::kCrash), lies);
    EXPECT_EQ(rig.out->arm == stack::ArmState::kLatchedSafe, lies);
  }
}

}  // namespace
}  // namespace pintle
