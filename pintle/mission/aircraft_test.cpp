#include "pintle/mission/aircraft.h"

#include <gtest/gtest.h>

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
