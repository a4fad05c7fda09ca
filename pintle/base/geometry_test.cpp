#include "pintle/base/geometry.h"

#include <gtest/gtest.h>

#include <limits>
#include <type_traits>

#include "pintle/base/random.h"

namespace pintle {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

static_assert(std::is_trivially_copyable_v<Pose> && std::is_standard_layout_v<Pose>);
static_assert(std::is_trivially_copyable_v<Twist> && std::is_standard_layout_v<Twist>);
static_assert(std::is_trivially_copyable_v<Wrench> && std::is_standard_layout_v<Wrench>);

Vec3 draw(RandomStream& random) { return {random.normal(), random.normal(), random.normal()}; }

Pose draw_pose(RandomStream& random) {
  return {draw(random),
          normalized({random.normal(), random.normal(), random.normal(), random.normal()})};
}

void expect_near(Vec3 a, Vec3 b, double tolerance = 1e-14) {
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(a[i], b[i], tolerance) << "component " << i;
}

void expect_near(const Pose& a, const Pose& b, double tolerance = 1e-14) {
  expect_near(a.p, b.p, tolerance);
  // q and -q mean the same
  EXPECT_NEAR(std::abs(a.q.x * b.q.x + a.q.y * b.q.y + a.q.z * b.q.z + a.q.w * b.q.w), 1,
              tolerance);
}

// A stands at (1, 2, 3) and is turned to the left by 90 degrees; B, seen from A, stands at
// (4, 5, 6) and is rolled by 90 degrees
const Pose kX_WA{{1, 2, 3}, from_rpy({0, 0, kPi / 2})};
const Pose kX_AB{{4, 5, 6}, from_rpy({kPi / 2, 0, 0})};

TEST(Pose, AFreshOneIsTheIdentity) {
  EXPECT_EQ(Pose{}.p, Vec3{});
  EXPECT_EQ(Pose{}.q, (Quat{0, 0, 0, 1}));
  EXPECT_EQ(Pose{} * kX_AB, kX_AB);
}

TEST(Pose, ComposesARotatedAndTranslatedPairByHand) {
  // (4, 5, 6) turned to the left is (-5, 4, 6)
  const Pose X_WB = kX_WA * kX_AB;
  expect_near(X_WB, {{-4, 6, 9}, {0.5, 0.5, 0.5, 0.5}});
  // the tip of B's x axis: (5, 5, 6) in A, (1 - 5, 2 + 5, 3 + 6) in the world
  expect_near((X_WB * Pose{{1, 0, 0}, {}}).p, {-4, 7, 9});
  // the other order is another pose: (4, 5, 6) + (1, -3, 2)
  expect_near((kX_AB * kX_WA).p, {5, 2, 8});
}

TEST(Pose, InvertsARotatedAndTranslatedOneByHand) {
  // W's origin seen from A: (-1, -2, -3) turned to the right
  expect_near(inverse(kX_WA), {{-2, 1, -3}, from_rpy({0, 0, -kPi / 2})});
}

TEST(Pose, CompositionObeysTheLawsOfAGroup) {
  RandomStream random(1, "pose");
  for (int k = 0; k < 200; ++k) {
    const Pose a = draw_pose(random), b = draw_pose(random), c = draw_pose(random);
    expect_near((a * b) * c, a * (b * c));
    expect_near(a * inverse(a), Pose{});
    expect_near(inverse(a) * a, Pose{});
    expect_near(inverse(a * b), inverse(b) * inverse(a));
  }
}

TEST(Wrench, AForceOffTheOriginTurnsByItsLever) {
  // 10 N up, 2 m ahead of the origin: the nose rises, which is negative pitch
  const Wrench up = shift_to_origin({{0, 0, 10}, {}}, {2, 0, 0});
  EXPECT_EQ(up, (Wrench{{0, 0, 10}, {0, -20, 0}}));
  // 10 N ahead, 2 m to the left: turns to the right
  EXPECT_EQ(shift_to_origin({{10, 0, 0}, {}}, {0, 2, 0}).torque, (Vec3{0, 0, -20}));
  // the torque that it has of its own stays
  EXPECT_EQ(shift_to_origin({{1, 2, 3}, {4, 5, 6}}, {1, 0, -1}), (Wrench{{1, 2, 3}, {6, 1, 8}}));
}

TEST(Wrench, AThrusterThatIsRotatedAndTranslatedPushesByHand) {
  // it pushes along its own x with 7 N; turned to the left by 90 degrees that is the body's y
  const Pose X_BT{{3, -1, 2}, from_rpy({0, 0, kPi / 2})};
  const Wrench F = shift_to_origin({rotate(X_BT.q, {7, 0, 0}), {}}, X_BT.p);
  expect_near(F.force, {0, 7, 0});
  expect_near(F.torque, {-14, 0, 21});
}

TEST(Wrench, PowerIsTheSameFromWhateverPointItIsReckoned) {
  RandomStream random(1, "power");
  for (int k = 0; k < 200; ++k) {
    const Wrench F_P{draw(random), draw(random)};
    const Twist V{draw(random), draw(random)};
    const Vec3 p = draw(random);
    const double at_P = dot(F_P.force, V.v + cross(V.w, p)) + dot(F_P.torque, V.w);
    EXPECT_NEAR(dot(to_vec6(shift_to_origin(F_P, p)), to_vec6(V)), at_P, 1e-13);
  }
}

TEST(Wrench, AddsAndScales) {
  const Wrench a{{1, 2, 3}, {4, 5, 6}}, b{{6, 5, 4}, {3, 2, 1}};
  EXPECT_EQ(a + b, (Wrench{{7, 7, 7}, {7, 7, 7}}));
  EXPECT_EQ(a - b, (Wrench{{-5, -3, -1}, {1, 3, 5}}));
  EXPECT_EQ(2.0 * a, a + a);
}

TEST(SixNumbers, AreLinearFirstThenAngular) {
  const Vec6 six{{1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(to_wrench(six), (Wrench{{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(to_twist(six), (Twist{{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(to_vec6(to_wrench(six)), six);
  EXPECT_EQ(to_vec6(to_twist(six)), six);
}

TEST(Finite, MeansEveryNumberOfAPoseTwistOrWrench) {
  EXPECT_TRUE(is_finite(Pose{}));
  for (std::size_t i = 0; i < 3; ++i) {
    Pose X;
    X.p[i] = kNaN;
    EXPECT_FALSE(is_finite(X)) << i;
  }
  for (double Quat::*component : {&Quat::x, &Quat::y, &Quat::z, &Quat::w}) {
    Pose X;
    X.q.*component = kNaN;
    EXPECT_FALSE(is_finite(X));
  }
  EXPECT_TRUE(is_finite(Twist{}));
  EXPECT_TRUE(is_finite(Wrench{}));
  for (std::size_t i = 0; i < 6; ++i) {
    Vec6 six;
    six[i] = kNaN;
    EXPECT_FALSE(is_finite(to_twist(six))) << i;
    EXPECT_FALSE(is_finite(to_wrench(six))) << i;
  }
}

}  // namespace
}  // namespace pintle
