#include "pintle/mission/goal.h"

#include <gtest/gtest.h>

#include "pintle/base/random.h"

namespace pintle::mission {
namespace {

constexpr AxisMode P = AxisMode::kPosition, V = AxisMode::kVelocity, F = AxisMode::kWrench;
using Modes = std::array<AxisMode, kAxes>;

Pose pose(Vec3 p, double roll_deg, double pitch_deg, double yaw_deg) {
  return {p, from_rpy({radians(roll_deg), radians(pitch_deg), radians(yaw_deg)})};
}
Vec6 goal(Vec3 p, double roll_deg, double pitch_deg, double yaw_deg) {
  return {{p.x, p.y, p.z, radians(roll_deg), radians(pitch_deg), radians(yaw_deg)}};
}
Pose pose_of(const Vec6& g) { return {{g[0], g[1], g[2]}, attitude_of(g)}; }
void slide(Vec6& g, const Modes& modes, const Pose& X_WB) {
  Quat q_WD = attitude_of(g);
  mission::slide(g, q_WD, modes, X_WB);
  EXPECT_EQ(q_WD, attitude_of(g));
}
/// What the control law sees: the body-frame error, linear then angular.
Vec6 body_error(const Pose& X_WB, const Vec6& g) {
  const Pose X_BD = inverse(X_WB) * pose_of(g);
  const Vec3 r = to_rotation_vector(X_BD.q);
  return {{X_BD.p.x, X_BD.p.y, X_BD.p.z, r.x, r.y, r.z}};
}

TEST(Goal, StaysWhereItIsWhileEveryAxisFollowsIt) {
  const Vec6 before = goal({1, 2, -3}, 10, 20, 30);
  Vec6 g = before;
  slide(g, {P, P, P, P, P, P}, pose({-4, 5, 6}, -40, 10, 170));
  EXPECT_EQ(g, before);
}

// heading 90: body x is world y. The line is x = 2 at depth -1.5; 0.3 m aside, 0.1 m too deep.
TEST(Goal, SlidesAlongBodyXAtAnyHeadingAndKeepsTheLine) {
  Vec6 g = goal({2, 0, -1.5}, 0, 0, 90);
  const Pose X = pose({2.3, 1.2, -1.6}, 0, 0, 90);
  slide(g, {V, P, P, P, P, P}, X);
  EXPECT_NEAR(g[0], 2, 1e-12);
  EXPECT_NEAR(g[1], 1.2, 1e-12);
  EXPECT_NEAR(g[2], -1.5, 1e-12);
  const Vec6 e = body_error(X, g);
  EXPECT_NEAR(e[0], 0, 1e-12);
  EXPECT_NEAR(e[1], 0.3, 1e-12);  // the line is to the left: world -x is body +y
  EXPECT_NEAR(e[2], 0.1, 1e-12);
}

// heading 30, goal (1, 1): 4 along and 0.5 to the left of the line
TEST(Goal, SlidesAlongAnObliqueLine) {
  const double c = std::cos(radians(30)), s = std::sin(radians(30));
  Vec6 g = goal({1, 1, 0}, 0, 0, 30);
  slide(g, {V, P, P, P, P, P}, pose({1 + 4 * c - 0.5 * s, 1 + 4 * s + 0.5 * c, 0.2}, 0, 0, 30));
  EXPECT_NEAR(g[0], 1 + 4 * c, 1e-12);
  EXPECT_NEAR(g[1], 1 + 4 * s, 1e-12);
  EXPECT_NEAR(g[2], 0, 1e-12);
}

// a fixed goal 2 m behind would show 2 sin(5 deg) = 0.17 m sideways; the slid one shows nothing
TEST(Goal, YawingAboutOnALongLegShowsNoSidewaysErrorOfTheWayAlreadyMade) {
  Vec6 g = goal({0, 0, 0}, 0, 0, 0);
  const Pose X = pose({2, 0, 0}, 0, 0, 5);
  slide(g, {V, P, P, P, P, P}, X);
  const Vec6 e = body_error(X, g);
  EXPECT_NEAR(e[1], 0, 1e-12);
  EXPECT_NEAR(e[5], radians(-5), 1e-12);
}

TEST(Goal, WrenchAxesAreFreeToo) {
  Vec6 g = goal({0, 0, 0}, 0, 0, 0);
  slide(g, {P, P, F, P, P, P}, pose({0.2, 0.1, -3}, 0, 0, 45));
  EXPECT_NEAR(g[0], 0, 1e-15);
  EXPECT_NEAR(g[1], 0, 1e-15);
  EXPECT_NEAR(g[2], -3, 1e-15);
}

TEST(Goal, RollingFreelyIsExactThroughManyTurnsWithThePitchAndYawOfTheGoal) {
  Vec6 g = goal({0, 0, 0}, 0, 12, 100);
  for (int k = 0; k <= 3 * 360; k += 7) {
    const Pose X = pose({0, 0, 0}, k, 12, 100);
    slide(g, {P, P, P, V, P, P}, X);
    const Vec6 e = body_error(X, g);
    for (std::size_t i = 3; i < 6; ++i) ASSERT_NEAR(e[i], 0, 1e-12) << k;
    ASSERT_EQ(g[4], radians(12));
    ASSERT_EQ(g[5], radians(100));
    ASSERT_NEAR(wrap_angle(g[3] - radians(k)), 0, 1e-12);
  }
}

// while the vehicle rolls it is 5 degrees off in pitch and 4 in yaw: that error stays to be seen
TEST(Goal, RollingFreelyLeavesTheErrorAcrossTheAxis) {
  for (int k = 0; k < 360; k += 15) {
    Vec6 g = goal({0, 0, 0}, 0, 0, 0);
    const Quat wobble = from_rotation_vector({0, radians(5), radians(4)});
    const Pose X{{}, from_rpy({radians(k), 0, 0}) * wobble};
    slide(g, {P, P, P, V, P, P}, X);
    const Vec6 e = body_error(X, g);
    ASSERT_NEAR(e[3], 0, 1e-12) << k;
    ASSERT_NEAR(e[4], radians(-5), 1e-9) << k;
    ASSERT_NEAR(e[5], radians(-4), 1e-9) << k;
  }
}

TEST(Goal, AFreePitchGoesThroughTheVerticalWithoutAJump) {
  Vec6 g = goal({0, 0, 0}, 0, 0, 30);
  for (int k = 0; k <= 720; k += 5) {
    const Quat q = from_rpy({0, 0, radians(30)}) * from_rotation_vector({0, radians(k % 360), 0});
    slide(g, {P, P, P, P, V, P}, {{}, q});
    const Vec6 e = body_error({{}, q}, g);
    for (std::size_t i = 3; i < 6; ++i) ASSERT_NEAR(e[i], 0, 1e-12) << k;
    ASSERT_EQ(g[3], 0);
    ASSERT_EQ(g[5], radians(30));
  }
}

TEST(Goal, TwoFreeAngularAxesLeaveTheErrorOfTheThird) {
  RandomStream random(3, "goal");
  for (int k = 0; k < 200; ++k) {
    Vec6 g = goal({0, 0, 0}, random.uniform(-170, 170), random.uniform(-80, 80),
                  random.uniform(-170, 170));
    const Pose X = pose({0, 0, 0}, random.uniform(-170, 170), random.uniform(-80, 80),
                        random.uniform(-170, 170));
    slide(g, {P, P, P, V, V, P}, X);
    const Vec6 e = body_error(X, g);
    ASSERT_NEAR(e[3], 0, 1e-7);
    ASSERT_NEAR(e[4], 0, 1e-7);
  }
}

TEST(Goal, FreeAxesNeverShowAnErrorAndSlidingTwiceIsSlidingOnce) {
  RandomStream random(4, "goal");
  for (int k = 0; k < 2000; ++k) {
    const auto angle = [&random] { return random.uniform(-180, 180); };
    const auto place = [&random] {
      return Vec3{random.uniform(-9, 9), random.uniform(-9, 9), random.uniform(-9, 9)};
    };
    Vec6 g = goal(place(), angle(), angle() / 2, angle());
    Modes modes;
    for (AxisMode& m : modes) m = random.uniform() < 0.5 ? P : V;
    const Pose X = pose(place(), angle(), angle() / 2, angle());
    slide(g, modes, X);
    // linear: across the desired frame; angular: about the shared axis
    const Pose X_DB = inverse(pose_of(g)) * X;
    const Vec3 turn = to_rotation_vector(X_DB.q);
    for (std::size_t i = 0; i < 3; ++i) {
      ASSERT_NEAR(modes[i] == V ? X_DB.p[i] : 0, 0, 1e-6);
      ASSERT_NEAR(modes[i + 3] == V ? turn[i] : 0, 0, 1e-6);
    }
    const Vec6 once = g;
    slide(g, modes, X);
    const Pose a = pose_of(once), b = pose_of(g);
    ASSERT_NEAR(norm(a.p - b.p), 0, 1e-6);
    ASSERT_NEAR(norm(to_rotation_vector(conjugate(a.q) * b.q)), 0, 1e-6);
  }
}

TEST(Goal, AllAxesFreeIsThePoseOfTheVehicle) {
  Vec6 g{};
  const Pose X = pose({1, -2, 3}, 40, -50, 160);
  slide(g, {V, V, V, F, F, F}, X);
  EXPECT_EQ(g[0], 1);
  EXPECT_EQ(g[1], -2);
  EXPECT_EQ(g[2], 3);
  EXPECT_NEAR(norm(to_rotation_vector(conjugate(X.q) * pose_of(g).q)), 0, 1e-12);
}

}  // namespace
}  // namespace pintle::mission
