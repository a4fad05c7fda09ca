// One step of a rocket of ten links, 549 kg, a tank that drains at every step: the rigid plant, and
// with MuJoCo the articulated one against its bare step (no wrench, no change of mass). Then a
// rocket with everything (engine in a gimbal, four fins, hull, tank), alone and in batches; one
// step is one evaluation of all forces, and the label says which instructions were used.
#include <benchmark/benchmark.h>

#include "pintle/propulsion/instructions.h"
#include "pintle/world/rigid_plant.h"
#include "pintle/world/testing_rocket.h"
#include "pintle/world/vehicle_batch.h"
#ifdef PINTLE_HAS_MUJOCO
#include "pintle/mujoco/mujoco_plant.h"
#endif

namespace {

using namespace pintle;
using vehicle::Structure;

/// Body, tank, engine, four fins, three legs; the legs on struts if `moving`.
Structure rocket(bool moving) {
  Structure s;
  s.name = "rocket";
  const auto add = [&](std::string name, int parent, Vec3 p, double mass, Vec3 inertia) {
    s.links.push_back(
        {std::move(name), parent, {p, {}}, {mass, {}, Mat3::diagonal(inertia)}, {}, {}});
  };
  add("base", -1, {}, 91, {372.6, 372.6, 1.55});
  add("tank", 0, {}, 410.9, {1678, 1678, 7.01});
  add("engine", 0, {0, 0, -2}, 47, {192.43, 192.43, 0.81});
  for (int k = 0; k < 4; ++k)
    add("fin" + std::to_string(k), 0, rotate(from_rpy({0, 0, k * kPi / 2}), {0.35, 0, 2.051}), 0.05,
        {1e-3, 1e-3, 1e-3});
  for (int k = 0; k < 3; ++k) {
    add("leg" + std::to_string(k), 0, rotate(from_rpy({0, 0, k * 2 * kPi / 3}), {0, 0.6, -2.4}), 2,
        {0.05, 0.05, 0.01});
    s.links.back().shapes.push_back({vehicle::ShapeKind::kSphere, {0.05, 0, 0}, {}});
    if (moving)
      s.links.back().joint = {"strut", vehicle::JointKind::kSlide, {0, 0, 1}, true, -0.1, 0.3, 2000,
                              4e4};
  }
  return s;
}

template <class P>
void fly(benchmark::State& state, P& plant, bool burn) {
  plant.place({{0, 0, 1e6}, {}}, {{0, 0, -50}, {0.01, 0.02, 0.03}});
  double fuel = 1;
  for (auto _ : state) {
    if (burn) {
      fuel = fuel > 0.05 ? fuel - 1e-6 : 1;
      plant.apply(2, {}, {{10, 5, 7000 * fuel}, {}});
      plant.set_mass(1, {410.9 * fuel,
                         {0, 0, 0.5 * fuel},
                         Mat3::diagonal({1678 * fuel, 1678 * fuel, 7.01 * fuel})});
    }
    plant.step(1e-3);
  }
  benchmark::DoNotOptimize(plant.link(0));
  state.SetItemsProcessed(state.iterations());
}

void rigid_rocket(benchmark::State& state) {
  world::RigidPlant plant(rocket(false), 9.80665);
  fly(state, plant, state.range(0) != 0);
}
BENCHMARK(rigid_rocket)->Arg(0)->Arg(1);

#ifdef PINTLE_HAS_MUJOCO
void mujoco_rocket(benchmark::State& state) {
  mujoco::MujocoPlant plant(rocket(true), {}, world::Ground(world::GroundParams{}, {}));
  fly(state, plant, state.range(0) != 0);
}
BENCHMARK(mujoco_rocket)->Arg(0)->Arg(1);
#endif

/// Each at another throttle; the tank does not run dry under the stopwatch.
world::VehicleBatch rockets(std::size_t n) {
  vehicle::Vehicle craft = world::testing_rocket();
  std::get<propulsion::EngineParams>(craft.propulsors[0].model).booster.specific_impulse_s = 1e12;
  world::VehicleBatch batch(craft, n, {});
  for (std::size_t i = 0; i < n; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(n);
    batch.set_body(i, {{{0, 0, 450}, {}}, {{1, 2, -60 * part}, {0.01, 0.02, 0.03}}});
    batch.set_ignition(i, 0, true);
    batch.set_commands(i, std::vector<double>{part, 0.2, -0.2, 0.1, -0.1, 0.2, -0.2});
  }
  return batch;
}

void rocket_alone(benchmark::State& state) {
  world::VehicleBatch batch = rockets(1);
  for (auto _ : state) batch.step_one(0);
  benchmark::DoNotOptimize(batch.body(0));
  state.SetItemsProcessed(state.iterations());
  state.SetLabel("scalar");
}
BENCHMARK(rocket_alone);

void rocket_batch(benchmark::State& state, const char* most) {
  propulsion::limit_batch_instructions(most);
  const auto n = static_cast<std::size_t>(state.range(0));
  world::VehicleBatch batch = rockets(n);
  for (auto _ : state) {
    batch.step();
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetLabel(std::string(propulsion::batch_instructions()));
  propulsion::limit_batch_instructions("");
}
BENCHMARK_CAPTURE(rocket_batch, widest, "")->Arg(1024)->Arg(16384);
BENCHMARK_CAPTURE(rocket_batch, avx2, "avx2")->Arg(1024);
BENCHMARK_CAPTURE(rocket_batch, baseline, "baseline")->Arg(1024);

}  // namespace
