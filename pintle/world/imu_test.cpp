#include "pintle/world/imu.h"

#include <gtest/gtest.h>

#include "pintle/base/rotation.h"

namespace pintle::world {
namespace {

vehicle::Imu perfect() {
  vehicle::Imu imu;
  imu.rate_Hz = 100;
  imu.rate_noise_deg_s = imu.rate_bias_deg_s = 0;
  imu.acceleration_noise_m_s2 = imu.acceleration_bias_m_s2 = 0;
  return imu;
}

TEST(Imu, StandingOnItsSideItFeelsWhatCarriesIt) {
  // rolled to the left by a quarter turn: up is along body y
  const BodyState rest{{{1, 2, 3}, from_rpy({kPi / 2, 0, 0})}, {}};
  ImuInWorld imu(perfect(), 9.8, rest, 1);
  EXPECT_FALSE(imu.take());
  imu.update(Time::from_seconds(0.01), rest);
  const auto sample = imu.take();
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->stamp, Time::from_seconds(0.01));
  EXPECT_NEAR(sample->f_B.x, 0, 1e-12);
  EXPECT_NEAR(sample->f_B.y, 9.8, 1e-12);
  EXPECT_NEAR(sample->f_B.z, 0, 1e-12);
  EXPECT_NEAR(norm(sample->w_B), 0, 1e-12);
  EXPECT_FALSE(imu.take()) << "each sample is told once";
}

TEST(Imu, InFreeFallItFeelsNothingAndItsTurnIsTheMeanOfTheStep) {
  const auto at = [](double t) {
    const Quat q = from_rpy({0, 0, 2 * t});
    return BodyState{{{0, 0, 10}, q}, {rotate(conjugate(q), {3, 0, -9.8 * t}), {0, 0, 2}}};
  };
  ImuInWorld imu(perfect(), 9.8, at(0), 1);
  for (int i = 1; i <= 4; ++i) imu.update(Time::from_seconds(0.01 * i), at(0.01 * i));
  const auto mean = imu.take();
  ASSERT_TRUE(mean);
  EXPECT_NEAR(norm(mean->f_B), 0, 1e-9);
  EXPECT_NEAR(mean->w_B.z, 2, 1e-9);
  EXPECT_EQ(mean->stamp, Time::from_seconds(0.04));
}

TEST(Imu, TheConstantErrorsAreOfTheSeedAndTheNoiseIsOfItsSize) {
  vehicle::Imu spec = perfect();
  spec.acceleration_bias_m_s2 = 0.1;
  spec.acceleration_noise_m_s2 = 0.2;
  const auto means = [&spec](std::uint64_t seed) {
    ImuInWorld imu(spec, 9.8, {}, seed);
    double sum = 0, squares = 0;
    constexpr int kN = 4000;
    for (int i = 1; i <= kN; ++i) {
      imu.update(Time::from_seconds(0.01 * i), {});
      const double x = imu.take()->f_B.x;
      sum += x;
      squares += x * x;
    }
    const double mean = sum / kN;
    EXPECT_NEAR(std::sqrt(squares / kN - mean * mean), 0.2, 0.01);
    return mean;
  };
  EXPECT_EQ(means(1), means(1));
  EXPECT_GT(std::abs(means(1) - means(2)), 0.01);
  EXPECT_LT(std::abs(means(3)), 0.25) << "cut at two standard deviations";
}

}  // namespace
}  // namespace pintle::world
