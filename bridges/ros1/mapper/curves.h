/// The thrusters of a layout as pintle/propulsion has them. For sources of the core only (C++20).
#pragma once
#include <vector>

#include "mapper/layout.h"
#include "pintle/propulsion/thruster.h"

namespace pintle::ros1 {

/// In the layout's order; the layout must have been read for driving.
[[nodiscard]] std::vector<propulsion::Thruster> curves_of(const Layout& layout);

}  // namespace pintle::ros1
