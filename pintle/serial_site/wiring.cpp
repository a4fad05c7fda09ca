#include "pintle/serial_site/wiring.h"

#include <stdexcept>

#include "pintle/device/m5_emulator.h"
#include "pintle/device/m5_protocol.h"
#include "pintle/device/vesc_emulator.h"
#include "pintle/device/vesc_protocol.h"

namespace pintle::serial_site {
namespace {

/// What a line takes is a share of full scale.
void check_propulsor(const vehicle::Propulsor& p) {
  const auto* thruster = std::get_if<propulsion::Thruster>(&p.model);
  if (thruster == nullptr)
    throw std::invalid_argument(p.name + ": a device drives thrusters, and this is none");
  const auto& params = thruster->params();
  if (params.curve == propulsion::CurveKind::kPulseWidth)
    throw std::invalid_argument(p.name +
                                ": its curve gives pulse widths, and a line takes -1 to 1: write "
                                "the curve of the thruster that hangs there, as  library: "
                                "m5_polynomial");
}

}  // namespace

std::vector<WiredLine> wiring_of(const craft::VehicleFile& file) {
  if (file.vehicle.devices.empty())
    throw std::invalid_argument(
        file.vehicle.name +
        ": no devices drive its thrusters: write  devices: [{name, type: m5, path, channels}]  "
        "into the vehicle file");
  const vehicle::Vehicle craft = vehicle::build(file.vehicle);
  for (const vehicle::Propulsor& p : craft.propulsors) check_propulsor(p);
  std::vector<WiredLine> out;
  for (const vehicle::Device& d : file.vehicle.devices) {
    WiredLine line{d.name, d.type, d.path, d.baudrate, {}, {}};
    for (const vehicle::DeviceChannel& c : d.channels) {
      device::BusChannel channel;
      channel.name.assign(c.propulsor);
      channel.node = static_cast<std::uint8_t>(c.node_id);
      channel.reversed = c.reversed;
      channel.confident = c.confident;
      line.channels.push_back(channel);
      line.propulsor.push_back(static_cast<std::size_t>(craft.index_of(c.propulsor)));
    }
    out.push_back(std::move(line));
  }
  return out;
}

std::unique_ptr<device::PropulsorBus> bus_of(const WiredLine& line,
                                             const device::BusSettings& settings) {
  device::BusSettings s = settings;
  s.baudrate = line.baudrate;
  std::unique_ptr<device::PropulsorProtocol> protocol;
  if (line.type == "vesc")
    protocol = std::make_unique<device::VescProtocol>(line.channels);
  else
    protocol = std::make_unique<device::M5Protocol>(line.channels);
  return std::make_unique<device::PropulsorBus>(std::move(protocol), line.channels, s);
}

std::unique_ptr<device::PropulsorEmulator> emulator_of(const WiredLine& line) {
  if (line.type == "vesc") {
    std::vector<std::uint8_t> ids;
    for (const device::BusChannel& c : line.channels) ids.push_back(c.node);
    return std::make_unique<device::VescEmulator>(ids);
  }
  std::vector<device::M5Identity> ids;
  for (const device::BusChannel& c : line.channels)
    ids.push_back({c.node, static_cast<std::uint16_t>(ids.size()), 1000U + c.node});
  return std::make_unique<device::M5Emulator>(ids);
}

}  // namespace pintle::serial_site
