#include "pintle/base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "pintle/testing/heap_counter.h"

namespace pintle {
namespace {

TEST(RandomStream, GivesTheSameNumbersForEver) {
  // worked out apart from this code, from the published descriptions of SplitMix64, FNV-1a and
  // xoshiro256**; a recorded run is repeated from its seed, so that these may never change
  RandomStream plain(0, "");
  for (const std::uint64_t expected :
       {0x1e28178eedbf0f30ULL, 0x32dadb1a9e4a4d08ULL, 0x4ef49088479a6d5cULL, 0x03b90a6cd230303eULL})
    EXPECT_EQ(plain.bits(), expected);
  RandomStream imu(1, "imu noise");
  for (const std::uint64_t expected :
       {0xf7c9182817fc4d60ULL, 0xc20e9c461d0abe83ULL, 0xdb2b74a250bddc1eULL, 0xb46e9a6597ae4d5cULL})
    EXPECT_EQ(imu.bits(), expected);
  RandomStream uniform(1, "imu noise");
  EXPECT_EQ(uniform.uniform(), 0.9679122064480775);
  EXPECT_EQ(uniform.uniform(), 0.7580354376960184);
  RandomStream normal(1, "imu noise");
  EXPECT_NEAR(normal.normal(), 1.8509580590327637, 2e-15);
  EXPECT_NEAR(normal.normal(), 0.6999970854491075, 1e-15);
}

TEST(RandomStream, AFreshOneIsSeedZeroWithoutLabel) {
  EXPECT_EQ(RandomStream().bits(), RandomStream(0, "").bits());
}

TEST(RandomStream, ACopyGoesOnWithTheSameNumbersAndLeavesTheOriginalAlone) {
  RandomStream a(3, "copy");
  for (int k = 0; k < 10; ++k) (void)a.bits();
  RandomStream b = a;
  std::vector<std::uint64_t> from_copy;
  for (int k = 0; k < 10; ++k) from_copy.push_back(b.bits());
  for (const std::uint64_t expected : from_copy) EXPECT_EQ(a.bits(), expected);
}

TEST(RandomStream, EverySeedAndLabelStartsElsewhere) {
  std::vector<std::uint64_t> first;
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    for (int label = 0; label < 100; ++label)
      first.push_back(RandomStream(seed, "thruster " + std::to_string(label)).bits());
  std::sort(first.begin(), first.end());
  EXPECT_EQ(std::adjacent_find(first.begin(), first.end()), first.end());
}

TEST(RandomStream, NeighbouringSeedsAndLabelsAreUncorrelated) {
  constexpr int kDraws = 100'000;
  const auto correlation = [](RandomStream a, RandomStream b) {
    double sum = 0;
    for (int k = 0; k < kDraws; ++k) sum += a.normal() * b.normal();
    return sum / kDraws;
  };
  // the mean of n products of independent normal numbers spreads by 1 / sqrt(n)
  const double limit = 5 / std::sqrt(double{kDraws});
  EXPECT_LT(std::abs(correlation({1, "gyro x"}, {2, "gyro x"})), limit);
  EXPECT_LT(std::abs(correlation({1, "gyro x"}, {1, "gyro y"})), limit);
  EXPECT_LT(std::abs(correlation({0, "a"}, {1, "b"})), limit);
  EXPECT_GT(correlation({1, "gyro x"}, {1, "gyro x"}), 0.9);
}

TEST(RandomStream, UniformNumbersStayInsideAndFillTheInterval) {
  constexpr int kDraws = 1'000'000;
  RandomStream random(1, "uniform");
  double sum = 0, least = 1, most = 0;
  std::array<int, 16> bins{};
  for (int k = 0; k < kDraws; ++k) {
    const double u = random.uniform();
    ASSERT_TRUE(u > 0 && u < 1);
    sum += u;
    least = std::min(least, u);
    most = std::max(most, u);
    ++bins[static_cast<std::size_t>(16 * u)];
  }
  EXPECT_NEAR(sum / kDraws, 0.5, 5 * std::sqrt(1.0 / 12 / kDraws));
  EXPECT_LT(least, 1e-4);
  EXPECT_GT(most, 1 - 1e-4);
  for (const int n : bins)
    EXPECT_NEAR(n, kDraws / 16.0, 5 * std::sqrt(kDraws * (1.0 / 16) * (15.0 / 16)));
}

TEST(RandomStream, UniformNumbersBetweenTwoBoundsAreTheSameOnesStretched) {
  RandomStream a(1, "bounds"), b(1, "bounds");
  for (int k = 0; k < 1000; ++k) {
    const double x = a.uniform(-3, 5);
    ASSERT_TRUE(x > -3 && x < 5);
    ASSERT_EQ(x, -3 + 8 * b.uniform());
  }
}

TEST(RandomStream, AMillionNormalNumbersHaveTheMomentsAndTailsOfTheNormalDistribution) {
  constexpr int kDraws = 1'000'000;
  RandomStream random(1, "normal");
  double s1 = 0, s2 = 0, s3 = 0, s4 = 0;
  int beyond_three = 0;
  for (int k = 0; k < kDraws; ++k) {
    const double z = random.normal();
    ASSERT_TRUE(std::isfinite(z));
    s1 += z, s2 += z * z, s3 += z * z * z, s4 += z * z * z * z;
    beyond_three += std::abs(z) > 3;
  }
  // five standard errors each: of z, z^2, z^3, z^4 the variances are 1, 2, 15 and 96
  const double error = 5 / std::sqrt(double{kDraws});
  EXPECT_NEAR(s1 / kDraws, 0, error);
  EXPECT_NEAR(s2 / kDraws, 1, error * std::sqrt(2.0));
  EXPECT_NEAR(s3 / kDraws, 0, error * std::sqrt(15.0));
  EXPECT_NEAR(s4 / kDraws, 3, error * std::sqrt(96.0));
  constexpr double kTail = 0.0026997960632602;
  EXPECT_NEAR(beyond_three / double{kDraws}, kTail, error * std::sqrt(kTail));
}

TEST(RandomStream, NeverAsksForHeapMemory) {
  const auto before = testing::heap_allocations();
  RandomStream random(1, "a label that is longer than a short string");
  double sum = 0;
  for (int k = 0; k < 100; ++k) sum += random.normal() + random.uniform(1, 2);
  EXPECT_EQ(testing::heap_allocations(), before);
  EXPECT_TRUE(std::isfinite(sum));
}

TEST(NormalQuantile, AgreesWithPublishedValues) {
  struct Known {
    double p, z;
  };
  // the first three stand in every table; the others were worked out to 40 digits
  for (const auto [p, z] : {Known{0.975, 1.959963984540054}, Known{0.999, 3.090232306167813},
                            Known{0.9, 1.2815515655446004}, Known{0.025, -1.9599639845400542},
                            Known{0.925, 1.4395314709384563}, Known{0.075, -1.4395314709384560},
                            Known{1e-5, -4.264890793922825}, Known{1e-10, -6.361340902404056},
                            Known{1e-12, -7.034483825301132}, Known{1e-300, -37.0470962993612}})
    EXPECT_NEAR(normal_quantile(p), z, 4e-16 * std::max(2.0, 4 * std::abs(z))) << p;
  EXPECT_EQ(normal_quantile(0.5), 0);
}

TEST(NormalQuantile, IsTheInverseOfTheDistributionDownToTheSmallestNumbers) {
  for (double e = -0.31; e > -300; e -= 0.37) {
    const double p = std::pow(10.0, e);
    const double z = normal_quantile(p);
    // an error of z shows in p z-fold
    EXPECT_NEAR(0.5 * std::erfc(-z / std::sqrt(2.0)) / p, 1, 4e-16 * (10 + 2 * z * z)) << p;
  }
}

TEST(NormalQuantile, IsOddAboutAHalfAndRisesEverywhere) {
  double before = -std::numeric_limits<double>::infinity();
  for (int k = 1; k < 4096; ++k) {
    const double p = k / 4096.0;
    const double z = normal_quantile(p);
    EXPECT_EQ(z, -normal_quantile(1 - p)) << p;
    EXPECT_GT(z, before) << p;
    before = z;
  }
  // across the seams of the three approximations: |p - 1/2| = 0.425 and p = exp(-25)
  for (const double seam : {0.075, 0.925, std::exp(-25.0)})
    EXPECT_LT(normal_quantile(seam * (1 - 1e-12)), normal_quantile(seam * (1 + 1e-12))) << seam;
}

TEST(NormalQuantile, HasNoValueOutsideTheOpenInterval) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const double p : {0.0, 1.0, -0.1, 1.1, inf, -inf, std::nan("")})
    EXPECT_TRUE(std::isnan(normal_quantile(p))) << p;
}

}  // namespace
}  // namespace pintle
