#include "pintle/propulsion/arithmetic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pintle/base/random.h"

namespace pintle::propulsion {
namespace {

TEST(Arithmetic, SineAndCosineAreThoseOfTheLibraryToRounding) {
  RandomStream random(1, "sincos");
  for (int i = 0; i < 20000; ++i) {
    const double x = random.uniform(-1, 1) * std::pow(10.0, random.uniform(-8, 4));
    const SinCos t = sincos(x);
    ASSERT_NEAR(t.sin, std::sin(x), 3e-16) << x;
    ASSERT_NEAR(t.cos, std::cos(x), 3e-16) << x;
  }
  EXPECT_EQ(sincos(0).sin, 0);
  EXPECT_EQ(sincos(0).cos, 1);
}

TEST(Arithmetic, ArcTangentIsThatOfTheLibraryAllRound) {
  RandomStream random(2, "atan2");
  for (int i = 0; i < 20000; ++i) {
    const double size = std::pow(10.0, random.uniform(-6, 6));
    const double y = random.uniform(-1, 1) * size, x = random.uniform(-1, 1);
    const double expected = std::atan2(y, x);
    ASSERT_NEAR(arc_tangent(y, x), expected, 5e-16 * (1 + std::fabs(expected))) << y << " " << x;
  }
  EXPECT_EQ(arc_tangent(0, 0), 0);
  EXPECT_DOUBLE_EQ(arc_tangent(0, -1), std::atan2(0.0, -1.0));
  EXPECT_DOUBLE_EQ(arc_tangent(-0.0, -1), std::atan2(-0.0, -1.0));
  EXPECT_DOUBLE_EQ(arc_tangent(1, 0), std::atan2(1.0, 0.0));
}

TEST(Arithmetic, LimitersLetNoNanThrough) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(clip(nan, -2, 3), -2);
  EXPECT_EQ(clip(inf, -2, 3), 3);
  EXPECT_EQ(clip(-inf, -2, 3), -2);
  EXPECT_EQ(clip(1, -2, 3), 1);
  EXPECT_EQ(tame(nan), 0);
  EXPECT_EQ(tame(inf), 0);
  EXPECT_EQ(tame(-inf), 0);
  EXPECT_EQ(tame(-7), -7);
  EXPECT_EQ(tame(1e308), 1e30);
  EXPECT_EQ(tame(-std::numeric_limits<double>::max()), -1e30);
}

}  // namespace
}  // namespace pintle::propulsion
