#include "pintle/mujoco/plant_factory.h"

#include "pintle/mujoco/mujoco_plant.h"
#include "pintle/vehicle/supplies.h"

namespace pintle::mujoco {
namespace {

constexpr double kFootRadius_m = 0.01;

vehicle::Structure structure_of(const vehicle::Vehicle& craft) {
  vehicle::Link body;
  body.name = "body";
  // the body alone: nothing is filled in
  body.mass = vehicle::mass_of(craft, {}, {});
  for (const Vec3& foot : craft.body.feet_m)
    body.shapes.push_back({vehicle::ShapeKind::kSphere,
                           {kFootRadius_m, 0, 0},
                           {foot + Vec3{0, 0, kFootRadius_m}, {}}});
  return {craft.name, {body}};
}

}  // namespace

world::PlantFactory plant_factory() {
  return [](const vehicle::Vehicle& craft, double gravity_m_s2, const world::Ground& ground,
            const std::vector<world::BodySpec>& bodies) -> std::unique_ptr<world::Plant> {
    MujocoSettings settings;
    settings.gravity_m_s2 = gravity_m_s2;
    settings.integrator = Integrator::kRk4;
    return std::make_unique<MujocoPlant>(structure_of(craft), settings, ground, bodies);
  };
}

}  // namespace pintle::mujoco
