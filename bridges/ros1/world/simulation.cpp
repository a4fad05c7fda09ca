#include "world/simulation.h"

#include <cmath>

#include "common/plain_geometry.h"
#include "pintle/craft/load.h"
#include "pintle/stack/gate.h"
#include "pintle/vehicle/effectiveness.h"
#include "pintle/world/world.h"
#ifdef PINTLE_HAS_MUJOCO
#include "pintle/mujoco/plant_factory.h"
#endif

namespace pintle::ros1 {
namespace {

world::WorldOptions world_options() {
  world::WorldOptions options;
#ifdef PINTLE_HAS_MUJOCO
  options.mujoco = mujoco::plant_factory();
#endif
  return options;
}

}  // namespace

struct Simulation::Impl {
  craft::MissionFile mission;
  stack::Model model;
  world::World world;
  std::vector<propulsion::PropulsorState> propulsors;

  Impl(craft::MissionFile m, std::uint64_t seed)
      : mission(std::move(m)),
        model(craft::build_model(mission.vehicle, nullptr)),
        world(model.vehicle, mission.world, seed != 0 ? seed : mission.seed, world_options()) {
    for (const auto& p : model.vehicle.propulsors)
      propulsors.push_back(propulsion::initial_state(p.model));
  }
};

Simulation::Simulation(const std::string& mission_file, std::uint64_t seed)
    : impl_(std::make_unique<Impl>(craft::load_mission(mission_file), seed)) {}
Simulation::~Simulation() = default;

double Simulation::period_s() const { return 1.0 / impl_->mission.world.odometry.rate_Hz; }
std::string Simulation::name() const { return impl_->mission.vehicle.vehicle.name; }
std::size_t Simulation::channels() const { return impl_->model.effectiveness.n; }

void Simulation::advance(double dt_s, const std::vector<double>& efforts) {
  const Effectiveness& e = impl_->model.effectiveness;
  const double bus_V = impl_->world.bus_V();
  ChannelVector commands;
  std::size_t channel = 0;
  for (std::size_t i = 0; i < impl_->propulsors.size(); ++i) {
    const vehicle::Propulsor& p = impl_->model.vehicle.propulsors[i];
    stack::GateInput input;
    const std::size_t n = propulsion::channels(p.model);
    for (std::size_t k = 0; k < n; ++k, ++channel) {
      input.effort[k] =
          channel < efforts.size() && std::isfinite(efforts[channel]) ? efforts[channel] : 0.0;
      input.lower[k] = e.lower[channel];
      input.upper[k] = e.upper[channel];
    }
    input.ambient.bus_V = bus_V;
    const stack::GateResult sent = stack::gate(p.model, impl_->propulsors[i], input, dt_s);
    for (std::size_t k = 0; k < n; ++k) commands.push_back(sent.command[k]);
  }
  impl_->world.advance(commands, ~std::uint64_t{0},
                       impl_->world.now() + Duration::from_seconds(dt_s));
}

bool Simulation::take(WorldSample& sample) {
  const auto odometry = impl_->world.take_odometry();
  if (!odometry) return false;
  const Twist& V = odometry->V_WB_B;
  sample = {odometry->stamp.ns, plain(odometry->X_WB), {V.v.x, V.v.y, V.v.z, V.w.x, V.w.y, V.w.z}};
  return true;
}

std::int64_t Simulation::now_ns() const { return impl_->world.now().ns; }
PlainPose Simulation::truth() const { return plain(impl_->world.truth().X_WB); }

}  // namespace pintle::ros1
