// Bodies beside the craft: how they fall, what taking hold of one does to momentum and weight, and
// the gripper, camera, battery and hand of a world on this plant.
#include <gtest/gtest.h>

#include <cmath>

#include "pintle/base/rotation.h"
#include "pintle/mujoco/mujoco_plant.h"
#include "pintle/mujoco/plant_factory.h"
#include "pintle/world/world.h"

namespace pintle::mujoco {
namespace {

using world::BodySpec;
using world::World;
using world::WorldParams;

constexpr double kG = 9.80665;

BodySpec payload(Vec3 position_m, double mass_kg = 0.2) {
  BodySpec b;
  b.name = "payload";
  b.size_m = {0.1, 0.1, 0.08};
  b.mass_kg = mass_kg;
  b.position_m = position_m;
  return b;
}

vehicle::Structure craft() {
  vehicle::Link body;
  body.name = "body";
  body.mass.mass_kg = 2.8;
  body.mass.inertia_kgm2 = Mat3{{0.045, 0, 0, 0, 0.045, 0, 0, 0, 0.08}};
  return {"craft", {body}};
}

Vec3 momentum(const MujocoPlant& plant, const BodySpec& thing) {
  const world::LinkState t = plant.body(0);
  return plant.motion().momentum_W.force + thing.mass_kg * rotate(t.X_WL.q, t.V_WL_L.v);
}

TEST(Bodies, AFreeOneFallsAndAFixedOneStays) {
  BodySpec fixed = payload({5, 0, 3}, 0);
  fixed.name = "car";
  MujocoPlant plant(craft(), {}, {}, {payload({1, 0, 10}), fixed});
  plant.place({{0, 0, 20}, {}}, {});
  ASSERT_EQ(plant.bodies(), 2U);
  for (int k = 0; k < 1000; ++k) plant.step(0.001);
  EXPECT_NEAR(plant.body(0).X_WL.p.z, 10 - 0.5 * kG, 0.006);
  EXPECT_EQ(plant.body(1).X_WL.p, (Vec3{5, 0, 3}));
  EXPECT_FALSE(plant.hold(1, true)) << "it is fixed";
  EXPECT_FALSE(plant.hold(2, true));
}

TEST(Bodies, TakingHoldKeepsMomentumAndSharesIt) {
  const BodySpec thing = payload({0, 0, -0.2});
  MujocoSettings weightless;
  weightless.gravity_m_s2 = 0;
  MujocoPlant plant(craft(), weightless, {}, {thing});
  // the craft moves, the payload under its centre of mass rests
  plant.place({{0, 0, 0}, {}}, {{0, 0, 1.5}, {}});
  const Vec3 before = momentum(plant, thing);
  ASSERT_TRUE(plant.hold(0, true));
  for (int k = 0; k < 500; ++k) {
    plant.step(0.001);
    EXPECT_LT(norm(momentum(plant, thing) - before), 1e-9);
  }
  const double together = 2.8 * 1.5 / 3.0;
  EXPECT_NEAR(plant.link(0).V_WL_L.v.z, together, 1e-3);
  EXPECT_NEAR(plant.body(0).V_WL_L.v.z, together, 1e-3);
  // let go, each keeps what it has
  plant.hold(0, false);
  for (int k = 0; k < 100; ++k) plant.step(0.001);
  EXPECT_NEAR(plant.body(0).V_WL_L.v.z, together, 1e-3);
  EXPECT_LT(norm(momentum(plant, thing) - before), 1e-9);
}

TEST(Bodies, WhatIsHeldIsLiftedAsOneMassWhereItWasTaken) {
  MujocoPlant plant(craft(), {}, {}, {payload({0.05, 0, -0.3})});
  plant.place({{0, 0, 0}, {}}, {});
  plant.hold(0, true);
  // the weight of both at their common centre of mass
  const double x = 0.2 * 0.05 / 3.0;
  for (int k = 0; k < 1000; ++k) {
    plant.apply(0, {x, 0, 0}, {{0, 0, 3.0 * kG}, {}});
    plant.step(0.001);
  }
  EXPECT_LT(norm(plant.link(0).V_WL_L.v), 0.02);
  const Pose X_BT = inverse(plant.link(0).X_WL) * plant.body(0).X_WL;
  EXPECT_NEAR(X_BT.p.x, 0.05, 0.002);
  EXPECT_NEAR(X_BT.p.z, -0.3, 0.002);
}

// ---------------------------------------------------------------------------------------------
// in a world

vehicle::Vehicle quad() {
  vehicle::Vehicle v;
  v.name = "quad";
  v.body.mass_kg = 2.8;
  v.body.inertia_kgm2 = {0.045, 0.045, 0.08};
  v.body.feet_m = {
      {0.15, 0.15, -0.2}, {0.15, -0.15, -0.2}, {-0.15, 0.15, -0.2}, {-0.15, -0.15, -0.2}};
  for (const Vec3 at :
       {Vec3{0.23, 0.23, 0}, Vec3{0.23, -0.23, 0}, Vec3{-0.23, 0.23, 0}, Vec3{-0.23, -0.23, 0}}) {
    propulsion::PropellerParams p;
    p.max_rpm = 8500;
    p.thrust_coef = 1.9377e-7;
    p.torque_coef = at.x * at.y > 0 ? 3.4879e-9 : -3.4879e-9;
    p.behaviour = propulsion::Behaviour::kPhysical;
    vehicle::Propulsor each;
    each.name = "p" + std::to_string(v.propulsors.size());
    each.mount.position_m = at;
    each.model = p;
    v.propulsors.push_back(each);
  }
  v.gripper = vehicle::Gripper{{0, 0, -0.1}, 0.05, 0.2};
  v.camera = vehicle::Camera{};
  vehicle::Battery battery;
  battery.params.capacity_Ah = 5;
  battery.params.full_V = 25;
  battery.params.empty_V = 25;
  v.battery = battery;
  return v;
}

/// A field with the payload between the feet.
WorldParams field() {
  WorldParams p;
  p.water.density_kg_m3 = 0;
  p.gravity_m_s2 = kG;
  p.plant = world::PlantKind::kMujoco;
  p.ground = world::GroundParams{};
  p.step_s = 0.002;
  p.start_position_m = {0, 0, 0.2};
  p.bodies = {payload({0, 0, 0.04})};
  return p;
}

/// Commands that push with these newtons in all.
ChannelVector pushing(double newtons) {
  ChannelVector c;
  for (int i = 0; i < 4; ++i) c.push_back(std::sqrt(newtons / 4 / 14.0000));
  return c;
}

void pass(World& w, double seconds, const ChannelVector& c = {}) {
  w.advance(c, 0, w.now() + Duration::from_seconds(seconds));
}

TEST(GripperInWorld, GrabsCarriesAndDropsAndTheFallLastsAsLongAsItMust) {
  World w(quad(), field(), 1, {plant_factory()});
  pass(w, 0.5);
  EXPECT_EQ(w.take_gripper()->hold, GripperHold::kReleased);
  w.request({GripperRequestKind::kGrab, 1});
  pass(w, 0.1);
  EXPECT_EQ(w.take_gripper()->outcome, RequestOutcome::kPending);
  pass(w, 0.3);
  const GripperReport grabbed = *w.take_gripper();
  EXPECT_EQ(grabbed.outcome, RequestOutcome::kDone);
  EXPECT_EQ(grabbed.hold, GripperHold::kGrabbed);
  EXPECT_EQ(grabbed.request, 1U);
  EXPECT_EQ(w.truth().held, 0);

  // three kilograms rise by a = F/m - g
  const double newtons = 36;
  const double z0 = w.truth().X_WB.p.z;
  pass(w, 1, pushing(newtons));
  EXPECT_NEAR(w.truth().X_WB.p.z - z0, 0.5 * (newtons / 3.0 - kG), 0.02);
  EXPECT_NEAR(w.truth().X_WB.p.z - w.truth().bodies[0].p.z, 0.16, 0.01);

  w.request({GripperRequestKind::kRelease, 2});
  pass(w, 0.198, pushing(3.0 * kG));
  const double v = rotate(w.truth().X_WB.q, w.truth().V_WB_B.v).z;
  const double h = w.truth().bodies[0].p.z - 0.04;
  // from there: h + v t - g t^2 / 2 = 0
  const double falls = (v + std::sqrt(v * v + 2 * kG * h)) / kG;
  double t = 0;
  while (w.truth().bodies[0].p.z > 0.0405 && t < 5) {
    pass(w, 0.002, pushing(2.8 * kG));
    t += 0.002;
  }
  EXPECT_NEAR(t, falls, 0.015);
  EXPECT_EQ(w.truth().held, -1);
  EXPECT_EQ(w.take_gripper()->hold, GripperHold::kReleased);
}

TEST(GripperInWorld, ClosingOnNothingIsSeen) {
  WorldParams p = field();
  p.bodies[0].position_m = {1, 0, 0.04};
  World w(quad(), p, 1, {plant_factory()});
  w.request({GripperRequestKind::kGrab, 1});
  pass(w, 0.5);
  const GripperReport r = *w.take_gripper();
  EXPECT_EQ(r.outcome, RequestOutcome::kFailed);
  EXPECT_EQ(r.hold, GripperHold::kReleased);
}

TEST(GripperInWorld, FaultsDoWhatTheirNamesSay) {
  using world::Device;
  using K = world::DeviceFaultKind;
  const auto after_grab = [](K kind) {
    WorldParams p = field();
    p.device_faults = {{Device::kGripper, kind, 0, kind == K::kOpens ? 0.0001 : 1e9, 0}};
    if (kind == K::kOpens) p.device_faults[0] = {Device::kGripper, kind, 0.5, 0.6, 0};
    World w(quad(), p, 1, {plant_factory()});
    w.request({GripperRequestKind::kGrab, 1});
    pass(w, 1);
    return std::pair{w.take_gripper(), w.truth().held};
  };
  EXPECT_FALSE(after_grab(K::kSilent).first);
  EXPECT_EQ(after_grab(K::kRefuses).first->outcome, RequestOutcome::kRefused);
  EXPECT_EQ(after_grab(K::kHangs).first->outcome, RequestOutcome::kPending);
  EXPECT_EQ(after_grab(K::kLies).second, 0);
  EXPECT_EQ(after_grab(K::kLies).first->hold, GripperHold::kReleased);
  EXPECT_EQ(after_grab(K::kOpens).second, -1);
  EXPECT_EQ(after_grab(K::kOpens).first->hold, GripperHold::kReleased);
}

TEST(CameraInWorld, SeesAMarkerOnACarInBodyCoordinatesLate) {
  WorldParams p = field();
  BodySpec car = payload({1.5, 0.5, 0.25}, 0);
  car.name = "car";
  car.size_m = {0.6, 0.5, 0.5};
  p.bodies.push_back(car);
  p.targets = {{TargetKind::kMarker, "car", 0.1}};
  p.sightings = {0.1, 0, 0, 0, 0};
  p.gravity_m_s2 = 0;
  p.start_position_m = {1.3, 0.4, 2.5};
  p.start_rpy_deg = {0, 0, 90};
  World w(quad(), p, 1, {plant_factory()});
  pass(w, 0.09);
  EXPECT_FALSE(w.take_target());
  pass(w, 0.05);
  const std::optional<TargetSighting> s = w.take_target();
  ASSERT_TRUE(s);
  EXPECT_EQ(s->kind, TargetKind::kMarker);
  // 0.2 m east and 0.1 m north of it, seen by one that looks north: 0.1 ahead, 0.2 to the right
  EXPECT_NEAR(s->p_BT_B.x, 0.1, 1e-6);
  EXPECT_NEAR(s->p_BT_B.y, -0.2, 1e-6);
  EXPECT_NEAR(s->p_BT_B.z, -2, 1e-6);
  EXPECT_LE((w.now() - s->stamp).seconds(), 0.1 + 1 / 30.0 + 0.002);
}

TEST(CameraInWorld, DoesNotSeeThePadFromLowDown) {
  const auto sees = [](double height) {
    WorldParams p = field();
    p.pads = {{"pad", {0, 0, 0}, 0.6}};
    p.targets = {{TargetKind::kPad, "pad", 0.5}};
    p.gravity_m_s2 = 0;
    p.start_position_m = {0, 0, height};
    World w(quad(), p, 1, {plant_factory()});
    pass(w, 1);
    return w.take_target().has_value();
  };
  EXPECT_TRUE(sees(1.6));
  EXPECT_FALSE(sees(0.5));
  EXPECT_FALSE(sees(8)) << "out of range";
}

TEST(BatteryInWorld, HoveringTakesThePowerOfTheShafts) {
  WorldParams p = field();
  p.bodies.clear();
  p.start_position_m = {0, 0, 50};
  World w(quad(), p, 1, {plant_factory()});
  pass(w, 60, pushing(2.8 * kG));
  // per propeller 6.865 N: 623.3 rad/s times 0.018 m of torque a newton
  const double thrust = 2.8 * kG / 4;
  const double rad_s = std::sqrt(thrust / 1.9377e-7) * 2 * kPi / 60;
  const double watts = 4 * thrust * 0.018 * rad_s / 0.7;
  EXPECT_NEAR(1 - w.battery(), watts * 60 / (25.0 * 5 * 3600), 1e-4);
  EXPECT_NEAR(w.truth().battery, w.battery(), 0);
}

TEST(Hand, LiftsTheCraftHoldsItAndPutsItDown) {
  WorldParams p = field();
  p.carry = world::CarryParams{0.5, 0.3, 2, 1};
  World w(quad(), p, 1, {plant_factory()});
  pass(w, 0.5);
  const double z0 = w.truth().X_WB.p.z;
  pass(w, 2.5);
  EXPECT_NEAR(w.truth().X_WB.p.z - z0, 0.3, 0.01);
  pass(w, 3.5);
  EXPECT_NEAR(w.truth().X_WB.p.z, z0, 0.005);
  EXPECT_LT(norm(w.truth().V_WB_B.v), 0.01);
}

// aside in the upper half of the way: what stands between its feet is not pushed
TEST(Hand, CarriesTheCraftAsideAndBackToItsPlace) {
  WorldParams p = field();
  p.carry = world::CarryParams{0.5, 0.4, 2, 1, {0.3, -0.2, 0}};
  World w(quad(), p, 1, {plant_factory()});
  pass(w, 0.5);
  const Vec3 from = w.truth().X_WB.p;
  pass(w, 1);
  EXPECT_NEAR(norm(w.truth().X_WB.p - from - Vec3{0, 0, 0.2}), 0, 0.02);
  pass(w, 1.5);
  EXPECT_NEAR(norm(w.truth().X_WB.p - from - Vec3{0.3, -0.2, 0.4}), 0, 0.02);
  pass(w, 3.5);
  EXPECT_NEAR(norm(w.truth().X_WB.p - from), 0, 0.01);
  EXPECT_LT(norm(w.truth().V_WB_B.v), 0.01);
}

TEST(Site, BodiesOnTheRigidPlantAreRefusedWithTheWayOut) {
  WorldParams p = field();
  p.plant = world::PlantKind::kRigid;
  const Findings f = check(p);
  ASSERT_EQ(f.size(), 1U);
  EXPECT_EQ(f[0].path, "bodies");
  EXPECT_EQ(f[0].fix, "write  plant: mujoco");
  p.plant = world::PlantKind::kMujoco;
  p.targets = {{TargetKind::kMarker, "nothing", 0.1}};
  EXPECT_EQ(check(p).size(), 1U);
}

}  // namespace
}  // namespace pintle::mujoco
