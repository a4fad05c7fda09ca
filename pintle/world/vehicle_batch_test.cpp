#include "pintle/world/vehicle_batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "pintle/base/random.h"
#include "pintle/propulsion/instructions.h"
#include "pintle/testing/heap_counter.h"
#include "pintle/vehicle/supplies.h"
#include "pintle/world/rigid_plant.h"
#include "pintle/world/testing_rocket.h"

namespace pintle::world {
namespace {

using propulsion::EngineParams;
using vehicle::Vehicle;

constexpr double kDt = 1.0 / 240;

Mat3 matrix(double roll, double pitch, double yaw) { return matrix_from_rpy({roll, pitch, yaw}); }

/// A rocket on which everything is turned, moved and of every kind: two engines on one tank, a
/// booster with fuel of its own, a propeller.
Vehicle everything() {
  Vehicle v = testing_rocket();
  v.body.center_of_mass_m = {0.03, -0.02, -0.6};
  v.body.inertia_products_kgm2 = {3, -2, 5};
  auto& engine = std::get<EngineParams>(v.propulsors[0].model);
  engine.booster.specific_impulse_s = 250;
  v.propulsors[0].mount = {{0.1, 0.2, -2}, {}, matrix(0.1, -0.05, 0.4)};
  EngineParams second = engine;
  second.booster.max_thrust_N = 5000;
  second.booster.reignitable = false;
  second.gimbal.range_deg = {20, 35};
  v.propulsors.push_back({"second", {{-0.2, 0, -2}, {}, matrix(0, 0.1, 0)}, second, 0, 1});
  propulsion::BoosterParams own;
  own.total_fuel_mass_kg = 0.1;
  own.max_fuel_rate_kg_s = 0.5;
  own.max_inertia_kgm2 = {0.02, 0.03, 0.01};
  own.fuel_position_m = {0.2, -0.1, 0.5};
  own.min_thrust_N = 50;
  own.max_thrust_N = 900;
  own.noise_ratio = 0.02;
  v.propulsors.push_back({"own", {{0.3, 0.1, 1}, {}, matrix(0.3, 0.8, -1)}, own, -1, 0.9});
  propulsion::PropellerParams rotor{0.05, 25000, 3e-8, 8e-10, {0, 0, 1}, 0.02, 1e-6, 1.1, {}};
  v.propulsors.push_back({"rotor", {{0, 0.4, 2}, {}, matrix(0, -0.3, 0.2)}, rotor, -1, 1});
  v.tanks[0].starting_fuel_ratio = 0.004;
  return v;
}

BodyState some_state(RandomStream& r) {
  const auto u = [&](double size) { return r.uniform(-size, size); };
  return {{{u(20), u(20), 450 + u(50)}, from_rpy({u(0.6), u(0.6), u(3)})},
          {{u(20), u(20), u(60)}, {u(0.5), u(0.5), u(0.5)}}};
}

/// Every craft another; the same for the same seed.
void scatter(VehicleBatch& batch, const Vehicle& craft) {
  RandomStream r(11, "batch");
  for (std::size_t i = 0; i < batch.size(); ++i) {
    batch.set_body(i, some_state(r));
    BatchConditions c;
    c.wind_W = {r.uniform(-8, 8), r.uniform(-8, 8), r.uniform(-2, 2)};
    c.density_kg_m3 = r.uniform(0, 1.3);
    c.mass_factor = r.uniform(0.9, 1.1);
    c.thrust_factor = r.uniform(0.8, 1.2);
    ASSERT_TRUE(batch.set_conditions(i, c));
    for (std::size_t k = 0; k < batch.channels(); ++k)
      batch.set_command(i, k, r.uniform(-1.1, 1.1));
    for (std::size_t p = 0; p < craft.propulsors.size(); ++p) {
      batch.set_ignition(i, p, r.uniform(0, 1) < 0.8);
      batch.set_noise(i, p, r.normal());
    }
    batch.set_tank_kg(i, 0, r.uniform(0, 1.5));
  }
}

std::vector<std::uint64_t> bits(const VehicleBatch& batch, const Vehicle& craft) {
  std::vector<std::uint64_t> out;
  const auto add = [&](double x) { out.push_back(std::bit_cast<std::uint64_t>(x)); };
  for (std::size_t i = 0; i < batch.size(); ++i) {
    for (const double x : std::bit_cast<std::array<double, 13>>(batch.body(i))) add(x);
    add(batch.tank_kg(i, 0));
    for (std::size_t p = 0; p < craft.propulsors.size(); ++p)
      add(batch.actuation(i, p)), add(batch.fuel_ratio(i, p)), add(batch.thrust_N(i, p));
  }
  return out;
}

TEST(VehicleBatch, ACraftGivesTheSameBitsAloneAndInAnyBatchWithAnyInstructions) {
  const Vehicle craft = everything();
  constexpr std::size_t kCraft = 203, kSteps = 150;
  VehicleBatch alone(craft, kCraft, {});
  scatter(alone, craft);
  for (std::size_t k = 0; k < kSteps; ++k)
    for (std::size_t i = 0; i < kCraft; ++i) alone.step_one(i);
  const auto expected = bits(alone, craft);
  for (std::size_t i = 0; i < kCraft; ++i) ASSERT_TRUE(is_finite(alone.body(i).X_WB)) << i;

  for (const char* set : {"baseline", "avx2", "avx512"}) {
    propulsion::limit_batch_instructions(set);
    VehicleBatch batch(craft, kCraft, {});
    scatter(batch, craft);
    for (std::size_t k = 0; k < kSteps; ++k) {
      // uneven slices, as threads would take
      const std::size_t cut = k % kCraft;
      batch.step(0, cut);
      batch.step(cut, kCraft);
    }
    EXPECT_EQ(bits(batch, craft), expected) << set;
  }
  propulsion::limit_batch_instructions("");
}

TEST(VehicleBatch, AnyNumberOfThreadsGivesTheSameBits) {
  const Vehicle craft = everything();
  VehicleBatch one(craft, 500, {});
  scatter(one, craft);
  for (int k = 0; k < 40; ++k) one.step();
  const auto expected = bits(one, craft);
  for (std::size_t threads = 1; threads <= 8; ++threads) {
    VehicleBatch batch(craft, 500, {});
    scatter(batch, craft);
    batch.run(40, threads);
    EXPECT_EQ(bits(batch, craft), expected) << threads << " threads";
  }
}

/// The same flight by the models one at a time and the rigid plant.
class OneByOne {
 public:
  OneByOne(const Vehicle& craft, const BodyState& start, Vec3 wind_W, double density)
      : craft_(craft),
        plant_(craft, vacuum(), 9.80665),
        fill_(starting_fill(craft)),
        states_(starting_states(craft)),
        wind_W_(wind_W),
        density_(density) {
    plant_.place(start.X_WB, start.V_WB_B);
  }

  void step(const vehicle::PropulsorInputs& inputs) {
    vehicle::Grants grants;
    grant_all(craft_, states_, inputs, fill_, kDt, grants);
    const vehicle::PropulsorStates before = states_;
    const double tank_before = fill_[0];
    const BodyState now = plant_.state();
    const Vec3 wind_B = rotate(conjugate(now.X_WB.q), wind_W_);
    Wrench sum = air_drag(craft_, now.V_WB_B, wind_B, density_);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const vehicle::Propulsor& p = craft_.propulsors[i];
      const auto air = ambient_at(p.mount, now.V_WB_B, wind_B, density_, 0);
      const auto out = propulsion::step(p.model, states_[i], inputs[i], air, grants[i], kDt);
      sum = sum + at_origin(p.mount, out.wrench_P);
      draw(craft_, fill_, i, out.demand, kDt);
    }
    // the mass in the middle of the step
    vehicle::PropulsorStates middle = states_;
    for (std::size_t i = 0; i < states_.size(); ++i)
      if (auto* b = std::get_if<propulsion::BoosterState>(&middle[i]))
        b->fuel_ratio =
            0.5 * (b->fuel_ratio + std::get<propulsion::BoosterState>(before[i]).fuel_ratio);
    vehicle::TankFill half = fill_;
    half[0] = 0.5 * (half[0] + tank_before);
    plant_.set_mass(0, mass_of(craft_, middle, half));
    plant_.apply(0, {}, sum);
    plant_.step(kDt);
  }

  [[nodiscard]] const BodyState& body() const { return plant_.state(); }
  [[nodiscard]] double tank_kg() const { return fill_[0]; }

 private:
  static WaterParams vacuum() {
    WaterParams w;
    w.density_kg_m3 = 0;
    return w;
  }
  Vehicle craft_;
  RigidPlant plant_;
  vehicle::TankFill fill_;
  vehicle::PropulsorStates states_;
  Vec3 wind_W_;
  double density_;
};

TEST(VehicleBatch, FliesAsTheRigidPlantDoesUnderTheModelsOneByOne) {
  const Vehicle craft = everything();
  RandomStream r(5, "start");
  const BodyState start = some_state(r);
  const Vec3 wind{5, -3, 0.5};
  OneByOne reference(craft, start, wind, 1.1);
  VehicleBatch batch(craft, 3, {});
  batch.set_body(1, start);
  BatchConditions conditions;
  conditions.wind_W = wind;
  conditions.density_kg_m3 = 1.1;
  ASSERT_TRUE(batch.set_conditions(1, conditions));

  vehicle::PropulsorInputs inputs;
  inputs.resize(craft.propulsors.size());
  // the tank and the booster's own fuel run dry within the second
  for (int k = 0; k < 240; ++k) {
    std::vector<double> commands;
    for (std::size_t p = 0; p < inputs.size(); ++p) {
      inputs[p].ignition = k > 10;
      inputs[p].noise = r.normal();
      batch.set_ignition(1, p, inputs[p].ignition);
      batch.set_noise(1, p, inputs[p].noise);
      for (std::size_t c = 0; c < channels(craft.propulsors[p].model); ++c)
        commands.push_back(inputs[p].command[c] = r.uniform(-0.3, 0.9));
    }
    ASSERT_EQ(commands.size(), batch.channels());
    batch.set_commands(1, commands);
    reference.step(inputs);
    batch.step();
    const BodyState a = batch.body(1), b = reference.body();
    ASSERT_LT(norm(a.X_WB.p - b.X_WB.p), 1e-9) << k;
    ASSERT_LT(norm(a.V_WB_B.v - b.V_WB_B.v), 1e-9) << k;
    ASSERT_LT(norm(a.V_WB_B.w - b.V_WB_B.w), 1e-10) << k;
    ASSERT_NEAR(batch.tank_kg(1, 0), reference.tank_kg(), 1e-12) << k;
  }
  EXPECT_EQ(batch.tank_kg(1, 0), 0);
  EXPECT_EQ(batch.fuel_ratio(1, 6), 0);
}

/// Speed gained by burning 300 kg at full thrust in free space.
double speed_gained(double dt) {
  Vehicle craft = testing_rocket();
  auto& booster = std::get<EngineParams>(craft.propulsors[0].model).booster;
  booster.tau_s = 0;
  booster.max_fuel_rate_kg_s = 60;
  VehicleBatch batch(craft, 1, {dt, 0});
  BatchConditions vacuum;
  vacuum.density_kg_m3 = 0;
  batch.set_conditions(0, vacuum);
  batch.set_ignition(0, 0, true);
  batch.set_command(0, 0, 1);
  for (int k = 0; k < static_cast<int>(std::lround(5 / dt)); ++k) batch.step();
  EXPECT_NEAR(batch.tank_kg(0, 0), 110.9, 1e-9);
  return batch.body(0).V_WB_B.v.z;
}

TEST(VehicleBatch, ARocketGainsWhatTsiolkovskySaysToTheSecondOrder) {
  const double expected = 7607.0 / 60 * std::log((138.2 + 410.9) / (138.2 + 110.9));
  const double coarse = speed_gained(0.1) - expected, fine = speed_gained(0.05) - expected;
  EXPECT_LT(std::abs(fine), 2e-3);
  EXPECT_NEAR(coarse / fine, 4, 0.1);
}

TEST(VehicleBatch, AFallEndsAtTerminalVelocity) {
  Vehicle craft = testing_rocket();
  craft.propulsors.clear();
  craft.tanks.clear();
  craft.body.center_of_mass_m = {};
  VehicleBatch batch(craft, 2, {0.005, 9.80665});
  BatchConditions heavy;
  heavy.mass_factor = 1.21;
  batch.set_conditions(1, heavy);
  batch.run(20000);
  const double v = std::sqrt(138.2 * 9.80665 / (0.5 * 1.225 * 2.0 * 0.1075));
  EXPECT_NEAR(batch.body(0).V_WB_B.v.z, -v, 1e-6 * v);
  EXPECT_NEAR(batch.body(1).V_WB_B.v.z, -1.1 * v, 1e-6 * v);
}

TEST(VehicleBatch, ATorqueFreeSpinPrecessesAsEulerSays) {
  Vehicle craft = testing_rocket();
  craft.propulsors.clear();
  craft.tanks.clear();
  craft.drag_bodies.clear();
  craft.body.inertia_kgm2 = {300, 300, 60};
  craft.body.inertia_products_kgm2 = {};
  VehicleBatch batch(craft, 1, {1e-3, 0});
  batch.set_body(0, {{}, {{}, {0.3, 0, 2}}});
  batch.run(3000);
  // the rate about z stays, the part across turns at (I_z - I_x) / I_x w_z
  const double angle = (60.0 - 300) / 300 * 2 * 3;
  const Vec3 w = batch.body(0).V_WB_B.w;
  EXPECT_NEAR(w.x, 0.3 * std::cos(angle), 1e-10);
  EXPECT_NEAR(w.y, 0.3 * std::sin(angle), 1e-10);
  EXPECT_NEAR(w.z, 2, 1e-12);
}

TEST(VehicleBatch, MomentumAndEnergyCloseWhileItTumbles) {
  Vehicle craft = everything();
  craft.drag_bodies.clear();
  craft.propulsors.clear();
  craft.tanks.clear();
  VehicleBatch batch(craft, 1, {1e-3, 0});
  batch.set_body(0, {{{1, 2, 3}, from_rpy({1, -0.4, 2})}, {{3, -2, 1}, {0.7, -0.5, 1.3}}});
  WaterParams vacuum;
  vacuum.density_kg_m3 = 0;
  const BodyDynamics dynamics(craft.body, {}, 0, 0, 0);
  const double energy = dynamics.kinetic_energy(batch.body(0));
  const Wrench momentum = dynamics.momentum_W(batch.body(0));
  batch.run(5000);
  EXPECT_NEAR(dynamics.kinetic_energy(batch.body(0)), energy, 1e-9 * energy);
  const Wrench after = dynamics.momentum_W(batch.body(0));
  EXPECT_LT(norm(after.force - momentum.force), 1e-8 * norm(momentum.force));
  EXPECT_LT(norm(after.torque - momentum.torque), 1e-8 * norm(momentum.torque));
}

TEST(VehicleBatch, ThrustTimesTimeIsMomentumGained) {
  // through the centre of mass, no fuel used to speak of: m dv = F dt
  Vehicle craft = testing_rocket();
  auto& booster = std::get<EngineParams>(craft.propulsors[0].model).booster;
  booster.specific_impulse_s = 1e12;
  booster.tau_s = 0;
  VehicleBatch batch(craft, 2, {kDt, 0});
  BatchConditions weak;
  weak.density_kg_m3 = 0;
  batch.set_conditions(0, weak);
  weak.thrust_factor = 0.9;
  batch.set_conditions(1, weak);
  for (std::size_t i : {0U, 1U}) batch.set_ignition(i, 0, true);
  batch.run(240);
  EXPECT_NEAR(batch.body(0).V_WB_B.v.z, 2966.7 / 549.1, 1e-9);
  EXPECT_NEAR(batch.body(1).V_WB_B.v.z, 0.9 * 2966.7 / 549.1, 1e-9);
  EXPECT_NEAR(batch.thrust_N(1, 0), 0.9 * 2966.7, 1e-9);
}

TEST(VehicleBatch, WhatItCannotStepIsRefused) {
  Vehicle jet = testing_rocket();
  jet.propulsors[0].model = propulsion::JetParams{};
  EXPECT_THROW(VehicleBatch(jet, 4, {}), std::invalid_argument);
  Vehicle empty = testing_rocket();
  empty.body.mass_kg = 0;
  EXPECT_THROW(VehicleBatch(empty, 4, {}), std::invalid_argument);
  EXPECT_THROW(VehicleBatch(testing_rocket(), 4, {0, 9.8}), std::invalid_argument);

  VehicleBatch batch(testing_rocket(), 1, {});
  BatchConditions impossible;
  impossible.mass_factor = -1;
  EXPECT_FALSE(batch.set_conditions(0, impossible));
  impossible = {};
  impossible.wind_W.x = std::nan("");
  EXPECT_FALSE(batch.set_conditions(0, impossible));
  EXPECT_FALSE(batch.set_conditions(1, {}));
  VehicleBatch none(testing_rocket(), 0, {});
  none.run(3, 4);
  EXPECT_EQ(none.size(), 0U);
}

TEST(VehicleBatch, SteppingUsesNoHeap) {
  VehicleBatch batch(everything(), 100, {});
  const auto before = testing::heap_allocations();
  batch.step();
  batch.step_one(3);
  EXPECT_EQ(testing::heap_allocations(), before);
}

}  // namespace
}  // namespace pintle::world
