#include "pintle/base/rotation.h"

#include <gtest/gtest.h>

#include <limits>
#include <type_traits>

#include "pintle/base/random.h"

namespace pintle {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr int kDraws = 5000;
constexpr Quat kIdentity{0, 0, 0, 1};

static_assert(std::is_trivially_copyable_v<Quat> && std::is_standard_layout_v<Quat>);

Quat draw(RandomStream& random) {
  return normalized({random.normal(), random.normal(), random.normal(), random.normal()});
}

void expect_near(Vec3 a, Vec3 b, double tolerance = 1e-15) {
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(a[i], b[i], tolerance) << "component " << i;
}

void expect_near(const Mat3& a, const Mat3& b, double tolerance = 1e-15) {
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(a.m[i], b.m[i], tolerance) << "element " << i;
}

void expect_near(Quat a, Quat b, double tolerance = 1e-15) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
  EXPECT_NEAR(a.w, b.w, tolerance);
}

// q and -q turn alike
void expect_same_turn(Quat a, Quat b, double tolerance = 1e-15) {
  const double side = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  expect_near(a, side < 0 ? Quat{-b.x, -b.y, -b.z, -b.w} : b, tolerance);
}

TEST(Quat, MultipliesAsHamiltonCarvedIt) {
  const Quat i{1, 0, 0, 0}, j{0, 1, 0, 0}, k{0, 0, 1, 0}, minus_one{0, 0, 0, -1};
  EXPECT_EQ(i * j, k);
  EXPECT_EQ(j * k, i);
  EXPECT_EQ(k * i, j);
  EXPECT_EQ(j * i, conjugate(k));
  for (const Quat q : {i, j, k, (i * j) * k}) EXPECT_TRUE(q * q == minus_one || q == minus_one);
  EXPECT_EQ((Quat{1, 2, 3, 4} * Quat{5, 6, 7, 8}), (Quat{24, 48, 48, -6}));
}

TEST(Quat, AProductTurnsByTheRightOneFirst) {
  RandomStream random(1, "product");
  for (int n = 0; n < kDraws; ++n) {
    const Quat a = draw(random), b = draw(random);
    const Vec3 v{random.normal(), random.normal(), random.normal()};
    expect_near(rotate(a * b, v), rotate(a, rotate(b, v)), 1e-14);
    expect_near(to_matrix(a * b), to_matrix(a) * to_matrix(b), 3e-15);
    expect_near(rotate(a, v), to_matrix(a) * v, 1e-14);
    expect_near(rotate(conjugate(a), rotate(a, v)), v, 1e-14);
  }
}

TEST(Quat, OneThatIsNotUnitScalesByTheSquareOfItsLength) {
  // a quarter turn to the left, three times too long
  const Quat q{0, 0, 3 * std::sqrt(0.5), 3 * std::sqrt(0.5)};
  expect_near(rotate(q, {1, 2, 4}), {-18, 9, 36}, 1e-14);
  // a matrix never scales
  expect_near(to_matrix(q) * (Vec3{1, 2, 4}), {-2, 1, 4});
}

TEST(Quat, FiniteMeansEveryComponent) {
  EXPECT_TRUE(is_finite(kIdentity));
  for (double Quat::*component : {&Quat::x, &Quat::y, &Quat::z, &Quat::w})
    for (const double bad : {kNaN, kInf, -kInf}) {
      Quat q;
      q.*component = bad;
      EXPECT_FALSE(is_finite(q));
    }
}

TEST(Normalized, IsRightToRoundingAtEveryLengthNearOne) {
  RandomStream random(1, "length");
  for (const double off : {0.0, 1e-16, 1e-12, 1e-10, 1e-9, 4.9e-9, 4.99999e-9, 5.00001e-9, 5.1e-9,
                           1e-8, 1e-7, 1e-4, 0.1})
    for (const double length : {1 + off, 1 - off})
      for (int n = 0; n < 200; ++n) {
        const Quat u = draw(random);
        const Quat q{length * u.x, length * u.y, length * u.z, length * u.w};
        const long double x = q.x, y = q.y, z = q.z, w = q.w;
        const long double norm = std::sqrt(x * x + y * y + z * z + w * w);
        const Quat expected{static_cast<double>(x / norm), static_cast<double>(y / norm),
                            static_cast<double>(z / norm), static_cast<double>(w / norm)};
        expect_near(normalized(q), expected, 1e-15);
        ASSERT_NEAR(squared_norm(normalized(q)), 1, 1e-15) << length;
      }
}

TEST(Normalized, TakesVeryShortAndVeryLongOnes) {
  for (const double length : {1e-150, 1e-3, 10.0, 1e150})
    expect_near(normalized({0, 0.6 * length, 0, -0.8 * length}), {0, 0.6, 0, -0.8});
}

TEST(Normalized, WhatHasNoDirectionBecomesTheIdentity) {
  EXPECT_EQ(normalized({0, 0, 0, 0}), kIdentity);
  EXPECT_EQ(normalized({0, 0, 0, 1e-170}), kIdentity);
  EXPECT_EQ(normalized({1e200, 0, 0, 0}), kIdentity);
  for (double Quat::*component : {&Quat::x, &Quat::y, &Quat::z, &Quat::w})
    for (const double bad : {kNaN, kInf, -kInf}) {
      Quat q{0.5, 0.5, 0.5, 0.5};
      q.*component = bad;
      EXPECT_EQ(normalized(q), kIdentity);
      EXPECT_EQ(to_matrix(q), Mat3::identity());
      EXPECT_EQ(to_rotation_vector(q), Vec3{});
    }
}

TEST(Matrix, OfAQuarterTurnAboutEachAxisByHand) {
  const double s = std::sqrt(0.5);
  expect_near(to_matrix({s, 0, 0, s}), {{1, 0, 0, 0, 0, -1, 0, 1, 0}});
  expect_near(to_matrix({0, s, 0, s}), {{0, 0, 1, 0, 1, 0, -1, 0, 0}});
  expect_near(to_matrix({0, 0, s, s}), {{0, -1, 0, 1, 0, 0, 0, 0, 1}});
}

TEST(Matrix, AndQuaternionAreTheSameTurnForEveryDraw) {
  RandomStream random(1, "matrix");
  for (int n = 0; n < kDraws; ++n) {
    const Quat q = draw(random);
    const Mat3 R = to_matrix(q);
    expect_same_turn(to_quaternion(R), q);
    expect_near(R * transpose(R), Mat3::identity(), 2e-15);
    EXPECT_NEAR(dot(cross({R(0, 0), R(1, 0), R(2, 0)}, {R(0, 1), R(1, 1), R(2, 1)}),
                    {R(0, 2), R(1, 2), R(2, 2)}),
                1, 2e-15);
  }
}

TEST(Matrix, OfAHalfTurnGivesBackItsAxis) {
  // the trace is -1: each of the other branches has to serve
  expect_same_turn(to_quaternion({{1, 0, 0, 0, -1, 0, 0, 0, -1}}), {1, 0, 0, 0});
  expect_same_turn(to_quaternion({{-1, 0, 0, 0, 1, 0, 0, 0, -1}}), {0, 1, 0, 0});
  expect_same_turn(to_quaternion({{-1, 0, 0, 0, -1, 0, 0, 0, 1}}), {0, 0, 1, 0});
  RandomStream random(1, "half turn");
  for (int n = 0; n < kDraws; ++n) {
    Quat q = draw(random);
    q.w *= 1e-9;
    q = normalized(q);
    expect_same_turn(to_quaternion(to_matrix(q)), q);
  }
}

TEST(Matrix, OfNaNIsTheIdentityAsAQuaternion) {
  Mat3 R;
  R.m.fill(kNaN);
  EXPECT_EQ(to_quaternion(R), kIdentity);
}

// cosines and sines of 3-4-5 triangles
const RollPitchYaw kTurn{std::atan2(0.6, 0.8), std::atan2(0.6, 0.8), std::atan2(0.8, 0.6)};
constexpr Mat3 kTurnMatrix{{0.48, -0.424, 0.768, 0.64, 0.768, 0.024, -0.6, 0.48, 0.64}};

TEST(RollPitchYaw, TurnAboutFixedXThenFixedYThenFixedZ) {
  expect_near(matrix_from_rpy(kTurn), kTurnMatrix);
  const Mat3 Rx{{1, 0, 0, 0, 0.8, -0.6, 0, 0.6, 0.8}};
  const Mat3 Ry{{0.8, 0, 0.6, 0, 1, 0, -0.6, 0, 0.8}};
  const Mat3 Rz{{0.6, -0.8, 0, 0.8, 0.6, 0, 0, 0, 1}};
  expect_near(Rz * Ry * Rx, kTurnMatrix);
  const RollPitchYaw back = to_rpy(kTurnMatrix);
  EXPECT_NEAR(back.roll, kTurn.roll, 1e-15);
  EXPECT_NEAR(back.pitch, kTurn.pitch, 1e-15);
  EXPECT_NEAR(back.yaw, kTurn.yaw, 1e-15);
}

TEST(RollPitchYaw, RollAndThenYawOfAQuarterTurnLeadXToYToZToX) {
  const Quat q = from_rpy({kPi / 2, 0, kPi / 2});
  expect_near(q, {0.5, 0.5, 0.5, 0.5});
  expect_near(rotate(q, {1, 0, 0}), {0, 1, 0});
  expect_near(rotate(q, {0, 1, 0}), {0, 0, 1});
  expect_near(rotate(q, {0, 0, 1}), {1, 0, 0});
}

TEST(RollPitchYaw, PositiveMeansRightSideDownNoseDownAndLeft) {
  // axes ahead, left, up
  EXPECT_GT(rotate(from_rpy({0.1, 0, 0}), {0, 1, 0}).z, 0);
  EXPECT_LT(rotate(from_rpy({0, 0.1, 0}), {1, 0, 0}).z, 0);
  EXPECT_GT(rotate(from_rpy({0, 0, 0.1}), {1, 0, 0}).y, 0);
}

TEST(RollPitchYaw, MatrixAndQuaternionAgreeAndLeadBack) {
  RandomStream random(1, "rpy");
  for (int n = 0; n < kDraws; ++n) {
    const RollPitchYaw a{random.uniform(-kPi, kPi), random.uniform(-1.5, 1.5),
                         random.uniform(-kPi, kPi)};
    const Mat3 R = matrix_from_rpy(a);
    expect_near(to_matrix(from_rpy(a)), R, 2e-15);
    const RollPitchYaw b = to_rpy(R);
    // 1.5 rad is 0.07 short of straight up: rounding grows by 1 / 0.07
    ASSERT_NEAR(b.roll, a.roll, 1e-14);
    ASSERT_NEAR(b.pitch, a.pitch, 1e-14);
    ASSERT_NEAR(b.yaw, a.yaw, 1e-14);
  }
}

TEST(RollPitchYaw, OfEveryDrawnAttitudeLieInTheirRangesAndMeanIt) {
  RandomStream random(1, "attitude");
  for (int n = 0; n < kDraws; ++n) {
    const Mat3 R = to_matrix(draw(random));
    const RollPitchYaw a = to_rpy(R);
    ASSERT_LE(std::abs(a.pitch), kPi / 2);
    ASSERT_LE(std::abs(a.roll), kPi);
    ASSERT_LE(std::abs(a.yaw), kPi);
    expect_near(matrix_from_rpy(a), R, 1e-13);
  }
}

TEST(RollPitchYaw, StraightUpOrDownRollTakesTheWholeTurn) {
  for (const double turn : {-3.0, -kPi / 2, -0.2, 0.0, 0.7, kPi / 2, 3.1})
    for (const double beyond : {0.0, 2.3e-16}) {
      const double s = std::sin(turn), c = std::cos(turn), one = 1 + beyond;
      // nose down by 90 degrees: only roll minus yaw can be told
      const RollPitchYaw down = to_rpy({{0, s, c, 0, c, -s, -one, 0, 0}});
      EXPECT_EQ(down.pitch, kPi / 2);
      EXPECT_EQ(down.yaw, 0);
      EXPECT_NEAR(down.roll, turn, 1e-15);
      // nose up: only roll plus yaw
      const RollPitchYaw up = to_rpy({{0, -s, -c, 0, c, -s, one, 0, 0}});
      EXPECT_EQ(up.pitch, -kPi / 2);
      EXPECT_EQ(up.yaw, 0);
      EXPECT_NEAR(up.roll, turn, 1e-15);
    }
}

TEST(RollPitchYaw, MeanTheSameAttitudeAtAndNextToStraightUp) {
  RandomStream random(1, "lock");
  for (const double away : {0.0, 1e-17, 1e-12, 1e-9, 1e-8, 2e-8, 1e-7, 1e-5, 1e-3})
    for (const double side : {-1.0, 1.0})
      for (int n = 0; n < 200; ++n) {
        const RollPitchYaw a{random.uniform(-kPi, kPi), side * (kPi / 2 - away),
                             random.uniform(-kPi, kPi)};
        const Mat3 R = matrix_from_rpy(a);
        expect_near(matrix_from_rpy(to_rpy(R)), R, 1e-7);
        const Mat3 Q = to_matrix(from_rpy(a));
        expect_near(matrix_from_rpy(to_rpy(Q)), Q, 1e-7);
      }
}

TEST(RollPitchYaw, OfNaNAreNaN) {
  Mat3 R;
  R.m.fill(kNaN);
  const RollPitchYaw a = to_rpy(R);
  EXPECT_TRUE(std::isnan(a.roll) && std::isnan(a.pitch) && std::isnan(a.yaw));
}

TEST(RotationVector, IsAxisTimesAngleByHand) {
  expect_near(to_rotation_vector(from_rpy({0, 0, kPi / 2})), {0, 0, kPi / 2});
  // 120 degrees about the diagonal
  const double third = 2 * kPi / 3 / std::sqrt(3.0);
  expect_near(to_rotation_vector({0.5, 0.5, 0.5, 0.5}), {third, third, third});
  expect_near(from_rotation_vector({third, third, third}), {0.5, 0.5, 0.5, 0.5});
  expect_near(to_rotation_vector({0, 1, 0, 0}), {0, kPi, 0});
}

TEST(RotationVector, IsTheShortestTurn) {
  // 270 degrees to the left are 90 to the right
  expect_near(to_rotation_vector(from_rotation_vector({0, 0, 1.5 * kPi})), {0, 0, -kPi / 2});
  RandomStream random(1, "shortest");
  for (int n = 0; n < kDraws; ++n) {
    const Quat q = draw(random);
    ASSERT_LE(norm(to_rotation_vector(q)), kPi * (1 + 1e-15));
    ASSERT_EQ(to_rotation_vector(q), to_rotation_vector({-q.x, -q.y, -q.z, -q.w}));
    ASSERT_EQ(to_rotation_vector(conjugate(q)), -to_rotation_vector(q));
    expect_same_turn(from_rotation_vector(to_rotation_vector(q)), q);
  }
}

TEST(RotationVector, KeepsItsDigitsHoweverSmall) {
  for (const double angle : {1e-300, 1e-150, 1e-20, 1e-13, 1.9e-12, 2.1e-12, 0.9e-9, 1.1e-9, 1e-8,
                             1e-4, 0.1, 3.0, 3.14}) {
    const Vec3 r =
        to_rotation_vector(from_rotation_vector({0.48 * angle, 0.6 * angle, -0.64 * angle}));
    expect_near(r, {0.48 * angle, 0.6 * angle, -0.64 * angle}, 1e-15 * angle);
  }
  EXPECT_EQ(from_rotation_vector({}), kIdentity);
  EXPECT_EQ(to_rotation_vector(kIdentity), Vec3{});
}

TEST(RotationVector, ThatIsNotFiniteTurnsNothing) {
  for (const double bad : {kNaN, kInf, -kInf})
    for (std::size_t i = 0; i < 3; ++i) {
      Vec3 r{0.1, 0.2, 0.3};
      r[i] = bad;
      EXPECT_EQ(from_rotation_vector(r), kIdentity);
    }
}

TEST(WrapAngle, KeepsWhatIsInsideAndTakesTheUpperEdge) {
  for (const double a : {0.0, 1.0, -1.0, 3.14, -3.14}) EXPECT_EQ(wrap_angle(a), a);
  EXPECT_EQ(wrap_angle(kPi), kPi);
  EXPECT_EQ(wrap_angle(-kPi), kPi);
  EXPECT_EQ(wrap_angle(std::nextafter(-kPi, 0)), std::nextafter(-kPi, 0));
  EXPECT_EQ(wrap_angle(std::nextafter(kPi, 4)), -std::nextafter(kPi, 0));
  EXPECT_EQ(wrap_angle(std::nextafter(-kPi, -4)), std::nextafter(kPi, 0));
  EXPECT_EQ(wrap_angle(2 * kPi), 0);
  EXPECT_NEAR(wrap_angle(7), 7 - 2 * kPi, 1e-15);
  EXPECT_NEAR(wrap_angle(-4), 2 * kPi - 4, 1e-15);
}

TEST(WrapAngle, TakesWholeTurnsAwayAndNothingElse) {
  RandomStream random(1, "wrap");
  for (int n = 0; n < kDraws; ++n) {
    const double a = random.uniform(-1000, 1000);
    const double w = wrap_angle(a);
    ASSERT_TRUE(w > -kPi && w <= kPi);
    ASSERT_EQ(wrap_angle(w), w);
    // the double 2 pi is short of the number by 2.4e-16 each turn
    ASSERT_NEAR(std::sin(w), std::sin(a), 1e-13);
    ASSERT_NEAR(std::cos(w), std::cos(a), 1e-13);
  }
}

TEST(WrapAngle, OfWhatIsNotFiniteIsNaN) {
  for (const double bad : {kNaN, kInf, -kInf}) EXPECT_TRUE(std::isnan(wrap_angle(bad)));
}

TEST(Degrees, AreAHundredAndEightyToPi) {
  EXPECT_EQ(radians(180), kPi);
  EXPECT_EQ(degrees(kPi), 180);
  EXPECT_NEAR(radians(-30), -0.5235987755982988, 1e-16);
  EXPECT_NEAR(degrees(radians(57)), 57, 1e-13);
}

}  // namespace
}  // namespace pintle
