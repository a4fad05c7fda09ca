#include "pintle/vehicle/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace pintle::vehicle {
namespace {

struct DeviceKind {
  std::string_view type;
  int last_node;
};
constexpr std::array kDeviceKinds{DeviceKind{"m5", 127}, DeviceKind{"vesc", 254},
                                  DeviceKind{"pwm", 15}};
constexpr std::array kRates{9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600};

}  // namespace

Findings check(const std::vector<Device>& devices, const std::vector<std::string>& propulsors) {
  Findings out;
  std::map<std::string, std::string> names, driven, lines;
  const auto once = [&](auto& taken, const auto& key, const std::string& by,
                        const std::string& path, const std::string& message,
                        const std::string& fix) {
    const auto [found, is_new] = taken.emplace(key, by);
    if (!is_new) out.push_back({path, message + found->second, fix, true});
  };
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const Device& d = devices[i];
    const std::string at = fmt::format("devices[{}]", i);
    once(names, d.name, "another device", at + ".name",
         fmt::format("the name \"{}\" is taken by ", d.name), "a name of its own for each");
    if (d.path.empty())
      out.push_back({at + ".path", "expected the path of a serial port",
                     "write  path: /dev/serial/by-id/…  (pintle doctor lists them)", true});
    else
      once(lines, d.path, fmt::format("device \"{}\"", d.name), at + ".path",
           "this port is that of ", "a port of its own for each, or all channels under one device");
    std::map<int, std::string> nodes;  // who has it
    const auto kind = std::find_if(kDeviceKinds.begin(), kDeviceKinds.end(),
                                   [&](const DeviceKind& k) { return k.type == d.type; });
    if (kind == kDeviceKinds.end())
      out.push_back({at + ".type", fmt::format("expected m5, vesc or pwm, got \"{}\"", d.type),
                     "write  type: m5", true});
    if (std::find(kRates.begin(), kRates.end(), d.baudrate) == kRates.end())
      out.push_back({at + ".baudrate",
                     fmt::format("expected {}, got {}", fmt::join(kRates, ", "), d.baudrate),
                     "write the one that the devices are set to", true});
    if (d.multicast && d.type != "m5")
      out.push_back({at + ".multicast",
                     d.type == "pwm" ? "a board of pulses hears of all in one frame anyway"
                                     : "no frame commands several devices of type " + d.type,
                     "leave it out", true});
    for (std::size_t k = 0; k < d.channels.size(); ++k) {
      const DeviceChannel& c = d.channels[k];
      const std::string channel = fmt::format("{}.channels[{}]", at, k);
      if (std::find(propulsors.begin(), propulsors.end(), c.propulsor) == propulsors.end())
        out.push_back({channel + ".propulsor",
                       fmt::format("there is no propulsor called \"{}\"", c.propulsor),
                       "write one of " + fmt::format("{}", fmt::join(propulsors, ", ")), true});
      once(driven, c.propulsor, fmt::format("device \"{}\"", d.name), channel + ".propulsor",
           c.propulsor + " is driven already by ", "each propulsor on one device");
      const int last = kind == kDeviceKinds.end() ? 254 : kind->last_node;
      if (c.node_id < 0 || c.node_id > last)
        out.push_back({channel + ".node_id",
                       fmt::format("expected 0 to {}, got {}", last, c.node_id),
                       "the id that  pintle device m5 scan  finds", true});
      once(nodes, static_cast<int>(c.node_id), c.propulsor, channel + ".node_id",
           fmt::format("node {} on this line is that of ", c.node_id),
           "a node of its own for each on one line");
    }
  }
  if (devices.empty()) return out;
  for (const std::string& name : propulsors)
    if (driven.find(name) == driven.end())
      out.push_back({"devices", fmt::format("no device drives {}", name),
                     fmt::format("add  - {{propulsor: {}, node_id: …}}  under channels:", name),
                     true});
  return out;
}

}  // namespace pintle::vehicle

namespace pintle {

template <>
const Table& table_of<vehicle::DeviceChannel>() {
  using C = vehicle::DeviceChannel;
  static const Table table =
      TableBuilder<C>("DeviceChannel", "A propulsor on a device.")
          .field("propulsor", &C::propulsor, "", "Its name under propulsors.")
          .required()
          .field("node_id", &C::node_id, "", "Its id on the line.")
          .required()
          .field("reversed", &C::reversed, "", "A positive effort is sent as a negative one.")
          .field("confident", &C::confident, "", "Commanded although it does not answer.")
          .field("serial", &C::serial, "", "Of the one that belongs there; 0: any.")
          .range(0, 4294967295.0)
          .build();
  return table;
}

template <>
const Table& table_of<vehicle::Device>() {
  using D = vehicle::Device;
  static const Table table = TableBuilder<D>("Device", "What drives propulsors over a serial port.")
                                 .field("name", &D::name, "", "For messages.")
                                 .required()
                                 .field("type", &D::type, "", "m5, vesc or pwm.")
                                 .field("path", &D::path, "", "Of the serial port.")
                                 .required()
                                 .field("baudrate", &D::baudrate, "", "Bits per second, 8N1.")
                                 .range(9600, 921600)
                                 .field("rs485", &D::rs485, "",
                                        "The port's driver is to switch the direction of the line; "
                                        "adapters that do so alone need it not.")
                                 .field("multicast", &D::multicast, "",
                                        "One frame commands all of them, one answers in turn: of "
                                        "M5s whose motor_IDs differ.")
                                 .field("channels", &D::channels, "", "The propulsors on it.")
                                 .required()
                                 .items_at_least(1)
                                 .build();
  return table;
}

template <>
const Table& table_of<vehicle::SerialLines>() {
  using L = vehicle::SerialLines;
  static const Table table =
      TableBuilder<L>("SerialLines", "How the serial lines of all devices are served.")
          .field("fifo", &L::fifo, "",
                 "SCHED_FIFO priority of their thread, 1 to 99, with its memory locked; 0: none. "
                 "--fifo of  pintle run  goes before it.")
          .range(0, 99)
          .build();
  return table;
}

}  // namespace pintle
