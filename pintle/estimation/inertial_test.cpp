#include "pintle/estimation/inertial.h"

#include <gtest/gtest.h>

#include <limits>

#include "pintle/base/random.h"
#include "pintle/base/rotation.h"

namespace pintle::estimation {
namespace {

constexpr double kG = 9.80665;
constexpr double kStep_s = 0.005;

/// A craft on a leant helix, by closed forms: position, velocity, attitude, and what a sensor
/// feels.
struct Helix {
  double r = 2, w = 0.8, climb = 0.5;
  Quat lean = from_rpy({0.2, -0.1, 0.3});

  [[nodiscard]] Pose pose(double t) const {
    return {{r * std::cos(w * t), r * std::sin(w * t), 3 + climb * t},
            from_rpy({0, 0, w * t}) * lean};
  }
  [[nodiscard]] Vec3 velocity(double t) const {
    return {-r * w * std::sin(w * t), r * w * std::cos(w * t), climb};
  }
  [[nodiscard]] Measurement odometry(double t) const {
    const Quat q = pose(t).q;
    return {Time::from_seconds(t),
            pose(t),
            {rotate(conjugate(q), velocity(t)), rotate(conjugate(lean), {0, 0, w})}};
  }
  /// Means over the step that ends at t.
  [[nodiscard]] ImuSample imu(double t, Vec3 rate_bias, Vec3 acceleration_bias) const {
    const Vec3 gained = velocity(t) - velocity(t - kStep_s);
    const Quat middle = pose(t - kStep_s / 2).q;
    return {Time::from_seconds(t), rotate(conjugate(lean), {0, 0, w}) + rate_bias,
            rotate(conjugate(middle), gained / kStep_s + Vec3{0, 0, kG}) + acceleration_bias};
  }
};

struct Flight {
  InertialState s;
  Helix path;
  Vec3 rate_bias, acceleration_bias;
  double t = 0;

  /// Odometry with every fourth sample, or none.
  void run(double seconds, bool with_odometry) {
    const int n = static_cast<int>(std::lround(seconds / kStep_s));
    for (int i = 0; i < n; ++i) {
      t += kStep_s;
      EXPECT_EQ(feel(s, path.imu(t, rate_bias, acceleration_bias), kG, Time::from_seconds(t)),
                MeasurementVerdict::kAccepted);
      if (with_odometry && i % 4 == 3) aid(s, path.odometry(t));
    }
  }
  [[nodiscard]] Time now() const { return Time::from_seconds(t); }
};

TEST(Inertial, FollowsAClosedFormForFiveSecondsWithoutOdometry) {
  Flight f;
  f.run(3, true);
  EXPECT_TRUE(is_fit(f.s, f.now()));
  f.run(5, false);
  const Measurement truth = f.path.odometry(f.t);
  EXPECT_LT(norm(f.s.X_WB.p - truth.X_WB.p), 1e-3);
  EXPECT_LT(norm(f.s.v_W - f.path.velocity(f.t)), 1e-3);
  EXPECT_LT(norm(to_rotation_vector(conjugate(truth.X_WB.q) * f.s.X_WB.q)), 1e-6);
  EXPECT_LT(norm(twist_of(f.s).v - truth.V_WB_B.v), 1e-3);
  EXPECT_LT(norm(twist_of(f.s).w - truth.V_WB_B.w), 1e-9);
}

TEST(Inertial, LearnsTheConstantErrorsAndKeepsThemWithoutOdometry) {
  Flight f;
  f.rate_bias = {0.01, -0.02, 0.015};
  f.acceleration_bias = {0.1, -0.2, 0.3};
  f.run(20, true);
  EXPECT_LT(norm(f.s.rate_bias - f.rate_bias), 1e-3);
  EXPECT_LT(norm(f.s.acceleration_bias - f.acceleration_bias), 0.01);
  f.run(5, false);
  // unlearnt it would be 1.9 m/s
  EXPECT_LT(norm(f.s.v_W - f.path.velocity(f.t)), 0.1);
}

TEST(Inertial, OdometryThatComesLateIsCarriedOnToNow) {
  Flight f;
  for (int i = 0; i < 800; ++i) {
    f.t += kStep_s;
    (void)feel(f.s, f.path.imu(f.t, {}, {}), kG, f.now());
    if (i % 4 == 3 && f.t > 0.1) aid(f.s, f.path.odometry(f.t - 0.05));
  }
  EXPECT_LT(norm(f.s.v_W - f.path.velocity(f.t)), 0.02);
  EXPECT_LT(norm(f.s.X_WB.p - f.path.pose(f.t).p), 0.02);
}

TEST(Inertial, IsNotFitBeforeItWasTaughtNorWhenItIsSilentNorWhenItDisagrees) {
  Flight f;
  f.run(0.5, true);
  EXPECT_FALSE(is_fit(f.s, f.now())) << "half a second teaches nothing";
  f.run(2, true);
  EXPECT_TRUE(is_fit(f.s, f.now()));
  EXPECT_TRUE(is_fit(f.s, f.now() + Duration::from_seconds(0.09)));
  EXPECT_FALSE(is_fit(f.s, f.now() + Duration::from_seconds(0.11)));
  f.run(1, true);
  // mounted upside down
  for (int i = 0; i < 400; ++i) {
    f.t += kStep_s;
    ImuSample wrong = f.path.imu(f.t, {}, {});
    wrong.f_B.z = -wrong.f_B.z;
    (void)feel(f.s, wrong, kG, f.now());
    if (i % 4 == 3) aid(f.s, f.path.odometry(f.t));
  }
  EXPECT_FALSE(is_fit(f.s, f.now()));
}

TEST(Inertial, AGapOfTheSensorEndsWhatItKnew) {
  Flight f;
  f.run(3, true);
  f.t += 0.2;
  (void)feel(f.s, f.path.imu(f.t, {}, {}), kG, f.now());
  EXPECT_FALSE(is_fit(f.s, f.now()));
  f.run(2, true);
  EXPECT_TRUE(is_fit(f.s, f.now()));
}

TEST(Inertial, RefusesWhatNoSensorSays) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  Flight f;
  f.run(2, true);
  const InertialState before = f.s;
  const Time now = f.now() + Duration::from_seconds(kStep_s);
  const ImuSample good = f.path.imu(now.seconds(), {}, {});
  const auto verdict = [&](auto change) {
    ImuSample in = good;
    change(in);
    InertialState s = before;
    const MeasurementVerdict v = feel(s, in, kG, now);
    if (v != MeasurementVerdict::kAccepted) {
      EXPECT_EQ(s.X_WB, before.X_WB);
    }
    return v;
  };
  using V = MeasurementVerdict;
  EXPECT_EQ(verdict([](ImuSample&) {}), V::kAccepted);
  for (const double bad : {kNan, HUGE_VAL, -HUGE_VAL, 2000.0}) {
    EXPECT_EQ(verdict([bad](ImuSample& in) { in.w_B.y = bad; }), V::kNotFinite);
    EXPECT_EQ(verdict([bad](ImuSample& in) { in.f_B.z = bad; }), V::kNotFinite);
  }
  EXPECT_EQ(verdict([&](ImuSample& in) { in.stamp = before.last.stamp; }), V::kNone);
  EXPECT_EQ(verdict([](ImuSample& in) { in.stamp = Time{}; }), V::kTimeReversed);
  EXPECT_EQ(verdict([&](ImuSample& in) { in.stamp = now + Duration::from_seconds(1); }),
            V::kFromFuture);
}

TEST(Inertial, StaysFiniteWhateverOdometryAndSensorSay) {
  RandomStream random(3, "inertial");
  InertialState s;
  const auto size = [&random] { return std::pow(10, random.uniform(-3, 50)); };
  const auto wild = [&] {
    return Vec3{random.normal() * size(), random.normal() * size(), random.normal() * size()};
  };
  Time now{};
  for (int i = 0; i < 20000; ++i) {
    now = now + Duration::from_seconds(random.uniform(0, 0.05));
    ImuSample in{now, 30 * Vec3{random.normal(), random.normal(), random.normal()},
                 300 * Vec3{random.normal(), random.normal(), random.normal()}};
    (void)feel(s, in, kG, now);
    Measurement m{
        now - Duration::from_seconds(random.uniform(0, 1)), {wild(), {}}, {wild(), wild()}};
    if (i % 5 == 0) aid(s, m);
    ASSERT_TRUE(is_finite(s.X_WB) && is_finite(s.v_W) && is_finite(twist_of(s)) &&
                is_finite(s.rate_bias) && is_finite(s.acceleration_bias))
        << i;
  }
}

}  // namespace
}  // namespace pintle::estimation
