#include "pintle/control/six_axis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "pintle/base/random.h"
#include "pintle/testing/heap_counter.h"

namespace pintle::control {
namespace {

constexpr double kRoot = 0.70710678118654752;  // sqrt(1/2)
constexpr Behaviour kBoth[] = {Behaviour::kReference, Behaviour::kSafe};

/// The first step of the reference meets an empty filter: 1 / 3.414 of the value gets through.
double first_gain(Behaviour b) { return b == Behaviour::kReference ? 1 / 3.414 : 1; }

void expect_near(const Vec6& actual, const Vec6& expected, double tolerance = 1e-12) {
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(actual[i], expected[i], tolerance) << kAxisNames[i];
}

/// kp only, wide limits.
SixAxisParams proportional(Behaviour b, double position_kp, double velocity_kp) {
  SixAxisParams p;
  p.behaviour = b;
  for (std::size_t i = 0; i < kAxes; ++i) {
    for (PidParams* pid : {&p.position[i], &p.position_cascaded[i], &p.velocity[i]})
      pid->min_effort = -100, pid->max_effort = 100;
    p.position[i].kp = position_kp;
    p.position_cascaded[i].kp = position_kp;
    p.velocity[i].kp = velocity_kp;
    p.desired_wrench_limits[i] = {-50, 50};
  }
  return p;
}

/// A setpoint as (2, -1, 0.5) and 30 degrees of pitch away from `kTurned`, see pose_error_test.cpp.
const SixAxisInput kTurned{{{1, 2, 3}, {0, 0, kRoot, kRoot}},
                           {0, 0, kRoot, kRoot},
                           {{0.25, 0.1, -0.2}, {0.01, 0.02, 0.03}}};
Setpoint turned_setpoint() {
  Setpoint s;
  s.X_WD = {{2, 4, 3.5}, normalized(kTurned.X_WB.q * from_rpy({0, kPi / 6, 0}))};
  return s;
}

// ---------------------------------------------------------------------------------------------
// the law

TEST(SixAxis, PositionEffortsComeFromThePoseErrorInTheBody) {
  for (const Behaviour b : kBoth) {
    const SixAxisParams p = proportional(b, 3, 0);
    SixAxisState s;
    SixAxisTrace t;
    ASSERT_EQ(accept(p, s, turned_setpoint()), SetpointRefusal::kNone);
    ASSERT_TRUE(update(p, s, kTurned, 0.05, t));
    expect_near(t.position_error, {{2, -1, 0.5, 0, kPi / 6, 0}});
    const double g = 3 * first_gain(b);
    expect_near(to_vec6(demand(p, s, t).F_Bo_B), {{2 * g, -g, 0.5 * g, 0, kPi / 6 * g, 0}});
    EXPECT_EQ(t.delta_time_s, 0.05);
  }
}

TEST(SixAxis, MixedModesInACascadeGiveTheNumbersComputedByHand) {
  for (const Behaviour b : kBoth) {
    SixAxisParams p = proportional(b, 0.5, 2);
    p.cascaded = true, p.scale = 2, p.static_force = {0.4, 0, -0.5};
    Setpoint sp = turned_setpoint();
    sp.mode = {AxisMode::kPosition, AxisMode::kVelocity, AxisMode::kWrench,
               AxisMode::kPosition, AxisMode::kPosition, AxisMode::kWrench};
    sp.V_WD_B = {{9, 0.3, 9}, {9, 9, 9}};
    sp.F_Bo_B = {{9, 9, -0.7}, {9, 9, 0.25}};
    SixAxisState s;
    SixAxisTrace t;
    ASSERT_EQ(accept(p, s, sp), SetpointRefusal::kNone);
    ASSERT_TRUE(update(p, s, kTurned, 0.05, t));
    const Vec6 answer = to_vec6(demand(p, s, t).F_Bo_B);

    // x: 0.5 of 2 m is a velocity setpoint of 1 m/s, less 0.25 is 0.75, times 2 is 1.5
    // y: 0.3 - 0.1 = 0.2 m/s, times 2 is 0.4
    // roll: 0 - 0.01, times 2. pitch: 0.5 of 30 degrees less 0.02, times 2
    const double g = first_gain(b);
    EXPECT_NEAR(t.velocity_error[0], g - 0.25, 1e-12);
    EXPECT_NEAR(t.velocity_error[1], 0.2, 1e-12);
    EXPECT_NEAR(t.velocity_error[2], 9.2, 1e-12);  // in wrench mode the loop runs all the same
    const Vec6 base{
        {2 * g * (g - 0.25), 0.4 * g, -0.7, -0.02 * g, 2 * g * (0.5 * g * kPi / 6 - 0.02), 0.25}};
    expect_near(t.base, base);

    // the static force (0.4, 0, -0.5), seen from a body that looks north (the world's +y):
    // its x is the world's y, its y the world's -x, so that it is (0, -0.4, -0.5)
    expect_near(t.unscaled, base + Vec6{{0, -0.4, -0.5, 0, 0, 0}});
    // the scale multiplies everything, static force and desired wrench included
    expect_near(answer, 2.0 * (base + Vec6{{0, -0.4, -0.5, 0, 0, 0}}));
    EXPECT_NEAR(answer[2], 2 * (-0.7 - 0.5), 1e-12);
    EXPECT_NEAR(answer[5], 0.5, 1e-12);
  }
}

TEST(SixAxis, WithoutACascadePositionModeUsesThePositionEffort) {
  for (const Behaviour b : kBoth) {
    SixAxisParams p = proportional(b, 3, 2);
    p.position_cascaded[0].kp = 77;
    SixAxisState s;
    SixAxisTrace t;
    ASSERT_EQ(accept(p, s, turned_setpoint()), SetpointRefusal::kNone);
    ASSERT_TRUE(update(p, s, kTurned, 0.05, t));
    EXPECT_NEAR(demand(p, s, t).F_Bo_B.force.x, 6 * first_gain(b), 1e-12);
    // the velocity loop follows the desired velocity, 0, and is not used
    EXPECT_NEAR(t.velocity_error[0], -0.25, 1e-12);
  }
}

TEST(SixAxis, DemandsEveryAxisWithItsWeightAndGroup) {
  SixAxisParams p;
  p.weight = {1, 2, 3, 4, 5, 6}, p.group = {0, 0, 1, 1, 2, 2};
  SixAxisTrace t;
  const WrenchDemand d = demand(p, SixAxisState{}, t);
  EXPECT_EQ(d.weight, p.weight);
  EXPECT_EQ(d.group, p.group);
}

TEST(SixAxis, ProvidedDerivativesAreMinusTheVelocityAndMinusTheLastAchievedWrench) {
  SixAxisParams p = proportional(Behaviour::kSafe, 0, 0);
  for (std::size_t i = 0; i < kAxes; ++i) {
    p.position[i].derivative = p.velocity[i].derivative = Derivative::kProvided;
    p.position[i].kd = 2, p.velocity[i].kd = 3;
  }
  Setpoint sp;
  for (const AxisMode mode : {AxisMode::kPosition, AxisMode::kVelocity}) {
    SixAxisState s;
    SixAxisTrace t;
    sp.mode.fill(mode);
    ASSERT_EQ(accept(p, s, sp), SetpointRefusal::kNone);
    note_achieved(p, s, {}, {{1, 2, 3, 4, 5, 6}}, 0.05);
    ASSERT_TRUE(update(p, s, kTurned, 0.05, t));
    if (mode == AxisMode::kPosition)
      expect_near(s.position_effort, -2.0 * to_vec6(kTurned.V_WB_B));
    else
      expect_near(s.velocity_effort, {{-3, -6, -9, -12, -15, -18}});
  }
}

TEST(SixAxis, FirstStateWithoutAnIntervalOnlyGivesTheTime) {
  for (const Behaviour b : kBoth) {
    const SixAxisParams p = proportional(b, 3, 2);
    SixAxisState s;
    SixAxisTrace t;
    ASSERT_EQ(accept(p, s, turned_setpoint()), SetpointRefusal::kNone);
    EXPECT_TRUE(update(p, s, kTurned, 0, t));
    EXPECT_TRUE(s.has_update);
    EXPECT_EQ(s.position_effort, Vec6{});
    EXPECT_EQ(s.static_local, Vec3{});
    EXPECT_FALSE(s.position[0].has_history);
    EXPECT_TRUE(update(p, s, kTurned, -0.1, t));
    EXPECT_EQ(t.delta_time_s, -0.1);
    EXPECT_EQ(t.position_error, Vec6{});
  }
}

// ---------------------------------------------------------------------------------------------
// loops that are off

TEST(SixAxis, ALoopThatIsOffGivesZeroEffortsForEver) {
  // the original died on the second state with either loop off
  for (const Behaviour b : kBoth) {
    for (const bool position_off : {true, false}) {
      SixAxisParams p = proportional(b, 3, 2);
      p.enable_position = !position_off, p.enable_velocity = position_off;
      SixAxisState s;
      SixAxisTrace t;
      Setpoint sp = turned_setpoint();
      sp.mode[1] = AxisMode::kVelocity;
      ASSERT_EQ(accept(p, s, sp), SetpointRefusal::kNone);
      for (int k = 0; k < 5; ++k) {
        ASSERT_TRUE(update(p, s, kTurned, 0.05, t));
        const Vec6& off = position_off ? s.position_effort : s.velocity_effort;
        const Vec6& on = position_off ? s.velocity_effort : s.position_effort;
        EXPECT_EQ(off, Vec6{});
        // axis 0 is in position mode, axis 1 in velocity mode
        EXPECT_NE(on[position_off ? 1 : 0], 0);
        EXPECT_NE(t.position_error[0], 0);
        const Vec6 asked = to_vec6(demand(p, s, t).F_Bo_B);
        EXPECT_EQ(asked[0] == 0, position_off);
        EXPECT_EQ(asked[1] == 0, !position_off);
      }
    }
  }
}

TEST(SixAxis, ALoopThatWasOffStartsAfreshInSafe) {
  SixAxisParams p = proportional(Behaviour::kSafe, 1, 1);
  p.position[0].ki = 1;
  SixAxisState s;
  SixAxisTrace t;
  ASSERT_EQ(accept(p, s, turned_setpoint()), SetpointRefusal::kNone);
  for (int k = 0; k < 5; ++k) ASSERT_TRUE(update(p, s, kTurned, 0.1, t));
  EXPECT_NEAR(s.position[0].integral, 0.8, 1e-12);
  p.enable_position = false;
  ASSERT_TRUE(update(p, s, kTurned, 0.1, t));
  p.enable_position = true;
  ASSERT_TRUE(update(p, s, kTurned, 0.1, t));
  EXPECT_EQ(s.position[0].integral, 0);
  EXPECT_NEAR(s.position_effort[0], 2, 1e-12);
}

TEST(SixAxis, IntegralsOfTheTimeBeforeArmingAreForgottenInSafe) {
  for (const Behaviour b : kBoth) {
    SixAxisParams p = proportional(b, 1, 1);
    p.position[0].ki = p.velocity[1].ki = 1;
    Setpoint wanted = turned_setpoint();
    wanted.mode[1] = AxisMode::kVelocity;
    SixAxisState s;
    SixAxisTrace t;
    ASSERT_EQ(accept(p, s, wanted), SetpointRefusal::kNone);
    for (int k = 0; k < 20; ++k) ASSERT_TRUE(update(p, s, kTurned, 0.1, t));
    const double position = s.position[0].integral, velocity = s.velocity[1].integral;
    ASSERT_NE(position, 0);
    ASSERT_NE(velocity, 0);
    reset(p, s, ResetCause::kNewGoal);
    EXPECT_EQ(s.position[0].integral, position) << "what holds it up goes on to the next goal";
    reset(p, s, ResetCause::kArmed);
    const bool safe = b == Behaviour::kSafe;
    EXPECT_EQ(s.position[0].integral, safe ? 0 : position);
    EXPECT_EQ(s.velocity[1].integral, safe ? 0 : velocity);
  }
}

TEST(SixAxis, ACascadeWithoutItsVelocityLoopGivesNoEffortInPositionMode) {
  for (const Behaviour b : kBoth) {
    SixAxisParams p = proportional(b, 3, 2);
    p.cascaded = true, p.enable_velocity = false;
    SixAxisState s;
    SixAxisTrace t;
    ASSERT_EQ(accept(p, s, turned_setpoint()), SetpointRefusal::kNone);
    for (int k = 0; k < 3; ++k) ASSERT_TRUE(update(p, s, kTurned, 0.05, t));
    EXPECT_EQ(to_vec6(demand(p, s, t).F_Bo_B), Vec6{});
    ASSERT_FALSE(check(p).empty());
    EXPECT_EQ(check(p)[0].path, "enable_velocity");
  }
}

TEST(SixAxis, UnusedLoopsWindUpInReferenceAndRestInSafe) {
  for (const Behaviour b : kBoth) {
    SixAxisParams p = proportional(b, 0, 0);
    for (std::size_t i = 0; i < kAxes; ++i) p.position[i].ki = p.velocity[i].ki = 1;
    Setpoint sp = turned_setpoint();
    sp.mode[1] = AxisMode::kVelocity, sp.mode[2] = AxisMode::kWrench;
    SixAxisState s;
    SixAxisTrace t;
    ASSERT_EQ(accept(p, s, sp), SetpointRefusal::kNone);
    for (int k = 0; k < 11; ++k) ASSERT_TRUE(update(p, s, kTurned, 0.1, t));
    // errors of position 2, -1, 0.5 m and of velocity -0.25, -0.1, 0.2 m/s, over ten steps of
    // 0.1 s in safe and eleven in reference, which integrates from the first one
    const double seconds = b == Behaviour::kSafe ? 1.0 : 1.1;
    const bool all = b == Behaviour::kReference;
    EXPECT_NEAR(s.position[0].integral, 2 * seconds, 1e-12);
    EXPECT_NEAR(s.velocity[0].integral, all ? -0.25 * seconds : 0, 1e-12);
    EXPECT_NEAR(s.position[1].integral, all ? -1 * seconds : 0, 1e-12);
    EXPECT_NEAR(s.velocity[1].integral, -0.1 * seconds, 1e-12);
    EXPECT_NEAR(s.position[2].integral, all ? 0.5 * seconds : 0, 1e-12);
    EXPECT_NEAR(s.velocity[2].integral, all ? 0.2 * seconds : 0, 1e-12);
    EXPECT_EQ(s.velocity[0].has_history, all);
    EXPECT_EQ(s.velocity_effort[0] == 0, !all);
    EXPECT_TRUE(s.velocity[1].has_history);
  }
}

TEST(SixAxis, ALoopThatRestedKeepsItsIntegralAndComesBackWithoutAKick) {
  SixAxisParams p = proportional(Behaviour::kSafe, 0, 0);
  p.position[0].ki = 1;
  p.position[0].kd = 1;
  SixAxisState s;
  SixAxisTrace t;
  Setpoint sp = turned_setpoint();
  ASSERT_EQ(accept(p, s, sp), SetpointRefusal::kNone);
  for (int k = 0; k < 4; ++k) ASSERT_TRUE(update(p, s, kTurned, 0.1, t));
  const double kept = s.position[0].integral;
  ASSERT_GT(kept, 0);
  sp.mode[0] = AxisMode::kVelocity;
  ASSERT_EQ(accept(p, s, sp), SetpointRefusal::kNone);
  for (int k = 0; k < 4; ++k) ASSERT_TRUE(update(p, s, kTurned, 0.1, t));
  EXPECT_EQ(s.position[0].integral, kept);
  sp.mode[0] = AxisMode::kPosition;
  ASSERT_EQ(accept(p, s, sp), SetpointRefusal::kNone);
  ASSERT_TRUE(update(p, s, kTurned, 0.1, t));
  EXPECT_EQ(t.position[0].d, 0);
  EXPECT_EQ(s.position[0].integral, kept);
}

// ---------------------------------------------------------------------------------------------
// static force and half turns

TEST(SixAxis, StaticForceOfAVehiclePitchedDownPullsAlongItsX) {
  for (const Behaviour b : kBoth) {
    SixAxisParams p;
    p.behaviour = b, p.static_force = {0, 0, -0.5};
    SixAxisState s;
    SixAxisTrace t;
    SixAxisInput in;
    in.X_WB.q = in.q_static = from_rpy({0, radians(90), 0});
    ASSERT_TRUE(update(p, s, in, 0.05, t));
    EXPECT_NEAR(norm(s.static_local - Vec3{0.5, 0, 0}), 0, 1e-15);
  }
}

TEST(SixAxis, StaticForceScalesWithTheSquaredLengthOfTheQuaternionInReferenceOnly) {
  for (const Behaviour b : kBoth) {
    SixAxisParams p;
    p.behaviour = b, p.static_force = {0, 0, -0.5};
    SixAxisState s;
    SixAxisTrace t;
    SixAxisInput in;
    in.q_static = {0, 2 * kRoot, 0, 2 * kRoot};
    ASSERT_TRUE(update(p, s, in, 0.05, t));
    EXPECT_NEAR(s.static_local.x, b == Behaviour::kReference ? 2 : 0.5, 1e-14);

    // a quaternion without a direction: no force in reference, refused in safe
    in.q_static = {0, 0, 0, 0};
    EXPECT_EQ(update(p, s, in, 0.05, t), b == Behaviour::kReference);
    EXPECT_NEAR(s.static_local.x, b == Behaviour::kReference ? 0 : 0.5, 1e-14);
  }
}

TEST(SixAxis, PassingAHalfTurnFlipsTheErrorInReferenceAndNotInSafe) {
  for (const Behaviour b : kBoth) {
    const SixAxisParams p = proportional(b, 1, 0);
    SixAxisState s;
    SixAxisTrace t;
    SixAxisInput in;
    // the desired yaw stays 0 while a current turns the body from -179 to -181 degrees
    in.X_WB.q = from_rpy({0, 0, radians(-179)});
    ASSERT_TRUE(update(p, s, in, 0.05, t));
    EXPECT_NEAR(t.position_error[5], radians(179), 1e-12);
    in.X_WB.q = from_rpy({0, 0, radians(-181)});
    ASSERT_TRUE(update(p, s, in, 0.05, t));
    EXPECT_NEAR(t.position_error[5], radians(b == Behaviour::kSafe ? 181 : -179), 1e-12);
    // exactly behind is the same side in both
    in.X_WB.q = {0, 0, -1, 0};
    ASSERT_TRUE(update(p, s, in, 0.05, t));
    EXPECT_NEAR(std::abs(t.position_error[5]), kPi, 1e-12);
  }
}

// ---------------------------------------------------------------------------------------------
// anti-windup

TEST(SixAxis, TheResidualUnwindsTheLoopInUseAndNoOther) {
  SixAxisParams p = proportional(Behaviour::kSafe, 0, 4);
  p.anti_windup = true, p.scale = 2;
  for (std::size_t i = 0; i < kAxes; ++i)
    for (PidParams* pid : {&p.position[i], &p.position_cascaded[i], &p.velocity[i]})
      pid->ki = 1, pid->back_calculation = 1;
  Setpoint sp;
  sp.mode = {AxisMode::kPosition, AxisMode::kVelocity, AxisMode::kWrench,
             AxisMode::kPosition, AxisMode::kPosition, AxisMode::kPosition};
  const auto wound = [&] {
    SixAxisState s;
    EXPECT_EQ(accept(p, s, sp), SetpointRefusal::kNone);
    for (std::size_t i = 0; i < kAxes; ++i) s.position[i].integral = s.velocity[i].integral = 3;
    return s;
  };
  // 8 asked, 4 achieved on x, y, z: over a scale of 2 an effort of 2 is missing; for 0.1 s at 1 per
  // second the integral gives up 0.2
  const Vec6 asked{{8, 8, 8, 0, 0, 0}}, achieved{{4, 4, 4, 0, 0, 0}};
  SixAxisState s = wound();
  note_achieved(p, s, asked, achieved, 0.1);
  EXPECT_NEAR(s.position[0].integral, 2.8, 1e-14);
  EXPECT_EQ(s.velocity[0].integral, 3);
  EXPECT_EQ(s.position[1].integral, 3);
  EXPECT_NEAR(s.velocity[1].integral, 2.8, 1e-14);
  EXPECT_EQ(s.position[2].integral, 3);
  EXPECT_EQ(s.velocity[2].integral, 3);
  EXPECT_EQ(s.position[3].integral, 3);
  EXPECT_EQ(s.last_achieved, achieved);
  EXPECT_EQ(s.last_demand, asked);

  // in a cascade the inner loop gives up 0.2 too, the outer 0.2 through the inner kp of 4
  p.cascaded = true;
  s = wound();
  note_achieved(p, s, asked, achieved, 0.1);
  EXPECT_NEAR(s.velocity[0].integral, 2.8, 1e-14);
  EXPECT_NEAR(s.position[0].integral, 2.95, 1e-14);

  // off, or nothing live: only noted
  s = wound();
  note_achieved(p, s, asked, achieved, 0);
  EXPECT_EQ(s.velocity[0].integral, 3);
  p.anti_windup = false;
  note_achieved(p, s, asked, achieved, 0.1);
  EXPECT_EQ(s.velocity[0].integral, 3);
  EXPECT_EQ(s.last_achieved, achieved);
}

TEST(SixAxisRefresh, AStateAfterAGapGivesNoKickOfWhatWasBeforeIt) {
  for (const Behaviour behaviour : {Behaviour::kReference, Behaviour::kSafe}) {
    SixAxisParams p;
    p.behaviour = behaviour;
    for (PidParams& axis : p.velocity) axis = {.kp = 1, .kd = 0.5};
    SixAxisState s;
    s.setpoint.mode.fill(AxisMode::kVelocity);
    s.setpoint.V_WD_B.v.x = 0.2;
    SixAxisTrace trace;
    SixAxisInput in;
    for (int i = 0; i < 50; ++i) ASSERT_TRUE(update(p, s, in, 0.05, trace));
    // at its speed when it is seen again
    in.V_WB_B.v.x = 0.2;
    ASSERT_TRUE(refresh(p, s, in));
    ASSERT_TRUE(update(p, s, in, 0.05, trace));
    EXPECT_NEAR(trace.velocity[0].calculated_derivative, 0, 1e-12);
    EXPECT_NEAR(s.velocity_effort[0], 0, 1e-12);
    // without it: minus four per second, half of that into the effort
    SixAxisState kicked = s;
    in.V_WB_B.v.x = 0;
    for (int i = 0; i < 50; ++i) ASSERT_TRUE(update(p, kicked, in, 0.05, trace));
    in.V_WB_B.v.x = 0.2;
    ASSERT_TRUE(update(p, kicked, in, 0.05, trace));
    EXPECT_NEAR(trace.velocity[0].calculated_derivative, -4, 1e-9);
  }
}

TEST(SixAxisNeeds, NoStateWhereEveryAxisFollowsTheWrenchAndNothingIsTurned) {
  SixAxisParams p;
  SixAxisState s;
  s.setpoint.mode.fill(AxisMode::kWrench);
  EXPECT_FALSE(needs_state(p, s));
  p.static_force.z = 0.1;
  EXPECT_TRUE(needs_state(p, s));
  p.static_force = {};
  s.setpoint.mode[5] = AxisMode::kVelocity;
  EXPECT_TRUE(needs_state(p, s));
}

TEST(SixAxis, WhatNobodyActsOnIsNotIntegratedInSafe) {
  for (const Behaviour behaviour : {Behaviour::kSafe, Behaviour::kReference}) {
    SixAxisParams p;
    p.behaviour = behaviour;
    for (PidParams& loop : p.position) loop.ki = 0.5;
    SixAxisState s;
    s.setpoint.X_WD.p = {1, 0, 0};
    SixAxisTrace t;
    for (int k = 0; k < 20; ++k) ASSERT_TRUE(update(p, s, {}, 0.1, t, false));
    EXPECT_NEAR(s.position[0].integral, behaviour == Behaviour::kSafe ? 0 : 2, 1e-12);
    EXPECT_NEAR(s.position_effort[0], behaviour == Behaviour::kSafe ? 0 : 1, 1e-12);
  }
}

}  // namespace
}  // namespace pintle::control
