#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pintle/control/pid.h"

namespace pintle::control {
namespace {

/// A vehicle in surge, v' = thrust - 0.5 v with at most `most` of thrust, brought to 1.5 m/s by a
/// PI loop at 50 Hz. With the thrust of 1 the speed may reach 2 m/s, so that the way up saturates.
/// Answers the overshoot in m/s and where the speed ends.
struct SurgeRun {
  double overshoot = 0, end = 0;
};

SurgeRun run(const PidParams& p, Behaviour behaviour, double most) {
  PidState s;
  SurgeRun out;
  double v = 0;
  constexpr double kTarget = 1.5, kDt = 0.02;
  for (int k = 0; k < 3000; ++k) {
    const double asked = step(p, s, kTarget - v, kDt, -v, behaviour).output;
    const double thrust = std::clamp(asked, -most, most);
    feed_back(p, s, asked, thrust, kDt);
    v += (thrust - 0.5 * v) * kDt;
    out.overshoot = std::max(out.overshoot, v - kTarget);
  }
  out.end = v;
  return out;
}

PidParams surge_loop(double limit) {
  PidParams p;
  p.kp = 1, p.ki = 1, p.min_effort = -limit, p.max_effort = limit;
  return p;
}

TEST(AntiWindup, FeedingBackTheMissingThrustTakesTheOvershootAway) {
  // the loop itself may ask for 10, the propulsors give 1
  PidParams p = surge_loop(10);
  const SurgeRun without = run(p, Behaviour::kSafe, 1);
  p.back_calculation = 4;
  const SurgeRun with = run(p, Behaviour::kSafe, 1);
  EXPECT_GT(without.overshoot, 0.2);
  EXPECT_LT(with.overshoot, 0.25 * without.overshoot);
  EXPECT_NEAR(without.end, 1.5, 1e-3);
  EXPECT_NEAR(with.end, 1.5, 1e-3);
}

TEST(AntiWindup, TheSafeIntegralStopsAtTheLoopsOwnLimitAndTheReferenceOneDoesNot) {
  const SurgeRun reference = run(surge_loop(1), Behaviour::kReference, 1);
  const SurgeRun safe = run(surge_loop(1), Behaviour::kSafe, 1);
  EXPECT_GT(reference.overshoot, 0.2);
  EXPECT_LT(safe.overshoot, 0.25 * reference.overshoot);
  EXPECT_NEAR(safe.end, 1.5, 1e-3);
}

TEST(AntiWindup, TheSafeIntegralJustReachesTheLimitAndLeavesItAtOnce) {
  PidParams p;
  p.ki = 2;
  PidState s;
  (void)step(p, s, 0, 0.1, 0, Behaviour::kSafe);
  // 2 * 3 * 0.1 = 0.6, then 1.2 would be beyond 1: the integral stops at 0.5
  EXPECT_NEAR(step(p, s, 3, 0.1, 0, Behaviour::kSafe).output, 0.6, 1e-15);
  const PidTerms full = step(p, s, 3, 0.1, 0, Behaviour::kSafe);
  EXPECT_NEAR(full.integral, 0.5, 1e-15);
  EXPECT_EQ(full.output, 1);
  EXPECT_NEAR(step(p, s, 3, 0.1, 0, Behaviour::kSafe).integral, 0.5, 1e-15);
  EXPECT_NEAR(step(p, s, -1, 0.1, 0, Behaviour::kSafe).output, 0.8, 1e-15);
}

TEST(AntiWindup, ASaturatedProportionalPartLeavesTheIntegralAsItIs) {
  PidParams p;
  p.kp = 10, p.ki = 1;
  PidState s;
  s.integral = 0.3, s.ki = p.ki;
  for (int k = 0; k < 5; ++k) (void)step(p, s, 5, 0.1, 0, Behaviour::kSafe);
  EXPECT_EQ(s.integral, 0.3);
  // an error the other way moves it
  p.kp = 0;
  (void)step(p, s, -1, 0.1, 0, Behaviour::kSafe);
  EXPECT_NEAR(s.integral, 0.2, 1e-15);
}

TEST(AntiWindup, FeedBackUnwindsByThePublishedRateAndNeverThroughZero) {
  PidParams p;
  p.ki = 0.5, p.back_calculation = 2;
  PidState s;
  s.integral = 4;  // an effort of 2
  // 2 per second for 0.1 s of a missing 1: the effort falls by 0.2, the integral by 0.4
  feed_back(p, s, 3, 2, 0.1);
  EXPECT_NEAR(s.integral, 3.6, 1e-15);
  // at most all of the missing effort, however long dt
  feed_back(p, s, 3, 2, 100);
  EXPECT_NEAR(s.integral, 1.6, 1e-14);
  feed_back(p, s, 30, 2, 100);
  EXPECT_EQ(s.integral, 0);
  feed_back(p, s, 30, 2, 100);
  EXPECT_EQ(s.integral, 0);
}

TEST(AntiWindup, FeedBackWorksForNegativeIntegralsAndNegativeGains) {
  PidParams p;
  p.ki = 0.5, p.back_calculation = 2;
  PidState s;
  s.integral = -4;
  feed_back(p, s, -3, -2, 0.1);
  EXPECT_NEAR(s.integral, -3.6, 1e-15);
  p.ki = -0.5;
  s.integral = -4;  // an effort of +2
  feed_back(p, s, 3, 2, 0.1);
  EXPECT_NEAR(s.integral, -3.6, 1e-15);
}

TEST(AntiWindup, FeedBackNeverPutsEffortIn) {
  PidParams p;
  p.ki = 1, p.back_calculation = 5;
  PidState s;
  s.integral = 0.5;
  feed_back(p, s, 1, 3, 0.1);  // more was achieved than asked
  EXPECT_EQ(s.integral, 0.5);
  p.back_calculation = 0;
  feed_back(p, s, 3, 1, 0.1);
  EXPECT_EQ(s.integral, 0.5);
  p.back_calculation = 5, p.ki = 0;
  feed_back(p, s, 3, 1, 0.1);
  EXPECT_EQ(s.integral, 0.5);
}

}  // namespace
}  // namespace pintle::control
