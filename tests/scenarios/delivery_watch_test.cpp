// What is watched while a delivery is under way: odometry against the flight controller's own
// velocity, from the lift by hand to the landing; and parameters that change in flight.
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

/// Lifted by 0.3 m and put down; the odometry is away for a while.
DeliveryRig lifted_with_gap(double at_s, double gap_s) {
  DeliveryRig rig(testing::delivery_model());
  rig.run(1.2);
  for (double t = 0; t < 3.5; t += 0.02) {
    rig.hand_z_m_s = t < 1 ? 0.3 : t < 2 ? -0.3 : 0;
    const bool away = t >= at_s && t < at_s + gap_s;
    rig.fail(Part::kOdometry, away ? Fault::kMissing : Fault::kNone);
    rig.tick();
  }
  rig.command(CommandCode::kArm);
  rig.tick();
  return rig;
}

TEST(DeliveryWatch, AGapOfTheOdometryDuringTheLiftDoesNotUndoTheProof) {
  for (double at_s = 0; at_s < 1.8; at_s += 0.2)
    for (const double gap_s : {0.15, 0.3, 0.5}) {
      DeliveryRig rig = lifted_with_gap(at_s, gap_s);
      EXPECT_EQ(rig.out->arm, ArmState::kArmed)
          << at_s << " " << gap_s << " " << to_string(stack::first_obstacle(rig.out->obstacles));
    }
}

TEST(DeliveryWatch, AGapThatIsOverDoesNotKeepItFromBeingArmed) {
  DeliveryRig rig = lifted_with_gap(0, 0);
  rig.command(CommandCode::kDisarmForce);
  rig.fail(Part::kOdometry, Fault::kMissing);
  rig.run(1);
  rig.command(CommandCode::kArm);
  rig.tick();
  EXPECT_EQ(stack::first_obstacle(rig.out->obstacles), ArmObstacle::kNoState)
      << "now there is none";
  rig.fail(Part::kOdometry, Fault::kNone);
  rig.run(0.1);
  rig.command(CommandCode::kArm);
  rig.tick();
  EXPECT_EQ(rig.out->arm, ArmState::kArmed);
}

/// With height the wrong way round, past all that is asked for before it is armed.
DeliveryRig takes_off_flipped(bool witness_too) {
  DeliveryRig rig(testing::delivery_model());
  rig.mirror_z = true;
  rig.mirror_witness = witness_too;
  if (witness_too) {
    rig.carry();
  } else {
    rig.model.mission.aircraft.frame_proof = mission::FrameProof::kDeclared;
    rig.run(2);
  }
  rig.command(CommandCode::kArm);
  rig.tick();
  EXPECT_EQ(rig.out->arm, ArmState::kArmed) << "the test is of what comes after";
  rig.command(CommandCode::kMissionStart);
  rig.tick();
  return rig;
}

TEST(DeliveryWatch, AFlippedHeightThatPassedEveryCheckIsFoundInTheFirstTwentyCentimetres) {
  for (const bool witness_too : {false, true}) {
    DeliveryRig rig = takes_off_flipped(witness_too);
    double highest = 0, found_at = 0;
    while (!rig.ended() && rig.now < Time::from_seconds(200)) {
      rig.tick();
      highest = std::max(highest, rig.p.z);
      if (found_at == 0 && rig.happened(EventCode::kMotionDisagrees)) found_at = rig.p.z;
      if (found_at > 0) {
        EXPECT_EQ(rig.out->motion.v_H, Vec3{}) << "nothing is flown by it";
      }
    }
    EXPECT_EQ(rig.out->mission.phase, MissionPhase::kAborted) << witness_too;
    EXPECT_EQ(rig.phase, FlightPhase::kMotorsOff);
    EXPECT_GT(found_at, 0.15);
    EXPECT_LT(found_at, 0.25);
    EXPECT_LT(highest, 1.2) << "what the flight controller takes off to, and no higher";
    // it stays found out until the proof is begun anew
    rig.run(3);
    EXPECT_EQ(stack::first_obstacle(rig.out->obstacles), ArmObstacle::kFrameDisagrees);
    rig.said.clear();
    rig.command(CommandCode::kMissionStart);
    rig.tick();
    EXPECT_TRUE(rig.happened(EventCode::kCommandRefused));
    EXPECT_EQ(rig.out->flight_request.kind, FlightRequestKind::kReleaseControl);
    rig.command(CommandCode::kDisarmForce);
    rig.tick();
    rig.command(CommandCode::kResetControl);
    rig.tick();
    EXPECT_NE(stack::first_obstacle(rig.out->obstacles), ArmObstacle::kFrameDisagrees);
  }
}

TEST(DeliveryWatch, OdometryThatFreezesUnderWayIsNotFlownByForLong) {
  DeliveryRig rig(testing::delivery_model());
  rig.start();
  ASSERT_TRUE(rig.run_until(rig.index_of("fly_to_car"), 200));
  rig.run(0.5);
  const Vec3 at = rig.p;
  rig.fail(Part::kOdometry, Fault::kFrozen);
  ASSERT_TRUE(rig.run_to_end(300));
  EXPECT_TRUE(rig.happened(EventCode::kMotionDisagrees));
  EXPECT_EQ(rig.phase, FlightPhase::kMotorsOff);
  EXPECT_LT(std::hypot(rig.p.x - at.x, rig.p.y - at.y), 3);
}

/// The shipped mission with another place of the car, as the next generation.
stack::Model with_drop_at(double east_m, double north_m) {
  craft::MissionFile file =
      craft::load_mission(std::string(PINTLE_SOURCE_DIR) + "/missions/delivery.yaml");
  for (mission::StateSpec& s : file.mission.states)
    if (s.name == "fly_to_car") {
      s.go.x_m = east_m;
      s.go.y_m = north_m;
    }
  return craft::build_model(file.vehicle, &file.mission, 2);
}

TEST(DeliveryWatch, AReloadOfTheDropPointMovesTheGoalThatIsBeingFlownTo) {
  DeliveryRig rig(testing::delivery_model());
  rig.start();
  ASSERT_TRUE(rig.run_until(rig.index_of("fly_to_car"), 200));
  rig.run(1);
  const double in_state_s = rig.out->mission.time_in_state_s;
  rig.model = with_drop_at(-1.6, -1.4);
  stack::adopt(rig.model, *rig.state);
  rig.tick();
  EXPECT_TRUE(rig.happened(EventCode::kGoalMoved));
  EXPECT_EQ(rig.out->mission.state, rig.index_of("fly_to_car")) << "it goes on";
  EXPECT_GT(rig.out->mission.time_in_state_s, in_state_s) << "on the same clock";
  EXPECT_EQ(rig.out->setpoint.X_WD.p, (Vec3{-1.6, -1.4, 1.1}));
  while (rig.out->mission.state == rig.index_of("fly_to_car")) {
    ASSERT_LE(std::hypot(rig.out->motion.v_H.x, rig.out->motion.v_H.y),
              std::get<control::VelocityLawParams>(rig.model.law).max_speed_m_s * (1 + 1e-9));
    rig.tick();
  }
  EXPECT_EQ(rig.out->mission.state, rig.index_of("find_car"));
  EXPECT_LT(norm(rig.out->used.X_WB.p - Vec3{-1.6, -1.4, 1.1}), 0.08);
}

TEST(DeliveryWatch, WhatWasSettledAtTheOldGoalCountsNoMore) {
  DeliveryRig rig(testing::delivery_model());
  rig.start();
  ASSERT_TRUE(rig.run_until(rig.index_of("fly_to_car"), 200));
  ASSERT_TRUE(rig.run_until_so([&] { return rig.out->mission.settled_s >= 2; }, 60));
  rig.model = with_drop_at(-1.05, -1.97);  // 6 cm: still within what is called there
  stack::adopt(rig.model, *rig.state);
  rig.tick();
  EXPECT_LT(rig.out->mission.settled_s, 0.1);
  rig.run(2.3);
  EXPECT_EQ(rig.out->mission.state, rig.index_of("fly_to_car"));
}

TEST(DeliveryWatch, AReloadThatChangesNothingOfTheGoalLeavesWhatIsSettled) {
  DeliveryRig rig(testing::delivery_model());
  rig.start();
  ASSERT_TRUE(rig.run_until(rig.index_of("fly_to_car"), 200));
  ASSERT_TRUE(rig.run_until_so([&] { return rig.out->mission.settled_s >= 2; }, 60));
  rig.model = with_drop_at(-0.99, -1.97);
  stack::adopt(rig.model, *rig.state);
  rig.tick();
  EXPECT_GT(rig.out->mission.settled_s, 2);
  EXPECT_FALSE(rig.happened(EventCode::kGoalMoved));
}

}  // namespace
}  // namespace pintle
