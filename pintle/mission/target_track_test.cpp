#include "pintle/mission/target_track.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pintle/base/rotation.h"

namespace pintle::mission {
namespace {

Time at(double s) { return Time::from_seconds(s); }

/// What stands, or moves at most so fast; three pictures within 0.1 m.
TrackRules rules(double speed_m_s = 0) { return {3, 0.1, speed_m_s}; }

WorldSighting seen(double s, Vec3 p, std::uint32_t id = 0) { return {at(s), id, p, {}}; }

TEST(TargetTrack, IsFoundWhenEnoughPicturesAgreeAndNotByOne) {
  TargetTrack t;
  EXPECT_NE(t.take(seen(0.1, {1, 2, 0}), rules()), SightingFate::kFound);
  EXPECT_NE(t.take(seen(0.2, {1.02, 2, 0}), rules()), SightingFate::kFound);
  EXPECT_FALSE(t.found);
  EXPECT_EQ(t.take(seen(0.3, {0.98, 2, 0}), rules()), SightingFate::kFound);
  EXPECT_TRUE(t.found);
  EXPECT_NEAR(t.p_WT.x, 1, 1e-12);
  // spread^2 / 3 each way
  EXPECT_NEAR(t.sigma_m(), 0.1 / std::sqrt(3.0), 1e-12);
}

TEST(TargetTrack, SeveralSightingsInOnePictureAreOneWitness) {
  TargetTrack t;
  for (const double s : {0.1, 0.2})
    for (std::uint32_t id = 1; id <= 4; ++id) t.take(seen(s, {1, 2, 0}, id), rules());
  EXPECT_FALSE(t.found);
  t.take(seen(0.3, {1, 2, 0}, 1), rules());
  EXPECT_TRUE(t.found);
}

TEST(TargetTrack, ScatteredSightingsFindNothing) {
  TargetTrack t;
  for (int i = 0; i < 20; ++i)
    t.take(seen(0.1 * (i + 1), {i % 2 == 0 ? 0.0 : 1.0, 0, 0}), {4, 0.1, 0});
  EXPECT_FALSE(t.found);
}

TEST(TargetTrack, LeavesAnOutlierOutAndFollowsATargetThatIsElsewhere) {
  TargetTrack t;
  double s = 0;
  for (int i = 0; i < 3; ++i) t.take(seen(s += 0.1, {1, 0, 0}), rules());
  ASSERT_TRUE(t.found);
  t.take(seen(s += 0.1, {5, 0, 0}), rules());
  EXPECT_NEAR(t.p_WT.x, 1, 1e-12);
  EXPECT_NEAR(t.seen_at.seconds(), 0.3, 1e-9) << "what does not agree keeps nothing fresh";
  for (int i = 0; i < 5; ++i) t.take(seen(s += 0.1, {5, 0, 0}), rules());
  EXPECT_TRUE(t.found);
  EXPECT_NEAR(t.p_WT.x, 5, 1e-12);
}

TEST(TargetTrack, IsFoundAmongOutliersAtTheMeanOfThoseThatAgree) {
  TargetTrack t;
  for (int i = 0; i < 20; ++i)
    t.take(seen(0.1 * (i + 1), {i % 4 == 3 ? 2.5 : 1 + 0.01 * (i % 4), 0, 0}), {4, 0.1, 0});
  ASSERT_TRUE(t.found);
  EXPECT_NEAR(t.p_WT.x, 1.01, 0.006);
}

TEST(TargetTrack, ANumberCountsFromTheSecondPictureOn) {
  TargetTrack t;
  double s = 0;
  for (int i = 0; i < 3; ++i) t.take(seen(s += 0.1, {1, 0, 0}, 100), rules());
  ASSERT_TRUE(t.found);
  const Time before = t.seen_at;
  // another number in the same place: once it is no evidence, twice it is
  t.take(seen(s += 0.1, {1.05, 0, 0}, 152), rules());
  EXPECT_EQ(t.seen_at, before);
  EXPECT_NEAR(t.p_WT.x, 1, 1e-12);
  t.take(seen(s += 0.1, {1.05, 0, 0}, 152), rules());
  EXPECT_NEAR(t.seen_at.seconds(), s, 1e-9);
  EXPECT_GT(t.p_WT.x, 1.001);
}

TEST(TargetTrack, WeighsASightingByItsStatedDeviation) {
  const auto pulled = [](double variance) {
    TargetTrack t;
    for (int i = 1; i <= 3; ++i) t.take(seen(0.1 * i, {1, 0, 0}), rules());
    WorldSighting s = seen(0.4, {1.06, 0, 0});
    s.variance_m2 = {variance, variance, variance};
    t.take(s, rules());
    return t.p_WT.x - 1;
  };
  // P = 0.1^2 / 3 + 1e-4 * 0.1, R = 1e-4 + (0.1 / 4)^2
  const double P = 0.01 / 3 + 1e-5;
  EXPECT_NEAR(pulled(1e-4), 0.06 * P / (P + 1e-4 + 0.000625), 1e-9);
  EXPECT_NEAR(pulled(0.01), 0.06 * P / (P + 0.01 + 0.000625), 1e-9);
}

TEST(TargetTrack, FollowsWhatMovesAndKnowsHowFast) {
  TargetTrack t;
  const auto where = [](double s) { return Vec3{0.3 * s, -0.2 * s, 0.25}; };
  double s = 0;
  for (int i = 0; i < 150; ++i) {
    s += 1.0 / 30;
    t.take(seen(s, where(s)), rules(0.6));
  }
  ASSERT_TRUE(t.found);
  EXPECT_NEAR(t.velocity().x, 0.3, 0.03);
  EXPECT_NEAR(t.velocity().y, -0.2, 0.03);
  EXPECT_LT(norm(t.p_WT - where(s)), 0.03);
  // half a second without pictures it is carried on, and no further than a second
  EXPECT_LT(norm(t.position(at(s + 0.5)) - where(s + 0.5)), 0.05);
  EXPECT_LT(norm(t.position(at(s + 3)) - where(s + 1)), 0.08);
}

TEST(TargetTrack, WhatStandsIsNotCarriedAway) {
  TargetTrack t;
  for (int i = 0; i < 150; ++i)
    t.take(seen((i + 1) / 30.0, {1 + (i % 2 == 0 ? 0.02 : -0.02), 0, 0}), rules(0.6));
  EXPECT_EQ(norm(t.velocity()), 0);
  EXPECT_NEAR(t.position(at(9)).x, 1, 0.02);
}

TEST(TargetTrack, WhatNoCameraCanHaveSeenIsNoSighting) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(),
                   kInf = std::numeric_limits<double>::infinity();
  const auto can_be = [](Vec3 p, Vec3 sigma = {}) {
    TargetSighting s;
    s.p_BT_B = p;
    s.sigma_B_m = sigma;
    return can_be_seen(s);
  };
  EXPECT_TRUE(can_be({3, -2, -1}));
  EXPECT_FALSE(can_be({0, 0, 0}));
  EXPECT_FALSE(can_be({0, 0, 1}));
  EXPECT_FALSE(can_be({0, 0, -101}));
  EXPECT_FALSE(can_be({kNan, 0, -1}));
  EXPECT_FALSE(can_be({0, 0, kNan}));
  // one that does not know where it is does not say that it is there
  EXPECT_TRUE(can_be({0, 0, -4}, {1.9, 0.01, 0.5}));
  for (const double none : {-1.0, 2.1, 100.0, 1e9, kInf, kNan}) {
    EXPECT_FALSE(can_be({0, 0, -4}, {none, 0.01, 0.01})) << none;
    EXPECT_FALSE(can_be({0, 0, -4}, {0.01, none, 0.01})) << none;
    EXPECT_FALSE(can_be({0, 0, -4}, {0.01, 0.01, none})) << none;
  }
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
  const TrackRules one{1, 0.1, 0};
  t.take(seen(1, {1, 0, 0}), one);
  EXPECT_EQ(t.take(seen(0.5, {9, 0, 0}), one), SightingFate::kRepeated);
  EXPECT_EQ(t.take(seen(1, {9, 0, 0}), one), SightingFate::kRepeated) << "the same picture again";
  EXPECT_NEAR(t.p_WT.x, 1, 1e-12);
  EXPECT_FALSE(t.forget(at(5.9), 5));
  EXPECT_TRUE(t.forget(at(6.1), 5));
  EXPECT_FALSE(t.found);
}

TEST(TargetTrack, DeviationsAreTurnedIntoTheWorld) {
  TargetSighting s;
  s.p_BT_B = {1, 0, -2};
  s.sigma_B_m = {0.3, 0.1, 0.2};
  // a quarter turn to the left: ahead is north
  const WorldSighting w = in_world(s, {{10, 0, 3}, from_rpy({0, 0, kPi / 2})});
  EXPECT_NEAR(w.p_WT.y, 1, 1e-12);
  EXPECT_NEAR(w.variance_m2.x, 0.01, 1e-12);
  EXPECT_NEAR(w.variance_m2.y, 0.09, 1e-12);
  EXPECT_NEAR(w.variance_m2.z, 0.04, 1e-12);
}

TEST(PoseHistory, CoversSixTenthsOfASecondAtAnyRate) {
  for (const double rate_Hz : {10.0, 50.0, 100.0, 400.0, 2000.0}) {
    PoseHistory h;
    const int n = static_cast<int>(2 * rate_Hz);
    for (int i = 0; i <= n; ++i) h.take(at(i / rate_Hz), {{i / rate_Hz, 0, 0}, {}});
    Pose X;
    for (const double ago : {0.01, 0.3, 0.599}) {
      ASSERT_TRUE(h.find(at(2 - ago), X)) << rate_Hz << " " << ago;
      EXPECT_NEAR(X.p.x, 2 - ago, 1e-6) << rate_Hz;
    }
    EXPECT_FALSE(h.find(at(1.39), X)) << rate_Hz;
  }
}

TEST(PoseHistory, TurnsBetweenTwoPosesAndSaysNothingOfALongGap) {
  PoseHistory h;
  h.take(at(0), {{}, from_rpy({0, 0, 0.2})});
  h.take(at(0.2), {{}, from_rpy({0, 0, 0.6})});
  Pose X;
  ASSERT_TRUE(h.find(at(0.05), X));
  EXPECT_NEAR(yaw_of(X.q), 0.3, 1e-9);
  h.take(at(0.55), {});
  EXPECT_FALSE(h.find(at(0.4), X));
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
  // not yet there a moment ago
  PoseHistory young;
  for (int i = 0; i < 3; ++i) young.take(at(1 + 0.02 * i), {});
  EXPECT_FALSE(young.find(at(0.99), X));
  EXPECT_TRUE(young.find(at(1.01), X));
}

}  // namespace
}  // namespace pintle::mission
