/// What is said to M5 thrusters and what they answer, in frames of vrcsr.h.
///
///   propulsion command   address 0xF0: AA, responder, float power[0..N]; a thruster takes the
///                        power at the index that its register motor_ID holds. -1..1.
///   standard response    rpm, bus V, bus A, temperature in deg C (floats), fault bits: 18 bytes
///   poll                 a read: says nothing about thrust, unlike a command with effort 0
///
/// A thruster that hears no propulsion command for about 2 s stops by itself (VideoRay's driver
/// says so; there is no register for it).
///
/// Source: VideoRay's M5 examples, and the driver of SubjuGator 8, which sends each thruster a
/// frame of its own with one power: right only while every motor_ID is 0.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "pintle/device/m5_registers.h"
#include "pintle/device/vrcsr.h"

namespace pintle::device {

inline constexpr std::size_t kM5MaxPowers = 64;
/// The largest of the frames that are made here.
inline constexpr std::size_t kM5MaxFrame = vrcsr_size(2 + 4 * kM5MaxPowers);

struct M5Response {
  float rpm = 0, bus_V = 0, bus_A = 0, temperature_C = 0;
  std::uint8_t fault = 0;  ///< Bits as in base/propulsor_report.h.
};

/// To a node or a group. What is not finite is sent as 0, what is beyond -1..1 as that. All answer
/// 0 where the frame does not fit.
[[nodiscard]] std::size_t encode_propulsion(std::uint8_t to, std::uint8_t responder,
                                            std::span<const float> power,
                                            std::span<std::uint8_t> out) noexcept;
/// Asks for `n` bytes (1..111) from `address` on.
[[nodiscard]] std::size_t encode_read(std::uint8_t node, std::uint8_t address, std::uint8_t n,
                                      std::span<std::uint8_t> out) noexcept;
/// Writes, and asks for what stands there afterwards.
[[nodiscard]] std::size_t encode_write(std::uint8_t node, std::uint8_t address,
                                       std::span<const std::uint8_t> bytes,
                                       std::span<std::uint8_t> out) noexcept;
[[nodiscard]] std::size_t encode_standard_response(std::uint8_t node, std::uint8_t device_type,
                                                   const M5Response& response,
                                                   std::span<std::uint8_t> out) noexcept;
[[nodiscard]] std::size_t encode_read_reply(std::uint8_t node, std::uint8_t address,
                                            std::uint8_t device_type,
                                            std::span<const std::uint8_t> data,
                                            std::span<std::uint8_t> out) noexcept;

[[nodiscard]] std::optional<M5Response> standard_response(const VrcsrFrame& frame) noexcept;

struct M5Propulsion {
  std::uint8_t responder = 0;
  std::span<const std::uint8_t> powers{};  ///< Four bytes each.
  [[nodiscard]] std::size_t size() const noexcept { return powers.size() / 4; }
  [[nodiscard]] float power(std::size_t i) const noexcept;
};
[[nodiscard]] std::optional<M5Propulsion> propulsion_command(const VrcsrFrame& frame) noexcept;

}  // namespace pintle::device
