#include <gtest/gtest.h>

#include <cmath>

#include "pintle/world/body_dynamics.h"

// Drag, weight and buoyancy against solutions on paper: one axis at a time.

namespace pintle::world {
namespace {

using vehicle::Body;
using vehicle::Hydrodynamics;

constexpr double kGravity = 9.80665;
constexpr double kDeep = 1000;  // height of the surface for bodies that never meet it
constexpr double kDt = 1e-3;

// neutrally buoyant in water of 1000 kg/m3, everything at the origin
Body neutral_body(double mass_kg) {
  Body b;
  b.mass_kg = mass_kg;
  b.inertia_kgm2 = {1, 2, 4};
  b.volume_m3 = mass_kg / 1000;
  return b;
}

void run(const BodyDynamics& d, BodyState& s, double seconds, double dt, const Wrench& tau = {}) {
  const int n = static_cast<int>(std::lround(seconds / dt));
  for (int i = 0; i < n; ++i) d.step(s, tau, {}, {}, dt);
}

// ---- drag

TEST(BodyClosedForms, LinearDragReachesForceOverDampingExponentially) {
  Hydrodynamics h;
  h.added_mass[0] = 5;
  h.linear_damping[0] = 8;
  const BodyDynamics d(neutral_body(15), h, 1000, kGravity, kDeep);
  BodyState s;
  // v(t) = F/D (1 - exp(-D t / (m + m_a))), D/(m + m_a) = 0.4 1/s
  run(d, s, 3, kDt, {{4, 0, 0}, {}});
  EXPECT_NEAR(s.V_WB_B.v.x, 0.5 * (1 - std::exp(-1.2)), 1e-12);
  run(d, s, 100, 0.01, {{4, 0, 0}, {}});
  EXPECT_NEAR(s.V_WB_B.v.x, 0.5, 1e-12);
}

TEST(BodyClosedForms, QuadraticDragReachesTheRootOfForceOverDampingAsATangent) {
  Hydrodynamics h;
  h.quadratic_damping[2] = 50;
  const BodyDynamics d(neutral_body(20), h, 1000, kGravity, kDeep);
  BodyState s;
  // v = v_t tanh(D v_t t / m) with v_t = sqrt(F/D) = 0.6
  run(d, s, 1, kDt, {{0, 0, 18}, {}});
  EXPECT_NEAR(s.V_WB_B.v.z, 0.6 * std::tanh(1.5), 1e-11);
  run(d, s, 30, kDt, {{0, 0, 18}, {}});
  EXPECT_NEAR(s.V_WB_B.v.z, 0.6, 1e-12);
}

TEST(BodyClosedForms, TerminalVelocityWithBothDragsSolvesTheQuadraticEquation) {
  Hydrodynamics h;
  h.linear_damping[5] = 2;
  h.quadratic_damping[5] = 3;
  const BodyDynamics d(neutral_body(20), h, 1000, kGravity, kDeep);
  BodyState s;
  // 3 w^2 + 2 w = 5: w = 1
  run(d, s, 40, kDt, {{}, {0, 0, 5}});
  EXPECT_NEAR(s.V_WB_B.w.z, 1, 1e-12);
}

TEST(BodyClosedForms, FreeMotionDiesAwayAsItsDragSays) {
  Hydrodynamics h;
  h.added_mass = {10, 0, 0, 0, 0, 2};
  h.linear_damping[5] = 3;
  h.quadratic_damping[0] = 40;
  Body b = neutral_body(30);
  const BodyDynamics d(b, h, 1000, kGravity, kDeep);
  BodyState surge, yaw;
  surge.V_WB_B.v.x = 2;
  yaw.V_WB_B.w.z = -1.5;
  run(d, surge, 4, kDt);
  run(d, yaw, 4, kDt);
  // v0 / (1 + v0 D t / m): 2 / (1 + 2 * 40 * 4 / 40); distance (m/D) ln(9)
  EXPECT_NEAR(surge.V_WB_B.v.x, 2.0 / 9.0, 1e-10);
  EXPECT_NEAR(surge.X_WB.p.x, std::log(9.0), 1e-10);
  // w0 exp(-D t / I): I = 4 + 2
  EXPECT_NEAR(yaw.V_WB_B.w.z, -1.5 * std::exp(-2.0), 1e-12);
}

// ---- weight and buoyancy

// time of a number of swings, from the zero crossings of the angle of roll
double roll_period(const BodyDynamics& d, double amplitude, int swings) {
  BodyState s;
  s.X_WB.q = from_rpy({amplitude, 0, 0});
  double previous = amplitude, t = 0, first = -1;
  for (int crossings = 0; crossings <= 2 * swings;) {
    d.step(s, {}, {}, {}, kDt);
    t += kDt;
    const double angle = to_rpy(to_matrix(s.X_WB.q)).roll;
    if ((angle > 0) != (previous > 0)) {
      const double at = t - kDt * angle / (angle - previous);
      if (crossings == 0) first = at;
      if (crossings == 2 * swings) return (at - first) / swings;
      ++crossings;
    }
    previous = angle;
  }
  return 0;
}

TEST(BodyClosedForms, RightingPeriodIsThatOfAPendulumWithAddedInertia) {
  Body b = neutral_body(20);
  b.center_of_buoyancy_m = {0, 0, 0.05};
  Hydrodynamics h;
  h.added_mass[3] = 0.5;
  const BodyDynamics d(b, h, 1000, kGravity, kDeep);
  // T = 2 pi sqrt((Ixx + A) / (W h)), a little longer for a finite swing: 1 + a^2 / 16
  const double expected = 2 * kPi * std::sqrt(1.5 / (20 * kGravity * 0.05));
  EXPECT_NEAR(roll_period(d, 0.01, 10), expected * (1 + 1e-4 / 16), expected * 2e-7);
}

TEST(BodyClosedForms, RightingPeriodDoesNotDependOnWhereTheOriginIs) {
  // the same body as above without added inertia; the origin sits on the centre of buoyancy,
  // then well above both, on the line through them
  for (double up : {0.05, 0.4}) {
    Body b = neutral_body(20);
    b.center_of_mass_m = {0, 0, -up};
    b.center_of_buoyancy_m = {0, 0, 0.05 - up};
    const BodyDynamics d(b, {}, 1000, kGravity, kDeep);
    const double expected = 2 * kPi * std::sqrt(1.0 / (20 * kGravity * 0.05));
    EXPECT_NEAR(roll_period(d, 0.01, 10), expected * (1 + 1e-4 / 16), expected * 2e-7) << up;
  }
}

TEST(BodyClosedForms, CentreOfMassAheadOfBuoyancyPushesTheNoseDown) {
  Body b = neutral_body(10);
  b.center_of_mass_m = {0.1, 0, 0};
  b.inertia_kgm2 = {1, 1.9, 4};  // Iyy about the origin: 1.9 + 10 * 0.01 = 2
  const BodyDynamics d(b, {}, 1000, 10, kDeep);
  // positive pitch is nose down; about the centre of mass the buoyancy of 100 N acts 0.1 m behind:
  // 10 N m over 1.9 kg m2, and the origin rises against the centre of mass, which stays
  const Twist a = d.acceleration({}, {}, {}, {});
  EXPECT_NEAR(a.w.y, 10 / 1.9, 1e-12);
  EXPECT_NEAR(a.v.z, 0.1 * 10 / 1.9, 1e-12);
}

TEST(BodyClosedForms, FloatingBodyBobsWithThePeriodOfItsWaterline) {
  Body b = neutral_body(8);
  b.volume_m3 = 0.016;  // half of it stays dry: the centre of buoyancy lies on the surface
  b.height_m = 0.4;
  const BodyDynamics d(b, {}, 1000, kGravity, 2.5);
  BodyState s;
  s.X_WB.p.z = 2.5;
  EXPECT_DOUBLE_EQ(d.submerged_share(s.X_WB), 0.5);
  run(d, s, 1, kDt);
  EXPECT_EQ(s.X_WB.p.z, 2.5);
  // z = a cos(w t), w^2 = rho g V / (height m)
  const double w = std::sqrt(1000 * kGravity * 0.016 / (0.4 * 8));
  s.X_WB.p.z = 2.6;
  run(d, s, 2, kDt);
  EXPECT_NEAR(s.X_WB.p.z - 2.5, 0.1 * std::cos(2 * w), 1e-8);
  // high above it nothing but weight acts
  s = {};
  s.X_WB.p.z = 10;
  EXPECT_DOUBLE_EQ(d.acceleration(s, {}, {1, 1, 1}, {}).v.z, -kGravity);
}

TEST(BodyClosedForms, AddedMassAndDragFadeWithTheSubmergedShare) {
  Body b = neutral_body(10);
  b.height_m = 0.4;
  Hydrodynamics h;
  h.added_mass[0] = 20;
  h.linear_damping[0] = 6;
  const BodyDynamics d(b, h, 1000, kGravity, 0);
  BodyState s;
  s.V_WB_B.v.x = 1;
  // share 1, 1/4, 0: (16 - s 6) / (10 + s 20)
  s.X_WB.p.z = -0.3;
  EXPECT_NEAR(d.acceleration(s, {{16, 0, 0}, {}}, {}, {}).v.x, 10.0 / 30.0, 1e-14);
  s.X_WB.p.z = 0.1;
  EXPECT_NEAR(d.acceleration(s, {{16, 0, 0}, {}}, {}, {}).v.x, 14.5 / 15.0, 1e-14);
  s.X_WB.p.z = 0.5;
  EXPECT_NEAR(d.acceleration(s, {{16, 0, 0}, {}}, {}, {}).v.x, 1.6, 1e-14);
}

}  // namespace
}  // namespace pintle::world
