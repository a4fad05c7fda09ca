#include "pintle/console/departure.h"

#include <gtest/gtest.h>

namespace pintle::console {
namespace {

using stack::CommandCode;

DepartureView flying() { return {true, false, false, true}; }
DepartureView standing() { return {false, false, false, true}; }
DepartureView fleeing() { return {true, true, false, true}; }
DepartureView landing() { return {true, true, true, true}; }

TEST(Departure, OnTheGroundItLeavesAtOnce) {
  Departure d;
  EXPECT_TRUE(d.ask(standing(), 0, false).leave);
}

TEST(Departure, APersonAtTheKeysSeesTheAbortPathThrough) {
  Departure d;
  EXPECT_EQ(d.ask(flying(), 0, true).command, CommandCode::kMissionAbort);
  for (int t = 0; t < 100; ++t) {
    const DepartureStep s = d.update(fleeing(), t);
    EXPECT_FALSE(s.leave || s.command) << t;
  }
  EXPECT_FALSE(d.update({false, true, false, true}, 101).leave) << "control is to be given back";
  EXPECT_TRUE(d.update(standing(), 102).leave);
}

TEST(Departure, ASignalIsObeyedBeforeRoslaunchKillsAndTheLastWordIsALanding) {
  Departure d;
  EXPECT_EQ(d.ask(flying(), 0, false).command, CommandCode::kMissionAbort);
  double asked_s = 0, left_s = 0;
  for (double t = 0; t < 100 && left_s == 0; t += 0.02) {
    const DepartureStep s = d.update(asked_s > 0 && t > asked_s + 0.5 ? landing() : fleeing(), t);
    if (s.command) {
      EXPECT_EQ(s.command, CommandCode::kMissionLand);
      EXPECT_EQ(asked_s, 0) << "once";
      asked_s = t;
    }
    if (s.leave) left_s = t;
  }
  EXPECT_NEAR(asked_s, 8, 0.1);
  EXPECT_NEAR(left_s, 8.5, 0.1) << "the flight controller finishes it by itself";
}

TEST(Departure, WhatIsNotObeyedIsLeftAfterTwoSeconds) {
  Departure d;
  (void)d.ask(flying(), 0, false);
  double t = 0;
  EXPECT_FALSE(d.update(flying(), t += 1.9).command);
  EXPECT_EQ(d.update(flying(), t += 0.2).command, CommandCode::kMissionLand);
  EXPECT_FALSE(d.update(flying(), t += 1.9).leave);
  EXPECT_TRUE(d.update(flying(), t += 0.2).leave);
}

TEST(Departure, AskedAgainItLandsAndOnceMoreItLeaves) {
  Departure d;
  (void)d.ask(flying(), 0, true);
  EXPECT_EQ(d.ask(fleeing(), 1, true).command, CommandCode::kMissionLand);
  EXPECT_TRUE(d.update(landing(), 1.1).leave);
  EXPECT_TRUE(d.ask(fleeing(), 1.1, true).leave);
  // nothing but the program flies the craft: a landing would not go on without it
  Departure own;
  const DepartureView armed{true, false, false, false};
  (void)own.ask(armed, 0, true);
  EXPECT_TRUE(own.ask(armed, 1, true).leave);
}

TEST(Departure, ASignalAfterTheKeyBoundsTheAbortPath) {
  Departure d;
  (void)d.ask(flying(), 0, true);
  EXPECT_FALSE(d.update(fleeing(), 50).command);
  const DepartureStep told = d.ask(fleeing(), 50, false);
  EXPECT_FALSE(told.leave || told.command);
  EXPECT_FALSE(d.update(fleeing(), 57).command);
  EXPECT_EQ(d.update(fleeing(), 58.1).command, CommandCode::kMissionLand);
}

}  // namespace
}  // namespace pintle::console
