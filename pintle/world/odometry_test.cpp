#include "pintle/world/odometry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace pintle::world {
namespace {

constexpr std::int64_t kMs = 1'000'000;

BodyState somewhere() {
  return {{{1, -2, -3}, from_rpy({0.1, 0.2, 0.3})}, {{0.4, 0.5, 0.6}, {0.7, 0.8, 0.9}}};
}

// samples taken every millisecond, with the time of their arrival
struct Arrival {
  Time when;
  OdometrySample sample;
};
std::vector<Arrival> listen(OdometrySource& source, std::int64_t ms) {
  std::vector<Arrival> heard;
  for (std::int64_t k = 0; k <= ms; ++k) {
    const Time now{k * kMs};
    BodyState s = somewhere();
    s.X_WB.p.x = static_cast<double>(k);
    source.update(now, s);
    if (const auto sample = source.take(now)) heard.push_back({now, *sample});
  }
  return heard;
}

TEST(Odometry, WithoutErrorIsTheTruthAtItsInstant) {
  OdometryParams p;
  p.rate_Hz = 100;
  OdometrySource source(p, 1);
  const auto heard = listen(source, 1000);
  ASSERT_EQ(heard.size(), 101U);
  for (std::size_t i = 0; i < heard.size(); ++i) {
    EXPECT_EQ(heard[i].sample.stamp.ns, static_cast<std::int64_t>(i) * 10 * kMs);
    EXPECT_EQ(heard[i].when, heard[i].sample.stamp);
    EXPECT_EQ(heard[i].sample.X_WB.p.x, 10.0 * static_cast<double>(i));
    EXPECT_EQ(heard[i].sample.X_WB.q, somewhere().X_WB.q);
    EXPECT_EQ(heard[i].sample.V_WB_B, somewhere().V_WB_B);
  }
}

TEST(Odometry, ArrivesAfterItsDelayInOrder) {
  OdometryParams p;
  p.rate_Hz = 50;
  p.delay_s = 0.053;
  OdometrySource source(p, 1);
  const auto heard = listen(source, 1000);
  ASSERT_EQ(heard.size(), 48U);  // stamps 0, 20, … 940 ms
  for (std::size_t i = 0; i < heard.size(); ++i) {
    EXPECT_EQ(heard[i].sample.stamp.ns, static_cast<std::int64_t>(i) * 20 * kMs);
    EXPECT_EQ((heard[i].when - heard[i].sample.stamp).ns, 53 * kMs);
  }
}

TEST(Odometry, APeriodOfNoWholeStepsDoesNotDrift) {
  OdometryParams p;
  p.rate_Hz = 30;
  OdometrySource source(p, 1);
  const auto heard = listen(source, 10'000);
  ASSERT_EQ(heard.size(), 301U);
  // 33.33 ms is taken at the next whole one, 100 ms is met exactly
  EXPECT_EQ(heard[1].sample.stamp.ns, 34 * kMs);
  EXPECT_EQ(heard[3].sample.stamp.ns, 100 * kMs);
  EXPECT_EQ(heard[300].sample.stamp.ns, 10'000 * kMs);
}

TEST(Odometry, NotTakenForLongGivesTheNewestThatHasArrived) {
  OdometryParams p;
  p.rate_Hz = 50;
  p.delay_s = 0.03;
  OdometrySource source(p, 1);
  for (std::int64_t k = 0; k <= 1000; ++k) source.update({k * kMs}, somewhere());
  const auto newest = source.take({1000 * kMs});
  ASSERT_TRUE(newest);
  EXPECT_EQ(newest->stamp.ns, 960 * kMs);
  EXPECT_FALSE(source.take({1000 * kMs}));
  EXPECT_EQ(source.take({1015 * kMs})->stamp.ns, 980 * kMs);
}

TEST(Odometry, NoiseAndBiasHaveTheirSpreadOnEveryAxis) {
  OdometryParams p;
  p.rate_Hz = 1000;
  p.position_noise_m = 0.02;
  p.attitude_noise_deg = 0.5;
  p.velocity_noise_m_s = 0.1;
  p.rate_noise_deg_s = 3;
  OdometrySource source(p, 4);
  const auto heard = listen(source, 19'999);
  std::array<double, 12> square{};
  for (const Arrival& a : heard) {
    BodyState truth = somewhere();
    truth.X_WB.p.x = a.when.seconds() * 1e3;
    const std::array<Vec3, 4> error{a.sample.X_WB.p - truth.X_WB.p,
                                    to_rotation_vector(conjugate(truth.X_WB.q) * a.sample.X_WB.q),
                                    a.sample.V_WB_B.v - truth.V_WB_B.v,
                                    a.sample.V_WB_B.w - truth.V_WB_B.w};
    for (std::size_t i = 0; i < 12; ++i) square[i] += error[i / 3][i % 3] * error[i / 3][i % 3];
  }
  const std::array<double, 4> sigma{0.02, radians(0.5), 0.1, radians(3)};
  for (std::size_t i = 0; i < 12; ++i)
    EXPECT_NEAR(std::sqrt(square[i] / 20'000) / sigma[i / 3], 1, 0.03) << i;
}

TEST(Odometry, BiasIsOneConstantASeed) {
  OdometryParams p;
  p.position_bias_m = 0.1;
  p.attitude_bias_deg = 2;
  OdometrySource a(p, 1), b(p, 2);
  const auto heard = listen(a, 200), other = listen(b, 0);
  const Vec3 bias = heard[0].sample.X_WB.p - Vec3{0, -2, -3};
  EXPECT_GT(norm(bias), 1e-3);
  EXPECT_LE(norm(bias), 0.2 * std::sqrt(3.0));
  for (const Arrival& h : heard) {
    EXPECT_NEAR(h.sample.X_WB.p.x - h.when.seconds() * 1e3, bias.x, 1e-12);
    EXPECT_EQ(h.sample.X_WB.q, heard[0].sample.X_WB.q);
  }
  EXPECT_NE(other[0].sample.X_WB.p.x, bias.x);
  const Vec3 turn = to_rotation_vector(conjugate(somewhere().X_WB.q) * heard[0].sample.X_WB.q);
  EXPECT_GT(norm(turn), 1e-4);
  EXPECT_LE(norm(turn), radians(4 * std::sqrt(3.0)));
}

// share of messages lost and mean length of a gap, in messages
struct Gaps {
  double share, mean;
};
Gaps gaps(const OdometryParams& p) {
  OdometrySource source(p, 11);
  constexpr std::int64_t kN = 400'000;
  std::int64_t lost = 0, runs = 0;
  bool losing = false;
  for (std::int64_t k = 0; k < kN; ++k) {
    const Time now{k * 10 * kMs};
    source.update(now, somewhere());
    const bool heard = source.take(now).has_value();
    if (!heard) ++lost;
    if (!heard && !losing) ++runs;
    losing = !heard;
  }
  return {static_cast<double>(lost) / kN, static_cast<double>(lost) / static_cast<double>(runs)};
}

TEST(Odometry, SingleMessagesAreLostIndependently) {
  OdometryParams p;
  p.rate_Hz = 100;
  p.drop_out = 0.2;
  const Gaps g = gaps(p);
  EXPECT_NEAR(g.share, 0.2, 0.005);
  EXPECT_NEAR(g.mean, 1 / 0.8, 0.02);
}

TEST(Odometry, BurstsHaveTheirShareAndTheirMeanLength) {
  OdometryParams p;
  p.rate_Hz = 100;
  p.drop_out = 0.1;
  p.drop_out_mean_s = 0.25;
  const Gaps g = gaps(p);
  EXPECT_NEAR(g.share, 0.1, 0.01);
  EXPECT_NEAR(g.mean, 25, 2);
}

TEST(Odometry, LossesDoNotShiftTheNoise) {
  OdometryParams clean;
  clean.position_noise_m = 1;
  OdometryParams lossy = clean;
  lossy.drop_out = 0.5;
  OdometrySource a(clean, 3), b(lossy, 3);
  const auto all = listen(a, 5000), some = listen(b, 5000);
  ASSERT_LT(some.size(), all.size());
  ASSERT_GT(some.size(), all.size() / 4);
  for (const Arrival& s : some) {
    const auto i = static_cast<std::size_t>(s.sample.stamp.ns / (20 * kMs));
    EXPECT_EQ(s.sample.X_WB.p, all[i].sample.X_WB.p);
  }
}

}  // namespace
}  // namespace pintle::world
