/// The frames in which odometry comes; what each means and the way out of them is in
/// estimation/odometry_frame.h.
#pragma once
#include <cstdint>

#include "pintle/base/fields.h"

namespace pintle {

enum class OdometryFrame : std::uint8_t { kEnu, kNeu, kNed };

template <>
const EnumTable& enum_table<OdometryFrame>();

}  // namespace pintle
