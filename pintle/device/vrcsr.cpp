#include "pintle/device/vrcsr.h"

#include <algorithm>
#include <cstring>

#include "pintle/base/crc32.h"

namespace pintle::device {
namespace {

constexpr std::array<std::uint8_t, 2> kRequestSync{0xF5, 0x5F}, kReplySync{0xF0, 0x0F};
constexpr std::uint8_t kExtended = 0xFF;

std::uint32_t crc_of(std::span<const std::uint8_t> bytes) noexcept {
  return crc32(std::as_bytes(bytes));
}

void put_u32(std::uint8_t* at, std::uint32_t value) noexcept {
  for (unsigned k = 0; k < 4; ++k) at[k] = static_cast<std::uint8_t>(value >> (8 * k));
}

std::uint32_t take_u32(const std::uint8_t* at) noexcept {
  std::uint32_t value = 0;
  for (unsigned k = 0; k < 4; ++k) value |= static_cast<std::uint32_t>(at[k]) << (8 * k);
  return value;
}

bool begins_with(std::span<const std::uint8_t> bytes,
                 const std::array<std::uint8_t, 2>& sync) noexcept {
  return bytes[0] == sync[0] && bytes[1] == sync[1];
}

/// What is wrong with a frame although its CRCs are right.
VrcsrFault sense(const VrcsrFrame& f) noexcept {
  if (f.payload.size() == 6 &&
      (begins_with(f.payload, kRequestSync) || begins_with(f.payload, kReplySync)))
    return VrcsrFault::kPayloadIsHeader;
  if (f.kind == VrcsrKind::kRequest)
    return f.payload.empty() && f.flags == 0 ? VrcsrFault::kMeaningless : VrcsrFault::kNone;
  if (f.node > kVrcsrLastNode) return VrcsrFault::kReplyGroup;
  const std::size_t type_bytes = !f.payload.empty() && f.payload[0] == 0xFF ? 2 : 1;
  return f.flags == 0 || f.payload.size() < type_bytes ? VrcsrFault::kReplyEmpty
                                                       : VrcsrFault::kNone;
}

/// From `from` on, the first place where a frame may begin.
std::size_t next_start(std::span<const std::uint8_t> bytes, std::size_t from) noexcept {
  for (; from < bytes.size(); ++from) {
    const std::uint8_t b = bytes[from];
    if (b != kRequestSync[0] && b != kReplySync[0]) continue;
    const std::uint8_t second = b == kRequestSync[0] ? kRequestSync[1] : kReplySync[1];
    if (from + 1 == bytes.size() || bytes[from + 1] == second) return from;
  }
  return from;
}

VrcsrScan refused(VrcsrFault fault, std::span<const std::uint8_t> bytes) noexcept {
  return {fault, {}, next_start(bytes, 1)};
}

}  // namespace

std::size_t encode_vrcsr(const VrcsrFrame& frame, std::span<std::uint8_t> out) noexcept {
  const std::size_t n = frame.payload.size();
  if (n > kVrcsrMaxPayload || out.size() < vrcsr_size(n) || sense(frame) != VrcsrFault::kNone)
    return 0;
  const auto& sync = frame.kind == VrcsrKind::kRequest ? kRequestSync : kReplySync;
  const bool extended = n >= kExtended;
  const std::array<std::uint8_t, 6> head{
      sync[0],     sync[1],       frame.node,
      frame.flags, frame.address, static_cast<std::uint8_t>(extended ? kExtended : n)};
  std::copy(head.begin(), head.end(), out.begin());
  put_u32(out.data() + 6, crc_of(head));
  std::uint8_t* at = out.data() + kVrcsrHead;
  if (extended) {
    at[0] = static_cast<std::uint8_t>(n);
    at[1] = static_cast<std::uint8_t>(n >> 8U);
    put_u32(at + 2, crc_of({at, 2}));
    at += 6;
  }
  // no payload, no CRC of one
  if (n > 0) {
    std::memcpy(at, frame.payload.data(), n);
    put_u32(at + n, crc_of(frame.payload));
  }
  return vrcsr_size(n);
}

VrcsrScan scan_vrcsr(std::span<const std::uint8_t> bytes) noexcept {
  VrcsrScan scan;
  scan.bytes = kVrcsrHead;
  if (bytes.empty()) return scan;
  VrcsrFrame& f = scan.frame;
  f.kind = bytes[0] == kRequestSync[0] ? VrcsrKind::kRequest : VrcsrKind::kReply;
  const auto& sync = f.kind == VrcsrKind::kRequest ? kRequestSync : kReplySync;
  if (bytes[0] != sync[0] || (bytes.size() > 1 && bytes[1] != sync[1]))
    return refused(VrcsrFault::kSync, bytes);
  if (bytes.size() < kVrcsrHead) return scan;
  if (take_u32(bytes.data() + 6) != crc_of(bytes.first(6)))
    return refused(VrcsrFault::kHeaderCrc, bytes);

  std::size_t length = bytes[5], at = kVrcsrHead;
  if (length == kExtended) {
    at += 6;
    scan.bytes = at;
    if (bytes.size() < at) return scan;
    const auto two = bytes.subspan(kVrcsrHead, 2);
    if (take_u32(two.data() + 2) != crc_of(two)) return refused(VrcsrFault::kLengthCrc, bytes);
    length = two[0] + 256U * two[1];
    if (length < kExtended || length > kVrcsrMaxPayload) return refused(VrcsrFault::kLength, bytes);
  }
  scan.bytes = at + (length > 0 ? length + 4 : 0);
  if (bytes.size() < scan.bytes) return scan;
  f.node = bytes[2];
  f.flags = bytes[3];
  f.address = bytes[4];
  f.payload = bytes.subspan(at, length);
  if (length > 0 && take_u32(bytes.data() + at + length) != crc_of(f.payload))
    return refused(VrcsrFault::kPayloadCrc, bytes);
  scan.fault = sense(f);
  return scan.fault == VrcsrFault::kNone ? scan : refused(scan.fault, bytes);
}

std::optional<VrcsrReply> reply_of(const VrcsrFrame& frame) noexcept {
  if (frame.kind != VrcsrKind::kReply || sense(frame) != VrcsrFault::kNone) return std::nullopt;
  VrcsrReply reply;
  const bool extended = frame.payload[0] == 0xFF;
  reply.device_type =
      extended ? static_cast<std::uint16_t>(0xFF00U | frame.payload[1]) : frame.payload[0];
  reply.data = frame.payload.subspan(extended ? 2 : 1);
  return reply;
}

void VrcsrDecoder::skip(const VrcsrScan& scan) noexcept {
  skipped_ += scan.bytes;
  if (scan.fault == VrcsrFault::kSync) return;
  ++refused_;
}

void VrcsrDecoder::drop(std::size_t n) noexcept {
  n = std::min(n, size_);
  size_ -= n;
  if (size_ > 0) std::memmove(buffer_.data(), buffer_.data() + n, size_);
}

void VrcsrDecoder::reset() noexcept {
  drop(spent_);
  spent_ = 0;
  skipped_ += size_;
  size_ = 0;
}

std::optional<VrcsrFrame> VrcsrDecoder::next(std::span<const std::uint8_t>& bytes) noexcept {
  drop(spent_);
  spent_ = 0;
  // the rest of what began in an earlier piece
  while (size_ > 0) {
    const VrcsrScan scan = scan_vrcsr({buffer_.data(), size_});
    if (scan.fault == VrcsrFault::kNone) {
      spent_ = scan.bytes;
      ++frames_;
      return scan.frame;
    }
    if (scan.fault != VrcsrFault::kIncomplete) {
      skip(scan);
      drop(scan.bytes);
      continue;
    }
    wanted_ = scan.bytes;
    if (bytes.empty()) return std::nullopt;
    // never beyond this frame: what follows is looked at where it lies
    const std::size_t n = std::min(bytes.size(), wanted_ - size_);
    std::memcpy(buffer_.data() + size_, bytes.data(), n);
    size_ += n;
    bytes = bytes.subspan(n);
  }
  while (!bytes.empty()) {
    const VrcsrScan scan = scan_vrcsr(bytes);
    if (scan.fault == VrcsrFault::kIncomplete) {
      std::memcpy(buffer_.data(), bytes.data(), bytes.size());
      size_ = bytes.size();
      wanted_ = scan.bytes;
      bytes = {};
      return std::nullopt;
    }
    bytes = bytes.subspan(scan.bytes);
    if (scan.fault == VrcsrFault::kNone) {
      ++frames_;
      return scan.frame;
    }
    skip(scan);
  }
  return std::nullopt;
}

}  // namespace pintle::device

namespace pintle {

template <>
const EnumTable& enum_table<device::VrcsrKind>() {
  using device::VrcsrKind;
  static constexpr std::array values{
      enum_value(VrcsrKind::kRequest, "request", "From the host to a node."),
      enum_value(VrcsrKind::kReply, "reply", "From a node to the host.")};
  static constexpr EnumTable table{"VrcsrKind", values};
  return table;
}

template <>
const EnumTable& enum_table<device::VrcsrFault>() {
  using device::VrcsrFault;
  static constexpr std::array values{
      enum_value(VrcsrFault::kNone, "none", "It is a frame."),
      enum_value(VrcsrFault::kIncomplete, "incomplete", "It ends before the frame does."),
      enum_value(VrcsrFault::kSync, "sync", "No frame begins so: F5 5F or F0 0F was expected."),
      enum_value(VrcsrFault::kHeaderCrc, "header_crc", "The header's CRC is wrong."),
      enum_value(VrcsrFault::kLengthCrc, "length_crc", "The extended length's CRC is wrong."),
      enum_value(VrcsrFault::kLength, "length", "The extended length is not of 255 to 1024 bytes."),
      enum_value(VrcsrFault::kPayloadCrc, "payload_crc", "The payload's CRC is wrong."),
      enum_value(VrcsrFault::kPayloadIsHeader, "payload_is_header",
                 "The payload is the header of another frame: the end of this one was lost."),
      enum_value(VrcsrFault::kReplyGroup, "reply_group",
                 "A reply names a group (0x80 and up) as the one that speaks."),
      enum_value(VrcsrFault::kReplyEmpty, "reply_empty",
                 "A reply has no device type, or flags of 0."),
      enum_value(VrcsrFault::kMeaningless, "meaningless",
                 "A request with neither payload nor flags.")};
  static constexpr EnumTable table{"VrcsrFault", values};
  return table;
}

}  // namespace pintle
