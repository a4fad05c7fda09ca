// The tick with craft that fly: laws, engines, fuel. The world is not in here; what is sent is
// judged, or pushes a point.
#include <gtest/gtest.h>

#include <bit>
#include <optional>

#include "pintle/base/random.h"
#include "pintle/craft/load.h"
#include "pintle/testing/heap_counter.h"

namespace pintle::stack {

using namespace craft;

namespace {

VehicleFile shipped(const std::string& name) {
  return load_vehicle(std::string(PINTLE_SOURCE_DIR) + "/vehicles/" + name + ".yaml");
}

/// A rocket: one engine on a gimbal two metres below the origin, fed by a tank, and two fins.
VehicleFile rocket() {
  VehicleFile file;
  file.laws.law = control::Law::kThrustVector;
  file.control_rate_Hz = 50;
  vehicle::VehicleSpec& v = file.vehicle;
  v.name = "rocket";
  v.body.mass_kg = 100;
  v.body.inertia_kgm2 = {80, 80, 4};
  vehicle::PropulsorSpec gimbal, main;
  gimbal.name = "gimbal";
  gimbal.type = "gimbal";
  gimbal.gimbal.range_deg = {5, 5};
  main.name = "main";
  main.type = "booster";
  main.on_gimbal = "gimbal";
  main.position_m = {0, 0, -2};
  main.tank = "fuel";
  main.booster.min_thrust_N = 600;
  main.booster.max_thrust_N = 3000;
  main.booster.max_fuel_rate_kg_s = 1.5;
  v.propulsors = {gimbal, main};
  for (const double side : {1.0, -1.0}) {
    vehicle::PropulsorSpec fin;
    fin.name = side > 0 ? "fin_left" : "fin_right";
    fin.type = "fin";
    fin.position_m = {0, 0.4 * side, 2};
    fin.fin.lift_unit = {1, 0, 0};
    fin.fin.forward_unit = {0, 0, -1};
    fin.fin.chord_m = fin.fin.span_m = 0.4;
    v.propulsors.push_back(fin);
  }
  vehicle::TankSpec tank;
  tank.name = "fuel";
  tank.params.capacity_kg = 10;
  v.tanks.push_back(tank);
  return file;
}

class Craft {
 public:
  explicit Craft(const VehicleFile& file)
      : model(build_model(file, nullptr)), state(std::make_unique<State>(initial_state(model))) {}

  const Outputs& fly(std::initializer_list<CommandCode> commands = {},
                     std::optional<HealthReport> told = std::nullopt) {
    in = {};
    in.now = now;
    in.has_odometry = true;
    in.odometry = {now, pose, twist};
    in.has_imu = true;
    in.imu = {now, twist.w, rotate(conjugate(pose.q), {0, 0, 9.80665})};
    in.has_setpoint = true;
    in.setpoint.X_WD = pose;
    for (const CommandCode c : commands) in.commands.push_back({c, -1});
    if (told) in.health.push_back(*told);
    tick(model, *state, *work, in, *out);
    now = now + model.period;
    return *out;
  }
  void arm() {
    fly();
    fly({CommandCode::kArm});
    ASSERT_EQ(out->arm, ArmState::kArmed);
  }
  [[nodiscard]] bool happened(EventCode code) const {
    for (const Event& e : out->events)
      if (e.code == code) return true;
    return false;
  }

  Model model;
  std::unique_ptr<State> state;
  std::unique_ptr<Workspace> work = std::make_unique<Workspace>();
  std::unique_ptr<Outputs> out = std::make_unique<Outputs>();
  Inputs in;
  Time now{};
  Pose pose{{0, 0, 10}, {}};
  Twist twist{};
};

TEST(Flight, AQuadrotorAtRestIsHeldByItsWeight) {
  Craft quad(shipped("quad"));
  quad.arm();
  for (int k = 0; k < 100; ++k) quad.fly();
  double sum = 0;
  for (const double u : quad.out->actuation.effort) sum += u;
  // the motors have followed: what is asked is what is given
  EXPECT_NEAR(sum, 2.8 * 9.80665, 1e-6);
  EXPECT_NEAR(quad.out->allocation.achieved.force.z, 2.8 * 9.80665, 1e-6);
  EXPECT_EQ(quad.out->allocation.reachable, axis_bit(2) | axis_bit(3) | axis_bit(4) | axis_bit(5));
}

TEST(Flight, AxesThatTheLawNeverAsksForAreNotToldAsLost) {
  Craft quad(shipped("quad"));
  quad.fly();
  EXPECT_FALSE(quad.happened(EventCode::kAxisLost));
}

TEST(Flight, WithAMotorOutThatItCannotFlyWithoutItIsNotArmed) {
  Craft quad(shipped("quad"));
  const auto tell = [&quad](Health health) {
    quad.fly({}, HealthReport{1, {health, 1, 0}});
    for (int k = 0; k < 5; ++k) quad.fly();
  };
  const auto asked = [&quad] { return quad.fly({CommandCode::kArm}).arm == ArmState::kArmed; };
  tell(Health::kOut);
  EXPECT_EQ(quad.out->obstacles, obstacle_bit(ArmObstacle::kAxisLost));
  EXPECT_FALSE(asked());
  tell(Health::kGood);
  EXPECT_EQ(quad.out->obstacles, 0U);
  EXPECT_TRUE(asked());
  // what is weak reaches what it did, and an axis that a craft never had is none that it lacks
  for (const char* name : {"quad", "flying_box", "ironcub_body", "rocket"}) {
    Craft craft(shipped(name));
    craft.fly({}, HealthReport{1, {Health::kWeak, 0.97, 0}});
    craft.fly();
    EXPECT_EQ(craft.out->obstacles & obstacle_bit(ArmObstacle::kAxisLost), 0U) << name;
  }
  // one of a rocket's four fins: the engine is three channels, and none of them is a fin's
  for (std::uint32_t fin = 1; fin < 5; ++fin) {
    Craft craft(shipped("rocket"));
    ASSERT_EQ(craft.model.vehicle.propulsors.size(), 5U);
    craft.fly({}, HealthReport{fin, {Health::kOut, 0, 0}});
    craft.fly();
    EXPECT_EQ(craft.out->obstacles & obstacle_bit(ArmObstacle::kAxisLost), 0U)
        << craft.model.vehicle.propulsors[fin].name;
  }
  // in the air it is flown with what is left: this is no reason to be switched off
  tell(Health::kOut);
  EXPECT_EQ(quad.out->arm, ArmState::kArmed);
}

TEST(Flight, EveryShippedCraftReachesHeightAndAllThreeTurns) {
  for (const char* name : {"quad", "flying_box", "flying_box_nonlinear"}) {
    Craft craft(shipped(name));
    craft.arm();
    for (int k = 0; k < 600; ++k) craft.fly();
    EXPECT_EQ(craft.out->allocation.reachable,
              axis_bit(2) | axis_bit(3) | axis_bit(4) | axis_bit(5))
        << name;
    EXPECT_EQ(craft.out->allocation.grade, AllocationGrade::kExact) << name;
  }
}

TEST(Flight, TurbinesGetNoMoreThanTheyCanReach) {
  Craft box(shipped("flying_box"));
  box.arm();
  double last = box.out->actuation.effort[2];
  for (int k = 0; k < 300; ++k) {
    box.fly();
    // 100 N/s at 100 Hz
    EXPECT_LE(box.out->actuation.effort[2], last + 1 + 1e-9);
    EXPECT_LE(box.out->actuation.command[2], 100 + 1e-9);
    last = box.out->actuation.effort[2];
  }
  EXPECT_NEAR(box.out->actuation.effort[2], 110.3, 0.5);
}

TEST(Flight, AnEngineWaitsToBeLitAndBurnsItsFuelInThePrediction) {
  Craft craft(rocket());
  ASSERT_EQ(craft.model.effectiveness.n, 5U);
  craft.arm();
  for (int k = 0; k < 5; ++k) craft.fly();
  EXPECT_EQ(craft.out->actuation.effort[0], 0);
  EXPECT_EQ(craft.out->actuation.ignition, 0U);
  EXPECT_EQ(craft.out->fuel_kg, 10);

  craft.fly({CommandCode::kReadyIgnition, CommandCode::kIgnite});
  EXPECT_TRUE(craft.happened(EventCode::kIgnited));
  EXPECT_EQ(craft.out->actuation.ignition, 1U);
  EXPECT_GE(craft.out->actuation.effort[0], 600);
  for (int k = 0; k < 50; ++k) craft.fly();
  // holds what is left of 110 kg; the flow is a two-thousandth of the thrust
  const double weight = (100 + craft.out->fuel_kg) * 9.80665;
  EXPECT_NEAR(craft.out->actuation.effort[0], weight, 0.01 * weight);
  EXPECT_NEAR(10 - craft.out->fuel_kg, weight / 2000, 0.05 * weight / 2000);

  craft.fly({CommandCode::kShutDown});
  EXPECT_TRUE(craft.happened(EventCode::kShutDown));
  EXPECT_EQ(craft.out->actuation.effort[0], 0);
  EXPECT_EQ(craft.out->actuation.ignition, 0U);
}

TEST(Flight, AnEngineThatBurnsIsNotAskedForLessThanItsLeastThrust) {
  Craft craft(rocket());
  craft.arm();
  craft.fly({CommandCode::kReadyIgnition, CommandCode::kIgnite});
  craft.in.now = craft.in.odometry.stamp = craft.now;
  craft.in.commands.clear();
  craft.in.setpoint.mode[2] = AxisMode::kWrench;
  craft.in.setpoint.F_Bo_B.force.z = 100;
  tick(craft.model, *craft.state, *craft.work, craft.in, *craft.out);
  EXPECT_NEAR(craft.out->demand.F_Bo_B.force.z, 600, 1e-9);
  EXPECT_NEAR(craft.out->allocation.residual.force.z, 0, 1e-9);
}

TEST(Flight, WithoutFuelNothingIsAskedOfTheEngineAndTheHeightIsLost) {
  VehicleFile file = rocket();
  file.vehicle.tanks[0].starting_fuel_ratio = 0.05;
  Craft craft(file);
  craft.arm();
  craft.fly({CommandCode::kReadyIgnition, CommandCode::kIgnite});
  bool lost = false;
  for (int k = 0; k < 150; ++k) {
    craft.fly();
    for (const Event& e : craft.out->events)
      lost = lost || (e.code == EventCode::kAxisLost && e.subject == 2);
  }
  EXPECT_EQ(craft.out->fuel_kg, 0);
  EXPECT_EQ(craft.out->actuation.effort[0], 0);
  EXPECT_TRUE(lost);
}

TEST(Flight, FinsSteerOnlyInTheWind) {
  Craft craft(rocket());
  craft.arm();
  for (int k = 0; k < 3; ++k) craft.fly();
  EXPECT_EQ(craft.work->effectiveness.column[3], Vec6{});
  craft.twist.v = {0, 0, -50};
  for (int k = 0; k < 3; ++k) craft.fly();
  // falling at 50 m/s: half rho v^2 A = 245 N of dynamic pressure force; deflected up to 45 degrees
  EXPECT_GT(std::abs(craft.work->effectiveness.column[3][0]), 100);
  // both push the same way; one left of the middle, one right: yaw of opposite signs
  EXPECT_NEAR(craft.work->effectiveness.column[3][5], -craft.work->effectiveness.column[4][5],
              1e-9);
}

TEST(Flight, WhatIsDisarmedOrLatchedBurnsNoLonger) {
  for (const bool latch : {false, true}) {
    Craft craft(rocket());
    craft.arm();
    craft.fly({CommandCode::kReadyIgnition, CommandCode::kIgnite});
    ASSERT_EQ(craft.out->actuation.ignition, 1U);
    if (!latch) {
      craft.fly({CommandCode::kDisarm});
    } else {
      for (int k = 0; k < 600; ++k) {
        craft.in = {};
        craft.in.now = craft.now;
        tick(craft.model, *craft.state, *craft.work, craft.in, *craft.out);
        craft.now = craft.now + craft.model.period;
      }
      EXPECT_EQ(craft.out->arm, ArmState::kLatchedSafe);
    }
    EXPECT_EQ(craft.out->actuation.ignition, 0U);
    for (const double u : craft.out->actuation.effort) EXPECT_EQ(u, 0);
    // and is not lit again by arming alone
    craft.fly();
    craft.fly({CommandCode::kResetLatch, CommandCode::kArm});
    EXPECT_EQ(craft.out->actuation.ignition, 0U);
  }
}

TEST(Flight, AnEngineThatIsOutGivesNothingOnAnyOfItsChannels) {
  Craft craft(rocket());
  craft.arm();
  craft.fly({CommandCode::kReadyIgnition, CommandCode::kIgnite});
  craft.in.health.clear();
  for (int k = 0; k < 3; ++k) craft.fly();
  craft.in = {};
  craft.in.now = craft.now;
  craft.in.has_odometry = true;
  craft.in.odometry = {craft.now, craft.pose, craft.twist};
  craft.in.health.push_back({0, {Health::kOut, 1, 0}});
  tick(craft.model, *craft.state, *craft.work, craft.in, *craft.out);
  for (std::size_t c = 0; c < 3; ++c)
    EXPECT_TRUE((craft.out->limits.by_health >> c & 1U) != 0) << c;
  EXPECT_EQ(craft.out->allocation.achieved.force.z, craft.work->effectiveness.bias.force.z);
}

TEST(Flight, MakesNoHeapAllocationWithAnyPropulsor) {
  for (const VehicleFile& file : {shipped("quad"), shipped("flying_box_nonlinear"), rocket()}) {
    Craft craft(file);
    craft.arm();
    craft.fly({CommandCode::kReadyIgnition, CommandCode::kIgnite});
    const std::uint64_t before = testing::heap_allocations();
    for (int i = 0; i < 2000; ++i) {
      craft.twist.v.x = 0.3 * std::sin(0.01 * i);
      craft.fly();
    }
    EXPECT_EQ(testing::heap_allocations() - before, 0U);
  }
}

TEST(Flight, IsBoundedForRandomBitsInEveryNumber) {
  RandomStream random(1, "flight bits");
  const auto wild = [&random] { return std::bit_cast<double>(random.bits()); };
  for (const VehicleFile& file : {shipped("quad"), shipped("flying_box_nonlinear"), rocket()}) {
    Craft craft(file);
    craft.arm();
    for (int i = 0; i < 5000; ++i) {
      craft.in = {};
      craft.in.now = craft.now;
      craft.in.has_odometry = random.bits() % 4 != 0;
      craft.in.odometry = {craft.now, craft.pose, craft.twist};
      if (random.bits() % 2 == 0)
        craft.in.odometry.V_WB_B = {{wild(), wild(), wild()}, {wild(), wild(), wild()}};
      if (random.bits() % 4 == 0)
        craft.in.odometry.X_WB = {{wild(), wild(), wild()}, {wild(), wild(), wild(), wild()}};
      craft.in.has_setpoint = random.bits() % 4 == 0;
      craft.in.setpoint.X_WD.p = {wild(), wild(), wild()};
      craft.in.has_bus_voltage = true;
      craft.in.bus_V = wild();
      craft.in.health.push_back({static_cast<std::uint32_t>(random.bits() % 5),
                                 {static_cast<Health>(random.bits() % 5), wild(), wild()}});
      craft.in.commands.push_back({static_cast<CommandCode>(random.bits() % 13),
                                   static_cast<std::int32_t>(random.bits() % 4) - 1});
      tick(craft.model, *craft.state, *craft.work, craft.in, *craft.out);
      craft.now = craft.now + craft.model.period;
      const Effectiveness& whole = craft.model.effectiveness;
      ASSERT_EQ(craft.out->actuation.command.size(), whole.n);
      for (std::size_t c = 0; c < whole.n; ++c) {
        ASSERT_TRUE(std::isfinite(craft.out->actuation.command[c])) << i;
        ASSERT_TRUE(std::isfinite(craft.out->actuation.effort[c])) << i;
        ASSERT_LE(craft.out->actuation.effort[c], whole.upper[c] * (1 + 1e-9) + 1e-9) << i;
        ASSERT_GE(craft.out->actuation.effort[c], std::min(whole.lower[c], 0.0) * (1 + 1e-9) - 1e-9)
            << i;
      }
      ASSERT_TRUE(is_finite(craft.out->allocation.achieved)) << i;
      if (craft.state->arm == ArmState::kLatchedSafe) craft.fly({CommandCode::kResetLatch});
      if (craft.state->arm == ArmState::kDisarmed)
        craft.fly({CommandCode::kArm, CommandCode::kReadyIgnition, CommandCode::kIgnite});
    }
  }
}

TEST(Flight, OfSeveralEnginesTheOneThatIsNamedIsLitAndPutOut) {
  VehicleFile file = rocket();
  vehicle::PropulsorSpec second = file.vehicle.propulsors[1];
  second.name = "second";
  second.on_gimbal = "";
  file.vehicle.propulsors.push_back(second);
  Craft craft(file);
  const auto& all = craft.model.vehicle.propulsors;
  const auto at = [&all](const char* name) {
    return std::find_if(all.begin(), all.end(), [name](const auto& p) { return p.name == name; }) -
           all.begin();
  };
  const auto main = at("main"), other = at("second");
  ASSERT_LT(std::max(main, other), static_cast<std::ptrdiff_t>(all.size()));
  const auto command = [&craft](CommandCode code, std::ptrdiff_t which) {
    craft.fly({CommandCode::kReadyIgnition});
    craft.in.now = craft.now;
    craft.in.odometry.stamp = craft.now;
    craft.in.commands.clear();
    craft.in.commands.push_back({code, static_cast<std::int32_t>(which)});
    tick(craft.model, *craft.state, *craft.work, craft.in, *craft.out);
    craft.now = craft.now + craft.model.period;
    return craft.out->actuation.ignition;
  };
  const auto bit = [](std::ptrdiff_t i) { return std::uint64_t{1} << i; };
  craft.arm();
  EXPECT_EQ(command(CommandCode::kIgnite, other), bit(other));
  EXPECT_EQ(command(CommandCode::kIgnite, main), bit(main) | bit(other));
  EXPECT_EQ(command(CommandCode::kShutDown, other), bit(main));
}

}  // namespace
}  // namespace pintle::stack
