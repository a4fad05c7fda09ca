/// The frame that a gripper (grabber and dropper) and its controller exchange, both ways:
///
///   A5, value, FE, crc      crc: CRC-8, reflected polynomial 0x8C, from 0xFF, of the three before
///
/// Source: the serial protocol of the `jet` package's gripper, 115200 8N1. To the gripper the value
/// is a command, from it a status. Not modelled: values beyond release and grab mean nothing here.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace pintle::device {

using GripperFrame = std::array<std::uint8_t, 4>;

/// What the original answers when it has no status.
inline constexpr std::uint8_t kGripperUnknown = 0xFF;

[[nodiscard]] std::uint8_t gripper_crc(const std::uint8_t* bytes, std::size_t n) noexcept;
[[nodiscard]] GripperFrame encode_gripper(std::uint8_t value) noexcept;

/// Finds frames in a stream that may begin anywhere and hold anything: after a false start it
/// searches on from the next byte, so that one good frame is never lost to the noise before it.
class GripperDecoder {
 public:
  /// The value of the frame that this byte completes, if it completes one.
  std::optional<std::uint8_t> push(std::uint8_t byte) noexcept;
  void reset() noexcept { size_ = 0; }
  /// Bytes thrown away so far as part of no frame.
  [[nodiscard]] std::uint64_t skipped() const noexcept { return skipped_; }

 private:
  GripperFrame window_{};
  std::size_t size_ = 0;
  std::uint64_t skipped_ = 0;
};

}  // namespace pintle::device
