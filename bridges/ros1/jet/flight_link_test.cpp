#include "jet/flight_link.h"

#include <gtest/gtest.h>

namespace pintle::ros1 {
namespace {

FlightReport seen(FlightPhase phase, bool has_control = true) {
  FlightReport r;
  r.phase = phase;
  r.has_control = has_control;
  return r;
}

RequestOutcome outcome(FlightLink& link, FlightReport report) {
  link.complete(report);
  return report.outcome;
}

TEST(FlightLink, AcceptedIsNotDone) {
  FlightLink link;
  link.ask({FlightRequestKind::kTakeOff, 1});
  EXPECT_EQ(outcome(link, seen(FlightPhase::kOnGround)), RequestOutcome::kPending);
  link.answered(1, CallAnswer::kAccepted);
  EXPECT_EQ(outcome(link, seen(FlightPhase::kTakingOff)), RequestOutcome::kPending);
  EXPECT_EQ(outcome(link, seen(FlightPhase::kAirborne)), RequestOutcome::kDone);
  // done stays done, whatever comes later
  EXPECT_EQ(outcome(link, seen(FlightPhase::kLanding)), RequestOutcome::kDone);
}

TEST(FlightLink, WhatIsSeenBeforeTheCallIsAcceptedIsNoEvidence) {
  FlightLink link;
  link.ask({FlightRequestKind::kTakeControl, 1});
  EXPECT_EQ(outcome(link, seen(FlightPhase::kOnGround, true)), RequestOutcome::kPending);
  link.answered(1, CallAnswer::kRefused);
  EXPECT_EQ(outcome(link, seen(FlightPhase::kOnGround, true)), RequestOutcome::kRefused);
}

TEST(FlightLink, EachRequestHasItsOwnEvidence) {
  struct Case {
    FlightRequestKind kind;
    FlightReport before, after;
  };
  const Case cases[] = {
      {FlightRequestKind::kTakeControl, seen(FlightPhase::kOnGround, false),
       seen(FlightPhase::kOnGround, true)},
      {FlightRequestKind::kReleaseControl, seen(FlightPhase::kOnGround, true),
       seen(FlightPhase::kOnGround, false)},
      {FlightRequestKind::kTakeOff, seen(FlightPhase::kTakingOff), seen(FlightPhase::kAirborne)},
      {FlightRequestKind::kLand, seen(FlightPhase::kTouchingDown), seen(FlightPhase::kOnGround)},
      {FlightRequestKind::kLand, seen(FlightPhase::kLanding), seen(FlightPhase::kMotorsOff)},
  };
  for (const Case& c : cases) {
    FlightLink link;
    link.ask({c.kind, 5});
    link.answered(5, CallAnswer::kAccepted);
    EXPECT_EQ(outcome(link, c.before), RequestOutcome::kPending) << to_string(c.kind);
    EXPECT_EQ(outcome(link, c.after), RequestOutcome::kDone) << to_string(c.kind);
  }
}

TEST(FlightLink, ANewerRequestReplacesTheOneBeforeAndItsLateAnswer) {
  FlightLink link;
  link.ask({FlightRequestKind::kTakeOff, 1});
  link.ask({FlightRequestKind::kLand, 2});
  EXPECT_EQ(link.call().kind, FlightRequestKind::kLand);
  link.answered(1, CallAnswer::kRefused);
  EXPECT_EQ(outcome(link, seen(FlightPhase::kAirborne)), RequestOutcome::kPending);
  link.answered(2, CallAnswer::kFailed);
  FlightReport report = seen(FlightPhase::kAirborne);
  link.complete(report);
  EXPECT_EQ(report.outcome, RequestOutcome::kFailed);
  EXPECT_EQ(report.request, 2U);
}

TEST(FlightLink, TheSameRequestInEveryTickIsOneCall) {
  FlightLink link;
  link.ask({FlightRequestKind::kTakeOff, 1});
  link.answered(1, CallAnswer::kAccepted);
  EXPECT_EQ(outcome(link, seen(FlightPhase::kAirborne)), RequestOutcome::kDone);
  link.ask({FlightRequestKind::kTakeOff, 1});
  EXPECT_EQ(outcome(link, seen(FlightPhase::kOnGround)), RequestOutcome::kDone);
  link.ask({FlightRequestKind::kNone, 2});
  EXPECT_EQ(link.call().number, 1U);
}

}  // namespace
}  // namespace pintle::ros1
