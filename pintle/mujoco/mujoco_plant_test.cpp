#include "pintle/mujoco/mujoco_plant.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "pintle/world/rigid_plant.h"

namespace pintle::mujoco {
namespace {

using vehicle::Joint;
using vehicle::JointKind;
using vehicle::Link;
using vehicle::MassProperties;
using vehicle::ShapeKind;
using vehicle::Structure;
using world::Ground;
using world::GroundParams;
using world::LinkState;
using world::Motion;
using world::RigidPlant;

constexpr double kGravity = 9.80665;

Link link(std::string name, int parent, Pose X_PL, MassProperties mass, Joint joint = {}) {
  return {std::move(name), parent, X_PL, mass, std::move(joint), {}};
}

Joint hinge(Vec3 axis) { return {"hinge", JointKind::kHinge, axis, false, 0, 0, 0, 0}; }

// a body of 3 kg, and a link of 2 kg turned by 90 degrees about z, 1 m ahead of it, its centre of
// mass and inertia off its axes
Structure two_links() {
  Structure s;
  s.name = "two";
  s.links.push_back(link("body", -1, {}, {3, {}, Mat3::diagonal({0.3, 0.4, 0.5})}));
  Mat3 tilted = Mat3::diagonal({0.1, 0.2, 0.25});
  tilted(0, 1) = tilted(1, 0) = 0.02;
  s.links.push_back(
      link("arm", 0, {{1, 0, 0}, from_rpy({0, 0, kPi / 2})}, {2, {0, 0, 0.5}, tilted}));
  return s;
}

Structure ball(double mass) {
  Structure s;
  s.name = "ball";
  s.links.push_back(link("body", -1, {}, {mass, {}, Mat3::diagonal({1, 1, 1})}));
  return s;
}

double apart(const world::Plant& a, const world::Plant& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.links(); ++i) {
    const LinkState x = a.link(i), y = b.link(i);
    worst = std::max({worst, norm(x.X_WL.p - y.X_WL.p), norm(x.V_WL_L.v - y.V_WL_L.v),
                      norm(x.V_WL_L.w - y.V_WL_L.w),
                      norm(to_rotation_vector(conjugate(x.X_WL.q) * y.X_WL.q))});
  }
  return worst;
}

const Pose kStart{{1, 2, 50}, from_rpy({0.3, -0.2, 0.5})};
const Twist kTumble{{1, -2, 3}, {0.6, 0.8, -0.7}};

// how far the two plants are apart after one second of free flight
double apart_after(Integrator integrator, double dt, bool pushed) {
  MujocoPlant a(two_links(), {kGravity, integrator, false});
  // the reference steps finely enough to count as exact
  const int n = static_cast<int>(std::lround(1 / dt)), fine = 8;
  RigidPlant b(two_links(), kGravity);
  a.place(kStart, kTumble), b.place(kStart, kTumble);
  const Wrench F{{3, -1, 20}, {0.2, 0.1, -0.3}};
  for (int i = 0; i < n; ++i) {
    if (pushed) a.apply(1, {0, 0.2, 0.1}, F);
    a.step(dt);
    for (int k = 0; k < fine; ++k) {
      if (pushed) b.apply(1, {0, 0.2, 0.1}, F);
      b.step(dt / fine);
    }
  }
  return apart(a, b);
}

TEST(BothPlants, AgreeAtTheStartAndAfterBeingPlaced) {
  MujocoPlant a(two_links());
  RigidPlant b(two_links(), kGravity);
  EXPECT_LT(apart(a, b), 1e-15);
  a.place(kStart, kTumble), b.place(kStart, kTumble);
  EXPECT_LT(apart(a, b), 1e-14);
  const MassProperties m = a.mass(), n = b.mass();
  EXPECT_NEAR(m.mass_kg, n.mass_kg, 1e-15);
  EXPECT_NEAR(norm(m.center_of_mass_m - n.center_of_mass_m), 0, 1e-14);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(m.inertia_kgm2.m[i], n.inertia_kgm2.m[i], 1e-13);
  EXPECT_NEAR(a.motion().kinetic_J, b.motion().kinetic_J, 1e-12);
  EXPECT_NEAR(a.motion().potential_J, b.motion().potential_J, 1e-10);
  EXPECT_NEAR(norm(a.motion().momentum_W.torque - b.motion().momentum_W.torque), 0, 1e-11);
}

TEST(BothPlants, AgreeInFreeFlightToTheSecondOrderWithRungeKutta) {
  const double coarse = apart_after(Integrator::kRk4, 0.004, false);
  const double fine = apart_after(Integrator::kRk4, 0.002, false);
  EXPECT_LT(fine, 2e-6);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1);
}

TEST(BothPlants, AgreeToRoundingOnAParabola) {
  MujocoPlant a(two_links(), {kGravity, Integrator::kRk4, false});
  RigidPlant b(two_links(), kGravity);
  a.place(kStart, {{1, -2, 3}, {}}), b.place(kStart, {{1, -2, 3}, {}});
  for (int i = 0; i < 100; ++i) a.step(0.01), b.step(0.01);
  EXPECT_LT(apart(a, b), 1e-11);
}

TEST(BothPlants, AgreeInFreeFlightToTheFirstOrderWithEuler) {
  const double coarse = apart_after(Integrator::kEuler, 0.002, false);
  const double fine = apart_after(Integrator::kEuler, 0.001, false);
  EXPECT_LT(fine, 0.02);
  EXPECT_NEAR(std::log2(coarse / fine), 1, 0.1);
}

TEST(BothPlants, AgreeUnderAWrenchOnARotatedAndTranslatedLink) {
  for (const Integrator integrator : {Integrator::kRk4, Integrator::kEuler}) {
    const double coarse = apart_after(integrator, 0.002, true);
    const double fine = apart_after(integrator, 0.001, true);
    EXPECT_LT(fine, 0.05);
    EXPECT_NEAR(std::log2(coarse / fine), 1, 0.15);
  }
}

TEST(BothPlants, AForceOnARotatedAndTranslatedLinkActsAtItsPointInItsFrame) {
  MujocoPlant plant(two_links(), {0, Integrator::kEuler, false});
  // 10 N along the arm's x (the body's y), at body (0.8, 0, 0): 8 N m about z at the origin
  plant.apply(1, {0, 0.2, 0}, {{10, 0, 0}, {0, 0, 1}});
  const double dt = 1e-6;
  plant.step(dt);
  const Motion after = plant.motion();
  EXPECT_NEAR(after.momentum_W.force.y / dt, 10, 1e-7);
  EXPECT_NEAR(after.momentum_W.force.x / dt, 0, 1e-4);
  EXPECT_NEAR(after.momentum_W.torque.z / dt, 9, 1e-4);
  EXPECT_NEAR(after.momentum_W.torque.x / dt, 0, 1e-4);
  plant.step(dt);  // it acted for one step only
  EXPECT_NEAR(plant.motion().momentum_W.force.y / dt, 10, 1e-7);
}

TEST(MujocoPlant, AMassThatChangesIsFeltAtOnce) {
  MujocoPlant plant(ball(2), {0, Integrator::kEuler, false});
  plant.apply(0, {}, {{6, 0, 0}, {}});
  plant.step(0.1);
  EXPECT_NEAR(plant.link(0).V_WL_L.v.x, 0.3, 1e-12);
  ASSERT_TRUE(plant.set_mass(0, {4, {}, Mat3::diagonal({2, 2, 2})}));
  plant.apply(0, {}, {{6, 0, 0}, {0, 0, 1}});
  plant.step(0.1);
  const LinkState s = plant.link(0);
  EXPECT_NEAR(rotate(s.X_WL.q, s.V_WL_L.v).x, 0.45, 1e-12);
  EXPECT_NEAR(plant.link(0).V_WL_L.w.z, 0.05, 1e-12);
}

TEST(MujocoPlant, MassesWrittenDirectlyAreThoseOfSetConst) {
  // a tree with every kind of joint, so that subtrees overlap
  Structure s = two_links();
  s.links.push_back(link("leg", 0, {{0, 1, -0.5}, from_rpy({0.4, 0.1, 0.2})},
                         {1, {0.1, 0, -0.3}, Mat3::diagonal({0.1, 0.1, 0.02})}, hinge({1, 0, 0})));
  s.links.push_back(link("foot", 2, {{0, 0, -0.6}, from_rpy({0.2, 0, 0})},
                         {0.3, {0, 0.01, 0}, Mat3::diagonal({0.01, 0.02, 0.01})},
                         {"strut", JointKind::kSlide, {0, 0.6, 0.8}, true, -0.1, 0.1, 5, 100}));
  MujocoPlant plant(s);
  EXPECT_LT(plant.deviation_from_set_const(), 1e-12);
  // steps smaller than what settles all of it, and larger ones; a centre that wanders
  for (int i = 1; i <= 40; ++i) {
    const double m = 2 - 0.045 * i;
    Mat3 I = Mat3::diagonal({0.1 * m, 0.2 * m, 0.25 * m});
    I(0, 2) = I(2, 0) = 0.01 * m;
    ASSERT_TRUE(plant.set_mass(1, {m, {0.01 * i, 0, 0.5 - 0.01 * i}, I}));
    ASSERT_TRUE(plant.set_mass(3, {0.3 + 0.001 * i, {0, 0.01, 0}, Mat3::diagonal({1, 1, 1})}));
    // links on the way up, in turn with those that hang on them
    if (i % 3 == 0) {
      ASSERT_TRUE(plant.set_mass(2, {1 + 0.01 * i, {0.1, 0, -0.3}, Mat3::diagonal({1, 1, 0.2})}));
    }
    if (i % 4 == 0) {
      ASSERT_TRUE(plant.set_mass(0, {3 + 0.01 * i, {0, 0.01, 0}, Mat3::diagonal({1, 2, 2.5})}));
    }
    EXPECT_LT(plant.deviation_from_set_const(), 1e-12) << i;
    plant.step(1e-3);
  }
}

TEST(MujocoPlant, WrenchesActForOneStepOnly) {
  MujocoPlant plant(two_links(), {0, Integrator::kEuler, false});
  for (const std::size_t i : {1U, 0U, 1U}) plant.apply(i, {}, {{1, 2, 3}, {0.1, 0.2, 0.3}});
  plant.step(0.01);
  const Wrench once = plant.motion().momentum_W;
  EXPECT_GT(norm(once.force), 0.05);
  for (int i = 0; i < 10; ++i) plant.step(0.01);
  EXPECT_LT(norm(plant.motion().momentum_W.force - once.force), 1e-6);
}

TEST(BothPlants, AgreeWhileATankDrains) {
  Structure s = two_links();
  MujocoPlant a(s, {kGravity, Integrator::kRk4, false});
  RigidPlant b(s, kGravity);
  a.place(kStart, kTumble), b.place(kStart, kTumble);
  for (int i = 1; i <= 500; ++i) {
    const double m = 2 - 0.0035 * i;
    const MassProperties tank{m, {0, 0, 0.25 * m}, Mat3::diagonal({0.1 * m, 0.2 * m, 0.25 * m})};
    ASSERT_TRUE(a.set_mass(1, tank));
    ASSERT_TRUE(b.set_mass(1, tank));
    a.step(1e-3), b.step(1e-3);
  }
  EXPECT_LT(apart(a, b), 1e-6);
}

TEST(MujocoPlant, ImpossibleMassesAreRefusedAndChangeNothing) {
  Structure s = two_links();
  s.links[1].joint = hinge({0, 0, 1});
  MujocoPlant plant(s);
  EXPECT_FALSE(plant.set_mass(0, {-1, {}, {}}));
  EXPECT_FALSE(plant.set_mass(9, {1, {}, {}}));
  EXPECT_FALSE(plant.set_mass(1, {}));  // the hinge would have nothing to turn
  EXPECT_NEAR(plant.mass().mass_kg, 5, 1e-15);
  EXPECT_LT(plant.deviation_from_set_const(), 1e-12);
  plant.apply(0, {}, {{std::numeric_limits<double>::quiet_NaN(), 0, 0}, {}});
  plant.drive(1, std::numeric_limits<double>::infinity());
  plant.step(1e-3);
  EXPECT_EQ(plant.unstable_steps(), 0U);
  EXPECT_TRUE(is_finite(plant.link(1).V_WL_L));
}

TEST(MujocoPlant, AnArmOnAFloatingBodyKeepsEnergyAndMomentum) {
  Structure s = two_links();
  s.links[1].joint = hinge({0.6, 0, 0.8});
  MujocoPlant plant(s, {0, Integrator::kRk4, false});
  plant.place({}, kTumble);
  plant.set_joint(1, 0.4, 3);
  const Motion before = plant.motion();
  for (int i = 0; i < 2000; ++i) plant.step(1e-3);
  const Motion after = plant.motion();
  EXPECT_GT(std::abs(plant.joint_position(1)), 1);
  EXPECT_NEAR(after.kinetic_J, before.kinetic_J, 1e-6 * before.kinetic_J);
  EXPECT_NEAR(norm(after.momentum_W.force - before.momentum_W.force), 0, 1e-5);
  EXPECT_NEAR(norm(after.momentum_W.torque - before.momentum_W.torque), 0, 1e-5);
}

TEST(MujocoPlant, AHingedRodSwingsWithThePeriodOfAPendulum) {
  // hung on a body so heavy that it does not move, without weight but pushed along at one g: period
  // 2 pi sqrt(I / m g l) of a rod of 1 m hinged at its end, I = m l^2 / 3
  Structure s = ball(1e9);
  s.links[0].mass.inertia_kgm2 = Mat3::diagonal({1e9, 1e9, 1e9});
  s.links.push_back(link("rod", 0, {},
                         {2, {0, 0, -0.5}, Mat3::diagonal({2.0 / 12, 2.0 / 12, 1e-3})},
                         hinge({0, 1, 0})));
  MujocoPlant plant(s, {0, Integrator::kRk4, false});
  plant.set_joint(1, 0.01, 0);
  const double dt = 1e-4, period = 2 * kPi * std::sqrt((1.0 / 3) / (kGravity * 0.5));
  // weight of the rod alone, turned into the rod's frame
  double crossing = 0, last = plant.joint_position(1);
  for (int i = 0; i < 20000 && crossing == 0; ++i) {
    const Quat q_LW = conjugate(plant.link(1).X_WL.q);
    plant.apply(1, {0, 0, -0.5}, {rotate(q_LW, {0, 0, -2 * kGravity}), {}});
    plant.step(dt);
    const double now = plant.joint_position(1);
    if (last > 0 && now <= 0) crossing = dt * (i + last / (last - now));
    last = now;
  }
  EXPECT_NEAR(crossing, period / 4, 2e-4 * period);
}

TEST(MujocoPlant, ALanderStandsOnSprungLegsAndItsWeightIsCarried) {
  Structure s = ball(20);
  const Joint strut{"strut", JointKind::kSlide, {0, 0, 1}, true, -0.05, 0.3, 300, 4000};
  for (int k = 0; k < 3; ++k) {
    const double a = k * 2 * kPi / 3;
    Link leg = link("leg" + std::to_string(k), 0, {{std::cos(a), std::sin(a), -1}, {}},
                    {0.5, {}, Mat3::diagonal({0.01, 0.01, 0.01})}, strut);
    leg.shapes.push_back({ShapeKind::kSphere, {0.05, 0, 0}, {}});
    s.links.push_back(leg);
  }
  MujocoPlant plant(s, {kGravity, Integrator::kEuler, false},
                    Ground(GroundParams{0, 0.5}, {{"pad", {0, 0, 0.15}, 2}}));
  plant.place({{0, 0, 1.5}, {}}, {{0, 0, -0.5}, {}});
  EXPECT_FALSE(plant.touching());
  for (int i = 0; i < 6000; ++i) plant.step(1e-3);
  EXPECT_TRUE(plant.touching());
  EXPECT_NEAR(plant.contact_force_W().z, 21.5 * kGravity, 1e-3 * 21.5 * kGravity);
  EXPECT_NEAR(plant.contact_force_W().x, 0, 0.1);
  // each strut carries a third of the body
  EXPECT_NEAR(plant.joint_position(1), 20 * kGravity / 3 / 4000, 1e-4);
  EXPECT_NEAR(plant.link(1).X_WL.p.z, 0.15 + 0.05, 2e-3);
  EXPECT_LT(norm(plant.link(0).V_WL_L.v), 1e-4);
}

TEST(MujocoPlant, FrictionHoldsUpToItsCoefficient) {
  Structure s = ball(8);
  s.links[0].shapes.push_back({ShapeKind::kBox, {0.4, 0.3, 0.1}, {}});
  MujocoPlant plant(s, {}, Ground(GroundParams{0, 0.5}, {}));
  plant.place({{0, 0, 0.1}, {}}, {});
  for (const double share : {0.4, 0.6}) {
    const double x = plant.link(0).X_WL.p.x;
    for (int i = 0; i < 500; ++i) {
      plant.apply(0, {0, 0, -0.1}, {{share * 8 * kGravity, 0, 0}, {}});
      plant.step(1e-3);
    }
    const double moved = plant.link(0).X_WL.p.x - x;
    if (share < 0.5) {
      EXPECT_LT(moved, 0.02);
    } else {
      EXPECT_GT(moved, 0.3 * 0.5 * 0.1 * kGravity * 0.25);
    }
  }
}

TEST(MujocoPlant, AStepThatBlowsUpIsTakenBack) {
  Structure s = two_links();
  s.links[1].joint = {"stiff", JointKind::kHinge, {0, 0, 1}, false, 0, 0, 0, 1e12};
  MujocoPlant plant(s);
  plant.set_joint(1, 1, 0);
  for (int i = 0; i < 200; ++i) plant.step(0.01);
  EXPECT_GT(plant.unstable_steps(), 0U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(is_finite(plant.link(i).X_WL));
    EXPECT_TRUE(is_finite(plant.link(i).V_WL_L));
  }
}

TEST(MujocoPlant, StructuresThatCannotMoveAreRefused) {
  Structure s = ball(0);
  s.links[0].mass.inertia_kgm2 = {};
  EXPECT_THROW(MujocoPlant{s}, std::invalid_argument);
  s = two_links();
  s.links[1].mass = {};
  s.links[1].joint = hinge({0, 0, 1});
  EXPECT_THROW(MujocoPlant{s}, std::invalid_argument);
  s = two_links();
  s.links[1].name = "body";
  EXPECT_THROW(MujocoPlant{s}, std::invalid_argument);
}

TEST(MujocoPlant, TheSameStepsGiveTheSameBits) {
  MujocoPlant a(two_links()), b(two_links());
  a.place(kStart, kTumble), b.place(kStart, kTumble);
  for (int i = 0; i < 200; ++i) a.step(1e-3), b.step(1e-3);
  EXPECT_EQ(a.link(1), b.link(1));
}

}  // namespace
}  // namespace pintle::mujoco
