#include "pintle/world/body_dynamics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "pintle/testing/heap_counter.h"

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

// nothing about it is symmetric
Body odd_body() {
  Body b;
  b.mass_kg = 12;
  b.inertia_kgm2 = {0.5, 0.9, 1.1};
  b.inertia_products_kgm2 = {0.06, -0.09, 0.04};
  b.center_of_mass_m = {0.05, -0.03, -0.08};
  b.volume_m3 = 0.0121;
  b.center_of_buoyancy_m = {0.02, 0.01, 0.06};
  return b;
}

Hydrodynamics odd_water() {
  return {{6, 14, 17, 0.3, 0.5, 0.4}, {4, 9, 8, 0.6, 0.5, 0.7}, {20, 50, 60, 1.5, 1.2, 1.1}};
}

BodyState tumbling() {
  BodyState s;
  s.X_WB = {{1, -2, -5}, from_rpy({0.4, -0.7, 2.1})};
  s.V_WB_B = {{0.6, -0.4, 0.3}, {1.1, -0.8, 1.7}};
  return s;
}

void run(const BodyDynamics& d, BodyState& s, double seconds, double dt, const Wrench& tau = {},
         Vec3 current = {}) {
  const int n = static_cast<int>(std::lround(seconds / dt));
  for (int i = 0; i < n; ++i) d.step(s, tau, current, {}, dt);
}

double distance(const BodyState& a, const BodyState& b) {
  const Quat turn = conjugate(a.X_WB.q) * b.X_WB.q;
  return norm(a.X_WB.p - b.X_WB.p) + norm(to_rotation_vector(turn)) +
         norm(a.V_WB_B.v - b.V_WB_B.v) + norm(a.V_WB_B.w - b.V_WB_B.w);
}

// ---- rigid body

TEST(BodyDynamics, MomentumAndEnergyAreConservedByATumblingBodyInVacuum) {
  // the coefficients of the water must not matter
  const BodyDynamics d(odd_body(), odd_water(), 0, 0, 0);
  BodyState s = tumbling();
  const double energy = d.kinetic_energy(s);
  const Wrench momentum = d.momentum_W(s);
  const Vec3 com = s.X_WB.p + rotate(s.X_WB.q, odd_body().center_of_mass_m);
  run(d, s, 20, kDt);
  EXPECT_GT(norm(to_rotation_vector(conjugate(tumbling().X_WB.q) * s.X_WB.q)), 0.1);
  EXPECT_NEAR(d.kinetic_energy(s), energy, 1e-10 * energy);
  EXPECT_LT(norm(d.momentum_W(s).force - momentum.force), 1e-10 * norm(momentum.force));
  EXPECT_LT(norm(d.momentum_W(s).torque - momentum.torque), 1e-10 * norm(momentum.torque));
  // the centre of mass flies straight
  const Vec3 flown = s.X_WB.p + rotate(s.X_WB.q, odd_body().center_of_mass_m) - com;
  EXPECT_LT(norm(flown - (20 / odd_body().mass_kg) * momentum.force), 1e-9);
}

TEST(BodyDynamics, SpinningSymmetricTopPrecessesAtTheTorqueFreeRate) {
  Body b;
  b.mass_kg = 3;
  b.inertia_kgm2 = {0.4, 0.4, 0.7};
  const BodyDynamics d(b, {}, 0, 0, 0);
  BodyState s;
  s.V_WB_B.w = {0.3, 0, 2};
  run(d, s, 5, kDt);
  // in the body the transverse rate turns at (I3 - I1) / I1 * w3 = 1.5 rad/s
  EXPECT_NEAR(s.V_WB_B.w.x, 0.3 * std::cos(7.5), 1e-10);
  EXPECT_NEAR(s.V_WB_B.w.y, 0.3 * std::sin(7.5), 1e-10);
  EXPECT_NEAR(s.V_WB_B.w.z, 2, 1e-13);
  // in space the axis goes round the angular momentum at |L| / I1
  const Vec3 L{0.4 * 0.3, 0, 0.7 * 2};
  const Quat about_L = from_rotation_vector((5 / 0.4) * L);
  const Vec3 axis = rotate(about_L, {0, 0, 1});
  EXPECT_LT(norm(rotate(s.X_WB.q, {0, 0, 1}) - axis), 1e-9);
}

TEST(BodyDynamics, WhereTheOriginIsDoesNotChangeTheFlight) {
  // the body of `odd_body` and the same one described about its centre of mass
  Body about_com = odd_body();
  const Vec3 r = about_com.center_of_mass_m;
  about_com.center_of_mass_m = {};
  about_com.center_of_buoyancy_m -= r;
  const BodyDynamics d(odd_body(), {}, 1000, kGravity, kDeep),
      d_com(about_com, {}, 1000, kGravity, kDeep);
  const Wrench tau{{3, -2, 1}, {0.4, 0.2, -0.3}};
  const Wrench tau_com{tau.force, tau.torque - cross(r, tau.force)};
  BodyState s = tumbling(), s_com = tumbling();
  s_com.X_WB.p += rotate(s.X_WB.q, r);
  s_com.V_WB_B.v += cross(s.V_WB_B.w, r);
  run(d, s, 5, kDt, tau);
  run(d_com, s_com, 5, kDt, tau_com);
  s.X_WB.p += rotate(s.X_WB.q, r);
  s.V_WB_B.v += cross(s.V_WB_B.w, r);
  EXPECT_LT(distance(s, s_com), 1e-8);
}

TEST(BodyDynamics, AThrusterTurnedAndMovedGivesTheAccelerationComputedByHand) {
  Body b = neutral_body(2);
  const BodyDynamics d(b, {}, 1000, kGravity, kDeep);
  // 10 N along (cos 30, sin 30, 0) at (0.2, -0.1, 0.3); the body turned by yaw 90 does not matter
  const Vec3 force{10 * 0.86602540378443865, 5, 0};
  const Wrench tau = shift_to_origin({force, {}}, {0.2, -0.1, 0.3});
  BodyState s;
  s.X_WB = {{7, 8, 9}, from_rpy({0, 0, kPi / 2})};
  const Twist a = d.acceleration(s, tau, {}, {});
  EXPECT_NEAR(a.v.x, 4.3301270189221932, 1e-12);
  EXPECT_NEAR(a.v.y, 2.5, 1e-12);
  EXPECT_NEAR(a.v.z, 0, 1e-12);
  EXPECT_NEAR(a.w.x, -1.5, 1e-12);
  EXPECT_NEAR(a.w.y, 1.2990381056766580, 1e-12);
  EXPECT_NEAR(a.w.z, 0.46650635094610966, 1e-12);
}

TEST(BodyDynamics, ProductsOfInertiaStandInTheMatrixAsTheyAreGiven) {
  // two axes a, b with 2 and 1 kg m2 and a product of 0.5: inverse [1, -0.5; -0.5, 2] / 1.75
  constexpr std::size_t kPairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto [a, b] = kPairs[k];
    Body body = neutral_body(2);
    body.inertia_kgm2 = {3, 3, 3};
    body.inertia_kgm2[a] = 2;
    body.inertia_kgm2[b] = 1;
    body.inertia_products_kgm2[k] = 0.5;
    const BodyDynamics d(body, {}, 1000, kGravity, kDeep);
    Wrench tau;
    tau.torque[a] = 7;
    const Vec3 turning = d.acceleration({}, tau, {}, {}).w;
    EXPECT_NEAR(turning[a], 4, 1e-14) << k;
    EXPECT_NEAR(turning[b], -2, 1e-14) << k;
  }
}

TEST(BodyDynamics, TumblingTurnsBodyAndAddedInertiaAlike) {
  Hydrodynamics h;
  h.added_mass = {0, 0, 0, 0.5, 0.7, 0.9};
  const BodyDynamics d(neutral_body(2), h, 1000, kGravity, kDeep);
  BodyState s;
  s.V_WB_B.w = {1, 2, 3};
  // inertia 1.5, 2.7, 4.9: H = (1.5, 5.4, 14.7), w x H = (13.2, -10.2, 2.4)
  const Vec3 turning = d.acceleration(s, {}, {}, {}).w;
  EXPECT_NEAR(turning.x, -13.2 / 1.5, 1e-14);
  EXPECT_NEAR(turning.y, 10.2 / 2.7, 1e-14);
  EXPECT_NEAR(turning.z, -2.4 / 4.9, 1e-14);
}

TEST(BodyDynamics, AForceThroughTheCentreOfMassTurnsNothing) {
  Body b = odd_body();
  b.volume_m3 = 0;
  const BodyDynamics d(b, {}, 1000, 0, kDeep);
  const Vec3 force{6, -12, 24};
  const Twist a = d.acceleration({}, shift_to_origin({force, {}}, b.center_of_mass_m), {}, {});
  EXPECT_LT(norm(a.w), 1e-12);
  EXPECT_LT(norm(a.v - force / 12), 1e-12);
}

// ---- added mass and current

TEST(BodyDynamics, AddedMassDoesNoWorkOfItsOwn) {
  Body b = odd_body();
  b.center_of_buoyancy_m = b.center_of_mass_m;
  Hydrodynamics h = odd_water();
  h.linear_damping = h.quadratic_damping = {};
  const BodyDynamics d(b, h, 1000, 0, kDeep);
  BodyState s = tumbling();
  const double energy = d.kinetic_energy(s);
  run(d, s, 20, kDt);
  EXPECT_NEAR(d.kinetic_energy(s), energy, 1e-10 * energy);
}

TEST(BodyDynamics, ObliqueMotionMeetsTheMunkMoment) {
  Hydrodynamics h;
  h.added_mass = {10, 30, 0, 0, 0, 0};
  const BodyDynamics d(neutral_body(20), h, 1000, 0, kDeep);
  BodyState s;
  s.V_WB_B.v = {1, 0.5, 0};
  // -v x (M_A v) = -(1 * 15 - 0.5 * 10) = -10 N m about z; Izz = 4
  EXPECT_NEAR(d.acceleration(s, {}, {}, {}).w.z, -2.5, 1e-14);
  // the same oblique flow from a current, in a body turned by 90 degrees
  s = {};
  s.X_WB.q = from_rpy({0, 0, kPi / 2});
  EXPECT_NEAR(d.acceleration(s, {}, {0.5, -1, 0}, {}).w.z, -2.5, 1e-14);
}

TEST(BodyDynamics, AFreeBodyDriftsWithTheCurrent) {
  Body b = odd_body();
  b.volume_m3 = 0.012;
  const BodyDynamics d(b, odd_water(), 1000, kGravity, kDeep);
  BodyState s;
  s.X_WB.q = from_rpy({0, 0, 0.8});
  const Vec3 current{0.2, -0.1, 0};
  run(d, s, 200, 0.005, {}, current);
  EXPECT_LT(norm(rotate(s.X_WB.q, s.V_WB_B.v) - current), 1e-9);
  EXPECT_LT(norm(s.V_WB_B.w), 1e-9);
}

TEST(BodyDynamics, InASteadyCurrentEverythingHappensAsInStillWaterCarriedAlong) {
  const BodyDynamics d(odd_body(), odd_water(), 1000, kGravity, kDeep);
  const Vec3 current{0.3, -0.2, 0.1};
  const Wrench tau{{8, -3, 5}, {0.4, 0.2, -0.3}};
  BodyState still = tumbling(), carried = tumbling();
  carried.V_WB_B.v += rotate(conjugate(carried.X_WB.q), current);
  run(d, still, 5, kDt, tau);
  run(d, carried, 5, kDt, tau, current);
  carried.X_WB.p -= 5.0 * current;
  carried.V_WB_B.v -= rotate(conjugate(carried.X_WB.q), current);
  EXPECT_LT(distance(still, carried), 1e-8);
}

TEST(BodyDynamics, ANeutralBodyIsNotLeftBehindByWaterThatSpeedsUp) {
  Body b = odd_body();
  b.center_of_mass_m = b.center_of_buoyancy_m = {};
  b.mass_kg = 12.5, b.volume_m3 = 0.0125;
  const BodyDynamics d(b, odd_water(), 1000, kGravity, kDeep);
  BodyState s;
  s.X_WB.q = from_rpy({0.3, -0.2, 1.2});
  const Vec3 rate{0.1, -0.05, 0.02};
  for (int i = 0; i < 5000; ++i) d.step(s, {}, (i * kDt) * rate, rate, kDt);
  EXPECT_LT(norm(rotate(s.X_WB.q, s.V_WB_B.v) - 5.0 * rate), 1e-12);
  EXPECT_LT(norm(s.V_WB_B.w), 1e-12);
}

TEST(BodyDynamics, WaterThatSpeedsUpPushesAtTheCentreOfBuoyancy) {
  Body b = neutral_body(12.5);
  b.center_of_mass_m = b.center_of_buoyancy_m = {0.3, -0.2, 0.1};
  const BodyDynamics d(b, {}, 1000, kGravity, kDeep);
  // the whole body goes along, its origin far from the push, and nothing turns
  const Twist along = d.acceleration({}, {}, {}, {0.1, 0.2, -0.4});
  EXPECT_LT(norm(along.v - Vec3{0.1, 0.2, -0.4}), 1e-14);
  EXPECT_LT(norm(along.w), 1e-14);
}

TEST(BodyDynamics, ASymmetricVehicleStaysInItsPlane) {
  Body b = odd_body();
  b.inertia_products_kgm2 = {0, -0.09, 0};
  b.center_of_mass_m.y = b.center_of_buoyancy_m.y = 0;
  const BodyDynamics d(b, odd_water(), 1000, kGravity, kDeep);
  BodyState s;
  s.X_WB.q = from_rpy({0, 0.3, 0});
  run(d, s, 30, kDt, {{20, 0, -6}, {0, 1.5, 0}}, {0.2, 0, 0.1});
  EXPECT_GT(std::abs(s.X_WB.p.x), 1);
  EXPECT_EQ(s.X_WB.p.y, 0);
  EXPECT_EQ(s.V_WB_B.v.y, 0);
  EXPECT_EQ(s.V_WB_B.w.x, 0);
  EXPECT_EQ(s.V_WB_B.w.z, 0);
}

// ---- bookkeeping

TEST(BodyDynamics, NeutralBodyAtRestStaysAtRestExactly) {
  Body b = odd_body();
  b.center_of_buoyancy_m = b.center_of_mass_m;
  b.mass_kg = 12.5;  // 1000 kg/m3 times 1/80 m3, without rounding
  b.volume_m3 = 0.0125;
  const BodyDynamics d(b, odd_water(), 1000, 10, kDeep);
  BodyState s;
  s.X_WB.p = {1, 2, -3};
  run(d, s, 10, kDt);
  EXPECT_EQ(s.X_WB, (Pose{{1, 2, -3}, {}}));
  EXPECT_EQ(s.V_WB_B, Twist{});
}

TEST(BodyDynamics, WorkDoneGoesIntoMotionHeightAndDrag) {
  const Body b = odd_body();
  const Hydrodynamics h = odd_water();
  const BodyDynamics d(b, h, 1000, kGravity, kDeep);
  const Wrench tau{{12, -5, 9}, {0.6, 0.3, -0.5}};
  const auto potential = [&](const BodyState& s) {
    return b.mass_kg * kGravity * (s.X_WB.p + rotate(s.X_WB.q, b.center_of_mass_m)).z -
           1000 * b.volume_m3 * kGravity * (s.X_WB.p + rotate(s.X_WB.q, b.center_of_buoyancy_m)).z;
  };
  const auto power = [&](const BodyState& s) {
    const Vec6 nu = to_vec6(s.V_WB_B);
    double p = dot(to_vec6(tau), nu);
    for (std::size_t i = 0; i < 6; ++i)
      p -= (h.linear_damping[i] + h.quadratic_damping[i] * std::abs(nu[i])) * nu[i] * nu[i];
    return p;
  };
  BodyState s = tumbling();
  const double before = d.kinetic_energy(s) + potential(s);
  double work = 0, moved = 0;
  for (int i = 0; i < 20'000; ++i) {
    const double p0 = power(s);
    d.step(s, tau, {}, {}, 5e-4);
    work += 5e-4 * 0.5 * (p0 + power(s));
    moved += 5e-4 * std::abs(power(s));
  }
  EXPECT_NEAR(d.kinetic_energy(s) + potential(s), before + work, 1e-6 * moved);
}

TEST(BodyDynamics, HalvingTheStepDividesTheErrorBySixteen) {
  // |v| v has a kink where an axis changes its sign: quadratic drag on the axis that never does
  Body b = odd_body();
  Hydrodynamics h = odd_water();
  h.quadratic_damping = {20, 0, 0, 0, 0, 0};
  const BodyDynamics d(b, h, 1000, kGravity, kDeep);
  const auto fly = [&](double dt) {
    BodyState s;
    s.X_WB.q = from_rpy({0.3, -0.2, 2.1});
    s.V_WB_B = {{2.6, -0.2, 0.1}, {1.1, -0.8, 0.7}};
    const Wrench tau{{140, -16, 15}, {1, 2, -1}};
    const int n = static_cast<int>(std::lround(0.2 / dt));
    const Vec3 rate{0.3, -0.2, 0.1};
    for (int i = 0; i < n; ++i) d.step(s, tau, (i * dt) * rate, rate, dt);
    EXPECT_GT(s.V_WB_B.v.x, 1);
    return s;
  };
  const BodyState exact = fly(0.2 / 2048);
  double previous = distance(fly(0.2 / 16), exact);
  for (double n : {32.0, 64.0, 128.0}) {
    const double error = distance(fly(0.2 / n), exact);
    EXPECT_NEAR(previous / error, 16, 2) << n;
    previous = error;
  }
}

TEST(BodyDynamics, TheQuaternionKeepsItsLength) {
  const BodyDynamics d(odd_body(), odd_water(), 1000, kGravity, kDeep);
  BodyState s = tumbling();
  s.V_WB_B.w = {20, -30, 25};
  run(d, s, 5, kDt);
  EXPECT_NEAR(squared_norm(s.X_WB.q), 1, 1e-15 * 8);
}

TEST(BodyDynamics, ABodyWithoutMassIsRefused) {
  Body b = neutral_body(1);
  b.mass_kg = 0;
  EXPECT_THROW(BodyDynamics(b, odd_water(), 1000, kGravity, 0), std::invalid_argument);
  b = neutral_body(1);
  b.inertia_products_kgm2 = {3, 0, 0};  // more than sqrt(Ixx Iyy)
  EXPECT_THROW(BodyDynamics(b, odd_water(), 1000, kGravity, 0), std::invalid_argument);
  b = neutral_body(std::numeric_limits<double>::quiet_NaN());
  EXPECT_THROW(BodyDynamics(b, odd_water(), 1000, kGravity, 0), std::invalid_argument);
}

TEST(BodyDynamics, AStepUsesNoHeap) {
  const BodyDynamics d(odd_body(), odd_water(), 1000, kGravity, 0);
  BodyState s = tumbling();
  const auto before = testing::heap_allocations();
  for (double z : {-5.0, 0.0, 5.0}) {
    s.X_WB.p.z = z;
    run(d, s, 0.1, kDt, {{1, 2, 3}, {}}, {0.1, 0, 0});
  }
  EXPECT_EQ(testing::heap_allocations(), before);
}

}  // namespace
}  // namespace pintle::world
