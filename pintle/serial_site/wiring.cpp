#include "pintle/serial_site/wiring.h"

#include <stdexcept>

#include "pintle/device/m5_emulator.h"
#include "pintle/device/m5_protocol.h"
#include "pintle/device/pwm_emulator.h"
#include "pintle/device/pwm_protocol.h"
#include "pintle/device/vesc_emulator.h"
#include "pintle/device/vesc_protocol.h"

namespace pintle::serial_site {
namespace {

constexpr std::string_view kPulses = "pwm";

std::vector<std::uint8_t> nodes_of(const WiredLine& line) {
  std::vector<std::uint8_t> out;
  for (const device::BusChannel& c : line.channels) out.push_back(c.node);
  return out;
}

}  // namespace

std::vector<WiredLine> wiring_of(const craft::VehicleFile& file) {
  if (file.vehicle.devices.empty())
    throw std::invalid_argument(
        file.vehicle.name +
        ": no devices drive its thrusters: write  devices: [{name, type: m5, path, channels}]  "
        "into the vehicle file");
  const vehicle::Vehicle craft = vehicle::build(file.vehicle);
  std::vector<WiredLine> out;
  for (const vehicle::Device& d : file.vehicle.devices) {
    WiredLine line{d.name, d.type, d.path, d.baudrate, d.rs485, d.multicast, {}, {}};
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

double WiredLine::effort_of(double command) const noexcept {
  return type == kPulses ? device::pwm_effort(command) : command;
}

double WiredLine::command_of(double effort) const noexcept {
  return type == kPulses ? device::kPwmRest_us + device::kPwmReach_us * effort : effort;
}

std::unique_ptr<device::PropulsorBus> bus_of(const WiredLine& line,
                                             const device::BusSettings& settings) {
  device::BusSettings s = settings;
  s.baudrate = line.baudrate;
  s.multicast = s.multicast || line.multicast;
  std::unique_ptr<device::PropulsorProtocol> protocol;
  if (line.type == "vesc")
    protocol = std::make_unique<device::VescProtocol>(line.channels);
  else if (line.type == kPulses)
    protocol = std::make_unique<device::PwmProtocol>(line.channels);
  else
    protocol = std::make_unique<device::M5Protocol>(line.channels);
  return std::make_unique<device::PropulsorBus>(std::move(protocol), line.channels, s);
}

std::unique_ptr<device::PropulsorEmulator> emulator_of(const WiredLine& line) {
  if (line.type == "vesc") return std::make_unique<device::VescEmulator>(nodes_of(line));
  if (line.type == kPulses) return std::make_unique<device::PwmEmulator>(nodes_of(line));
  std::vector<device::M5Identity> ids;
  for (const device::BusChannel& c : line.channels)
    ids.push_back({c.node, static_cast<std::uint16_t>(ids.size()), 1000U + c.node});
  return std::make_unique<device::M5Emulator>(ids);
}

}  // namespace pintle::serial_site
