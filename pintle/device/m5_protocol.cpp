#include "pintle/device/m5_protocol.h"

#include <algorithm>
#include <cmath>

namespace pintle::device {
namespace {

constexpr std::uint8_t kPolled = 20;  ///< Bytes of rpm, bus_v, bus_i, fault, temp.

/// What stands there can have been measured; all else says nothing.
void set(PropulsorReport& report, std::uint8_t field, double& where, double value, double lower,
         double upper) noexcept {
  if (!(value >= lower && value <= upper)) return;
  where = value;
  report.valid |= field;
}

PropulsorReport report_of(const M5Response& m) noexcept {
  PropulsorReport r;
  set(r, kHasRpm, r.rpm, static_cast<double>(m.rpm), -20000, 20000);
  set(r, kHasVoltage, r.bus_V, static_cast<double>(m.bus_V), 0, 100);
  set(r, kHasCurrent, r.bus_A, static_cast<double>(m.bus_A), -200, 200);
  set(r, kHasTemperature, r.temperature_C, static_cast<double>(m.temperature_C), -60, 300);
  r.fault = m.fault;
  r.valid |= kHasFault;
  return r;
}

M5Response response_of(std::span<const std::uint8_t> data) noexcept {
  const auto at = [&](std::size_t offset) {
    return static_cast<float>(*decode_register(RegisterType::kF32, data.subspan(offset)));
  };
  const double fault = *decode_register(RegisterType::kU32, data.subspan(12));
  return {at(0), at(4), at(8), at(16),
          static_cast<std::uint8_t>(static_cast<std::uint32_t>(fault))};
}

}  // namespace

const BusCapabilities& m5_capabilities() noexcept {
  static constexpr BusCapabilities kM5{
      .watchdog_s = 2, .answers = true, .last_node = kVrcsrLastNode};
  return kM5;
}

M5Protocol::M5Protocol(std::span<const BusChannel> channels) noexcept {
  for (const BusChannel& c : channels) channels_.push_back({c.node, c.reversed, -1});
}

BusFrame M5Protocol::greet(std::size_t channel, Out out) noexcept {
  return {encode_read(channels_[channel].node, m5::kMotorId, 2, out), vrcsr_size(1 + 2)};
}

void M5Protocol::forget(std::size_t channel) noexcept { channels_[channel].motor_id = -1; }

float M5Protocol::power(std::size_t channel, double effort) const noexcept {
  return static_cast<float>(channels_[channel].reversed ? -effort : effort);
}

BusFrame M5Protocol::command(std::size_t channel, double effort, Out out) noexcept {
  const Channel& c = channels_[channel];
  // one that never said its motor_ID is commanded only if it is confident: 0 is what it leaves with
  const auto index = static_cast<std::size_t>(std::max(c.motor_id, 0));
  std::array<float, kM5MaxPowers> powers{};
  powers[index] = power(channel, effort);
  return {encode_propulsion(c.node, c.node, std::span(powers).first(index + 1), out),
          vrcsr_size(18)};
}

BusFrame M5Protocol::command_all(std::span<const double> efforts, std::size_t responder,
                                 Out out) noexcept {
  std::array<float, kM5MaxPowers> powers{};
  std::uint64_t taken = 0;
  std::size_t n = 0;
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    const int id = channels_[i].motor_id;
    if (id < 0 || (taken >> id & 1U) != 0) return {};
    taken |= std::uint64_t{1} << id;
    powers[static_cast<std::size_t>(id)] = power(i, efforts[i]);
    n = std::max(n, static_cast<std::size_t>(id) + 1);
  }
  return {encode_propulsion(kVrcsrThrusters, channels_[responder].node, std::span(powers).first(n),
                            out),
          vrcsr_size(18)};
}

BusFrame M5Protocol::poll(std::size_t channel, Out out) noexcept {
  return {encode_read(channels_[channel].node, m5::kRpm, kPolled, out), vrcsr_size(1 + kPolled)};
}

bool M5Protocol::hear(std::span<const std::uint8_t>& bytes, BusMessage& message) noexcept {
  while (const auto frame = decoder_.next(bytes)) {
    const auto reply = reply_of(*frame);
    if (!reply) continue;  // our own words, that some adapters give back
    message = {};
    const auto c = std::find_if(channels_.begin(), channels_.end(),
                                [&](const Channel& k) { return k.node == frame->node; });
    if (c == channels_.end()) return true;
    message.kind = BusMessage::Kind::kAnswer;
    message.channel = static_cast<std::size_t>(c - channels_.begin());
    const bool is_read = (frame->flags & kVrcsrReturn) != 0;
    if (const auto response = standard_response(*frame)) {
      message.kind = BusMessage::Kind::kReport;
      message.report = report_of(*response);
    } else if (is_read && frame->address == m5::kRpm && reply->data.size() == kPolled) {
      message.kind = BusMessage::Kind::kReport;
      message.report = report_of(response_of(reply->data));
    } else if (is_read && frame->address == m5::kMotorId && reply->data.size() == 2) {
      const double id = *decode_register(RegisterType::kU16, reply->data);
      // a thruster that wants a place behind all others cannot be commanded
      if (id >= static_cast<double>(kM5MaxPowers)) return true;
      c->motor_id = static_cast<int>(id);
      message.kind = BusMessage::Kind::kGreeting;
    }
    return true;
  }
  return false;
}

}  // namespace pintle::device
