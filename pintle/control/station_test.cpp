#include "pintle/control/station.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pintle/base/rotation.h"
#include "pintle/testing/heap_counter.h"

namespace pintle::control {
namespace {

constexpr double kYaw = 0.6;
const StationParams kShip;  // 1000 kg, 1500 kg, 1000 kg m^2; wn 0.25, 0.25, 0.3; z 0.9

Quat heading(double yaw) { return from_rpy({0, 0, yaw}); }

/// A ship that is exactly what the law takes it for, pushed by the world and rocked by waves.
struct Ship {
  StationParams params = kShip;
  StationState state;
  StationTrace trace;
  Vec3 pose{0, 0, kYaw}, velocity, push_W, sent;
  Vec3 wave;        ///< Added to what is measured.
  double give = 1;  ///< Part of the demand that is given.
  double dt = 0.1;

  SetpointRefusal go(Vec3 to) {
    Setpoint s;
    s.X_WD = {{to.x, to.y, 0}, heading(to.z)};
    return accept(params, state, s);
  }
  void measured() {
    const Pose X{{pose.x + wave.x, pose.y + wave.y, 0.3}, heading(pose.z + wave.z)};
    const Twist V;
    const Quat q;
    LawInput in{X, V, q};
    in.fresh = true, in.dt_s = dt;
    ASSERT_TRUE(measure(params, state, in, trace));
    const Wrench F = demand(params, state, trace).F_Bo_B;
    const Vec6 given = give * to_vec6(F);
    achieved(params, state, to_vec6(F), given, given, dt, true);
    sent = {given[0], given[1], given[5]};
  }
  void drift() {
    for (int i = 0; i < 10; ++i) {
      const double h = dt / 10, c = std::cos(pose.z), s = std::sin(pose.z);
      const Vec3 push{c * push_W.x + s * push_W.y, c * push_W.y - s * push_W.x, push_W.z};
      for (std::size_t k = 0; k < 3; ++k)
        velocity[k] += h * (sent[k] + push[k] - params.damping[k] * velocity[k]) / params.mass[k];
      pose +=
          h * Vec3{c * velocity.x - s * velocity.y, s * velocity.x + c * velocity.y, velocity.z};
    }
  }
  void sail(double seconds) {
    for (double t = 0; t < seconds; t += dt) {
      measured();
      drift();
    }
  }
};

/// Of e'' + 2 z w e' + w^2 e = 0 from rest.
double closed_form(double e, double w, double z, double t) {
  const double d = std::sqrt(1 - z * z);
  return e * std::exp(-z * w * t) * (std::cos(w * d * t) + z / d * std::sin(w * d * t));
}

TEST(Station, WithATrueModelTheErrorIsTheOneOfThePaper) {
  Ship ship;
  ship.dt = 0.02;
  // 3 m ahead and 2 m to the left of a ship that looks along 0.6 rad
  const double c = std::cos(kYaw), s = std::sin(kYaw);
  ship.pose = {10, -4, kYaw};
  ASSERT_EQ(ship.go({10 + 3 * c - 2 * s, -4 + 3 * s + 2 * c, kYaw}), SetpointRefusal::kNone);
  for (int i = 0; i < 5; ++i) {
    ship.sail(3);
    const double t = 3 * (i + 1);
    const Vec3 left{10 + 3 * c - 2 * s - ship.pose.x, -4 + 3 * s + 2 * c - ship.pose.y, 0};
    EXPECT_NEAR(c * left.x + s * left.y, closed_form(3, 0.25, 0.9, t), 0.03) << t;
    EXPECT_NEAR(c * left.y - s * left.x, closed_form(2, 0.25, 0.9, t), 0.03) << t;
    EXPECT_NEAR(ship.pose.z, kYaw, 1e-6) << t;
  }
  // the first demand by hand: M wn^2 e
  Ship first;
  ASSERT_EQ(first.go({3 * c, 3 * s, kYaw + 0.1}), SetpointRefusal::kNone);
  first.measured();
  EXPECT_NEAR(first.trace.demand[0], 1000 * 0.0625 * 3, 1e-9);
  EXPECT_NEAR(first.trace.demand[1], 0, 1e-9);
  EXPECT_NEAR(first.trace.demand[5], 1000 * 0.09 * 0.1, 1e-9);
}

TEST(Station, FindsWhatPushesAndHoldsAgainstIt) {
  Ship ship;
  ship.push_W = {60, -90, 25};
  ASSERT_EQ(ship.go({0, 0, kYaw}), SetpointRefusal::kNone);
  ship.sail(600);
  EXPECT_NEAR(ship.state.bias.x, 60, 0.5);
  EXPECT_NEAR(ship.state.bias.y, -90, 0.5);
  EXPECT_NEAR(ship.state.bias.z, 25, 0.5);
  EXPECT_LT(std::hypot(ship.pose.x, ship.pose.y), 0.02);
  EXPECT_NEAR(ship.pose.z, kYaw, 0.002);
  // the push is the world's: turned, the ship still knows it
  ASSERT_EQ(ship.go({0, 0, kYaw + 2}), SetpointRefusal::kNone);
  ship.sail(300);
  EXPECT_NEAR(ship.state.bias.x, 60, 1);
  EXPECT_NEAR(ship.state.bias.y, -90, 1);
  EXPECT_NEAR(ship.pose.z, kYaw + 2, 0.005);
}

/// Most of the demand along x while waves carry the ship 0.5 m either way and pitch at the bearing.
double fought(double filtered_at) {
  Ship ship;
  ship.params.wave_frequency_rad_s = filtered_at;
  EXPECT_EQ(ship.go({0, 0, kYaw}), SetpointRefusal::kNone);
  double most = 0;
  for (int i = 0; i < 3000; ++i) {
    ship.wave.x = 0.5 * std::sin(1.0 * 0.1 * i);
    ship.measured();
    if (i > 1500) most = std::max(most, std::abs(ship.trace.demand[0]));
  }
  return most;
}

TEST(Station, DoesNotFightTheWaves) {
  EXPECT_LT(fought(1), 0.15 * fought(0));
  EXPECT_LT(fought(1), 30) << "of 1000 kg that goes 0.5 m/s either way";
}

TEST(Station, LeavesOfTheSwellWhatItsNotchSays) {
  // nothing is given, so that the observer stands alone: from y to what it leaves of it
  //   (s^2 + 2 l wo s + wo^2) / (s^2 + 2 wo s + wo^2)  s / (s + wc),   at wo: l wo / |i wo + wc|
  Ship ship;
  ship.give = 0;
  ship.dt = 0.02;
  ship.params.motion_rad_s = 1e-3;
  ASSERT_EQ(ship.go({0, 0, kYaw}), SetpointRefusal::kNone);
  double left = 0, carried = 0;
  for (int i = 0; i < 10000; ++i) {
    ship.wave.x = 0.5 * std::sin(0.02 * i);
    ship.measured();
    if (i < 7000) continue;
    left = std::max(left, std::abs(ship.wave.x - ship.state.pose.x - ship.state.wave.x));
    carried = std::max(carried, std::abs(ship.state.pose.x));
  }
  const double expected = 0.5 * 0.1 / std::hypot(1.0, 1.2);
  EXPECT_NEAR(left, expected, 0.05 * expected);
  // the estimate follows that by wc / s
  EXPECT_NEAR(carried, 1.2 * expected, 0.05 * 1.2 * expected);
}

TEST(Station, TellsWavesAndShipApart) {
  Ship ship;
  ASSERT_EQ(ship.go({0, 0, kYaw}), SetpointRefusal::kNone);
  double off = 0;
  for (int i = 0; i < 3000; ++i) {
    ship.wave = {0.4 * std::sin(0.1 * i), 0.3 * std::cos(0.1 * i), 0.02 * std::sin(0.1 * i)};
    ship.measured();
    ship.drift();
    if (i < 1500) continue;
    off = std::max(off, norm(ship.state.pose - ship.pose));
    EXPECT_LT(norm(ship.state.wave - ship.wave), 0.12);
  }
  EXPECT_LT(off, 0.1);
  EXPECT_LT(std::hypot(ship.pose.x, ship.pose.y), 0.1);
}

TEST(Station, WhatIsNotGivenWindsNothingUp) {
  Ship ship;
  ship.give = 0;
  ASSERT_EQ(ship.go({5, 0, kYaw}), SetpointRefusal::kNone);
  ship.sail(300);
  EXPECT_LT(norm(ship.state.bias), 1e-6);
  ship.give = 1;
  double farthest = 0;
  for (int i = 0; i < 120; ++i) {
    ship.sail(1);
    farthest = std::max(farthest, ship.pose.x);
  }
  EXPECT_LT(farthest, 5.05);
}

TEST(Station, TurnsTheShorterWayAroundAndCountsOn) {
  Ship ship;
  ship.pose.z = 3.0;
  ASSERT_EQ(ship.go({0, 0, -3.0}), SetpointRefusal::kNone);
  ship.sail(120);
  EXPECT_NEAR(ship.pose.z, 2 * kPi - 3.0, 0.01);
  EXPECT_NEAR(ship.state.pose.z, ship.pose.z, 0.01);
}

TEST(Station, AxesFollowVelocitiesAndWrenchesToo) {
  Ship ship;
  Setpoint s;
  s.X_WD.q = heading(kYaw);
  s.mode[0] = AxisMode::kVelocity;
  s.V_WD_B.v.x = 0.8;
  s.mode[1] = AxisMode::kWrench;
  s.F_Bo_B.force.y = 70;
  ASSERT_EQ(accept(ship.params, ship.state, s), SetpointRefusal::kNone);
  ship.sail(60);
  EXPECT_NEAR(ship.velocity.x, 0.8, 0.01);
  EXPECT_EQ(ship.trace.demand[1], 70);
  EXPECT_NEAR(ship.velocity.y, 0.7, 0.02) << "70 N over 100 N s/m";
}

TEST(Station, TheReferenceKeepsItsLimits) {
  Ship ship;
  ship.params.motion_limits[0] = ship.params.motion_limits[1] = {0.5, 0.1, 0.1};
  ASSERT_EQ(ship.go({40, 0, kYaw}), SetpointRefusal::kNone);
  double fastest = 0;
  for (int i = 0; i < 100; ++i) {
    ship.sail(1);
    fastest = std::max(fastest, norm(ship.velocity));
  }
  // across the goal's axes, both at their limit
  EXPECT_LT(fastest, 0.5 * std::sqrt(2.0) * 1.02);
  ship.sail(60);
  EXPECT_NEAR(ship.pose.x, 40, 0.05);
}

TEST(Station, ArmedItSetsOutFromWhereItIs) {
  Ship ship;
  ship.give = 0;
  ship.params.motion_limits[0] = {0.5, 0.1, 0.1};
  ASSERT_EQ(ship.go({40, 0, 0}), SetpointRefusal::kNone);
  ship.sail(60);
  EXPECT_GT(ship.trace.reference.p.x, 20);
  reset(ship.params, ship.state, ResetCause::kArmed);
  ship.measured();
  EXPECT_LT(ship.trace.reference.p.x, 0.01);
}

TEST(Station, WhatFloatsIsNoBusinessOfItsOwn) {
  Ship ship;
  ship.params.weight = {1, 1, 1, 1, 1, 1};
  for (const std::size_t axis : {0U, 1U, 5U}) ship.params.motion_limits[axis] = {0.5, 0.1, 0.1};
  Setpoint heeled;
  heeled.X_WD = {{0, 4, 9}, heading(kYaw) * from_rpy({0.5, 0, 0})};
  ASSERT_EQ(accept(ship.params, ship.state, heeled), SetpointRefusal::kNone);
  ship.measured();
  EXPECT_LT(std::hypot(ship.trace.reference.p.x, ship.trace.reference.p.y), 0.01);
  const WrenchDemand d = demand(ship.params, ship.state, ship.trace);
  EXPECT_EQ(d.weight, (std::array<double, 6>{1, 1, 0, 0, 0, 1}));
  EXPECT_EQ(d.F_Bo_B.force.z, 0);
}

TEST(Station, AGapSetsTheEstimateDownAndKeepsWhatPushes) {
  Ship ship;
  ship.push_W = {60, 0, 0};
  ASSERT_EQ(ship.go({0, 0, kYaw}), SetpointRefusal::kNone);
  ship.sail(400);
  ship.pose.x += 50;
  ship.dt = 2;
  ship.measured();
  EXPECT_EQ(ship.state.pose.x, ship.pose.x);
  EXPECT_EQ(ship.state.velocity, Vec3{});
  EXPECT_NEAR(ship.state.bias.x, 60, 1);
  reset(ship.params, ship.state, ResetCause::kArmed);
  EXPECT_NEAR(ship.state.bias.x, 60, 1);
  reset(ship.params, ship.state, ResetCause::kAsked);
  EXPECT_EQ(ship.state.bias, Vec3{});
}

TEST(Station, RefusesWhatIsNoNumberAndTakesNoMemory) {
  Ship ship;
  ASSERT_EQ(ship.go({1, 0, 0}), SetpointRefusal::kNone);
  ship.measured();
  const StationState before = ship.state;
  Pose X{{std::numeric_limits<double>::quiet_NaN(), 0, 0}, {}};
  const Twist V;
  LawInput in{X, V, X.q};
  in.fresh = true, in.dt_s = 0.1;
  EXPECT_FALSE(measure(ship.params, ship.state, in, ship.trace));
  EXPECT_EQ(ship.state.pose, before.pose);
  Setpoint bad;
  bad.mode[3] = static_cast<AxisMode>(9);
  int axis = -1;
  EXPECT_EQ(accept(ship.params, ship.state, bad, &axis), SetpointRefusal::kBadMode);
  EXPECT_EQ(axis, 3);
  bad = {};
  bad.X_WD.q = {0, 0, 0, 2};
  EXPECT_EQ(accept(ship.params, ship.state, bad), SetpointRefusal::kQuaternionNotUnit);
  EXPECT_EQ(ship.state.setpoint.X_WD.p.x, 1);
  const auto heap = testing::heap_allocations();
  ship.sail(5);
  EXPECT_EQ(testing::heap_allocations(), heap);
}

TEST(Station, WhatCannotWorkIsFound) {
  EXPECT_TRUE(check(kShip).empty());
  const auto finds = [](const StationParams& p, std::string_view path) {
    for (const Finding& f : check(p))
      if (f.path == path) return true;
    return false;
  };
  StationParams p;
  p.mass.y = 0;
  p.observer_rad_s = 0.9;
  p.bias_rad_s = 1.5;
  p.motion_limits[2].max_velocity = 1;
  p.motion_limits[0].max_jerk = 1;
  EXPECT_TRUE(finds(p, "mass.y"));
  EXPECT_TRUE(finds(p, "observer_rad_s"));
  EXPECT_TRUE(finds(p, "bias_rad_s"));
  EXPECT_TRUE(finds(p, "motion_limits.z"));
  EXPECT_TRUE(finds(p, "motion_limits.x.max_acceleration"));
  p = {};
  p.motion_rad_s = 100;
  EXPECT_TRUE(finds(p, "observer_rad_s")) << "faster than it is stepped";
}

}  // namespace
}  // namespace pintle::control
