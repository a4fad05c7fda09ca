/// The layout as the parameter server has it.
#pragma once
#include "mapper/layout.h"

namespace pintle::ros1 {

/// Waits for /thruster_layout or /busses; with both, the first. A file that was loaded with its own
/// top-level key into one of them (/thruster_layout/thruster_layout) is the same.
/// @throws std::runtime_error for one that cannot be used, or when ROS ends.
[[nodiscard]] Layout layout_from_parameters(Use use);

}  // namespace pintle::ros1
