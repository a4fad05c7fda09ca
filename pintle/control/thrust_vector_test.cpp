#include "pintle/control/thrust_vector.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pintle/base/random.h"
#include "pintle/base/rotation.h"
#include "pintle/testing/heap_counter.h"

namespace pintle::control {
namespace {

constexpr double kG = 9.80665;

CraftNow box() {
  CraftNow craft;
  craft.mass_kg = 12;
  craft.inertia_kgm2 = Mat3::diagonal({0.4, 0.5, 0.7});
  craft.max_thrust_N = 240;
  return craft;
}

Setpoint at(Vec3 p, double yaw = 0) {
  Setpoint s;
  s.X_WD = {p, from_rpy({0, 0, yaw})};
  return s;
}

struct Law {
  ThrustVectorParams params;
  ThrustVectorState state;
  CraftNow craft = box();
  WrenchDemand demand;
  ThrustVectorTrace trace;

  bool take(const Setpoint& setpoint) {
    return accept(params, state, setpoint) == SetpointRefusal::kNone;
  }
  bool step(const Pose& X, const Twist& V = {}, double dt_s = 0.01) {
    return control::step(params, state, craft, X, V, dt_s, demand, trace);
  }
};

TEST(ThrustVector, AtTheGoalItAsksForTheWeightAndNoTorque) {
  Law law;
  ASSERT_TRUE(law.take(at({1, 2, 3}, 0.7)));
  ASSERT_TRUE(law.step({{1, 2, 3}, from_rpy({0, 0, 0.7})}));
  EXPECT_NEAR(law.demand.F_Bo_B.force.z, 12 * kG, 1e-12);
  EXPECT_NEAR(norm(law.demand.F_Bo_B.torque), 0, 1e-12);
  EXPECT_FALSE(law.trace.tilt_limited);
  EXPECT_FALSE(law.trace.thrust_limited);
}

TEST(ThrustVector, TheCentreOfMassBesideTheOriginIsHeldUpWithATorque) {
  Law law;
  law.craft.p_BoBcm_B = {0.1, -0.02, 0.3};
  ASSERT_TRUE(law.step({{}, {0, 0, 0, 1}}));
  const double weight = 12 * kG;
  // the weight's moment about the origin, -(c x (0, 0, -W)), by hand
  EXPECT_NEAR(law.demand.F_Bo_B.torque.x, -0.02 * weight, 1e-12);
  EXPECT_NEAR(law.demand.F_Bo_B.torque.y, -0.1 * weight, 1e-12);
  EXPECT_NEAR(law.demand.F_Bo_B.torque.z, 0, 1e-12);
}

TEST(ThrustVector, SidewaysAndUnreachableAxesAreNotDemanded) {
  Law law;
  law.craft.reachable = static_cast<AxisMask>(kAllAxes & ~axis_bit(5));
  ASSERT_TRUE(law.step({{}, {0, 0, 0, 1}}));
  const std::array<double, kAxes> expected{0, 0, 1, 1, 1, 0};
  EXPECT_EQ(law.demand.weight, expected);
}

TEST(ThrustVector, AGoalToTheEastTiltsTheNosePastItByHandNumbers) {
  Law law;
  law.params.position_gain = {1, 1, 1};
  law.params.velocity_gain = {2, 2, 2};
  ASSERT_TRUE(law.take(at({1, 0, 0})));
  ASSERT_TRUE(law.step({{}, {0, 0, 0, 1}}));
  // v* = 1 m/s, a* = 2 m/s^2 east: thrust leans by atan(2 / g) about +y
  const double lean = std::atan2(2, kG);
  EXPECT_NEAR(law.trace.turn_B.y, lean, 1e-12);
  EXPECT_NEAR(law.trace.turn_B.x, 0, 1e-12);
  EXPECT_NEAR(law.demand.F_Bo_B.torque.y, 0.5 * 20 * (6 * lean), 1e-9);
  EXPECT_NEAR(law.demand.F_Bo_B.force.z, 12 * kG, 1e-9) << "upright, only the upward part counts";
}

TEST(ThrustVector, TurnedAndMovedTogetherNothingChangesInTheBody) {
  // the law knows no direction but up: turn world, setpoint and craft about z and move them
  RandomStream random(7, "frames");
  for (int i = 0; i < 200; ++i) {
    const auto u = [&] { return random.uniform(-1, 1); };
    const Quat q = from_rpy({0.5 * u(), 0.5 * u(), 3 * u()});
    const Vec3 p{u(), u(), u()};
    const Twist V{{u(), u(), u()}, {u(), u(), u()}};
    const double yaw = 3 * u();
    Law a, b;
    ASSERT_TRUE(a.take(at({3 * u(), 3 * u(), 3 * u()}, yaw)));
    const Quat turn = from_rpy({0, 0, 3 * u()});
    const Vec3 shift{10 * u(), 10 * u(), 10 * u()};
    Setpoint moved = a.state.setpoint;
    moved.X_WD = {rotate(turn, moved.X_WD.p) + shift, normalized(turn * moved.X_WD.q)};
    ASSERT_TRUE(b.take(moved));
    ASSERT_TRUE(a.step({p, q}, V));
    ASSERT_TRUE(b.step({rotate(turn, p) + shift, turn * q}, V));
    const Vec6 difference = to_vec6(a.demand.F_Bo_B - b.demand.F_Bo_B);
    EXPECT_LT(norm(difference), 1e-9 * (1 + norm(to_vec6(a.demand.F_Bo_B))));
  }
}

TEST(ThrustVector, TheAttitudeItWantsPushesAlongTheForce) {
  RandomStream random(3, "attitudes");
  for (int i = 0; i < 500; ++i) {
    const Vec3 f{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(0.1, 1)};
    const double yaw = random.uniform(-3, 3);
    const Quat q = attitude_of(f, yaw);
    EXPECT_NEAR(norm(rotate(q, {0, 0, 1}) - f / norm(f)), 0, 1e-12);
    const Vec3 x = rotate(q, {1, 0, 0});
    EXPECT_NEAR(std::sin(yaw) * x.x - std::cos(yaw) * x.y, 0, 1e-12) << "nose in its heading";
    EXPECT_GT(std::cos(yaw) * x.x + std::sin(yaw) * x.y, 0);
  }
}

TEST(ThrustVector, TiltAndHeadingTogetherAreTheTurn) {
  RandomStream random(4, "turns");
  for (int i = 0; i < 500; ++i) {
    const Quat a = from_rotation_vector({random.normal(), random.normal(), random.normal()});
    const Quat b = from_rotation_vector({random.normal(), random.normal(), random.normal()});
    const Vec3 e = tilt_and_heading(a, b);
    const Quat made = a * from_rotation_vector({e.x, e.y, 0}) * from_rotation_vector({0, 0, e.z});
    EXPECT_NEAR(norm(to_rotation_vector(normalized(conjugate(made) * b))), 0, 1e-7);
  }
  const Vec3 over = tilt_and_heading({0, 0, 0, 1}, from_rpy({kPi, 0, 0}));
  EXPECT_NEAR(over.x, kPi, 1e-9);
  EXPECT_NEAR(over.y, 0, 1e-9);
}

TEST(ThrustVector, ALargeHeadingErrorDoesNotTipTheCraft) {
  Law law;
  ASSERT_TRUE(law.take(at({}, 3)));
  ASSERT_TRUE(law.step({{}, {0, 0, 0, 1}}));
  EXPECT_NEAR(law.demand.F_Bo_B.torque.x, 0, 1e-12);
  EXPECT_NEAR(law.demand.F_Bo_B.torque.y, 0, 1e-12);
  EXPECT_NEAR(law.demand.F_Bo_B.torque.z, 0.7 * 8 * 1, 1e-9) << "at the rate limit of 1 rad/s";
}

TEST(ThrustVector, HeightComesBeforeSidewaysWhenThrustIsShort) {
  Law law;
  law.params.max_acceleration_m_s2 = 50;
  law.params.max_tilt_rad = 1.4;
  law.craft.max_thrust_N = 150;
  law.params.max_speed_m_s = 100;
  ASSERT_TRUE(law.take(at({30, 40, 0})));
  ASSERT_TRUE(law.step({{}, {0, 0, 0, 1}}));
  EXPECT_TRUE(law.trace.thrust_limited);
  EXPECT_NEAR(law.trace.force_W.z, 12 * kG, 1e-9);
  EXPECT_NEAR(norm(law.trace.force_W), 150, 1e-9);
  EXPECT_NEAR(law.trace.force_W.y / law.trace.force_W.x, 4.0 / 3.0, 1e-12);
}

TEST(ThrustVector, TheTiltNeverPassesItsLimit) {
  Law law;
  law.params.max_acceleration_m_s2 = 50;
  ASSERT_TRUE(law.take(at({-100, 20, -100})));
  ASSERT_TRUE(law.step({{}, {0, 0, 0, 1}}));
  EXPECT_TRUE(law.trace.tilt_limited);
  const Vec3 z = rotate(law.trace.q_WD, {0, 0, 1});
  EXPECT_NEAR(std::acos(z.z), law.params.max_tilt_rad, 1e-9);
}

TEST(ThrustVector, ACraftOnItsSideDoesNotPush) {
  Law law;
  law.craft.min_thrust_N = 5;
  ASSERT_TRUE(law.step({{}, from_rpy({2.5, 0, 0})}));
  EXPECT_EQ(law.demand.F_Bo_B.force.z, 5);
}

TEST(ThrustVector, AnEngineThatCannotThrottleDownGivesItsLeast) {
  Law law;
  law.craft.min_thrust_N = 200;
  ASSERT_TRUE(law.step({{}, {0, 0, 0, 1}}));
  EXPECT_EQ(law.demand.F_Bo_B.force.z, 200);
  law.craft.min_thrust_N = law.craft.max_thrust_N = 0;  // not lit
  ASSERT_TRUE(law.step({{}, {0, 0, 0, 1}}));
  EXPECT_EQ(law.demand.F_Bo_B.force.z, 0);
}

TEST(ThrustVector, ATurnAsksForNoMoreThanItsShareOfTheTorqueThereIs) {
  Law law;
  law.params.torque_share = 0.5;
  law.params.full_torque_rad_s = 0.25;
  const auto torque_at = [&](double roll, double max_torque_Nm) {
    law.craft.max_torque_Nm = {max_torque_Nm, 0, 0};
    EXPECT_TRUE(point(law.params, {}, law.craft, {{}, from_rpy({roll, 0, 0})}, {}, {{0, 0, 1}, 100},
                      law.demand, law.trace));
    return law.demand.F_Bo_B.torque.x;
  };
  // 2 N m, of which half: a = 2.5 rad/s^2; k_w' = 10, k_R' = 2.5, so 0.04 rad wants 0.1 rad/s
  EXPECT_NEAR(torque_at(-0.04, 2), 0.4 * 10 * 0.1, 1e-9);
  EXPECT_NEAR(torque_at(-1, 2), 0.5 * 2, 1e-9);
  EXPECT_NEAR(torque_at(1, 2), -0.5 * 2, 1e-9);
  EXPECT_NEAR(law.trace.wanted_rate_B.x, -std::sqrt(2.5), 1e-9) << "it can be stopped in time";
  // what is not told limits nothing, and neither does what is plenty
  EXPECT_NEAR(torque_at(-0.04, 0), 0.4 * 20 * 6 * 0.04, 1e-9);
  EXPECT_NEAR(torque_at(-0.04, 1e4), 0.4 * 20 * 5 * 0.04, 1e-9) << "k_R' is a quarter of k_w";
}

TEST(ThrustVector, TorqueOfBeforeItWasArmedOrMeasuredIsNoMemory) {
  Law law;
  law.params.torque_time_s = 0.5;
  const Pose leans{{}, from_rpy({0.04, 0, 0})}, upright{};
  const auto torque = [&](const Pose& X, bool live, double dt_s) {
    LawInput in{X, {}, {}};
    in.craft = &law.craft;
    in.whole = in.measured = true;
    in.live = live;
    in.measured_dt_s = dt_s;
    EXPECT_TRUE(measure(law.params, law.state, in, law.trace));
    return law.state.demand.F_Bo_B.torque.x;
  };
  const double whole = torque(leans, true, 0);
  EXPECT_LT(whole, -0.1) << "the first measurement has a demand all the same";
  EXPECT_LT(torque(upright, true, 0.01), 0.9 * whole) << "in flight it has one";
  EXPECT_EQ(torque(upright, false, 0.01), 0);
  EXPECT_EQ(torque(leans, false, 0.01), whole);
  EXPECT_EQ(torque(leans, true, 0.01), whole);
}

// 1 - exp(-0.01 / 0.05) of what changes in a step; what is asked for as a torque goes through
TEST(ThrustVector, TorqueOfTurnsIsSmoothedOverItsTime) {
  Law law;
  law.params.torque_time_s = 0.05;
  LawInput in{{{}, from_rpy({0.04, 0.04, 0})}, {}, {}};
  in.craft = &law.craft;
  in.whole = in.measured = in.live = true;
  in.measured_dt_s = 0.01;
  ThrustVectorParams plain = law.params;
  plain.torque_time_s = 0;
  ThrustVectorState at_once;
  Setpoint setpoint;
  setpoint.mode[4] = AxisMode::kWrench;
  setpoint.F_Bo_B.torque.y = 3;
  const auto both = [&] {
    EXPECT_TRUE(point(law.params, law.state, setpoint, in, {{0, 0, 1}, 100}, law.trace));
    EXPECT_TRUE(point(plain, at_once, setpoint, in, {{0, 0, 1}, 100}, law.trace));
    return law.state.demand.F_Bo_B.torque / at_once.demand.F_Bo_B.torque.x;
  };
  for (int k = 1; k <= 5; ++k) EXPECT_NEAR(both().x, 1 - std::exp(-0.2 * k), 1e-12);
  EXPECT_EQ(law.state.demand.F_Bo_B.torque.y, 3);
  EXPECT_EQ(law.state.demand.F_Bo_B.force, at_once.demand.F_Bo_B.force);
  // the same in the law by itself
  law.state = at_once = {};
  law.state.setpoint = at_once.setpoint = setpoint;
  EXPECT_TRUE(measure(law.params, law.state, in, law.trace));
  EXPECT_TRUE(measure(plain, at_once, in, law.trace));
  EXPECT_NEAR(law.state.demand.F_Bo_B.torque.x,
              (1 - std::exp(-0.2)) * at_once.demand.F_Bo_B.torque.x, 1e-12);
  EXPECT_EQ(law.state.demand.F_Bo_B.torque.y, 3);
}

TEST(ThrustVector, TheIntegralTakesAwayAConstantPushAndDoesNotWindUp) {
  Law law;
  law.params.velocity_integral = {0.5, 0.5, 0.5};
  law.params.max_tilt_rad = 0.05;
  ASSERT_TRUE(law.take(at({10, 0, 0})));
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(law.step({{}, {0, 0, 0, 1}}));
  EXPECT_TRUE(law.trace.tilt_limited);
  EXPECT_LT(law.state.integral.x, 0.05) << "the tilt was cut from the first step on";
  law.params.max_tilt_rad = 0.6;
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(law.step({{}, {0, 0, 0, 1}}));
  EXPECT_GT(law.state.integral.x, 0.05);
  EXPECT_LE(law.state.integral.x, law.params.integral_limit_m_s2);
}

/// A rigid body under exactly what the law asks, with a first-order lag on thrust and torque.
struct Flight {
  Law law;
  Pose X;
  Twist V;  ///< Body.
  Vec3 wind_force_W;
  double worst_tilt = 0, thrust = 0;
  Vec3 torque;

  void fly(double seconds) {
    const double dt = 0.002, lag = 0.04;
    for (int i = 0; i < static_cast<int>(seconds / dt); ++i) {
      if (i % 5 == 0) {
        ASSERT_TRUE(law.step(X, V, 5 * dt));
      }
      thrust += dt / lag * (law.demand.F_Bo_B.force.z - thrust);
      torque = torque + (dt / lag) * (law.demand.F_Bo_B.torque - torque);
      const Vec3 v_W = rotate(X.q, V.v);
      const Vec3 f_W = rotate(X.q, {0, 0, thrust}) + wind_force_W;
      const Vec3 a_W = f_W / law.craft.mass_kg - Vec3{0, 0, kG};
      const Mat3& J = law.craft.inertia_kgm2;
      const Vec3 gyro = torque - cross(V.w, J * V.w);
      V.w += dt * Vec3{gyro.x / J(0, 0), gyro.y / J(1, 1), gyro.z / J(2, 2)};
      const Vec3 v_new = v_W + dt * a_W;
      X.p += dt * v_new;
      X.q = normalized(X.q * from_rotation_vector(dt * V.w));
      V.v = rotate(conjugate(X.q), v_new);
      worst_tilt = std::max(worst_tilt, std::acos(rotate(X.q, {0, 0, 1}).z));
    }
  }
};

TEST(ThrustVector, FliesToAPointAndStaysThereAgainstASidewaysPush) {
  Flight f;
  f.law.params.velocity_integral = {0.5, 0.5, 0.5};
  f.wind_force_W = {6, -4, 3};
  f.thrust = 12 * kG;
  ASSERT_TRUE(f.law.take(at({5, -3, 2}, 2)));
  f.fly(25);
  EXPECT_NEAR(norm(f.X.p - Vec3{5, -3, 2}), 0, 0.02);
  EXPECT_NEAR(norm(f.V.v), 0, 0.02);
  EXPECT_NEAR(f.law.trace.turn_B.z, 0, 0.01);
  EXPECT_LT(f.worst_tilt, f.law.params.max_tilt_rad * 1.15);
}

TEST(ThrustVector, RightsItselfFromUpsideDown) {
  Flight f;
  f.X = {{0, 0, 50}, from_rpy({3.1, 0.2, 1})};
  ASSERT_TRUE(f.law.take(at({0, 0, 50})));
  f.fly(15);
  EXPECT_NEAR(norm(f.X.p - Vec3{0, 0, 50}), 0, 0.1);
}

TEST(ThrustVector, AVelocityIsFlownLevelInTheHeading) {
  Flight f;
  f.X.q = from_rpy({0, 0, kPi / 2});  // nose north
  f.thrust = 12 * kG;
  Setpoint s = at({}, kPi / 2);
  s.mode[0] = s.mode[1] = AxisMode::kVelocity;
  s.V_WD_B.v = {1.5, 0, 0};
  ASSERT_TRUE(f.law.take(s));
  f.fly(8);
  const Vec3 v_W = rotate(f.X.q, f.V.v);
  EXPECT_NEAR(v_W.y, 1.5, 0.01);
  EXPECT_NEAR(v_W.x, 0, 0.01);
  EXPECT_NEAR(f.X.p.z, 0, 0.05);
}

TEST(ThrustVector, AVelocityAheadKeepsToItsLineWhateverTheHeading) {
  // ahead by velocity, aside by pose: a metre left of the line it is flown to the right
  for (const double yaw : {0.0, 0.5 * kPi, -2.0}) {
    Law law;
    Setpoint s = at({0, 0, 0}, yaw);
    s.mode[0] = AxisMode::kVelocity;
    s.V_WD_B.v.x = 0.8;
    ASSERT_TRUE(law.take(s));
    const Vec3 left{-std::sin(yaw), std::cos(yaw), 0}, ahead{std::cos(yaw), std::sin(yaw), 0};
    ASSERT_TRUE(law.step({5.0 * ahead + left, from_rpy({0, 0, yaw})}));
    EXPECT_NEAR(dot(law.trace.wanted_velocity_W, ahead), 0.8, 1e-12);
    EXPECT_NEAR(dot(law.trace.wanted_velocity_W, left), -1, 1e-12);
  }
}

TEST(ThrustVector, WhatIsNotFiniteIsRefusedAndNothingChanges) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Law law;
  Setpoint bad = at({0, nan, 0});
  EXPECT_EQ(accept(law.params, law.state, bad), SetpointRefusal::kNotFinite);
  bad = at({});
  bad.X_WD.q = {0, 0, 0, 1.01};
  EXPECT_EQ(accept(law.params, law.state, bad), SetpointRefusal::kQuaternionNotUnit);
  bad = at({});
  bad.mode[2] = static_cast<AxisMode>(9);
  EXPECT_EQ(accept(law.params, law.state, bad), SetpointRefusal::kBadMode);

  const auto refused = [&](const CraftNow& craft, const Pose& X, const Twist& V, double dt) {
    WrenchDemand demand;
    ThrustVectorTrace trace;
    ThrustVectorState state;
    const bool ok = step(law.params, state, craft, X, V, dt, demand, trace);
    return !ok && state.integral == Vec3{} && demand.F_Bo_B == Wrench{};
  };
  const Pose X{{}, {0, 0, 0, 1}};
  EXPECT_TRUE(refused(box(), {{nan, 0, 0}, {0, 0, 0, 1}}, {}, 0.01));
  EXPECT_TRUE(refused(box(), {{}, {0, 0, 0, 0}}, {}, 0.01));
  EXPECT_TRUE(refused(box(), X, {{0, 0, 0}, {nan, 0, 0}}, 0.01));
  EXPECT_TRUE(refused(box(), X, {}, nan));
  EXPECT_TRUE(refused(box(), X, {}, -0.01));
  CraftNow craft = box();
  craft.mass_kg = 0;
  EXPECT_TRUE(refused(craft, X, {}, 0.01));
  craft = box();
  craft.min_thrust_N = 1000;
  EXPECT_TRUE(refused(craft, X, {}, 0.01));
}

TEST(ThrustVector, AnswersFiniteForAnyFiniteInputAndNeverUsesTheHeap) {
  RandomStream random(11, "wild");
  Law law;
  const std::size_t before = testing::heap_allocations();
  for (int i = 0; i < 20'000; ++i) {
    const auto wild = [&] {
      return random.uniform(-1, 1) * std::pow(10.0, random.uniform(-12, 12));
    };
    Setpoint s = at({wild(), wild(), wild()}, wild());
    for (AxisMode& mode : s.mode)
      mode = static_cast<AxisMode>(static_cast<int>(random.uniform(0, 3)));
    s.V_WD_B = {{wild(), wild(), wild()}, {wild(), wild(), wild()}};
    s.F_Bo_B = {{wild(), wild(), wild()}, {wild(), wild(), wild()}};
    (void)law.take(s);
    const Quat q{wild(), wild(), wild(), wild()};
    const bool ok = law.step({{wild(), wild(), wild()}, q},
                             {{wild(), wild(), wild()}, {wild(), wild(), wild()}}, 0.01);
    ASSERT_TRUE(ok);
    ASSERT_TRUE(is_finite(law.demand.F_Bo_B));
    ASSERT_GE(law.demand.F_Bo_B.force.z, law.craft.min_thrust_N);
    ASSERT_LE(law.demand.F_Bo_B.force.z, law.craft.max_thrust_N);
  }
  EXPECT_EQ(testing::heap_allocations(), before);
}

TEST(ThrustVector, ItsParametersAreCheckedByName) {
  EXPECT_TRUE(check(ThrustVectorParams{}).empty());
  ThrustVectorParams p;
  p.max_tilt_rad = 1.6;
  p.velocity_gain.y = -1;
  p.min_lift = 0;
  const Findings found = check(p);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].path, "velocity_gain.y");
  EXPECT_EQ(found[1].path, "max_tilt_rad");
  EXPECT_EQ(found[2].path, "min_lift");
}

}  // namespace
}  // namespace pintle::control
