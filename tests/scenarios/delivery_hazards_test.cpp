// What went wrong, or could, in the software that this mission replaces: each shown not to happen
// here. What is about pictures alone (intrinsics on raw images, the axes of the camera, colours,
// pixels beyond the edge) belongs to the room that looks at pictures.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "pintle/telemetry/encoding.h"
#include "pintle/testing/delivery_rig.h"
#include "pintle/testing/heap_counter.h"

namespace pintle {
namespace {

using stack::ArmObstacle;
using stack::ArmState;
using stack::CommandCode;
using testing::DeliveryRig;
using testing::Fault;
using testing::Part;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

DeliveryRig shipped() { return DeliveryRig(testing::delivery_model()); }

void fail(DeliveryRig& rig, Part part, Fault fault) {
  rig.fault[static_cast<std::size_t>(part)] = fault;
}

/// In the air, on its way.
DeliveryRig flying(const char* state = "fly_to_car") {
  DeliveryRig rig = shipped();
  rig.start();
  EXPECT_TRUE(rig.run_until(rig.index_of(state), 200));
  return rig;
}

bool is_usable(const MotionCommand& m) {
  return norm(m.v_H) <= 3 && std::abs(m.yaw_rate_rad_s) <= 1;
}

TEST(Hazard01, AWrongFrameIsFoundBeforeTakeOffInEveryCombination) {
  for (const bool mirror : {false, true})
    for (const bool swap : {false, true}) {
      DeliveryRig rig = shipped();
      rig.mirror_z = mirror;
      rig.swap_xy = swap;
      rig.start();
      rig.run(2);
      if (!mirror && !swap) {
        EXPECT_EQ(rig.out->arm, ArmState::kArmed);
        continue;
      }
      EXPECT_EQ(rig.out->arm, ArmState::kDisarmed) << mirror << swap;
      EXPECT_EQ(rig.out->aircraft.obstacle, ArmObstacle::kFrameDisagrees) << mirror << swap;
      EXPECT_TRUE(rig.happened(EventCode::kArmingRefused));
      EXPECT_EQ(rig.out->flight_request.number, 0U);
    }
}

TEST(Hazard01, ACraftThatWasNotLiftedIsNotArmed) {
  DeliveryRig rig = shipped();
  rig.run(5);
  rig.command(CommandCode::kArm);
  rig.tick();
  EXPECT_EQ(rig.out->arm, ArmState::kDisarmed);
  EXPECT_EQ(rig.out->aircraft.obstacle, ArmObstacle::kFrameUndecided);
}

TEST(Hazard02, AVelocityGoesOutInEveryTickAndAPauseIsHeldAgainstAPush) {
  DeliveryRig rig = flying();
  rig.command(CommandCode::kMissionPause);
  rig.tick();
  const Vec3 here = rig.p;
  for (int k = 0; k < 500; ++k) {
    rig.tick();
    ASSERT_TRUE(is_usable(rig.out->motion));
  }
  EXPECT_LT(norm(rig.p - here), 0.35) << "it was moving";
  const Vec3 held = rig.p;
  rig.p = rig.p + Vec3{0.3, 0.2, 0};
  rig.run(8);
  EXPECT_LT(norm(rig.p - held), 0.1);
}

TEST(Hazard02, ACutOffIsAHoldAndTheNextStartBeginsAnew) {
  DeliveryRig rig = flying();
  rig.command(CommandCode::kMissionCutoff);
  rig.tick();
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kIdle);
  const Vec3 here = rig.p;
  rig.run(5);
  EXPECT_LT(norm(rig.p - here), 0.35);
  EXPECT_EQ(rig.phase, FlightPhase::kAirborne);
  rig.command(CommandCode::kMissionStart);
  rig.tick();
  EXPECT_EQ(rig.out->mission.state, 0);
}

TEST(Hazard03, ALowBatteryAFenceAndASilentFlightControllerEndTheFlight) {
  for (const int what : {0, 1, 2}) {
    DeliveryRig rig = flying();
    if (what == 0) rig.battery = 0.1;
    if (what == 1) rig.model.mission.aircraft.fence_radius_m = 0.5;
    if (what == 2) fail(rig, Part::kFlight, Fault::kMissing);
    EXPECT_TRUE(rig.run_to_end(300)) << what;
    EXPECT_EQ(rig.out->mission.phase, MissionPhase::kAborted) << what;
    EXPECT_EQ(rig.phase, FlightPhase::kMotorsOff) << what;
  }
}

TEST(Hazard04, AJumpDuringADwellInheritsNothing) {
  DeliveryRig rig = flying("to_normal_altitude");
  while (rig.out->mission.settled_s < 1) rig.tick();
  rig.command(CommandCode::kMissionJump, rig.index_of("fly_to_car"));
  rig.tick();
  EXPECT_EQ(rig.out->mission.state, 5);
  EXPECT_EQ(rig.out->mission.settled_s, 0);
  rig.run(2);
  EXPECT_EQ(rig.out->mission.state, 5) << "it flies there first";
  ASSERT_TRUE(rig.run_until(6, 60));
  EXPECT_LT(norm(rig.out->used.X_WB.p - Vec3{-0.99, -1.97, 1.1}), 0.1);
}

TEST(Hazard05, WhatIsAskedForIsNotWhatWasDone) {
  for (const Fault f : {Fault::kMute, Fault::kFails, Fault::kFrozen}) {
    DeliveryRig rig = shipped();
    rig.tick();
    fail(rig, Part::kGripper, f);
    rig.start();
    ASSERT_TRUE(rig.run_to_end(60));
    EXPECT_EQ(rig.out->mission.phase, MissionPhase::kAborted);
    EXPECT_EQ(rig.phase, FlightPhase::kMotorsOff);
    EXPECT_FALSE(rig.airborne());
  }
  DeliveryRig rig = shipped();
  rig.carry();
  fail(rig, Part::kFlight, Fault::kFails);
  rig.start();
  ASSERT_TRUE(rig.run_to_end(200));
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kAborted);
}

TEST(Hazard05, ATakeOffOrLandingThatIsCalledDoneMustBeSeen) {
  DeliveryRig rig = shipped();
  rig.only_queues = true;
  rig.start();
  ASSERT_TRUE(rig.run_to_end(200));
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kAborted);
  EXPECT_EQ(std::count_if(rig.said.begin(), rig.said.end(),
                          [](const Event& e) {
                            return e.code == EventCode::kStateSucceeded && e.subject == 3;
                          }),
            0);
  DeliveryRig high = flying("landing");
  high.only_queues = true;
  high.run(60);
  EXPECT_NE(high.out->mission.phase, MissionPhase::kPassed);
  EXPECT_TRUE(high.has_control) << "nothing is given back in the air";
}

TEST(Hazard06, WithoutAMarkerItSearchesComesBackAndLandsAndDropsNothing) {
  DeliveryRig rig = shipped();
  rig.car = {40, 40, 0};
  rig.start();
  ASSERT_TRUE(rig.run_until(6, 120));
  double widest = 0;
  while (rig.out->mission.state == 6) {
    rig.tick();
    widest = std::max(widest, std::hypot(rig.p.x + 0.69, rig.p.y + 2.17));
  }
  EXPECT_GT(widest, 1);
  ASSERT_TRUE(rig.run_to_end(200));
  EXPECT_FALSE(rig.dropped);
  EXPECT_EQ(rig.phase, FlightPhase::kMotorsOff);
  EXPECT_LT(std::hypot(rig.p.x - rig.pad.x, rig.p.y - rig.pad.y), 0.3);
}

TEST(Hazard07, ThePadThatLeavesThePictureIsLandedOnFromMemory) {
  DeliveryRig rig = shipped();
  rig.seen_from_m = 0.8;
  rig.start();
  ASSERT_TRUE(rig.run_to_end(300));
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kPassed);
  EXPECT_LT(std::hypot(rig.p.x - rig.pad.x, rig.p.y - rig.pad.y), 0.1);
}

TEST(Hazard08, AKeyThatNothingReadsIsRefused) {
  const std::string file = std::string(PINTLE_SOURCE_DIR) + "/missions/delivery.yaml";
  std::string with;
  const auto open = [&with](const std::filesystem::path& path) {
    config::Document document = config::Document::load(path);
    if (path.filename() != "delivery.yaml") return document;
    std::string text = document.text();
    const std::string key = "battery_min";
    text.replace(text.find(key), key.size(), with);
    return config::Document::parse(text, "delivery.yaml");
  };
  with = "battery_min";
  EXPECT_NO_THROW((void)stack::load_mission(file, open));
  with = "batery_min";
  try {
    (void)stack::load_mission(file, open);
    FAIL() << "a key that nothing reads was taken";
  } catch (const config::ConfigError& e) {
    EXPECT_NE(std::string(e.what()).find("batery_min"), std::string::npos) << e.what();
  }
}

TEST(Hazard10, ANavigationGoalIsNeverReachedBeforeItIsFlownTo) {
  DeliveryRig rig = flying("to_normal_altitude");
  rig.command(CommandCode::kMissionCutoff);
  rig.run(3);
  const Vec3 goal = rig.out->used.X_WB.p + Vec3{1, 0.5, 0.3};
  rig.ask(NavigationAsk::kGoal, 7, goal, 0.3);
  rig.tick();
  EXPECT_TRUE(rig.out->navigation.active);
  EXPECT_EQ(rig.out->owner, mission::Owner::kNavigation);
  std::array<std::uint8_t, 4> before{};
  bool ended = false;
  for (int k = 0; k < 50 * 30 && !ended; ++k) {
    rig.tick();
    for (std::size_t i = 0; i < 4; ++i) {
      ASSERT_LE(rig.out->navigation.progress[i], 100);
      ASSERT_GE(rig.out->navigation.progress[i], before[i]);
    }
    before = rig.out->navigation.progress;
    ended = rig.out->navigation.ended_as != 0;
  }
  EXPECT_EQ(rig.out->navigation.ended_as, 1);
  EXPECT_LT(norm(rig.out->used.X_WB.p - goal), 0.1);
  // it stays there
  rig.run(4);
  EXPECT_LT(norm(rig.out->used.X_WB.p - goal), 0.12);
}

TEST(Hazard10, ACancelIsObeyedInItsTickANewerGoalPreemptsAndTheOperatorComesFirst) {
  DeliveryRig rig = flying("to_normal_altitude");
  rig.ask(NavigationAsk::kGoal, 1, {5, 5, 5});
  rig.tick();
  EXPECT_FALSE(rig.out->navigation.active) << "the mission flies";
  EXPECT_EQ(rig.out->navigation.ended_as, static_cast<int>(mission::NavigationOutcome::kRefused));
  rig.command(CommandCode::kMissionPause);
  rig.run(1);
  rig.ask(NavigationAsk::kGoal, 2, {1, 1, 1});
  rig.tick();
  rig.ask(NavigationAsk::kGoal, 3, {2, 1, 1});
  rig.tick();
  EXPECT_EQ(rig.out->navigation.ended_id, 2U);
  EXPECT_EQ(rig.out->navigation.ended_as, static_cast<int>(mission::NavigationOutcome::kPreempted));
  rig.ask(NavigationAsk::kCancel, 3);
  rig.tick();
  EXPECT_FALSE(rig.out->navigation.active);
  EXPECT_EQ(rig.out->owner, mission::Owner::kNobody);
  rig.ask(NavigationAsk::kGoal, 4, {1, 1, 1});
  rig.tick();
  rig.command(CommandCode::kMissionResume);
  rig.tick();
  EXPECT_EQ(rig.out->navigation.ended_id, 4U);
  EXPECT_EQ(rig.out->owner, mission::Owner::kMission);
}

TEST(Hazard11, ALegHoldsItsHeight) {
  DeliveryRig rig = flying();
  rig.wind = {0, 0, -0.03};
  double worst = 0;
  while (rig.out->mission.state == 5) {
    rig.tick();
    worst = std::max(worst, std::abs(rig.out->used.X_WB.p.z - 1.1));
  }
  EXPECT_LT(worst, 0.1);
}

TEST(Hazard13, LoopsForgetFromStateToState) {
  DeliveryRig rig = flying();
  // at rest, a little off: neither dead band nor threshold clear the integral by themselves
  rig.command(CommandCode::kMissionJump, rig.index_of("back_to_normal_altitude"));
  rig.run(1);
  for (const bool jumps : {false, true}) {
    rig.p.x = rig.out->setpoint.X_WD.p.x + rig.out->aircraft.origin_m.x - 0.1;
    rig.v = {};
    for (auto& loop : rig.state->aircraft.law.loops) loop.integral = 0.3;
    if (jumps) rig.command(CommandCode::kMissionJump, rig.index_of("back_to_normal_altitude"));
    rig.tick();
    const double integral = rig.state->aircraft.law.loops[0].integral;
    EXPECT_NEAR(integral, jumps ? 0 : 0.3, 0.02) << jumps;
  }
}

TEST(Hazard14, AWholeMissionAllocatesNothing) {
  DeliveryRig rig = shipped();
  rig.start();
  stack::Inputs in = rig.in;
  const std::uint64_t before = testing::heap_allocations();
  for (int k = 0; k < 3000; ++k) {
    in.now = in.now + rig.model.period;
    in.odometry.stamp = in.flight.stamp = in.gripper.stamp = in.target.stamp = in.now;
    in.has_target = k % 3 == 0;
    stack::tick(rig.model, *rig.state, in, *rig.out);
  }
  EXPECT_EQ(testing::heap_allocations() - before, 0U);
}

TEST(Hazard15, NobodyStartsACraftThatIsNotArmedNorReleasesControlInTheAir) {
  DeliveryRig rig = shipped();
  rig.carry();
  for (const CommandCode c : {CommandCode::kMissionStart, CommandCode::kMissionStep}) {
    rig.command(c, 3);
    rig.tick();
    EXPECT_EQ(rig.out->mission.phase, MissionPhase::kIdle);
    EXPECT_TRUE(rig.happened(EventCode::kCommandRefused));
  }
  DeliveryRig high = flying();
  high.command(CommandCode::kMissionPause);
  high.tick();
  high.command(CommandCode::kMissionStep, high.index_of("release_control"));
  high.run(10);
  EXPECT_TRUE(high.has_control);
  EXPECT_EQ(high.phase, FlightPhase::kAirborne);
  EXPECT_EQ(high.out->mission.phase, MissionPhase::kPaused);
}

TEST(Hazard16, WhatIsNoNumberOrTooOldIsNotFlownBy) {
  for (const Part part : {Part::kOdometry, Part::kTargets, Part::kFlight, Part::kGripper})
    for (const Fault f : {Fault::kGarbage, Fault::kStale}) {
      DeliveryRig rig = flying();
      fail(rig, part, f);
      for (int k = 0; k < 100; ++k) {
        rig.tick();
        ASSERT_TRUE(is_usable(rig.out->motion)) << int(part) << int(f);
      }
      if (part == Part::kOdometry) {
        EXPECT_EQ(rig.out->motion.v_H, Vec3{}) << int(f);
      }
      // what is no longer fresh is evidence of nothing
      EXPECT_EQ(rig.out->aircraft.flight_fresh, part != Part::kFlight) << int(f);
      EXPECT_EQ(rig.out->aircraft.gripper_fresh, part != Part::kGripper) << int(f);
    }
}

TEST(Hazard18, NothingIsLeftToWhatMemoryHeld) {
  std::vector<std::byte> one, two;
  for (const auto fill : {std::byte{0}, std::byte{0xA5}}) {
    DeliveryRig rig = shipped();
    // outputs of before, whatever they were
    stack::Outputs wild;
    std::memset(static_cast<void*>(&wild.motion), int(fill), sizeof wild.motion);
    *rig.out = wild;
    *rig.out = {};
    rig.start();
    rig.run(30);
    telemetry::encode_cdr(*rig.out, fill == std::byte{0} ? one : two);
  }
  EXPECT_EQ(one, two);
}

TEST(Hazard20, TheNextOriginIsWhereItStandsForASecondAndAJumpIsNoMovement) {
  DeliveryRig rig = shipped();
  rig.start();
  ASSERT_TRUE(rig.run_to_end(300));
  EXPECT_TRUE(rig.out->aircraft.has_origin || !rig.airborne());
  rig.run(2);
  EXPECT_TRUE(rig.out->aircraft.has_origin);
  EXPECT_LT(norm(rig.out->used.X_WB.p), 0.01);
  EXPECT_NEAR(rig.out->aircraft.origin_m.x, rig.p.x, 0.01);

  DeliveryRig jumps = flying();
  const Vec3 before = jumps.out->used.X_WB.p;
  fail(jumps, Part::kOdometry, Fault::kJump);
  for (int k = 0; k < 5; ++k) jumps.tick();
  EXPECT_LT(norm(jumps.out->used.X_WB.p - before), 0.2);
  ASSERT_TRUE(jumps.run_to_end(300));
  EXPECT_EQ(jumps.phase, FlightPhase::kMotorsOff);
}

}  // namespace
}  // namespace pintle
