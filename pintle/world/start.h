/// Where the craft is when the world begins, and how it moves.
///
/// Each spread number is drawn evenly within its half-width from a stream of its own ("start
/// position x", "start roll", "start velocity z" …), so that a new one never changes the others.
#pragma once
#include <cstdint>

#include "pintle/world/body_dynamics.h"
#include "pintle/world_params/params.h"

namespace pintle::world {

[[nodiscard]] BodyState start_of(const WorldParams& params, std::uint64_t seed) noexcept;

}  // namespace pintle::world
