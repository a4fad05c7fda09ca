#include "pintle/propulsion/gimbal.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pintle/base/random.h"
#include "pintle/base/rotation.h"

namespace pintle::propulsion {
namespace {

constexpr double kDt = 1.0 / 240;

GimbalParams rocket() { return {{1, 0, 0}, {0, 1, 0}, 0.01, {5, 5}, Behaviour::kReference}; }

Mat3 rodrigues(Vec3 axis, double angle) {
  const Mat3 K = skew(axis);
  const Mat3 K2 = K * K;
  const double s = std::sin(angle), v = 2 * std::pow(std::sin(angle / 2), 2);
  Mat3 R = Mat3::identity();
  for (std::size_t i = 0; i < 9; ++i) R.m[i] += s * K.m[i] + v * K2.m[i];
  return R;
}

double apart(const Mat3& a, const Mat3& b) {
  double most = 0;
  for (std::size_t i = 0; i < 9; ++i) most = std::fmax(most, std::fabs(a.m[i] - b.m[i]));
  return most;
}

TEST(Gimbal, ReferenceFollowsThePublishedUpdateOverALongRun) {
  GimbalParams p = rocket();
  p.unit_1 = {1, 1, 0};
  p.unit_2 = {0, 0, 2};
  p.range_deg = {40, 170};
  const Vec3 a{std::sqrt(0.5), std::sqrt(0.5), 0}, b{0, 0, 1};
  GimbalState state;
  double q1 = 0, q2 = 0;
  RandomStream random(1, "gimbal");
  for (int i = 0; i < 20000; ++i) {
    const double c1 = random.uniform(-1, 1), c2 = random.uniform(-1, 1);
    const Mat3 R = step(p, state, {c1, c2}, kDt);
    q1 += kDt / 0.01 * (c1 - q1);
    q2 += kDt / 0.01 * (c2 - q2);
    ASSERT_NEAR(state.q_1, q1, 1e-12);
    const Mat3 expected = rodrigues(a, q1 * radians(40)) * rodrigues(b, q2 * radians(170));
    ASSERT_LT(apart(R, expected), 1e-12) << i;
  }
}

TEST(Gimbal, TurnsThrustByItsAnglesAxisTwoFirst) {
  GimbalParams p = rocket();
  p.range_deg = {90, 90};
  p.tau_s = 0;
  GimbalState state;
  // about y by 90 deg z becomes x; about x then x stays
  const Vec3 pushed = step(p, state, {1, 1}, kDt) * Vec3{0, 0, 1};
  EXPECT_NEAR(pushed.x, 1, 1e-15);
  EXPECT_NEAR(pushed.y, 0, 1e-15);
  EXPECT_NEAR(pushed.z, 0, 1e-15);
}

TEST(Gimbal, RotationsAreRotations) {
  GimbalParams p = rocket();
  p.unit_2 = {0.6, 0.8, 0};
  p.range_deg = {180, 180};
  RandomStream random(2, "gimbal");
  for (int i = 0; i < 1000; ++i) {
    const Mat3 R = rotation_of(p, {random.uniform(-1, 1), random.uniform(-1, 1)});
    ASSERT_LT(apart(R * transpose(R), Mat3::identity()), 4e-15);
    const Vec3 x{R(0, 0), R(1, 0), R(2, 0)}, y{R(0, 1), R(1, 1), R(2, 1)},
        z{R(0, 2), R(1, 2), R(2, 2)};
    ASSERT_NEAR(dot(cross(x, y), z), 1, 4e-15);
  }
}

TEST(Gimbal, PhysicalLagIsThatOfTheDifferentialEquation) {
  GimbalParams p = rocket();
  p.behaviour = Behaviour::kPhysical;
  for (const int steps : {1, 7, 100}) {
    GimbalState s;
    for (int i = 0; i < steps; ++i) (void)step(p, s, {1, -0.5}, 0.02 / steps);
    EXPECT_NEAR(s.q_1, 1 - std::exp(-2.0), 1e-13) << steps;
    EXPECT_NEAR(s.q_2, -0.5 * (1 - std::exp(-2.0)), 1e-13) << steps;
  }
}

TEST(Gimbal, AimsWhereItIsTold) {
  RandomStream random(3, "aim");
  for (int i = 0; i < 2000; ++i) {
    GimbalParams p = rocket();
    p.unit_2 = {random.uniform(-0.7, 0.7), 1, random.uniform(-0.3, 0.3)};
    p.range_deg = {60, 60};
    const Vec3 from{random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2), 1};
    const GimbalState there{random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5)};
    const Vec3 to = rotation_of(p, there) * from;
    const GimbalInput u = invert(p, from, to);
    const Vec3 reached = rotation_of(p, {u.command_1, u.command_2}) * from;
    ASSERT_LT(norm(reached - to), 1e-12) << i;
    ASSERT_LE(std::hypot(u.command_1, u.command_2), std::hypot(there.q_1, there.q_2) + 1e-9);
  }
}

TEST(Gimbal, AimsAsFarAsItCanBeyondItsRange) {
  const GimbalInput u = invert(rocket(), {0, 0, 1}, {0, -1, 1});
  EXPECT_EQ(u.command_1, 1);
  EXPECT_NEAR(u.command_2, 0, 1e-12);
  const GimbalInput none = invert(rocket(), {0, 0, 0}, {0, std::nan(""), 1});
  EXPECT_EQ(none.command_1, 0);
  EXPECT_EQ(none.command_2, 0);
}

}  // namespace
}  // namespace pintle::propulsion
