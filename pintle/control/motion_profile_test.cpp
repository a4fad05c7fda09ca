#include "pintle/control/motion_profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "pintle/base/random.h"

namespace pintle::control {
namespace {

/// Steps until it rests at its goal; what is returned never ends for a profile that does not.
double time_to_rest(const MotionLimit& limit, MotionState s, double dt) {
  double t = 0;
  while (s.to_go != 0 || s.velocity != 0 || s.acceleration != 0) {
    advance(limit, s, dt);
    t += dt;
    if (t > 1e4) break;
  }
  return t;
}

TEST(MotionProfile, OfAShortWayReachesNeitherLimit) {
  // A = 4, V = 9, J = 2: full jerk for 1 s four times over covers 2 J t^3 = 4
  MotionState s{4};
  const MotionLimit limit{9, 4, 2};
  advance(limit, s, 1);
  EXPECT_NEAR(s.acceleration, 2, 1e-9);
  EXPECT_NEAR(s.velocity, 1, 1e-9);
  EXPECT_NEAR(s.to_go, 4 - 2.0 / 6, 1e-9);
  advance(limit, s, 1);
  EXPECT_NEAR(s.acceleration, 0, 1e-6);
  EXPECT_NEAR(s.velocity, 2, 1e-9);
  EXPECT_NEAR(s.to_go, 2, 1e-9);
  advance(limit, s, 1.999);
  EXPECT_GT(s.to_go, 0);
  advance(limit, s, 0.0011);
  EXPECT_EQ(s.to_go, 0);
}

TEST(MotionProfile, OfALongWayTakesTheTimeOfThePaper) {
  // V / A + A / J each way up and down together, and way / V: 3/2 + 2/4 + 30/3
  EXPECT_NEAR(time_to_rest({3, 2, 4}, {30}, 1e-4), 12, 2e-4);
  EXPECT_NEAR(time_to_rest({3, 2, 4}, {-30}, 1e-4), 12, 2e-4);
  // at its goal at 3 m/s it goes on: 0.5 s until it brakes fully, 1.25 s more, and comes back
  MotionState s{0, 3};
  double farthest = 0;
  while (s.velocity > 0) {
    advance({3, 2, 4}, s, 1e-3);
    farthest = std::min(farthest, s.to_go);
  }
  EXPECT_NEAR(farthest, -(1.5 - 1.0 / 12 + 2.5 * 1.25 / 2), 1e-6);
}

TEST(MotionProfile, KeepsASpeedRatherThanLoseItAndComeBackToIt) {
  // from 2 m/s it stops within 2 / 2 (2 / 2 + 2 / 4) = 1.5 m; 0.2 m more take 0.1 s at that speed
  EXPECT_LE(time_to_rest({3, 2, 4}, {1.7, 2}, 1e-3), 2.0 / 2 + 2.0 / 4 + 0.1 + 2e-3);
}

TEST(MotionProfile, InAnyStepsIsTheSameMotion) {
  for (const double way : {0.01, 0.3, 2.0, 50.0}) {
    MotionState fine{way, 0.2, -0.1};
    const MotionLimit limit{1.5, 0.7, 1.1};
    for (int i = 0; i < 200; ++i) advance(limit, fine, 1e-3);
    MotionState coarse{way, 0.2, -0.1};
    for (int i = 0; i < 2; ++i) advance(limit, coarse, 0.1);
    EXPECT_NEAR(fine.to_go, coarse.to_go, 1e-9) << way;
    EXPECT_NEAR(fine.velocity, coarse.velocity, 1e-7) << way;
  }
}

TEST(MotionProfile, NeverLeavesItsLimitsWhateverGoalsComeAndArrivesExactly) {
  RandomStream random(7, "motion");
  for (const double unit : {1e-6, 1.0, 1e6})
    for (const double dt : {1e-4, 1e-3, 0.02, 0.1}) {
      const MotionLimit limit{2 * unit, 1.5 * unit, 4 * unit};
      MotionState s;
      for (int goal = 0; goal < 60; ++goal) {
        s.to_go += unit * 6 * random.normal() * random.uniform();
        const int steps = static_cast<int>(random.uniform() * std::min(3000.0, 4 / dt));
        for (int i = 0; i < steps; ++i) {
          const MotionState before = s;
          advance(limit, s, dt);
          ASSERT_LE(std::abs(s.velocity), limit.max_velocity * (1 + 1e-12));
          ASSERT_LE(std::abs(s.acceleration), limit.max_acceleration * (1 + 1e-12));
          ASSERT_LE(std::abs(s.acceleration - before.acceleration),
                    limit.max_jerk * dt * (1 + 1e-9));
          // what is left is what was left less the way made, at no more than the speed allowed
          ASSERT_LE(std::abs(s.to_go - before.to_go),
                    limit.max_velocity * dt * (1 + 1e-9) + 1e-12 * std::abs(before.to_go));
        }
      }
      const double due = std::abs(s.to_go) / limit.max_velocity + 10;
      double t = 0;
      for (; t < due && s.to_go != 0; t += dt) advance(limit, s, dt);
      EXPECT_EQ(s.to_go, 0) << unit << " " << dt;
      EXPECT_EQ(s.velocity, 0);
      EXPECT_EQ(s.acceleration, 0);
    }
}

TEST(MotionProfile, FromRestDoesNotOvershoot) {
  RandomStream random(8, "motion");
  for (int i = 0; i < 300; ++i) {
    MotionState s{std::exp(8 * random.normal())};
    const MotionLimit limit{std::exp(random.normal()), std::exp(random.normal()),
                            std::exp(random.normal())};
    const double dt = std::exp(-7 * random.uniform());
    for (int k = 0; k < 2000 && s.to_go != 0; ++k) {
      const double before = s.to_go;
      advance(limit, s, dt);
      ASSERT_GE(s.to_go, 0);
      ASSERT_LE(s.to_go, before);
    }
  }
}

TEST(MotionProfile, InOtherUnitsIsTheSameMotion) {
  for (const double unit : {1e-6, 1e6}) {
    MotionState one{7, -0.4, 0.3}, other{7 * unit, -0.4 * unit, 0.3 * unit};
    for (int i = 0; i < 900; ++i) {
      if (i == 300) one.to_go -= 9, other.to_go -= 9 * unit;
      advance({2, 1, 3}, one, 0.01);
      advance({2 * unit, 1 * unit, 3 * unit}, other, 0.01);
      ASSERT_NEAR(one.to_go, other.to_go / unit, 1e-7) << i;
      ASSERT_NEAR(one.velocity, other.velocity / unit, 1e-7) << i;
    }
  }
}

TEST(MotionProfile, BeyondANewLimitIsBroughtInside) {
  MotionState s{100, 3, 2};
  const MotionLimit tight{1, 0.5, 2};
  advance(tight, s, 0.25);
  // at full jerk the other way, no more: 2 - 0.5 m/s^2 after a quarter of a second
  EXPECT_NEAR(s.acceleration, 1.5, 1e-12);
  for (int i = 0; i < 5000; ++i) advance(tight, s, 2e-3);
  EXPECT_NEAR(s.velocity, 1, 1e-12);
  EXPECT_NEAR(s.acceleration, 0, 1e-12);
}

TEST(MotionProfile, OfAVelocityPassesInsideItsLimits) {
  RandomStream random(9, "motion");
  const MotionLimit limit{2, 1, 3};
  MotionState s;
  for (int goal = 0; goal < 200; ++goal) {
    const double wanted = 3 * random.normal();
    for (int i = 0; i < static_cast<int>(150 * random.uniform()); ++i) {
      const MotionState before = s;
      advance_velocity(limit, s, wanted, 0.02);
      ASSERT_LE(std::abs(s.velocity), 2 * (1 + 1e-12));
      ASSERT_LE(std::abs(s.acceleration), 1 + 1e-12);
      ASSERT_LE(std::abs(s.acceleration - before.acceleration), 3 * 0.02 * (1 + 1e-9));
    }
  }
  // 2 / 1 + 1 / 3 seconds from rest
  s = {};
  for (int i = 0; i < 233; ++i) advance_velocity(limit, s, 5, 0.01);
  EXPECT_LT(s.velocity, 2);
  advance_velocity(limit, s, 5, 0.01);
  EXPECT_EQ(s.velocity, 2);
  EXPECT_EQ(s.acceleration, 0);
  advance_velocity({1.5, 0, 0}, s, 5, 0.01);
  EXPECT_EQ(s.velocity, 1.5) << "a velocity alone is cut";
}

TEST(BrakingError, IsLinearNearAndARootFarWithOneSlope) {
  // kp = 2, a = 1: linear up to 0.25
  EXPECT_EQ(braking_error(0.2, 2, 1), 0.2);
  EXPECT_NEAR(braking_error(0.25 + 1e-9, 2, 1), 0.25 + 1e-9, 1e-15);
  // 2 sqrt(2 * 0.25 * 2.125 - 0.0625) = 2: at 2.125 m it may come at 2 m/s
  EXPECT_NEAR(2 * braking_error(2.125, 2, 1), 2, 1e-15);
  EXPECT_NEAR(2 * braking_error(-2.125, 2, 1), -2, 1e-15);
  EXPECT_EQ(braking_error(5, 2, 0), 5);
  EXPECT_EQ(braking_error(5, 0, 1), 5);
}

TEST(BrakingError, ACraftThatFollowsItNeverBrakesHarderNorOvershoots) {
  for (const double unit : {1e-6, 1.0, 1e6}) {
    double e = 40 * unit, v = 1.5 * braking_error(e, 1.5, 0.5 * unit);
    const double dt = 1e-3;
    for (int i = 0; i < 30000; ++i) {
      e -= v * dt;
      const double next = 1.5 * braking_error(e, 1.5, 0.5 * unit);
      ASSERT_GE(e, 0);
      ASSERT_LE(v - next, 0.5 * unit * dt * (1 + 1e-2));
      v = next;
    }
    EXPECT_LT(e, 1e-4 * unit);
  }
}

TEST(MotionProfile, LimitsThatDoNotBelongTogetherAreFound) {
  EXPECT_TRUE(check(MotionLimit{}).empty());
  EXPECT_TRUE(check(MotionLimit{1, 0, 0}).empty());
  EXPECT_TRUE(check(MotionLimit{1, 2, 3}).empty());
  EXPECT_EQ(check(MotionLimit{1, 2, 0}).at(0).path, "max_jerk");
  EXPECT_EQ(check(MotionLimit{1, 0, 2}).at(0).path, "max_acceleration");
  EXPECT_EQ(check(MotionLimit{0, 1, 2}).at(0).path, "max_velocity");
  EXPECT_EQ(check(MotionLimit{-1, 0, 0}).size(), 1u);
}

}  // namespace
}  // namespace pintle::control
