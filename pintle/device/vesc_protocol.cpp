#include "pintle/device/vesc_protocol.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace pintle::device {
namespace {

constexpr std::uint8_t kShort = 2, kLong = 3, kEnd = 3;

/// Of a frame that begins here: its size, as far as can be told; 0: none begins so.
std::size_t size_of_frame(std::span<const std::uint8_t> b, std::size_t& head) noexcept {
  if (b[0] != kShort && b[0] != kLong) return 0;
  head = b[0] == kShort ? 2 : 3;
  if (b.size() < head) return head + 4;
  const std::size_t n = b[0] == kShort ? b[1] : 256U * b[1] + b[2];
  if (n == 0 || n > kVescMaxPayload || (b[0] == kLong && n < 256)) return 0;
  return head + n + 3;
}

std::int32_t take(const std::uint8_t* at, std::size_t n) noexcept {
  std::uint32_t raw = 0;
  for (std::size_t k = 0; k < n; ++k) raw = raw << 8U | at[k];
  return n == 2 ? static_cast<std::int16_t>(raw) : static_cast<std::int32_t>(raw);
}

/// The firmware's fault codes as bits that all devices share.
std::uint8_t fault_bits(std::uint8_t code) noexcept {
  switch (code) {
    case 0: return 0;
    case 1: return kFaultOvervolt;
    case 2: return kFaultUndervolt;
    case 4: return kFaultOvercurrent;
    case 5:
    case 6: return kFaultOvertemp;
    default: return kFaultDriver;
  }
}

PropulsorReport report_of(std::span<const std::uint8_t> v, int pole_pairs) noexcept {
  PropulsorReport r;
  const auto set = [&](std::uint8_t field, double& where, double value, double low, double high) {
    if (!(value >= low && value <= high)) return;
    where = value;
    r.valid |= field;
  };
  const double fet_C = take(&v[1], 2) / 10.0, motor_C = take(&v[3], 2) / 10.0;
  // without a sensor the motor reads far below freezing
  set(kHasTemperature, r.temperature_C, std::max(fet_C, motor_C), -60, 300);
  set(kHasCurrent, r.bus_A, take(&v[9], 4) / 100.0, -500, 500);
  set(kHasRpm, r.rpm, static_cast<double>(take(&v[23], 4)) / pole_pairs, -50000, 50000);
  set(kHasVoltage, r.bus_V, take(&v[27], 2) / 10.0, 0, 100);
  r.fault = fault_bits(v[53]);
  r.valid |= kHasFault;
  return r;
}

}  // namespace

std::uint16_t vesc_crc(std::span<const std::uint8_t> bytes) noexcept {
  unsigned crc = 0;
  for (const std::uint8_t b : bytes) {
    crc ^= static_cast<unsigned>(b) << 8U;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x8000U) != 0 ? crc << 1U ^ 0x1021U : crc << 1U;
  }
  return static_cast<std::uint16_t>(crc);
}

std::size_t encode_vesc(std::span<const std::uint8_t> payload,
                        std::span<std::uint8_t> out) noexcept {
  const std::size_t n = payload.size(), head = n < 256 ? 2 : 3;
  if (n == 0 || n > kVescMaxPayload || out.size() < head + n + 3) return 0;
  out[0] = n < 256 ? kShort : kLong;
  if (n >= 256) out[1] = static_cast<std::uint8_t>(n >> 8U);
  out[head - 1] = static_cast<std::uint8_t>(n);
  std::memcpy(out.data() + head, payload.data(), n);
  const std::uint16_t crc = vesc_crc(payload);
  out[head + n] = static_cast<std::uint8_t>(crc >> 8U);
  out[head + n + 1] = static_cast<std::uint8_t>(crc);
  out[head + n + 2] = kEnd;
  return head + n + 3;
}

void VescDecoder::drop(std::size_t n) noexcept {
  size_ -= n;
  if (size_ > 0) std::memmove(buffer_.data(), buffer_.data() + n, size_);
}

void VescDecoder::reset() noexcept {
  drop(std::min(spent_, size_));
  spent_ = 0;
  skipped_ += size_;
  size_ = 0;
}

std::span<const std::uint8_t> VescDecoder::next(std::span<const std::uint8_t>& bytes) noexcept {
  drop(spent_);
  spent_ = 0;
  while (true) {
    if (size_ == 0) {
      if (bytes.empty()) return {};
      buffer_[size_++] = bytes[0];
      bytes = bytes.subspan(1);
    }
    std::size_t head = 0;
    wanted_ = size_of_frame({buffer_.data(), size_}, head);
    if (wanted_ > size_) {
      if (bytes.empty()) return {};
      // no further than can be told: a false start takes nothing away that it does not look at
      const std::size_t n = std::min(bytes.size(), wanted_ - size_);
      std::memcpy(buffer_.data() + size_, bytes.data(), n);
      size_ += n;
      bytes = bytes.subspan(n);
      continue;
    }
    if (wanted_ > 0) {
      const std::size_t n = wanted_ - head - 3;
      const auto payload = std::span<const std::uint8_t>(buffer_).subspan(head, n);
      const std::uint8_t* tail = buffer_.data() + head + n;
      if (tail[2] == kEnd && 256U * tail[0] + tail[1] == vesc_crc(payload)) {
        spent_ = wanted_;
        return payload;
      }
    }
    drop(1);
    ++skipped_;
  }
}

VescProtocol::VescProtocol(std::span<const BusChannel> channels, int pole_pairs) noexcept
    : pole_pairs_(std::max(pole_pairs, 1)) {
  for (const BusChannel& c : channels) channels_.push_back({c.node, c.reversed});
}

const BusCapabilities& VescProtocol::capabilities() const noexcept {
  static constexpr BusCapabilities kVesc{.watchdog_s = 1, .answers = true, .last_node = 254};
  return kVesc;
}

std::size_t VescProtocol::put(std::size_t channel, std::span<const std::uint8_t> payload,
                              Out out) const noexcept {
  if (channel == 0) return encode_vesc(payload, out);
  std::array<std::uint8_t, 16> forwarded{kVescForwardCan, channels_[channel].id};
  std::copy(payload.begin(), payload.end(), forwarded.begin() + 2);
  return encode_vesc(std::span(forwarded).first(2 + payload.size()), out);
}

BusFrame VescProtocol::poll(std::size_t channel, Out out) noexcept {
  return {put(channel, std::array{kVescGetValues}, out), kVescValuesBytes + 5};
}

BusFrame VescProtocol::command(std::size_t channel, double effort, Out out) noexcept {
  const double duty = channels_[channel].reversed ? -effort : effort;
  const auto raw = static_cast<std::uint32_t>(static_cast<std::int32_t>(std::lround(duty * 1e5)));
  std::array<std::uint8_t, 5> payload{kVescSetDuty};
  for (unsigned k = 0; k < 4; ++k) payload[1 + k] = static_cast<std::uint8_t>(raw >> (24 - 8 * k));
  const std::size_t n = put(channel, payload, out);
  const BusFrame asked = poll(channel, out.subspan(n));
  return {n + asked.bytes, asked.answer_bytes};
}

bool VescProtocol::hear(std::span<const std::uint8_t>& bytes, BusMessage& message) noexcept {
  for (auto payload = decoder_.next(bytes); !payload.empty(); payload = decoder_.next(bytes)) {
    // shorter ones are our own questions, that some adapters give back, or an older firmware
    if (payload[0] != kVescGetValues || payload.size() < kVescValuesBytes) continue;
    message = {};
    const std::uint8_t id = payload[kVescValuesBytes - 1];
    const auto c = std::find_if(channels_.begin(), channels_.end(),
                                [&](const Channel& k) { return k.id == id; });
    if (c == channels_.end()) return true;
    message.kind = BusMessage::Kind::kReport;
    message.channel = static_cast<std::size_t>(c - channels_.begin());
    message.report = report_of(payload, pole_pairs_);
    return true;
  }
  return false;
}

}  // namespace pintle::device
