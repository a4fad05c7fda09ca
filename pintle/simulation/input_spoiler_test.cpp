#include "pintle/simulation/input_spoiler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace pintle::simulation {
namespace {

using K = InputFaultKind;

/// Everything there, at that time, with numbers that rise with it.
Inputs at(double t) {
  Inputs in;
  in.now = Time::from_seconds(t);
  in.has_odometry = in.has_flight = in.has_gripper = in.has_bus_voltage = true;
  in.targets.push_back({});
  in.odometry.stamp = in.flight.stamp = in.gripper.stamp = in.targets[0].stamp = in.now;
  in.odometry.X_WB.p = in.targets[0].p_BT_B = in.flight.v_W = {t, 2 * t, 3 * t};
  in.flight.request = static_cast<std::uint32_t>(10 * t);
  in.gripper.request = static_cast<std::uint32_t>(10 * t);
  in.gripper.hold = GripperHold::kGrabbed;
  in.bus_V = 16;
  return in;
}

Inputs spoilt(InputCode input, K kind, double value, double t, InputSpoiler* kept = nullptr) {
  InputSpoiler fresh({{input, kind, 1, 3, value}}, 7);
  InputSpoiler& spoiler = kept != nullptr ? *kept : fresh;
  Inputs in = at(t);
  spoiler.apply(in, in.now);
  return in;
}

TEST(InputFaults, OffTakesAwayTheOneInputForItsTime) {
  for (const InputCode c : {InputCode::kOdometry, InputCode::kFlight, InputCode::kGripper,
                            InputCode::kTarget, InputCode::kBusVoltage}) {
    const Inputs in = spoilt(c, K::kOff, 0, 2);
    EXPECT_EQ(in.has_odometry, c != InputCode::kOdometry);
    EXPECT_EQ(in.has_flight, c != InputCode::kFlight);
    EXPECT_EQ(in.has_gripper, c != InputCode::kGripper);
    EXPECT_EQ(!in.targets.empty(), c != InputCode::kTarget);
    EXPECT_EQ(in.has_bus_voltage, c != InputCode::kBusVoltage);
    EXPECT_TRUE(spoilt(c, K::kOff, 0, 3).has_flight) << "over by then";
    EXPECT_TRUE(spoilt(c, K::kOff, 0, 0.5).has_flight) << "not yet";
  }
}

TEST(InputFaults, StuckKeepsTheStampAndFrozenDoesNot) {
  for (const K kind : {K::kStuck, K::kFrozen}) {
    const auto stamp = [&](InputCode c, auto get) {
      InputSpoiler s({{c, kind, 1, 3, 0}}, 7);
      (void)spoilt(c, kind, 0, 1.5, &s);
      return get(spoilt(c, kind, 0, 2, &s));
    };
    const double expected = kind == K::kStuck ? 1.5 : 2;
    const Inputs o = stamp(InputCode::kOdometry, [](Inputs in) { return in; });
    EXPECT_EQ(o.odometry.X_WB.p.x, 1.5);
    EXPECT_EQ(o.odometry.stamp.seconds(), expected);
    EXPECT_EQ(o.flight.v_W.x, 2);
    const Inputs f = stamp(InputCode::kFlight, [](Inputs in) { return in; });
    EXPECT_EQ(f.flight.v_W.x, 1.5);
    EXPECT_EQ(f.flight.request, 15U);
    EXPECT_EQ(f.flight.stamp.seconds(), expected);
    const Inputs g = stamp(InputCode::kGripper, [](Inputs in) { return in; });
    EXPECT_EQ(g.gripper.request, 15U);
    EXPECT_EQ(g.gripper.stamp.seconds(), expected);
    const Inputs t = stamp(InputCode::kTarget, [](Inputs in) { return in; });
    EXPECT_EQ(t.targets[0].p_BT_B.y, 3);
    EXPECT_EQ(t.targets[0].stamp.seconds(), expected);
  }
}

TEST(InputFaults, NumbersAreSpoiltOfTheirInputAlone) {
  EXPECT_TRUE(std::isnan(spoilt(InputCode::kFlight, K::kNan, 0, 2).flight.v_W.y));
  EXPECT_TRUE(std::isnan(spoilt(InputCode::kFlight, K::kNan, 0, 2).flight.battery));
  EXPECT_EQ(spoilt(InputCode::kFlight, K::kNan, 0, 2).odometry.X_WB.p.x, 2);
  EXPECT_TRUE(std::isinf(spoilt(InputCode::kTarget, K::kInfinite, 0, 2).targets[0].p_BT_B.z));
  EXPECT_EQ(spoilt(InputCode::kTarget, K::kShifted, 1.5, 2).targets[0].p_BT_B, (Vec3{3.5, 4, 6}));
  EXPECT_EQ(spoilt(InputCode::kOdometry, K::kShifted, 3, 2).odometry.X_WB.p, (Vec3{5, 4, 6}));
  EXPECT_EQ(spoilt(InputCode::kFlight, K::kShifted, 1, 2).flight.v_W, (Vec3{3, 4, 6}));
  const Inputs garbage = spoilt(InputCode::kGripper, K::kGarbage, 0, 2);
  EXPECT_NE(garbage.gripper.request, 20U);
}

TEST(InputFaults, NoiseHasItsStandardDeviationAndIsTheSameForTheSameSeed) {
  double sum = 0;
  InputSpoiler s({{InputCode::kOdometry, K::kNoisy, 0, 1e9, 0.5}}, 3);
  InputSpoiler same({{InputCode::kOdometry, K::kNoisy, 0, 1e9, 0.5}}, 3);
  constexpr int kTimes = 4000;
  for (int k = 0; k < kTimes; ++k) {
    Inputs a = at(2), b = at(2);
    s.apply(a, a.now);
    same.apply(b, b.now);
    EXPECT_EQ(a.odometry.X_WB.p, b.odometry.X_WB.p);
    sum += (a.odometry.X_WB.p.x - 2) * (a.odometry.X_WB.p.x - 2);
  }
  EXPECT_NEAR(std::sqrt(sum / kTimes), 0.5, 0.03);
}

TEST(InputFaults, StampsAreMovedOfEachInputThatHasOne) {
  EXPECT_EQ(spoilt(InputCode::kFlight, K::kDelayed, 0.5, 2).flight.stamp.seconds(), 1.5);
  EXPECT_EQ(spoilt(InputCode::kGripper, K::kFromFuture, 0.5, 2).gripper.stamp.seconds(), 2.5);
  EXPECT_LT(spoilt(InputCode::kTarget, K::kTimeReversed, 0, 2).targets[0].stamp.seconds(), 0.5);
}

TEST(InputFaults, AClockStandsOrLeapsAndTheStampsGoOn) {
  const auto clock = [](K kind, double value) {
    InputSpoiler s({{InputCode::kClock, kind, 1, 3, value}}, 7);
    (void)spoilt(InputCode::kClock, kind, value, 1.5, &s);
    const Inputs in = spoilt(InputCode::kClock, kind, value, 2, &s);
    EXPECT_EQ(in.odometry.stamp.seconds(), 2);
    return in.now;
  };
  EXPECT_EQ(clock(K::kStuck, 0).seconds(), 1.5);
  EXPECT_LT(clock(K::kTimeReversed, 0).seconds(), 0.5);
  EXPECT_EQ(clock(K::kFromFuture, 1e6), Time::from_seconds(1e6 + 2));
  EXPECT_EQ(clock(K::kDelayed, 1).seconds(), 1);
  EXPECT_EQ(clock(K::kFromFuture, 1e10).ns, std::numeric_limits<std::int64_t>::max());
}

TEST(InputFaults, TheirTimeIsTheTrueOneWhateverTheClockSays) {
  InputSpoiler clock({{InputCode::kClock, K::kFromFuture, 1, 3, 1e6}}, 7);
  InputSpoiler odometry({{InputCode::kOdometry, K::kOff, 1, 3, 0}}, 7);
  Inputs in = at(2);
  const Time now = in.now;
  clock.apply(in, now);
  odometry.apply(in, now);
  EXPECT_FALSE(in.has_odometry);
}

TEST(InputFaults, WhatDoesNotFitIsRefused) {
  EXPECT_TRUE(check({{InputCode::kFlight, K::kNan, 0, 1, 0}}).empty());
  EXPECT_TRUE(check({{InputCode::kTarget, K::kNoisy, 0, 1, 2}}).empty());
  EXPECT_TRUE(check({{InputCode::kGripper, K::kGarbage, 0, 1, 0}}).empty());
  EXPECT_FALSE(check({{InputCode::kGripper, K::kNan, 0, 1, 0}}).empty());
  EXPECT_FALSE(check({{InputCode::kBusVoltage, K::kDelayed, 0, 1, 1}}).empty());
  EXPECT_FALSE(check({{InputCode::kSetpoint, K::kOff, 0, 1, 0}}).empty());
  EXPECT_FALSE(check({{InputCode::kClock, K::kOff, 0, 1, 0}}).empty());
  EXPECT_FALSE(check({{InputCode::kClock, K::kFrozen, 0, 1, 0}}).empty());
  EXPECT_TRUE(check({{InputCode::kClock, K::kStuck, 0, 1, 0}}).empty());
}

}  // namespace
}  // namespace pintle::simulation
