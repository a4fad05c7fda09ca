#include "pintle/control/pose_error.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pintle/base/axis.h"
#include "pintle/base/random.h"

namespace pintle::control {
namespace {

constexpr double kRoot = 0.70710678118654752;  // sqrt(1/2)
constexpr Behaviour kBoth[] = {Behaviour::kReference, Behaviour::kSafe};

void expect_near(const Vec6& actual, const Vec6& expected, double tolerance = 1e-12) {
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(actual[i], expected[i], tolerance) << kAxisNames[i];
}

TEST(PoseError, IsZeroAtTheDesiredPose) {
  const Pose X{{1, -2, 3}, from_rpy({0.3, -0.4, 2})};
  for (const Behaviour b : kBoth) expect_near(pose_error(X, X, b), {});
}

TEST(PoseError, TurnsAndShiftsIntoTheBodyAsComputedByHand) {
  // the body at (1, 2, 3) looks north: its x is the world's y, its y the world's -x.
  // (2, 4, 3.5) - (1, 2, 3) = (1, 2, 0.5) is (2, -1, 0.5) in the body; pitch differs by 30 degrees
  const Pose X_WB{{1, 2, 3}, {0, 0, kRoot, kRoot}};
  const Pose X_WD{{2, 4, 3.5}, X_WB.q * Quat{0, std::sin(kPi / 12), 0, std::cos(kPi / 12)}};
  for (const Behaviour b : kBoth)
    expect_near(pose_error(X_WB, X_WD, b), {{2, -1, 0.5, 0, kPi / 6, 0}});
}

TEST(PoseError, IsThreeAnglesInReferenceAndOneTurnInSafe) {
  // in the body, roll 90 then yaw 90 degrees about fixed axes: (1 + k)(1 + i) / 2 = (1 + i + j + k)
  // / 2, which is 120 degrees about (1, 1, 1) / sqrt(3). The body itself is at (0, 0, -5), pitched
  // by 90 degrees: its x is the world's -z, its z the world's x. (3, 1, -7) - (0, 0, -5) = (3, 1,
  // -2) is (2, 1, 3) in the body
  const Pose X_WB{{0, 0, -5}, {0, kRoot, 0, kRoot}};
  const Pose X_WD{{3, 1, -7}, X_WB.q * Quat{0.5, 0.5, 0.5, 0.5}};
  expect_near(pose_error(X_WB, X_WD, Behaviour::kReference), {{2, 1, 3, kPi / 2, 0, kPi / 2}});
  const double r = 2 * kPi / 3 / std::sqrt(3.0);
  expect_near(pose_error(X_WB, X_WD, Behaviour::kSafe), {{2, 1, 3, r, r, r}});
}

TEST(PoseError, HasNoSingularityAtNinetyDegreesOfPitchInSafe) {
  const Pose X_WB{{4, 4, 4}, from_rpy({0, 0, 1})};
  const Pose X_WD{{4, 4, 4}, X_WB.q * Quat{0, kRoot, 0, kRoot}};
  expect_near(pose_error(X_WB, X_WD, Behaviour::kSafe), {{0, 0, 0, 0, kPi / 2, 0}});
  // the reference finds the pitch; what it says of roll and yaw there is noise
  EXPECT_NEAR(pose_error(X_WB, X_WD, Behaviour::kReference)[4], kPi / 2, 1e-7);
  const Pose X_89{{4, 4, 4}, X_WB.q * from_rpy({0, radians(89), 0})};
  expect_near(pose_error(X_WB, X_89, Behaviour::kReference), {{0, 0, 0, 0, radians(89), 0}}, 1e-11);
}

TEST(PoseError, JumpsAtAHalfTurnInBothWhereNothingIsRemembered) {
  for (const Behaviour b : kBoth) {
    EXPECT_NEAR(pose_error({}, {{}, {0, 0, 1, 0}}, b)[5], kPi, 1e-12);
    EXPECT_NEAR(pose_error({}, {{}, from_rpy({0, 0, radians(179)})}, b)[5], radians(179), 1e-12);
    EXPECT_NEAR(pose_error({}, {{}, from_rpy({0, 0, radians(181)})}, b)[5], radians(-179), 1e-12);
  }
}

TEST(PoseError, DoesNotDependOnTheSignOrLengthOfQuaternions) {
  const Pose X_WB{{1, 0, 2}, from_rpy({0.2, -0.3, 1.1})},
      X_WD{{0, 4, 1}, from_rpy({-0.5, 0.6, 2.9})};
  const auto scaled = [](Pose X, double k) {
    X.q = {k * X.q.x, k * X.q.y, k * X.q.z, k * X.q.w};
    return X;
  };
  for (const Behaviour b : kBoth) {
    const Vec6 e = pose_error(X_WB, X_WD, b);
    expect_near(pose_error(scaled(X_WB, -1), X_WD, b), e);
    expect_near(pose_error(X_WB, scaled(X_WD, -3), b), e);
    expect_near(pose_error(scaled(X_WB, 0.2), X_WD, b), e);
  }
}

TEST(PoseError, BringsTheBodyToTheDesiredPoseForAnyPair) {
  RandomStream random(3, "pose pairs");
  const auto number = [&] { return random.normal(); };
  for (int k = 0; k < 200; ++k) {
    const Pose X_WB{{number(), number(), number()},
                    normalized({number(), number(), number(), number()})};
    const Pose X_WD{{number(), number(), number()},
                    normalized({number(), number(), number(), number()})};
    const Mat3 R_WD = to_matrix(X_WD.q);
    for (const Behaviour b : kBoth) {
      const Vec6 e = pose_error(X_WB, X_WD, b);
      const Quat q_BD = b == Behaviour::kReference ? from_rpy({e[3], e[4], e[5]})
                                                   : from_rotation_vector({e[3], e[4], e[5]});
      const Pose X = X_WB * Pose{{e[0], e[1], e[2]}, q_BD};
      const Mat3 R = to_matrix(X.q);
      for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(R.m[i], R_WD.m[i], 1e-9);
      EXPECT_NEAR(norm(X.p - X_WD.p), 0, 1e-12);
    }
  }
}

TEST(KeepDirection, GoesOnTurningTheWayItBeganNearAHalfTurn) {
  const Vec3 previous{0, 0, radians(179)};
  const Vec3 kept = keep_direction({0, 0, radians(-179)}, previous);
  EXPECT_NEAR(kept.z, radians(181), 1e-12);
  // beyond the margin the shorter way wins: 169 degrees the other way
  EXPECT_NEAR(keep_direction({0, 0, radians(-168)}, previous).z, radians(-168), 1e-12);
  // with no direction before, or the same one, nothing changes
  EXPECT_NEAR(keep_direction({0, 0, radians(-179)}, {}).z, radians(-179), 1e-12);
  EXPECT_NEAR(keep_direction({0, 0, radians(179)}, previous).z, radians(179), 1e-12);
}

TEST(KeepDirection, NeverChangesTheAttitudeItself) {
  const Vec3 turn = 3.1 * Vec3{0.6, 0, -0.8};
  const Vec3 kept = keep_direction(turn, {-1, 0, 1});
  EXPECT_NEAR(norm(kept), 2 * kPi - 3.1, 1e-12);
  const Mat3 a = to_matrix(from_rotation_vector(turn)), b = to_matrix(from_rotation_vector(kept));
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(a.m[i], b.m[i], 1e-12);
}

}  // namespace
}  // namespace pintle::control
