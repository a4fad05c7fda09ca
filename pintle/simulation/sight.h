/// What searches the pictures of a simulated world for targets. Behind an interface, because it
/// needs a library that not every build has.
#pragma once
#include <functional>
#include <memory>

#include "pintle/simulation/names.h"
#include "pintle/world/world.h"

namespace pintle::simulation {

class Sight {
 public:
  Sight() = default;
  Sight(const Sight&) = delete;
  Sight& operator=(const Sight&) = delete;
  virtual ~Sight() = default;

  /// Takes a picture when one is due, and adds what has come of earlier ones by then.
  virtual void look(const world::Truth& truth, Sightings& out) = 0;
};

/// @throws std::invalid_argument for what keeps it from looking, in one line.
using SightFactory =
    std::function<std::unique_ptr<Sight>(const MissionFile& mission, std::uint64_t seed)>;

}  // namespace pintle::simulation
