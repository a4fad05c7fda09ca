#include "optional_rooms.h"

#ifdef PINTLE_HAS_MUJOCO
#include "pintle/mujoco/plant_factory.h"
#endif
#ifdef PINTLE_HAS_VISION
#include "pintle/sight/world_sight.h"
#endif

namespace pintle::app {

void use_optional_rooms([[maybe_unused]] simulation::RunOptions& options) {
#ifdef PINTLE_HAS_MUJOCO
  options.site.world.mujoco = mujoco::plant_factory();
#endif
#ifdef PINTLE_HAS_VISION
  options.site.sight = sight::sight_factory();
#endif
}

}  // namespace pintle::app
