#include "jet/flight_parts.h"

#include <gtest/gtest.h>

namespace pintle::ros1 {
namespace {

/// All four told at time zero.
FlightParts speaking() {
  FlightParts parts;
  parts.phase(3, 0);
  parts.control(true, 0);
  parts.attitude({0, 0, 0, 1}, 0);
  parts.battery(0.8, 0);
  return parts;
}

TEST(FlightParts, AReportIsWhatAllOfThemSayWithTheStampOfItsVelocity) {
  const auto r = speaking().report(7, {1, 2, 3}, 0.5);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->stamp_ns, 7);
  EXPECT_EQ(r->phase, 3);
  EXPECT_TRUE(r->has_control);
  EXPECT_EQ(r->velocity[2], 3);
  EXPECT_TRUE(r->has_attitude);
  EXPECT_TRUE(r->has_battery);
  EXPECT_EQ(r->battery, 0.8);
}

TEST(FlightParts, AHasControlThatIsSilentIsNoControlHoweverMuchTheOthersSay) {
  FlightParts parts = speaking();
  double now_s = 0;
  for (; now_s < 0.99; now_s += 0.1) {
    parts.phase(3, now_s);
    EXPECT_TRUE(parts.report(1, {}, now_s)) << now_s;
  }
  for (now_s = 1.05; now_s < 20; now_s += 0.1) {
    parts.phase(3, now_s);
    parts.attitude({0, 0, 0, 1}, now_s);
    parts.battery(0.8, now_s);
    EXPECT_FALSE(parts.report(1, {}, now_s)) << now_s;
  }
  parts.control(false, now_s);
  ASSERT_TRUE(parts.report(1, {}, now_s));
  EXPECT_FALSE(parts.report(1, {}, now_s)->has_control);
}

TEST(FlightParts, AFlightStatusThatIsSilentIsNoReport) {
  FlightParts parts = speaking();
  parts.control(true, 1.05);
  EXPECT_FALSE(parts.report(1, {}, 1.05));
}

TEST(FlightParts, WhatWasNeverToldIsNotKnown) {
  FlightParts parts;
  EXPECT_FALSE(parts.report(1, {}, 0));
  parts.phase(1, 0);
  EXPECT_FALSE(parts.report(1, {}, 0)) << "nobody has said whether it obeys";
  parts.control(true, 0);
  ASSERT_TRUE(parts.report(1, {}, 0));
  EXPECT_FALSE(parts.report(1, {}, 0)->has_battery);
  EXPECT_FALSE(parts.report(1, {}, 0)->has_attitude);
  EXPECT_TRUE(parts.news(0).empty()) << "one that is not there has not fallen silent";
}

TEST(FlightParts, AChargeAndAnAttitudeHaveAnAge) {
  FlightParts parts = speaking();
  parts.phase(3, 9.9);
  parts.control(true, 9.9);
  EXPECT_TRUE(parts.report(1, {}, 9.9)->has_battery);
  EXPECT_FALSE(parts.report(1, {}, 9.9)->has_attitude);
  EXPECT_FALSE(parts.report(1, {}, 10.1)->has_battery);
}

TEST(FlightParts, WhoFallsSilentIsNamedOnceAndOnceMoreWhenItSpeaks) {
  FlightParts parts = speaking();
  parts.phase(3, 2);
  parts.attitude({0, 0, 0, 1}, 2);
  ASSERT_EQ(parts.news(2).size(), 1U);
  EXPECT_TRUE(parts.news(2).empty());
  parts.control(true, 2.1);
  ASSERT_EQ(parts.news(2.1),
            std::vector<std::string>{"/flight_controller/has_control speaks again"});
  parts.phase(3, 3.5);
  parts.attitude({0, 0, 0, 1}, 3.5);
  ASSERT_EQ(parts.news(3.5), std::vector<std::string>{"/flight_controller/has_control is silent: "
                                                      "that counts as not in control"});
}

}  // namespace
}  // namespace pintle::ros1
