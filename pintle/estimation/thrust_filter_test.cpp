#include "pintle/estimation/thrust_filter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pintle/base/random.h"
#include "pintle/testing/heap_counter.h"

namespace pintle::estimation {
namespace {

ThrustFilterParams p220() {
  ThrustFilterParams p;
  p.coefficients = {0.237755, -0.012799, -0.860374, 0.023606, 0.008599,
                    1.139026, 0.019914,  -0.050257, 0.000302, -0.692913};
  p.max_thrust_N = 220;
  return p;
}

/// The turbine itself, in steps of a hundredth of the filter's.
struct Plant {
  double T = 100, D = 0;
  void run(const ThrustFilterParams& p, double u, double dt) {
    const auto& k = p.coefficients;
    for (int i = 0; i < 100; ++i) {
      const double h = dt / 100, w = u + k[8] * u * u;
      const double acc = k[0] * T + k[1] * T * T + k[2] * D + k[3] * D * D + k[4] * T * D + k[9] +
                         (k[5] + k[6] * T + k[7] * D) * w;
      T += D * h;
      D += acc * h;
    }
  }
};

TEST(ThrustFilter, FindsThrustAndRateInTheNoise) {
  ThrustFilterParams p = p220();
  p.r = 9 * 0.01;  // 3 N every 10 ms
  Plant plant;
  ThrustFilterState s;
  s.thrust_N = 60;  // wrong by 40 N
  s.p_thrust = 1600;
  RandomStream random(1, "filter");
  double squares = 0, rates = 0, raw = 0;
  int n = 0;
  for (int i = 0; i < 3000; ++i) {
    const double u = 50 + 20 * std::sin(i * 0.01);
    plant.run(p, u, 0.01);
    const double noise = 3 * random.normal(), y = plant.T + noise;
    update(p, s, u, &y, 0.01);
    if (i < 300) continue;
    ++n;
    squares += std::pow(s.thrust_N - plant.T, 2);
    rates += std::pow(s.rate_N_s - plant.D, 2);
    raw += noise * noise;
  }
  EXPECT_LT(std::sqrt(squares / n), 0.25 * std::sqrt(raw / n));
  EXPECT_LT(std::sqrt(rates / n), 1.5);
}

TEST(ThrustFilter, ReachesTheKnownCovarianceOfADoubleIntegrator) {
  // T'' = noise of density q, thrust measured with R: Kalman and Bucy's closed form
  ThrustFilterParams p;
  p.q_thrust = p.q_both = 0;
  p.q_rate = 4;
  p.r = 0.25;
  ThrustFilterState s;
  const double y = 0;
  for (int i = 0; i < 200000; ++i) update(p, s, 0, &y, 1e-4);
  const double q = 4, r = 0.25;
  EXPECT_NEAR(s.p_both, std::sqrt(q * r), 1e-3);
  EXPECT_NEAR(s.p_thrust, std::sqrt(2.0) * std::pow(q, 0.25) * std::pow(r, 0.75), 1e-3);
  EXPECT_NEAR(s.p_rate, std::sqrt(2.0) * std::pow(q, 0.75) * std::pow(r, 0.25), 2e-3);
}

TEST(ThrustFilter, RunsOnItsModelWhileNothingIsMeasured) {
  const ThrustFilterParams p = p220();
  Plant plant;
  ThrustFilterState s;
  s.thrust_N = 100;
  const double bad = std::numeric_limits<double>::quiet_NaN();
  for (int i = 0; i < 500; ++i) {
    plant.run(p, 70, 0.01);
    update(p, s, 70, i % 2 == 0 ? nullptr : &bad, 0.01);
  }
  EXPECT_NEAR(s.thrust_N, plant.T, 0.1);
}

TEST(ThrustFilter, StaysFiniteAndPositiveWhateverComes) {
  ThrustFilterParams p = p220();
  p.r = 1e-9;
  ThrustFilterState s;
  RandomStream random(2, "anything");
  for (int i = 0; i < 20000; ++i) {
    const double y = random.uniform(-1, 1) * std::pow(10.0, random.uniform(-300, 308));
    const double u = random.uniform(-1, 1) * std::pow(10.0, random.uniform(-3, 308));
    update(p, s, u, &y, std::pow(10.0, random.uniform(-9, 9)));
    ASSERT_TRUE(s.thrust_N >= 0 && s.thrust_N <= 220);
    ASSERT_TRUE(std::isfinite(s.rate_N_s));
    ASSERT_TRUE(s.p_thrust > 0 && s.p_rate > 0);
    ASSERT_LE(s.p_both * s.p_both, s.p_thrust * s.p_rate * (1 + 1e-12));
  }
  update(p, s, std::nan(""), nullptr, std::nan(""));
  EXPECT_TRUE(std::isfinite(s.thrust_N));
}

TEST(ThrustFilter, DoesNotAllocate) {
  ThrustFilterState s;
  const double y = 3;
  const auto before = testing::heap_allocations();
  update(p220(), s, 40, &y, 0.01);
  EXPECT_EQ(testing::heap_allocations(), before);
}

TEST(ThrustFilter, RefusesWhatIsNoCovariance) {
  EXPECT_TRUE(check(p220()).empty());
  ThrustFilterParams p = p220();
  p.q_both = 2;
  p.r = 0;
  EXPECT_EQ(check(p).size(), 2U);
}

}  // namespace
}  // namespace pintle::estimation
