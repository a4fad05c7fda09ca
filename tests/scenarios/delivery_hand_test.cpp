// A craft in somebody's hands: lifted to prove its odometry, held still, put down, taken up again.
#include <gtest/gtest.h>

#include "pintle/testing/delivery_rig.h"

namespace pintle {
namespace {

using stack::ArmObstacle;
using stack::ArmState;
using stack::CommandCode;
using testing::DeliveryRig;
using testing::Fault;
using testing::Part;

/// Lifted, and still in the hand.
DeliveryRig held() {
  DeliveryRig rig(testing::delivery_model());
  rig.run(1.2);
  rig.hand_z_m_s = 0.3;
  rig.run(1);
  rig.hand_z_m_s = 0;
  return rig;
}

void arm(DeliveryRig& rig) {
  rig.command(CommandCode::kArm);
  rig.tick();
}

TEST(DeliveryHand, HeldStillInTheHandItIsNotArmedHoweverLong) {
  DeliveryRig rig = held();
  for (int k = 0; k < 10 * 50; ++k) {
    arm(rig);
    ASSERT_EQ(rig.out->arm, ArmState::kDisarmed) << k;
  }
  EXPECT_EQ(stack::first_obstacle(rig.out->obstacles), ArmObstacle::kHeld);
  // five centimetres up it is still held; put down it is armed, and flies at the height it should
  rig.hand_z_m_s = -0.3;
  rig.run(0.8);
  rig.hand_z_m_s = 0;
  rig.run(3);
  arm(rig);
  EXPECT_EQ(rig.out->arm, ArmState::kDisarmed);
  rig.hand_z_m_s = -0.3;
  rig.run(0.2);
  rig.hand_z_m_s = 0;
  rig.run(1.2);
  arm(rig);
  ASSERT_EQ(rig.out->arm, ArmState::kArmed) << to_string(stack::first_obstacle(rig.out->obstacles));
  rig.command(CommandCode::kMissionStart);
  ASSERT_TRUE(rig.run_until(rig.index_of("fly_to_car"), 60));
  EXPECT_NEAR(rig.p.z, 1.1, 0.07);
}

TEST(DeliveryHand, WhatBeganInTheHandIsLiftedOnceMoreFromTheGround) {
  DeliveryRig rig(testing::delivery_model());
  rig.p.z = 0.8;
  rig.run(2);
  for (const double down_to : {0.4, 0.0}) {
    // still on its way down, then on the ground
    rig.hand_z_m_s = -0.4;
    while (rig.p.z > down_to + 1e-9) rig.tick();
    rig.hand_z_m_s = 0;
    rig.run(3);
    arm(rig);
    EXPECT_EQ(rig.out->arm, ArmState::kDisarmed) << down_to;
    EXPECT_EQ(stack::first_obstacle(rig.out->obstacles), ArmObstacle::kFrameUndecided) << down_to;
  }
  rig.carry();
  arm(rig);
  EXPECT_EQ(rig.out->arm, ArmState::kArmed);
}

TEST(DeliveryHand, TakenUpOnceItIsArmedItIsDisarmedAndTakesOffNoMore) {
  for (const bool started : {false, true}) {
    DeliveryRig rig(testing::delivery_model());
    rig.carry();
    arm(rig);
    ASSERT_EQ(rig.out->arm, ArmState::kArmed);
    if (started) rig.command(CommandCode::kMissionStart);
    rig.tick();
    rig.hand_z_m_s = 0.3;
    rig.run(1);
    rig.hand_z_m_s = 0;
    rig.run(10);
    EXPECT_EQ(rig.out->arm, ArmState::kDisarmed) << started;
    EXPECT_EQ(rig.out->mission.phase, MissionPhase::kIdle) << started;
    EXPECT_NE(rig.out->flight_request.kind, FlightRequestKind::kTakeOff);
    arm(rig);
    EXPECT_EQ(rig.out->arm, ArmState::kDisarmed);
    EXPECT_EQ(stack::first_obstacle(rig.out->obstacles), ArmObstacle::kHeld);
  }
}

TEST(DeliveryHand, OneSampleThatIsOffDisarmsNothing) {
  DeliveryRig rig(testing::delivery_model());
  rig.carry();
  arm(rig);
  rig.fail(Part::kOdometry, Fault::kJump);
  rig.tick();
  rig.fail(Part::kOdometry, Fault::kNone);
  rig.run(2);
  EXPECT_EQ(rig.out->arm, ArmState::kArmed);
}

/// Told to leave while the take-off that was asked for has not come yet.
TEST(DeliveryHand, AnAbortBeforeItRisesBringsItDownWheneverTheTakeOffComes) {
  for (const CommandCode how : {CommandCode::kMissionAbort, CommandCode::kMissionLand})
    for (const double late_s : {0.0, 0.3, 1.0, 2.5}) {
      DeliveryRig rig(testing::delivery_model());
      rig.take_off_late_s = late_s;
      rig.start();
      for (int k = 0; rig.out->flight_request.kind != FlightRequestKind::kTakeOff; ++k) {
        ASSERT_LT(k, 1000);
        EXPECT_TRUE(rig.out->aircraft.in_flight) << "armed, and the mission moves";
        rig.tick();
      }
      rig.run(0.4);
      rig.command(how);
      rig.tick();
      EXPECT_TRUE(rig.out->aircraft.in_flight);
      double highest = 0, off_ground_s = 0;
      while (!rig.ended() && rig.now < Time::from_seconds(200)) {
        rig.tick();
        highest = std::max(highest, rig.p.z);
        off_ground_s += rig.airborne() ? rig.model.period.seconds() : 0;
      }
      EXPECT_LT(off_ground_s, 5) << late_s << ": it does not wait up there";
      EXPECT_EQ(rig.out->mission.phase, MissionPhase::kAborted) << late_s;
      rig.run(5);
      EXPECT_EQ(rig.phase, FlightPhase::kMotorsOff) << late_s;
      EXPECT_LT(rig.p.z, 0.01) << late_s;
      EXPECT_LT(highest, 1.2) << late_s;
      EXPECT_FALSE(rig.out->aircraft.in_flight);
      EXPECT_EQ(rig.out->arm, ArmState::kDisarmed);
    }
}

TEST(DeliveryHand, ATakeOffThatWasCutOffBeforeItRoseCanStillBeBroughtDown) {
  DeliveryRig rig(testing::delivery_model());
  rig.take_off_late_s = 1;
  rig.start();
  while (rig.out->flight_request.kind != FlightRequestKind::kTakeOff) rig.tick();
  rig.run(0.4);
  rig.command(CommandCode::kMissionCutoff);
  rig.tick();
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kIdle);
  EXPECT_TRUE(rig.out->aircraft.in_flight) << "it may still rise";
  rig.run(3);
  EXPECT_EQ(rig.phase, FlightPhase::kAirborne);
  EXPECT_TRUE(rig.out->aircraft.in_flight) << "it flies, whatever the mission does";
  rig.command(CommandCode::kMissionAbort);
  ASSERT_TRUE(rig.run_to_end(60));
  rig.run(5);
  EXPECT_EQ(rig.phase, FlightPhase::kMotorsOff);
}

TEST(DeliveryHand, LandIsObeyedWhereverItIsAlsoOnTheWayHome) {
  for (const bool aborts : {false, true}) {
    DeliveryRig rig(testing::delivery_model());
    rig.start();
    ASSERT_TRUE(rig.run_until(rig.index_of("find_car"), 200));
    if (aborts) rig.command(CommandCode::kMissionAbort);
    rig.tick();
    const Vec3 at = rig.p;
    // whoever commands: it comes down
    rig.pending.push_back({CommandCode::kMissionLand, -1, mission::Operator::kCli});
    rig.tick();
    EXPECT_EQ(rig.out->mission.state, rig.index_of("abort_land"));
    ASSERT_TRUE(rig.run_to_end(30));
    EXPECT_EQ(rig.phase, FlightPhase::kMotorsOff);
    EXPECT_LT(std::hypot(rig.p.x - at.x, rig.p.y - at.y), 0.3);
  }
}

void charge(DeliveryRig& rig) {
  rig.pending.push_back({CommandCode::kMissionStart, -1, mission::Operator::kSite});
  rig.said.clear();
  rig.tick();
}

TEST(DeliveryCharge, StartsOnceWhatSomebodyHasArmedAndNothingElse) {
  DeliveryRig rig(testing::delivery_model());
  rig.carry();
  charge(rig);
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kIdle) << "not armed";
  rig.pending.push_back({CommandCode::kArm, -1, mission::Operator::kConsole});
  rig.tick();
  EXPECT_TRUE(rig.out->aircraft.may_be_charged);
  // nothing but the start
  for (const CommandCode c :
       {CommandCode::kMissionStep, CommandCode::kDisarm, CommandCode::kMissionAbort,
        CommandCode::kTakeOver, CommandCode::kResetControl}) {
    rig.pending.push_back({c, 0, mission::Operator::kSite});
    rig.tick();
    EXPECT_TRUE(rig.happened(EventCode::kCommandRefused)) << to_string(c);
    rig.said.clear();
  }
  charge(rig);
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kRunning);
  EXPECT_EQ(rig.out->commander, mission::Operator::kConsole) << "a charge commands nobody";
  ASSERT_TRUE(rig.run_until(rig.index_of("fly_to_car"), 200));
  rig.pending.push_back({CommandCode::kMissionCutoff, -1, mission::Operator::kConsole});
  rig.tick();
  for (int k = 0; k < 100; ++k) {
    charge(rig);
    ASSERT_EQ(rig.out->mission.phase, MissionPhase::kIdle) << "cut off in the air";
  }
  rig.pending.push_back({CommandCode::kMissionAbort, -1, mission::Operator::kConsole});
  ASSERT_TRUE(rig.run_to_end(200));
  EXPECT_EQ(rig.out->arm, ArmState::kDisarmed) << "one arming, one flight";
  rig.run(3);
  charge(rig);
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kAborted);
  rig.pending.push_back({CommandCode::kArm, -1, mission::Operator::kConsole});
  rig.run(1);
  EXPECT_EQ(rig.out->arm, ArmState::kArmed);
  charge(rig);
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kRunning);
}

TEST(DeliveryCharge, ACutOffOnTheGroundTakesTheLeaveBack) {
  DeliveryRig rig(testing::delivery_model());
  rig.start();
  rig.command(CommandCode::kMissionCutoff);
  rig.tick();
  charge(rig);
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kIdle);
  EXPECT_TRUE(rig.happened(EventCode::kCommandRefused));
}

TEST(DeliveryHand, AfterALandingItIsArmedWhereItLandedWithoutALift) {
  DeliveryRig rig(testing::delivery_model());
  rig.start();
  ASSERT_TRUE(rig.run_to_end(300));
  rig.run(1.5);
  arm(rig);
  EXPECT_EQ(rig.out->arm, ArmState::kArmed) << to_string(stack::first_obstacle(rig.out->obstacles));
}

}  // namespace
}  // namespace pintle
