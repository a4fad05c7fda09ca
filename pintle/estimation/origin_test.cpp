#include "pintle/estimation/origin.h"

#include <gtest/gtest.h>

#include <limits>

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
  feed.stand({5, 0, 0}, 52);
  EXPECT_TRUE(feed.origin.is_known());
}

TEST(Origin, AGapBeginsTheWindowAnew) {
  Feed feed;
  feed.stand({}, 45);
  feed.n += 20;
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
