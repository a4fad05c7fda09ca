#include "pintle/device/m5_messages.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace pintle::device {
namespace {

constexpr std::uint8_t kPropulsionMagic = 0xAA;
constexpr std::size_t kResponseBytes = 17;

void put_f32(std::uint8_t* at, float value) noexcept {
  const auto raw = std::bit_cast<std::uint32_t>(value);
  for (unsigned k = 0; k < 4; ++k) at[k] = static_cast<std::uint8_t>(raw >> (8 * k));
}

float take_f32(const std::uint8_t* at) noexcept {
  std::uint32_t raw = 0;
  for (unsigned k = 0; k < 4; ++k) raw |= static_cast<std::uint32_t>(at[k]) << (8 * k);
  return std::bit_cast<float>(raw);
}

}  // namespace

std::size_t encode_propulsion(std::uint8_t to, std::uint8_t responder, std::span<const float> power,
                              std::span<std::uint8_t> out) noexcept {
  if (power.size() > kM5MaxPowers) return 0;
  std::array<std::uint8_t, 2 + 4 * kM5MaxPowers> payload{kPropulsionMagic, responder};
  for (std::size_t i = 0; i < power.size(); ++i) {
    const float p = std::isfinite(power[i]) ? std::clamp(power[i], -1.0F, 1.0F) : 0.0F;
    put_f32(payload.data() + 2 + 4 * i, p);
  }
  return encode_vrcsr({VrcsrKind::kRequest, to, kVrcsrStandard, m5::kPropulsion,
                       std::span(payload).first(2 + 4 * power.size())},
                      out);
}

std::size_t encode_read(std::uint8_t node, std::uint8_t address, std::uint8_t n,
                        std::span<std::uint8_t> out) noexcept {
  // 0x80 alone asks for all that follows, and flags of 0xF0 and above are not to be used
  if (n == 0 || n > 0x6F || address + n > 0x100) return 0;
  return encode_vrcsr(
      {VrcsrKind::kRequest, node, static_cast<std::uint8_t>(kVrcsrReturn | n), address, {}}, out);
}

std::size_t encode_write(std::uint8_t node, std::uint8_t address,
                         std::span<const std::uint8_t> bytes,
                         std::span<std::uint8_t> out) noexcept {
  if (bytes.empty() || bytes.size() > 0x6F || address + bytes.size() > 0x100) return 0;
  return encode_vrcsr({VrcsrKind::kRequest, node,
                       static_cast<std::uint8_t>(kVrcsrReturn | bytes.size()), address, bytes},
                      out);
}

std::size_t encode_standard_response(std::uint8_t node, std::uint8_t device_type,
                                     const M5Response& r, std::span<std::uint8_t> out) noexcept {
  std::array<std::uint8_t, 1 + kResponseBytes> payload{device_type};
  const std::array<float, 4> numbers{r.rpm, r.bus_V, r.bus_A, r.temperature_C};
  for (std::size_t i = 0; i < numbers.size(); ++i) put_f32(payload.data() + 1 + 4 * i, numbers[i]);
  payload[kResponseBytes] = r.fault;
  return encode_vrcsr({VrcsrKind::kReply, node, kVrcsrStandard, 0, payload}, out);
}

std::size_t encode_read_reply(std::uint8_t node, std::uint8_t address, std::uint8_t device_type,
                              std::span<const std::uint8_t> data,
                              std::span<std::uint8_t> out) noexcept {
  std::array<std::uint8_t, 256> payload{device_type};
  if (data.size() >= payload.size()) return 0;
  std::copy(data.begin(), data.end(), payload.begin() + 1);
  return encode_vrcsr(
      {VrcsrKind::kReply, node, kVrcsrReturn, address, std::span(payload).first(1 + data.size())},
      out);
}

std::optional<M5Response> standard_response(const VrcsrFrame& frame) noexcept {
  const auto reply = reply_of(frame);
  if (!reply || frame.flags != kVrcsrStandard || reply->data.size() != kResponseBytes)
    return std::nullopt;
  const std::uint8_t* at = reply->data.data();
  return M5Response{take_f32(at), take_f32(at + 4), take_f32(at + 8), take_f32(at + 12), at[16]};
}

std::optional<M5Propulsion> propulsion_command(const VrcsrFrame& frame) noexcept {
  if (frame.kind != VrcsrKind::kRequest || frame.address != m5::kPropulsion ||
      frame.payload.size() < 2 || frame.payload[0] != kPropulsionMagic ||
      frame.payload.size() % 4 != 2)
    return std::nullopt;
  return M5Propulsion{frame.payload[1], frame.payload.subspan(2)};
}

float M5Propulsion::power(std::size_t i) const noexcept { return take_f32(powers.data() + 4 * i); }

}  // namespace pintle::device
