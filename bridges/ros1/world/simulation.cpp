#include "world/simulation.h"

#include <cmath>

#include "pintle/stack/gate.h"
#include "pintle/stack/load.h"
#include "pintle/vehicle/effectiveness.h"
#include "pintle/world/world.h"

namespace pintle::ros1 {
namespace {

PlainPose plain(const Pose& X) { return {{X.p.x, X.p.y, X.p.z}, {X.q.x, X.q.y, X.q.z, X.q.w}}; }

}  // namespace

struct Simulation::Impl {
  stack::MissionFile mission;
  stack::Model model;
  world::World world;
  std::vector<propulsion::PropulsorState> propulsors;

  Impl(stack::MissionFile m, std::uint64_t seed)
      : mission(std::move(m)),
        model(stack::build_model(mission.vehicle, nullptr)),
        world(model.vehicle, mission.world, seed != 0 ? seed : mission.seed) {
    for (const auto& p : model.vehicle.propulsors)
      propulsors.push_back(propulsion::initial_state(p.model));
  }
};

Simulation::Simulation(const std::string& mission_file, std::uint64_t seed)
    : impl_(std::make_unique<Impl>(stack::load_mission(mission_file), seed)) {}
Simulation::~Simulation() = default;

double Simulation::period_s() const { return 1.0 / impl_->mission.world.odometry.rate_Hz; }
std::string Simulation::name() const { return impl_->mission.vehicle.vehicle.name; }
std::size_t Simulation::channels() const { return impl_->model.effectiveness.n; }

void Simulation::advance(double dt_s, const std::vector<double>& efforts) {
  const Effectiveness& e = impl_->model.effectiveness;
  const double bus_V = impl_->world.bus_V();
  ChannelVector commands;
  for (std::size_t i = 0; i < impl_->propulsors.size(); ++i) {
    const double effort = i < efforts.size() && std::isfinite(efforts[i]) ? efforts[i] : 0.0;
    commands.push_back(stack::gate(impl_->model.vehicle.propulsors[i].model, impl_->propulsors[i],
                                   effort, e.lower[i], e.upper[i], bus_V, dt_s)
                           .command);
  }
  impl_->world.advance(commands, impl_->world.now() + Duration::from_seconds(dt_s));
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
