#include "pintle/base/vector.h"

#include <gtest/gtest.h>

#include <limits>
#include <type_traits>

namespace pintle {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// small whole numbers: every product and sum below is exact
constexpr Vec3 kA{1, 2, 3}, kB{4, 5, 6}, kC{-7, 8, 2};
constexpr Mat3 kM{{1, 2, 3, 4, 5, 6, 7, 8, 10}};
constexpr Mat3 kN{{2, -1, 0, 3, 5, -2, 1, 1, 4}};

template <class T>
constexpr bool kPlain = std::is_trivially_copyable_v<T>&& std::is_standard_layout_v<T>;
static_assert(kPlain<Vec3> && sizeof(Vec3) == 3 * sizeof(double));
static_assert(kPlain<Vec6> && sizeof(Vec6) == 6 * sizeof(double));
static_assert(kPlain<Mat3> && sizeof(Mat3) == 9 * sizeof(double));

TEST(Vec3, AddsScalesAndDividesByComponent) {
  EXPECT_EQ(kA + kB, (Vec3{5, 7, 9}));
  EXPECT_EQ(kA - kC, (Vec3{8, -6, 1}));
  EXPECT_EQ(-kC, (Vec3{7, -8, -2}));
  EXPECT_EQ(2.0 * kA, (Vec3{2, 4, 6}));
  EXPECT_EQ(kA * 2.0, 2.0 * kA);
  EXPECT_EQ(kC / 2.0, (Vec3{-3.5, 4, 1}));
  Vec3 v = kA;
  v += kB;
  v -= kC;
  EXPECT_EQ(v, (Vec3{12, -1, 7}));
  EXPECT_EQ(Vec3{}, (Vec3{0, 0, 0}));
}

TEST(Vec3, IndicesAreXYZ) {
  Vec3 v{10, 20, 30};
  EXPECT_EQ(v[0], 10);
  EXPECT_EQ(v[1], 20);
  EXPECT_EQ(v[2], 30);
  v[0] = 1, v[1] = 2, v[2] = 3;
  EXPECT_EQ(v, kA);
}

TEST(Vec3, DotCrossAndNormByHand) {
  EXPECT_EQ(dot(kA, kB), 32);
  EXPECT_EQ(cross(kA, kB), (Vec3{-3, 6, -3}));
  EXPECT_EQ(cross({1, 0, 0}, {0, 1, 0}), (Vec3{0, 0, 1}));
  EXPECT_EQ(norm(Vec3{2, -3, 6}), 7);
}

TEST(Vec3, TheCrossProductObeysItsLaws) {
  EXPECT_EQ(cross(kA, kB), -cross(kB, kA));
  EXPECT_EQ(dot(cross(kA, kB), kA), 0);
  EXPECT_EQ(dot(cross(kA, kB), kB), 0);
  // a x (b x c) = b (a . c) - c (a . b)
  EXPECT_EQ(cross(kA, cross(kB, kC)), dot(kA, kC) * kB - dot(kA, kB) * kC);
}

TEST(Vec3, FiniteMeansEveryComponent) {
  EXPECT_TRUE(is_finite(kA));
  for (const double bad : {kNaN, kInf, -kInf})
    for (std::size_t i = 0; i < 3; ++i) {
      Vec3 v = kA;
      v[i] = bad;
      EXPECT_FALSE(is_finite(v)) << i;
    }
}

TEST(Vec6, AddsScalesAndMeasures) {
  const Vec6 a{{1, 2, 3, 4, 5, 6}}, b{{6, 5, 4, 3, 2, 1}};
  EXPECT_EQ(a + b, (Vec6{{7, 7, 7, 7, 7, 7}}));
  EXPECT_EQ(a - b, (Vec6{{-5, -3, -1, 1, 3, 5}}));
  EXPECT_EQ(2.0 * a, a + a);
  EXPECT_EQ(dot(a, b), 56);
  EXPECT_EQ(norm(Vec6{{1, 1, 1, 2, 3, 3}}), 5);
}

TEST(Vec6, SumsFromTheFirstToTheLast) {
  // 1e16 + 1 - 1e16 is 0 in this order, 1 in another: replay depends on the order
  EXPECT_EQ(dot(Vec6{{1e16, 1, -1e16, 0, 0, 0}}, Vec6{{1, 1, 1, 1, 1, 1}}), 0);
  EXPECT_EQ(dot(Vec6{{1e16, -1e16, 1, 0, 0, 0}}, Vec6{{1, 1, 1, 1, 1, 1}}), 1);
}

TEST(Vec6, FiniteMeansEveryComponent) {
  EXPECT_TRUE(is_finite(Vec6{}));
  for (const double bad : {kNaN, kInf, -kInf})
    for (std::size_t i = 0; i < 6; ++i) {
      Vec6 v;
      v[i] = bad;
      EXPECT_FALSE(is_finite(v)) << i;
    }
}

TEST(Mat3, IsStoredRowByRow) {
  EXPECT_EQ(kM(0, 2), 3);
  EXPECT_EQ(kM(2, 0), 7);
  EXPECT_EQ(kM * (Vec3{1, 0, 0}), (Vec3{1, 4, 7}));
  EXPECT_EQ(Mat3{} * kA, Vec3{});
}

TEST(Mat3, MultipliesByHand) {
  EXPECT_EQ(kM * kA, (Vec3{14, 32, 53}));
  EXPECT_EQ(kM * kN, (Mat3{{11, 12, 8, 29, 27, 14, 48, 43, 24}}));
}

TEST(Mat3, ObeysTheLawsOfMatrices) {
  EXPECT_EQ((kM * kN) * kA, kM * (kN * kA));
  EXPECT_EQ(transpose(kM * kN), transpose(kN) * transpose(kM));
  EXPECT_EQ(transpose(transpose(kM)), kM);
  EXPECT_EQ(Mat3::identity() * kM, kM);
  EXPECT_EQ(kM * Mat3::identity(), kM);
  EXPECT_EQ(Mat3::diagonal(kA) * kB, (Vec3{4, 10, 18}));
}

TEST(Mat3, SkewIsTheCrossProduct) {
  EXPECT_EQ(skew(kA) * kB, cross(kA, kB));
  EXPECT_EQ(transpose(skew(kA)), skew(-kA));
}

}  // namespace
}  // namespace pintle
