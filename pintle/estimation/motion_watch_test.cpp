#include "pintle/estimation/motion_watch.h"

#include <gtest/gtest.h>

#include <limits>

namespace pintle::estimation {
namespace {

struct Flight {
  DeadReckoning way{0.3};
  MotionWatch watch;
  double t = 0;
  Vec3 p{};
  Flight() { watch.restart(true); }
  /// Moves with v for so long, and odometry with seen; false as soon as they disagree.
  bool fly(Vec3 v, Vec3 seen, double seconds, bool taking_off = false) {
    for (double until = t + seconds; t < until; t += 0.02) {
      const Time now = Time::from_seconds(t);
      way.take(v, now);
      if (!watch.agrees(p, way, now, taking_off)) return false;
      p = p + 0.02 * seen;
    }
    return true;
  }
};

TEST(DeadReckoning, SumsUpVelocitiesAndGoesOnWithTheLast) {
  DeadReckoning w(0.3);
  EXPECT_FALSE(w.way({}).has_value());
  w.take({1, 0, 0}, Time::from_seconds(1));
  w.take({3, 0, 0}, Time::from_seconds(1.2));
  EXPECT_NEAR(w.way(Time::from_seconds(1.2))->x, 0.4, 1e-12);
  EXPECT_NEAR(w.way(Time::from_seconds(1.25))->x, 0.55, 1e-9);
  EXPECT_NEAR(w.way(Time::from_seconds(1.1))->x, 0.1, 1e-9);
  EXPECT_FALSE(w.way(Time::from_seconds(1.27)).has_value());
}

TEST(DeadReckoning, AGapAndNonsenseBeginAnewOrAreLeftOut) {
  DeadReckoning w(0.3);
  w.take({1, 0, 0}, Time::from_seconds(1));
  const std::uint32_t lap = w.lap();
  w.take({std::numeric_limits<double>::quiet_NaN(), 0, 0}, Time::from_seconds(1.1));
  w.take({9, 0, 0}, Time::from_seconds(0.9));
  EXPECT_EQ(w.lap(), lap);
  EXPECT_NEAR(w.way(Time::from_seconds(1.05))->x, 0.05, 1e-9);
  w.take({1, 0, 0}, Time::from_seconds(2));
  EXPECT_NE(w.lap(), lap);
  EXPECT_EQ(w.way(Time::from_seconds(2))->x, 0);
}

TEST(MotionWatch, LetsPassWhatMovesTheSameWay) {
  Flight f;
  EXPECT_TRUE(f.fly({0, 0, 0.6}, {0, 0, 0.6}, 2, true));
  EXPECT_TRUE(f.fly({1, -0.5, 0}, {1.1, -0.45, 0.05}, 30));
  EXPECT_TRUE(f.fly({}, {}, 10));
}

TEST(MotionWatch, FindsAFlippedHeightWithinATakeOffOfTwentyCentimetres) {
  Flight f;
  EXPECT_FALSE(f.fly({0, 0, 0.6}, {0, 0, -0.6}, 2, true));
  EXPECT_LT(f.t, 0.2 / 0.6 + 0.05);
}

TEST(MotionWatch, FindsAHeightThatStandsStillIsTooLargeOrSinksForBoth) {
  for (const auto& [v, seen] : {std::pair{0.6, 0.0}, {0.3, 0.9}, {-0.4, -0.4}, {0.0, 0.5}}) {
    Flight f;
    EXPECT_FALSE(f.fly({0, 0, v}, {0, 0, seen}, 2, true)) << v << " " << seen;
    EXPECT_LT(f.t, 1) << v << " " << seen;
  }
}

TEST(MotionWatch, FindsOdometryThatIsFrozenOrWandersOffWithinItsWindow) {
  for (const Vec3 seen : {Vec3{}, Vec3{0, 1, 0}, Vec3{-1, 0, 0}}) {
    Flight f;
    ASSERT_TRUE(f.fly({}, {}, 3));
    EXPECT_FALSE(f.fly({1, 0, 0}, seen, 3));
    EXPECT_LT(f.t, 3 + 1.2);
  }
  Flight still;
  ASSERT_TRUE(still.fly({}, {}, 3));
  EXPECT_FALSE(still.fly({}, {0.5, 0, 0}, 3)) << "it says that it moves and does not";
}

TEST(MotionWatch, ASlowDriftIsNoDisagreement) {
  Flight f;
  EXPECT_TRUE(f.fly({}, {0.2, 0.2, 0}, 60));
}

TEST(MotionWatch, WithoutAWitnessNothingIsSaid) {
  Flight f;
  ASSERT_TRUE(f.fly({1, 0, 0}, {1, 0, 0}, 3));
  // silent from here on
  for (int k = 0; k < 500; ++k, f.t += 0.02)
    EXPECT_TRUE(f.watch.agrees({99, 0, 0}, f.way, Time::from_seconds(f.t + 1), false));
}

}  // namespace
}  // namespace pintle::estimation
