/// Which device drives which propulsor: the wiring of a vehicle, as its file has it.
///
///   devices:
///     - name: front
///       type: m5
///       path: /dev/serial/by-id/usb-FTDI-if00-port0
///       channels:
///         - {propulsor: FLH, node_id: 3}
///         - {propulsor: FLV, node_id: 1, reversed: true}
///
/// Types: `m5` (VideoRay M5, nodes 0 to 127), `vesc` (nodes 0 to 254; the first channel is the
/// controller on the line itself) and `pwm` (a board of servo pulses, outputs 0 to 15). Refused: a node twice on a line, a propulsor on two devices or
/// on none while there are devices, a node beyond the last of the type, a baud rate that ports do not
/// have, multicast of a type that has none.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "pintle/base/fields.h"
#include "pintle/base/finding.h"

namespace pintle::vehicle {

struct DeviceChannel {
  std::string propulsor;
  std::int32_t node_id = 0;
  bool reversed = false;    ///< A positive effort is sent as a negative one.
  bool confident = false;   ///< Commanded although it does not answer.
  std::int64_t serial = 0;  ///< Of the one that belongs there; 0: any.
};

struct Device {
  std::string name;
  std::string type = "m5";
  std::string path;
  std::int32_t baudrate = 115200;
  std::vector<DeviceChannel> channels;
  bool rs485 = false;  ///< The port's driver is to switch the direction of the line.
  /// All of them are commanded by one frame. Of M5s with motor_IDs of their own.
  bool multicast = false;
};

/// How all lines are served.
struct SerialLines {
  std::int32_t fifo = 0;  ///< SCHED_FIFO priority of their thread, with its memory locked; 0: none.
};

/// `propulsors`: the names there are.
[[nodiscard]] Findings check(const std::vector<Device>& devices,
                             const std::vector<std::string>& propulsors);

}  // namespace pintle::vehicle

namespace pintle {
template <>
const Table& table_of<vehicle::DeviceChannel>();
template <>
const Table& table_of<vehicle::Device>();
template <>
const Table& table_of<vehicle::SerialLines>();
}  // namespace pintle
