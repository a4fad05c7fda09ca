/// VESC motor controllers on a UART, behind propulsor_protocol.h:
///
///   02, length (1 byte), payload, CRC-16, 03     (03 and two bytes of length above 255)
///   CRC-16: polynomial 0x1021, from 0, of the payload; all numbers big-endian
///
///   command   SET_DUTY (5): int32, 1e5 is full     in one write with GET_VALUES (4), the answer
///   poll      GET_VALUES alone, which commands nothing
///   further   FORWARD_CAN (34), id: for a controller behind the one on the line, by CAN
///
/// The first channel is the controller that the line is plugged into, the others hang on its CAN
/// bus. An answer tells the id of its controller (firmware 3.40 and later), and counts for that
/// one only. Revolutions are electrical: divided by the pole pairs.
///
/// Source: the firmware's own packet.c, commands.c and datatypes.h (bldc, GPL; facts, no code).
/// Not modelled: current and speed control, configuration, the local controller's CAN id.
#pragma once
#include <array>

#include "pintle/device/propulsor_protocol.h"

#include "pintle/base/fixed_vector.h"

namespace pintle::device {

inline constexpr std::uint8_t kVescGetValues = 4, kVescSetDuty = 5, kVescForwardCan = 34;
inline constexpr std::size_t kVescMaxPayload = 512;
inline constexpr std::size_t kVescValuesBytes = 59;  ///< Up to and with the controller's id.

[[nodiscard]] std::uint16_t vesc_crc(std::span<const std::uint8_t> bytes) noexcept;
/// 0 where it does not fit.
[[nodiscard]] std::size_t encode_vesc(std::span<const std::uint8_t> payload,
                                      std::span<std::uint8_t> out) noexcept;

/// Finds payloads in a stream; after a false start it searches on from the next byte.
class VescDecoder {
 public:
  /// The payload holds until the next call; empty: none. `bytes` keeps what was not looked at yet.
  std::span<const std::uint8_t> next(std::span<const std::uint8_t>& bytes) noexcept;
  void reset() noexcept;
  [[nodiscard]] std::size_t missing() const noexcept { return size_ == 0 ? 0 : wanted_ - size_; }
  [[nodiscard]] std::uint64_t skipped() const noexcept { return skipped_; }

 private:
  void drop(std::size_t n) noexcept;
  std::array<std::uint8_t, kVescMaxPayload + 6> buffer_{};
  std::size_t size_ = 0, wanted_ = 0, spent_ = 0;
  std::uint64_t skipped_ = 0;
};

class VescProtocol : public PropulsorProtocol {
 public:
  explicit VescProtocol(std::span<const BusChannel> channels, int pole_pairs = 7) noexcept;

  [[nodiscard]] const BusCapabilities& capabilities() const noexcept override;
  BusFrame greet(std::size_t, Out) noexcept override { return {}; }
  void forget(std::size_t) noexcept override {}
  BusFrame command(std::size_t channel, double effort, Out out) noexcept override;
  BusFrame command_all(std::span<const double>, std::size_t, Out) noexcept override { return {}; }
  BusFrame poll(std::size_t channel, Out out) noexcept override;
  bool hear(std::span<const std::uint8_t>& bytes, BusMessage& message) noexcept override;
  void give_up() noexcept override { decoder_.reset(); }
  [[nodiscard]] std::size_t missing() const noexcept override { return decoder_.missing(); }
  [[nodiscard]] std::uint64_t garbage() const noexcept override { return decoder_.skipped(); }

 private:
  struct Channel {
    std::uint8_t id = 0;
    bool reversed = false;
  };
  std::size_t put(std::size_t channel, std::span<const std::uint8_t> payload,
                  Out out) const noexcept;

  FixedVector<Channel, kMaxBusChannels> channels_;
  int pole_pairs_;
  VescDecoder decoder_;
};

}  // namespace pintle::device
