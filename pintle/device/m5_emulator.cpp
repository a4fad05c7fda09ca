#include "pintle/device/m5_emulator.h"

#include <algorithm>
#include <cmath>

namespace pintle::device {
namespace {

constexpr double kWatchdog_s = 2.0, kRestart_s = 3.0;
constexpr std::uint8_t kDeviceType = 0x01;

}  // namespace

M5Emulator::M5Emulator(std::span<const M5Identity> thrusters, M5Firmware firmware)
    : firmware_(firmware), thrusters_(thrusters.size()) {
  for (std::size_t i = 0; i < thrusters.size(); ++i) {
    set_register(i, "NODE_ID", thrusters[i].node);
    set_register(i, "GROUP_ID", kVrcsrThrusters);
    set_register(i, "motor_ID", thrusters[i].motor_id);
    set_register(i, "FACTORY_SERVICE_DATA", thrusters[i].serial);
    set_register(i, "FIRMWARE_VERSION", thrusters[i].firmware_version);
    thrusters_[i].saved = thrusters_[i].registers;
  }
}

double M5Emulator::register_value(std::size_t thruster, std::string_view name) const {
  const Register* r = find_register(firmware_, name);
  if (r == nullptr) return std::nan("");
  return *decode_register(r->type, std::span(thrusters_[thruster].registers).subspan(r->address));
}

void M5Emulator::set_register(std::size_t thruster, std::string_view name, double value) {
  const Register* r = find_register(firmware_, name);
  if (r != nullptr)
    (void)encode_register(r->type, value,
                          std::span(thrusters_[thruster].registers).subspan(r->address));
}

double M5Emulator::effort(std::size_t thruster, Time now) const {
  const Thruster& t = thrusters_[thruster];
  const bool heard = t.was_commanded && (now - t.commanded).seconds() <= kWatchdog_s;
  return heard && now >= t.away_until ? t.effort : 0;
}

void M5Emulator::heard(std::span<const std::uint8_t> bytes, Time now) {
  echo_back(bytes, now);
  while (const auto frame = decoder_.next(bytes)) {
    if (frame->kind != VrcsrKind::kRequest) continue;
    for (std::size_t i = 0; i < thrusters_.size(); ++i) {
      const Thruster& t = thrusters_[i];
      const bool mine = frame->node == t.registers[m5::kNodeId] ||
                        frame->node == t.registers[m5::kGroupId] || frame->node == kVrcsrEverybody;
      if (mine) take(i, *frame, now);
    }
  }
}

void M5Emulator::take(std::size_t i, const VrcsrFrame& frame, Time now) {
  Thruster& t = thrusters_[i];
  if (t.faults.brown_out) {
    t.faults.brown_out = false;
    restart(t, now);
  }
  if (t.faults.gone || now < t.away_until || happens(t.faults.lose)) return;
  std::uint8_t responder = frame.node;
  if (const auto command = propulsion_command(frame)) {
    take_command(t, *command, now);
    responder = command->responder;
  } else if (!frame.payload.empty()) {
    write(t, frame, now);
    // a new NODE_ID answers for the old one
    if (frame.node <= kVrcsrLastNode) responder = t.registers[m5::kNodeId];
  }
  if (frame.flags != 0 && responder == t.registers[m5::kNodeId] && now >= t.away_until)
    reply(i, frame, now);
}

void M5Emulator::take_command(Thruster& t, const M5Propulsion& command, Time now) {
  ++t.commands;
  const auto index = static_cast<std::size_t>(
      *decode_register(RegisterType::kU16, std::span(t.registers).subspan(m5::kMotorId)));
  if (index >= command.size()) return;
  const double power = static_cast<double>(command.power(index));
  t.effort = std::isfinite(power) ? std::clamp(power, -1.0, 1.0) : 0;
  t.commanded = now;
  t.was_commanded = true;
}

void M5Emulator::write(Thruster& t, const VrcsrFrame& frame, Time now) {
  for (const Register& r : m5_registers(firmware_)) {
    const std::size_t n = size_of(r.type);
    if (r.access == RegisterAccess::kRead || r.address < frame.address ||
        r.address + n > frame.address + frame.payload.size())
      continue;
    const auto from = frame.payload.begin() + (r.address - frame.address);
    std::copy(from, from + static_cast<std::ptrdiff_t>(n), t.registers.begin() + r.address);
  }
  const auto is = [&](std::uint8_t address, std::uint16_t value) {
    return frame.address == address && frame.payload.size() == 2 &&
           frame.payload[0] + 256 * frame.payload[1] == value;
  };
  if (is(m5::kSaveSettings, m5::kSave)) t.saved = t.registers;
  if (is(m5::kUtility, m5::kReboot)) restart(t, now);
}

void M5Emulator::restart(Thruster& t, Time now) {
  t.registers = t.saved;
  t.effort = 0;
  t.was_commanded = false;
  t.away_until = now + Duration::from_seconds(kRestart_s);
}

void M5Emulator::measure(std::size_t i, Time now) {
  const PropulsorTruth m = truth(i, thrusters_[i].faults, now);
  set_register(i, "rpm", m.rpm);
  set_register(i, "bus_v", m.bus_V);
  set_register(i, "bus_i", m.bus_A);
  set_register(i, "temp", m.temperature_C);
  set_register(i, "fault", m.fault);
  set_register(i, "pwr_actual", effort(i, now));
}

void M5Emulator::reply(std::size_t i, const VrcsrFrame& frame, Time now) {
  Thruster& t = thrusters_[i];
  if (t.faults.mute) return;
  measure(i, now);
  const std::uint8_t node = t.faults.wrong_id >= 0 ? static_cast<std::uint8_t>(t.faults.wrong_id)
                                                   : t.registers[m5::kNodeId];
  std::array<std::uint8_t, kM5MaxFrame> out{};
  std::size_t n = 0;
  if ((frame.flags & kVrcsrReturn) != 0) {
    const auto size = std::min<std::size_t>(frame.flags & 0x7FU, 256U - frame.address);
    n = encode_read_reply(node, frame.address, kDeviceType,
                          std::span(t.registers).subspan(frame.address, size), out);
  } else if (frame.flags == kVrcsrStandard) {
    const PropulsorTruth m = truth(i, t.faults, now);
    n = encode_standard_response(
        node, kDeviceType,
        {static_cast<float>(m.rpm), static_cast<float>(m.bus_V), static_cast<float>(m.bus_A),
         static_cast<float>(m.temperature_C), m.fault},
        out);
  } else if (frame.flags == kVrcsrAcknowledge) {
    n = encode_vrcsr({VrcsrKind::kReply, node, kVrcsrAcknowledge, 0, std::array{kDeviceType}}, out);
  }
  if (n > 0) answer(std::span(out).first(n), t.faults, now);
}

}  // namespace pintle::device
