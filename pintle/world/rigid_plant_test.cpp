#include "pintle/world/rigid_plant.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace pintle::world {
namespace {

using vehicle::Link;
using vehicle::MassProperties;
using vehicle::Structure;

constexpr double kGravity = 9.80665;

// a body of 3 kg, and a link of 2 kg turned by 90 degrees about z, 1 m ahead of it
Structure two_links() {
  Structure s;
  s.name = "two";
  s.links.push_back({"body", -1, {}, {3, {}, Mat3::diagonal({0.3, 0.4, 0.5})}, {}, {}});
  s.links.push_back({"arm",
                     0,
                     {{1, 0, 0}, from_rpy({0, 0, kPi / 2})},
                     {2, {0, 0, 0.5}, Mat3::diagonal({0.1, 0.2, 0.25})},
                     {},
                     {}});
  return s;
}

Structure ball(double mass, Vec3 inertia) {
  Structure s;
  s.name = "ball";
  s.links.push_back({"body", -1, {}, {mass, {}, Mat3::diagonal(inertia)}, {}, {}});
  return s;
}

TEST(RigidPlant, AForceOnARotatedAndTranslatedLinkActsAtItsPointInItsFrame) {
  RigidPlant plant(two_links(), 0);
  // 10 N along the arm's x, which is the body's y, 0.2 m along the arm's y, which is the body's -x:
  // at body (0.8, 0, 0), so the torque about Bo is (0, 0, 8) N m
  plant.apply(1, {0, 0.2, 0}, {{10, 0, 0}, {}});
  const MassProperties m = plant.mass();
  // by hand: 5 kg at (0.4, 0, 0.2)
  EXPECT_NEAR(m.mass_kg, 5, 1e-15);
  EXPECT_NEAR(m.center_of_mass_m.x, 0.4, 1e-15);
  EXPECT_NEAR(m.center_of_mass_m.z, 0.2, 1e-15);
  // Ixx: 0.3 + 0.2 (the arm's y) + 3 * 0.2^2 + 2 * 0.3^2
  EXPECT_NEAR(m.inertia_kgm2(0, 0), 0.3 + 0.2 + 0.12 + 0.18, 1e-14);
  EXPECT_NEAR(m.inertia_kgm2(2, 2), 0.5 + 0.25 + 3 * 0.16 + 2 * 0.36, 1e-14);
  EXPECT_NEAR(m.inertia_kgm2(0, 2), -(3 * 0.4 * 0.2 + 2 * 0.6 * 0.3), 1e-14);

  const double dt = 1e-6;
  plant.step(dt);
  // momentum after the impulse: 10 N dt along y, 8 N m dt about z at the world's origin
  const Motion after = plant.motion();
  EXPECT_NEAR(after.momentum_W.force.y / dt, 10, 1e-9);
  EXPECT_NEAR(after.momentum_W.force.x / dt, 0, 1e-6);
  EXPECT_NEAR(after.momentum_W.torque.z / dt, 8, 1e-6);
  EXPECT_NEAR(after.momentum_W.torque.x / dt, 0, 1e-6);
}

TEST(RigidPlant, AWrenchTurnsWithACraftThatIsTurned) {
  RigidPlant plant(two_links(), 0);
  plant.place({{5, -3, 2}, from_rpy({0, kPi / 2, 0})}, {});
  plant.apply(1, {}, {{0, 0, 4}, {0, 0, 3}});  // body z is world x here
  plant.step(1e-6);
  const Motion after = plant.motion();
  EXPECT_NEAR(after.momentum_W.force.x, 4e-6, 1e-12);
  EXPECT_NEAR(after.momentum_W.force.z, 0, 1e-12);
  // the arm's origin is at body (1, 0, 0), which is world (5, -3, 1): r x F = (0, 4, 12), plus 3 in
  // x
  EXPECT_NEAR(after.momentum_W.torque.x, 3e-6, 1e-11);
  EXPECT_NEAR(after.momentum_W.torque.y, 4e-6, 1e-11);
  EXPECT_NEAR(after.momentum_W.torque.z, 12e-6, 1e-11);
}

TEST(RigidPlant, AWrenchActsForOneStepOnly) {
  RigidPlant plant(ball(2, {1, 1, 1}), 0);
  plant.apply(0, {}, {{6, 0, 0}, {}});
  plant.step(0.1);
  plant.step(0.1);
  EXPECT_NEAR(plant.state().V_WB_B.v.x, 0.3, 1e-15);
}

TEST(RigidPlant, NoWrenchThatIsNotFiniteIsTaken) {
  RigidPlant plant(ball(2, {1, 1, 1}), kGravity);
  plant.apply(0, {}, {{std::numeric_limits<double>::quiet_NaN(), 0, 0}, {}});
  plant.apply(0, {0, std::numeric_limits<double>::infinity(), 0}, {{1, 0, 0}, {}});
  plant.apply(7, {}, {{1, 0, 0}, {}});
  plant.step(0.1);
  EXPECT_EQ(plant.state().V_WB_B.v.x, 0);
  EXPECT_TRUE(is_finite(plant.state().V_WB_B));
}

TEST(RigidPlant, ProjectileFliesItsParabolaToRounding) {
  RigidPlant plant(two_links(), kGravity);
  plant.place({{0, 0, 10}, {}}, {{3, 4, 20}, {}});
  for (int i = 0; i < 2000; ++i) plant.step(1e-3);
  const Vec3 p = plant.state().X_WB.p;
  EXPECT_NEAR(p.x, 6, 1e-11);
  EXPECT_NEAR(p.y, 8, 1e-11);
  EXPECT_NEAR(p.z, 10 + 40 - 2 * kGravity, 1e-11);
}

TEST(RigidPlant, ARocketGainsWhatTsiolkovskySays) {
  // 100 kg, 60 of them fuel in a tank 1 m ahead; 2 kg/s at 2500 m/s for 30 s
  Structure s = ball(40, {10, 20, 30});
  s.links.push_back({"tank", 0, {{0, 0, 1}, {}}, {60, {}, Mat3::diagonal({6, 6, 3})}, {}, {}});
  double error_before = 0;
  for (const double dt : {0.02, 0.01}) {
    RigidPlant plant(s, 0);
    const int n = static_cast<int>(std::lround(30 / dt));
    for (int i = 0; i < n; ++i) {
      plant.apply(0, {}, {{0, 0, 5000}, {}});
      plant.step(dt);
      const double left = 60 - 2 * dt * (i + 1);
      ASSERT_TRUE(plant.set_mass(1, {left, {}, Mat3::diagonal({left / 10, left / 10, left / 20})}));
    }
    const double exact = 2500 * std::log(100.0 / 40.0);
    const double error = std::abs(plant.state().V_WB_B.v.z - exact);
    // mass is held during a step: the sum is a rectangle rule, of first order
    EXPECT_LT(error, 2500 * dt * 2 * (1.0 / 40 - 1.0 / 100));
    if (error_before > 0) {
      EXPECT_NEAR(error_before / error, 2, 0.01);
    }
    error_before = error;
    EXPECT_NEAR(plant.mass().mass_kg, 40, 1e-9);
    EXPECT_NEAR(plant.mass().center_of_mass_m.z, 0, 1e-12);
  }
}

TEST(RigidPlant, WhatLeavesTakesItsMomentumAlong) {
  RigidPlant plant(two_links(), 0);
  const Twist V{{1, 2, 3}, {0.1, -0.2, 0.3}};
  plant.place({}, V);
  ASSERT_TRUE(plant.set_mass(1, {}));
  EXPECT_EQ(plant.state().V_WB_B, V);
  EXPECT_EQ(plant.mass().mass_kg, 3);
  EXPECT_EQ(plant.mass().center_of_mass_m, Vec3{});
}

TEST(RigidPlant, MassesOfSeveralLinksMayChangeInTurn) {
  Structure s = two_links();
  RigidPlant plant(s, kGravity);
  for (int i = 1; i <= 20; ++i) {
    const std::size_t k = i % 3 == 0 ? 0 : 1;
    const double m = 3 - 0.1 * i;
    s.links[k].mass = {m, {0.01 * i, 0, 0.2}, Mat3::diagonal({0.1 * m, 0.2 * m, 0.25 * m})};
    ASSERT_TRUE(plant.set_mass(k, s.links[k].mass));
    const MassProperties a = plant.mass(), b = mass_of(s);
    EXPECT_NEAR(a.mass_kg, b.mass_kg, 1e-14);
    EXPECT_LT(norm(a.center_of_mass_m - b.center_of_mass_m), 1e-14);
    for (std::size_t j = 0; j < 9; ++j)
      EXPECT_NEAR(a.inertia_kgm2.m[j], b.inertia_kgm2.m[j], 1e-13);
  }
}

TEST(RigidPlant, ATorqueFreeSpinPrecessesAsEulerSays) {
  // symmetric about z: w_x turns at (I3 - I1) / I1 w_z in body axes, about H at H / I1 in the world
  RigidPlant plant(ball(1, {2, 2, 3}), 0);
  plant.place({}, {{}, {0.4, 0, 5}});
  const int n = 4000;
  const double dt = 1e-3, t = n * dt;
  const Vec3 H = plant.motion().momentum_W.torque;
  for (int i = 0; i < n; ++i) plant.step(dt);
  const double turn = 0.5 * 5 * t;
  EXPECT_NEAR(plant.state().V_WB_B.w.x, 0.4 * std::cos(turn), 1e-9);
  EXPECT_NEAR(plant.state().V_WB_B.w.y, 0.4 * std::sin(turn), 1e-9);
  EXPECT_NEAR(plant.state().V_WB_B.w.z, 5, 1e-12);

  const Vec3 axis = rotate(plant.state().X_WB.q, {0, 0, 1});
  const Vec3 start = rotate(from_rotation_vector((t / 2) * H), {0, 0, 1});
  EXPECT_NEAR(norm(axis - start), 0, 1e-9);
}

TEST(RigidPlant, EnergyAndMomentumCloseWhileItTumbles) {
  RigidPlant plant(two_links(), kGravity);
  plant.place({{0, 0, 100}, from_rpy({0.3, 0.2, 0.1})}, {{1, -2, 3}, {2, 3, -4}});
  const Motion before = plant.motion();
  const double dt = 1e-3;
  for (int i = 0; i < 2000; ++i) plant.step(dt);
  const Motion after = plant.motion();
  const double energy = before.kinetic_J + before.potential_J;
  EXPECT_NEAR(after.kinetic_J + after.potential_J, energy, 1e-9 * energy);
  EXPECT_NEAR(after.momentum_W.force.x, before.momentum_W.force.x, 1e-8);
  EXPECT_NEAR(after.momentum_W.force.z, before.momentum_W.force.z - 5 * kGravity * 2, 1e-8);
}

TEST(RigidPlant, AHoverHoldsWhenThrustIsWeight) {
  RigidPlant plant(two_links(), kGravity);
  for (int i = 0; i < 1000; ++i) {
    plant.apply(0, plant.mass().center_of_mass_m, {{0, 0, 5 * kGravity}, {}});
    plant.step(1e-3);
  }
  EXPECT_NEAR(plant.state().X_WB.p.z, 0, 1e-12);
  EXPECT_NEAR(norm(plant.state().V_WB_B.w), 0, 1e-12);
}

TEST(RigidPlant, AFallInAirEndsAtTerminalVelocity) {
  const double c = 0.5 * 1.225 * 1.1 * 0.4, m = 3;  // drag area 0.44 m^2
  RigidPlant plant(ball(m, {1, 1, 1}), kGravity);
  for (int i = 0; i < 20000; ++i) {
    const double v = plant.state().V_WB_B.v.z;
    plant.apply(0, {}, {{0, 0, -c * v * std::abs(v)}, {}});
    plant.step(1e-3);
  }
  EXPECT_NEAR(plant.state().V_WB_B.v.z, -std::sqrt(m * kGravity / c), 1e-9);
}

TEST(RigidPlant, ImpossibleMassesAreRefusedAndChangeNothing) {
  RigidPlant plant(two_links(), kGravity);
  const MassProperties before = plant.mass();
  EXPECT_FALSE(plant.set_mass(1, {-1, {}, {}}));
  EXPECT_FALSE(plant.set_mass(1, {std::numeric_limits<double>::quiet_NaN(), {}, {}}));
  EXPECT_FALSE(plant.set_mass(1, {1, {}, Mat3::diagonal({1, -1, 1})}));
  EXPECT_FALSE(plant.set_mass(2, {1, {}, {}}));
  EXPECT_EQ(plant.mass(), before);
  // a body without any inertia left
  RigidPlant alone(ball(1, {1, 1, 1}), 0);
  EXPECT_FALSE(alone.set_mass(0, {}));
  EXPECT_EQ(alone.mass().mass_kg, 1);
}

TEST(RigidPlant, ItStandsOnItsFeetAndItsWeightIsCarried) {
  Structure s = ball(8, {1, 1, 1});
  s.links[0].shapes.push_back({vehicle::ShapeKind::kBox, {0.4, 0.3, 0.5}, {}});
  RigidPlant plant(s, kGravity, Ground(GroundParams{1, 0.5}, {}));
  plant.place({{0, 0, 1.6}, {}}, {});
  for (int i = 0; i < 3000; ++i) plant.step(1e-3);
  EXPECT_NEAR(plant.contact_force_W().z, 8 * kGravity, 1e-6);
  // four of eight corners stand, each with an eighth of the mass: twice as deep as g / w^2
  EXPECT_NEAR(plant.state().X_WB.p.z, 1.5 - 2 * kGravity / 4900, 1e-6);
  EXPECT_NEAR(norm(plant.state().V_WB_B.v), 0, 1e-6);

  // pushed with less than friction holds it stands; with more it goes
  for (int i = 0; i < 500; ++i) {
    plant.apply(0, {0, 0, -0.5}, {{0.4 * 8 * kGravity, 0, 0}, {}});
    plant.step(1e-3);
  }
  EXPECT_LT(std::abs(plant.state().V_WB_B.v.x), 1e-4);
  EXPECT_LT(std::abs(plant.state().X_WB.p.x), 2e-3);
  const double x = plant.state().X_WB.p.x;
  for (int i = 0; i < 500; ++i) {
    plant.apply(0, {0, 0, -0.5}, {{0.7 * 8 * kGravity, 0, 0}, {}});
    plant.step(1e-3);
  }
  EXPECT_GT(plant.state().X_WB.p.x, x + 0.5 * 0.19 * kGravity * 0.25);
}

TEST(RigidPlant, WhatStandsDoesNotTurnWhateverTheStep) {
  for (const double dt : {1e-3, 2e-3, 4e-3, 5e-3}) {
    Structure s = ball(8, {1, 1.2, 0.1});
    s.links[0].shapes.push_back({vehicle::ShapeKind::kBox, {0.4, 0.3, 0.5}, {}});
    RigidPlant plant(s, kGravity, Ground(GroundParams{0, 0.5}, {}));
    // set down a little leant, turning and sliding
    plant.place({{0, 0, 0.53}, from_rpy({0.02, -0.01, 0.3})}, {{0.3, -0.1, 0}, {0, 0, 0.5}});
    const int n = static_cast<int>(4 / dt);
    double turns = 0, slides = 0;
    Pose rest;
    for (int i = 0; i < n; ++i) {
      plant.step(dt);
      if (i == n * 3 / 4) rest = plant.state().X_WB;
      if (i < n * 3 / 4) continue;
      turns = std::max(turns, std::abs(plant.state().V_WB_B.w.z));
      slides = std::max(slides, std::hypot(plant.state().V_WB_B.v.x, plant.state().V_WB_B.v.y));
    }
    EXPECT_LT(turns, 1e-6) << "step " << dt;
    EXPECT_LT(slides, 1e-6) << "step " << dt;
    EXPECT_LT(norm(plant.state().X_WB.p - rest.p), 1e-6);
  }
}

TEST(RigidPlant, WhatSlidesIsBrakedByMuGAndNoMore) {
  // a block that is low: no tipping, no turning
  Structure s = ball(8, {1, 1, 1});
  s.links[0].shapes.push_back({vehicle::ShapeKind::kBox, {0.5, 0.5, 1e-3}, {}});
  RigidPlant plant(s, kGravity, Ground(GroundParams{0, 0.5}, {}));
  plant.place({{0, 0, 1e-3 - 2 * kGravity / 4900}, {}}, {{3, 0, 0}, {}});
  for (int i = 0; i < 400; ++i) plant.step(1e-3);
  EXPECT_NEAR(plant.state().V_WB_B.v.x, 3 - 0.5 * kGravity * 0.4, 2e-3);
  for (int i = 0; i < 400; ++i) plant.step(1e-3);
  EXPECT_NEAR(plant.state().V_WB_B.v.x, 0, 1e-9) << "3 m/s are gone after 0.61 s";
}

TEST(RigidPlant, WhatCannotFlyIsRefused) {
  Structure moving = two_links();
  moving.links[1].joint = {"j", vehicle::JointKind::kHinge, {0, 0, 1}, false, 0, 0, 0, 0};
  EXPECT_THROW(RigidPlant(moving, kGravity), std::invalid_argument);
  Structure weightless = ball(0, {0, 0, 0});
  EXPECT_THROW(RigidPlant(weightless, kGravity), std::invalid_argument);
  Structure twins = two_links();
  twins.links[1].name = "body";
  EXPECT_THROW(RigidPlant(twins, kGravity), std::invalid_argument);
}

TEST(RigidPlant, LinksAreWhereTheStructurePutsThem) {
  RigidPlant plant(two_links(), 0);
  plant.place({{1, 2, 3}, from_rpy({0, 0, kPi / 2})}, {{1, 0, 0}, {0, 0, 2}});
  const LinkState arm = plant.link(1);
  EXPECT_NEAR(norm(arm.X_WL.p - Vec3{1, 3, 3}), 0, 1e-15);
  // v at the arm in body axes: (1, 0, 0) + (0, 0, 2) x (1, 0, 0) = (1, 2, 0); in arm axes (2, -1,
  // 0)
  EXPECT_NEAR(norm(arm.V_WL_L.v - Vec3{2, -1, 0}), 0, 1e-15);
}

}  // namespace
}  // namespace pintle::world
