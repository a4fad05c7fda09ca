#include <gtest/gtest.h>

#include "pintle/mission/testing_engine.h"
#include "pintle/testing/heap_counter.h"

namespace pintle::mission {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// dive to -1 (settle 1 s), then east to x = 2, abort: up.
MissionSpec dive_and_go() {
  MissionSpec m;
  m.states = {state("dive"), state("east"), state("up")};
  m.states[0].go.z_m = -1;
  m.states[0].success.settle_s = 1;
  m.states[1].go.x_m = 2;
  m.states[1].on_success = "pass";
  m.states[2].go.z_m = 0;
  m.abort = "up";
  return m;
}

TEST(Engine, HoldsWhereTheVehicleIsUntilItIsStarted) {
  Rig rig(dive_and_go());
  rig.in.vehicle.validity = Validity::kMissing;
  rig.tick();
  EXPECT_FALSE(rig.out.pose_known);
  EXPECT_EQ(rig.out.setpoint.X_WD, Pose{});
  rig.in.vehicle.validity = Validity::kValid;
  rig.put({3, 4, -5}, 0, 0, 90);
  rig.tick();
  EXPECT_TRUE(rig.out.pose_known);
  EXPECT_EQ(rig.out.setpoint.X_WD.p, (Vec3{3, 4, -5}));
  rig.put({9, 9, 9});
  rig.tick();
  EXPECT_EQ(rig.out.setpoint.X_WD.p, (Vec3{3, 4, -5}));
  rig.in.disarmed = true;
  rig.tick();
  EXPECT_EQ(rig.out.setpoint.X_WD.p, (Vec3{9, 9, 9}));
  EXPECT_EQ(rig.out.status.phase, MissionPhase::kIdle);
}

TEST(Engine, RunsToItsEndAndReportsEveryStep) {
  Rig rig(dive_and_go());
  rig.put({0.5, 0, 0});
  rig.tick(Command::kStart);
  EXPECT_EQ(rig.out.status.state, 0);
  EXPECT_EQ(rig.out.setpoint.X_WD.p, (Vec3{0.5, 0, -1}));  // unnamed axes hold where it is
  rig.put({0.5, 0, -1});
  rig.run(1);
  EXPECT_EQ(rig.out.status.state, 0);
  EXPECT_NEAR(rig.out.status.settled_s, 0.98, 1e-9);
  rig.tick();
  EXPECT_EQ(rig.out.status.state, 1);
  EXPECT_EQ(rig.out.setpoint.X_WD.p, (Vec3{2, 0, -1}));  // height is carried on
  EXPECT_EQ(rig.out.status.time_in_state_s, 0);
  rig.put({2, 0, -1});
  rig.tick();
  EXPECT_TRUE(rig.out.finished);
  EXPECT_EQ(rig.out.status.phase, MissionPhase::kPassed);
  rig.tick();
  EXPECT_FALSE(rig.out.finished);
  EXPECT_EQ(rig.out.setpoint.X_WD.p, (Vec3{2, 0, -1}));
  EXPECT_EQ(rig.out.status.state, -1);
  const std::vector<EventCode> expected{EventCode::kMissionStarted, EventCode::kStateEntered,
                                        EventCode::kStateSucceeded, EventCode::kStateEntered,
                                        EventCode::kStateSucceeded, EventCode::kMissionFinished};
  ASSERT_EQ(rig.said.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(rig.said[i].code, expected[i]);
  EXPECT_EQ(rig.said[3].subject, 1);
  EXPECT_EQ(rig.said[4].subject, 1);
}

TEST(Engine, LeavingTheToleranceRestartsTheSettleClock) {
  Rig rig(dive_and_go());
  rig.tick(Command::kStart);
  rig.put({0, 0, -1});
  rig.run(0.9);
  rig.put({0, 0, -1.2});
  rig.tick();
  EXPECT_EQ(rig.out.status.settled_s, 0);
  rig.put({0, 0, -1});
  rig.run(1);
  EXPECT_EQ(rig.out.status.state, 0);
  rig.tick();
  EXPECT_EQ(rig.out.status.state, 1);
}

TEST(Engine, AShortGapOfTheStateStopsTheSettleClockAndALongOneRestartsIt) {
  for (const double gap_s : {0.02, 0.06, 0.5, 0.52}) {
    Rig rig(dive_and_go());
    rig.tick(Command::kStart);
    rig.put({0, 0, -1});
    rig.run(0.9);
    rig.in.vehicle.V_WB_B.w.x = kNaN;  // marked valid, and is not
    rig.run(gap_s);
    EXPECT_EQ(rig.out.status.state, 0) << gap_s << ": nothing is reached unseen";
    rig.in.vehicle.V_WB_B.w.x = 0;
    const bool kept = gap_s < 0.51;
    rig.run(kept ? 0.1 : 1);
    EXPECT_EQ(rig.out.status.state, 0) << gap_s;
    rig.tick();
    EXPECT_EQ(rig.out.status.state, 1) << gap_s;
  }
}

TEST(Engine, WhatIsOutsideAfterAShortGapBeginsAnew) {
  Rig rig(dive_and_go());
  rig.tick(Command::kStart);
  rig.put({0, 0, -1});
  rig.run(0.9);
  rig.in.vehicle.validity = Validity::kStale;
  rig.run(0.1);
  rig.in.vehicle.validity = Validity::kValid;
  rig.put({0, 0, -1.2});
  rig.tick();
  EXPECT_EQ(rig.out.status.settled_s, 0);
}

TEST(Engine, AGapInTheTicksIsNoTimeSpentSettled) {
  Rig rig(dive_and_go());
  rig.tick(Command::kStart);
  rig.put({0, 0, -1});
  rig.tick();
  rig.in.now = rig.in.now + Duration::from_seconds(3);
  rig.tick();
  EXPECT_EQ(rig.out.status.state, 0);
  rig.run(1);
  EXPECT_EQ(rig.out.status.state, 1);
}

TEST(Engine, AGoalThatIsReachedAlreadySucceedsInTheNextTickAndNotBefore) {
  MissionSpec m = dive_and_go();
  m.states[0].success.settle_s = 0;
  Rig rig(m);
  rig.put({2, 0, -1});
  rig.tick(Command::kStart);
  EXPECT_EQ(rig.out.status.state, 0);
  rig.tick();
  EXPECT_EQ(rig.out.status.state, 1);
  rig.tick();
  EXPECT_EQ(rig.out.status.phase, MissionPhase::kPassed);
}

TEST(Engine, AJumpInheritsNeitherSuccessNorGoalNorTime) {
  Rig rig(dive_and_go());
  rig.tick(Command::kStart);
  rig.put({0, 0, -1});
  rig.run(0.98);  // one tick before success
  rig.put({0, 0.5, -1.05});
  rig.tick(Command::kJump, 1);
  EXPECT_EQ(rig.out.status.state, 1);
  EXPECT_EQ(rig.out.status.settled_s, 0);
  EXPECT_EQ(rig.out.status.time_in_state_s, 0);
  EXPECT_EQ(rig.out.setpoint.X_WD.p, (Vec3{2, 0.5, -1.05}));  // its action is commanded at once
  rig.run(1);
  EXPECT_EQ(rig.out.status.state, 1);  // and it has to get there
  rig.put({2, 0.5, -1.05});
  rig.tick();
  EXPECT_EQ(rig.out.status.phase, MissionPhase::kPassed);
}

TEST(Engine, TimeoutsComeWithoutAnyVehicleStateAndLeadToTheEnd) {
  Rig rig(dive_and_go());
  rig.tick(Command::kStart);
  rig.in.vehicle.validity = Validity::kStale;
  rig.run(9.98);
  EXPECT_EQ(rig.out.status.state, 0);
  rig.tick();
  EXPECT_EQ(rig.out.status.phase, MissionPhase::kAborting);
  EXPECT_EQ(rig.out.status.state, 2);
  rig.run(10);
  EXPECT_EQ(rig.out.status.phase, MissionPhase::kAborted);
  EXPECT_EQ(rig.count(EventCode::kStateTimedOut), 2);
  EXPECT_EQ(rig.count(EventCode::kMissionFinished), 1);
}

TEST(Engine, RetriesApplyTheEntryActionsAgain) {
  MissionSpec m = dive_and_go();
  m.states[0].retries = 2;
  m.states[0].hold_here = true;
  m.states[0].reset_control = true;
  m.states[0].on_failure = "fail";
  Rig rig(m);
  rig.tick(Command::kStart);
  EXPECT_TRUE(rig.out.reset_control);
  rig.put({0.7, 0, 0});
  rig.run(9.98);
  EXPECT_EQ(rig.out.status.attempt, 0U);
  rig.tick();
  EXPECT_EQ(rig.out.status.attempt, 1U);
  EXPECT_TRUE(rig.out.reset_control);
  EXPECT_EQ(rig.out.setpoint.X_WD.p, (Vec3{0.7, 0, -1}));
  rig.run(20);
  EXPECT_EQ(rig.out.status.phase, MissionPhase::kFailed);
  EXPECT_EQ(rig.count(EventCode::kStateRetried), 2);
  EXPECT_EQ(rig.count(EventCode::kStateTimedOut), 3);
}

TEST(Engine, PauseHoldsThePoseOfThatMomentAndStopsTheTimeOfTheState) {
  MissionSpec m = dive_and_go();
  m.states[0].velocity.x_m_s = 0.3;
  Rig rig(m);
  rig.tick(Command::kStart);
  rig.run(8);
  rig.put({1, 0, -0.5}, 20, 0, 40);
  rig.tick(Command::kPause);
  EXPECT_EQ(rig.out.status.phase, MissionPhase::kPaused);
  const Setpoint held = rig.out.setpoint;
  EXPECT_EQ(held.X_WD.p, (Vec3{1, 0, -0.5}));
  EXPECT_EQ(held.V_WD_B, Twist{});
  for (const AxisMode mode : held.mode) EXPECT_EQ(mode, AxisMode::kPosition);
  rig.put({1.2, 0, -0.5});
  rig.run(30);
  EXPECT_EQ(rig.out.setpoint.X_WD, held.X_WD);
  EXPECT_NEAR(rig.out.status.time_in_state_s, 8.02, 1e-9);
  rig.tick(Command::kResume);
  EXPECT_EQ(rig.out.status.phase, MissionPhase::kRunning);
  EXPECT_EQ(rig.out.setpoint.V_WD_B.v.x, 0.3);
  EXPECT_EQ(rig.out.setpoint.X_WD.p.z, -1);
  EXPECT_NEAR(rig.out.status.time_in_state_s, 8.02, 1e-9);
  rig.run(1.98);
  EXPECT_EQ(rig.out.status.phase, MissionPhase::kAborting);
}

// its engine goes out with the state that lands: it would fall
TEST(Engine, ALandingOnTheEngineIsLeftForAnotherOneOrByAnAbortAndNotForAHold) {
  MissionSpec m = dive_and_go();
  m.states[0].land = m.states[1].land = true;
  Rig rig(m);
  rig.tick(Command::kStart);
  const auto is_refused = [&](Command c, std::int32_t to) {
    rig.tick(c, to);
    EXPECT_EQ(rig.out.status.phase, MissionPhase::kRunning);
    return rig.out.refused;
  };
  for (const Command c : {Command::kPause, Command::kSelect, Command::kCutOff})
    EXPECT_TRUE(is_refused(c, 1)) << to_string(c);
  EXPECT_TRUE(is_refused(Command::kJump, 2)) << "no landing";
  EXPECT_EQ(rig.out.status.state, 0);
  EXPECT_FALSE(is_refused(Command::kJump, 1));
  EXPECT_EQ(rig.out.status.state, 1);
  rig.tick(Command::kAbort);
  EXPECT_FALSE(rig.out.refused);
  EXPECT_EQ(rig.out.status.phase, MissionPhase::kAborting);
}

TEST(Engine, CommandsThatDoNotApplyAreRefusedAndChangeNothing) {
  Rig rig(dive_and_go());
  rig.in.vehicle.validity = Validity::kStale;
  rig.tick(Command::kStart);  // nothing is known of the vehicle
  EXPECT_TRUE(rig.out.refused);
  rig.in.vehicle.validity = Validity::kValid;
  for (const Command c : {Command::kPause, Command::kResume, Command::kAbort, Command::kJump}) {
    rig.tick(c, 0);
    EXPECT_TRUE(rig.out.refused) << to_string(c);
  }
  EXPECT_EQ(rig.out.status.phase, MissionPhase::kIdle);
  rig.tick(Command::kStart);
  EXPECT_FALSE(rig.out.refused);
  rig.tick(Command::kStart);
  EXPECT_TRUE(rig.out.refused);
  for (const std::int32_t nowhere : {-1, 3, 1000}) {
    rig.tick(Command::kJump, nowhere);
    EXPECT_TRUE(rig.out.refused);
  }
  EXPECT_EQ(rig.out.status.state, 0);
  rig.put({0, 0, -5});
  rig.tick(Command::kAbort);
  EXPECT_FALSE(rig.out.refused);
  // nothing leads off the abort path
  for (const Command c : {Command::kStart, Command::kPause, Command::kAbort, Command::kJump}) {
    rig.tick(c, 0);
    EXPECT_TRUE(rig.out.refused) << to_string(c);
    EXPECT_EQ(rig.out.status.state, 2);
  }
}

TEST(Engine, AbortTakesEffectInItsTickHoldsUnnamedAxesHereAndEndsAsAborted) {
  MissionSpec m = dive_and_go();
  m.states[2].on_success = "pass";  // whatever it is called
  Rig rig(m);
  rig.tick(Command::kStart);
  rig.tick(Command::kJump, 1);
  rig.put({1.3, 0.2, -0.9});
  rig.in.abort = true;
  rig.tick();
  EXPECT_EQ(rig.out.status.phase, MissionPhase::kAborting);
  EXPECT_EQ(rig.out.setpoint.X_WD.p, (Vec3{1.3, 0.2, 0}));  // not on to x = 2
  rig.tick();                                               // still asked for: already under way
  rig.put({1.3, 0.2, 0});
  rig.tick();
  EXPECT_EQ(rig.out.status.phase, MissionPhase::kAborted);
  EXPECT_EQ(rig.count(EventCode::kMissionAborted), 1);
  rig.tick();
  EXPECT_EQ(rig.count(EventCode::kMissionAborted), 1);  // nothing left to abort
}

TEST(Engine, SaysWhichAxesAreLostSinceTheStartAndGoesOn) {
  Rig rig(dive_and_go());
  // a craft that has never been able to roll misses nothing
  rig.in.reachable = static_cast<AxisMask>(kAllAxes & ~axis_bit(3));
  rig.tick(Command::kStart);
  rig.tick();
  EXPECT_EQ(rig.count(EventCode::kMissionImpaired), 0);
  rig.in.reachable = static_cast<AxisMask>(rig.in.reachable & ~axis_bit(1) & ~axis_bit(5));
  rig.tick();
  EXPECT_EQ(rig.out.status.axes_lost, axis_bit(1) | axis_bit(5));
  EXPECT_EQ(rig.events[0].code, EventCode::kMissionImpaired);
  EXPECT_EQ(rig.events[0].subject, 0);
  EXPECT_EQ(rig.events[0].value, axis_bit(1) | axis_bit(5));
  rig.run(1);
  EXPECT_EQ(rig.count(EventCode::kMissionImpaired), 1);
  EXPECT_EQ(rig.out.status.phase, MissionPhase::kRunning);
  // it flickers back and is gone again: told once; it is back when it has stayed for a second
  const AxisMask few = rig.in.reachable;
  for (int i = 0; i < 20; ++i) {
    rig.in.reachable = i % 2 == 0 ? kAllAxes : few;
    rig.tick();
  }
  EXPECT_EQ(rig.out.status.axes_lost, axis_bit(1) | axis_bit(5));
  EXPECT_EQ(rig.count(EventCode::kMissionImpaired), 1);
  rig.in.reachable = kAllAxes;
  rig.run(1.1);
  EXPECT_EQ(rig.out.status.axes_lost, 0);
  EXPECT_EQ(rig.count(EventCode::kMissionImpaired), 2);
}

TEST(Engine, AnAxisThatALandingLeavesFreeIsNoLoss) {
  MissionSpec m = dive_and_go();
  m.states[0].land = true;
  Rig rig(m);
  rig.tick(Command::kStart);
  rig.tick();
  rig.in.reachable = static_cast<AxisMask>(kAllAxes & ~axis_bit(5));
  rig.tick();
  EXPECT_EQ(rig.out.status.axes_lost, 0);
  rig.in.reachable = static_cast<AxisMask>(kAllAxes & ~axis_bit(2));
  rig.tick();
  EXPECT_EQ(rig.out.status.axes_lost, axis_bit(2));
}

TEST(Engine, ALostAxisEndsAMissionThatSaysSo) {
  MissionSpec m = dive_and_go();
  m.on_axis_lost = OnAxisLost::kAbort;
  Rig rig(m);
  rig.tick(Command::kStart);
  rig.in.reachable = static_cast<AxisMask>(kAllAxes & ~axis_bit(0));
  rig.tick();
  EXPECT_EQ(rig.out.status.phase, MissionPhase::kAborting);
  EXPECT_EQ(rig.out.status.state, 2);
  rig.run(1);
  EXPECT_EQ(rig.count(EventCode::kMissionAborted), 1);
  EXPECT_EQ(rig.count(EventCode::kMissionImpaired), 1);
}

TEST(Engine, AStatesOwnAbortGoesBeforeTheMissions) {
  MissionSpec m = dive_and_go();
  m.states.push_back(state("aside"));
  m.states[0].on_abort = "aside";
  m.states[3].on_failure = "up";
  m.states[2].on_success = "pass";
  Rig rig(m);
  rig.tick(Command::kStart);
  rig.tick(Command::kPause);
  rig.in.abort = true;
  rig.tick();
  EXPECT_EQ(rig.out.status.state, 3);
  rig.put({5, 5, 5});
  rig.run(10);  // a failure on the abort path goes on to its on_failure
  EXPECT_EQ(rig.out.status.state, 2);
  EXPECT_EQ(rig.out.status.phase, MissionPhase::kAborting);
}

TEST(Engine, WithoutAnAbortPathAbortEndsAtOnceWithAHold) {
  MissionSpec m = dive_and_go();
  m.abort.clear();
  m.states.pop_back();
  Rig rig(m);
  rig.tick(Command::kStart);
  rig.put({0, 0, -0.4});
  rig.tick(Command::kAbort);
  EXPECT_TRUE(rig.out.finished);
  EXPECT_EQ(rig.out.status.phase, MissionPhase::kAborted);
  EXPECT_EQ(rig.out.setpoint.X_WD.p, (Vec3{0, 0, -0.4}));
}

TEST(Engine, TheTimeLimitAbortsAlsoAPausedMission) {
  MissionSpec m = dive_and_go();
  m.time_limit_s = 20;
  Rig rig(m);
  rig.tick(Command::kStart);
  rig.tick(Command::kPause);
  rig.run(19.96);
  EXPECT_EQ(rig.out.status.phase, MissionPhase::kPaused);
  rig.tick();
  EXPECT_EQ(rig.out.status.phase, MissionPhase::kAborting);
}

TEST(Engine, TimeThatStandsStillOrRunsBackAddsNothingAndDoesNoHarm) {
  Rig rig(dive_and_go());
  rig.in.now = Time::from_seconds(1000);
  rig.tick(Command::kStart);
  rig.run(2);
  const double before = rig.out.status.time_in_state_s;
  rig.in.now = {std::numeric_limits<std::int64_t>::min()};
  rig.tick();
  EXPECT_EQ(rig.out.status.time_in_state_s, before);
  rig.in.now = rig.in.now - Duration{20'000'000};
  rig.tick();
  EXPECT_EQ(rig.out.status.time_in_state_s, before);
  rig.run(8);  // and time goes on from there
  EXPECT_EQ(rig.out.status.phase, MissionPhase::kAborting);
}

TEST(Engine, NeverAllocates) {
  Rig rig(dive_and_go());
  rig.tick(Command::kStart);
  EventList events;
  EngineOutput out;
  const std::uint64_t before = pintle::testing::heap_allocations();
  for (int i = 0; i < 100'000; ++i) {
    rig.in.now = rig.in.now + Duration{20'000'000};
    rig.in.command = static_cast<Command>(i % 6);
    rig.in.jump_to = i % 4;
    rig.in.abort = i % 997 == 0;
    events.clear();
    out = step(rig.mission, rig.state, rig.in, events);
  }
  EXPECT_EQ(pintle::testing::heap_allocations(), before);
}

}  // namespace
}  // namespace pintle::mission
