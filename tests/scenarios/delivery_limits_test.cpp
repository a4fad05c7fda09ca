// What ends a flight, who may fly, and what is inherited: hazards 3, 4 and 10 of the software that
// this mission replaces.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "pintle/testing/delivery_rig.h"

namespace pintle {
namespace {

using stack::CommandCode;
using testing::DeliveryRig;
using testing::Fault;
using testing::Part;

/// In the air, on its way.
DeliveryRig flying(const char* state = "fly_to_car") {
  DeliveryRig rig(testing::delivery_model());
  rig.start();
  EXPECT_TRUE(rig.run_until(rig.index_of(state), 200));
  return rig;
}

/// In the air, and then this happens: the abort path within that time, and the ground in the end.
void expect_abort_within(double seconds, EventCode because,
                         const std::function<void(DeliveryRig&)>& happens) {
  DeliveryRig rig = flying();
  rig.run(1);
  rig.said.clear();
  happens(rig);
  const Time from = rig.now;
  ASSERT_TRUE(rig.run_until_so([&] { return rig.out->mission.phase == MissionPhase::kAborting; },
                               seconds + 0.1));
  EXPECT_LE((rig.now - from).seconds(), seconds + 0.1);
  EXPECT_TRUE(rig.happened(because)) << to_string(because);
  EXPECT_EQ(rig.out->mission.state, rig.index_of("abort_hold"));
  EXPECT_TRUE(rig.run_to_end(300));
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kAborted);
  EXPECT_EQ(rig.phase, FlightPhase::kMotorsOff);
}

TEST(Hazard03, ALowBatteryAFenceACeilingAndASilentFlightControllerEndTheFlight) {
  expect_abort_within(0, EventCode::kBatteryLow, [](DeliveryRig& rig) { rig.battery = 0.1; });
  expect_abort_within(0, EventCode::kBeyondFence,
                      [](DeliveryRig& rig) { rig.model.mission.aircraft.fence_radius_m = 0.2; });
  expect_abort_within(0, EventCode::kBeyondFence,
                      [](DeliveryRig& rig) { rig.model.mission.aircraft.ceiling_m = 0.8; });
  // three seconds, as the mission says
  expect_abort_within(3, EventCode::kInputStale,
                      [](DeliveryRig& rig) { rig.fail(Part::kFlight, Fault::kMissing); });
}

TEST(Hazard03, WithALowBatteryItIsNotArmed) {
  DeliveryRig rig(testing::delivery_model());
  rig.battery = 0.1;
  rig.start();
  EXPECT_EQ(rig.out->arm, stack::ArmState::kDisarmed);
  EXPECT_EQ(rig.out->obstacles, stack::obstacle_bit(stack::ArmObstacle::kBatteryLow));
}

TEST(Hazard03, OdometryThatIsLostStopsItAtOnceAndEndsTheFlight) {
  for (const Fault f : {Fault::kMissing, Fault::kStale, Fault::kGarbage, Fault::kFails}) {
    DeliveryRig rig = flying();
    rig.run(1);
    rig.fail(Part::kOdometry, f);
    rig.run(0.3);
    EXPECT_EQ(rig.out->motion.v_H, Vec3{}) << int(f) << ": nowhere to go by";
    EXPECT_EQ(rig.out->mission.phase, MissionPhase::kRunning) << int(f) << ": it may come back";
    // two seconds, as the mission says
    rig.run(2.1);
    EXPECT_EQ(rig.out->mission.phase, MissionPhase::kAborting) << int(f);
    EXPECT_TRUE(rig.run_to_end(300));
    EXPECT_EQ(rig.phase, FlightPhase::kMotorsOff) << int(f) << ": the controller lands without it";
  }
}

/// On the abort path, in that state of it, of a file that was changed.
DeliveryRig fleeing(const char* rung, const std::function<void(mission::State&)>& change = {}) {
  stack::Model model = testing::delivery_model();
  for (mission::State& s : model.mission.states)
    if (change && s.name == rung) change(s);
  DeliveryRig rig(model);
  rig.start();
  EXPECT_TRUE(rig.run_until(rig.index_of("fly_to_car"), 200));
  rig.command(CommandCode::kMissionAbort);
  EXPECT_TRUE(rig.run_until(rig.index_of(rung), 100)) << rung;
  rig.said.clear();
  return rig;
}

TEST(Hazard03, OnTheAbortPathWhatGoesSomewhereDoesNotWaitForOdometryThatIsLost) {
  for (const char* rung : {"abort_climb", "abort_return", "abort_search", "abort_approach"}) {
    DeliveryRig rig = fleeing(rung, [](mission::State& s) { s.retries = 3; });
    rig.fail(Part::kOdometry, Fault::kMissing);
    // as long as the main path and its hold wait
    rig.run(4.8);
    EXPECT_NE(rig.out->mission.state, rig.index_of("abort_land")) << rung << ": it may come back";
    rig.run(0.4);
    EXPECT_EQ(rig.out->mission.state, rig.index_of("abort_land")) << rung;
    EXPECT_FALSE(rig.happened(EventCode::kStateRetried)) << "what cannot help";
    EXPECT_TRUE(rig.run_to_end(60));
    EXPECT_EQ(rig.phase, FlightPhase::kMotorsOff);
  }
  // a hold goes nowhere, and a state that leads to nothing does not end in the air
  const auto expect_stays = [](const std::function<void(mission::State&)>& change) {
    DeliveryRig rig = fleeing("abort_return", change);
    rig.fail(Part::kOdometry, Fault::kMissing);
    rig.run(30);
    EXPECT_EQ(rig.out->mission.state, rig.index_of("abort_return"));
  };
  expect_stays([](mission::State& s) { s.goal.given = {false, false, false, false, false, true}; });
  expect_stays([](mission::State& s) { s.on_failure = mission::kEndAbort; });
}

TEST(Hazard03, ALandingThatWasAskedForGoesOnWithoutOdometryAlsoWhereItHasAPlace) {
  DeliveryRig rig = fleeing("abort_land", [](mission::State& s) {
    s.goal.given[0] = s.goal.given[1] = true;
    s.on_failure = s.on_success;  // what leads to nothing would not be given up anyway
  });
  rig.fail(Part::kOdometry, Fault::kMissing);
  // for longer than anything waits that goes somewhere
  rig.fail(Part::kFlight, Fault::kJump);
  rig.run(8);
  EXPECT_EQ(rig.out->mission.state, rig.index_of("abort_land"));
  rig.fail(Part::kFlight, Fault::kNone);
  EXPECT_TRUE(rig.run_to_end(60));
  EXPECT_EQ(rig.phase, FlightPhase::kMotorsOff) << "the mission is over when it stands";
  EXPECT_FALSE(rig.happened(EventCode::kStateTimedOut)) << "one attempt";
}

TEST(Hazard03, OnTheAbortPathALandingThatIsRefusedIsAskedForUntilItIsDone) {
  DeliveryRig rig = fleeing("abort_land", [](mission::State& s) { s.retries = 0; });
  rig.fail(Part::kFlight, Fault::kJump);
  rig.run(20);
  EXPECT_EQ(rig.out->mission.state, rig.index_of("abort_land"));
  const auto asked = std::count_if(rig.said.begin(), rig.said.end(), [](const Event& e) {
    return e.code == EventCode::kRequestSent;
  });
  EXPECT_TRUE(asked >= 8 && asked <= 11) << asked << ": every two seconds";
  rig.fail(Part::kFlight, Fault::kNone);
  EXPECT_TRUE(rig.run_to_end(60));
  EXPECT_EQ(rig.phase, FlightPhase::kMotorsOff);
}

TEST(Hazard03, APilotWhoTakesOverIsLeftAlone) {
  DeliveryRig rig = flying();
  rig.run(1);
  const std::uint32_t asked = rig.out->flight_request.number;
  rig.has_control = false;
  rig.run(0.1);
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kFailed);
  EXPECT_TRUE(rig.happened(EventCode::kControlLost));
  EXPECT_EQ(rig.out->motion.v_H, Vec3{});
  for (int k = 0; k < 20 * 50; ++k) {
    rig.wind = {0.5, 0, 0};  // he flies it away
    rig.tick();
    ASSERT_EQ(rig.out->motion.v_H, Vec3{}) << k;
  }
  EXPECT_EQ(rig.out->flight_request.number, asked) << "nothing is asked of his aircraft";
  rig.wind = {};
  // he gives it back: it holds, and nobody but an operator starts anything
  rig.has_control = true;
  rig.run(5);
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kFailed);
  EXPECT_EQ(rig.phase, FlightPhase::kAirborne);
}

TEST(Hazard03, APilotWhoTakesOverOnTheAbortPathOrInAPauseIsLeftAlone) {
  const auto expect_left_alone = [](const std::function<void(DeliveryRig&)>& happens,
                                    MissionPhase phase) {
    DeliveryRig rig = flying();
    rig.run(1);
    happens(rig);
    rig.run(0.5);
    ASSERT_EQ(rig.out->mission.phase, phase);
    rig.said.clear();
    const std::uint32_t asked = rig.out->flight_request.number;
    rig.has_control = false;
    rig.run(0.1);
    EXPECT_TRUE(rig.happened(EventCode::kControlLost));
    EXPECT_EQ(rig.out->mission.phase, MissionPhase::kFailed);
    rig.run(60);
    EXPECT_EQ(rig.out->flight_request.number, asked) << "nothing is asked of his aircraft";
    EXPECT_EQ(rig.out->motion.v_H, Vec3{});
    EXPECT_EQ(rig.out->mission.phase, MissionPhase::kFailed);
  };
  expect_left_alone([](DeliveryRig& rig) { rig.battery = 0.1; }, MissionPhase::kAborting);
  expect_left_alone([](DeliveryRig& rig) { rig.command(CommandCode::kMissionAbort); },
                    MissionPhase::kAborting);
  expect_left_alone([](DeliveryRig& rig) { rig.command(CommandCode::kMissionPause); },
                    MissionPhase::kPaused);
}

TEST(Hazard03, FenceAndCeilingCountFromWhereItTookOff) {
  for (const double sign : {-1.0, 1.0}) {
    DeliveryRig rig(testing::delivery_model());
    rig.odometry_from = sign * Vec3{40, -25, -30};
    rig.start();
    ASSERT_TRUE(rig.run_until(rig.index_of("fly_to_car"), 200));
    rig.run(1);
    EXPECT_EQ(rig.out->mission.phase, MissionPhase::kRunning);
    EXPECT_FALSE(rig.happened(EventCode::kBeyondFence));
    rig.model.mission.aircraft.ceiling_m = 0.8;
    rig.tick();
    EXPECT_EQ(rig.out->mission.phase, MissionPhase::kAborting);
    EXPECT_TRUE(rig.happened(EventCode::kBeyondFence));
  }
}

TEST(Hazard03, WithAChargeThatNobodyTellsItIsNotArmed) {
  DeliveryRig rig(testing::delivery_model());
  rig.tells_battery = false;
  rig.start();
  EXPECT_EQ(rig.out->arm, stack::ArmState::kDisarmed);
  EXPECT_EQ(rig.out->obstacles, stack::obstacle_bit(stack::ArmObstacle::kBatteryUnknown));
}

TEST(Hazard04, AJumpDuringADwellInheritsNothing) {
  DeliveryRig rig = flying("to_normal_altitude");
  ASSERT_TRUE(rig.run_until_so([&] { return rig.out->mission.settled_s >= 1; }, 60));
  rig.command(CommandCode::kMissionJump, rig.index_of("fly_to_car"));
  rig.tick();
  EXPECT_EQ(rig.out->mission.state, 5);
  EXPECT_EQ(rig.out->mission.settled_s, 0);
  rig.run(2);
  EXPECT_EQ(rig.out->mission.state, 5) << "it flies there first";
  ASSERT_TRUE(rig.run_until(6, 60));
  EXPECT_LT(norm(rig.out->used.X_WB.p - Vec3{-0.99, -1.97, 1.1}), 0.1);
}

TEST(Hazard04, AShortGapOfTheOdometryCostsADwellNoMoreThanItself) {
  const auto take_off_s = [](double gap_s) {
    DeliveryRig rig = flying("take_off");
    EXPECT_TRUE(rig.run_until_so([&] { return rig.out->mission.settled_s >= 3; }, 60));
    const Time from = rig.now;
    rig.fail(Part::kOdometry, Fault::kMissing);
    rig.run(gap_s);
    rig.fail(Part::kOdometry, Fault::kNone);
    EXPECT_TRUE(rig.run_until(rig.index_of("to_normal_altitude"), 60));
    return (rig.now - from).seconds();
  };
  const double without = take_off_s(0);
  for (const double gap_s : {0.06, 0.3, 0.6})
    EXPECT_LT(take_off_s(gap_s), without + gap_s + 0.05) << gap_s;
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

TEST(Hazard10, TheOperatorComesFirstAlsoWithWhatMovesNothing) {
  DeliveryRig rig = flying("to_normal_altitude");
  rig.command(CommandCode::kMissionPause);
  rig.run(1);
  rig.ask(NavigationAsk::kGoal, 5, {1, 1, 1});
  rig.tick();
  ASSERT_TRUE(rig.out->navigation.active);
  rig.command(CommandCode::kMissionSelect, rig.index_of("fly_back"));
  rig.tick();
  EXPECT_FALSE(rig.out->navigation.active);
  EXPECT_EQ(rig.out->navigation.ended_id, 5U);
  EXPECT_EQ(rig.out->navigation.ended_as, static_cast<int>(mission::NavigationOutcome::kPreempted));
  EXPECT_EQ(rig.out->owner, mission::Owner::kNobody);
  // a goal in the tick of a command is not flown
  rig.ask(NavigationAsk::kGoal, 6, {1, 1, 1});
  rig.command(CommandCode::kMissionCutoff);
  rig.tick();
  EXPECT_FALSE(rig.out->navigation.active);
  EXPECT_EQ(rig.out->navigation.ended_id, 6U);
  EXPECT_EQ(rig.out->navigation.ended_as, static_cast<int>(mission::NavigationOutcome::kRefused));
}

TEST(Hazard10, TheAbortPathComesBeforeAGoalFromOutside) {
  DeliveryRig rig = flying("to_normal_altitude");
  rig.command(CommandCode::kMissionPause);
  rig.run(1);
  rig.ask(NavigationAsk::kGoal, 8, rig.out->used.X_WB.p + Vec3{5, 0, 2});
  rig.run(1);
  ASSERT_TRUE(rig.out->navigation.active);
  rig.battery = 0.1;
  rig.tick();
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kAborting);
  EXPECT_FALSE(rig.out->navigation.active);
  EXPECT_EQ(rig.out->navigation.ended_id, 8U);
  EXPECT_EQ(rig.out->navigation.ended_as, static_cast<int>(mission::NavigationOutcome::kPreempted));
  EXPECT_EQ(rig.out->owner, mission::Owner::kMission);
  EXPECT_TRUE(rig.run_to_end(300));
  EXPECT_EQ(rig.phase, FlightPhase::kMotorsOff);
}

TEST(Hazard10, AGoalBeyondFenceCeilingOrGroundIsRefusedAtOnce) {
  DeliveryRig rig = flying("to_normal_altitude");
  rig.command(CommandCode::kMissionPause);
  rig.run(1);
  std::uint64_t id = 10;
  for (const Vec3 goal : {Vec3{0, 0, 30}, Vec3{12, 12, 2}, Vec3{0, 0, 0}, Vec3{0, 0, -2}}) {
    rig.ask(NavigationAsk::kGoal, ++id, goal);
    rig.tick();
    EXPECT_FALSE(rig.out->navigation.active) << id;
    EXPECT_EQ(rig.out->navigation.ended_id, id);
    EXPECT_EQ(rig.out->navigation.ended_as, static_cast<int>(mission::NavigationOutcome::kRefused));
  }
}

}  // namespace
}  // namespace pintle
