/// What searches the pictures of a simulated world for targets. Behind an interface, because it
/// needs a library that not every build has.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pintle/simulation/names.h"
#include "pintle/world/world.h"

namespace pintle::simulation {

/// For the log.
struct EncodedPicture {
  Time stamp;
  std::string format;  ///< "jpeg".
  std::vector<std::uint8_t> bytes;
};

class Sight {
 public:
  Sight() = default;
  Sight(const Sight&) = delete;
  Sight& operator=(const Sight&) = delete;
  virtual ~Sight() = default;

  /// Takes a picture when one is due, and adds what has come of earlier ones by then.
  virtual void look(const world::Truth& truth, Sightings& out) = 0;
  /// The next picture for the log, in their order, where the world's `sightings: log_Hz` asks for
  /// them; false: none is ready. They are encoded beside the tick. `all`: waits for those under way.
  virtual bool take_encoded(EncodedPicture& /*out*/, bool /*all*/) { return false; }
};

/// @throws std::invalid_argument for what keeps it from looking, in one line.
using SightFactory =
    std::function<std::unique_ptr<Sight>(const MissionFile& mission, std::uint64_t seed)>;

}  // namespace pintle::simulation
