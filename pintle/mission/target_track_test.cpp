#include "pintle/mission/target_track.h"

#include <gtest/gtest.h>

#include <limits>

namespace pintle::mission {
namespace {

Time at(double s) { return Time::from_seconds(s); }

TEST(TargetTrack, IsFoundWhenEnoughSightingsAgreeAndNotByOne) {
  TargetTrack t;
  EXPECT_FALSE(t.take({1, 2, 0}, at(0.1), 3, 0.1));
  EXPECT_FALSE(t.take({1.02, 2, 0}, at(0.2), 3, 0.1));
  EXPECT_FALSE(t.found);
  EXPECT_TRUE(t.take({0.98, 2, 0}, at(0.3), 3, 0.1));
  EXPECT_TRUE(t.found);
  EXPECT_NEAR(t.p_WT.x, 1, 1e-12);
}

TEST(TargetTrack, ScatteredSightingsFindNothing) {
  TargetTrack t;
  for (int i = 0; i < 20; ++i) t.take({i % 2 == 0 ? 0.0 : 1.0, 0, 0}, at(0.1 * (i + 1)), 4, 0.1);
  EXPECT_FALSE(t.found);
}

TEST(TargetTrack, LeavesAnOutlierOutAndFollowsATargetThatIsElsewhere) {
  TargetTrack t;
  double s = 0;
  for (int i = 0; i < 3; ++i) t.take({1, 0, 0}, at(s += 0.1), 3, 0.1);
  ASSERT_TRUE(t.found);
  t.take({5, 0, 0}, at(s += 0.1), 3, 0.1);
  EXPECT_NEAR(t.p_WT.x, 1, 1e-12);
  for (int i = 0; i < 5; ++i) t.take({5, 0, 0}, at(s += 0.1), 3, 0.1);
  EXPECT_TRUE(t.found);
  EXPECT_NEAR(t.p_WT.x, 5, 1e-12);
}

TEST(TargetTrack, IsFoundAmongOutliersAtTheMeanOfThoseThatAgree) {
  TargetTrack t;
  for (int i = 0; i < 20; ++i)
    t.take({i % 4 == 3 ? 2.5 : 1 + 0.01 * (i % 4), 0, 0}, at(0.1 * (i + 1)), 4, 0.1);
  ASSERT_TRUE(t.found);
  EXPECT_NEAR(t.p_WT.x, 1.01, 0.006);
}

TEST(TargetTrack, WhatNoCameraCanHaveSeenIsNoSighting) {
  EXPECT_TRUE(can_be_seen({3, -2, -1}));
  EXPECT_FALSE(can_be_seen({0, 0, 0}));
  EXPECT_FALSE(can_be_seen({0, 0, 1}));
  EXPECT_FALSE(can_be_seen({0, 0, -101}));
  EXPECT_FALSE(can_be_seen({std::numeric_limits<double>::quiet_NaN(), 0, -1}));
  EXPECT_FALSE(can_be_seen({0, 0, std::numeric_limits<double>::quiet_NaN()}));
}

TEST(TargetTrack, AnAreaIsARoundOneBetweenTwoHeights) {
  const TargetArea area{1, 2, 3, -1, 0.5};
  EXPECT_TRUE(can_be_at(area, {3.9, 2, 0.5}));
  EXPECT_FALSE(can_be_at(area, {4.1, 2, 0}));
  EXPECT_FALSE(can_be_at(area, {1, 2, 0.6}));
  EXPECT_FALSE(can_be_at(area, {1, 2, -1.1}));
  EXPECT_TRUE(can_be_at(TargetArea{}, {1e5, 0, 0}));
  EXPECT_FALSE(can_be_at(area, {std::numeric_limits<double>::quiet_NaN(), 2, 0}));
}

TEST(TargetTrack, IsForgottenAfterItsMemoryAndAnOldPictureIsNoSighting) {
  TargetTrack t;
  t.take({1, 0, 0}, at(1), 1, 0.1);
  EXPECT_FALSE(t.take({9, 0, 0}, at(0.5), 1, 0.1));
  EXPECT_NEAR(t.p_WT.x, 1, 1e-12);
  EXPECT_FALSE(t.forget(at(5.9), 5));
  EXPECT_TRUE(t.forget(at(6.1), 5));
  EXPECT_FALSE(t.found);
}

TEST(PoseHistory, AnswersBetweenTwoPosesAndNotBeforeOrLongAfterThem) {
  PoseHistory h;
  Pose X;
  EXPECT_FALSE(h.find(at(0), X));
  for (int i = 0; i < 100; ++i) h.take(at(0.02 * i), {{double(i), 0, 0}, {}});
  EXPECT_TRUE(h.find(at(1.93), X));
  EXPECT_NEAR(X.p.x, 96.5, 1e-6);
  EXPECT_TRUE(h.find(at(2.0), X));
  EXPECT_EQ(X.p.x, 99);
  EXPECT_FALSE(h.find(at(2.2), X));
  EXPECT_FALSE(h.find(at(0.5), X));
}

}  // namespace
}  // namespace pintle::mission
