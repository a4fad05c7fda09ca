/// Any propulsor, whatever its kind: the alternatives of one variant, and the three functions over
/// it.
#pragma once
#include <variant>

#include "pintle/propulsion/thruster.h"

namespace pintle::propulsion {

using Propulsor = std::variant<Thruster>;
using PropulsorState = std::variant<ThrusterState>;
static_assert(std::is_trivially_copyable_v<PropulsorState>);

/// Channels that it offers (1 to 3).
[[nodiscard]] constexpr std::size_t channels(const Propulsor&) noexcept { return 1; }

[[nodiscard]] inline PropulsorState initial_state(const Propulsor&) noexcept {
  return ThrusterState{};
}

}  // namespace pintle::propulsion
