/// The frame of VideoRay's serial protocol VRCSR 2.00, as M5 thrusters speak it, both ways:
///
///   off  bytes  field
///    0    2     sync: F5 5F of a request, F0 0F of a reply
///    2    1     network id: 0x00..0x7F one node, 0x80..0xFE a group, 0xFF everybody; of a reply
///               the node that speaks
///    3    1     flags: 0 no reply wanted, 1 acknowledge, 2 standard response, 0x80 | n return n
///               bytes from the address
///    4    1     address of the first register
///    5    1     length of the payload; 0xFF: two bytes of length and their CRC follow the header
///    6    4     CRC-32 of the six bytes before
///   10    n     payload; of a reply its first byte is the device type (0xFF: one more follows)
///   10+n  4     CRC-32 of the payload; both are left out when there is no payload
///
/// Numbers are little-endian. The CRC is that of base/crc32.h. RS-485 half duplex, 115200 8N1: the
/// host is silent while a reply is due, and nobody answers what goes to a group or to everybody,
/// save the responder that a command names.
///
/// Source: VideoRay's "VRCSR Communication Protocol" 2.00. Its text calls the header seven bytes
/// long; it has six. How an extended length is checked is not said there: here, a CRC-32 of its two
/// bytes, like the others. A read must not carry the CRC of an empty payload: older drivers did,
/// and saw thrusters fail at random.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "pintle/base/fields.h"

namespace pintle::device {

enum class VrcsrKind : std::uint8_t { kRequest, kReply };

inline constexpr std::uint8_t kVrcsrLastNode = 0x7F;
inline constexpr std::uint8_t kVrcsrThrusters = 0x81;  ///< Group of all thrusters.
inline constexpr std::uint8_t kVrcsrEverybody = 0xFF;

inline constexpr std::uint8_t kVrcsrAcknowledge = 0x01;
inline constexpr std::uint8_t kVrcsrStandard = 0x02;
inline constexpr std::uint8_t kVrcsrReturn = 0x80;  ///< With the number of bytes in the other bits.

inline constexpr std::size_t kVrcsrHead = 10;
inline constexpr std::size_t kVrcsrMaxPayload = 1024;  ///< Ours; the protocol's is 65535.
inline constexpr std::size_t kVrcsrMaxFrame = kVrcsrHead + 6 + kVrcsrMaxPayload + 4;

struct VrcsrFrame {
  VrcsrKind kind = VrcsrKind::kRequest;
  std::uint8_t node = 0, flags = 0, address = 0;
  std::span<const std::uint8_t> payload{};  ///< Of a reply with the device type.
};

/// Why bytes are no frame.
enum class VrcsrFault : std::uint8_t {
  kNone,
  kIncomplete,  ///< So far it may become one.
  kSync,        ///< No frame begins so.
  kHeaderCrc,
  kLengthCrc,
  kLength,  ///< An extended length that is not of 255..kVrcsrMaxPayload.
  kPayloadCrc,
  kPayloadIsHeader,  ///< Six bytes that are the next frame's header: this one's end was lost.
  kReplyGroup,       ///< A reply that comes from a group or everybody.
  kReplyEmpty,       ///< A reply without a device type, or without flags.
  kMeaningless,      ///< A request that neither writes nor asks.
};

/// Bytes of a frame with this payload.
[[nodiscard]] constexpr std::size_t vrcsr_size(std::size_t payload) noexcept {
  return kVrcsrHead + (payload >= 0xFF ? 6 : 0) + (payload > 0 ? payload + 4 : 0);
}

/// The size of the frame in `out`; 0 where it does not fit or would be refused by `scan_vrcsr`.
[[nodiscard]] std::size_t encode_vrcsr(const VrcsrFrame& frame,
                                       std::span<std::uint8_t> out) noexcept;

struct VrcsrScan {
  VrcsrFault fault = VrcsrFault::kIncomplete;
  VrcsrFrame frame{};  ///< With kNone; points into what was scanned.
  /// With kNone the size of the frame; with kIncomplete how much it takes as far as can be told;
  /// else how much to skip to where a frame may begin next.
  std::size_t bytes = 0;
};

/// Looks whether a frame stands at the very beginning. Takes no memory and keeps no state.
[[nodiscard]] VrcsrScan scan_vrcsr(std::span<const std::uint8_t> bytes) noexcept;

/// Device type and data of a reply.
struct VrcsrReply {
  std::uint16_t device_type = 0;  ///< 0xFFnn: extended.
  std::span<const std::uint8_t> data{};
};
[[nodiscard]] std::optional<VrcsrReply> reply_of(const VrcsrFrame& frame) noexcept;

/// Finds frames in a stream that comes in any pieces, begins anywhere and holds anything. After a
/// false start it searches on from the next byte, so that no good frame is lost to what stood
/// before it.
class VrcsrDecoder {
 public:
  /// The next frame, if there is one; `bytes` keeps what was not looked at yet. To be called until
  /// it finds none. The frame points into `bytes` or into the decoder, and holds until the next
  /// call.
  std::optional<VrcsrFrame> next(std::span<const std::uint8_t>& bytes) noexcept;
  /// Forgets the beginning of a frame whose end did not come.
  void reset() noexcept;

  /// A frame has begun, and this many bytes of it are still to come (at least).
  [[nodiscard]] std::size_t missing() const noexcept { return size_ == 0 ? 0 : wanted_ - size_; }
  [[nodiscard]] std::uint64_t frames() const noexcept { return frames_; }
  /// Bytes that were part of no frame.
  [[nodiscard]] std::uint64_t skipped() const noexcept { return skipped_; }
  /// What began like a frame and was none.
  [[nodiscard]] std::uint64_t refused() const noexcept { return refused_; }

 private:
  void skip(const VrcsrScan& scan) noexcept;
  void drop(std::size_t n) noexcept;

  std::array<std::uint8_t, kVrcsrMaxFrame> buffer_{};
  std::size_t size_ = 0, wanted_ = 0, spent_ = 0;
  std::uint64_t frames_ = 0, skipped_ = 0, refused_ = 0;
};

}  // namespace pintle::device

namespace pintle {
template <>
const EnumTable& enum_table<device::VrcsrKind>();
template <>
const EnumTable& enum_table<device::VrcsrFault>();
}  // namespace pintle
