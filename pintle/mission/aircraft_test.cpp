#include "pintle/mission/aircraft.h"

#include <gtest/gtest.h>

#include "pintle/mission/arbiter.h"
#include "pintle/mission/testing_engine.h"

namespace pintle::mission {
namespace {

bool complains(const StateSpec& s, std::string_view path) {
  MissionSpec spec;
  spec.states.push_back(s);
  for (const Finding& f : check(spec))
    if (f.is_error && f.path == "states[0]." + std::string(path)) return true;
  return false;
}

StateSpec asking(Request request) {
  StateSpec s;
  s.name = "ask";
  s.timeout_s = 10;
  s.request = request;
  s.success.after_s = 1;
  return s;
}

TEST(AircraftStates, ARequestNeedsEvidenceOfWhatBecameOfIt) {
  for (const Request r : {Request::kGrab, Request::kTakeOff, Request::kTakeControl}) {
    StateSpec s = asking(r);
    EXPECT_TRUE(complains(s, "request"));
    s.success.request_done = true;
    EXPECT_FALSE(complains(s, "request"));
  }
  StateSpec grab = asking(Request::kGrab);
  grab.success.flight = FlightEvidence::kAirborne;
  EXPECT_TRUE(complains(grab, "request")) << "the flight says nothing of the gripper";
  grab.success.gripper = GripperEvidence::kReleased;
  EXPECT_TRUE(complains(grab, "success.gripper"));
}

TEST(AircraftStates, ContradictionsAreTold) {
  StateSpec s = asking(Request::kNone);
  s.success.request_done = true;
  EXPECT_TRUE(complains(s, "success.request_done"));
  s = asking(Request::kNone);
  s.servo.target = TargetChoice::kPad;
  s.go.x_m = 1;
  EXPECT_TRUE(complains(s, "servo"));
  s = asking(Request::kNone);
  s.search.pattern = SearchPattern::kClimb;
  EXPECT_TRUE(complains(s, "search")) << "nothing to search for";
  s.success.target.kind = TargetChoice::kPad;
  EXPECT_FALSE(complains(s, "search"));
  s.velocity.z_m_s = 1;
  EXPECT_TRUE(complains(s, "search"));
}

TEST(AircraftEngine, AsksOncePerAttemptAndWithANewNumberForTheNext) {
  StateSpec s = asking(Request::kGrab);
  s.success = {};
  s.success.gripper = GripperEvidence::kGrabbed;
  s.timeout_s = 1;
  s.retries = 1;
  MissionSpec spec;
  spec.states.push_back(s);
  Rig rig(spec);
  rig.in.aircraft.present = true;
  rig.tick(Command::kStart);
  EXPECT_EQ(rig.out.gripper_request.number, 0U);
  rig.run(0.9);
  EXPECT_EQ(rig.out.gripper_request.number, 1U);
  // grabbed, but not on this request
  rig.in.aircraft.gripper_fresh = true;
  rig.in.aircraft.gripper = {{}, GripperHold::kGrabbed, true, 0, RequestOutcome::kDone};
  rig.run(0.5);
  EXPECT_EQ(rig.out.gripper_request.number, 2U);
  EXPECT_EQ(rig.out.status.phase, MissionPhase::kRunning);
  rig.in.aircraft.gripper.request = 2;
  rig.tick();
  EXPECT_EQ(rig.out.status.phase, MissionPhase::kPassed);
}

TEST(AircraftEngine, NothingIsAskedForInAPauseAndASingleStepEndsInOne) {
  StateSpec grab = asking(Request::kGrab);
  grab.success.gripper = GripperEvidence::kGrabbed;
  StateSpec wait = state("wait");
  MissionSpec spec;
  spec.states = {wait, grab};
  Rig rig(spec);
  rig.in.aircraft.present = true;
  rig.tick(Command::kSelect, 1);
  rig.run(3);
  EXPECT_EQ(rig.out.status.phase, MissionPhase::kPaused);
  EXPECT_EQ(rig.out.gripper_request.number, 0U);
  rig.tick(Command::kStep, 0);
  EXPECT_TRUE(rig.out.single);
  rig.run(0.1);
  EXPECT_EQ(rig.out.status.phase, MissionPhase::kPaused);
  EXPECT_EQ(rig.out.status.state, 0);
  EXPECT_EQ(rig.out.gripper_request.number, 0U);
}

// dropped on the way, or taken out: nobody flies on without it, and nothing succeeds
TEST(AircraftEngine, APayloadThatIsGoneUnaskedIsToldOnceAndIsTheAbortPath) {
  StateSpec grab = asking(Request::kGrab);
  grab.name = "grab";
  grab.success = {};
  grab.success.gripper = GripperEvidence::kGrabbed;
  StateSpec carry = asking(Request::kNone), home = asking(Request::kNone);
  carry.name = "carry";
  home.name = "home";
  carry.timeout_s = home.timeout_s = 60;
  carry.success.after_s = home.success.after_s = 30;
  StateSpec drop = asking(Request::kRelease);
  drop.name = "drop";
  drop.success = {};
  drop.success.gripper = GripperEvidence::kReleased;
  MissionSpec spec;
  spec.states = {grab, carry, drop, home};
  spec.abort = "home";
  const auto flown = [&spec](std::int32_t until, bool fresh = true) {
    Rig rig(spec);
    rig.in.aircraft.present = rig.in.aircraft.gripper_fresh = true;
    rig.in.aircraft.gripper = {{}, GripperHold::kReleased, true, 0, RequestOutcome::kNone};
    rig.tick(Command::kStart);
    rig.run(0.1);
    rig.in.aircraft.gripper = {{}, GripperHold::kGrabbed, true, 1, RequestOutcome::kDone};
    rig.run(0.5);
    EXPECT_EQ(rig.out.status.state, 1);
    if (until > 1) rig.tick(Command::kJump, 2);
    rig.run(0.1);
    rig.in.aircraft.gripper.hold = GripperHold::kReleased;
    rig.in.aircraft.gripper_fresh = fresh;
    return rig;
  };
  // a report in each tick
  const auto reports = [](Rig& r, double seconds) {
    for (int n = static_cast<int>(std::lround(seconds * 50)); n > 0; --n) {
      r.in.aircraft.gripper.stamp = r.in.now;
      r.tick();
    }
  };
  Rig rig = flown(1);
  ASSERT_EQ(rig.out.status.state, 1);
  reports(rig, 0.4);
  EXPECT_EQ(rig.count(EventCode::kPayloadLost), 0);
  EXPECT_EQ(rig.out.status.phase, MissionPhase::kRunning);
  reports(rig, 5);
  EXPECT_EQ(rig.count(EventCode::kPayloadLost), 1);
  EXPECT_EQ(rig.count(EventCode::kMissionAborted), 1);
  EXPECT_EQ(rig.out.status.phase, MissionPhase::kAborting);
  // one report is none, however long it is the newest; nor two with another between them
  Rig flickers = flown(1);
  flickers.in.aircraft.gripper.stamp = flickers.in.now;
  flickers.run(0.9);
  for (int i = 0; i < 10; ++i) {
    flickers.in.aircraft.gripper.hold = i % 2 == 0 ? GripperHold::kGrabbed : GripperHold::kReleased;
    reports(flickers, 0.3);
  }
  EXPECT_EQ(flickers.count(EventCode::kPayloadLost), 0);
  // in a pause too, unless whoever paused it has asked for it
  for (const bool by_hand : {false, true}) {
    Rig paused = flown(1);
    paused.in.aircraft.gripper.hold = GripperHold::kGrabbed;
    paused.tick(Command::kPause);
    paused.in.aircraft.gripper.hold = GripperHold::kReleased;
    paused.in.aircraft.gripper.by_hand = by_hand;
    reports(paused, 1);
    EXPECT_EQ(paused.out.status.phase, by_hand ? MissionPhase::kPaused : MissionPhase::kAborting);
  }
  // an old report is none, and what was asked for is no loss
  Rig silent = flown(1, false);
  reports(silent, 2);
  EXPECT_EQ(silent.count(EventCode::kPayloadLost), 0);
  silent.in.aircraft.gripper_fresh = true;
  reports(silent, 1);
  EXPECT_EQ(silent.count(EventCode::kPayloadLost), 1) << "told once it speaks again";
  Rig drops = flown(2);
  drops.in.aircraft.gripper.request = 2;
  reports(drops, 2);
  EXPECT_EQ(drops.out.status.state, 3);
  EXPECT_EQ(drops.count(EventCode::kPayloadLost), 0);
  // the next mission may carry what it has from the beginning
  drops.tick(Command::kAbort);
  drops.run(40);
  ASSERT_FALSE(is_under_way(drops.out.status.phase));
  drops.in.aircraft.gripper.hold = GripperHold::kGrabbed;
  drops.tick(Command::kStart);
  drops.tick(Command::kJump, 1);
  reports(drops, 0.2);
  drops.in.aircraft.gripper.hold = GripperHold::kReleased;
  reports(drops, 1);
  EXPECT_EQ(drops.count(EventCode::kPayloadLost), 1);
}

// what is about to take off has not landed; what was refused is not about to
TEST(AircraftEngine, ATakeOffThatWasRefusedDoesNotComeLater) {
  StateSpec up = asking(Request::kTakeOff);
  up.success = {};
  up.success.flight = FlightEvidence::kAirborne;
  up.on_failure = "down";
  StateSpec down = asking(Request::kNone);
  down.name = "down";
  down.success = {};
  down.success.flight = FlightEvidence::kOnGround;
  MissionSpec spec;
  spec.states = {up, down};
  for (const RequestOutcome o : {RequestOutcome::kRefused, RequestOutcome::kFailed}) {
    Rig rig(spec);
    rig.in.aircraft.present = rig.in.aircraft.flight_fresh = true;
    rig.in.aircraft.flight.phase = FlightPhase::kOnGround;
    rig.tick(Command::kStart);
    rig.run(0.1);
    ASSERT_EQ(rig.out.flight_request.kind, FlightRequestKind::kTakeOff);
    EXPECT_TRUE(rig.state.requests.rising);
    rig.in.aircraft.flight.request = rig.out.flight_request.number;
    rig.in.aircraft.flight.outcome = o;
    rig.run(2);
    EXPECT_FALSE(rig.state.requests.rising);
    EXPECT_EQ(rig.out.status.phase, MissionPhase::kPassed) << "it stands on the ground";
  }
}

}  // namespace
}  // namespace pintle::mission
