#include "pintle/estimation/origin.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pintle/base/random.h"

namespace pintle::estimation {
namespace {

/// Samples at 50 Hz.
struct Feed {
  Origin origin{OriginParams{}};
  int n = 0;
  OriginSample operator()(Vec3 p) { return origin.update(p, Time::from_seconds(0.02 * ++n)); }
  void stand(Vec3 p, int samples) {
    for (int i = 0; i < samples; ++i) (*this)(p);
  }
};

TEST(Origin, IsTheMeanOfAStandingSecond) {
  Feed feed;
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(feed({3 + (i % 2 == 0 ? 0.01 : -0.01), -2, 1}), OriginSample::kSettling);
  EXPECT_FALSE(feed.origin.is_known());
  EXPECT_EQ(feed({3, -2, 1}), OriginSample::kGood);
  const auto p = feed.origin.relative({4, -2, 3});
  ASSERT_TRUE(p.has_value());
  EXPECT_NEAR(p->x, 1, 1e-12);
  EXPECT_NEAR(p->y, 0, 1e-12);
  EXPECT_NEAR(p->z, 2, 1e-12);
}

TEST(Origin, OneSampleIsNotEnoughAndMovingNeverIs) {
  Feed feed;
  feed({1, 1, 1});
  EXPECT_FALSE(feed.origin.relative({1, 1, 1}).has_value());
  for (int i = 0; i < 500; ++i) feed({0.01 * i, 0, 0});  // 0.5 m/s
  EXPECT_FALSE(feed.origin.is_known());
  for (int i = 0; i < 500; ++i) feed({5 + 0.001 * i, 0, 0});  // 0.05 m/s: a slow hand
  EXPECT_FALSE(feed.origin.is_known());
  feed.stand({5.5, 0, 0}, 102);
  EXPECT_TRUE(feed.origin.is_known());
}

TEST(Origin, NoiseOfACentimetreOnEachAxisHindersNothing) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomStream noise(seed, "origin");
    Feed feed;
    for (int i = 0; i < 60; ++i)
      feed({0.01 * noise.normal(), 0.01 * noise.normal(), 0.01 * noise.normal()});
    EXPECT_TRUE(feed.origin.is_known()) << seed;
  }
}

TEST(Origin, AGapBeginsTheWindowAnew) {
  Feed feed;
  feed.stand({}, 45);
  feed.n += 30;
  feed.stand({}, 45);
  EXPECT_FALSE(feed.origin.is_known());
  feed.stand({}, 6);
  EXPECT_TRUE(feed.origin.is_known());
}

TEST(Origin, HazardAJumpOfTheOdometryIsNoMovement) {
  Feed feed;
  feed.stand({}, 60);
  EXPECT_EQ(feed({0.1, 0, 0}), OriginSample::kGood);  // 5 m/s
  EXPECT_EQ(feed({1.1, 0, 0}), OriginSample::kJumped);
  EXPECT_TRUE(feed.origin.has_jumped());
  EXPECT_FALSE(feed.origin.relative({1.1, 0, 0}).has_value());
  // it stays so, however quiet it is afterwards, until somebody decides
  feed.stand({1.1, 0, 0}, 200);
  EXPECT_FALSE(feed.origin.is_known());
  feed.origin.restart();
  feed.stand({1.1, 0, 0}, 60);
  EXPECT_TRUE(feed.origin.is_known());
}

TEST(Origin, HazardAfterALandingItIsNotTheFirstSampleThatCounts) {
  Feed feed;
  feed.stand({}, 60);
  feed.origin.restart();
  for (int i = 0; i < 40; ++i) feed({0, 0, 0.4 - 0.01 * i});  // still coming down
  EXPECT_FALSE(feed.origin.is_known());
  feed.stand({2, 0, 0}, 60);
  const auto p = feed.origin.relative({2, 0, 1});
  ASSERT_TRUE(p.has_value());
  EXPECT_NEAR(p->x, 0, 1e-12);
  EXPECT_NEAR(p->z, 1, 1e-12);
}

/// As a tick asks for it, of a craft that may be in somebody's hands.
struct Carried : Feed {
  Carried() {
    OriginParams p;
    p.held_m = 0.05;
    origin = Origin(p);
  }
  /// At 0.3 m/s, then still for so long; the origin is given up on the way.
  void carry(double from_m, double to_m, int still) {
    origin.restart();
    const int steps = static_cast<int>(std::abs(to_m - from_m) / 0.006);
    for (int i = 0; i < steps; ++i) (*this)({0, 0, from_m + (to_m - from_m) * i / steps});
    stand({0, 0, to_m}, still);
  }
};

TEST(Origin, AHandThatHoldsItStillAboveTheGroundIsNoOrigin) {
  Carried feed;
  feed.stand({}, 60);
  EXPECT_EQ(feed.origin.grounds(), 1U);
  feed.carry(0, 0.6, 500);
  EXPECT_FALSE(feed.origin.is_known()) << "ten still seconds in the hand";
  EXPECT_TRUE(feed.origin.is_held());
  feed.carry(0.6, 0.06, 100);
  EXPECT_FALSE(feed.origin.is_known()) << "not put down yet";
  feed.carry(0.06, 0.04, 100);
  EXPECT_TRUE(feed.origin.is_known());
  EXPECT_FALSE(feed.origin.is_held());
  EXPECT_EQ(feed.origin.grounds(), 1U) << "it stands where it stood";
}

TEST(Origin, TheGroundIsTheLowestPlaceWhereItHasStoodStill) {
  Carried feed;
  feed.stand({0, 0, 0.8}, 60);  // begun in the hand
  EXPECT_EQ(feed.origin.grounds(), 1U);
  feed.carry(0.8, 0, 60);
  EXPECT_TRUE(feed.origin.is_known());
  EXPECT_EQ(feed.origin.grounds(), 2U) << "what was proved by the lift begins anew";
  feed.carry(0, 0.8, 100);
  EXPECT_FALSE(feed.origin.is_known());
}

TEST(Origin, OneSampleThatIsOffDoesNotMoveTheGroundAndAHeightThatJumpedIsAnotherOne) {
  Carried feed;
  feed.stand({}, 60);
  feed({0, 0, -3});
  feed.origin.restart();
  feed.stand({}, 60);
  EXPECT_TRUE(feed.origin.is_known());
  EXPECT_EQ(feed.origin.grounds(), 1U);
  feed({0, 0, 5});
  feed.origin.restart();
  feed.stand({0, 0, 5}, 60);
  EXPECT_TRUE(feed.origin.is_known()) << "nobody has lifted it by five metres in 20 ms";
  EXPECT_EQ(feed.origin.grounds(), 2U);
}

TEST(Origin, WhatItTouchesDownOnIsGroundAndASlowDriftIsFollowed) {
  Carried feed;
  feed.stand({}, 60);
  feed.origin.touched_down(0.3);
  feed.stand({0, 0, 0.3}, 60);
  EXPECT_TRUE(feed.origin.is_known());
  EXPECT_EQ(feed.origin.grounds(), 1U) << "the flight controller says that it stands";
  // 2 mm/s for a minute and a half: no hand is that slow
  double z = 0.3;
  for (int i = 0; i < 4500; ++i) feed({0, 0, z += 0.00004});
  EXPECT_LT(feed.origin.from_rest_m({0, 0, z}), 0.03);
  feed.origin.restart();
  feed.stand({0, 0, z}, 60);
  EXPECT_TRUE(feed.origin.is_known());
  EXPECT_EQ(feed.origin.grounds(), 1U);
  EXPECT_NEAR(feed.origin.from_rest_m({0, 0.12, z}), 0.12, 1e-3);
}

TEST(Origin, RefusesWhatIsNotFiniteOrNotNewer) {
  Feed feed;
  EXPECT_EQ(feed({std::numeric_limits<double>::quiet_NaN(), 0, 0}), OriginSample::kRefused);
  feed.stand({}, 60);
  EXPECT_EQ(feed({0, std::numeric_limits<double>::infinity(), 0}), OriginSample::kRefused);
  EXPECT_TRUE(feed.origin.is_known());
  EXPECT_EQ(feed.origin.update({}, Time::from_seconds(0.1)), OriginSample::kRefused);
}

}  // namespace
}  // namespace pintle::estimation
