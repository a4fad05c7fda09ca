#include "pintle/base/odometry_frame.h"

#include <array>

namespace pintle {

template <>
const EnumTable& enum_table<OdometryFrame>() {
  static constexpr std::array values{
      enum_value(OdometryFrame::kEnu, "enu", "East, north, up; yaw counter-clockwise from east."),
      enum_value(OdometryFrame::kNeu, "neu", "North, east, up; yaw clockwise from north."),
      enum_value(OdometryFrame::kNed, "ned", "North, east, down; yaw clockwise from north.")};
  static constexpr EnumTable table{"OdometryFrame", values};
  return table;
}

}  // namespace pintle
