#include "pintle/world/current.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pintle::world {
namespace {

TEST(Current, SteadyAndWaveAddUp) {
  CurrentParams p;
  p.steady_m_s = {0.1, -0.2, 0.05};
  p.wave_m_s = {0.3, 0, -0.1};
  p.wave_period_s = 8;
  Current c(p, 1);
  EXPECT_EQ(c.at({}), (Vec3{0.1, -0.2, 0.05}));
  // an eighth of the period: sin 45 degrees; then a quarter
  EXPECT_NEAR(c.at(Time::from_seconds(1)).x, 0.1 + 0.3 * 0.70710678118654752, 1e-15);
  EXPECT_NEAR(c.at(Time::from_seconds(2)).x, 0.4, 1e-15);
  EXPECT_NEAR(c.at(Time::from_seconds(2)).z, -0.05, 1e-15);
  EXPECT_NEAR(c.at(Time::from_seconds(6)).x, -0.2, 1e-15);
}

TEST(Current, WanderHasItsSpreadAndForgetsInItsTime) {
  CurrentParams p;
  p.wander_m_s = 0.2;
  p.wander_time_s = 5;
  Current c(p, 7);
  // at every knot over 200 000 s: about 20 000 independent values an axis
  constexpr int kN = 800'000, kLag = 20;
  std::vector<double> x(kN);
  double sum = 0, square = 0, later = 0, cross = 0;
  for (int i = 0; i < kN; ++i) {
    const Vec3 v = c.at(Time::from_seconds(0.25 * i));
    const auto k = static_cast<std::size_t>(i);
    x[k] = v.x;
    sum += v.x, square += v.x * v.x, cross += v.x * v.y;
    if (i >= kLag) later += v.x * x[k - kLag];
    ASSERT_EQ(v.z, 0);
  }
  EXPECT_NEAR(sum / kN, 0, 0.005);
  EXPECT_NEAR(square / kN, 0.04, 0.0015);
  EXPECT_NEAR(later / square, std::exp(-1.0), 0.02);
  EXPECT_NEAR(cross / square, 0, 0.02);
}

TEST(Current, WanderIsTheSameHoweverOftenItIsAsked) {
  CurrentParams p;
  p.wander_m_s = 0.2;
  p.wander_time_s = 3;
  Current often(p, 7), seldom(p, 7), other(p, 8);
  Vec3 last, before;
  double fastest = 0;
  for (int ms = 0; ms <= 20'000; ++ms) {
    before = last;
    last = often.at({ms * std::int64_t{1'000'000}});
    if (ms > 0) fastest = std::max(fastest, norm(last - before) / 1e-3);
  }
  EXPECT_EQ(seldom.at(Time::from_seconds(20)), last);
  EXPECT_NE(other.at(Time::from_seconds(20)), last);
  // no jumps: a few standard deviations of sigma sqrt(2 / (knot tau)) = 0.42 m/s2 an axis
  EXPECT_LT(fastest, 2);
}

}  // namespace
}  // namespace pintle::world
