#include "pintle/propulsion/azimuth.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pintle/propulsion/propulsor.h"

namespace pintle::propulsion {
namespace {

constexpr AzimuthParams kHead{500, 300, 2, 30};

TEST(Azimuth, TurnsAtItsRateTheShorterWayAndPushesWhereItLooks) {
  AzimuthState s{500, radians(170)};
  // 20 degrees on through straight astern, not 340 back: 15 of them in half a second
  Wrench w = step(kHead, s, {500, radians(-170)}, 0.5);
  EXPECT_NEAR(s.angle_rad, radians(-175), 1e-12);
  EXPECT_NEAR(w.force.x, 500 * std::cos(radians(175)), 1e-9);
  EXPECT_NEAR(w.force.y, -500 * std::sin(radians(175)), 1e-9);
  w = step(kHead, s, {500, radians(-170)}, 0.5);
  EXPECT_NEAR(s.angle_rad, radians(-170), 1e-12);
}

TEST(Azimuth, ThrustFollowsItsLagAndStaysInside) {
  AzimuthState s;
  (void)step(kHead, s, {900, 0}, 2);
  EXPECT_NEAR(s.thrust_N, 500 * (1 - std::exp(-1.0)), 1e-9);
  for (int i = 0; i < 100; ++i) (void)step(kHead, s, {-900, 0}, 1);
  EXPECT_NEAR(s.thrust_N, -300, 1e-9);
}

TEST(Azimuth, OffersAcrossWhatItsHeadCanTurnTo) {
  const AzimuthState s{200, radians(60)};
  const Linearised l = linearise(kHead, s, 0.1);  // 3 degrees
  ASSERT_EQ(l.n, 2u);
  EXPECT_NEAR(l.column_P[0].force.x, 0.5, 1e-12);
  EXPECT_NEAR(l.column_P[1].force.x, -std::sin(radians(60)), 1e-12);
  EXPECT_EQ(l.lower[0], -300);
  EXPECT_EQ(l.upper[0], 500);
  EXPECT_NEAR(l.upper[1], 200 * std::sin(radians(3)), 1e-12);
  EXPECT_NEAR(l.lower[1], -l.upper[1], 0);
  // at rest it still sets out
  EXPECT_NEAR(linearise(kHead, {}, 0.1).upper[1], 10 * std::sin(radians(3)), 1e-12);
}

TEST(Azimuth, WhatIsOfferedIsGivenAndTold) {
  AzimuthState s{200, radians(60)};
  double along = 200, across = 8;
  const AzimuthCommand c = invert(kHead, s, along, across, 0.1);
  EXPECT_NEAR(along, 200, 1e-9);
  EXPECT_NEAR(across, 8, 1e-9);
  EXPECT_NEAR(c.angle_rad, radians(60) + std::atan2(8, 200), 1e-12);
  const AzimuthParams quick{500, 300, 0, 30};
  const Wrench w = step(quick, s, c, 0.1);
  EXPECT_NEAR(w.force.x, 200 * 0.5 - 8 * std::sin(radians(60)), 1e-9);
  EXPECT_NEAR(w.force.y, 200 * std::sin(radians(60)) + 8 * 0.5, 1e-9);
}

TEST(Azimuth, MoreThanItCanTurnIsGivenAsFarAsItGoes) {
  const AzimuthState s{0, 0};
  double along = 0, across = 10;
  const AzimuthCommand c = invert(kHead, s, along, across, 0.1);
  EXPECT_NEAR(c.angle_rad, radians(3), 1e-12) << "as fast as it turns";
  EXPECT_NEAR(across, 10 * std::sin(radians(3)) * std::sin(radians(3)), 1e-9);
  // astern, to the left: the head turns to the right
  along = -100, across = 2;
  EXPECT_NEAR(invert(kHead, s, along, across, 0.1).angle_rad, -std::atan2(2, 100), 1e-12);
  EXPECT_NEAR(along, -100, 1e-9);
  EXPECT_NEAR(across, 2, 1e-9);
}

TEST(Azimuth, SaysNothingThatIsNoNumber) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  AzimuthState s{kNaN, kNaN};
  EXPECT_TRUE(is_finite(step(kHead, s, {kNaN, kNaN}, 0.1)));
  EXPECT_TRUE(std::isfinite(linearise(kHead, {kNaN, kNaN}, kNaN).upper[1]));
  double along = kNaN, across = 1e300;
  const AzimuthCommand c = invert(kHead, s, along, across, kNaN);
  EXPECT_TRUE(std::isfinite(c.thrust_N) && std::isfinite(c.angle_rad));
  EXPECT_TRUE(std::isfinite(along) && std::isfinite(across));
}

TEST(Azimuth, IsAPropulsorOfTwoChannels) {
  const Propulsor p = kHead;
  EXPECT_EQ(channels(p), 2u);
  EXPECT_EQ(kind_of(p), "azimuth");
  PropulsorState s = initial_state(p);
  const Linearised all = full_range(p, {});
  EXPECT_EQ(all.upper[0], 500);
  EXPECT_EQ(all.upper[1], 500) << "all round, in time";
  const PropulsorCommand c = invert(p, s, {100, 0, 0}, {}, 0.1);
  EXPECT_EQ(c.command[0], 100);
  for (int i = 0; i < 100; ++i) (void)step(p, s, {c.command}, {}, {}, 1);
  EXPECT_NEAR(thrust_of(p, s), 100, 1e-9);
}

TEST(Azimuth, WhatItCannotBeIsFound) {
  EXPECT_TRUE(check(kHead).empty());
  EXPECT_EQ(check(AzimuthParams{}).at(0).path, "max_thrust_N");
  EXPECT_EQ(check(AzimuthParams{1, -1, 0, 12}).at(0).path, "max_reverse_N");
  EXPECT_EQ(check(AzimuthParams{1, 0, 0, 0}).at(0).path, "turn_rate_deg_s");
}

}  // namespace
}  // namespace pintle::propulsion
