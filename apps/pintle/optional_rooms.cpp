#include "optional_rooms.h"

#include "full_program.h"

#ifdef PINTLE_HAS_MUJOCO
#include "pintle/mujoco/plant_factory.h"
#endif
#ifdef PINTLE_HAS_VISION
#include "pintle/sight/world_sight.h"
#endif

namespace pintle::app {

void use_optional_rooms(const craft::MissionFile& mission,
                        [[maybe_unused]] simulation::RunOptions& options) {
  if (mission.world.sightings.from == world::SightingSource::kImages) go_on_in_full_program();
#ifdef PINTLE_HAS_MUJOCO
  options.site.world.mujoco = mujoco::plant_factory();
#endif
#ifdef PINTLE_HAS_VISION
  options.site.sight = sight::sight_factory();
#endif
}

}  // namespace pintle::app
