#include "pintle/world/air.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pintle/world/ground.h"

namespace pintle::world {
namespace {

TEST(StandardAtmosphere, HasTheNumbersOfTheTables) {
  // ISO 2533, table 1: geopotential heights, so geometric r h / (r - h)
  const auto at = [](double h) { return standard_atmosphere(6356766 * h / (6356766 - h)); };
  EXPECT_NEAR(at(0).density_kg_m3, 1.225, 1e-4);
  EXPECT_NEAR(at(0).speed_of_sound_m_s, 340.294, 1e-3);
  EXPECT_NEAR(at(1000).density_kg_m3, 1.11166, 1e-4);
  EXPECT_NEAR(at(5000).pressure_Pa, 54019.9, 1);
  EXPECT_NEAR(at(11000).density_kg_m3, 0.363918, 1e-5);
  EXPECT_NEAR(at(20000).pressure_Pa, 5474.88, 0.01);
  EXPECT_NEAR(at(30000).density_kg_m3, 0.0180119, 1e-6);
  EXPECT_NEAR(at(30000).temperature_K, 226.65, 1e-9);
}

TEST(StandardAtmosphere, IsContinuousAndFalls) {
  double before = 2;
  for (double z = -3000; z < 35000; z += 50) {
    const double rho = standard_atmosphere(z).density_kg_m3;
    EXPECT_LE(rho, before);
    EXPECT_GT(rho, before == 2 ? 0 : 0.99 * before);
    before = rho;
  }
  EXPECT_LT(standard_atmosphere(0, 20).density_kg_m3, 1.15);
}

GustParams moderate() { return {15.4, 50, 15}; }

TEST(Gusts, StrengthAndSizeAreThoseOfTheStandard) {
  const Gusts g(moderate(), 1);
  // by hand: h = 164.042 ft, 0.177 + 0.000823 h = 0.3120066; ^0.4 = 0.627575, ^1.2 = 0.247170
  EXPECT_NEAR(g.sigma_m_s().z, 1.54, 1e-12);
  EXPECT_NEAR(g.sigma_m_s().x, 1.54 / 0.627575, 1e-4);
  EXPECT_NEAR(g.time_s().z, 50.0 / 15, 1e-12);
  EXPECT_NEAR(g.time_s().x, 50 / 0.247170 / 15, 1e-4);
}

TEST(Gusts, VarianceAndCorrelationAtTheKnotsAreThoseOfTheSpectrum) {
  // many short runs: each begins in the stationary state, so that every one is a fresh draw
  const Gusts one(moderate(), 0);
  const Vec3 s = one.sigma_m_s(), T = one.time_s();
  const double lag_s = 20 * one.knot_s();  // T of up, about half a T of the others
  const int n = 20000;
  Vec3 var{}, cov{};
  for (int k = 0; k < n; ++k) {
    Gusts g(moderate(), static_cast<std::uint64_t>(k));
    const Vec3 a = g.at({});
    const Vec3 b = g.at(Time{} + Duration::from_seconds(lag_s));
    for (std::size_t i = 0; i < 3; ++i) var[i] += a[i] * a[i] / n, cov[i] += a[i] * b[i] / n;
  }
  // the standard deviation of a variance of n normal draws is sqrt(2/n): 1 %
  for (std::size_t i = 0; i < 3; ++i) {
    const double x = lag_s / T[i];
    const double expected = (i == 0 ? 1.0 : 1 - x / 2) * std::exp(-x);
    EXPECT_NEAR(var[i] / (s[i] * s[i]), 1, 0.04) << i;
    EXPECT_NEAR(cov[i] / (s[i] * s[i]), expected, 0.04) << i;
  }
}

TEST(Gusts, TheSpectrumOfALongRunIsThatOfTheEquation) {
  Gusts g(moderate(), 7);
  const double dt = g.knot_s(), T = g.time_s().z, s2 = 1.54 * 1.54;
  // averaged periodograms at three frequencies around the corner, 1024 knots each
  const int block = 1024, blocks = 400;
  for (const int bin : {4, 12, 40}) {
    const double w = 2 * kPi * bin / (block * dt);
    Gusts run(moderate(), 7);
    double power = 0;
    std::int64_t k = 0;
    for (int b = 0; b < blocks; ++b) {
      double re = 0, im = 0, weight = 0;
      for (int i = 0; i < block; ++i, ++k) {
        const double u = run.at(Time{} + Duration::from_seconds(static_cast<double>(k) * dt)).z;
        const double hann = 0.5 - 0.5 * std::cos(2 * kPi * i / block);
        re += hann * u * std::cos(w * i * dt), im += hann * u * std::sin(w * i * dt);
        weight += hann * hann;
      }
      power += (re * re + im * im) / weight;
    }
    // one-sided, over rad/s: dt / pi of the mean square
    const double measured = power / blocks * dt / kPi;
    const double x = T * w * T * w;
    const double expected = s2 * T / kPi * (1 + 3 * x) / ((1 + x) * (1 + x));
    EXPECT_NEAR(measured / expected, 1, 0.15) << bin;
  }
}

TEST(Gusts, TheSameSeedBlowsTheSameAndAnotherDoesNot) {
  Gusts a(moderate(), 3), b(moderate(), 3), c(moderate(), 4);
  for (int i = 0; i < 100; ++i) {
    const Time t = Time{} + Duration::from_seconds(0.37 * i);
    const Vec3 x = a.at(t);
    EXPECT_EQ(x, b.at(t));
    EXPECT_FALSE(x == c.at(t));
  }
  // asked for at fewer instants, the same air
  Gusts d(moderate(), 3);
  EXPECT_EQ(d.at(Time{} + Duration::from_seconds(0.37 * 99)),
            b.at(Time{} + Duration::from_seconds(0.37 * 99)));
}

TEST(Air, WindGrowsWithHeightAndGustsFollowItsDirection) {
  AirParams p;
  p.wind_m_s = {0, 4, 0};
  p.shear = 0.14;
  const Air air(p, 2, 1);
  EXPECT_NEAR(air.at(12).velocity_W.y, 4, 1e-12);
  EXPECT_NEAR(air.at(102).velocity_W.y, 4 * std::pow(10, 0.14), 1e-12);
  EXPECT_NEAR(air.at(0).density_kg_m3, 1.225, 1e-4);

  p.gusts = moderate();
  p.shear = 0;
  Air gusty(p, 2, 1);
  Gusts g(p.gusts, 1);
  const Time t = Time{} + Duration::from_seconds(3);
  gusty.update(t);
  const Vec3 u = g.at(t);
  // along is north, so across (to the left) is west
  EXPECT_NEAR(norm(gusty.at(50).velocity_W - Vec3{-u.y, 4 + u.x, u.z}), 0, 1e-12);
  EXPECT_EQ(Air(std::nullopt, 0, 1).at(5).density_kg_m3, 0);
}

TEST(Air, ASeedDrawsAWindOfItsOwnUpToWhatIsAskedFor) {
  AirParams p;
  p.wind_m_s = {10, 0, 0};
  p.wind_up_to_m_s = 4;
  double sum = 0, most = 0;
  Vec3 mean;
  const int n = 400;
  for (std::uint64_t seed = 1; seed <= n; ++seed) {
    const Vec3 drawn = Air(p, 0, seed).at(10).velocity_W - p.wind_m_s;
    EXPECT_EQ(drawn, Air(p, 0, seed).at(10).velocity_W - p.wind_m_s)
        << "the same for the same seed";
    EXPECT_EQ(drawn.z, 0);
    sum += norm(drawn) / n;
    mean += drawn / n;
    most = std::max(most, norm(drawn));
  }
  EXPECT_NEAR(sum, 2, 0.2) << "evenly from 0 to 4";
  EXPECT_LT(norm(mean), 0.35) << "in any direction";
  EXPECT_LE(most, 4);
  EXPECT_GT(most, 3.9);
  p.wind_up_to_m_s = 0;
  EXPECT_EQ(Air(p, 0, 7).at(10).velocity_W, (Vec3{10, 0, 0}));
}

TEST(Ground, PadsCarryAboveTheGroundAndTheHigherOneCounts) {
  const Ground ground(GroundParams{1, 0.5}, {{"low", {0, 0, 1.2}, 3}, {"high", {1, 0, 1.5}, 1}});
  EXPECT_EQ(ground.height_m(10, 0), 1);
  EXPECT_EQ(ground.height_m(-2, 0), 1.2);
  EXPECT_EQ(ground.height_m(1, 0), 1.5);
  EXPECT_EQ(ground.pad_under(1, 0), 1);
  EXPECT_EQ(ground.pad_under(10, 0), -1);
  EXPECT_EQ(ground.push_N({-1, 0, 1.3}, {}, 5), 0);
  EXPECT_EQ(Ground().push_N({0, 0, -100}, {}, 5), 0);
}

TEST(Ground, ItPushesButNeverPulls) {
  const Ground ground(GroundParams{0, 0.5}, {});
  EXPECT_NEAR(ground.push_N({0, 0, -0.001}, {1, 0, 0}, 2), 2 * 4900 * 0.001, 1e-12);
  EXPECT_EQ(ground.push_N({0, 0, -0.001}, {0, 0, 1}, 2), 0);
}

TEST(Ground, TheEffectOfTheGroundIsCheesemanAndBennetts) {
  EXPECT_NEAR(ground_effect(1, 1), 1 / (1 - 1.0 / 16), 1e-15);
  EXPECT_NEAR(ground_effect(1, 0.5), 4.0 / 3, 1e-15);
  EXPECT_EQ(ground_effect(1, -5), ground_effect(1, 0.5));
  EXPECT_NEAR(ground_effect(1, 100), 1, 1e-5);
  EXPECT_EQ(ground_effect(0, 0.1), 1);
}

}  // namespace
}  // namespace pintle::world
